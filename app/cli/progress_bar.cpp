// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/progress_bar.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "base/printable.h"
#include "base/text.h"
#include "cli/printable_stream.h"

namespace kvcliff::cli {
namespace {
constexpr MonoNs redraw_every = 100'000'000;
constexpr int bar_width = 30;
}  // namespace

void ProgressBar::line(const std::string& text) {
  if (context_.quiet) return;
  if (context_.err_is_terminal && width_ > 0) {
    write_raw(context_.err, '\r' + std::string(width_, ' ') + '\r');
    width_ = 0;
  }
  context_.err << text << '\n' << std::flush;
}

void ProgressBar::session_changed(const SessionRecord& s) {
  const bool shown = is_end(s.state) || s.state == SessionState::launching || s.state == SessionState::measuring;
  if (!shown) return;
  std::string text = fmt::format("session {} ({}{}): {}", s.ordinal + 1, s.arm,
                                 s.attempt > 1 ? fmt::format(", attempt {}", s.attempt) : "", to_string(s.state));
  if (!s.why.empty()) text += ": " + s.why;
  // On a terminal the bar says what runs; lines are for what stays.
  if (!context_.err_is_terminal || is_end(s.state)) line(text);
}

void ProgressBar::progress(const experiment::Progress& p) {
  if (context_.quiet || !context_.err_is_terminal) return;
  const MonoNs now = mono_now();
  if (now - drawn_ < redraw_every) return;
  drawn_ = now;
  const double share = p.requests > 0 ? static_cast<double>(p.requests_done) / static_cast<double>(p.requests) : 0;
  const int full = std::clamp(static_cast<int>(share * bar_width), 0, bar_width);
  std::string text = fmt::format("[{}{}] {}/{} requests, session {}/{}", std::string(static_cast<std::size_t>(full), '#'),
                                 std::string(static_cast<std::size_t>(bar_width - full), '-'), p.requests_done, p.requests,
                                 std::max(0, p.session + 1), p.sessions);
  if (p.left) text += ", " + human_duration_ns(p.left->count()) + " left";
  text += p.paused ? ", paused" : ", " + p.doing;
  text = printable_line(text);
  if (text.size() > 118) text.resize(118);
  const std::size_t pad = width_ > text.size() ? width_ - text.size() : 0;
  write_raw(context_.err, '\r' + text + std::string(pad, ' '));
  context_.err << std::flush;
  width_ = text.size();
}

void ProgressBar::noticed(const journal::Notice& n) { line(n.severity + ": " + n.text); }

void ProgressBar::ended(const experiment::RunResult&) {
  if (context_.err_is_terminal && width_ > 0 && !context_.quiet) context_.err << '\n';
  width_ = 0;
}

}  // namespace kvcliff::cli
