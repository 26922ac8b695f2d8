// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/runner.h"

#include <fmt/format.h>
#include <unistd.h>

#include <map>

#include "base/hash.h"
#include "experiment/session.h"
#include "journal/reader.h"
#include "journal/schema.h"

namespace kvcliff::experiment {
namespace {

using namespace std::chrono_literals;

std::string new_uid(const std::string& plan_hash) {
  const std::string seed = fmt::format("{}/{}/{}/{}", plan_hash, SystemClock().wall(), mono_now(), ::getpid());
  return sha256_hex(seed).substr(0, 16);
}

Json schedule_json(const std::vector<plan::SessionPlan>& all) {
  Json out = Json::array();
  for (const auto& s : all)
    out.push_back(Json{{"ordinal", s.ordinal}, {"arm", s.arm}, {"conditioning", s.conditioning}, {"pair", s.pair}});
  return out;
}

/// What was measured so far, for the bar.
struct Pace {
  MonoNs began = 0, session_began = 0, measuring_began = 0;
  MonoNs measuring = 0, overhead = 0;  ///< of the sessions that are over
  std::int64_t measured = 0;           ///< requests of the sessions that are over
  int sessions = 0;                    ///< over
};

class Experiment {
 public:
  Experiment(const plan::Plan& plan, const RunOptions& options, const Services& services, Control& control,
             const std::vector<Observer*>& observers)
      : plan_(plan), options_(options), services_(services), control_(control), observers_(observers) {}

  RunResult run(const std::string& resume_path) {
    pace_.began = mono_now();
    RunResult out;
    if (auto r = prepare_all(resume_path); !r) {
      out.error = r.error();
      out.why = r.error().sentence();
      out.experiment = record_.id;
      for (Observer* o : observers_) o->ended(out);
      return out;
    }
    out.experiment = record_.id;
    out.end = RunResult::End::finished;
    for (std::size_t i = 0; i < schedule_.size(); ++i) {
      if (done_[i]) continue;
      const auto end = run_session(i);
      if (end.end == Session::End::finished) continue;
      out.end = end.end == Session::End::stopped ? RunResult::End::stopped : RunResult::End::failed;
      out.error = end.error;
      out.why = end.error ? end.error->sentence() : std::string();
      break;
    }
    finish(out);
    return out;
  }

 private:
  Result<void> prepare_all(const std::string& resume_path) {
    schedule_ = plan::schedule(plan_);
    if (!options_.attach_url.empty()) {
      const std::string arm = !options_.attach_arm.empty() ? options_.attach_arm
                              : plan_.arms.empty()         ? std::string()
                                                           : plan_.arms.front().name;
      schedule_ = {{0, arm, false, -1}};
    }
    if (schedule_.empty())
      return fail(ErrorCode::bad_usage, "The plan schedules no session", plan_.name, {}, "Give it pairs or controls");
    done_.assign(schedule_.size(), false);
    sessions_.resize(schedule_.size());
    // Everything is prepared once before the first launch, so that a plan that cannot be run is refused whole.
    std::map<std::string, std::int64_t> requests_of;
    for (const auto& s : schedule_) {
      if (!requests_of.count(s.arm)) {
        const auto job = prepare(plan_, s, 1, services_.kv_bytes);
        if (!job) return fail(job.error());
        requests_of[s.arm] = static_cast<std::int64_t>(job->requests.size());
      }
      requests_total_ += requests_of[s.arm];
      requests_of_session_.push_back(requests_of[s.arm]);
    }
    return options_.resume ? take_up(resume_path) : begin();
  }

  std::string text_of_plan() const {
    return options_.plan_text.empty() ? canonical_json(plan::to_json(plan_)) : options_.plan_text;
  }

  Result<void> begin() {
    record_.plan_text = text_of_plan();
    record_.plan_hash = sha256_hex(record_.plan_text);
    record_.uid = new_uid(record_.plan_hash);
    record_.name = plan_.name;
    record_.schedule = schedule_json(schedule_);
    record_.method_version = journal::method_version;
    record_.program_version = options_.program_version;
    record_.host = options_.host.is_object() ? options_.host : Json::object();
    record_.host["model"] = model_facts(plan_, schedule_, services_.kv_bytes);
    record_.engine = options_.attach_url.empty() ? plan_.engine.adapter : std::string("attach");
    record_.model = plan_.model.id.empty() ? plan_.model.config : plan_.model.id;
    record_.simulated = options_.attach_url.empty() && plan_.engine.adapter == "emulator";  // attached: its version tells
    record_.created = SystemClock().wall();
    record_.id = services_.journal.put(record_);
    for (std::size_t i = 0; i < schedule_.size(); ++i) add_attempt(i, 1);
    tell_started();
    return services_.journal.flush(60s);
  }

