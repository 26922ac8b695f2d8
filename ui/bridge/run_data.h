// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "journal/records.h"
#include "record/request.h"
#include "record/session.h"

namespace kvcliff::ui {

/// Streamed: the answer is complete, its counters are not settled yet.
enum class RequestState : std::uint8_t { Planned, Running, Streamed, Done };

/// One measured request as charts draw it. Absent numbers are -1 (counts and times are never negative).
struct RunRequest {
  std::int32_t session = 0;            ///< index into RunData::sessions
  std::int32_t ordinal = -1;           ///< in its session, warm-up included; -1 while planned
  std::int32_t document = -1, round = -1;
  RequestState state = RequestState::Planned;
  Outcome outcome = Outcome::interrupted;
  bool missed = false;                 ///< R13 failed: the measured sources are not the predicted ones
  std::int64_t residual = 0;           ///< of R13, tokens
  std::int64_t prompt_tokens = -1;
  std::array<std::int64_t, 4> tokens{-1, -1, -1, -1};  ///< by Source
  std::array<double, 3> predicted{-1, -1, -1};         ///< gpu_hit, host_loaded, computed, in real terms
  std::int64_t ttft_ns = -1, total_ns = -1;
  std::int64_t predicted_ttft_ns = -1; ///< see RunData::ttft_origin

  bool failed() const { return state == RequestState::Done && outcome != Outcome::complete; }
  bool measured() const { return tokens[0] >= 0 || tokens[1] >= 0 || tokens[2] >= 0 || tokens[3] > 0; }
  bool has_prediction() const { return predicted[2] >= 0; }
  /// Where most of its prompt came from; unknown when nothing says so. `by_prediction` where nothing is measured yet.
  Source main_source() const;
  Source predicted_source() const;
};

struct RunSession {
  std::int64_t row = 0;
  int ordinal = 0, attempt = 1;
  QString arm, why, url, version;
  bool offload = false, conditioning = false;
  SessionState state = SessionState::planned;
  std::int64_t pid = 0;
  MonoNs began = 0, ended = 0;         ///< first and last change of state; 0 = not yet
  std::size_t first = 0, count = 0;    ///< its measured requests in RunData::requests
  std::size_t done = 0;
  std::optional<std::int64_t> gpu_blocks, host_bytes;  ///< as the engine says, else as planned
};

/// One experiment as the Run page shows it, live or read from a journal: the same values either way.
struct RunData {
  QString journal;
  std::int64_t experiment = 0;
  QString name, model, uid, plan_hash, state, why, engine;
  QString ttft_origin;                 ///< where predicted times come from, or why there are none
  Json host;                           ///< facts of the machine that measured
  std::string plan_text;               ///< as it was written into the journal; empty while live
  bool simulated = false;
  bool live = false;
  std::int64_t block_bytes = 0;        ///< KV bytes of one block, all ranks; 0 = unknown
  std::vector<RunSession> sessions;
  std::vector<RunRequest> requests;
  std::size_t done = 0;                ///< finished measured requests
  std::int64_t newest = -1;            ///< index of the newest request that began
  std::uint64_t version = 0;           ///< counts changes of `requests`

  /// Requests touched since the chart looked last: [low, high). Sums of whole chunks are kept beside.
  std::size_t dirty_low = 0, dirty_high = 0;
  void touch(std::size_t i);
  void touch_all();

  RunSession* session_of(std::int64_t row);
  /// Index of a measured request of a session; -1: none such.
  std::int64_t index_of(std::int64_t session_row, int ordinal) const;

  void put(const SessionRecord& record);
  void begin_request(std::int64_t session_row, const PlannedRequest& planned);
  void stream_ended(std::int64_t session_row, int ordinal, const StreamRecord& stream);
  void put(const RequestRecord& record);
  /// One row of a journal appended to `sessions[session]`.
  void append(std::size_t session, const journal::ChartRow& row);

  /// "46 of 78".
  QString done_words() const;
  /// Lines under an exported picture.
  QString caption() const;
};

/// Words of a state for strips and cells.
QString words_of(SessionState state);

/// Reads an experiment of a journal. Slow for large ones: call it on a worker.
Result<RunData> read_run(const std::string& journal, std::int64_t experiment);

}  // namespace kvcliff::ui
