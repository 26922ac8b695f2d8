// SPDX-License-Identifier: GPL-3.0-or-later
#include "attribution/delta.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.h"
#include "engine/tables/meanings.h"

namespace kvcliff::attribution {
namespace {

const CounterReading* reading_of(const CounterSnapshot& page, const std::string& name) {
  const auto it = page.readings.find(name);
  return it == page.readings.end() ? nullptr : &it->second;
}

/// True when some part of `before` is larger than, or missing in, `after`.
bool fell(const std::map<std::string, double>& before, const std::map<std::string, double>& after) {
  return std::any_of(before.begin(), before.end(), [&](const auto& part) {
    const auto it = after.find(part.first);
    return part.second > (it == after.end() ? 0.0 : it->second);
  });
}

std::set<std::string> counters_of(const CounterSnapshot& before, const CounterSnapshot& after) {
  std::set<std::string> names;
  for (const auto* page : {&before, &after}) {
    for (const auto& [name, reading] : page->readings)
      if (engine::tables::is_counter(name)) names.insert(name);
    for (const auto& name : page->declared)
      if (engine::tables::is_counter(name)) names.insert(name);
  }
  return names;
}

const std::map<std::string, double>& parts_of(const CounterReading* reading) {
  static const std::map<std::string, double> none;
  return reading ? reading->by_label : none;
}

/// A model may come (loaded on demand) or go within the window; both are signs of its use, so no part is left out.
void add_other_models(const CounterSnapshot& before, const CounterSnapshot& after, CounterDelta& d) {
  for (const auto traffic : engine::tables::traffic_names()) {
    const std::string name = std::string(engine::tables::other_models_prefix) + std::string(traffic);
    const auto& from = parts_of(reading_of(before, name));
    const auto& to = parts_of(reading_of(after, name));
    if (from.empty() && to.empty()) continue;
    auto& parts = d.by_label[name];
    parts = to;
    const bool counter = engine::tables::is_counter(traffic);
    for (const auto& [model, value] : from) parts[model] = counter ? parts[model] - value : std::max(parts[model], value);
    double& sum = d.values[name];
    for (const auto& [model, value] : parts) sum += value;
  }
}

}  // namespace

CounterDelta delta(const CounterSnapshot& before, const CounterSnapshot& after) {
  CounterDelta d;
  if (!before.good() || !after.good()) return d;
  if (before.process_start && after.process_start && *before.process_start != *after.process_start)
    d.same_process = false;
  for (const auto& [name, birth] : before.created) {
    const auto it = after.created.find(name);
    if (it != after.created.end() && it->second != birth) d.same_process = false;
  }

  for (const auto& name : counters_of(before, after)) {
    if (before.unavailable.count(name) || after.unavailable.count(name)) continue;
    const CounterReading* b = reading_of(before, name);
    const CounterReading* a = reading_of(after, name);
    const bool in_before = b != nullptr || before.declared.count(name) > 0;
    const bool in_after = a != nullptr || after.declared.count(name) > 0;
    if (in_before && !in_after) {
      d.vanished.push_back(name);
      continue;
    }
    if (!in_before) {
      if (!d.same_process) continue;  // what another process had counted is not known
      d.first_seen.insert(name);
    }
    static const CounterReading nothing;
    const CounterReading& from = b ? *b : nothing;
    const CounterReading& to = a ? *a : nothing;
    if (to.value < from.value || fell(from.by_label, to.by_label) || fell(from.by_engine, to.by_engine)) {
      d.decreased.push_back(name);
      continue;
    }
    d.values[name] = to.value - from.value;
    if (to.by_label.empty()) continue;
    auto& parts = d.by_label[name];
    for (const auto& [label, value] : to.by_label) {
      const auto it = from.by_label.find(label);
      parts[label] = value - (it == from.by_label.end() ? 0.0 : it->second);
    }
  }
  add_other_models(before, after, d);
  return d;
}

bool is_of_other_models(std::string_view name) { return name.starts_with(engine::tables::other_models_prefix); }

std::string other_models_moved(const CounterDelta& d) {
  std::map<std::string, std::string> by_model;
  for (const auto traffic : engine::tables::traffic_names()) {
    const auto it = d.by_label.find(std::string(engine::tables::other_models_prefix) + std::string(traffic));
    if (it == d.by_label.end()) continue;
    for (const auto& [model, value] : it->second) {
      if (value == 0) continue;
      auto& words = by_model[model];
      words += (words.empty() ? "" : ", ") + std::string(traffic) + " " + std::to_string(std::llround(value));
    }
  }
  std::string all;
  for (const auto& [model, words] : by_model)
    all += (all.empty() ? "\"" : "; \"") + to_valid_utf8(model) + "\": " + words;
  return all;
}

std::vector<std::string> engines_moved(const CounterSnapshot& before, const CounterSnapshot& after) {
  std::vector<std::string> moved;
  const CounterReading* a = reading_of(after, "prompt_tokens");
  if (a == nullptr) return moved;
  const CounterReading* b = reading_of(before, "prompt_tokens");
  for (const auto& [engine, value] : a->by_engine) {
    double was = 0;
    if (b != nullptr)
      if (const auto it = b->by_engine.find(engine); it != b->by_engine.end()) was = it->second;
    if (value != was) moved.push_back(engine);
  }
  return moved;
}

std::string why_not_subtractable(const CounterSnapshot& before, const CounterSnapshot& after, const CounterDelta& d) {
  if (!before.good()) return "scrape before: " + before.error;
  if (!after.good()) return "scrape after: " + after.error;
  if (!before.model.empty() && !after.model.empty() && before.model != after.model)
    return "the pages were read for different models (\"" + to_valid_utf8(before.model) + "\", \"" + to_valid_utf8(after.model) + "\")";
  if (!d.same_process) return "process restarted";
  if (!d.decreased.empty()) return "counter went down";
  return {};
}

}  // namespace kvcliff::attribution
