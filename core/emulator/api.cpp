// SPDX-License-Identifier: GPL-3.0-or-later
// Requests as vLLM validates them; the texts follow the answers of a live 0.32.0.
#include "emulator/api.h"

#include <algorithm>

#include "emulator/text.h"

namespace kvcliff::emulator {

ApiError api_error(int status, const std::string& message, const std::string& type, const std::string& param) {
  OrderedJson error{{"message", message}, {"type", type}, {"param", param.empty() ? OrderedJson(nullptr) : OrderedJson(param)}, {"code", status}};
  return {status, OrderedJson{{"error", error}}.dump(-1, ' ', false, OrderedJson::error_handler_t::replace)};
}

namespace {

ApiError bad(const std::string& message, const std::string& param) { return api_error(400, message, "BadRequestError", param); }
ApiError bad_type(const std::string& field, const std::string& kind, const std::string& message, const Json& value) {
  std::string shown = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (shown.size() > 100) shown = shown.substr(0, 100) + "...";
  return api_error(400, "1 validation error:\n  {'type': '" + kind + "', 'loc': ('body', '" + field + "'), 'msg': '" + message + "', 'input': " + shown + "}",
                   "Bad Request", field);
}

// The words of Python's decoder for the same place.
ApiError bad_json(std::string_view body, std::size_t byte) {
  const std::size_t at = byte > 0 ? byte - 1 : 0;
  std::size_t before = std::min(at, body.size());
  while (before > 0 && (body[before - 1] == ' ' || body[before - 1] == '\n' || body[before - 1] == '\t')) --before;
  const bool name = before > 0 && body[before - 1] == '{';
  return api_error(400, "1 validation error:\n  {'type': 'json_invalid', 'loc': 'body." + std::to_string(at) +
                            "', 'msg': 'JSON decode error', 'input': '<dict of 0 items>', 'ctx': {'error': '" +
                            (name ? "Expecting property name enclosed in double quotes" : "Expecting value") + "'}}",
                   "Bad Request", "body." + std::to_string(at));
}

std::optional<ApiError> take_ids(const Json& array, std::vector<std::int32_t>& out, std::int64_t vocabulary) {
  out.reserve(array.size());
  for (const auto& v : array) {
    if (!v.is_number_integer()) return bad_type("prompt", "int_type", "Input should be a valid integer", v);
    const auto id = v.get<std::int64_t>();
    if (id < 0 || id >= vocabulary) return bad("Token id " + v.dump() + " is out of vocabulary", "");
    out.push_back(static_cast<std::int32_t>(id));
  }
  return std::nullopt;
}

std::optional<ApiError> take_prompt(const Json& json, ApiRequest& out, const Setup& setup) {
  const auto at = json.find("prompt");
  if (at == json.end() || at->is_null())
    return bad("Either prompt or prompt_embeds must be provided and non-empty. (parameter=prompt)", "prompt");
  const Json* prompt = &*at;
  if (prompt->is_array() && prompt->empty()) return bad("You must pass at least one prompt", "");
  if (prompt->is_array() && (prompt->front().is_string() || prompt->front().is_array())) {
    if (prompt->size() > 1) return bad("This simulated server takes one prompt per request. (parameter=prompt)", "prompt");
    prompt = &prompt->front();
  }
  if (prompt->is_string()) {
    out.prompt = tokenize(prompt->get_ref<const std::string&>());
  } else if (prompt->is_array()) {
    if (auto e = take_ids(*prompt, out.prompt, setup.vocabulary)) return e;
  } else {
    return bad_type("prompt", "string_type", "Input should be a valid string", *prompt);
  }
  if (out.prompt.empty()) return bad("You must pass at least one prompt", "");
  return std::nullopt;
}

std::optional<ApiError> take_messages(const Json& json, ApiRequest& out) {
  const auto at = json.find("messages");
  if (at == json.end()) return bad_type("messages", "missing", "Field required", json.size() > 3 ? Json("...") : json);
  if (!at->is_array() || at->empty()) return bad_type("messages", "list_type", "Input should be a valid list", *at);
  std::string text;
  for (const auto& m : *at) {
    if (!m.is_object() || !m.contains("role") || !m["role"].is_string())
      return bad_type("messages", "model_type", "Input should be an object with a role", m);
    text += m["role"].get<std::string>() + ":\n";
    const Json content = m.value("content", Json(nullptr));
    if (content.is_string()) text += content.get<std::string>();
    else if (content.is_array())
      for (const auto& part : content)
        if (part.is_object() && part.contains("text") && part["text"].is_string()) text += part["text"].get<std::string>();
    text += "\n";
  }
  out.prompt = tokenize(text + "assistant:\n");
  return std::nullopt;
}

}  // namespace

std::variant<ApiRequest, ApiError> parse_request(std::string_view body, bool chat, const Options& options, const Setup& setup) {
  Json json;
  try {
    json = Json::parse(body);
  } catch (const Json::parse_error& e) {
    return bad_json(body, e.byte);
  }
  if (!json.is_object()) return bad_type("body", "model_attributes_type", "Input should be a valid dictionary", json);
  ApiRequest out;
  out.chat = chat;
  const auto present = [&](const char* key) { return json.contains(key) && !json[key].is_null(); };
  for (const char* key : {"stream", "return_token_ids", "echo", "ignore_eos"})
    if (present(key) && !json[key].is_boolean()) return bad_type(key, "bool_parsing", "Input should be a valid boolean", json[key]);
  if (present("stream")) out.stream = json["stream"].get<bool>();
  if (present("return_token_ids")) out.return_token_ids = json["return_token_ids"].get<bool>();
  if (present("stream_options")) {
    const Json& s = json["stream_options"];
    if (!out.stream) return bad("Stream options can only be defined when `stream=True`. (parameter=stream_options)", "stream_options");
    if (!s.is_object()) return bad_type("stream_options", "model_type", "Input should be a valid dictionary", s);
    out.include_usage = s.contains("include_usage") && s["include_usage"] == true;
    out.continuous_usage = out.include_usage && s.contains("continuous_usage_stats") && s["continuous_usage_stats"] == true;
  }
  if (options.force_include_usage) {
    out.include_usage = true;
    out.continuous_usage = out.continuous_usage || options.generation.continuous_usage_forced();
  }
  if (present("model")) {
    if (!json["model"].is_string()) return bad_type("model", "string_type", "Input should be a valid string", json["model"]);
    const std::string model = json["model"].get<std::string>();
    if (std::find(options.served_names.begin(), options.served_names.end(), model) == options.served_names.end()) {
      std::string names;
      for (const auto& n : options.served_names) names += (names.empty() ? "" : ", ") + n;
      return api_error(404, "The model `" + model + "` does not exist. Valid aliases: " + names + ".", "NotFoundError", "model");
    }
  }
  if (present("n") && json["n"] != 1) return bad("This simulated server answers n=1 only. (parameter=n)", "n");
  if (present("cache_salt")) {
    if (!json["cache_salt"].is_string() || json["cache_salt"].get_ref<const std::string&>().empty())
      return bad("Parameter 'cache_salt' must be a non-empty string if provided. (parameter=cache_salt)", "cache_salt");
    out.salt = json["cache_salt"].get<std::string>();
  }
  out.prompt_logprobs = present("prompt_logprobs");
  const char* limit = chat && present("max_completion_tokens") ? "max_completion_tokens" : "max_tokens";
  std::optional<std::int64_t> max_tokens;
  if (present(limit)) {
    if (!json[limit].is_number_integer()) return bad_type(limit, "int_type", "Input should be a valid integer", json[limit]);
    max_tokens = json[limit].get<std::int64_t>();
    if (*max_tokens < 1)
      return bad(fmt::format("max_tokens must be at least 1, got {}. (parameter=max_tokens, value={})", *max_tokens, *max_tokens), "max_tokens");
  }
  if (auto e = chat ? take_messages(json, out) : take_prompt(json, out, setup)) return *e;
  const auto n = static_cast<std::int64_t>(out.prompt.size());
  if (n > setup.max_model_len)
    return bad(fmt::format("This model's maximum context length is {} tokens. However, your prompt contains at least {} input tokens, which exceeds this "
                           "limit even without any output tokens. Please reduce the length of the input prompt. (parameter=input_tokens, value={})",
                           setup.max_model_len, setup.max_model_len + 1, setup.max_model_len + 1),
               "input_tokens");
  // What does not fit behind the prompt is cut off without a word.
  const std::int64_t room = std::max<std::int64_t>(1, setup.max_model_len - n);
  out.max_tokens = std::min(max_tokens.value_or(chat ? room : 16), room);
  return out;
}

// ---- answers --------------------------------------------------------------------------------------------------

Answer::Answer(const Options& options, const Setup& setup, const ApiRequest& request, std::string id, std::int64_t created)
    : options_(options), setup_(setup), request_(request), id_((request.chat ? "chatcmpl-" : "cmpl-") + std::move(id)), created_(created) {
  model_ = Json(options.served_names.front()).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string Answer::head() const {
  return fmt::format(R"(data: {{"id":{},"object":"{}","created":{},"model":{},"choices":[)", Json(id_).dump(-1, ' ', false, Json::error_handler_t::replace),
                     request_.chat ? "chat.completion.chunk" : "text_completion", created_, model_);
}
std::string Answer::tail() const {
  return options_.generation.fingerprint() ? fmt::format(R"(,"system_fingerprint":"vllm-{}-simulated")", options_.generation.version) : "";
}

namespace {
std::string id_list(const std::vector<std::int32_t>& ids, std::size_t count) {
  std::string out = "[";
  for (std::size_t i = 0; i < count; ++i) {
    if (i) out += ',';
    out += std::to_string(ids[i]);
  }
  return out + "]";
}
}  // namespace

std::string Answer::usage(const Job& job, bool last, bool whole_body, std::int64_t extra_prompt) const {
  const std::int64_t prompt = job.prompt + extra_prompt;
  std::string out = fmt::format(R"({{"prompt_tokens":{},"total_tokens":{},"completion_tokens":{})", prompt, prompt + job.output(), job.output());
  const bool missing = options_.lies.on(Lie::cached_missing, job.ordinal);
  const std::int64_t cached = options_.lies.on(Lie::cached_zero, job.ordinal) ? 0 : job.cached;
  const Generation& g = options_.generation;
  const bool details = last && options_.prompt_tokens_details && !missing && (cached > 0 || g.details_at_zero());
  if (details) {
    out += fmt::format(R"(,"prompt_tokens_details":{{"cached_tokens":{})", cached);
    if (g.minor >= 32 && whole_body) out += R"(,"created_cache_tokens":null,"multimodal_tokens":null)";
    else if (g.minor >= 32 && request_.chat)
      out += fmt::format(R"(,"created_cache_tokens":{})", std::max<std::int64_t>(0, job.prompt / setup_.cache.block_size * setup_.cache.block_size - cached));
    out += "}";
  } else if (whole_body) {
    out += R"(,"prompt_tokens_details":null)";
  }
  if (whole_body && g.minor >= 32) out += R"(,"completion_tokens_details":null)";
  return out + "}";
}

std::string Answer::role_event() const {
  const std::string ids = request_.return_token_ids ? id_list(request_.prompt, request_.prompt.size()) : "null";
  return head() + R"({"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}],"prompt_token_ids":)" + ids +
         (options_.generation.minor >= 32 ? R"(,"prompt_text":null)" : "") + "}\n\n";
}

