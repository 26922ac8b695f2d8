// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/openai_stream.h"

#include <simdjson.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/text.h"
#include "wire/json_scratch.h"

namespace kvcliff::wire {

using simdjson::dom::element;
using simdjson::dom::object;

namespace {

constexpr std::size_t error_body_limit = 1 << 20;  // bytes of an error answer that are kept

std::optional<std::int64_t> integer(const element& e) {
  if (std::int64_t v = 0; e.get(v) == simdjson::SUCCESS) return v;
  double d = 0;
  if (e.get(d) == simdjson::SUCCESS && d > -9e15 && d < 9e15 && d == static_cast<double>(static_cast<std::int64_t>(d)))
    return static_cast<std::int64_t>(d);
  return std::nullopt;
}

std::string_view text_of(const element& e) {
  std::string_view s;
  return e.get(s) == simdjson::SUCCESS ? s : std::string_view();
}

const element& as_element(const void* p) { return *static_cast<const element*>(p); }

}  // namespace

struct OpenAiStream::Piece {
  bool has_choices = false;      // at least one choice
  bool has_usage = false;
  bool has_error = false;
  bool has_content = false;      // content text (not reasoning)
  bool has_generated = false;    // content, reasoning or tool call of any choice
  bool has_ids = false;          // a non-empty token_ids
  bool finished = false;         // a finish reason came with it
  std::uint32_t ids = 0;
  std::string_view text;         // content of choice 0, for the observer
  int choices = 0;
  bool odd = false;              // tool calls, several channels, another index, engine figures
  bool plain = false;            // one choice with index 0, text or reasoning and ids at most: fit to learn from
};

JsonScratch::JsonScratch() : impl_(std::make_unique<Impl>()) {}
JsonScratch::~JsonScratch() = default;

OpenAiStream::OpenAiStream(JsonScratch& scratch) : scratch_(scratch) {}

void OpenAiStream::begin(Options options) {
  options_ = options;
  parser_.reset();
  record_ = StreamRecord();
  events_.clear();
  ids_.clear();
  text_.clear();
  reasoning_.clear();
  raw_.clear();
  usage_frame_.clear();
  native_text_.clear();
  choices_.clear();
  template_.clear();
  first_parse_error_.clear();
  now_ = 0;
  body_bytes_ = 0;
  odd_frames_ = repaired_ = negative_cached_ = 0;
  body_is_error_ = json_body_ = after_done_ = error_event_ = failed_ = false;
}

void OpenAiStream::status(int code, std::string_view content_type) {
  record_.http_status = code;
  json_body_ = starts_with_ci(content_type, "application/json");
  body_is_error_ = code < 200 || code > 299 || json_body_;
}

void OpenAiStream::body(std::string_view bytes, MonoNs at) {
  if (bytes.empty()) return;
  now_ = at;
  if (record_.times.first_byte == 0) record_.times.first_byte = at;
  // Some servers label an event stream as JSON; a JSON document begins with a brace or bracket.
  if (json_body_ && body_bytes_ == 0 && record_.http_status >= 200 && record_.http_status <= 299) {
    const std::string_view start = trim(bytes);
    if (!start.starts_with('{') && !start.starts_with('[')) body_is_error_ = json_body_ = false;
  }
  body_bytes_ += bytes.size();
  if (body_is_error_) {
    raw_.append(bytes.substr(0, error_body_limit - std::min(error_body_limit, raw_.size())));
    return;
  }
  if (options_.keep_raw) raw_.append(bytes);
  parser_.push(bytes, *this);
}

void OpenAiStream::add(EventKind kind, std::uint32_t bytes, std::uint16_t tokens) {
  const StreamEvent& event = events_.emplace_back(StreamEvent{now_, bytes, kind, tokens});
  if (kind != EventKind::comment && record_.times.first_event == 0) record_.times.first_event = now_;
  if (options_.hooks) options_.hooks->on_event(event);
}

void OpenAiStream::on_comment(std::uint32_t bytes) { add(EventKind::comment, bytes, 0); }

void OpenAiStream::on_overlong(std::uint64_t bytes) {
  ++record_.parse_errors;
  if (first_parse_error_.empty()) first_parse_error_ = "an event of " + std::to_string(bytes) + " bytes is too long";
  add(EventKind::malformed, static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, UINT32_MAX)), 0);
}

