// SPDX-License-Identifier: GPL-3.0-or-later
// Usage objects, error objects and the parts of the record that only some engines send.
#include <fmt/format.h>
#include <simdjson.h>

#include <limits>

#include "base/text.h"
#include "wire/json_scratch.h"
#include "wire/openai_stream.h"

namespace kvcliff::wire {

using simdjson::dom::element;
using simdjson::dom::object;

namespace {

const element& as_element(const void* p) { return *static_cast<const element*>(p); }

std::optional<std::int64_t> integer(const element& e) {
  if (std::int64_t v = 0; e.get(v) == simdjson::SUCCESS) return v;
  double d = 0;
  if (e.get(d) == simdjson::SUCCESS && d > -9e15 && d < 9e15 && d == static_cast<double>(static_cast<std::int64_t>(d)))
    return static_cast<std::int64_t>(d);
  return std::nullopt;
}

std::optional<std::int64_t> count(const element& parent, const char* key) {
  element value;
  if (parent[key].get(value) != simdjson::SUCCESS) return std::nullopt;
  return integer(value);
}

std::string text_or_json(const element& e) {
  std::string_view s;
  if (e.get(s) == simdjson::SUCCESS) return std::string(s);
  return e.is_null() ? std::string() : std::string(simdjson::minify(e));
}

/// Message and code of an error object in any of its shapes.
void error_fields(const element& e, std::string& message, int& code) {
  if (e.is_string()) {
    message = text_or_json(e);
    return;
  }
  if (simdjson::dom::array list; e.get(list) == simdjson::SUCCESS && list.size() > 0) {
    error_fields(*list.begin(), message, code);  // the first of several names the cause
    return;
  }
  element value;
  for (const char* key : {"message", "detail", "error", "errors", "msg"}) {
    if (e[key].get(value) != simdjson::SUCCESS || value.is_null()) continue;
    if ((value.is_object() || value.is_array()) && std::string_view(key).starts_with("error")) {
      error_fields(value, message, code);
      return;
    }
    message = text_or_json(value);
    break;
  }
  if (message.empty()) message = simdjson::minify(e);
  for (const char* key : {"code", "status_code", "status"}) {
    if (e[key].get(value) != simdjson::SUCCESS) continue;
    if (const auto n = integer(value)) {
      code = static_cast<int>(*n);
      return;
    }
    if (std::string_view s; value.get(s) == simdjson::SUCCESS)
      if (const auto n = parse_int(s)) {
        code = static_cast<int>(*n);
        return;
      }
  }
}

/// A later usage object may repeat or raise counts; anything else is a contradiction.
void merge(std::optional<std::int64_t>& held, std::optional<std::int64_t> now, bool may_grow, bool& conflict) {
  if (!now) return;
  if (held && (*now < *held || (!may_grow && *now != *held))) conflict = true;
  held = now;
}

}  // namespace

void OpenAiStream::read_tiers(const void* p, Usage& usage) {
  object tiers;
  if (as_element(p).get(tiers) != simdjson::SUCCESS) return;
  for (const auto [name, value] : tiers)
    if (const auto n = integer(value); n && *n >= 0) usage.cached_by_tier[std::string(name)] = *n;
}

void OpenAiStream::read_usage(const void* p) {
  const element& e = as_element(p);
  Usage& u = record_.usage;
  ++u.blocks;
  merge(u.prompt_tokens, count(e, "prompt_tokens"), false, u.conflicting);
  merge(u.completion_tokens, count(e, "completion_tokens"), true, u.conflicting);
  merge(u.total_tokens, count(e, "total_tokens"), true, u.conflicting);
  element details;
  if (e["prompt_tokens_details"].get(details) == simdjson::SUCCESS && details.is_object()) {
    u.details_seen = true;
    if (auto cached = count(details, "cached_tokens")) {
      // Some servers say -1 for "not known".
      if (*cached < 0)
        ++negative_cached_;
      else
        merge(u.cached_tokens, cached, false, u.conflicting);
    }
  }
  if (e["cached_tokens_details"].get(details) == simdjson::SUCCESS) read_tiers(&details, u);
}

std::string OpenAiStream::usage_text() {
  element root, value;
  if (scratch_.impl_->parse(usage_frame_, root) && scratch_.impl_->parse(repair_json(usage_frame_), root)) return {};
  if (root["usage"].get(value) != simdjson::SUCCESS || !value.is_object())
    if (root["meta_info"].get(value) != simdjson::SUCCESS) return {};
  return simdjson::minify(value);
}

void OpenAiStream::read_meta(const void* p) {
  const element& e = as_element(p);
  Usage& u = record_.usage;
  element value;
  if (record_.request_id.empty() && e["id"].get(value) == simdjson::SUCCESS) record_.request_id = text_or_json(value);
  if (const auto n = count(e, "prompt_tokens")) {
    ++u.blocks;
    merge(u.prompt_tokens, n, false, u.conflicting);
    merge(u.completion_tokens, count(e, "completion_tokens"), true, u.conflicting);
    if (const auto cached = count(e, "cached_tokens"); cached && *cached >= 0) {
      u.details_seen = true;
      merge(u.cached_tokens, cached, false, u.conflicting);
    }
  }
  if (e["cached_tokens_details"].get(value) == simdjson::SUCCESS) read_tiers(&value, u);
  if (e["finish_reason"].get(value) == simdjson::SUCCESS && !value.is_null()) {
    if (choices_.empty()) choices_.push_back({0, false});
    choices_[0].finished = true;
    element type;
    record_.finish_reason = value.is_object() && value["type"].get(type) == simdjson::SUCCESS ? text_or_json(type)
                                                                                             : text_or_json(value);
  }
}

void OpenAiStream::read_error(const void* p) {
  if (error_event_) return;  // the first error names the cause
  error_event_ = true;
  error_fields(as_element(p), record_.error_message, record_.error_code);
}

void OpenAiStream::read_error_words(std::string_view text) {
  if (error_event_) return;
  error_event_ = true;
  record_.error_message = to_valid_utf8(trim(text));
}

bool OpenAiStream::says_nothing(const void* p) {
  const element& e = as_element(p);
  if (bool b = false; e.get(b) == simdjson::SUCCESS) return !b;
  if (std::string_view s; e.get(s) == simdjson::SUCCESS) return trim(s).empty();
  if (double d = 0; e.get(d) == simdjson::SUCCESS) return d == 0;
  if (object fields; e.get(fields) == simdjson::SUCCESS) {
    for (const auto [key, value] : fields)
      if (!says_nothing(&value)) return false;
    return true;
  }
  if (simdjson::dom::array list; e.get(list) == simdjson::SUCCESS) {
    for (const element value : list)
      if (!says_nothing(&value)) return false;
    return true;
  }
  return true;
}

bool OpenAiStream::is_bare_error(const void* p) {
  const element& e = as_element(p);
  element value;
  if (e["choices"].get(value) != simdjson::SUCCESS || !value.is_array()) {  // an empty list still is an answer's
    if (e["error"].get(value) == simdjson::SUCCESS && (value.is_string() || value.is_object() || value.is_array())) return true;
    for (const char* key : {"detail", "errors"})
      if (e[key].get(value) == simdjson::SUCCESS && !says_nothing(&value)) return true;
  }
  if (e["message"].get(value) != simdjson::SUCCESS || !value.is_string()) return false;
  if (e["code"].get(value) == simdjson::SUCCESS || e["param"].get(value) == simdjson::SUCCESS) return true;
  std::string_view type;
  return e["type"].get(type) == simdjson::SUCCESS && (type.find("rror") != type.npos || type.find("xception") != type.npos);
}

ErrorText read_error_text(std::string_view body) {
  ErrorText out;
  const std::string_view text = trim(body);
  simdjson::dom::parser parser;
  element root;
  if (!text.empty() && parser.parse(simdjson::padded_string(text)).get(root) == simdjson::SUCCESS) {
    out.valid_json = true;
    if (root.is_object() || root.is_string()) {
      error_fields(root, out.message, out.code);
      return out;
    }
  }
  out.message = to_valid_utf8(text);
  return out;
}

std::string repair_json(std::string_view text) {
  const std::string valid = to_valid_utf8(text);
  std::string out;
  out.reserve(valid.size() + 16);
  const auto surrogate = [&](std::size_t i) -> int {  // 0 none, 1 high, 2 low: an escape \uXXXX at i
    if (valid.compare(i, 2, "\\u") != 0 || i + 6 > valid.size()) return 0;
    const char d = static_cast<char>(valid[i + 2] | 0x20), c = static_cast<char>(valid[i + 3] | 0x20);
    if (d != 'd') return 0;
    return (c == '8' || c == '9' || c == 'a' || c == 'b') ? 1 : (c >= 'c' && c <= 'f') ? 2 : 0;
  };
  bool quoted = false;
  for (std::size_t i = 0; i < valid.size(); ++i) {
    const std::string_view rest = std::string_view(valid).substr(i);
    if (quoted && valid[i] == '\\') {
      const int kind = surrogate(i);
      if (kind == 1 && i + 6 < valid.size() && surrogate(i + 6) == 2) {
        out.append(rest.substr(0, 12));
        i += 11;
      } else if (kind != 0) {
        out += "\\ufffd";
        i += 5;
      } else {
        out.append(rest.substr(0, 2));
        ++i;
      }
      continue;
    }
    if (valid[i] == '"') quoted = !quoted;
    if (!quoted) {
      std::size_t skip = 0;
      for (const std::string_view word : {std::string_view("NaN"), std::string_view("Infinity"), std::string_view("-Infinity")})
        if (rest.starts_with(word)) skip = word.size();
      if (skip > 0) {
        out += "null";
        i += skip - 1;
        continue;
      }
    }
    out += valid[i];
  }
  return out;
}

}  // namespace kvcliff::wire
