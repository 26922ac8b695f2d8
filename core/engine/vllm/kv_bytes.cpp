// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/vllm/kv_bytes.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "model/catalogue.h"
#include "model/derive.h"

namespace kvcliff::engine::vllm {
namespace {

std::optional<Json> config_of(const plan::Plan& plan, const std::string& resources) {
  if (!plan.model.config.empty()) {
    std::filesystem::path p(plan.model.config);
    if (p.extension() != ".json") p /= "config.json";
    const auto text = read_file(p);
    if (!text) return std::nullopt;
    auto json = Json::parse(*text, nullptr, false);
    return json.is_object() ? std::optional(std::move(json)) : std::nullopt;
  }
  if (resources.empty()) return std::nullopt;
  const auto entries = model::catalogue((std::filesystem::path(resources) / "models").string());
  if (!entries) return std::nullopt;
  const auto entry = model::find(*entries, plan.model.id);
  return entry ? std::optional((*entry)->config) : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> block_bytes_per_rank(const plan::Plan& plan, const std::string& resources) {
  const auto config = config_of(plan, resources);
  if (!config) return std::nullopt;
  model::Options options;
  options.kv_dtype = plan.model.kv_dtype.empty() ? "auto" : plan.model.kv_dtype;
  options.tp = plan.model.tp;
  options.pp = plan.model.pp;
  options.block_size = plan.capacity.block_size;
  const auto layout = model::derive(*config, options);
  // Pools with windows or states are cut into groups: their block is not tokens x bytes per token.
  if (!layout || layout->groups.size() != 1 || layout->state || layout->window_tokens > 0 ||
      layout->block_size != plan.capacity.block_size || layout->bytes_per_token_per_rank <= 0)
    return std::nullopt;
  return layout->bytes_per_token_per_rank * plan.capacity.block_size;
}

std::optional<std::string> hub_name(const plan::Plan& plan, const std::string& resources) {
  if (!plan.model.config.empty() || resources.empty() || plan.model.id.find('/') != std::string::npos) return std::nullopt;
  const auto entries = model::catalogue((std::filesystem::path(resources) / "models").string());
  if (!entries) return std::nullopt;
  const auto entry = model::find(*entries, plan.model.id);
  return entry ? std::optional((*entry)->id) : std::nullopt;
}

}  // namespace kvcliff::engine::vllm
