// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

namespace kvcliff::experiment {
namespace {

using std::chrono::milliseconds;

milliseconds ms_of(double seconds) { return milliseconds(static_cast<std::int64_t>(seconds * 1000)); }

class HttpServer final : public Server {
 public:
  HttpServer(const engine::Adapter& adapter, const engine::Endpoint& at, const plan::Plan& plan)
      : adapter_(adapter), at_(at), plan_(plan), model_(adapter.model_name(plan)), client_(options()) {}

  Result<void> health() override {
    const auto answer = get("/health");
    if (!answer) return fail(answer.error());
    if (answer->status != 200)
      return fail(ErrorCode::engine, fmt::format("/health answers {}", answer->status), at_.url());
    return {};
  }

  Result<std::vector<std::string>> models() override {
    const auto answer = get("/v1/models");
    if (!answer) return fail(answer.error());
    if (answer->status != 200)
      return fail(ErrorCode::engine, fmt::format("/v1/models answers {}", answer->status), at_.url());
    const auto json = parse_json(answer->body, at_.url() + "/v1/models");
    if (!json) return fail(json.error());
    std::vector<std::string> out;
    if (const auto data = json->find("data"); data != json->end() && data->is_array())
      for (const auto& one : *data)
        if (one.is_object() && one.contains("id") && one["id"].is_string()) out.push_back(one["id"].get<std::string>());
    if (model_.empty() && !out.empty()) model_ = out.front();
    return out;
  }

  CounterSnapshot scrape() override {
    net::HttpRequest request;
    request.url = at_.url() + adapter_.metrics_path();
    request.timeouts = short_limits();
    const auto answer = client_.http_wait(std::move(request));
    if (!answer) {
      CounterSnapshot s;
      s.error = answer.error().sentence();
      return s;
    }
    return adapter_.interpret(*answer, model_);
  }

  Capabilities probe(const CounterSnapshot& first) override { return adapter_.probe(first, client_, at_); }
  EffectiveConfig effective(const std::vector<LogLine>& log, const CounterSnapshot& first) override {
    return adapter_.effective(log, first, client_, at_);
  }

  void stream(const PlannedRequest& planned, OnEvent event, OnDone done) override {
    net::StreamRequest request;
    request.url = at_.url() + adapter_.completion_path();
    request.body = adapter_.completion_body(model_, planned.prompt, planned.output_tokens, {});
    request.timeouts = {milliseconds(10'000), ms_of(plan_.limits.idle_s), ms_of(plan_.limits.total_s)};
    request.keep_raw = plan_.keep_raw;
    request.expect_token_ids = true;
    // The lock covers the start as well: an event may arrive before the id is known here.
    std::lock_guard guard(mutex_);
    const net::RequestId id = client_.stream(std::move(request), [this, done](net::RequestId which, StreamRecord r) {
      {
        std::lock_guard inner(mutex_);
        listeners_.erase(which);
      }
      done(std::move(r));
    });
    listeners_[id] = std::move(event);
  }

  void cancel_all() override { client_.cancel_all(); }
  void preconnect(int n) override { (void)client_.preconnect(at_.url(), n); }
  Result<void> reset_caches() override {
    const auto done = adapter_.reset_caches(client_, at_, true);
    if (!done) return fail(done.error());
    if (!*done)
      return fail(ErrorCode::unsupported, "The engine offers no way to empty its caches", at_.url(), {},
                  "Start it in development mode, or plan with schedule.server = fresh");
    return {};
  }

 private:
  net::Client::Options options() {
    net::Client::Options o;
    o.observer.event = [this](net::RequestId id, const StreamEvent& e) {
      std::lock_guard guard(mutex_);
      if (const auto it = listeners_.find(id); it != listeners_.end() && it->second) it->second(e);
    };
    return o;
  }
  static net::Timeouts short_limits() { return {milliseconds(2'000), milliseconds(5'000), milliseconds(10'000)}; }
  Result<net::HttpAnswer> get(const std::string& path) {
    net::HttpRequest request;
    request.url = at_.url() + path;
    request.timeouts = short_limits();
    return client_.http_wait(std::move(request));
  }

  const engine::Adapter& adapter_;
  engine::Endpoint at_;
  plan::Plan plan_;
  std::string model_;
  std::mutex mutex_;
  std::map<net::RequestId, OnEvent> listeners_;
  net::Client client_;  // last: joined first, while what its thread calls still lives
};

}  // namespace

std::unique_ptr<Server> connect_http(const engine::Adapter& adapter, const engine::Endpoint& at,
                                     const plan::Plan& plan) {
  return std::make_unique<HttpServer>(adapter, at, plan);
}

}  // namespace kvcliff::experiment
