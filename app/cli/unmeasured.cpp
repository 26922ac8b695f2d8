// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/unmeasured.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <ostream>

#include "base/text.h"
#include "journal/reader.h"

namespace kvcliff::cli {
namespace {
// Enough for a Python traceback's end; the cause itself is named by the error.
constexpr std::size_t tail_lines = 15;

void print_log_of(const Context& context, const journal::Reader& reader, const SessionRecord& s, const std::string& journal) {
  const auto log = reader.log(s.id);
  if (!log || log->empty()) {
    fmt::print(context.out, "The engine of session {} wrote no log.\n", s.ordinal + 1);
    return;
  }
  const std::size_t from = log->size() > tail_lines ? log->size() - tail_lines : 0;
  fmt::print(context.out, "\nLast lines of the engine's log:\n");
  for (std::size_t i = from; i < log->size(); ++i) fmt::print(context.out, "  {}\n", (*log)[i].text);
  fmt::print(context.out, "All {} lines are in {}, session {}, attempt {}.\n", grouped(static_cast<std::int64_t>(log->size())), journal,
             s.ordinal + 1, s.attempt);
}

}  // namespace

bool nothing_measured(const Judged& j) {
  return std::none_of(j.input.sessions.begin(), j.input.sessions.end(),
                      [](const auto& s) { return s.record.state == SessionState::finished; });
}

void print_nothing_measured(const Context& context, const Judged& j, const std::string& journal) {
  auto& out = context.out;
  fmt::print(out, "run {}  {}  plan {}\nNothing was measured: no session finished.\n", j.input.run_id, j.input.name, j.input.plan_hash.substr(0, 12));
  std::vector<SessionRecord> sessions = j.input.others;
  for (const auto& s : j.input.sessions) sessions.push_back(s.record);
  std::sort(sessions.begin(), sessions.end(), [](const auto& a, const auto& b) {
    return std::pair(a.ordinal, a.attempt) < std::pair(b.ordinal, b.attempt);
  });
  const auto reader = journal::Reader::open(journal);
  for (const auto& s : sessions) {
    if (s.state == SessionState::planned || s.state == SessionState::superseded) continue;
    fmt::print(out, "Session {} ({}) ended as {}{}{}\n", s.ordinal + 1, s.arm, to_string(s.state), s.why.empty() ? "" : ": ", s.why);
    if (!s.argv.empty()) {
      std::string line;
      for (const auto& a : s.argv) line += (line.empty() ? "" : " ") + a;
      fmt::print(out, "  its command: {}\n", line);
    }
    if (reader && s.state == SessionState::failed && !s.argv.empty()) print_log_of(context, *reader, s, journal);
  }
}

}  // namespace kvcliff::cli
