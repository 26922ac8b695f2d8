// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tables/interpret.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "engine/tables/generation.h"
#include "engine/tables/meanings.h"

namespace kvcliff::engine::tables {
namespace {

using wire::MetricsPage;
using wire::Sample;

bool of_model(const Sample& sample, std::string_view model) {
  const auto name = sample.labels.get("model_name");
  return !name || *name == model;
}

/// `name` with the labels that tell samples of one model apart: prompt_tokens{engine="1"}.
std::string labelled(const std::string& name, const Sample& sample) {
  std::string out = name + "{";
  for (const auto& [label, value] : sample.labels)
    if (label != "model_name") out += std::string(label) + "=\"" + std::string(value) + "\",";
  return out + "}";
}

/// Samples of one series name that belong to the model, whatever the spelling of the name.
std::vector<const Sample*> samples_of(const MetricsPage& page, const SeriesName& series, Kind kind,
                                      std::string_view suffix, std::string_view model) {
  std::vector<const Sample*> found;
  if (suffix.empty() && (kind == Kind::counter || kind == Kind::info)) {
    found = page.counter(series.name);
    // A gauge-typed counter of another exporter is still read by its exact name through counter().
  } else {
    found = page.named(std::string(series.name) + std::string(suffix));
  }
  std::erase_if(found, [&](const Sample* x) {
    return !of_model(*x, model) || (!series.only_label.empty() && x->labels.value(series.only_label) != series.only_value);
  });
  return found;
}

/// The split label's value. Two spellings of one label are known in the wild (finished_reason, finish_reason).
std::string_view split_value(const Sample& sample, std::string_view split) {
  if (const auto v = sample.labels.get(split)) return *v;
  if (split == "finished_reason") return sample.labels.value("finish_reason");
  return {};
}

/// The look-up counters were kept in blocks once, under names that live on; only the help text says which.
std::string unit_of(const MetricsPage& page, const Meaning& m, std::string_view sample_name) {
  if (m.unit != "tokens") return std::string(m.unit);
  const auto* family = page.family_of(sample_name);
  if (family != nullptr && family->help.find("block") != std::string_view::npos &&
      family->help.find("token") == std::string_view::npos)
    return "blocks";
  return "tokens";
}

void join(CounterReading& reading, double value, std::string_view engine, bool has_engine, Kind kind, bool first) {
  const bool largest = kind == Kind::gauge_max;
  reading.value = first ? value : (largest ? std::max(reading.value, value) : reading.value + value);
  if (!has_engine) return;
  const auto [slot, fresh] = reading.by_engine.emplace(engine, value);
  if (!fresh) slot->second = largest ? std::max(slot->second, value) : slot->second + value;
}

/// Birth times of the counters of `series`, one per set of labels: engines behind one page restart one by one.
void read_births(const MetricsPage& page, const SeriesName& series, const std::string& name, CounterSnapshot& out) {
  for (const Sample* birth : page.named(std::string(series.name) + "_created")) {
    if (!of_model(*birth, out.model) || !std::isfinite(birth->value)) continue;
    if (!series.only_label.empty() && birth->labels.value(series.only_label) != series.only_value) continue;
    out.created[labelled(name, *birth)] = birth->value;
  }
}

/// Reads one quantity into `out` under `name`. False when the page says nothing of it.
bool read_one(const MetricsPage& page, const Meaning& m, std::string_view suffix, const std::string& name,
              CounterSnapshot& out) {
  for (const auto& series : m.series) {
    if (series.empty()) break;
    const auto samples = samples_of(page, series, m.kind, suffix, out.model);
    if (samples.empty()) {
      // The first name that is declared decides: a family without a sample yet has simply not counted anything.
      if (!page.declared(series.name)) continue;
      if (m.kind != Kind::gauge_max && m.kind != Kind::gauge_sum && m.kind != Kind::info) out.declared.insert(name);
      return true;
    }
    CounterReading reading;
    reading.series = std::string(samples.front()->name);
    reading.unit = unit_of(page, m, samples.front()->name);
    for (const Sample* sample : samples) {
      if (!std::isfinite(sample->value)) {
        out.unavailable[name] = std::string(sample->name) + " is " + std::string(sample->value_text) + " on line " +
                                std::to_string(sample->line);
        return true;
      }
      const auto engine = sample->labels.get("engine");
      join(reading, sample->value, engine.value_or(""), engine.has_value(), m.kind, sample == samples.front());
      if (!m.split.empty()) reading.by_label[std::string(split_value(*sample, m.split))] += sample->value;
    }
    if (m.kind == Kind::counter && reading.value < 0) {
      out.unavailable[name] = reading.series + " is negative, which a counter cannot be";
      return true;
    }
    out.readings.emplace(name, std::move(reading));
    if (m.kind == Kind::counter || m.kind == Kind::histogram) read_births(page, series, name, out);
    return true;
  }
  return false;
}

void read_info(const MetricsPage& page, const Meaning& m, CounterSnapshot& out) {
  for (const auto& series : m.series) {
    if (series.empty()) break;
    for (const Sample* sample : samples_of(page, series, Kind::gauge_sum, {}, out.model)) {
      if (sample->value == 0) continue;
      auto& labels = out.info[std::string(m.name)];
      if (!labels.empty()) return;  // further engines of one server are configured alike
      for (const auto& [key, value] : sample->labels) labels.emplace(key, value);
    }
  }
}

/// What tells of other models' requests, per model. A sample without model_name is nobody else's.
void read_other_models(const MetricsPage& page, CounterSnapshot& out) {
  for (const auto name : traffic_names()) {
    const Meaning& m = *meaning_named(name);
    CounterReading reading;
    for (const auto& series : m.series) {
      if (series.empty() || !reading.by_label.empty()) break;
      for (const Sample* sample : m.kind == Kind::counter ? page.counter(series.name) : page.named(series.name)) {
        const auto model = sample->labels.get("model_name");
        if (!model || *model == out.model || !std::isfinite(sample->value)) continue;
        reading.value += sample->value;
        reading.by_label[std::string(*model)] += sample->value;
        reading.series = std::string(sample->name);
        reading.unit = std::string(m.unit);
      }
    }
    if (!reading.by_label.empty())
      out.readings.emplace(std::string(other_models_prefix) + std::string(name), std::move(reading));
  }
}

}  // namespace

std::vector<std::string> model_names(const wire::MetricsPage& page) {
  std::vector<std::pair<std::string_view, std::set<std::string_view>>> found;
  for (const auto& sample : page.samples()) {
    const auto name = sample.labels.get("model_name");
    if (!name) continue;
    auto it = std::find_if(found.begin(), found.end(), [&](const auto& f) { return f.first == *name; });
    if (it == found.end()) it = found.insert(found.end(), {*name, {}});
    it->second.insert(sample.name);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.second.size() > b.second.size(); });
  std::vector<std::string> names;
  for (const auto& [name, series] : found) names.emplace_back(name);
  return names;
}

