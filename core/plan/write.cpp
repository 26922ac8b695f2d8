// SPDX-License-Identifier: GPL-3.0-or-later
// Plan -> JSON with every field; those marked optional in the schema are left out when empty.
#include "base/hash.h"
#include "plan/plan.h"
#include "plan/words.h"

namespace kvcliff::plan {
namespace {

Json engine_json(const EngineSpec& e) {
  Json j{{"adapter", e.adapter}, {"extra_args", e.extra_args}, {"extra_env", Json::object()}};
  for (const auto& [k, v] : e.extra_env) j["extra_env"][k] = v;
  if (!e.version.empty()) j["version"] = e.version;
  if (!e.environment.empty()) j["environment"] = e.environment;
  return j;
}

Json model_json(const ModelSpec& m) {
  Json j{{"kv_dtype", m.kv_dtype}, {"tp", m.tp}, {"pp", m.pp}, {"weights", weights_words[m.dummy_weights ? 1 : 0]}};
  if (!m.id.empty()) j["id"] = m.id;
  if (!m.config.empty()) j["config"] = m.config;
  return j;
}

Json workload_json(const workload::Spec& w) {
  Json j{{"kind", workload_kinds[static_cast<std::size_t>(w.kind)]},
         {"documents", w.documents},
         {"tokens", w.tokens},
         {"rounds", w.rounds},
         {"order", orders[static_cast<std::size_t>(w.order)]},
         {"zipf_exponent", w.zipf_exponent},
         {"shared_prefix_tokens", w.shared_prefix_tokens},
         {"output_tokens", w.output_tokens},
         {"seed", w.seed},
         {"turn_tokens", w.turn_tokens},
         {"trace_requests", w.trace_requests},
         {"trace_scale", w.trace_scale}};
  if (!w.trace.empty()) j["trace"] = w.trace;
  return j;
}

Json load_json(const LoadSpec& l) {
  Json j{{"mode", load_modes[static_cast<std::size_t>(l.mode)]}};
  if (l.mode != LoadSpec::Mode::serial || l.concurrency != 1) j["concurrency"] = l.concurrency;
  if (l.mode == LoadSpec::Mode::open || l.rate != 0) {
    j["rate"] = l.rate;
    j["arrivals"] = arrivals[l.poisson ? 0 : 1];
  }
  return j;
}

}  // namespace

Json to_json(const Plan& p) {
  Json j{{"schema", schema_name}, {"name", p.name}, {"engine", engine_json(p.engine)}, {"model", model_json(p.model)}};
  j["launcher"] = Json{{"kind", p.launcher.kind}};
  for (const auto& [k, v] : p.launcher.options) j["launcher"][k] = v;
  j["capacity"] = Json{{"block_size", p.capacity.block_size},
                       {"gpu_blocks", p.capacity.gpu_blocks},
                       {"host_bytes", p.capacity.host_bytes},
                       {"offload",
                        {{"offload_prompt_only", p.capacity.offload.offload_prompt_only},
                         {"policy", p.capacity.offload.policy},
                         {"blocks_per_chunk", p.capacity.offload.blocks_per_chunk}}}};
  j["workload"] = workload_json(p.workload);
  j["arms"] = Json::array();
  for (const auto& a : p.arms) {
    Json overrides = Json::object();
    for (const auto& [k, v] : a.overrides) overrides[k] = v;
    j["arms"].push_back(Json{{"name", a.name}, {"offload", a.offload}, {"overrides", std::move(overrides)}});
  }
  j["schedule"] = Json{{"pairs", p.schedule.pairs},
                       {"first", p.schedule.first},
                       {"conditioning", p.schedule.conditioning},
                       {"controls", p.schedule.controls}};
  if (!p.schedule.calibration.empty()) j["schedule"]["calibration"] = p.schedule.calibration;
  if (p.schedule.server != "fresh") j["schedule"]["server"] = p.schedule.server;  // plans older than the choice keep their hash
  j["load"] = load_json(p.load);
  j["warmup"] = Json{{"min_requests", p.warmup.min_requests},
                     {"max_requests", p.warmup.max_requests},
                     {"steady_ratio", p.warmup.steady_ratio}};
  j["limits"] = Json{{"start_s", p.limits.start_s},
                     {"idle_s", p.limits.idle_s},
                     {"total_s", p.limits.total_s},
                     {"stop_s", p.limits.stop_s},
                     {"settle", {{"quiet_ms", p.limits.settle.quiet_ms}, {"timeout_ms", p.limits.settle.timeout_ms}}}};
  j["gates"] = Json::object();
  for (const auto& [k, v] : p.gates) j["gates"][k] = v;
  j["smallest_effect"] = p.smallest_effect;
  if (p.cost_ceiling) {
    Json c{{"money_per_hour", p.cost_ceiling->money_per_hour}};
    if (p.cost_ceiling->seconds) c["seconds"] = *p.cost_ceiling->seconds;
    if (p.cost_ceiling->money) c["money"] = *p.cost_ceiling->money;
    j["cost_ceiling"] = std::move(c);
  }
  j["keep_raw"] = p.keep_raw;
  return j;
}

std::string hash(const Plan& plan) { return sha256_hex(canonical_json(to_json(plan))); }

}  // namespace kvcliff::plan
