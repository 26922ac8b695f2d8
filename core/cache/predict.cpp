// SPDX-License-Identifier: GPL-3.0-or-later
#include "cache/predict.h"

#include <fmt/format.h>

#include <algorithm>

#include "cache/simulator.h"

namespace kvcliff::cache {
namespace {

std::vector<Outcome> simulate(const Config& config, std::span<const Input> inputs, std::uint64_t seed) {
  Simulator simulator(config, seed);
  std::vector<Outcome> out;
  out.reserve(inputs.size());
  for (const Input& i : inputs) {
    if (i.reset_gpu) simulator.reset_gpu();
    if (i.reset_host) simulator.reset_host();
    out.push_back(simulator.run_fitting(i.request));
  }
  return out;
}

}  // namespace

std::optional<Error> check(const Config& c) {
  const auto bad = [](const char* field, const std::string& why) {
    return Error{ErrorCode::bad_usage, "The cache cannot be simulated", field, why, "Correct the configuration"};
  };
  if (c.block_size < 1) return bad("block_size", fmt::format("blocks of {} tokens hold nothing", c.block_size));
  if (c.gpu_blocks < 0) return bad("gpu_blocks", fmt::format("{} blocks", c.gpu_blocks));
  if (c.host_chunks < 0) return bad("host_chunks", fmt::format("{} chunks", c.host_chunks));
  if (c.blocks_per_chunk < 1) return bad("blocks_per_chunk", fmt::format("{} blocks make no chunk", c.blocks_per_chunk));
  if (c.max_batched_tokens < 0) return bad("max_batched_tokens", fmt::format("{} tokens", c.max_batched_tokens));
  return std::nullopt;
}

Result<std::vector<PredictedSources>> predict(const Config& config, std::span<const Input> inputs, const PredictOptions& options) {
  if (auto why = check(config)) return fail(std::move(*why));
  const Simulator probe(config);
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (auto why = probe.misfit(inputs[i].request)) {
      why->where = fmt::format("request {}", i);
      return fail(std::move(*why));
    }
  std::vector<PredictedSources> out;
  for (const Outcome& o : simulate(config, inputs, options.seed))
    out.push_back({PredictedCount::exact(o.computed), PredictedCount::exact(o.gpu_hit), PredictedCount::exact(o.host_loaded),
                   PredictedCount::exact(o.stored_chunks)});
  return out;
}

}  // namespace kvcliff::cache
