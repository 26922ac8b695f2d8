// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/vllm/failure.h"

#include <algorithm>

#include "base/text.h"
#include "engine/vllm/log_head.h"
#include "wire/log_lines.h"

namespace kvcliff::engine::vllm {
namespace {

/// Exceptions that only point to another one.
bool generic(std::string_view text) {
  for (const std::string_view part :
       {"Engine core initialization failed", "EngineCore encountered an issue", "WorkerProc initialization failed",
        "EngineDeadError", "please check the stack trace above for the root cause", "CancelledError", "KeyboardInterrupt",
        "SystemExit"})
    if (contains(text, part)) return true;
  return false;
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
      if (in_error_ && is_exception_line(head.text)) engine_.push_back({i, std::string(text)});
      return;
    }
    // A trace without prefix, or the older format that has a level but no process.
    if (head.process.empty() && is_exception_line(head.text) &&
        (head.level.empty() || head.level == "ERROR" || head.level == "CRITICAL"))
      bare_.push_back({i, std::string(text)});
    // The front end's own failure at the start ("ERROR ... [Errno 98]"); its later errors belong to single requests.
    if (head.level == "ERROR" && is_exception_line(head.text) && contains(text, "Errno 98")) named_.push_back({i, std::string(text)});
  }

  FailureCause with_lines(FailureCause cause, std::size_t line) const {
    if (first_error_ && *first_error_ < line) cause.lines.push_back(texts_[*first_error_]);
    cause.lines.push_back(texts_[line]);
    return cause;
  }

  std::optional<FailureCause> choose() const {
    // What the engine's processes say comes first, then words that need no trace, then the main program's trace.
    for (const auto* list : {&engine_, &named_, &bare_})
      for (const auto& c : *list)
        if (!generic(c.text) || list == &named_)
          if (auto cause = known_cause(c.text)) return with_lines(refine(*cause, c), c.line);
    for (const auto& c : engine_)
      if (!generic(c.text)) return with_lines(unnamed(c), c.line);
    for (auto it = bare_.rbegin(); it != bare_.rend(); ++it)
      if (!generic(it->text)) return with_lines(unnamed(*it), it->line);
    if (!engine_.empty()) return with_lines(unnamed(engine_.front()), engine_.front().line);
    if (!bare_.empty()) return with_lines(unnamed(bare_.back()), bare_.back().line);
    if (first_error_) return with_lines(unnamed({*first_error_, std::string(trim(split_log_line(texts_[*first_error_]).text))}), *first_error_);
    return std::nullopt;
  }

  /// Adds what only other lines know: the port.
  FailureCause refine(FailureCause cause, const Candidate&) const {
    if (!contains(cause.what, "port is in use")) return cause;
    for (const auto& text : texts_) {
      auto port = integer_after(text, "'port': ");
      if (!port)
        if (const auto at = text.find("http://"); at != std::string::npos)
          if (const auto colon = text.find(':', at + 7); colon != std::string::npos)
            port = integer_after(text.substr(colon, 7), ":");
      if (port && *port > 0 && *port < 65536) {
        cause.what = "Port " + std::to_string(*port) + " in use by another process";
        break;
      }
    }
    return cause;
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
  std::optional<std::size_t> first_error_;
  bool in_error_ = false;
};

}  // namespace

std::optional<FailureCause> find_failure(const std::vector<LogLine>& log) { return Search(log).run(); }

}  // namespace kvcliff::engine::vllm
