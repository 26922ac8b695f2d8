// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "journal/records.h"

namespace kvcliff::journal {

/// How much of a request is read. Each level includes the one before.
enum class Depth {
  numbers,  ///< the narrow columns: what lists and charts need. Times hold t0, first_token and end only
  details,  ///< everything but events and raw bytes: what checks and statistics need
  events,   ///< and the event list
  raw,      ///< and the raw answer, where the plan kept it
};

/// Reads a journal, also while it is written (each call sees what was committed before it). One connection: use a
/// reader per thread. Nothing here writes or repairs.
class Reader {
 public:
  struct Options {
    bool allow_newer = false;  ///< read a journal of a newer schema as far as its tables are known
  };
  /// Errors: not_found, corrupt (damaged, not a journal, not of this program), newer_schema, io.
  static Result<Reader> open(const std::string& path, Options options);
  static Result<Reader> open(const std::string& path) { return open(path, Options()); }
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;
  ~Reader();

  const std::string& path() const;

  struct Filter {
    int limit = 200;
    std::optional<WallNs> created_before;  ///< for paging: the oldest `created` seen
    std::optional<WallNs> created_from;    ///< with created_before: a range, e.g. a local day (local_time.h)
    std::string model, text, tag;          ///< text: anywhere in name, note, uid, engine, model
  };
  /// Newest first, by index; no count of all rows.
  Result<std::vector<ExperimentRecord>> experiments(const Filter& filter) const;
  Result<std::vector<ExperimentRecord>> experiments() const { return experiments(Filter()); }
  /// By row number, by uid or its beginning; empty: the newest. Errors: not_found, bad_usage (ambiguous).
  Result<ExperimentRecord> experiment(const std::string& selector) const;

  /// In the order of the schedule, attempts of one ordinal in order. `changes` are filled.
  Result<std::vector<SessionRecord>> sessions(std::int64_t experiment) const;
  struct Counts {
    std::int64_t measured = 0, warmup = 0;
  };
  Result<Counts> request_count(std::int64_t session) const;

  /// Requests of a session in order, warm-up included. `visit` returns false to stop.
  Result<void> for_each_request(std::int64_t session, Depth depth,
                                const std::function<bool(RequestRecord&&)>& visit) const;
  Result<std::vector<RequestRecord>> requests(std::int64_t session, Depth depth) const;
  Result<RequestRecord> request(std::int64_t session, std::int64_t ordinal, Depth depth) const;
  /// The fast path of charts: the narrow columns of a session from ordinal `from` on, at most `limit` rows.
  Result<std::vector<ChartRow>> chart_rows(std::int64_t session, std::int64_t from = 0,
                                           std::int64_t limit = 1LL << 62) const;

  /// A scrape by its row; `with_raw` unpacks the page too.
  Result<CounterSnapshot> scrape(std::int64_t id, bool with_raw = false) const;
  struct ScrapeRow {
    std::int64_t id = 0;
    CounterSnapshot snapshot;
  };
  Result<std::vector<ScrapeRow>> scrapes(std::int64_t session, bool with_raw = false) const;

  Result<std::vector<LogLine>> log(std::int64_t session, std::int64_t from = 0, std::int64_t limit = 1LL << 62) const;
  /// Lines of a session's whole log that contain `words` (case of ASCII letters aside): how many there are, and the newest
  /// `limit` of them in order. `go_on` is asked at every match; false stops with what was found.
  struct LogFound {
    std::vector<LogLine> lines;
    std::int64_t matches = 0, searched = 0;
  };
  Result<LogFound> find_in_log(std::int64_t session, const std::string& words, std::int64_t limit, const std::function<bool()>& go_on = {}) const;
  /// KV events of a session in their order of arrival, each as put_kv_event took it.
  Result<std::vector<std::string>> kv_events(std::int64_t session) const;
  Result<std::vector<Notice>> notices(std::int64_t experiment) const;
  /// Newest first.
  Result<std::vector<SealedResult>> sealed_results(std::int64_t experiment) const;

  /// Bytes used by kind of content ("events", "raw answers", "scrapes", "log", "other") for the size display.
  Result<std::vector<std::pair<std::string, std::int64_t>>> sizes(std::int64_t experiment) const;

 private:
  class Impl;
  explicit Reader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace kvcliff::journal