std::string Answer::token_event(const Job::Delta& delta, const Job& job, bool first) const {
  std::string text;
  for (const auto id : delta.ids) text += detokenize(id);
  const std::string reason = delta.finish.empty() ? "null" : "\"" + delta.finish + "\"";
  const std::string ids = request_.return_token_ids ? id_list(delta.ids, delta.ids.size()) : "null";
  std::string out = head();
  if (request_.chat) {
    out += fmt::format(R"({{"index":0,"delta":{{"content":"{}"}},"logprobs":null,"finish_reason":{},{}"token_ids":{}}}])", text, reason,
                       delta.finish.empty() ? "" : "\"stop_reason\":null,", ids);
  } else {
    const std::string prompt = first && request_.return_token_ids ? id_list(job.tokens, std::size_t(job.prompt)) : "null";
    out += fmt::format(R"({{"index":0,"text":"{}","logprobs":null,"finish_reason":{},"stop_reason":null,"prompt_token_ids":{},"token_ids":{}}}])", text, reason,
                       prompt, ids);
  }
  if (request_.continuous_usage) out += ",\"usage\":" + usage(job, false, false, 0);
  if (!request_.include_usage && !delta.finish.empty()) out += tail();
  return out + "}\n\n";
}

std::string Answer::empty_event() const {
  if (request_.chat) return head() + R"({"index":0,"delta":{"content":""},"logprobs":null,"finish_reason":null,"token_ids":null}]})" + "\n\n";
  return head() + R"({"index":0,"text":"","logprobs":null,"finish_reason":null,"stop_reason":null,"prompt_token_ids":null,"token_ids":null}]})" + "\n\n";
}

