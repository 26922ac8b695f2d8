// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/session.h"

#include <array>

namespace kvcliff {
namespace {
constexpr std::array<std::string_view, 12> state_names{
    "planned",  "preflight", "launching", "ready",  "warming",         "measuring",
    "settling", "stopping",  "finished",  "failed", "stopped_by_user", "superseded"};

template <class T>
void read(const Json& j, const char* key, std::optional<T>& out) {
  if (const auto it = j.find(key); it != j.end() && !it->is_null()) out = it->get<T>();
}
}  // namespace

std::string_view to_string(SessionState s) { return state_names[static_cast<std::size_t>(s)]; }

std::optional<SessionState> session_state_from(std::string_view s) {
  for (std::size_t i = 0; i < state_names.size(); ++i)
    if (state_names[i] == s) return static_cast<SessionState>(i);
  return std::nullopt;
}

bool is_end(SessionState s) { return s >= SessionState::finished; }

void to_json(Json& j, const EffectiveConfig& c) {
  j = Json{{"engine_version", c.engine_version},
           {"simulated", c.simulated},
           {"block_size", optional_json(c.block_size)},
           {"gpu_blocks", optional_json(c.gpu_blocks)},
           {"gpu_tokens", optional_json(c.gpu_tokens)},
           {"kv_bytes_available", optional_json(c.kv_bytes_available)},
           {"host_bytes", optional_json(c.host_bytes)},
           {"offload", optional_json(c.offload)},
           {"kv_dtype", c.kv_dtype},
           {"model", c.model},
           {"from", c.from}};
}

void from_json(const Json& j, EffectiveConfig& c) {
  c.engine_version = j.value("engine_version", std::string());
  c.simulated = j.value("simulated", false);
  read(j, "block_size", c.block_size);
  read(j, "gpu_blocks", c.gpu_blocks);
  read(j, "gpu_tokens", c.gpu_tokens);
  read(j, "kv_bytes_available", c.kv_bytes_available);
  read(j, "host_bytes", c.host_bytes);
  read(j, "offload", c.offload);
  c.kv_dtype = j.value("kv_dtype", std::string());
  c.model = j.value("model", std::string());
  c.from = j.value("from", std::map<std::string, std::string>());
}

void to_json(Json& j, const Capability& c) { j = Json{{"present", c.present}, {"how", c.how}}; }
void from_json(const Json& j, Capability& c) {
  c.present = j.at("present").get<bool>();
  c.how = j.at("how").get<std::string>();
}

}  // namespace kvcliff
