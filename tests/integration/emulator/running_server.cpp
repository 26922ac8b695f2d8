// SPDX-License-Identifier: GPL-3.0-or-later
#include "running_server.h"

#include <chrono>
#include <sstream>
#include <thread>

namespace kvcliff::test {

std::string emulator_path(Which which) {
  return std::string(KVCLIFF_BINARY_DIR) + (which == Which::shipped ? "/bin/kvcliff-emulator" : "/tests/bin/kvcliff-emulator-naive");
}

RunningServer::RunningServer(std::vector<std::string> flags, Which which, const std::string& model) {
  std::vector<std::string> argv{emulator_path(which), "serve", model, "--port", "0", "--served-model-name", "m",
                                "--emulate-time-scale", "0.02", "--emulate-startup-seconds", "0.3", "--emulate-noise-seed", "5"};
  argv.insert(argv.end(), flags.begin(), flags.end());
  child_ = std::make_unique<Child>(argv, std::map<std::string, std::string>{{"VLLM_SERVER_DEV_MODE", "1"}});
  EXPECT_TRUE(child_->wait_for("Application startup complete.", 30'000)) << child_->output();
  const std::string log = child_->output(), mark = "server on http://127.0.0.1:";
  const auto at = log.find(mark);
  if (at != log.npos) port_ = std::atoi(log.c_str() + at + mark.size());
  for (int i = 0; port_ > 0 && i < 200 && fetch(port_, "GET", "/health").status != 200; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

Streamed read_stream(const RawAnswer& raw) {
  Streamed out;
  out.raw = raw;
  std::istringstream in(raw.body);
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("data: ", 0) != 0) continue;
    if (line == "data: [DONE]") {
      out.done = true;
      continue;
    }
    const Json json = Json::parse(line.substr(6));
    if (json.contains("error")) out.error = json["error"];
    if (json.contains("usage") && !json["usage"].is_null() && json["choices"].empty()) {
      out.usage = json["usage"];
      ++out.usages;
    }
    if (!json.contains("choices") || json["choices"].empty()) continue;
    const Json& choice = json["choices"][0];
    if (choice.contains("token_ids") && choice["token_ids"].is_array() && !choice["token_ids"].empty()) {
      ++out.events;
      for (const auto& id : choice["token_ids"]) out.ids.push_back(id.get<std::int32_t>());
    }
    if (choice["finish_reason"].is_string()) out.finish = choice["finish_reason"].get<std::string>();
  }
  return out;
}

Streamed RunningServer::complete(const std::vector<std::int32_t>& prompt, int max_tokens, const Json& more) {
  Json body{{"model", "m"}, {"prompt", prompt}, {"max_tokens", max_tokens}, {"stream", true}, {"return_token_ids", true},
            {"stream_options", {{"include_usage", true}}}};
  body.update(more);
  return read_stream(fetch(port_, "POST", "/v1/completions", body.dump()));
}

std::map<std::string, double> RunningServer::metrics() { return read_samples(fetch(port_, "GET", "/metrics").body); }

std::map<std::string, double> RunningServer::settled() {
  std::map<std::string, double> last;
  for (int i = 0; i < 500; ++i) {
    auto page = metrics();
    for (auto it = page.begin(); it != page.end();) it = it->first.rfind("http_", 0) == 0 ? page.erase(it) : std::next(it);
    const bool quiet = value(page, "vllm:num_requests_running") == 0 && value(page, "vllm:num_requests_waiting") == 0 &&
                       (page.count("vllm:kv_offload_cpu_cache_usage_perc{" + base_label() + "}") == 0 || value(page, "vllm:kv_offload_cpu_cache_usage_perc") == 0);
    if (quiet && page == last) return page;
    last = std::move(page);
    std::this_thread::sleep_for(std::chrono::milliseconds(4));
  }
  ADD_FAILURE() << "the counters never settled";
  return last;
}

std::vector<std::int32_t> document(int name, int tokens) {
  std::vector<std::int32_t> out;
  for (int i = 0; i < tokens; ++i) out.push_back(258 + (name * 131 + i * 13 + i / 1790 * (name + 1)) % 1790);
  return out;
}

double value(const std::map<std::string, double>& page, const std::string& name, const std::string& extra) {
  const auto at = page.find(name + "{" + base_label() + (extra.empty() ? "" : "," + extra) + "}");
  return at == page.end() ? 0 : at->second;
}

std::vector<std::int64_t> sources(const std::map<std::string, double>& before, const std::map<std::string, double>& after) {
  const auto delta = [&](const std::string& name, const std::string& extra) {
    return static_cast<std::int64_t>(value(after, name, extra) - value(before, name, extra));
  };
  const std::string by = "vllm:prompt_tokens_by_source_total";
  return {delta(by, "source=\"local_compute\""), delta(by, "source=\"local_cache_hit\""), delta(by, "source=\"external_kv_transfer\""),
          delta("vllm:kv_offload_total_bytes_total", "transfer_type=\"GPU_to_CPU\"") / 16384};
}

}  // namespace kvcliff::test
