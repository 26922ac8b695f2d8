// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "record/stream.h"

namespace kvcliff::experiment {

/// Times of a server that keeps them (kvcliff-emulator metronome): what a perfect client measures, in ms.
struct Pace {
  double first_token_ms = 100;
  double gap_ms = 10;
  std::int64_t tokens = 200;
};

/// How far the client is off at so many streams at once; whatever the server was late by is in it, so it is a bound.
struct ClientError {
  int streams = 0;
  int failed = 0;                 ///< streams that did not end complete, left out of the figures
  double ttft_median_ms = 0;      ///< of the error: measured - true; can be slightly below 0
  double ttft_p99_ms = 0;
  double ttft_worst_ms = 0;       ///< largest error in either direction
  double gap_mean_ms = 0;         ///< mean absolute error of the time between tokens of a stream
  double lag_ms = 0;              ///< longest turn of the client's I/O thread
  std::vector<std::string> warnings;  ///< "the client was late by 6.1 ms ...", and limits that do not hold
};

/// The limits beyond which the client itself is part of what it measures: 2 ms for one stream's first token, 10 ms for
/// the 99th percentile of up to 32, 0.5 ms in the mean gap of one stream, 5 ms of lag. Above 32 streams the error is
/// shown and not judged.
ClientError client_error(std::span<const StreamRecord> records, const Pace& pace, MonoNs longest_turn);

/// Sends `streams` prompts at once to a server of this pace, over connections opened before, and compares.
ClientError measure_client(const std::string& url, const Pace& pace, int streams);

}  // namespace kvcliff::experiment
