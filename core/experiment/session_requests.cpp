// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <condition_variable>
#include <deque>

#include "attribution/attribute.h"
#include "base/text.h"
#include "experiment/session.h"

namespace kvcliff::experiment {
namespace {

using namespace std::chrono_literals;

// How long a cut stream may take to report its end, before we go on without its record.
constexpr auto cancel_wait = 5s;
constexpr int failures_allowed = 3;
// After a stream broke off, this long for the words of an engine that died to arrive.
constexpr auto engine_death_words = 200ms;

// The engine is dead: whatever cut this stream, us included, that is why it ended.
void mark_dead(StreamRecord& stream, const Error& death) {
  if (stream.outcome == Outcome::complete) return;
  const bool ours = stream.outcome == Outcome::cancelled;  // cut by us because of the death: nobody cancelled
  stream.why = fmt::format("The engine died: {}.{}", death.what, stream.why.empty() || ours ? "" : " " + stream.why);
  stream.outcome = Outcome::error;
}
// Readings of a metrics page that was already unreadable before a request: more would not make it readable.
constexpr int unreadable_polls = 3;

}  // namespace

/// Shared with the I/O thread: an end may come after the session has turned to something else.
struct Session::Flight {
  PlannedRequest planned;
  Instant started;
  std::mutex mutex;
  std::condition_variable ended;
  std::vector<StreamEvent> events;
  std::size_t told = 0;
  std::optional<StreamRecord> record;
  MonoNs checkpoint = 0;