/// An event that differs from the last token event only in its text and ids.
bool OpenAiStream::quick_token(const SseFrame& frame) {
  std::string_view text;
  const std::size_t before = ids_.size();
  if (!template_.match(frame.data, text, ids_)) return false;
  const std::size_t count = ids_.size() - before;
  if (count == 0 && (record_.ids_returned || text.empty())) {  // no token: the full reading decides what it is
    ids_.resize(before);
    return false;
  }
  if (count > 0) record_.ids_returned = true;
  const bool content = template_.channel() == EventTemplate::Channel::content;
  (content ? text_ : reasoning_).append(text);
  if (record_.times.first_token == 0) record_.times.first_token = now_;
  record_.times.last_token = now_;
  ++record_.content_events;
  if (content && !text.empty() && record_.times.first_content == 0) record_.times.first_content = now_;
  add(EventKind::token, frame.bytes, static_cast<std::uint16_t>(std::min<std::size_t>(count, UINT16_MAX)));
  if (options_.hooks && content && !text.empty()) options_.hooks->on_text(text);
  return true;
}

void OpenAiStream::on_frame(const SseFrame& frame) {
  if (template_.ready() && !record_.saw_done && frame.event.empty() && quick_token(frame)) return;
  if (trim(frame.data) == "[DONE]") {
    record_.saw_done = true;
    add(EventKind::done, frame.bytes, 0);
    return;
  }
  if (record_.saw_done) after_done_ = true;
  const int repaired_before = repaired_;
  element root;
  auto error = scratch_.impl_->parse(frame.data, root);
  if (error) {
    error = scratch_.impl_->parse(repair_json(frame.data), root);
    if (!error) ++repaired_;
  }
  if (frame.event == "error" && (error || !root.is_object())) {
    // The event's name says what it is; its data may be plain text or any JSON.
    if (error) read_error_words(frame.data);
    else read_error(&root);
    add(EventKind::error, frame.bytes, 0);
    return;
  }
  if (error) {
    ++record_.parse_errors;
    if (first_parse_error_.empty()) first_parse_error_ = simdjson::error_message(error);
    add(EventKind::malformed, frame.bytes, 0);
    return;
  }
  if (!root.is_object()) {
    ++odd_frames_;
    add(EventKind::other, frame.bytes, 0);
    return;
  }
  Piece piece;
  read_object(&root, piece);
  piece.plain = error == simdjson::SUCCESS && repaired_before == repaired_ && frame.event.empty() && piece.choices == 1 && !piece.odd &&
                !piece.finished && !piece.has_usage && !piece.has_error;
  if (frame.event == "error" && !piece.has_error) {
    read_error(&root);
    piece.has_error = true;
  }
  if (piece.ids > 0) record_.ids_returned = true;
  // Where ids come, they alone say what a token is: text may be held back (half a character) or be empty (end token).
  const bool token = record_.ids_returned ? piece.has_ids : piece.has_generated;
  EventKind kind = EventKind::other;
  if (piece.has_error) kind = EventKind::error;
  else if (token) kind = EventKind::token;
  else if (piece.finished) kind = EventKind::finish;
  else if (piece.has_choices) kind = EventKind::empty;
  else if (piece.has_usage) kind = EventKind::usage;
  if (kind == EventKind::token) {
    if (record_.times.first_token == 0) record_.times.first_token = now_;
    record_.times.last_token = now_;
    ++record_.content_events;
  }
  if (piece.has_usage) usage_frame_.assign(frame.data);
  if (piece.has_content && record_.times.first_content == 0) record_.times.first_content = now_;
  add(kind, frame.bytes, static_cast<std::uint16_t>(std::min<std::uint32_t>(piece.ids, UINT16_MAX)));
  if (options_.hooks && !piece.text.empty()) options_.hooks->on_text(piece.text);
  if (kind == EventKind::token && piece.plain) template_.learn(frame.data);
}

