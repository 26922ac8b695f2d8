// SPDX-License-Identifier: GPL-3.0-or-later
// The life of a session; session_start.cpp has how it becomes ready, session_requests.cpp what happens to its requests.
#include "experiment/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "experiment/warmup.h"
#include "process/remote.h"
#include "wire/kv_events.h"

namespace kvcliff::experiment {
namespace {

using namespace std::chrono_literals;

Result<engine::Endpoint> endpoint_of(const std::string& url) {
  engine::Endpoint at;
  std::string rest = url;
  if (rest.rfind("http://", 0) == 0) rest = rest.substr(7);
  while (!rest.empty() && rest.back() == '/') rest.pop_back();
  const auto colon = rest.rfind(':');
  const bool digits = colon != std::string::npos && colon + 1 < rest.size() &&
                      rest.find_first_not_of("0123456789", colon + 1) == std::string::npos;
  const int port = digits && rest.size() - colon <= 6 ? std::stoi(rest.substr(colon + 1)) : 0;
  if (colon == 0 || port < 1 || port > 65535)
    return fail(ErrorCode::bad_usage, "The address of the server cannot be understood", url, {},
                "Give it as http://HOST:PORT");
  at.host = rest.substr(0, colon);
  at.port = port;
  return at;
}

// How long a kept server may go on saying that its caches are in use.
constexpr auto reset_patience = 10s;

}  // namespace

Session::Session(Environment environment, SessionJob job, SessionRecord record, std::optional<LiveServer> live)
    : env_(std::move(environment)), job_(std::move(job)), record_(std::move(record)), tap_(std::make_shared<LogTap>()) {
  if (!live) return;
  at_ = live->at;
  process_ = std::move(live->process);
  tap_ = std::move(live->tap);
  taken_from_ = live->session;
  log_told_ = tap_->size();
  tap_->serve([&journal = env_.services.journal, id = record_.id](const LogLine& line) { journal.put_log(id, line); });
}

Session::~Session() {
  if (server_) server_->cancel_all();
  server_.reset();
  process_.reset();  // stops what still lives, and ends the capture thread before the log goes
}

Session::Ended Session::run() {
  Ended out;
  const std::pair<const char*, Step (Session::*)()> steps[] = {
      {"preflight", &Session::preflight}, {"launch", &Session::launch},   {"ready", &Session::wait_ready},
      {"identity", &Session::identify},   {"warm-up", &Session::warm_up}, {"measuring", &Session::measure},
      {"settling", &Session::settle_last}};
  for (const auto& [name, step] : steps) {
    if (auto t = trouble()) out.error = std::move(t);
    if (!out.error)
      if (auto r = (this->*step)(); !r) out.error = r.error();
    if (out.error) break;
  }
  // The end is decided before the engine is stopped: its death by our hand is no failure.
  const bool stopped = out.error && out.error->code == ErrorCode::interrupted;
  if (!out.error && process_ && env_.keep && env_.keep(record_, at_)) {
    record_.stop = Json{{"kept", true}};
    server_->cancel_all();
    server_.reset();
    out.live = LiveServer{at_, std::move(process_), tap_, record_.ordinal};
  } else {
    stop_engine();
  }
  drain_log();
  if (!out.error) {
    out.end = End::finished;
    change(SessionState::finished);
  } else if (stopped) {
    out.end = End::stopped;
    change(SessionState::stopped_by_user, "stopped by the user");
  } else {
    out.end = End::failed;
    change(SessionState::failed, out.error->sentence());
  }
  out.record = record_;
  return out;
}

Session::Step Session::preflight() {
  change(SessionState::preflight);
  if (!env_.options.attach_url.empty()) {
    auto at = endpoint_of(env_.options.attach_url);
    if (!at) return fail(at.error());
    at_ = *at;
  } else if (!taken_from_) {
    const auto port = free_port();
    if (!port) return fail(port.error());
    at_.port = *port;
    if (process::forwards_port(job_.arm_plan.launcher)) {
      // Whether it is free there, only the engine can find out; that it is not the forwarded one matters here.
      auto there = free_port();
      for (int i = 0; there && *there == at_.port && i < 20; ++i) there = free_port();
      if (!there) return fail(there.error());
      at_.engine_port = *there;
    }
  }
  record_.url = at_.url();
  // A server that runs has its memory and its port already: what a launch needs is not asked again.
  if (!env_.services.preflight || !env_.options.attach_url.empty() || taken_from_) return {};
  Json checked = env_.services.preflight(job_.arm_plan, record_.ordinal, at_);
  if (env_.control.stopped()) return fail(*trouble());  // what was cut short would read like a fault of the machine
  record_.preflight = std::move(checked);
  for (const auto& item : record_.preflight) {
    const std::string state = item.value("state", std::string());
    const std::string what = item.value("what", std::string()), why = item.value("why", std::string());
    if (state == "fail")
      return fail(ErrorCode::engine, what, "preflight of session " + std::to_string(record_.ordinal + 1), why,
                  item.value("next", std::string()));
    // A tier that pins more than was asked for is said also where it fits: somebody else may want that memory.
    const Json numbers = item.value("numbers", Json::object());
    const bool pins_more = item.value("id", std::string()) == "host_memory" && numbers.value("worst_case_bytes", std::int64_t{0}) > numbers.value("asked_bytes", std::int64_t{0});
    if (state == "warn" || pins_more) note(state == "warn" ? "warning" : "info", why.empty() ? what : what + ": " + why);
  }
  return {};
}

Session::Step Session::launch() {
  if (!env_.options.attach_url.empty()) {
    change(SessionState::launching, "attached to a running server");
    note("warning",
         "attached: that the server was fresh, its exact command line and its caches before us cannot be proven");
    server_ = env_.services.connect(at_, job_.arm_plan);
    return {};
  }
  auto command = session_command(env_.services, env_.options, job_, at_);
  if (!command) return fail(command.error());
  // A kept server publishes to the session that started it, and one elsewhere cannot reach a port of ours.
  if (!taken_from_ && job_.arm_plan.launcher.kind == "local" && wire::asks_for_kv_events(command->argv)) {
    auto listener = KvListener::attach_to(command->argv, env_.services.journal, record_.id);
    if (!listener) return fail(listener.error());
    kv_events_ = std::move(*listener);
  }
  record_.argv = command->argv;
  record_.env_set = command->env_set;
  record_.env_unset = command->env_unset;
  // No setting of the arm, so not part of what R15 compares: the emulator's drift and session effect need to know which
  // server of the experiment this is.
  if (env_.services.adapter.name() == "emulator") command->env_set["KVCLIFF_EMULATE_SESSION"] = std::to_string(record_.ordinal);
  if (taken_from_) return take_over();
  change(SessionState::launching);
  tap_->serve([&journal = env_.services.journal, id = record_.id](const LogLine& line) { journal.put_log(id, line); });
  tap_->touch();
  auto started = env_.services.launcher.start(*command, [tap = tap_](const LogLine& line) { tap->take(line, !is_echo(line.text)); });
  if (!started) return fail(started.error());
  process_ = std::move(*started);
  record_.pid = process_->pid();
  if (const auto& launcher = job_.arm_plan.launcher; process::elsewhere(launcher)) {
    note("info", fmt::format("started by {}: {}", launcher.kind, env_.services.launcher.shown(*command)));
    if (process::node_is_told(launcher))
      if (auto r = wait_node(); !r) return r;
  }
  env_.services.journal.put(env_.experiment, record_);
  server_ = env_.services.connect(at_, job_.arm_plan);
  return {};
}

Session::Step Session::take_over() {
  change(SessionState::launching, fmt::format("took over the server of session {}", *taken_from_ + 1));
  record_.pid = process_->pid();
  env_.services.journal.put(env_.experiment, record_);
  server_ = env_.services.connect(at_, job_.arm_plan);
  tap_->touch();
  // A server that has just been idle empties its caches at once; one that still copies says no for a moment.
  Result<void> done;
  for (const MonoNs began = mono_now(); !(done = server_->reset_caches()) && mono_now() - began < scaled(reset_patience).count();) {
    if (auto t = trouble()) return fail(std::move(*t));
    if (done.error().code == ErrorCode::unsupported) break;
    nap(scaled(100ms));
  }
  if (!done)
    return fail(ErrorCode::engine, "The caches of the kept server could not be emptied", at_.url(), done.error().sentence(),
                "Plan with schedule.server = fresh");
  note("info", fmt::format("the server of session {} was kept; both caches were emptied", *taken_from_ + 1));
  return {};
}

Session::Step Session::warm_up() {
  change(SessionState::warming);
  std::vector<std::int64_t> lengths;
  for (const auto& r : job_.requests) lengths.push_back(r.prompt_tokens);
  Warmup warmup(job_.arm_plan.warmup, std::move(lengths));
  for (int index = 1; const auto length = warmup.next(); ++index) {
    auto planned = warmup_request(job_, *length, index);
    if (!planned) return fail(planned.error());
    env_.progress(record_.state, measured_, fmt::format("warm-up request {} of at most {}", index, job_.arm_plan.warmup.max_requests));
    const auto r = one_request(std::move(*planned));
    if (!r) return fail(r.error());
    warmup.done(*length, r->stream.ttft());
  }
  if (job_.arm_plan.warmup.max_requests > 1 && !warmup.steady())
    note("warning", fmt::format("TTFT was not steady after {} warm-up requests", warmup.sent()));
  return {};
}

Session::Step Session::measure() {
  if (auto r = predict(job_, record_.effective.engine_version, warmups_, job_.requests); !r)
    note("warning", "no prediction: " + r.error().sentence());
  // In a trace equal starts are what was recorded; made-up documents must not have any.
  if (job_.shared_start)
    note(job_.arm_plan.workload.kind == workload::Spec::Kind::trace ? "info" : "warning",
         *job_.shared_start + ": the first visit of one document hits what another one left");
  change(SessionState::measuring);
  const auto& load = job_.arm_plan.load;
  const bool serial = load.mode == plan::LoadSpec::Mode::serial ||
                      (load.mode == plan::LoadSpec::Mode::closed && load.concurrency <= 1);
  auto r = serial ? measure_serial() : measure_concurrent();
  if (!r) return r;
  if (const auto slow = slow_first_request(ttft_ms_)) note("warning", *slow);
  return {};
}

Session::Step Session::settle_last() {
  change(SessionState::settling);
  const Settled s = settle(last_, 0);
  if (auto t = trouble()) return fail(std::move(*t));
  if (s.page.good()) {
    last_ = s.page;
    last_row_ = keep(last_);
  }
  if (!s.settled) note("warning", "the last counters did not settle: " + s.why);
  record_.last_scrape = last_row_;
  if (kv_events_) {
    kv_events_->finish();
    if (kv_events_->malformed() > 0) note("warning", fmt::format("{} messages on the port for KV events were none", kv_events_->malformed()));
    kv_events_.reset();
  }
  env_.services.journal.put(env_.experiment, record_);
  return {};
}

void Session::stop_engine() {
  // Streams first: an engine with an open stream does not act on SIGTERM until the client lets go.
  if (server_) server_->cancel_all();
  if (!process_) {
    server_.reset();
    return;
  }
  change(SessionState::stopping);
  env_.progress(record_.state, measured_, "stopping the engine");
  server_.reset();
  const auto grace = std::chrono::milliseconds(static_cast<std::int64_t>(job_.arm_plan.limits.stop_s * 1000));
  const auto stopped = process_->stop(grace);
  if (stopped) {
    record_.exit_code = stopped->exit.code;
    record_.stop = Json{{"terminated_in_grace", stopped->terminated_in_grace},
                        {"killed", stopped->killed},
                        {"took_ns", stopped->took.count()},
                        {"notes", stopped->notes}};
    for (const auto& n : stopped->notes) note("warning", n);
  } else {
    record_.stop = Json{{"error", stopped.error().sentence()}};
    note("error", stopped.error().sentence());
  }
}

void Session::change(SessionState state, const std::string& why) {
  record_.state = state;
  record_.why = why;
  record_.changes.push_back({state, SystemClock().now(), why});
  env_.services.journal.change_state(env_.experiment, record_, record_.changes.back());
  for (Observer* o : env_.observers) o->session_changed(record_);
  env_.progress(state, measured_, std::string(to_string(state)));
}

void Session::note(const std::string& severity, const std::string& text) {
  journal::Notice n{env_.experiment, record_.id, SystemClock().now(), severity, text};
  env_.services.journal.put(n);
  for (Observer* o : env_.observers) o->noticed(n);
}

void Session::drain_log() {
  const std::vector<LogLine> fresh = tap_->lines(log_told_);
  if (fresh.empty()) return;
  log_told_ += fresh.size();
  for (Observer* o : env_.observers) o->log_lines(record_.id, fresh);
}

std::vector<LogLine> Session::log() const { return tap_->lines(); }

std::int64_t Session::keep(const CounterSnapshot& page) {
  for (Observer* o : env_.observers) o->scraped(record_.id, page);
  CounterSnapshot copy = page;
  if (!job_.arm_plan.keep_raw) copy.raw.reset();
  return env_.services.journal.put_scrape(record_.id, std::move(copy));
}

std::optional<Error> Session::trouble() {
  if (env_.control.stopped())
    return Error{ErrorCode::interrupted, "The run was stopped by the user", {}, {}, "Run it again with --resume to go on"};
  if (auto e = env_.services.journal.failure()) return e;
  if (process_ && !process_->running()) return dead_engine(std::string(to_string(record_.state)));
  if (env_.ceiling_reached && env_.ceiling_reached())
    return Error{ErrorCode::timeout, "The plan's cost ceiling was reached", {}, {},
                 "Raise cost_ceiling in the plan, or go on with --resume"};
  return std::nullopt;
}

Error Session::dead_engine(const std::string& when) {
  // Lines still in the pipe belong to the cause.
  (void)process_->wait(500ms);
  const auto lines = process_->lines(ready_at_);
  const auto cause = env_.services.adapter.failure_cause(lines.empty() && ready_at_ == 0 ? log() : lines);
  std::string code = "it is gone";
  if (const auto exit = process_->exit()) {
    if (const auto program = process::missing_program(job_.arm_plan.launcher, *exit, record_.argv)) {
      record_.exit_code = exit->code;
      std::string said;
      for (const auto& l : log())
        if (l.text.find(*program) != std::string::npos) said = l.text;
      return Error{ErrorCode::engine, fmt::format("The engine's program cannot be started there: {}", *program), at_.url(),
                   said.empty() ? fmt::format("the exit code was {}", exit->code) : said, "Install it there, or name its path there in engine.environment"};
    }
    if (const auto machine = process::lost_connection(job_.arm_plan.launcher, *exit)) {
      record_.exit_code = exit->code;
      return Error{ErrorCode::engine, fmt::format("The connection to {} was lost while {}", *machine, when), at_.url(),
                   lines.empty() ? std::string("ssh ended with 255") : "the last line: " + lines.back().text,
                   "The engine there ends by itself. Check the machine and the network, then go on with --resume"};
    }
    record_.exit_code = exit->code;
    code = exit->signalled ? fmt::format("it was ended by signal {}", exit->code - 128)
                           : fmt::format("its exit code was {}", exit->code);
  }
  std::string why = code;
  if (cause && !cause->lines.empty()) why += "; it said: " + cause->lines.front();
  if (!cause && !lines.empty()) why += "; its last line: " + lines.back().text;
  return Error{ErrorCode::engine, cause ? cause->what : fmt::format("The engine ended while {}", when), at_.url(), why,
               cause ? cause->next : std::string("Look at its log in the journal")};
}

std::chrono::nanoseconds Session::scaled(std::chrono::nanoseconds d) const {
  const double scale = std::clamp(env_.options.time_scale, 0.02, 1.0);
  return std::max<std::chrono::nanoseconds>(1ms, std::chrono::nanoseconds(static_cast<std::int64_t>(static_cast<double>(d.count()) * scale)));
}

void Session::nap(std::chrono::nanoseconds d) const {
  // In slices, so that a stop is seen at once.
  for (const auto until = std::chrono::steady_clock::now() + d; !env_.control.stopped();) {
    const auto left = until - std::chrono::steady_clock::now();
    if (left <= 0ns) return;
    std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(left, 50ms));
  }
}

}  // namespace kvcliff::experiment
