// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/vllm/failure.h"

#include <algorithm>

#include "base/text.h"
#include "engine/vllm/log_head.h"
#include "wire/log_lines.h"

namespace kvcliff::engine::vllm {
namespace {

/// Ways to go of a program that was told to.
bool asked_to_end(std::string_view text) {
  return contains(text, "CancelledError") || contains(text, "KeyboardInterrupt") || contains(text, "SystemExit");
}

/// A program catches what this announces and goes on: the trace below it is no reason of an end.
bool announces_caught(std::string_view text) {
  return contains(text, "Exception in ASGI application") || contains(text, "exception was never retrieved") ||
         contains(text, "Exception ignored in");
}

/// The front end takes requests: it has started, or it answers one.
bool serves(std::string_view text) {
  return contains(text, "Application startup complete") || (contains(text, " HTTP/1.") && contains(text, " /v1/") && contains(text, "\" 200"));
}

constexpr std::size_t most_message = 600;  // bytes of a message that goes on over several lines

/// Exceptions that only point to another one.
bool generic(std::string_view text) {
  for (const std::string_view part :
       {"Engine core initialization failed", "EngineCore encountered an issue", "WorkerProc initialization failed",
        "EngineDeadError", "please check the stack trace above for the root cause"})
    if (contains(text, part)) return true;
  return asked_to_end(text);
}

/// Shutdown was asked for: what the engine logs after this is its way to go.
bool begins_shutdown(std::string_view text) {
  return contains(text, "[shutdown] API server: shutdown triggered") || contains(text, "trigger received signal=") ||
         contains(text, "INFO:     Shutting down") || contains(text, "Received SIGTERM") ||
         (contains(text, "Shutting down") && text.size() < 40);
}

struct Candidate {
  std::size_t line = 0;
  std::string text;
};

class Search {
 public:
  explicit Search(const std::vector<LogLine>& log) {
    for (std::size_t i = 0; i < log.size(); ++i) {
      texts_.push_back(log[i].text.find('\x1b') == std::string::npos ? log[i].text : wire::without_ansi(log[i].text));
    }
  }

  std::optional<FailureCause> run() {
    bool shutting_down = false;
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      const LogHead head = split_log_line(texts_[i]);
      const auto text = trim(head.text);
      if (begins_shutdown(head.text)) shutting_down = true;
      if (shutting_down) continue;
      if (serves(text)) {
        serving_ = true;
        front_.clear();  // whatever it told before, it did not die of it
      }
      look_at(i, head, text);
    }
    return choose();
  }

 private:
  void look_at(std::size_t i, const LogHead& head, std::string_view text) {
    // Words outside of a trace that name a cause by themselves.
    const bool told = contains(text, "vllm: error:") || contains(text, "error: unrecognized arguments") ||
                      contains(text, "error: argument -") || contains(text, "Counters can only be incremented") ||
                      contains(text, "engine core exited unexpectedly") || contains(text, "died unexpectedly") ||
                      contains(text, "Bus error") || contains(text, "Fatal Python error");
    if (told) {
      named_.push_back({i, std::string(text)});
      return;
    }
    if (head.engine_side()) {
      if (head.level == "ERROR" || head.level == "CRITICAL") {
        if (!first_error_) first_error_ = i;
        in_error_ = true;
      } else if (!head.level.empty()) {
        in_error_ = false;
      }
      if (in_error_ && is_exception_line(head.text)) engine_.push_back({i, message_at(i, head)});
      return;
    }
    if (announces_caught(text))
      caught_ = true;
    else if (!head.level.empty())
      caught_ = false;
    const bool error = head.level == "ERROR" || head.level == "CRITICAL";
    if (error && in_use(text)) {
      named_.push_back({i, std::string(text)});
      return;
    }
    if (!is_exception_line(head.text) || asked_to_end(text)) return;
    // A trace of the main program has no level, or it is of the older format that has one but no process. What the front
    // end logs as an error belongs to a single request once it serves.
    if (head.level.empty() ? !caught_ : error && (head.process.empty() || !serving_))
      (head.process.empty() ? bare_ : front_).push_back({i, message_at(i, head)});
  }

  /// uvicorn and vLLM say "[Errno 98] ..." with or without the name of an exception in front.
  static bool in_use(std::string_view text) { return contains(text, "Errno 98") || contains(text, "ddress already in use"); }

