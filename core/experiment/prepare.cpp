// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/prepare.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "base/file.h"
#include "base/hash.h"
#include "cache/predict.h"
#include "cache/rules.h"
#include "cache/session.h"
#include "model/config_text.h"
#include "workload/requests.h"
#include "workload/shared_start.h"

namespace kvcliff::experiment {
namespace {

PlannedRequest planned_from(workload::Prompt&& p) {
  PlannedRequest r;
  r.document = p.document;
  r.round = p.round;
  r.warmup = p.warmup;
  r.output_tokens = p.output_tokens;
  r.prompt_tokens = static_cast<std::int64_t>(p.tokens.size());
  r.prompt = std::move(p.tokens);
  r.prompt_hash = std::move(p.hash);
  r.block_hashes = std::move(p.keys);
  r.revisit_distance = p.revisit_distance;
  return r;
}

}  // namespace

Result<SessionJob> prepare(const plan::Plan& plan, const plan::SessionPlan& session, int attempt, const KvBytes& kv_bytes, std::string_view run) {
  SessionJob job;
  job.schedule = session;
  auto arm_plan = plan::for_arm(plan, session.arm);
  if (!arm_plan) return fail(arm_plan.error());
  job.arm_plan = std::move(*arm_plan);
  const plan::Arm* arm = plan::find_arm(plan, session.arm);
  job.offload = arm && arm->offload;
  const auto bytes = kv_bytes(job.arm_plan);
  if (!bytes) return fail(bytes.error());
  job.kv_bytes_per_token = *bytes;
  job.salt = hash64(run.data(), run.size(), static_cast<std::uint64_t>(session.ordinal) * 1000 + static_cast<std::uint64_t>(attempt));
  auto prompts = workload::realise(job.arm_plan.workload, job.arm_plan.capacity.block_size);
  if (!prompts) return fail(prompts.error());
  const std::int64_t block_size = job.arm_plan.capacity.block_size;
  job.shared_start = workload::shared_start_warning(workload::shared_start(*prompts, block_size), job.arm_plan.workload, block_size);
  for (auto& p : *prompts) job.requests.push_back(planned_from(std::move(p)));
  if (job.requests.empty())
    return fail(ErrorCode::bad_usage, fmt::format("Arm \"{}\" has no requests", session.arm), plan.name, {},
                "Give it documents and rounds, or a trace");
  if (job.arm_plan.load.mode == plan::LoadSpec::Mode::open) {
    const auto times = send_times(job.requests.size(), job.arm_plan.load.rate, job.arm_plan.load.poisson,
                                  job.arm_plan.workload.seed);
    for (std::size_t i = 0; i < times.size(); ++i) job.requests[i].planned_send = times[i];
  }
  return job;
}

Json model_facts(const plan::Plan& plan, const std::vector<plan::SessionPlan>& schedule, const KvBytes& kv_bytes) {
  Json sizes = Json::object();
  for (const auto& s : schedule) {
    if (sizes.contains(s.arm)) continue;
    const auto arm = plan::for_arm(plan, s.arm);
    if (!arm) continue;
    if (const auto bytes = kv_bytes(*arm)) sizes[s.arm] = *bytes;
  }
  Json out{{"kv_bytes_per_token", std::move(sizes)}};
  if (plan.model.config.empty()) return out;
  std::filesystem::path path = plan.model.config;
  std::error_code ec;
  if (std::filesystem::is_directory(path, ec)) path /= "config.json";
  if (const auto text = read_maybe_compressed(path))
    if (auto config = model::parse_config_text(*text, path.string())) out["config"] = std::move(config->value);
  return out;
}

Result<PlannedRequest> warmup_request(const SessionJob& job, std::int64_t tokens, int index) {
  auto p = workload::warmup_prompt(job.arm_plan.workload, job.arm_plan.capacity.block_size, tokens, index, job.salt);
  if (!p) return fail(p.error());
  PlannedRequest r = planned_from(std::move(*p));
  r.warmup = true;
  if (r.output_tokens <= 0) r.output_tokens = std::max<std::int64_t>(1, job.arm_plan.workload.output_tokens);
  return r;
}

cache::Config cache_config(const SessionJob& job, const std::string& engine_version) {
  const plan::CapacitySpec& c = job.arm_plan.capacity;
  cache::Config out;
  out.block_size = c.block_size;
  out.gpu_blocks = c.gpu_blocks - 1;  // the null block
  out.blocks_per_chunk = std::max<std::int64_t>(1, c.offload.blocks_per_chunk);
  if (job.offload && job.kv_bytes_per_token > 0)
    out.host_chunks = c.host_bytes / (job.kv_bytes_per_token * c.block_size * out.blocks_per_chunk);
  out.policy = c.offload.policy == "arc" ? cache::Policy::arc : cache::Policy::lru;
  out.offload_prompt_only = c.offload.offload_prompt_only;
  // What the running engine says of itself decides; the plan's wish and the newest rules come after it.
  for (const std::string* version : {&engine_version, &job.arm_plan.engine.version})
    if (!version->empty())
      if (const auto ruled = cache::with_rules_of(out, *version)) return *ruled;
  return cache::with_rules_of(out, {}).value_or(out);
}

Result<void> predict(const SessionJob& job, const std::string& engine_version, std::span<const PlannedRequest> before,
                     std::vector<PlannedRequest>& measured) {
  std::vector<const PlannedRequest*> requests;
  requests.reserve(before.size() + measured.size());
  for (const auto& r : before) requests.push_back(&r);
  for (const auto& r : measured) requests.push_back(&r);
  const auto all = cache::predict_in_order(cache_config(job, engine_version), requests);
  if (!all) return fail(all.error());
  for (std::size_t i = 0; i < measured.size(); ++i) measured[i].predicted = (*all)[before.size() + i];
  return {};
}

std::vector<MonoNs> send_times(std::size_t n, double rate, bool poisson, std::uint64_t seed) {
  Rng rng(seed ^ 0x6f70656e6c6f6f70ULL);  // its own sequence, apart from the one that draws prompts
  std::vector<MonoNs> out;
  double at = 0;
  for (std::size_t i = 0; i < n; ++i) {
    out.push_back(static_cast<MonoNs>(at * 1e9));
    if (rate > 0) at += poisson ? -std::log1p(-rng.unit()) / rate : 1 / rate;
  }
  return out;
}

}  // namespace kvcliff::experiment
