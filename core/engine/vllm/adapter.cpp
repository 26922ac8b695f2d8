// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/vllm/adapter.h"

#include <chrono>

#include "base/text.h"
#include "engine/tables/capabilities.h"
#include "engine/tables/interpret.h"
#include "engine/vllm/failure.h"
#include "engine/vllm/flags.h"
#include "engine/vllm/kv_bytes.h"
#include "process/remote.h"

namespace kvcliff::engine::vllm {
namespace {

using namespace std::chrono_literals;

net::Timeouts probe_timeouts() { return {2000ms, 10'000ms, 20'000ms}; }

Result<net::HttpAnswer> ask(net::Client& client, const Endpoint& at, const std::string& path,
                            const std::string& method = "GET") {
  net::HttpRequest request;
  request.method = method;
  request.url = at.url() + path;
  request.timeouts = probe_timeouts();
  return client.http_wait(std::move(request));
}

/// The length of the body was stated, so a cut one was refused by the client. One that lasts until the connection closes
/// may end anywhere.
bool length_stated(const net::HttpAnswer& page) {
  for (const auto& [name, value] : page.headers)
    for (const std::string_view stated : {"content-length", "transfer-encoding"})
      if (name.size() == stated.size() && starts_with_ci(name, stated)) return true;
  return false;
}

std::string version_of(net::Client& client, const Endpoint& at) {
  const auto answer = ask(client, at, "/version");
  if (!answer || answer->status != 200) return {};
  const auto json = parse_json(answer->body, "/version");
  if (!json || !json->is_object()) return {};
  const auto it = json->find("version");
  return it != json->end() && it->is_string() ? it->get<std::string>() : std::string();
}

}  // namespace

std::string VllmAdapter::name() const {
  switch (kind_) {
    case Kind::vllm: return "vllm";
    case Kind::emulator: return "emulator";
    case Kind::attached: return "attach";
  }
  return "vllm";
}

Result<CommandOptions> VllmAdapter::command_options(const plan::Plan& plan) const {
  auto program = process::elsewhere(plan.launcher) ? program_elsewhere(kind_, plan) : program_of(kind_, plan.engine.environment);
  if (!program) return fail(program.error());
  CommandOptions options;
  options.executable = *program;
  options.emulator = kind_ == Kind::emulator;
  options.accepted = accepted_;
  if (kind_ == Kind::vllm) {
    options.block_bytes_per_rank = block_bytes_per_rank(plan, resources_);
    options.model = hub_name(plan, resources_);
  }
  return options;
}

Result<process::Command> VllmAdapter::command(const plan::Plan& plan, bool offload, const Endpoint& at) const {
  if (kind_ == Kind::attached)
    return fail(ErrorCode::unsupported, "An attached server is not started by this program", {}, {},
                "Use kvcliff-cli attach --url URL, or name another engine.adapter");
  const auto options = command_options(plan);
  if (!options) return fail(options.error());
  return serve_command(plan, offload, at, *options);
}

Result<void> VllmAdapter::learn_flags(process::Launcher& launcher, const plan::Plan& plan, const std::function<bool()>& go_on) {
  if (kind_ == Kind::attached) return {};
  const auto options = command_options(plan);
  if (!options) return fail(options.error());
  process::Command program;
  program.argv = {options->executable};
  program.env_set = plan.engine.extra_env;
  auto flags = probe_flags(launcher, program, 600s, go_on);
  if (!flags) return fail(flags.error());
  accepted_ = std::move(*flags);
  return {};
}

bool VllmAdapter::is_offload_setting(const std::string& name) const { return vllm::is_offload_setting(name); }

std::string VllmAdapter::completion_body(const std::string& model, std::span<const std::int32_t> prompt,
                                         std::int64_t output_tokens, const std::string& salt) const {
  return vllm::completion_body(model, prompt, output_tokens, salt);
}

std::string VllmAdapter::model_name(const plan::Plan& plan) const {
  // A running server has its own name for the model; the plan's id is taken as that name.
  return kind_ == Kind::attached ? plan.model.id : served_name(plan);
}

CounterSnapshot VllmAdapter::interpret(const net::HttpAnswer& page, const std::string& model) const {
  CounterSnapshot s;
  const auto body = trim(page.body);
  if (page.status != 200) {
    s.error = page.status == 0 ? "no answer" : "HTTP " + std::to_string(page.status);
  } else if (body.empty()) {
    s.error = "the metrics page is empty";
  } else if (body.front() == '<' || page.content_type.find("text/html") != std::string::npos) {
    s.error = "not a metrics page";
  } else {
    s = tables::interpret(wire::parse_prometheus(page.body, length_stated(page)), model);
  }
  s.http_status = page.status;
  s.sent = page.sent;
  s.received = page.received;
  if (!s.raw) s.raw = std::make_shared<const std::string>(page.body);
  return s;
}

Capabilities VllmAdapter::probe(const CounterSnapshot& first, net::Client& client, const Endpoint& at) const {
  Capabilities found = tables::from_metrics(first);
  for (const auto& info : tables::capability_table())
    if (found.count(std::string(info.name)) == 0) found[std::string(info.name)] = {false, std::string(info.absent)};
  const std::string version = version_of(client, at);
  if (!version.empty()) found["version"] = {true, "/version: " + version};
  // A GET on a route that takes POST only: 405 when the route exists, 404 when it does not. Nothing is reset by it.
  if (const auto answer = ask(client, at, "/reset_prefix_cache");
      answer && (answer->status == 405 || answer->status == 200 || answer->status == 422)) {
    found["reset"] = {true, "POST /reset_prefix_cache"};
    found["reset_host"] = {true, "POST /reset_prefix_cache?reset_external=true; what it did is checked by the counters"};
  } else if (answer) {
    const std::string why = "the development endpoints are off (HTTP " + std::to_string(answer->status) + ")";
    found["reset"] = found["reset_host"] = {false, why};
  }
  return found;
}

void VllmAdapter::learn(Capabilities& known, const StreamRecord& answer, const std::string& engine_version) const {
  tables::learn_from_answer(known, answer, engine_version);
}

EffectiveConfig VllmAdapter::effective(const std::vector<LogLine>& log, const CounterSnapshot& first,
                                       net::Client& client, const Endpoint& at) const {
  return effective_of(log, first, version_of(client, at));
}

std::optional<FailureCause> VllmAdapter::failure_cause(const std::vector<LogLine>& log) const {
  auto cause = find_failure(log);
  if (!cause || kind_ != Kind::emulator) return cause;
  // The emulator writes what a vLLM writes; whoever reads the cause must not look for a vLLM.
  for (std::string* words : {&cause->what, &cause->next})
    for (const auto& [from, to] : {std::pair<std::string_view, std::string_view>{"This build of vLLM", "The emulator"}, {"This vLLM", "The emulator"}, {"this vLLM", "the emulator"}, {"vLLM", "The emulator"}})
      for (auto at = words->find(from); at != std::string::npos; at = words->find(from, at + to.size())) words->replace(at, from.size(), to);
  return cause;
}

Result<bool> VllmAdapter::reset_caches(net::Client& client, const Endpoint& at, bool host_too) const {
  // reset_running_requests is never sent: with an open transfer it ends the engine (seen live on 0.32.0).
  const std::string path = host_too ? "/reset_prefix_cache?reset_external=true" : "/reset_prefix_cache";
  auto answer = ask(client, at, path, "POST");
  if (!answer) return fail(answer.error());
  if (answer->status == 404 || answer->status == 405 || answer->status == 501) return false;
  if (answer->status != 200)
    return fail(ErrorCode::engine, "The engine did not reset its caches", path, "HTTP " + std::to_string(answer->status),
                "Start a fresh server: only that is surely cold");
  // Older releases answer with an empty body; newer ones say false while blocks are held.
  if (const auto json = Json::parse(answer->body, nullptr, false); json.is_object()) {
    const auto it = json.find("success");
    if (it != json.end() && it->is_boolean() && !it->get<bool>())
      return fail(ErrorCode::busy, "The engine refused to reset its caches", path, "blocks are still in use",
                  "Wait until nothing runs and no transfer is open, then try again");
  }
  return true;
}

}  // namespace kvcliff::engine::vllm