std::string recognise_engine(const wire::MetricsPage& page) {
  // vLLM first: LMCache and KVBM show their own series beside vLLM's on one page.
  static constexpr std::pair<std::string_view, std::string_view> prefixes[]{
      {"vllm:", "vllm"},          {"sglang:", "sglang"}, {"llamacpp:", "llama_server"},
      {"trtllm_", "trtllm"},      {"kvbm_", "kvbm"}};
  for (const auto& [prefix, engine] : prefixes) {
    for (const auto& sample : page.samples())
      if (sample.name.substr(0, prefix.size()) == prefix) return std::string(engine);
    for (const auto& [name, family] : page.families())
      if (name.substr(0, prefix.size()) == prefix) return std::string(engine);
  }
  return {};
}

CounterSnapshot interpret(const wire::MetricsPage& page, std::string_view model) {
  CounterSnapshot out;
  out.raw = page.shared_text();
  out.parse_errors = page.parse_errors();
  for (const auto& fault : page.faults()) {
    if (out.warnings.size() == 10) {
      out.warnings.push_back("and " + std::to_string(page.faults().size() - 10) + " more lines that cannot be read");
      break;
    }
    out.warnings.push_back("line " + std::to_string(fault.line) + ": " + fault.why);
  }
  if (page.cut()) out.warnings.push_back("the page ends inside a line, so it may have been cut; that line is left out");
  if (!page.recognised()) {
    out.error = "not a metrics page";
    return out;
  }
  auto names = model_names(page);
  if (!model.empty() && !names.empty() && std::find(names.begin(), names.end(), model) == names.end()) {
    out.error = "no series of model \"" + std::string(model) + "\"; the page has ";
    for (std::size_t i = 0; i < names.size(); ++i) out.error += (i ? ", \"" : "\"") + names[i] + "\"";
    return out;
  }
  out.model = !model.empty() ? std::string(model) : names.empty() ? std::string() : names.front();
  for (auto& name : names)
    if (name != out.model) out.other_models.push_back(std::move(name));

  out.engine = recognise_engine(page);
  for (const Sample* sample : page.named("process_start_time_seconds"))
    if (std::isfinite(sample->value)) {
      out.process_start = std::max(out.process_start.value_or(0), sample->value);
      // Several processes behind one page: the newest start alone would hide that an older one was replaced.
      if (!sample->labels.empty()) out.created[labelled("process_start", *sample)] = sample->value;
    }
  for (const auto& m : meanings()) {
    if (m.kind == Kind::info) {
      read_info(page, m, out);
    } else if (m.kind == Kind::histogram) {
      read_one(page, m, "_sum", std::string(m.name) + "_sum", out);
      read_one(page, m, "_count", std::string(m.name) + "_count", out);
    } else {
      read_one(page, m, {}, std::string(m.name), out);
    }
  }
  read_other_models(page, out);
  out.generation = generation_of(out);
  for (const auto& [name, why] : out.unavailable) out.warnings.push_back(name + " is not available: " + why);
  return out;
}

}  // namespace kvcliff::engine::tables
