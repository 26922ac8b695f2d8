// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <future>
#include <ostream>

#include "analysis/rates.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "cli/inspect.h"
#include "net/client.h"
#include "net/url.h"
#include "wire/openai_stream.h"

namespace kvcliff::cli {
namespace {

struct Options {
  std::string url, model, prompt_file, text, raw, endpoint, key;
  std::int64_t prompt_tokens = 0, max_tokens = 16, seed = 1;
  double idle_s = 120, total_s = 900, connect_s = 10;
  bool chat = false;
};

/// The name of the first model the server lists.
Result<std::string> first_model(net::Client& client, const std::string& base, const Options& o) {
  net::HttpRequest ask{.url = base + "/v1/models"};
  ask.timeouts.idle = ask.timeouts.total = std::chrono::seconds(10);
  if (!o.key.empty()) ask.headers.emplace_back("Authorization", "Bearer " + o.key);
  const auto answer = client.http_wait(std::move(ask));
  if (!answer) return fail(answer.error());
  const auto json = parse_json(answer->body, base + "/v1/models");
  if (answer->status == 200 && json && json->is_object() && json->contains("data") && (*json)["data"].is_array() &&
      !(*json)["data"].empty() && (*json)["data"][0].is_object() && (*json)["data"][0].contains("id") && (*json)["data"][0]["id"].is_string())
    return (*json)["data"][0]["id"].get<std::string>();
  return fail(ErrorCode::engine, "The server does not say which models it has", base + "/v1/models",
              "HTTP " + std::to_string(answer->status), "Name one with --model");
}

/// Token ids of a prompt: a seeded list that shares its start with nothing. Ids 1000..1999 exist in every vocabulary of
/// the catalogue.
Json prompt_ids(std::int64_t n, std::int64_t seed) {
  Rng rng(static_cast<std::uint64_t>(seed));
  Json ids = Json::array();
  for (std::int64_t i = 0; i < n; ++i) ids.push_back(1000 + rng.below(1000));
  return ids;
}

Result<Json> body_of(const Options& o, const std::string& model) {
  Json body{{"model", model}, {"max_tokens", o.max_tokens}, {"temperature", 0}, {"stream", true},
            {"stream_options", {{"include_usage", true}}}, {"return_token_ids", true}, {"ignore_eos", true}};
  if (!o.prompt_file.empty()) {
    const auto bytes = read_file(o.prompt_file);
    if (!bytes) return fail(bytes.error());
    const auto start = trim(*bytes);
    if (start.starts_with('[') || start.starts_with('{')) {
      auto json = parse_json(*bytes, o.prompt_file);
      if (!json) return fail(json.error());
      if (json->is_object()) {  // a whole request body: streaming is asked for, the rest stays as it is
        Json whole = *std::move(json);
        if (!whole.contains("model")) whole["model"] = model;
        whole["stream"] = true;
        if (!whole.contains("stream_options")) whole["stream_options"] = {{"include_usage", true}};
        return whole;
      }
      for (const auto& id : *json)
        if (!id.is_number_integer() || id < 0)
          return fail(ErrorCode::bad_usage, "The prompt file is not a list of token ids", o.prompt_file, "It holds " + id.dump(),
                      "Give a JSON list of integers, a request body, or plain text");
      body["prompt"] = *std::move(json);
    } else {
      body["prompt"] = to_valid_utf8(*bytes);
    }
  } else if (!o.text.empty()) {
    body["prompt"] = to_valid_utf8(o.text);
  } else {
    body["prompt"] = prompt_ids(o.prompt_tokens > 0 ? o.prompt_tokens : 64, o.seed);
  }
  if (o.chat) {
    if (!body["prompt"].is_string())
      return fail(ErrorCode::bad_usage, "A chat request needs a text prompt", "--chat", {}, "Give --text or a text --prompt-file");
    body["messages"] = Json::array({Json{{"role", "user"}, {"content", body["prompt"]}}});
    body.erase("prompt");
  }
  return body;
}

int exit_of(const StreamRecord& r) {
  if (r.outcome == Outcome::complete) return Exit::done;
  return r.outcome == Outcome::cancelled || r.outcome == Outcome::interrupted ? Exit::interrupted : Exit::engine_failed;
}

int run(Context& context, const Options& o) {
  const auto url = net::parse_url(o.url);
  if (!url) return context.report(url.error());
  std::string base = o.url;
  while (base.ends_with('/')) base.pop_back();
  if (base.ends_with("/v1")) base.resize(base.size() - 3);
  std::string target = base + (o.chat ? "/v1/chat/completions" : "/v1/completions");
  if (base.ends_with("/completions")) {  // the full endpoint was given
    target = base;
    base = url->scheme + "://" + url->server();
  }
  net::Client client;
  std::string model = o.model;
  if (model.empty()) {
    auto found = first_model(client, base, o);
    if (!found) return context.report(found.error());
    model = *found;
  }
  const auto body = body_of(o, model);
  if (!body) return context.report(body.error());

  net::StreamRequest request;
  request.url = target;
  request.body = body->dump();
  request.expect_token_ids = body->value("return_token_ids", false);
  request.keep_raw = !o.raw.empty();
  const auto ms = [](double s) { return std::chrono::milliseconds(static_cast<std::int64_t>(s * 1e3)); };
  request.timeouts = {ms(o.connect_s), ms(o.idle_s), ms(o.total_s)};
  if (!o.key.empty()) request.headers.emplace_back("Authorization", "Bearer " + o.key);
  if (const auto ready = client.preconnect(target, 1); !ready) return context.report(ready.error());

  std::promise<StreamRecord> promise;
  auto future = promise.get_future();
  const auto id = client.stream(std::move(request), [&](net::RequestId, StreamRecord r) { promise.set_value(std::move(r)); });
  bool cancelled = false;
  while (future.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready)
    if (context.stop && !cancelled) {
      cancelled = true;
      client.cancel(id);
    }
  const StreamRecord record = future.get();
  if (!o.raw.empty())
    if (const auto written = write_file(o.raw, record.raw); !written) return context.report(written.error());
  OrderedJson j = stream_json(record, true);
  if (const auto prompt = body->find("prompt"); prompt != body->end() && prompt->is_array()) {
    const auto sent = static_cast<std::int64_t>(prompt->size());
    if (const auto length = analysis::prompt_length(sent, record.usage.prompt_tokens, std::nullopt); length.warning)
      j["warnings"].push_back(fmt::format("{} prompt tokens were sent, and the engine counted {} ({:+.1f} %): something is added to prompts, or they are tokenised anew",
                                          grouped(sent), grouped(*record.usage.prompt_tokens), length.off_percent));
  }
  j["url"] = target;
  j["model"] = model;
  if (context.json)
    context.print(j);
  else
    print_stream(context.out, j);
  return exit_of(record);
}

}  // namespace

/// `stream --url URL`: one request, all times, completeness.
void add_stream(CLI::App& app, Context& context) {
  auto o = std::make_shared<Options>();
  CLI::App* sub = add_command(app, context, "stream", "One streamed request: all its times, and how it ended", [&context, o] { return run(context, *o); });
  sub->add_option("--url", o->url, "Server, e.g. http://127.0.0.1:8000, or a full endpoint")->required();
  sub->add_option("--model", o->model, "Model name; default: the first one the server lists");
  auto* n = sub->add_option("--prompt-tokens", o->prompt_tokens, "Prompt of that many made-up token ids (default 64)")->check(CLI::Range(1, 10'000'000));
  auto* f = sub->add_option("--prompt-file", o->prompt_file, "JSON list of token ids, a whole request body, or text");
  auto* t = sub->add_option("--text", o->text, "Prompt as text");
  n->excludes(f)->excludes(t);
  f->excludes(t);
  sub->add_option("--max-tokens", o->max_tokens, "Output tokens (default 16)")->check(CLI::Range(1, 10'000'000));
  sub->add_option("--seed", o->seed, "Seed of the made-up prompt: another seed shares no start");
  sub->add_flag("--chat", o->chat, "Use the chat endpoint");
  sub->add_option("--idle", o->idle_s, "Limit on silence, seconds")->check(above_zero());
  sub->add_option("--total", o->total_s, "Limit on the whole request, seconds")->check(above_zero());
  sub->add_option("--connect", o->connect_s, "Limit on connecting, seconds")->check(above_zero());
  sub->add_option("--api-key", o->key, "Sent as a bearer token")->envname("OPENAI_API_KEY");
  sub->add_option("--raw", o->raw, "Keep the answer's body in this file");
}

}  // namespace kvcliff::cli
