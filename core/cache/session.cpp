// SPDX-License-Identifier: GPL-3.0-or-later
#include "cache/session.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/hash.h"

namespace kvcliff::cache {
namespace {

PlannedRequest planned(workload::Prompt&& p) {
  PlannedRequest r;
  r.document = p.document;
  r.round = p.round;
  r.warmup = p.warmup;
  r.output_tokens = p.output_tokens;
  r.prompt = std::move(p.tokens);
  r.prompt_tokens = static_cast<std::int64_t>(r.prompt.size());
  r.prompt_hash = std::move(p.hash);
  r.block_hashes = std::move(p.keys);
  r.revisit_distance = p.revisit_distance;
  return r;
}

constexpr const char* other_tokens =
    "generated blocks are stored too, and whether this prompt is answered with the same tokens as before is the model's";

/// Both answers to a question that only the model can answer.
PredictedCount either(const PredictedCount& a, const PredictedCount& b) {
  if (a == b) return a;
  return {std::min(a.min, b.min), std::max(a.max, b.max), (a.mean + b.mean) / 2, a.is_exact() && b.is_exact() ? other_tokens : a.is_exact() ? b.why : a.why};
}

/// Keys of the blocks that an answer fills, as if equal prompts had equal answers. The first may hold the prompt's tail too.
void add_answer(Input& in, const Config& config, const std::string& prompt_hash) {
  const auto prompt_blocks = static_cast<std::size_t>(in.request.prompt_tokens / config.block_size);
  if (in.request.keys.size() != prompt_blocks) return;  // the answer is known
  const std::uint64_t prompt = hash64(prompt_hash.data(), prompt_hash.size(), 0x616e73776572ULL);
  const std::int64_t blocks = (in.request.prompt_tokens + in.request.output_tokens) / config.block_size;
  for (auto b = static_cast<std::int64_t>(prompt_blocks); b < blocks; ++b) in.request.keys.push_back(hash64(&b, sizeof b, prompt));
}

bool any_repeats(std::span<const PlannedRequest* const> requests) {
  std::vector<std::string_view> hashes;
  for (const auto* r : requests) hashes.push_back(r->prompt_hash);
  std::sort(hashes.begin(), hashes.end());
  return std::adjacent_find(hashes.begin(), hashes.end()) != hashes.end();
}

}  // namespace

Request request_of(const workload::Prompt& p) {
  return {static_cast<std::int64_t>(p.tokens.size()), p.output_tokens, p.keys};
}

Result<std::vector<PredictedSources>> predict_in_order(const Config& config, std::span<const PlannedRequest* const> requests, const PredictOptions& options) {
  std::vector<Input> inputs;
  inputs.reserve(requests.size());
  for (const PlannedRequest* r : requests) inputs.push_back({{r->prompt_tokens, r->output_tokens, r->block_hashes}, false, false});
  auto sources = predict(config, inputs, options);
  if (!sources || config.offload_prompt_only || config.host_chunks == 0 || !any_repeats(requests)) return sources;
  for (std::size_t i = 0; i < inputs.size(); ++i) add_answer(inputs[i], config, requests[i]->prompt_hash);
  const auto repeated = predict(config, inputs, options);
  if (!repeated) return fail(repeated.error());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    PredictedSources& s = (*sources)[i];
    const PredictedSources& r = (*repeated)[i];
    s = {either(s.computed, r.computed), either(s.gpu_hit, r.gpu_hit), either(s.host_loaded, r.host_loaded), either(s.stored_blocks, r.stored_blocks)};
  }
  return sources;
}

Result<void> predict_planned(const Config& config, std::span<PlannedRequest> requests, const PredictOptions& options) {
  std::vector<const PlannedRequest*> list;
  list.reserve(requests.size());
  for (const PlannedRequest& r : requests) list.push_back(&r);
  auto sources = predict_in_order(config, list, options);
  if (!sources) return fail(sources.error());
  for (std::size_t i = 0; i < requests.size(); ++i) requests[i].predicted = std::move((*sources)[i]);
  return {};
}

Result<std::vector<PlannedRequest>> plan_session(const workload::Spec& spec, const Config& config, int warmups,
                                                 std::uint64_t salt, const PredictOptions& options) {
  auto prompts = workload::realise(spec, config.block_size);
  if (!prompts) return fail(prompts.error());
  std::vector<std::int64_t> lengths;
  for (const auto& p : *prompts) {
    const auto n = static_cast<std::int64_t>(p.tokens.size());
    if (std::find(lengths.begin(), lengths.end(), n) == lengths.end()) lengths.push_back(n);
  }
  std::vector<PlannedRequest> out;
  for (int i = 0; i < warmups && !lengths.empty(); ++i) {
    auto p = workload::warmup_prompt(spec, config.block_size, lengths[static_cast<std::size_t>(i) % lengths.size()], i, salt);
    if (!p) return fail(p.error());
    out.push_back(planned(std::move(*p)));
  }
  for (auto& p : *prompts) out.push_back(planned(std::move(p)));
  for (std::size_t i = 0; i < out.size(); ++i) out[i].ordinal = static_cast<int>(i);
  if (auto ok = predict_planned(config, out, options); !ok) return fail(ok.error());
  return out;
}

}  // namespace kvcliff::cache
