// SPDX-License-Identifier: GPL-3.0-or-later
#include "attribution/window_report.h"

#include <cmath>
#include <map>

#include "attribution/split.h"
#include "base/text.h"
#include "engine/tables/interpret.h"
#include "engine/tables/meanings.h"
#include "wire/http_answer.h"

namespace kvcliff::attribution {
namespace {

Json parts_json(const std::map<std::string, double>& parts) {
  Json j = Json::object();
  for (const auto& [label, value] : parts) j[label] = number_json(value);
  return j;
}

Json delta_json(const CounterDelta& d) {
  Json j = Json::object();
  for (const auto& [name, value] : d.values) {
    if (is_of_other_models(name)) continue;
    const auto parts = d.by_label.find(name);
    j[name] = parts != d.by_label.end() ? parts_json(parts->second) : number_json(value);
  }
  return j;
}

Json source_json(const MeasuredTokens& m) {
  if (m.value) return m.value->v;
  return m.reported ? Json("unknown") : Json(nullptr);
}

void add_window(Json& j, const Attribution& a) {
  j["delta"] = a.valid ? delta_json(a.delta) : Json::object();
  j["first_seen"] = a.delta.first_seen;
  j["sources"] = sources_json(a);
  j["loaded_bytes"] = a.loaded_bytes ? Json(a.loaded_bytes->v) : Json(nullptr);
  j["stored_bytes"] = a.stored_bytes ? Json(a.stored_bytes->v) : Json(nullptr);
  if (!a.loaded_bytes) j["loaded_bytes_why"] = a.loaded_from;
  if (!a.stored_bytes) j["stored_bytes_why"] = a.stored_from;
  j["reconciled"] = a.reconciled();
  j["valid"] = a.valid;
  j["exclusive"] = a.exclusive;
  if (!a.reason.empty()) j["reason"] = a.reason;
  j["prompt_tokens"] = optional_json(a.prompt_tokens);
  if (!a.prompt_from.empty()) j["prompt_tokens_from"] = a.prompt_from;
  if (!a.engines_moved.empty()) j["engines_moved"] = a.engines_moved;
  if (!a.lookup_unit.empty()) j["lookup_unit"] = a.lookup_unit;
  if (a.lookup_excess) j["lookup_excess"] = *a.lookup_excess;
  if (a.recomputed > 0 || a.delta.value("prompt_tokens_recomputed")) {
    j["recomputed"] = number_json(a.delta.value("prompt_tokens_recomputed").value_or(0));
    j["recomputed_moved"] = a.recomputed;
    j["host_transferred"] = optional_json(a.host_transferred);
  }
  const auto queries = a.delta.value("prefix_cache_queries");
  // A hit rate without look-ups is undefined, not 0.
  j["gpu_hit_share"] = a.gpu_hit_share && queries.value_or(1) > 0 ? Json(*a.gpu_hit_share) : Json(nullptr);
  const auto& host = a.sources.host_loaded.value;
  j["host_share"] = host && a.prompt_tokens.value_or(0) > 0
                        ? Json(static_cast<double>(host->v) / static_cast<double>(*a.prompt_tokens))
                        : Json(nullptr);
  const auto seconds = a.delta.value("kv_offload_load_time");
  if (a.loaded_bytes && seconds && *seconds > 0 && a.loaded_bytes->v > 0)
    j["load_bytes_per_second"] = static_cast<double>(a.loaded_bytes->v) / *seconds;
}

/// A value that came back above where it had been before it fell: not a restart, but another process in between. Start
/// and birth times tell more: where they changed, a process has begun and its counts are compared among themselves.
bool counts_alternate(const std::vector<NamedSnapshot>& scrapes) {
  std::map<std::string, double> highest;
  std::map<std::string, bool> has_fallen;
  const CounterSnapshot* previous = nullptr;
  for (const auto& s : scrapes) {
    if (!s.snapshot.good()) continue;
    if (previous && !delta(*previous, s.snapshot).same_process) {
      highest.clear();
      has_fallen.clear();
    }
    previous = &s.snapshot;
    for (const auto& [name, reading] : s.snapshot.readings) {
      if (!engine::tables::is_counter(name)) continue;
      const auto it = highest.find(name);
      if (it == highest.end()) {
        highest[name] = reading.value;
      } else if (reading.value < it->second) {
        has_fallen[name] = true;
      } else {
        if (has_fallen[name]) return true;
        it->second = reading.value;
      }
    }
  }
  return false;
}

/// Start and birth times of a page, by name.
std::map<std::string, double> births_of(const CounterSnapshot& page) {
  auto births = page.created;
  if (page.process_start) births["process start"] = *page.process_start;
  return births;
}

/// A start or birth time goes away and comes back: the same sign where they are exported.
bool births_alternate(const std::vector<NamedSnapshot>& scrapes) {
  std::map<std::string, std::vector<double>> seen;
  for (const auto& s : scrapes) {
    for (const auto& [name, t] : births_of(s.snapshot)) {
      auto& earlier = seen[name];
      if (!earlier.empty() && earlier.back() == t) continue;
      for (const double e : earlier)
        if (e == t) return true;
      earlier.push_back(t);
    }
  }
  return false;
}

/// Both pages name the same process: a start or birth time is on both, and none differs.
bool surely_same_process(const CounterSnapshot& a, const CounterSnapshot& b) {
  const auto births = births_of(a), others = births_of(b);
  bool shared = false;
  for (const auto& [name, t] : births) {
    const auto it = others.find(name);
    if (it == others.end()) continue;
    if (it->second != t) return false;
    shared = true;
  }
  return shared;
}

bool ends_with(std::string_view s, std::string_view end) {
  return s.size() >= end.size() && s.substr(s.size() - end.size()) == end;
}

/// "vllm:foo_total" -> "foo"; names of other exporters keep their prefix.
std::string shown_name(std::string_view name) {
  if (name.substr(0, 5) == "vllm:") name.remove_prefix(5);
  return std::string(wire::without_total(name));
}

void add_unmapped(Json& j, const CounterSnapshot& page) {
  const auto parsed = wire::parse_prometheus(page.raw, true);
  Json own = Json::object();
  std::map<std::string, double> sums;
  for (const auto& sample : parsed.samples()) {
    if (ends_with(sample.name, "_bucket") || ends_with(sample.name, "_created") || ends_with(sample.name, "_info")) continue;
    if (const auto model = sample.labels.get("model_name"); model && *model != page.model) continue;
    const std::string name = shown_name(sample.name);
    if (j.contains(name) || page.info.count(name)) continue;
    std::string key;
    std::size_t labels = 0;
    for (const auto& [label, value] : sample.labels) labels += label != "engine" && label != "model_name";
    for (const auto& [label, value] : sample.labels) {
      if (label == "engine" || label == "model_name") continue;
      if (!key.empty()) key += ",";
      if (labels > 1) key += std::string(label) + "=";
      key += value;
    }
    const double sum = sums[name + '\n' + key] += sample.value;
    if (labels == 0)
      own[name] = number_json(sum);
    else if (own.contains(name) && !own[name].is_object())
      own[name] = Json{{"", own[name]}, {to_valid_utf8(key), number_json(sum)}};
    else
      own[name][to_valid_utf8(key)] = number_json(sum);
  }
  for (auto& [name, value] : own.items()) j[to_valid_utf8(name)] = std::move(value);
}

void add_engines(Json& j, const CounterSnapshot& page) {
  Json by_engine = Json::object();
  for (const auto& [name, reading] : page.readings)
    if (reading.by_engine.size() > 1) by_engine[name] = parts_json(reading.by_engine);
  if (!by_engine.empty()) j["by_engine"] = std::move(by_engine);
}

}  // namespace

Json number_json(double v) {
  if (!std::isfinite(v)) return nullptr;
  if (v == std::floor(v) && std::abs(v) < 9007199254740992.0) return static_cast<std::int64_t>(v);
  return v;
}

NamedSnapshot scrape_from(const std::string& name, const std::string& bytes, const std::string& model) {
  NamedSnapshot out{name, {}};
  std::string body;
  bool whole = false;
  if (wire::looks_like_http(bytes)) {
    wire::HttpAnswerReader reader;
    reader.push(bytes, [&](std::string_view part) { body += part; });
    out.snapshot.http_status = reader.head().status;
    whole = reader.whole();
    const int status = reader.head().status;
    if (status >= 300 && status < 400) {
      out.snapshot.error = "HTTP " + std::to_string(status) + ", a redirect to " +
                           std::string(reader.head().header("location").value_or("nowhere")) + " that a file cannot follow";
    } else if (status != 200) {
      out.snapshot.error = status == 0 ? "not an HTTP answer" : "HTTP " + std::to_string(status);
    }
    // A body that ends early is another page than the server's, however well its lines can be read.
    auto cut = reader.fault();
    if (cut.empty() && !reader.unpacked_whole()) cut = "its compressed body is cut";
    if (out.snapshot.good() && !cut.empty()) out.snapshot.error = "the HTTP answer is not whole: " + cut;
    if (!out.snapshot.good()) return out;
  } else {
    body = bytes;
  }
  const auto text = trim(body);
  if (text.empty()) {
    out.snapshot.error = "the metrics page is empty";
  } else if (text.front() == '<' || (text.front() == '{' && Json::accept(text))) {  // a sample may begin with a brace too
    out.snapshot.error = "not a metrics page";
  } else {
    const int status = out.snapshot.http_status;
    out.snapshot = engine::tables::interpret(wire::parse_prometheus(std::move(body), whole), model);
    out.snapshot.http_status = status;
  }
  return out;
}

Json counters_json(const CounterSnapshot& page) {
  Json j = Json::object();
  for (const auto& [name, reading] : page.readings)
    if (!is_of_other_models(name)) j[name] = reading.by_label.empty() ? number_json(reading.value) : parts_json(reading.by_label);
  for (const auto& name : page.declared) j[name] = 0;
  for (const auto& [name, why] : page.unavailable) j[name] = nullptr;
  if (page.raw) add_unmapped(j, page);
  return j;
}

Json sources_json(const Attribution& a) {
  const auto& s = a.sources;
  Json from = Json::object();
  Json j{{"computed", source_json(s.computed)},
         {"gpu_hit", source_json(s.gpu_hit)},
         {"host_loaded", source_json(s.host_loaded)},
         {"unknown", s.unknown.value ? Json(s.unknown.value->v) : Json(nullptr)}};
  const std::pair<const char*, const MeasuredTokens*> all[]{
      {"computed", &s.computed}, {"gpu_hit", &s.gpu_hit}, {"host_loaded", &s.host_loaded}, {"unknown", &s.unknown}};
  std::string why;
  for (const auto& [name, m] : all) {
    if (m->value) {
      from[name] = std::string(to_string(m->provenance)) + ": " + m->from;
    } else if (m != &s.unknown) {
      from[name] = m->from;
      if (why.empty()) why = m->from;
    }
  }
  j["from"] = std::move(from);
  if (!why.empty()) j["why"] = why;
  return j;
}

Json window_report(const std::vector<NamedSnapshot>& scrapes, const AttributionOptions& options) {
  Json j = Json::object();
  if (scrapes.empty()) return j;
  const CounterSnapshot* last = &scrapes.back().snapshot;
  for (auto it = scrapes.rbegin(); it != scrapes.rend() && !last->good(); ++it)
    if (it->snapshot.good()) last = &it->snapshot;
  int parse_errors = 0;
  std::vector<std::string> warnings;
  for (const auto& s : scrapes) {
    parse_errors += s.snapshot.parse_errors;
    if (!s.snapshot.good()) warnings.push_back(s.name + ": " + s.snapshot.error);
    for (const auto& w : s.snapshot.warnings) warnings.push_back(s.name + ": " + w);
  }
  j["engine"] = last->engine.empty() ? Json(nullptr) : Json(last->engine);
  j["generation"] = last->generation.empty() ? Json(nullptr) : Json(last->generation);
  if (last->engine.empty()) j["why"] = last->good() ? "the page has no series of an engine known here" : last->error;
  j["model"] = last->model.empty() ? Json(nullptr) : Json(last->model);
  j["other_models"] = last->other_models;
  j["parse_errors"] = parse_errors;
  j["counters"] = counters_json(*last);
  if (const auto b = options.block_size ? options.block_size : block_size_of(*last)) j["block_size"] = *b;
  add_engines(j, *last);
  std::vector<std::string> flags;
  if (scrapes.size() == 1) {
    j["valid"] = last->good();
    j["reconciled"] = false;
    j["reason"] = last->good() ? "one scrape makes no window" : last->error;
  } else {
    const auto span = attribute(scrapes.front().snapshot, scrapes.back().snapshot, nullptr, options);
    add_window(j, span);
    flags = span.flags;
  }
  if (scrapes.size() > 2) {
    const bool by_counts = counts_alternate(scrapes);
    const bool other = by_counts || births_alternate(scrapes);
    Json pairs = Json::array();
    bool fallen = false;
    bool all_valid = true;
    std::string first_reason;
    for (std::size_t i = 1; i < scrapes.size(); ++i) {
      Json pair{{"from", scrapes[i - 1].name}, {"to", scrapes[i].name}};
      auto a = attribute(scrapes[i - 1].snapshot, scrapes[i].snapshot, nullptr, options);
      const bool proven = !by_counts && surely_same_process(scrapes[i - 1].snapshot, scrapes[i].snapshot);
      if (other && fallen && a.valid && !proven) {
        a = Attribution{};
        a.valid = a.exclusive = false;
        a.reason = a.loaded_from = a.stored_from = "different processes answer";
        for (auto* m : {&a.sources.computed, &a.sources.gpu_hit, &a.sources.host_loaded})
          *m = {std::nullopt, Provenance::none, a.reason, true};
      }
      fallen = fallen || !a.delta.decreased.empty() || !a.delta.same_process;
      all_valid = all_valid && a.valid;
      if (first_reason.empty()) first_reason = a.reason;
      add_window(pair, a);
      pair["flags"] = a.flags;
      pairs.push_back(std::move(pair));
    }
    j["pairs"] = std::move(pairs);
    if (!all_valid) {
      j["valid"] = false;
      j["reconciled"] = false;
      j["reason"] = other ? "different processes answer" : first_reason;
    }
  }
  j["flags"] = flags;
  j["warnings"] = warnings;
  return j;
}

}  // namespace kvcliff::attribution
