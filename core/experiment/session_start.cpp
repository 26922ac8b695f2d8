// SPDX-License-Identifier: GPL-3.0-or-later
// From a started process to a server that has given a token.
#include <fmt/format.h>

#include <algorithm>

#include "experiment/session.h"
#include "process/remote.h"

namespace kvcliff::experiment {
namespace {

using namespace std::chrono_literals;

// How long an attached server may refuse connections: it is said to run already.
constexpr auto attach_patience = 5s;

}  // namespace

Session::Step Session::wait_ready() {
  const MonoNs began = mono_now();
  readiness_.emplace(env_.services.adapter.model_name(job_.arm_plan), static_cast<MonoNs>(job_.arm_plan.limits.start_s * 1e9));
  for (;;) {
    if (auto t = trouble()) return fail(std::move(*t));
    Look look;
    const auto healthy = server_->health();
    if (healthy) {
      look.health = 200;
      if (auto models = server_->models()) look.models = std::move(*models);
    }
    const ServerState state = readiness_->feed(mono_now(), look);
    if (state == ServerState::other_model)
      return fail(ErrorCode::engine, "The server at our port serves another model", at_.url(),
                  fmt::format("asked for {}, it has {}", env_.services.adapter.model_name(job_.arm_plan), fmt::join(*look.models, ", ")),
                  "Check that the port is free and the model name of the plan");
    if (state == ServerState::listening && readiness_->model_seen()) break;
    // An answer other than 200 comes from a server that loads; no answer at all comes from nobody.
    if (!process_ && !healthy && healthy.error().code == ErrorCode::io && mono_now() - began > scaled(attach_patience).count())
      return fail(ErrorCode::engine, "No server answers", at_.url(), healthy.error().why,
                  "Start the server, or correct --url; attach measures one that is running");
    if (auto r = wait_on(began); !r) return r;
  }
  drain_log();
  return {};
}

Session::Step Session::wait_node() {
  for (;;) {
    if (auto t = trouble()) return fail(std::move(*t));
    if (const auto node = process::node_of(process_->lines())) {
      at_.host = process::reach_host(*node);
      record_.url = at_.url();
      note("info", "the engine runs on " + *node);
      return {};
    }
    drain_log();
    env_.progress(record_.state, measured_, "waiting for the cluster to start the job");
    nap(scaled(100ms));
  }
}

Session::Step Session::wait_on(MonoNs began) {
  drain_log();
  const std::string waiting_for = readiness_->waiting_for();
  env_.progress(record_.state, measured_, fmt::format("waiting for the engine at {}: {}", at_.url(), waiting_for));
  if (readiness_->given_up(mono_now(), std::max(tap_->last_progress(), began))) {
    const auto cause = env_.services.adapter.failure_cause(log());
    return fail(ErrorCode::timeout, cause ? cause->what : std::string("The engine did not become ready"), at_.url(),
                fmt::format("it said nothing for {:g} s while we waited for {}", job_.arm_plan.limits.start_s, waiting_for),
                cause ? cause->next : std::string("Look at its log; raise limits.start_s if it is only slow"));
  }
  nap(scaled(100ms));
  return {};
}

Result<RequestRecord> Session::first_token(MonoNs began) {
  for (;;) {
    auto tiny = warmup_request(job_, std::max<std::int64_t>(1, std::min<std::int64_t>(4, job_.arm_plan.workload.tokens)), 0);
    if (!tiny) return fail(tiny.error());
    tiny->output_tokens = 1;
    auto answer = one_request(std::move(*tiny), true);
    if (!answer) return answer;
    Look look{.health = 200};
    const auto& stream = answer->stream;
    look.completion = stream.ttft() ? Look::Completion::token
                      : stream.outcome == Outcome::timeout ? Look::Completion::silent : Look::Completion::refused;
    readiness_->feed(mono_now(), look);
    if (look.completion == Look::Completion::token) return answer;
    if (auto t = trouble()) return fail(std::move(*t));
    if (stream.http_status != 503)
      return fail(ErrorCode::engine, "The engine is up but does not generate", at_.url(),
                  stream.why.empty() ? "the first completion gave no token" : stream.why, "Look at its log");
    if (auto r = wait_on(began); !r) return fail(r.error());
  }
}

Session::Step Session::identify() {
  last_ = server_->scrape();
  last_row_ = keep(last_);
  record_.identity_scrape = last_row_;
  if (!last_.good())
    note("warning", "the first reading of /metrics failed, so no token source can be told: " + last_.error);
  for (const char* name : {"prompt_tokens", "request_success", "generation_tokens"})
    if (!taken_from_ && last_.value(name).value_or(0) > 0)
      note("warning", fmt::format("the server had counted {} = {:g} before our first request: cold is not proven", name,
                                  *last_.value(name)));
  record_.effective = server_->effective(log(), last_);
  record_.capabilities = server_->probe(last_);
  if (kv_events_) record_.capabilities["kv_events"] = {true, "asked for by --kv-events-config; what came is in the journal"};
  env_.identified(record_.effective.engine_version, record_.effective.simulated);
  env_.services.journal.put(env_.experiment, record_);

  // /health does not prove that the engine generates; a token does.
  const auto answer = first_token(mono_now());
  if (!answer) return fail(answer.error());
  env_.services.adapter.learn(record_.capabilities, answer->stream, record_.effective.engine_version);
  log_at_ready_ = log().size();
  // What was logged until here did not keep the engine from starting: no cause of a later end.
  if (process_) ready_at_ = process_->lines().size();
  change(SessionState::ready);
  return {};
}

}  // namespace kvcliff::experiment
