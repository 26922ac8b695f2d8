// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "journal/database.h"
#include "journal/records.h"

namespace kvcliff::journal {

/// The statements that write. Each writes one whole value and may be repeated (a batch that met a busy file is run
/// again), so all of them replace the row of the same key. SQLITE_DONE or the error code is returned.
class Rows {
 public:
  static Result<std::unique_ptr<Rows>> prepare(Database& db);

  int experiment(const ExperimentRecord& e);
  int session(std::int64_t experiment, const SessionRecord& s);
  int state(std::int64_t session, int seq, const StateChange& c);
  int request(const RequestRecord& r);
  int scrape(std::int64_t id, std::int64_t session, const CounterSnapshot& s);
  int log_line(std::int64_t session, std::int64_t line, const LogLine& l);
  int kv_event(std::int64_t session, std::int64_t seq, Instant at, const std::string& payload);
  int notice(std::int64_t id, const Notice& n);
  int sealed(std::int64_t id, const SealedResult& r);

 private:
  Rows() = default;
  Statement experiment_, session_, state_, request_, details_, scrape_, log_, kv_event_, notice_, sealed_;
};

}  // namespace kvcliff::journal
