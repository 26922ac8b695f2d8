// SPDX-License-Identifier: GPL-3.0-or-later
#include "cache/session.h"

#include <algorithm>
#include <utility>

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

}  // namespace

Request request_of(const workload::Prompt& p) {
  return {static_cast<std::int64_t>(p.tokens.size()), p.output_tokens, p.keys};
}

Result<void> predict_planned(const Config& config, std::span<PlannedRequest> requests, const PredictOptions& options) {
  std::vector<Input> inputs;
  inputs.reserve(requests.size());
  for (const PlannedRequest& r : requests)
    inputs.push_back({{r.prompt_tokens, r.output_tokens, r.block_hashes}, false, false});
  auto sources = predict(config, inputs, options);
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
