// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/stream.h"

namespace kvcliff::wire {

/// One write of a recorded answer: when (ms since the request was written) and how many bytes.
struct RecordedChunk {
  double at_ms = 0;
  std::uint64_t bytes = 0;
};

/// Lines `<ms> <bytes>`, blank lines and # comments. Errors: bad_usage with the line number; times must not fall.
Result<std::vector<RecordedChunk>> parse_chunk_list(std::string_view text, const std::string& where);

/// What the stream parser makes of a recording, and what was seen on the way.
struct StreamRecording {
  StreamRecord record;       ///< times are set only with chunks: t0 is the moment the request was written
  bool timed = false;
  bool http = false;         ///< the file was a raw HTTP answer
  int odd_frames = 0;
};

/// Reads a recorded answer: a bare event stream, a raw HTTP/1.x answer, either compressed by the server (gzip, deflate)
/// or packed as a file (gzip, zstd). The chunk list may count the bytes of the file, of the unpacked file, or of the
/// body of the answer. Errors: bad_usage, corrupt.
Result<StreamRecording> read_stream_recording(std::string_view bytes, const std::vector<RecordedChunk>* chunks,
                                              const std::string& where);

/// Figures from a record that need all of it. Absent ones have a reason in `why`.
struct StreamFigures {
  std::optional<std::int64_t> output_tokens;
  std::string output_tokens_why;
  std::optional<double> tokens_per_event;
  std::optional<double> time_per_token_ms;  ///< (last token - first token event) / (output tokens - tokens of the first event)
  std::string time_per_token_why;
  std::optional<double> tokens_per_second;  ///< the same as a rate
  std::optional<double> peak_tokens_per_second;  ///< highest rate over `peak_window_s`
  std::string peak_why;
  double peak_window_s = 1.0;
};
StreamFigures figures_of(const StreamRecord& record);

/// What to say when a compressed stream handed over all its tokens at one time: then the packing decided it, not the
/// server. nullopt: it did not, or there was one token, or no time.
std::optional<std::string> one_piece_mark(const StreamRecord& record, bool compressed);

/// Clocks around a request: the machine slept when boot time moved further than monotonic time. nullopt: it did not.
/// All arguments in ns, differences of one clock each.
std::optional<std::string> sleep_mark(MonoNs monotonic_elapsed, MonoNs boottime_elapsed);

}  // namespace kvcliff::wire
