// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "journal/records.h"

namespace kvcliff::journal {

/// Writes one journal, from any thread, by one thread of its own. Calls return at once; values are written in the order
/// of the calls, in transactions that begin as soon as the writer is free, so a value is in the file within
/// milliseconds and survives kill -9 of this program from then on (a power cut may cost the last moments: WAL with
/// synchronous=NORMAL). A busy file is waited for: nothing is dropped, and the notice says how much is waiting.
class Writer {
 public:
  struct Options {
    /// Words for the user ("journal busy, 1 record waiting"; empty: the file is free again). Called on the writer's
    /// thread; must not block.
    std::function<void(const std::string&)> notice;
    /// After this long without the file the notice is given.
    std::chrono::milliseconds busy_notice_after{1000};
    /// How long closing waits for a busy file before what is queued is given up (and said).
    std::chrono::milliseconds close_wait{10'000};
  };
  /// Opens or makes a journal; an older one is upgraded after a copy was made beside it. Errors: busy (a second
  /// instance), newer_schema, corrupt, io.
  static Result<std::unique_ptr<Writer>> open(const std::string& path, Options options);
  static Result<std::unique_ptr<Writer>> open(const std::string& path) { return open(path, Options()); }
  /// Writes what is queued and closes: what is left is one file.
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // Row numbers are given out at once. A record with id 0 gets a new row; otherwise its row is written anew.
  std::int64_t put(ExperimentRecord e);
  std::int64_t put(std::int64_t experiment, SessionRecord s);
  /// A transition; also rewrites the session's row (`s.state` and all else as given).
  void change_state(std::int64_t experiment, const SessionRecord& s, const StateChange& change);
  /// The row of (session, plan.ordinal), whole. A running stream is put now and then with outcome `interrupted`, so
  /// that its events survive us; the end replaces it.
  void put(RequestRecord r);
  std::int64_t put_scrape(std::int64_t session, CounterSnapshot s);
  void put_log(std::int64_t session, LogLine l);
  void put_kv_event(std::int64_t session, Instant at, std::string payload);
  void put(Notice n);
  void put(SealedResult r);

  /// Waits until all values put before are in the file. Errors: what stopped the writer, or timeout.
  Result<void> flush(std::chrono::milliseconds limit = std::chrono::hours(1));
  /// What went wrong for good (disk full, file gone bad). Values stay in memory and are tried again at each flush.
  std::optional<Error> failure() const;
  struct Status {
    std::size_t waiting = 0;     ///< values not yet in the file
    bool busy = false;           ///< another program holds the file
    std::uint64_t written = 0;   ///< values in the file
    std::uint64_t batches = 0;
  };
  Status status() const;
  const std::string& path() const;
  /// "wal" or "delete", as SQLite answered.
  const std::string& journal_mode() const;
  /// Things said at opening: network drive, no locks, upgrade with its copy.
  const std::vector<std::string>& opening_notices() const;

 private:
  class Impl;
  explicit Writer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace kvcliff::journal
