// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/settle.h"

#include <fmt/format.h>

#include <algorithm>

#include "attribution/delta.h"

namespace kvcliff::experiment {
namespace {

using namespace std::chrono_literals;

bool is_gauge(const std::string& name) {
  const auto ends = [&](std::string_view tail) {
    return name.size() >= tail.size() && name.compare(name.size() - tail.size(), tail.size(), tail) == 0;
  };
  return name.rfind("num_requests_", 0) == 0 || ends("_perc") || ends("allocation_size");
}

}  // namespace

bool same_counters(const CounterSnapshot& a, const CounterSnapshot& b) {
  const auto counters = [](const CounterSnapshot& s) {
    std::map<std::string, const CounterReading*> out;
    for (const auto& [name, r] : s.readings)
      if (!is_gauge(name) && !attribution::is_of_other_models(name)) out[name] = &r;
    return out;
  };
  const auto x = counters(a), y = counters(b);
  return std::equal(x.begin(), x.end(), y.begin(), y.end(), [](const auto& p, const auto& q) {
    return p.first == q.first && p.second->value == q.second->value && p.second->by_label == q.second->by_label;
  });
}

Settle::Settle(const CounterSnapshot& before, int finished, Options options)
    : success_before_(before.good() ? before.value("request_success") : std::nullopt),
      finished_(finished),
      options_(options),
      interval_(options.quiet) {}

Settle::Step Settle::feed(const CounterSnapshot& page) {
  ++polls_;
  const auto not_yet = [&](std::string why) {
    last_.reset();
    return Step{false, std::clamp<std::chrono::nanoseconds>(options_.quiet / 5, 1ms, 20ms), std::move(why)};
  };
  if (!page.good()) {
    last_.reset();
    return {false, interval_, "a readable metrics page: " + page.error};
  }
  const std::chrono::nanoseconds took(std::max<MonoNs>(0, page.received - page.sent));
  interval_ = std::max({interval_, options_.quiet, 2 * took});

  const auto success = page.value("request_success");
  // A first finished request may bring the series itself: absent before means 0 (lazy children).
  if (success && finished_ > 0) {
    const double counted = *success - success_before_.value_or(0);
    if (counted < finished_)
      return not_yet(fmt::format("{} of {} requests counted as finished", static_cast<int>(counted), finished_));
  }
  if (const auto running = page.value("num_requests_running"); running.value_or(0) > 0)
    return not_yet(fmt::format("{:g} running requests", *running));
  if (const auto waiting = page.value("num_requests_waiting"); waiting.value_or(0) > 0)
    return not_yet(fmt::format("{:g} waiting requests", *waiting));
  if (const auto pinned = page.value("kv_offload_cpu_cache_usage_perc"); pinned.value_or(0) > 0)
    return not_yet("the end of a transfer between GPU and host");
  if (last_ && same_counters(*last_, page)) return {true, 0ns, {}};
  if (last_) interval_ = std::min<std::chrono::nanoseconds>(interval_ * 3 / 2, std::max(options_.quiet * 10, 2 * took));
  last_ = page;
  return {false, interval_, "counters that are equal in two scrapes"};
}

}  // namespace kvcliff::experiment