  bool wait(std::chrono::milliseconds d) {
    std::unique_lock guard(mutex);
    return ended.wait_for(guard, d, [&] { return record.has_value(); });
  }
  bool over() {
    std::lock_guard guard(mutex);
    return record.has_value();
  }
};

std::shared_ptr<Session::Flight> Session::send(const PlannedRequest& planned) {
  auto flight = std::make_shared<Flight>();
  flight->planned = planned;
  flight->started = SystemClock().now();
  flight->checkpoint = flight->started.mono;
  for (Observer* o : env_.observers) o->request_started(record_.id, planned);
  server_->stream(
      planned,
      [flight](const StreamEvent& e) {
        std::lock_guard guard(flight->mutex);
        flight->events.push_back(e);
      },
      [flight](StreamRecord r) {
        {
          std::lock_guard guard(flight->mutex);
          flight->record = std::move(r);
        }
        flight->ended.notify_all();
      });
  return flight;
}

void Session::tend(Flight& flight) {
  std::vector<StreamEvent> fresh, all;
  const MonoNs now = mono_now();
  const bool due = now - flight.checkpoint >= 1'000'000'000;
  {
    std::lock_guard guard(flight.mutex);
    fresh.assign(flight.events.begin() + static_cast<std::ptrdiff_t>(flight.told), flight.events.end());
    flight.told = flight.events.size();
    if (due && !flight.record) all = flight.events;
  }
  if (!fresh.empty())
    for (Observer* o : env_.observers) o->stream_events(record_.id, flight.planned.ordinal, fresh);
  if (!due) return;
  flight.checkpoint = now;
  if (flight.over()) return;
  RequestRecord r;
  r.session = record_.id;
  r.plan = flight.planned;
  r.sent = flight.started;
  r.stream.outcome = Outcome::interrupted;
  r.stream.why = "This program ended while the request ran.";
  r.stream.times.t0 = flight.started.mono;
  r.stream.events = std::move(all);
  r.not_settled_why = "the request did not end";
  env_.services.journal.put(std::move(r));
}

void Session::attribute(RequestRecord& r, const CounterSnapshot& before, const CounterSnapshot& after) const {
  attribution::AttributionOptions options;
  options.prompt_tokens = r.plan.prompt_tokens;
  options.block_size = job_.arm_plan.capacity.block_size;
  options.kv_bytes_per_token = job_.kv_bytes_per_token;
  options.tier = record_.effective.offload ? *record_.effective.offload : job_.offload;
  options.cancelled = r.stream.outcome == Outcome::cancelled ? 1 : 0;
  const attribution::Attribution a = before.good() && after.good()
                                         ? attribution::attribute(before, after, &r.stream, options)
                                         : attribution::attribute_body(r.stream, options);
  r.delta = a.delta;
  r.sources = a.sources;
  r.loaded_bytes = a.loaded_bytes;
  r.stored_bytes = a.stored_bytes;
  r.bytes_from = a.loaded_from;
}

Session::Settled Session::settle(const CounterSnapshot& before, int finished) {
  Settle::Options limits;
  limits.quiet = scaled(std::chrono::milliseconds(job_.arm_plan.limits.settle.quiet_ms));
  limits.timeout = std::chrono::milliseconds(job_.arm_plan.limits.settle.timeout_ms);
  Settle rule(before, finished, limits);
  Settled out;
  const MonoNs began = mono_now();
  for (;;) {
    out.page = server_->scrape();
    const auto step = rule.feed(out.page);
    out.polls = rule.polls();
    if (step.settled) {
      out.settled = true;
      return out;
    }
    out.why = fmt::format("waited {} for {}", human_duration_ns(mono_now() - began), step.waiting_for);
    if (!out.page.good() && (metrics_lost_ || !before.good()) && out.polls >= unreadable_polls) return out;
    if (mono_now() - began > limits.timeout.count() || trouble()) return out;
    nap(step.wait);
  }
}

std::optional<Error> Session::death_behind(StreamRecord& stream) {
  const bool failed = stream.outcome == Outcome::error || stream.outcome == Outcome::truncated || stream.outcome == Outcome::ended_without_reason;
  // A refusal of this one request (4xx) says nothing about the engine.
  if (!failed || !server_ || (stream.http_status >= 400 && stream.http_status < 500)) return std::nullopt;
  if (!process_ || !readiness_ || !readiness_->ready_at()) return std::nullopt;
  nap(scaled(engine_death_words));
  if (process_->running() && server_->health()) return std::nullopt;
  Error e = dead_engine(std::string(to_string(record_.state)));
  if (process_->running()) {
    auto lines = log();
    lines.erase(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(std::min(log_at_ready_, lines.size())));
    const auto cause = env_.services.adapter.failure_cause(lines);
    e = Error{ErrorCode::engine, cause ? cause->what : std::string("The engine died behind its server"), at_.url(),
              cause && !cause->lines.empty() ? "it said: " + cause->lines.back() : std::string("its /health no longer answers 200"),
              cause ? cause->next : std::string("Look at its log in the journal")};
  }
  mark_dead(stream, e);
  return e;
}

Error Session::failing(const StreamRecord& last) {
  Look look{.health = server_ && server_->health() ? 200 : 503};
  look.completion = last.outcome == Outcome::timeout ? Look::Completion::silent : Look::Completion::refused;
  const bool silent = readiness_ && readiness_->feed(mono_now(), look) == ServerState::not_answering && last.outcome == Outcome::timeout;
  return Error{ErrorCode::engine, silent ? std::string("The engine is not answering") : fmt::format("{} requests in a row failed", failures_in_a_row_),
               at_.url(), fmt::format("{}{}", last.why, silent && look.health == 200 ? " Its /health answers 200 all the same." : ""),
               "Look at the engine's log in the journal"};
}

Result<RequestRecord> Session::one_request(PlannedRequest planned, bool may_be_refused) {
  planned.ordinal = ordinal_++;
  if (planned.warmup) {
    std::vector<PlannedRequest> one{planned};
    if (predict(job_, record_.effective.engine_version, warmups_, one)) planned.predicted = one.front().predicted;
    warmups_.push_back(planned);
    warmups_.back().prompt.clear();
  }
  const CounterSnapshot before = last_;
  auto flight = send(planned);
  std::optional<Error> end;
  MonoNs cut = 0;
  while (!flight->wait(20ms)) {
    tend(*flight);
    drain_log();
    if (!end && (end = trouble())) {
      server_->cancel_all();
      cut = mono_now();
    }
    if (cut && mono_now() - cut > std::chrono::nanoseconds(cancel_wait).count()) break;
  }
  tend(*flight);

  RequestRecord r;
  r.session = record_.id;
  r.plan = std::move(planned);
  r.plan.prompt.clear();
  r.id = journal::request_id(record_.id, r.plan.ordinal);
  {
    std::lock_guard guard(flight->mutex);
    if (flight->record) {
      r.stream = std::move(*flight->record);
      flight->record = StreamRecord();
    } else {
      r.stream.outcome = Outcome::interrupted;
      r.stream.why = "The stream did not report its end after it was cut.";
      r.stream.events = flight->events;
    }
  }
  if (may_be_refused && !end && r.stream.http_status == 503) {
    --ordinal_;
    warmups_.pop_back();
    return r;
  }
  const MonoNs t0 = r.stream.times.t0 ? r.stream.times.t0 : flight->started.mono;
  r.sent = {t0, flight->started.wall + (t0 - flight->started.mono)};
  r.scrape_before = last_row_;
  if (end && end->code == ErrorCode::engine) mark_dead(r.stream, *end);
  if (!end) end = death_behind(r.stream);
  if (end) {
    r.not_settled_why = "the session was ended";
    env_.services.journal.put(r);
    for (Observer* o : env_.observers) o->request_finished(r);
    return fail(*end);
  }
  for (Observer* o : env_.observers) o->stream_ended(record_.id, r.plan.ordinal, r.stream);
  const Settled s = settle(before, r.stream.outcome == Outcome::complete ? 1 : 0);
  r.settled = s.settled;
  r.not_settled_why = s.settled ? std::string() : s.why;
  r.settle_polls = s.polls;
  r.settle_ns = r.stream.times.end ? std::max<MonoNs>(0, s.page.received - r.stream.times.end) : 0;
  attribute(r, before, s.page);
  metrics_lost_ = !s.page.good();
  if (s.page.good()) {
    last_ = s.page;
    last_row_ = keep(s.page);
    r.scrape_after = last_row_;
  }
  env_.services.journal.put(r);
  if (!r.plan.warmup) {
    ++measured_;
    if (const auto ttft = r.stream.ttft()) ttft_ms_.push_back(static_cast<double>(*ttft) / 1e6);
  }
  for (Observer* o : env_.observers) o->request_finished(r);
  drain_log();
  failures_in_a_row_ = r.stream.outcome == Outcome::complete ? 0 : failures_in_a_row_ + 1;
  if (auto t = trouble()) return fail(std::move(*t));
  if (failures_in_a_row_ >= failures_allowed)
    return fail(failing(r.stream));
  return r;
}

Session::Step Session::measure_serial() {
  const std::size_t n = job_.requests.size();
  server_->preconnect(1);
  for (std::size_t i = 0; i < n; ++i) {
    if (env_.control.paused()) {
      note("info", fmt::format("paused before request {}", i + 1));
      env_.progress(record_.state, measured_, "paused");
      while (env_.control.paused() && !trouble()) {
        nap(50ms);
        drain_log();
      }
      note("info", "resumed");
    }
    env_.progress(record_.state, measured_, fmt::format("request {} of {}", i + 1, n));
    const auto r = one_request(std::move(job_.requests[i]));
    if (!r) return fail(r.error());
  }
  return {};
}

// Several at a time: a request's counters cannot be told apart, so tokens are attributed by the answer where the engine
// says it there, and by the whole window in the session's ledger.
Session::Step Session::measure_concurrent() {
  const auto& load = job_.arm_plan.load;
  const bool open = load.mode == plan::LoadSpec::Mode::open;
  const auto most = open ? std::size_t{512} : static_cast<std::size_t>(std::max(1, load.concurrency));
  server_->preconnect(static_cast<int>(std::min<std::size_t>(most, 64)));
  const CounterSnapshot before = last_;
  const std::int64_t before_row = last_row_;
  std::vector<std::shared_ptr<Flight>> flying;
  std::size_t next = 0;
  int finished = 0;
  const MonoNs start = mono_now();
  std::optional<Error> end;
  bool dead = false;
  StreamRecord last_failed;
  MonoNs cut_at = 0;  // after a death the others may still say how they ended, for a moment
  while (next < job_.requests.size() || !flying.empty()) {
    if (!end && (end = trouble())) {
      dead = end->code == ErrorCode::engine;
      cut_at = mono_now();
    }
    if (cut_at && mono_now() >= cut_at) {
      server_->cancel_all();
      cut_at = 0;
    }
    while (!end && next < job_.requests.size() && flying.size() < most && !env_.control.paused() &&
           (!open || mono_now() - start >= job_.requests[next].planned_send)) {
      PlannedRequest planned = std::move(job_.requests[next++]);
      planned.ordinal = ordinal_++;
      flying.push_back(send(planned));
    }
    if (end && flying.empty()) break;
    // The next arrival must not wait for the end of a slice.
    std::chrono::milliseconds slice = 5ms;
    if (open && next < job_.requests.size()) slice = 1ms;
    if (!flying.empty())
      (void)flying.front()->wait(slice);
    else
      nap(slice);
    for (std::size_t i = 0; i < flying.size();) {
      Flight& f = *flying[i];
      tend(f);
      if (!f.over()) {
        ++i;
        continue;
      }
      RequestRecord r;
      r.session = record_.id;
      r.plan = std::move(f.planned);
      r.plan.prompt.clear();
      r.id = journal::request_id(record_.id, r.plan.ordinal);
      {
        std::lock_guard guard(f.mutex);
        r.stream = std::move(*f.record);
      }
      const MonoNs t0 = r.stream.times.t0 ? r.stream.times.t0 : f.started.mono;
      r.sent = {t0, f.started.wall + (t0 - f.started.mono)};
      r.scrape_before = before_row;
      if (dead) {
        mark_dead(r.stream, *end);
      } else if (auto died = end ? std::nullopt : death_behind(r.stream)) {
        end = std::move(died);
        dead = true;
        cut_at = mono_now() + std::chrono::nanoseconds(cancel_wait).count() / 5;
      }
      if (r.stream.outcome != Outcome::complete) last_failed = r.stream;
      r.not_settled_why = "several requests were in flight: counters are read for the whole window";
      attribute(r, CounterSnapshot{.error = "window"}, CounterSnapshot{.error = "window"});
      finished += r.stream.outcome == Outcome::complete ? 1 : 0;
      failures_in_a_row_ = r.stream.outcome == Outcome::complete ? 0 : failures_in_a_row_ + 1;
      ++measured_;
      if (const auto ttft = r.stream.ttft()) ttft_ms_.push_back(static_cast<double>(*ttft) / 1e6);
      env_.services.journal.put(r);
      for (Observer* o : env_.observers) o->request_finished(r);
      flying.erase(flying.begin() + static_cast<std::ptrdiff_t>(i));
    }
    drain_log();
    env_.progress(record_.state, measured_, fmt::format("{} in flight, {} of {} sent", flying.size(), next, job_.requests.size()));
    if (!end && failures_in_a_row_ >= failures_allowed + static_cast<int>(flying.size())) {
      end = failing(last_failed);
      cut_at = mono_now();
    }
  }
  if (end) return fail(*end);
  const Settled s = settle(before, finished);
  if (!s.settled) note("warning", "the window did not settle: " + s.why);
  if (s.page.good()) {
    last_ = s.page;
    last_row_ = keep(s.page);
  }
  return {};
}

}  // namespace kvcliff::experiment