std::string Answer::usage_event(const Job& job, std::int64_t extra_prompt) const {
  if (!request_.include_usage) return "";
  std::string out = head() + "],\"usage\":" + usage(job, true, false, extra_prompt) + tail();
  if (options_.per_request_metrics) {
    const double ttft = (job.first - job.scheduled) * 1e3, generation = (job.last - job.first) * 1e3;
    out += fmt::format(R"(,"metrics":{{"time_to_first_token_ms":{},"generation_time_ms":{},"queue_time_ms":{},"mean_itl_ms":{},"tokens_per_second":{}}})", ttft,
                       generation, (job.scheduled - job.arrived) * 1e3, job.output() > 1 ? generation / double(job.output() - 1) : 0.0,
                       double(job.output()) / std::max(1e-9, job.last - job.scheduled));
  }
  return out + "}\n\n";
}

std::string Answer::body(const Job& job, const std::string& text, const std::vector<std::int32_t>& ids, const std::string& finish) const {
  OrderedJson choice{{"index", 0}};
  if (request_.chat) choice["message"] = OrderedJson{{"role", "assistant"}, {"content", text}, {"refusal", nullptr}};
  else choice["text"] = text;
  choice["logprobs"] = nullptr;
  choice["finish_reason"] = finish;
  choice["stop_reason"] = nullptr;
  choice["token_ids"] = request_.return_token_ids ? OrderedJson(ids) : OrderedJson(nullptr);
  if (!request_.chat) {
    choice["prompt_logprobs"] = nullptr;
    choice["prompt_token_ids"] = request_.return_token_ids ? OrderedJson(request_.prompt) : OrderedJson(nullptr);
  }
  OrderedJson out{{"id", id_}, {"object", request_.chat ? "chat.completion" : "text_completion"}, {"created", created_}, {"model", options_.served_names.front()},
                  {"choices", OrderedJson::array({choice})}, {"service_tier", nullptr}};
  if (options_.generation.fingerprint()) out["system_fingerprint"] = "vllm-" + options_.generation.version + "-simulated";
  out["usage"] = OrderedJson::parse(usage(job, true, true, 0));
  if (request_.chat) out["prompt_token_ids"] = request_.return_token_ids ? OrderedJson(request_.prompt) : OrderedJson(nullptr);
  out["kv_transfer_params"] = nullptr;
  return out.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

std::string Answer::dead_event() {
  return R"(data: {"error": {"message": "EngineCore encountered an issue. See stack trace (above) for the root cause.", "type": "InternalServerError", "param": null, "code": 500}})"
         "\n\n";
}

std::string models_body(const Options& options, const Setup& setup, std::int64_t created) {
  OrderedJson data = OrderedJson::array();
  for (const auto& name : options.served_names)
    data.push_back(OrderedJson{{"id", name}, {"object", "model"}, {"created", created}, {"owned_by", "vllm"}, {"root", options.model}, {"parent", nullptr},
                               {"max_model_len", setup.max_model_len}, {"permission", OrderedJson::array()}});
  return OrderedJson{{"object", "list"}, {"data", data}}.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

std::string server_info_body(const Options& options, const Setup& setup) {
  const std::string config = fmt::format("model='{}', max_seq_len={}, load_format={}, tensor_parallel_size={}, enforce_eager={}, kv_cache_dtype={}, device_config=simulated, seed={}, enable_prefix_caching={}",
                                         options.model, setup.max_model_len, options.load_format, options.tensor_parallel, options.enforce_eager ? "True" : "False",
                                         options.kv_cache_dtype, options.seed, options.prefix_caching ? "True" : "False");
  return OrderedJson{{"vllm_config", config}, {"simulated", true}}.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

}  // namespace kvcliff::emulator
