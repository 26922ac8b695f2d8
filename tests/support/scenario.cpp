// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/scenario.h"

#include <stdexcept>

#include "base/hash.h"
#include "support/data.h"

namespace kvcliff::test {
namespace {

// A token is a document and a position in it; a block key hashes the key before it and the block's tokens.
std::vector<std::uint64_t> keys_of(const Json& parts, std::int64_t output, std::int64_t block, std::int64_t& prompt) {
  std::vector<std::uint64_t> tokens;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const std::string document = parts[p][0].get<std::string>();
    const std::uint64_t seed = hash64(document.data(), document.size(), 7);
    const std::int64_t length = parts[p][1].get<std::int64_t>();
    const std::int64_t until = p + 1 == parts.size() ? length + output : length;
    for (std::int64_t i = 0; i < until; ++i) tokens.push_back(hash64(&i, sizeof i, seed));
    prompt += length;
  }
  std::vector<std::uint64_t> keys;
  std::uint64_t parent = 1;
  for (std::size_t i = 0; i + std::size_t(block) <= tokens.size(); i += std::size_t(block)) {
    parent = hash64(tokens.data() + i, std::size_t(block) * sizeof(std::uint64_t), parent);
    keys.push_back(parent);
  }
  return keys;
}

}  // namespace

Scenario read_scenario(const Json& json, std::int64_t default_block_size) {
  Scenario out;
  out.id = json.at("id").get<std::string>();
  cache::Config& c = out.config;
  c.block_size = json.value("block_size", default_block_size);
  c.gpu_blocks = json.at("N").get<std::int64_t>();
  c.host_chunks = json.at("Ch").get<std::int64_t>();
  c.blocks_per_chunk = json.value("blocks_per_chunk", std::int64_t{1});
  c.policy = json.value("policy", "lru") == "arc" ? cache::Policy::arc : cache::Policy::lru;
  c.offload_prompt_only = json.value("offload_prompt_only", true);
  for (const auto& order : json.at("free_order"))
    out.free_orders.push_back(order == "append" ? cache::FreeOrder::append : cache::FreeOrder::prepend);
  for (const auto& touch : json.at("host_touch"))
    out.host_touches.push_back(touch == "lookup"    ? cache::HostTouch::lookup
                               : touch == "unordered" ? cache::HostTouch::unordered
                                                      : cache::HostTouch::finish);
  c.free_order = out.free_orders.at(0);
  c.host_touch = out.host_touches.at(0);
  bool reset = false;
  for (const auto& item : json.at("requests")) {
    if (item.is_string()) {
      reset = true;
      continue;
    }
    ScenarioRequest r;
    r.request.output_tokens = item.at(2).get<std::int64_t>();
    r.request.keys = keys_of(item.at(1), r.request.output_tokens, c.block_size, r.request.prompt_tokens);
    r.reset_before = std::exchange(reset, false);
    out.requests.push_back(std::move(r));
  }
  out.expect = json.at("expect").get<std::vector<std::vector<std::int64_t>>>();
  out.order_dependent.resize(out.expect.size(), false);
  if (json.contains("order_dependent"))
    for (const std::size_t i : json["order_dependent"].get<std::vector<std::size_t>>()) out.order_dependent.at(i) = true;
  return out;
}

std::vector<Scenario> read_scenarios(const std::string& file) {
  const Json json = read_json(file);
  std::vector<Scenario> out;
  for (const auto& s : json.at("scenarios")) out.push_back(read_scenario(s, json.value("block_size", std::int64_t{16})));
  return out;
}

}  // namespace kvcliff::test
