// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/stream.h"

#include <array>
#include <utility>

namespace kvcliff {

std::string_view to_string(EventKind k) {
  static constexpr std::array<std::string_view, 9> names{"token", "empty", "finish",  "usage",    "error",
                                                         "done",  "comment", "other", "malformed"};
  return names[static_cast<std::size_t>(k)];
}

namespace {
constexpr std::array<std::pair<Outcome, std::string_view>, 7> outcome_names{
    {{Outcome::complete, "complete"},
     {Outcome::ended_without_reason, "ended-without-reason"},
     {Outcome::truncated, "truncated"},
     {Outcome::error, "error"},
     {Outcome::timeout, "timeout"},
     {Outcome::cancelled, "cancelled"},
     {Outcome::interrupted, "interrupted"}}};
}  // namespace

std::string_view to_string(Outcome o) {
  for (const auto& [value, name] : outcome_names)
    if (value == o) return name;
  return "error";
}

std::optional<Outcome> outcome_from(std::string_view s) {
  for (const auto& [value, name] : outcome_names)
    if (name == s) return value;
  return std::nullopt;
}

std::optional<MonoNs> StreamRecord::ttft() const {
  if (times.t0 == 0 || times.first_token == 0 || times.first_token < times.t0) return std::nullopt;
  return times.first_token - times.t0;
}

}  // namespace kvcliff