  /// An exception's line and the indented ones below it that continue its message.
  std::string message_at(std::size_t i, const LogHead& first) const {
    std::string message(trim(first.text));
    for (std::size_t next = i + 1; next < texts_.size() && message.size() < most_message; ++next) {
      const LogHead head = split_log_line(texts_[next]);
      if (head.process != first.process || head.level != first.level || head.text.empty() || head.text.front() != ' ') break;
      message += ' ';
      message += trim(head.text);
    }
    return message;
  }

  FailureCause with_lines(FailureCause cause, std::size_t line) const {
    if (first_error_ && *first_error_ < line) cause.lines.push_back(texts_[*first_error_]);
    cause.lines.push_back(texts_[line]);
    return cause;
  }

  std::optional<FailureCause> choose() const {
    // What the engine's processes say comes first, then words that need no trace, then the traces of the main program and
    // of the front end.
    for (const auto* list : {&engine_, &named_, &bare_, &front_})
      for (const auto& c : *list)
        if (!generic(c.text) || list == &named_)
          if (auto cause = known_cause(c.text)) return with_lines(refine(*cause, c), c.line);
    for (const auto& c : engine_)
      if (!generic(c.text)) return with_lines(unnamed(c), c.line);
    for (const auto* list : {&bare_, &front_})
      for (auto it = list->rbegin(); it != list->rend(); ++it)
        if (!generic(it->text)) return with_lines(unnamed(*it), it->line);
    if (!engine_.empty()) return with_lines(unnamed(engine_.front()), engine_.front().line);
    for (const auto* list : {&bare_, &front_})
      if (!list->empty()) return with_lines(unnamed(list->back()), list->back().line);
    if (first_error_) return with_lines(unnamed({*first_error_, std::string(trim(split_log_line(texts_[*first_error_]).text))}), *first_error_);
    return std::nullopt;
  }

  /// Adds the port, which the message itself tells, or another line.
  FailureCause refine(FailureCause cause, const Candidate& c) const {
    if (!contains(cause.what, "port is in use")) return cause;
    auto port = port_in(c.text);
    for (std::size_t i = 0; i < texts_.size() && !port; ++i) port = port_in(texts_[i]);
    if (port) cause.what = "Port " + std::to_string(*port) + " in use by another process";
    return cause;
  }

  /// "'port': 8000" of the arguments, "http://host:8000", or the pair of uvicorn's "bind on address ('127.0.0.1', 8000)".
  static std::optional<std::int64_t> port_in(std::string_view text) {
    auto port = integer_after(text, "'port': ");
    if (const auto at = text.find("http://"); !port && at != std::string_view::npos)
      if (const auto colon = text.find(':', at + 7); colon != std::string_view::npos)
        port = integer_after(text.substr(colon, 7), ":");
    if (const auto at = text.find("bind on address ("); !port && at != std::string_view::npos)
      port = integer_after(text.substr(at), "', ");
    return port && *port > 0 && *port < 65536 ? port : std::nullopt;
  }

  FailureCause unnamed(const Candidate& c) const {
    FailureCause cause;
    cause.what = "The engine failed: " + c.text.substr(0, 400);
    // An assertion carries no text; the frame above it does.
    if (trim(c.text) == "AssertionError")
      for (std::size_t i = c.line; i-- > 0 && c.line - i < 4;) {
        const auto text = trim(split_log_line(texts_[i]).text);
        if (text.substr(0, 7) != "assert ") continue;
        if (auto known = known_cause(text)) return *known;
        cause.what += " (" + std::string(text) + ")";
        break;
      }
    cause.next = "Read the lines around it in the engine's log; start again when the cause is removed";
    return cause;
  }

  std::vector<std::string> texts_;
  std::vector<Candidate> engine_, named_, bare_;
  std::vector<Candidate> front_;  // of "(APIServer pid=7)" and its kind
  std::optional<std::size_t> first_error_;
  bool in_error_ = false;   // inside an error of the engine's
  bool caught_ = false;     // inside a trace of something that was caught
  bool serving_ = false;    // the front end has started
};

}  // namespace

std::optional<FailureCause> find_failure(const std::vector<LogLine>& log) { return Search(log).run(); }

}  // namespace kvcliff::engine::vllm