void OpenAiStream::read_object(const void* p, Piece& piece) {
  object fields;
  if (as_element(p).get(fields) != simdjson::SUCCESS) return;
  bool error_object = false, like_error = false;
  for (const auto [key, value] : fields) {
    if (value.is_null()) continue;
    if (key == "choices") {
      simdjson::dom::array list;
      if (value.get(list) != simdjson::SUCCESS) continue;
      for (const element choice : list) read_choice(&choice, piece);
    } else if (key == "usage") {
      if (!value.is_object()) continue;
      piece.has_usage = true;
      read_usage(&value);
    } else if (key == "error") {
      like_error = true;
      if (says_nothing(&value)) continue;  // beside the choices of an answer that goes well
      read_error(value.is_bool() ? p : &value);
      piece.has_error = true;
    } else if (key == "object") {
      error_object = text_of(value) == "error";
    } else if (key == "message" || key == "detail" || key == "errors") {
      like_error = true;
    } else if (key == "id") {
      if (record_.request_id.empty()) record_.request_id = text_of(value);
    } else if (key == "metrics" || key == "timings") {
      piece.odd = true;
      object numbers;
      if (value.get(numbers) != simdjson::SUCCESS) continue;
      for (const auto [name, number] : numbers)
        if (double d = 0; number.get(d) == simdjson::SUCCESS) record_.engine_timings[std::string(name)] = d;
    } else if (key == "sglext") {
      element details;
      if (value["cached_tokens_details"].get(details) == simdjson::SUCCESS) read_tiers(&details, record_.usage);
    } else if (key == "text" && value.is_string()) {
      // SGLang's /generate: the text so far, not the new part.
      piece.odd = true;
      const std::string_view all = text_of(value);
      piece.has_choices = true;
      if (choices_.empty()) choices_.push_back({0, false});
      if (all.size() > native_text_.size() && all.starts_with(native_text_)) {
        text_.append(all.substr(native_text_.size()));
        piece.text = all.substr(native_text_.size());
        piece.has_content = piece.has_generated = true;
      }
      native_text_.assign(all);
    } else if (key == "meta_info") {
      read_meta(&value);
      piece.has_usage |= value.is_object();
      if (!choices_.empty() && choices_[0].finished) piece.finished = true;
    }
  }
  // Errors without a wrapper, seen in old servers, in proxies and web frameworks, hold no part of an answer.
  const bool alone = !piece.has_choices && !piece.has_usage;
  if (!piece.has_error && (error_object || (like_error && alone && is_bare_error(p)))) {
    read_error(p);
    piece.has_error = true;
  }
}

void OpenAiStream::read_choice(const void* p, Piece& piece) {
  object fields;
  if (as_element(p).get(fields) != simdjson::SUCCESS) return;
  piece.has_choices = true;
  ++piece.choices;
  std::int64_t index = 0;
  bool finished = false;
  std::string_view content, reasoning, reason;
  std::uint32_t ids = 0;
  bool tool = false;
  simdjson::dom::array id_list;
  for (const auto [key, value] : fields) {
    if (value.is_null()) continue;
    if (key == "index") {
      index = integer(value).value_or(0);
    } else if (key == "text") {
      content = text_of(value);
    } else if (key == "delta" || key == "message") {
      object delta;
      if (value.get(delta) != simdjson::SUCCESS) continue;
      for (const auto [name, part] : delta) {
        if (part.is_null()) continue;
        if (name == "content") {
          content = text_of(part);
        } else if (name == "reasoning_content" || name == "reasoning") {
          if (reasoning.empty()) reasoning = text_of(part);  // servers that send both send the same text twice
        } else if (name == "tool_calls") {
          simdjson::dom::array calls;
          if (part.get(calls) == simdjson::SUCCESS && calls.size() > 0) tool = true;
        } else if (name == "function_call" && part.is_object()) {
          tool = true;
        } else if (name == "refusal") {
          if (content.empty()) content = text_of(part);
        }
      }
    } else if (key == "token_ids") {
      if (value.get(id_list) == simdjson::SUCCESS) ids = static_cast<std::uint32_t>(id_list.size());
    } else if (key == "finish_reason") {
      reason = text_of(value);
      finished = true;
      failed_ |= reason == "error";
    }
  }
  auto known = std::find_if(choices_.begin(), choices_.end(), [&](const Choice& c) { return c.index == index; });
  if (known == choices_.end()) known = choices_.insert(known, Choice{index, false});
  known->finished |= finished;
  piece.finished |= finished;
  piece.has_content |= !content.empty();
  piece.has_generated |= tool || !content.empty() || !reasoning.empty();
  piece.has_ids |= ids > 0;
  piece.ids += ids;
  piece.odd |= tool || index != 0 || (!content.empty() && !reasoning.empty());
  if (index != 0) return;
  text_.append(content);
  reasoning_.append(reasoning);
  if (piece.text.empty()) piece.text = content;
  if (finished) record_.finish_reason = reason;
  if (ids > 0)
    for (const element id : id_list)
      ids_.push_back(static_cast<std::int32_t>(integer(id).value_or(-1)));
}

StreamRecord OpenAiStream::finish(StreamEnd end, MonoNs at, const std::string& detail) {
  if (!body_is_error_ && parser_.finish(end != StreamEnd::cut, *this))
    warn("The last event had no blank line after it");
  StreamRecord out = std::move(record_);
  record_ = StreamRecord();
  out.times.end = at;
  out.events.assign(events_.begin(), events_.end());
  out.token_ids.assign(ids_.begin(), ids_.end());
  out.text = text_;
  out.reasoning_text = reasoning_;
  if (!usage_frame_.empty()) out.usage.raw = usage_text();
  if (options_.keep_raw || body_is_error_) out.raw = raw_;
  if (body_is_error_) read_error_body(out);
  judge(out, end, detail);
  return out;
}

}  // namespace kvcliff::wire
