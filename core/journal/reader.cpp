// SPDX-License-Identifier: GPL-3.0-or-later
#include "journal/reader.h"

#include <fmt/format.h>

#include <deque>
#include <filesystem>

#include "base/file.h"
#include "base/text.h"
#include "journal/codec.h"
#include "journal/file_state.h"
#include "journal/reader_impl.h"
#include "journal/schema.h"

namespace kvcliff::journal {
namespace {

constexpr const char* experiment_columns =
    "id, uid, name, created_utc_ns, ended_utc_ns, state, why, simulated, engine, model, plan_hash, method_version, "
    "program_version, tags, note, schedule, host, plan";

ExperimentRecord experiment_from(const Statement& s) {
  ExperimentRecord e;
  e.id = s.integer(0);
  e.uid = s.text(1);
  e.name = s.text(2);
  e.created = s.integer(3);
  e.ended = s.optional_integer(4);
  e.state = s.text(5);
  e.why = s.text(6);
  e.simulated = s.integer(7) != 0;
  e.engine = s.text(8);
  e.model = s.text(9);
  e.plan_hash = s.text(10);
  e.method_version = s.text(11);
  e.program_version = s.text(12);
  e.tags = Json::parse(s.view(13)).get<std::vector<std::string>>();
  e.note = s.text(14);
  e.schedule = Json::parse(s.view(15));
  e.host = Json::parse(s.view(16));
  e.plan_text = s.text(17);
  return e;
}

SessionRecord session_from(const Statement& s) {
  SessionRecord r;
  r.id = s.integer(0);
  r.ordinal = static_cast<int>(s.integer(1));
  r.attempt = static_cast<int>(s.integer(2));
  r.arm = s.text(3);
  r.conditioning = s.integer(4) != 0;
  r.pair = static_cast<int>(s.optional_integer(5).value_or(-1));
  r.state = session_state_from(s.view(6)).value_or(SessionState::failed);
  r.why = s.text(7);
  r.url = s.text(8);
  r.pid = s.integer(9);
  if (const auto code = s.optional_integer(10)) r.exit_code = static_cast<int>(*code);
  r.identity_scrape = s.integer(11);
  r.last_scrape = s.integer(12);
  Json::parse(s.view(13)).get_to(r.argv);
  Json::parse(s.view(14)).get_to(r.env_set);
  Json::parse(s.view(15)).get_to(r.env_unset);
  r.effective = Json::parse(s.view(16)).get<EffectiveConfig>();
  r.capabilities = Json::parse(s.view(17)).get<Capabilities>();
  r.preflight = Json::parse(s.view(18));
  r.stop = Json::parse(s.view(19));
  return r;
}

CounterSnapshot scrape_from(const Statement& s, int c, bool with_raw) {
  const auto packed = zstd_decompress(s.view(c + 8));
  CounterSnapshot out = packed ? snapshot_from(Json::parse(*packed)) : CounterSnapshot();
  out.sent = s.integer(c);
  out.received = s.integer(c + 1);
  out.wall = s.integer(c + 2);
  out.http_status = static_cast<int>(s.integer(c + 3));
  out.error = s.text(c + 4);
  if (!packed && out.error.empty()) out.error = packed.error().sentence();
  out.engine = s.text(c + 5);
  out.generation = s.text(c + 6);
  if (!s.is_null(c + 7)) out.process_start = s.real(c + 7);
  if (with_raw && !s.is_null(c + 9)) {
    auto raw = zstd_decompress(s.view(c + 9));
    if (raw) out.raw = std::make_shared<const std::string>(std::move(*raw));
  }
  return out;
}

constexpr const char* scrape_columns =
    "sent_ns, received_ns, received_utc_ns, http_status, error, engine, generation, process_start_s, counters_zstd, "
    "raw_zstd";

// A pattern of LIKE in which the user's text means itself.
std::string like(const std::string& text) {
  std::string out = "%";
  for (const char c : text) {
    if (c == '%' || c == '_' || c == '\\') out += '\\';
    out += c;
  }
  return out + "%";
}

}  // namespace

Reader::Reader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;
Reader::~Reader() = default;
const std::string& Reader::path() const { return impl_->db.path(); }

Reader::Impl::~Impl() {
  statements.clear();
  if (!alone_) return;
  const std::string path = db.path(), log = path + "-wal";
  db = Database();
  // A file in log mode makes SQLite lay an empty log and an index beside it, and only a connection that may write takes
  // them away again. It writes nothing to the journal: the log is empty. Where another program is at it, they stay.
  std::error_code ec;
  if (!std::filesystem::exists(log, ec) || std::filesystem::file_size(log, ec) != 0) return;
  if (auto tidy = Database::open(path, Database::Mode::read_write)) (void)tidy->one_integer("SELECT count(*) FROM sqlite_schema");
}

Result<Reader> Reader::open(const std::string& path, Options options) {
  std::error_code ec;
  const bool alone = !std::filesystem::exists(path + "-wal", ec) && !std::filesystem::exists(path + "-shm", ec);
  const FileState state = inspect_file(path);
  using Kind = FileState::Kind;
  const bool usable =
      state.kind == Kind::current || state.kind == Kind::older || (state.kind == Kind::newer && options.allow_newer);
  if (!usable) return fail(state_error(state, path));
  auto db = Database::open_to_read(path);
  if (!db) return fail(db.error());
  sqlite3_busy_timeout(db->handle(), 5000);
  return Reader(std::make_unique<Impl>(std::move(*db), alone));
}

Result<std::vector<ExperimentRecord>> Reader::experiments(const Filter& f) const {
  std::vector<ExperimentRecord> out;
  const std::string text = like(f.text), tag = like("\"" + f.tag + "\"");
  return impl_->read(
      fmt::format("SELECT {} FROM experiments WHERE created_utc_ns < ?1 AND created_utc_ns >= ?2 AND "
                  "(?3 = '' OR model = ?3) AND (?4 = '' OR name LIKE ?5 ESCAPE '\\' OR note LIKE ?5 ESCAPE '\\' OR "
                  "uid LIKE ?5 ESCAPE '\\' OR engine LIKE ?5 ESCAPE '\\' OR model LIKE ?5 ESCAPE '\\') AND "
                  "(?6 = '' OR tags LIKE ?7 ESCAPE '\\') ORDER BY created_utc_ns DESC, id DESC LIMIT ?8",
                  experiment_columns),
      [&](Statement& s) {
        s.bind(f.created_before.value_or(INT64_MAX), f.created_from.value_or(INT64_MIN), f.model, f.text, text, f.tag,
               tag, f.limit);
      },
      [&](const Statement& s) {
        out.push_back(experiment_from(s));
        return true;
      },
      out);
}

Result<ExperimentRecord> Reader::experiment(const std::string& selector) const {
  std::vector<ExperimentRecord> rows;
  const auto row = parse_int(selector);
  const bool by_uid = !selector.empty();
  const auto all = impl_->read(
      by_uid ? fmt::format("SELECT {} FROM experiments WHERE id = ?1 OR substr(uid, 1, length(?2)) = ?2 LIMIT 3",
                           experiment_columns)
             : fmt::format("SELECT {} FROM experiments ORDER BY created_utc_ns DESC, id DESC LIMIT 1",
                           experiment_columns),
      [&](Statement& s) {
        if (by_uid) s.bind(row.value_or(-1), selector);
      },
      [&](const Statement& s) {
        rows.push_back(experiment_from(s));
        return true;
      },
      rows);
  if (!all) return fail(all.error());
  const std::vector<ExperimentRecord>& found = *all;
  // A row number that is also the beginning of a uid means the row.
  if (found.size() > 1 && row)
    for (const auto& e : found)
      if (e.id == *row) return e;
  if (found.size() > 1)
    return fail(ErrorCode::bad_usage, "More than one experiment begins with \"" + selector + "\"", path(), {},
                "Give more digits of its id");
  if (found.empty())
    return fail(ErrorCode::not_found,
                by_uid ? "There is no experiment \"" + selector + "\"" : std::string("The journal holds no experiment"),
                path(), {}, by_uid ? "Leave --experiment out for the newest one" : "Run an experiment into it first");
  return found.front();
}

Result<std::vector<SessionRecord>> Reader::sessions(std::int64_t experiment) const {
  std::vector<SessionRecord> out;
  auto all = impl_->read(
      "SELECT id, ordinal, attempt, arm, conditioning, pair, state, why, url, pid, exit_code, identity_scrape, "
      "last_scrape, argv, env_set, env_unset, effective, capabilities, preflight, stop FROM sessions "
      "WHERE experiment_id = ?1 ORDER BY ordinal, attempt",
      [&](Statement& s) { s.bind(experiment); },
      [&](const Statement& s) {
        out.push_back(session_from(s));
        return true;
      },
      out);
  if (!all) return all;
  for (SessionRecord& session : *all) {
    std::vector<StateChange> changes;
    auto r = impl_->read(
        "SELECT state, at_ns, at_utc_ns, why FROM session_states WHERE session_id = ?1 ORDER BY seq",
        [&](Statement& s) { s.bind(session.id); },
        [&](const Statement& s) {
          changes.push_back({session_state_from(s.view(0)).value_or(SessionState::failed),
                             {s.integer(1), s.integer(2)},
                             s.text(3)});
          return true;
        },
        changes);
    if (!r) return fail(r.error());
    session.changes = std::move(*r);
  }
  return all;
}

Result<Reader::Counts> Reader::request_count(std::int64_t session) const {
  // The number of the last request is found by one descent; a count of all rows would read them all.
  Counts out;
  return impl_->read(
      "SELECT coalesce((SELECT max(ordinal) + 1 FROM requests WHERE session_id = ?1), 0), "
      "(SELECT count(*) FROM requests INDEXED BY requests_warmup WHERE session_id = ?1 AND warmup = 1)",
      [&](Statement& s) { s.bind(session); },
      [&](const Statement& s) {
        out.warmup = s.integer(1);
        out.measured = s.integer(0) - out.warmup;
        return true;
      },
      out);
}

Result<CounterSnapshot> Reader::scrape(std::int64_t id, bool with_raw) const {
  std::optional<CounterSnapshot> found;
  const auto r = impl_->read(
      fmt::format("SELECT {} FROM scrapes WHERE id = ?1", scrape_columns), [&](Statement& s) { s.bind(id); },
      [&](const Statement& s) {
        found = scrape_from(s, 0, with_raw);
        return true;
      },
      0);
  if (!r) return fail(r.error());
  if (!found) return fail(ErrorCode::not_found, fmt::format("The journal holds no scrape {}", id), path());
  return std::move(*found);
}

Result<std::vector<Reader::ScrapeRow>> Reader::scrapes(std::int64_t session, bool with_raw) const {
  std::vector<ScrapeRow> out;
  return impl_->read(
      fmt::format("SELECT id, {} FROM scrapes WHERE session_id = ?1 ORDER BY id", scrape_columns),
      [&](Statement& s) { s.bind(session); },
      [&](const Statement& s) {
        out.push_back({s.integer(0), scrape_from(s, 1, with_raw)});
        return true;
      },
      out);
}

Result<std::vector<LogLine>> Reader::log(std::int64_t session, std::int64_t from, std::int64_t limit) const {
  std::vector<LogLine> out;
  return impl_->read(
      "SELECT at_ns, at_utc_ns, is_stderr, truncated, text FROM log_lines WHERE session_id = ?1 AND line >= ?2 "
      "ORDER BY line LIMIT ?3",
      [&](Statement& s) { s.bind(session, from, limit); },
      [&](const Statement& s) {
        out.push_back({{s.integer(0), s.integer(1)}, s.integer(2) != 0, s.text(4), s.integer(3) != 0});
        return true;
      },
      out);
}

Result<Reader::LogFound> Reader::find_in_log(std::int64_t session, const std::string& words, std::int64_t limit,
                                             const std::function<bool()>& go_on) const {
  std::string pattern = "%";
  for (const char c : words) {
    if (c == '%' || c == '_' || c == '\\') pattern += '\\';
    pattern += c;
  }
  pattern += '%';
  LogFound out;
  std::deque<LogLine> newest;
  const auto done = impl_->read(
      "SELECT at_ns, at_utc_ns, is_stderr, truncated, text FROM log_lines WHERE session_id = ?1 AND text LIKE ?2 ESCAPE '\\' ORDER BY line",
      [&](Statement& s) { s.bind(session, std::string_view(pattern)); },
      [&](const Statement& s) {
        ++out.matches;
        newest.push_back({{s.integer(0), s.integer(1)}, s.integer(2) != 0, s.text(4), s.integer(3) != 0});
        if (static_cast<std::int64_t>(newest.size()) > limit) newest.pop_front();
        return !go_on || go_on();
      },
      0);
  if (!done) return fail(done.error());
  const auto counted = impl_->read(
      "SELECT count(*) FROM log_lines WHERE session_id = ?1", [&](Statement& s) { s.bind(session); },
      [&](const Statement& s) {
        out.searched = s.integer(0);
        return true;
      },
      0);
  if (!counted) return fail(counted.error());
  out.lines.assign(std::make_move_iterator(newest.begin()), std::make_move_iterator(newest.end()));
  return out;
}

Result<std::vector<std::string>> Reader::kv_events(std::int64_t session) const {
  std::vector<std::string> out;
  return impl_->read(
      "SELECT payload FROM kv_events WHERE session_id = ?1 ORDER BY seq", [&](Statement& s) { s.bind(session); },
      [&](const Statement& s) {
        out.emplace_back(s.view(0));
        return true;
      },
      out);
}

Result<std::vector<Notice>> Reader::notices(std::int64_t experiment) const {
  std::vector<Notice> out;
  return impl_->read(
      "SELECT experiment_id, session_id, at_ns, at_utc_ns, severity, text FROM notices WHERE experiment_id = ?1 "
      "ORDER BY id",
      [&](Statement& s) { s.bind(experiment); },
      [&](const Statement& s) {
        out.push_back({s.integer(0), s.integer(1), {s.integer(2), s.integer(3)}, s.text(4), s.text(5)});
        return true;
      },
      out);
}

Result<std::vector<SealedResult>> Reader::sealed_results(std::int64_t experiment) const {
  std::vector<SealedResult> out;
  return impl_->read(
      "SELECT experiment_id, method_version, at_utc_ns, document FROM sealed_results WHERE experiment_id = ?1 "
      "ORDER BY id DESC",
      [&](Statement& s) { s.bind(experiment); },
      [&](const Statement& s) {
        out.push_back({s.integer(0), s.text(1), s.integer(2), Json::parse(s.view(3))});
        return true;
      },
      out);
}

Result<std::vector<std::pair<std::string, std::int64_t>>> Reader::sizes(std::int64_t experiment) const {
  std::vector<std::pair<std::string, std::int64_t>> out;
  const char* const parts[][2] = {
      {"events", "SELECT sum(length(events)) FROM request_details d, mine WHERE d.id >= mine.id << 32 AND "
                 "d.id < (mine.id + 1) << 32"},
      {"raw answers", "SELECT sum(length(raw_zstd)) FROM request_details d, mine WHERE d.id >= mine.id << 32 AND "
                      "d.id < (mine.id + 1) << 32"},
      {"scrapes", "SELECT sum(length(counters_zstd) + coalesce(length(raw_zstd), 0)) FROM scrapes s, mine "
                  "WHERE s.session_id = mine.id"},
      {"log", "SELECT sum(length(text)) FROM log_lines l, mine WHERE l.session_id = mine.id"},
  };
  for (const auto& [name, sql] : parts) {
    const std::string words = name;
    const auto r = impl_->read(
        fmt::format("WITH mine AS (SELECT id FROM sessions WHERE experiment_id = ?1) {}", sql),
        [&](Statement& s) { s.bind(experiment); },
        [&](const Statement& s) {
          out.emplace_back(words, s.integer(0));
          return true;
        },
        0);
    if (!r) return fail(r.error());
  }
  return out;
}

}  // namespace kvcliff::journal