  // The plan names a config.json by its path only: what lies there now may be of another model, whose numbers would stand
  // beside those of the finished sessions.
  Result<void> same_model() const {
    const Json then = record_.host.is_object() ? record_.host.value("model", Json::object()) : Json::object();
    if (plan_.model.config.empty() || !then.is_object() || !then.contains("config")) return {};
    if (model_facts(plan_, schedule_, services_.kv_bytes).value("config", Json()) == then["config"]) return {};
    return fail(ErrorCode::bad_usage, "The model is not the one of the interrupted run", plan_.model.config,
                "what this config.json says differs from what the journal holds",
                "Put the file of the interrupted run back, or begin a run of its own");
  }

  // Goes on with an experiment of the journal: finished sessions stay, all others are repeated whole.
  Result<void> take_up(const std::string& path) {
    auto reader = journal::Reader::open(path);
    if (!reader) return fail(reader.error());
    auto found = reader->experiment(std::to_string(options_.resume));
    if (!found) return fail(found.error());
    record_ = std::move(*found);
    const std::string hash = sha256_hex(text_of_plan());
    if (record_.plan_hash != hash)
      return fail(ErrorCode::bad_usage, "The plan is not the one of the interrupted run", record_.name,
                  fmt::format("its hash is {}, the journal has {}", hash.substr(0, 12),
                              record_.plan_hash.substr(0, 12)),
                  "Resume with the same plan, or run without --resume");
    if (auto same = same_model(); !same) return same;
    const auto old = reader->sessions(record_.id);
    if (!old) return fail(old.error());
    std::map<int, std::vector<SessionRecord>> attempts;
    for (const auto& s : *old) attempts[s.ordinal].push_back(s);
    for (std::size_t i = 0; i < schedule_.size(); ++i) {
      int last = 0;
      for (SessionRecord& s : attempts[schedule_[i].ordinal]) {
        last = std::max(last, s.attempt);
        if (s.state == SessionState::finished) {
          done_[i] = true;
          sessions_[i] = s;
        }
      }
      if (done_[i]) {
        ++pace_.sessions;
        resumed_requests_ += requests_of_session_[i];
        continue;
      }
      for (SessionRecord& s : attempts[schedule_[i].ordinal]) {
        if (s.state == SessionState::superseded) continue;
        // A session that never began needs no second attempt.
        if (s.state == SessionState::planned && s.attempt == last) {
          sessions_[i] = s;
          continue;
        }
        const std::string was = fmt::format("was {}; repeated whole as attempt {}", to_string(s.state), last + 1);
        s.state = SessionState::superseded;
        s.why = was;
        s.changes.push_back({s.state, SystemClock().now(), was});
        services_.journal.change_state(record_.id, s, s.changes.back());
      }
      if (sessions_[i].id == 0) add_attempt(i, last + 1);
    }
    pace_.sessions = 0;  // their pace was another day's
    record_.state = "running";
    record_.why.clear();
    record_.ended.reset();
    services_.journal.put(record_);
    tell("info", "the run was resumed");
    tell_started();
    return services_.journal.flush(60s);
  }

  void add_attempt(std::size_t i, int attempt) {
    SessionRecord s;
    s.ordinal = schedule_[i].ordinal;
    s.attempt = attempt;
    s.arm = schedule_[i].arm;
    s.conditioning = schedule_[i].conditioning;
    s.pair = schedule_[i].pair;
    s.id = services_.journal.put(record_.id, s);
    s.changes.push_back({SessionState::planned, SystemClock().now(), {}});
    services_.journal.change_state(record_.id, s, s.changes.back());
    sessions_[i] = std::move(s);
  }

  Session::Ended run_session(std::size_t i) {
    Session::Ended out;
    auto job = prepare(plan_, schedule_[i], sessions_[i].attempt, services_.kv_bytes, record_.uid);
    if (!job) {
      out.error = job.error();
      return out;
    }
    pace_.session_began = mono_now();
    pace_.measuring_began = 0;
    Session::Environment environment{
        services_, options_, control_, record_.id, observers_, [this] { return ceiling_reached(); },
        [this, i](SessionState state, std::int64_t measured, const std::string& doing) { report(i, state, measured, doing); },
        [this](const std::string&, bool simulated) {
          if (simulated == record_.simulated) return;
          record_.simulated = simulated;
          services_.journal.put(record_);
        },
        [this, i](const SessionRecord& now, const engine::Endpoint& at) { return next_uses(i, now, at); }};
    {
      Session session(std::move(environment), std::move(*job), sessions_[i], std::exchange(live_, std::nullopt));
      out = session.run();
    }
    live_ = std::exchange(out.live, std::nullopt);
    sessions_[i] = out.record;
    if (out.end == Session::End::finished) {
      done_[i] = true;
      const MonoNs now = mono_now();
      const MonoNs measuring = pace_.measuring_began ? now - pace_.measuring_began : 0;
      pace_.measuring += measuring;
      pace_.overhead += now - pace_.session_began - measuring;
      pace_.measured += requests_of_session_[i];
      ++pace_.sessions;
    }
    (void)services_.journal.flush(10s);
    return out;
  }

