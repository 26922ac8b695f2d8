// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include "base/text.h"
#include "engine/vllm/adapter.h"
#include "engine/vllm/log_facts.h"

namespace kvcliff::engine::vllm {
namespace {

/// A label of cache_config_info; empty when absent or "None".
std::string info_label(const CounterSnapshot& page, const std::string& key) {
  const auto info = page.info.find("cache_config_info");
  if (info == page.info.end()) return {};
  const auto it = info->second.find(key);
  return it == info->second.end() || it->second == "None" ? std::string() : it->second;
}

}  // namespace

EffectiveConfig effective_of(const std::vector<LogLine>& log, const CounterSnapshot& first, const std::string& version) {
  const LogFacts facts = read_log(log);
  EffectiveConfig c;
  const auto line = [&](const char* fact) {
    const auto it = facts.line_of.find(fact);
    return it == facts.line_of.end() ? std::string("log") : "log line " + std::to_string(it->second);
  };
  const auto from_log = [&](const char* name, std::optional<std::int64_t>& slot, const std::optional<std::int64_t>& v) {
    if (!v) return;
    slot = v;
    c.from[name] = line(name);
  };
  // The metrics page speaks of the running server, so it goes before the log; differences show in `from`.
  const auto from_info = [&](const char* name, std::optional<std::int64_t>& slot, const char* label) {
    const auto v = parse_int(info_label(first, label));
    if (!v || *v <= 0) return;
    if (slot && *slot != *v) c.from[std::string(name) + " (other)"] = c.from[name] + " says " + std::to_string(*slot);
    slot = v;
    c.from[name] = std::string("cache_config_info, label ") + label;
  };

  c.engine_version = !version.empty() ? version : facts.version;
  if (!c.engine_version.empty()) c.from["engine_version"] = !version.empty() ? "/version" : line("version");
  c.simulated = facts.simulated || version.find("simulated") != std::string::npos;
  from_log("block_size", c.block_size, facts.block_size);
  from_info("block_size", c.block_size, "block_size");
  from_log("gpu_blocks", c.gpu_blocks, facts.gpu_blocks);
  from_info("gpu_blocks", c.gpu_blocks, "num_gpu_blocks");
  from_log("gpu_tokens", c.gpu_tokens, facts.gpu_tokens);
  from_info("gpu_tokens", c.gpu_tokens, "kv_cache_size_tokens");
  from_log("kv_bytes_available", c.kv_bytes_available, facts.kv_bytes_available);
  from_info("kv_bytes_available", c.kv_bytes_available, "kv_cache_memory_bytes");
  from_log("host_bytes", c.host_bytes, facts.host_bytes);
  if (const auto size = parse_double(info_label(first, "kv_offloading_size")); size && *size > 0 && *size < 1e9 && !c.host_bytes) {
    c.host_bytes = static_cast<std::int64_t>(std::floor(*size * 1024.0 * 1024.0 * 1024.0));
    c.from["host_bytes"] = "cache_config_info, label kv_offloading_size";
  }
  c.model = facts.model;
  if (!first.model.empty()) {
    c.model = first.model;
    c.from["model"] = "label model_name";
  }
  c.kv_dtype = facts.kv_dtype;
  if (!c.kv_dtype.empty()) c.from["kv_dtype"] = line("kv_dtype");
  if (const auto dtype = info_label(first, "cache_dtype"); !dtype.empty()) {
    c.kv_dtype = dtype;
    c.from["kv_dtype"] = "cache_config_info, label cache_dtype";
  }

  // Is there a tier? Its byte counters are declared from the start; a connector without counters shows in the log only.
  bool declared = false;
  for (const auto& name : {"kv_offload_load_bytes", "kv_offload_store_bytes", "kv_offload_total_bytes"})
    declared = declared || first.readings.count(name) > 0 || first.declared.count(name) > 0;
  if (declared) {
    c.offload = true;
    c.from["offload"] = "the metrics page declares kv_offload series";
  } else if (!facts.connector.empty()) {
    c.offload = facts.connector.find("Offload") != std::string::npos || facts.connector.find("LMCache") != std::string::npos;
    c.from["offload"] = line("connector") + ": " + facts.connector;
  } else if (first.good() && !first.engine.empty() && facts.ready) {
    c.offload = false;
    c.from["offload"] = "no kv_offload series, and no connector in the log";
  } else if (first.good() && !first.engine.empty() && log.empty()) {
    c.from["offload"] = "no kv_offload series, and there is no log to tell whether a connector without counters is in use";
  }
  return c;
}

}  // namespace kvcliff::engine::vllm
