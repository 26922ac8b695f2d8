// SPDX-License-Identifier: GPL-3.0-or-later
// How a stream ended: the rules of the command line's contract, in one place.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "wire/openai_stream.h"

namespace kvcliff::wire {
namespace {

/// The whole body of the request was not there, in the words of web frameworks. A single field that is missing is not it:
/// validation errors name a place, and that is the body alone only when all of it is missing.
bool says_body_missing(std::string_view text) {
  std::string words;  // lower case, one kind of quotes, without blanks
  for (const char c : text.substr(0, 16 * 1024)) {
    if (c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\\') continue;
    words += c == '"' ? '\'' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  for (const std::string_view part : {"body:fieldrequired", "'loc':['body']", "'loc':('body',)", "bodyismissing", "missingbody",
                                      "missingrequestbody", "emptybody", "emptyrequestbody", "bodyisempty", "bodyisrequired",
                                      "bodyrequired", "norequestbody"})
    if (words.find(part) != words.npos) return true;
  return false;
}

}  // namespace

void OpenAiStream::read_error_body(StreamRecord& record) {
  const ErrorText error = read_error_text(record.raw);
  record.error_message = error.message;
  record.error_code = error.code;
  const bool bad_request = record.http_status == 400 || record.http_status == 422;
  if (bad_request && says_body_missing(record.raw))
    record.warnings.push_back("The server saw no request body. A proxy or server that mishandles an upgrade offer drops "
                              "it; this client offers none, so look at what stands between");
}

void OpenAiStream::judge(StreamRecord& r, StreamEnd end, const std::string& detail) const {
  const bool finished = !choices_.empty() && std::all_of(choices_.begin(), choices_.end(), [](const Choice& c) { return c.finished; });
  const bool tokens = r.content_events > 0;
  r.transport_clean = end == StreamEnd::clean || (end == StreamEnd::unknown && (r.saw_done || finished));
  const std::string tail = detail.empty() ? std::string() : " (" + detail + ")";
  const auto set = [&](Outcome outcome, std::string why) {
    r.outcome = outcome;
    r.why = std::move(why);
  };

  if (end == StreamEnd::cancelled && !(r.saw_done && finished)) {
    set(Outcome::cancelled, "The user cancelled the request" + tail);
  } else if (error_event_) {
    set(Outcome::error, "The server sent an error inside the stream: " + r.error_message);
  } else if (r.http_status != 0 && (r.http_status < 200 || r.http_status > 299)) {
    set(Outcome::error, fmt::format("The server answered HTTP {}{}{}", r.http_status, r.error_message.empty() ? "" : ": ",
                                    r.error_message));
  } else if (end == StreamEnd::no_answer) {
    set(Outcome::error, detail.empty() ? "The server did not answer" : detail);
  } else if (body_is_error_ && json_body_) {
    set(Outcome::error, "The server answered with one JSON document, not with a stream of events");
  } else if (finished && failed_) {
    set(Outcome::error, "The server ended the answer with the finish reason \"error\"");
  } else if (finished) {
    set(Outcome::complete, {});
  } else if (end == StreamEnd::idle_timeout || end == StreamEnd::total_timeout) {
    set(Outcome::timeout, (end == StreamEnd::idle_timeout ? "idle: no byte came in time" : "total: the request took too long") + tail);
  } else if (r.saw_done || end == StreamEnd::clean) {
    if (tokens)
      set(Outcome::ended_without_reason, r.saw_done ? "The stream ended with [DONE] but no finish reason"
                                                    : "The stream ended cleanly without [DONE] and without a finish reason");
    else
      set(Outcome::error, "The stream ended without any token and without a finish reason");
  } else {
    set(Outcome::truncated, (tokens ? "The connection ended before the stream did" : "The connection ended before the first token") + tail);
  }

  const auto warn = [&](std::string text) { r.warnings.push_back(std::move(text)); };
  if (r.outcome == Outcome::complete) {
    if (!r.saw_done) warn("[DONE] is missing");
    if (end == StreamEnd::cut) warn("The connection was cut after the finish reason" + tail);
    if (end == StreamEnd::idle_timeout || end == StreamEnd::total_timeout)
      warn("The server kept the connection open after the finish reason");
  }
  if (odd_frames_ > 0) warn(fmt::format("{} events were JSON but no object; skipped", odd_frames_));
  if (repaired_ > 0) warn(fmt::format("{} events held bytes or numbers that JSON does not allow; shown as replacement marks", repaired_));
  if (r.parse_errors > 0) warn(fmt::format("{} events could not be read: {}", r.parse_errors, first_parse_error_));
  if (r.usage.conflicting) warn("Usage objects contradict each other; the last one is used");
  if (negative_cached_ > 0) warn("cached_tokens is negative: the server does not know it");
  if (after_done_) warn("Events came after [DONE]");
  if (options_.expect_token_ids && !r.ids_returned && tokens)
    warn("Token ids were asked for and did not come: tokens are told by their text");
  if (!body_is_error_ && parser_.pending_bytes() > 0 && end != StreamEnd::cancelled)
    warn(fmt::format("{} bytes of an unfinished event at the end were left out", parser_.pending_bytes()));
  if (!body_is_error_ && events_.empty() && body_bytes_ > 0 && r.outcome != Outcome::complete)
    warn("The answer holds no server-sent event");
}

}  // namespace kvcliff::wire