  // Whether the session after `i` would start the very server that runs.
  bool next_uses(std::size_t i, const SessionRecord& now, const engine::Endpoint& at) const {
    if (plan_.schedule.server != "kept" || i + 1 >= schedule_.size() || done_[i + 1] || control_.stopped()) return false;
    const auto job = prepare(plan_, schedule_[i + 1], sessions_[i + 1].attempt, services_.kv_bytes);
    if (!job) return false;
    const auto command = session_command(services_, options_, *job, at);
    return command && command->argv == now.argv && command->env_set == now.env_set && command->env_unset == now.env_unset;
  }

  bool ceiling_reached() const {
    if (!plan_.cost_ceiling) return false;
    const double seconds = static_cast<double>(mono_now() - pace_.began) / 1e9;
    const auto& c = *plan_.cost_ceiling;
    return (c.seconds && seconds > *c.seconds) ||
           (c.money && c.money_per_hour > 0 && seconds / 3600 * c.money_per_hour > *c.money);
  }

  void report(std::size_t i, SessionState state, std::int64_t measured, const std::string& doing) {
    const MonoNs now = mono_now();
    if (state == SessionState::measuring && pace_.measuring_began == 0) pace_.measuring_began = now;
    Progress p;
    p.sessions = static_cast<int>(schedule_.size());
    p.sessions_done = static_cast<int>(std::count(done_.begin(), done_.end(), true));
    p.session = schedule_[i].ordinal;
    p.state = state;
    p.requests = requests_total_;
    p.requests_done = resumed_requests_ + pace_.measured + measured;
    p.elapsed = std::chrono::nanoseconds(now - pace_.began);
    p.paused = control_.paused();
    p.doing = doing;
    const std::int64_t seen = pace_.measured + measured;
    if (seen > 0) {
      const MonoNs measuring = pace_.measuring + (pace_.measuring_began ? now - pace_.measuring_began : 0);
      // Of a session that is not over, what came before its first request is all we know of its overhead.
      const double overhead = pace_.sessions > 0
                                  ? static_cast<double>(pace_.overhead) / pace_.sessions
                                  : static_cast<double>(pace_.measuring_began - pace_.session_began);
      const double per_request = static_cast<double>(measuring) / static_cast<double>(seen);
      const int sessions_left = p.sessions - p.sessions_done - 1;
      p.left = std::chrono::nanoseconds(static_cast<std::int64_t>(
          per_request * static_cast<double>(p.requests - p.requests_done) + overhead * std::max(0, sessions_left)));
    }
    for (Observer* o : observers_) o->progress(p);
  }

  void tell(const std::string& severity, const std::string& text) {
    journal::Notice n{record_.id, 0, SystemClock().now(), severity, text};
    services_.journal.put(n);
    for (Observer* o : observers_) o->noticed(n);
  }
  void tell_started() {
    for (Observer* o : observers_) o->started(record_, sessions_);
  }

  void finish(RunResult& out) {
    record_.ended = SystemClock().wall();
    record_.state = out.end == RunResult::End::finished  ? "finished"
                    : out.end == RunResult::End::stopped ? "stopped_by_user"
                                                         : "failed";
    record_.why = out.why;
    services_.journal.put(record_);
    if (auto r = services_.journal.flush(60s); !r && out.end == RunResult::End::finished) {
      out.end = RunResult::End::failed;
      out.error = r.error();
      out.why = r.error().sentence();
    }
    for (Observer* o : observers_) o->ended(out);
  }

  const plan::Plan& plan_;
  const RunOptions& options_;
  const Services& services_;
  Control& control_;
  const std::vector<Observer*>& observers_;
  journal::ExperimentRecord record_;
  std::vector<plan::SessionPlan> schedule_;
  std::vector<SessionRecord> sessions_;
  std::vector<bool> done_;
  std::vector<std::int64_t> requests_of_session_;
  std::int64_t requests_total_ = 0, resumed_requests_ = 0;
  std::optional<LiveServer> live_;  ///< left by the session before
  Pace pace_;
};

}  // namespace

RunResult run_experiment(const plan::Plan& plan, const RunOptions& options, const Services& services, Control& control,
                         const std::vector<Observer*>& observers, const std::string& resume_path) {
  return Experiment(plan, options, services, control, observers).run(resume_path);
}

Runner::Runner(plan::Plan plan, RunOptions options, Services services, std::vector<Observer*> observers,
               std::string resume_path)
    : thread_([this, plan = std::move(plan), options = std::move(options), services = std::move(services),
               observers = std::move(observers), resume_path = std::move(resume_path)] {
        result_ = run_experiment(plan, options, services, control_, observers, resume_path);
        done_ = true;
      }) {}

Runner::~Runner() {
  control_.stop();
  if (thread_.joinable()) thread_.join();
}

RunResult Runner::wait() {
  if (thread_.joinable()) thread_.join();
  return result_;
}

}  // namespace kvcliff::experiment
