// SPDX-License-Identifier: GPL-3.0-or-later
// Plan file -> Plan. Types and names here; ranges and contradictions in validate.cpp.
#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "base/json_names.h"
#include "plan/internal.h"
#include "plan/reader.h"
#include "plan/words.h"

namespace kvcliff::plan {
namespace {

void read_engine(const Json& json, EngineSpec& e, std::vector<Fault>& faults) {
  Reader r(json, "engine", faults);
  r.text("adapter", e.adapter);
  r.text("version", e.version);
  r.text("environment", e.environment);
  r.text_list("extra_args", e.extra_args);
  r.text_map("extra_env", e.extra_env);
  r.finish();
}

void read_launcher(const Json& json, LauncherSpec& l, std::vector<Fault>& faults) {
  Reader r(json, "launcher", faults);
  r.text("kind", l.kind);
  const auto known = launcher_options.find(l.kind);
  if (known == launcher_options.end()) return;  // validate names the kind; its options cannot be judged
  l.options.clear();
  for (const auto& name : known->second) {
    const Json* v = r.raw(name);
    if (!v) continue;
    if (v->is_string())
      l.options[name] = v->get<std::string>();
    else if (v->is_number_integer())
      l.options[name] = v->dump();
    else
      r.fault(name, fmt::format("launcher.{} must be a text, and is {}", name, describe(*v)));
  }
  r.finish();
}

void read_model(const Json& json, ModelSpec& m, std::vector<Fault>& faults) {
  Reader r(json, "model", faults);
  r.text("id", m.id);
  r.text("config", m.config);
  if (!m.config.empty() && !r.has("id")) m.id.clear();  // the catalogue default does not name a model given by path
  r.text("kv_dtype", m.kv_dtype);
  r.integer("tp", m.tp);
  r.integer("pp", m.pp);
  int weights = m.dummy_weights ? 1 : 0;
  r.choice("weights", weights_words, weights);
  m.dummy_weights = weights == 1;
  r.finish();
}

void read_capacity(const Json& json, CapacitySpec& c, std::vector<Fault>& faults) {
  Reader r(json, "capacity", faults);
  r.integer("block_size", c.block_size);
  r.integer("gpu_blocks", c.gpu_blocks);
  r.integer("host_bytes", c.host_bytes);
  if (const Json* o = r.object("offload")) {
    Reader ro(*o, "capacity.offload", faults);
    ro.boolean("offload_prompt_only", c.offload.offload_prompt_only);
    ro.text("policy", c.offload.policy);
    ro.integer("blocks_per_chunk", c.offload.blocks_per_chunk);
    ro.finish();
  }
  r.finish();
}

void read_workload(const Json& json, workload::Spec& w, std::vector<Fault>& faults) {
  Reader r(json, "workload", faults);
  int kind = static_cast<int>(w.kind), order = static_cast<int>(w.order);
  r.choice("kind", workload_kinds, kind);
  r.choice("order", orders, order);
  w.kind = static_cast<workload::Spec::Kind>(kind);
  w.order = static_cast<workload::Spec::Order>(order);
  r.integer("documents", w.documents);
  r.integer("tokens", w.tokens);
  r.integer("rounds", w.rounds);
  r.number("zipf_exponent", w.zipf_exponent);
  r.integer("shared_prefix_tokens", w.shared_prefix_tokens);
  r.integer("output_tokens", w.output_tokens);
  r.seed("seed", w.seed);
  r.integer("turn_tokens", w.turn_tokens);
  r.text("trace", w.trace);
  r.integer("trace_requests", w.trace_requests);
  r.number("trace_scale", w.trace_scale);
  r.finish();
}

void read_arms(const Json& json, std::vector<Arm>& arms, std::vector<Fault>& faults) {
  arms.clear();
  for (std::size_t i = 0; i < json.size(); ++i) {
    const std::string place = fmt::format("arms[{}]", i);
    if (!json[i].is_object()) {
      faults.push_back({place, fmt::format("{} must be an object in braces, and is {}", place, describe(json[i])), {}});
      continue;
    }
    Arm arm;
    Reader r(json[i], place, faults);
    r.text("name", arm.name);
    r.boolean("offload", arm.offload);
    if (const Json* o = r.object("overrides"))
      for (const auto& [key, value] : o->items()) arm.overrides[key] = value;
    r.finish();
    arms.push_back(std::move(arm));
  }
}

void read_schedule(const Json& json, ScheduleSpec& s, std::vector<Fault>& faults) {
  Reader r(json, "schedule", faults);
  r.integer("pairs", s.pairs);
  int first = s.first == "on" ? 1 : 0;
  r.choice("first", first_words, first);
  s.first = first_words[static_cast<std::size_t>(first)];
  r.integer("conditioning", s.conditioning);
  r.text_list("controls", s.controls);
  r.text("calibration", s.calibration);
  int server = s.server == "kept" ? 1 : 0;
  r.choice("server", server_words, server);
  s.server = server_words[static_cast<std::size_t>(server)];
  r.finish();
}

void read_load(const Json& json, LoadSpec& l, std::vector<Fault>& faults) {
  Reader r(json, "load", faults);
  int mode = static_cast<int>(l.mode), arrival = l.poisson ? 0 : 1;
  r.choice("mode", load_modes, mode);
  l.mode = static_cast<LoadSpec::Mode>(mode);
  r.integer("concurrency", l.concurrency);
  r.number("rate", l.rate);
  r.choice("arrivals", arrivals, arrival);
  l.poisson = arrival == 0;
  r.finish();
}

void read_limits(const Json& json, LimitSpec& l, std::vector<Fault>& faults) {
  Reader r(json, "limits", faults);
  r.number("start_s", l.start_s);
  r.number("idle_s", l.idle_s);
  r.number("total_s", l.total_s);
  r.number("stop_s", l.stop_s);
  if (const Json* s = r.object("settle")) {
    Reader rs(*s, "limits.settle", faults);
    rs.integer("quiet_ms", l.settle.quiet_ms);
    rs.integer("timeout_ms", l.settle.timeout_ms);
    rs.finish();
  }
  r.finish();
}

void read_rest(const Json& json, Reader& r, Plan& plan, std::vector<Fault>& faults) {
  if (const Json* w = r.object("warmup")) {
    Reader rw(*w, "warmup", faults);
    rw.integer("min_requests", plan.warmup.min_requests);
    rw.integer("max_requests", plan.warmup.max_requests);
    rw.number("steady_ratio", plan.warmup.steady_ratio);
    rw.finish();
  }
  if (const Json* l = r.object("limits")) read_limits(*l, plan.limits, faults);
  r.bool_map("gates", plan.gates);
  r.number("smallest_effect", plan.smallest_effect);
  r.boolean("keep_raw", plan.keep_raw);
  const bool ceiling = json.contains("cost_ceiling") && !json.at("cost_ceiling").is_null();
  if (!ceiling) {
    r.raw("cost_ceiling");
  } else if (const Json* c = r.object("cost_ceiling")) {
    CostCeiling cost;
    Reader rc(*c, "cost_ceiling", faults);
    rc.number("seconds", cost.seconds);
    rc.number("money", cost.money);
    rc.number("money_per_hour", cost.money_per_hour);
    rc.finish();
    plan.cost_ceiling = cost;
  }
}

void read_schema(Reader& r, std::vector<Fault>& faults) {
  const Json* v = r.raw("schema");
  const std::string next = fmt::format("Write \"schema\": \"{}\"", schema_name);
  if (!v) {
    faults.push_back({"schema", "The plan does not say its schema", next});
  } else if (!v->is_string() || v->get_ref<const std::string&>() != schema_name) {
    const bool newer = v->is_string() && v->get_ref<const std::string&>().rfind("kvcliff.plan/", 0) == 0;
    faults.push_back({"schema",
                      fmt::format("schema must be \"{}\", and is {}{}", schema_name, describe(*v),
                                  newer ? ": another version of the plan file, which this program does not read" : ""),
                      next});
  }
}

}  // namespace

Plan read_structure(const Json& json, std::vector<Fault>& faults) {
  Plan plan;
  Reader r(json, "", faults);
  read_schema(r, faults);
  r.text("name", plan.name);
  if (const Json* o = r.object("engine")) read_engine(*o, plan.engine, faults);
  if (const Json* o = r.object("launcher")) read_launcher(*o, plan.launcher, faults);
  if (const Json* o = r.object("model")) read_model(*o, plan.model, faults);
  if (const Json* o = r.object("capacity")) read_capacity(*o, plan.capacity, faults);
  if (const Json* o = r.object("workload")) read_workload(*o, plan.workload, faults);
  const Json* arms = r.raw("arms");
  if (arms && arms->is_array()) {
    read_arms(*arms, plan.arms, faults);
  } else {
    if (arms) r.fault("arms", fmt::format("arms must be a list, and is {}", describe(*arms)));
    plan.arms = {{.name = "off", .offload = false}, {.name = "on", .offload = true}};
  }
  const auto has_control = std::any_of(plan.arms.begin(), plan.arms.end(), [](const Arm& a) { return a.name == "control"; });
  if (!has_control) plan.schedule.controls.clear();
  if (const Json* o = r.object("schedule")) read_schedule(*o, plan.schedule, faults);
  if (const Json* o = r.object("load")) read_load(*o, plan.load, faults);
  read_rest(json, r, plan, faults);
  r.finish();
  return plan;
}

namespace {

Parsed parse_for(const Json& json, bool launch) {
  Parsed out;
  if (!json.is_object()) {
    out.faults.push_back({"", fmt::format("A plan is one JSON object, and this is {}", describe(json)), {}});
    return out;
  }
  out.plan = read_structure(json, out.faults);
  // A contradiction that rests on a field which could not be read would be about a value the user did not write.
  std::vector<std::string> unread;
  for (const auto& f : out.faults) unread.push_back(f.field);
  for (auto& f : find_faults(out.plan))
    if (!rests_on(f, unread) && (launch || !f.of_launch)) out.faults.push_back(std::move(f.fault));
  return out;
}

Parsed parse_text_for(std::string_view text, const std::string& where, bool launch) {
  Parsed out;
  const auto json = parse_json(text, where);
  if (!json) {
    const Error& e = json.error();
    out.faults.push_back({"", e.what + (e.where.empty() ? "" : " (" + e.where + ")") + (e.why.empty() || e.why == e.what ? "" : ": " + e.why), e.next});
    return out;
  }
  out = parse_for(*json, launch);
  for (const auto& field : repeated_names(text))
    out.faults.push_back({field, fmt::format("{} stands twice in its object", field), "Keep one of them"});
  return out;
}

}  // namespace

Parsed parse(const Json& json) { return parse_for(json, true); }
Parsed parse_text(std::string_view text, const std::string& where) { return parse_text_for(text, where, true); }
Parsed parse_stored(std::string_view text, const std::string& where) { return parse_text_for(text, where, false); }

Parsed parse_file(const std::string& path) {
  const auto text = read_file(path);
  if (text) return parse_text(*text, path);
  Parsed out;
  out.faults.push_back({"", "The plan cannot be read: " + (text.error().why.empty() ? text.error().what : text.error().why), "Check the path, or write a plan with kvcliff-cli plan init"});
  return out;
}

}  // namespace kvcliff::plan
