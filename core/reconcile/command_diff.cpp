// SPDX-License-Identifier: GPL-3.0-or-later
#include "reconcile/command_diff.h"

#include <array>
#include <set>

#include "base/json.h"
#include "wire/kv_events.h"

namespace kvcliff::reconcile {
namespace {
constexpr const char* absent = "(absent)";

// Different in any two servers: where they listen, and the seeds of an emulator's noise and session effect.
bool differs_by_nature(const std::string& name) {
  static const std::set<std::string> names{"--port", "--host", "--emulate-noise-seed", "--emulate-session",
                                           "--emulate-session-seed", "--emulate-seed", "KVCLIFF_SESSION", "KVCLIFF_EMULATE_SESSION"};
  return names.count(name) > 0;
}
}  // namespace

namespace {
// The port on which we listen for KV events is another one for each server.
std::string without_endpoint(const std::string& value) {
  auto json = parse_json(value, std::string(wire::kv_events_flag));
  if (!json || !json->is_object()) return value;
  json->erase("endpoint");
  return json->dump();
}
}  // namespace

std::map<std::string, std::string> settings_of(const std::vector<std::string>& argv) {
  std::map<std::string, std::string> out;
  bool flags = false;
  for (std::size_t i = 1; i < argv.size(); ++i) {
    const std::string& a = argv[i];
    if (a.rfind("--", 0) != 0) {
      if (!flags) out["argv[" + std::to_string(i) + "]"] = a;
      continue;
    }
    flags = true;
    if (const auto eq = a.find('='); eq != std::string::npos) {
      out[a.substr(0, eq)] = a.substr(eq + 1);
    } else {
      // A value follows unless the next word is a flag; several values of one flag are kept in order.
      std::string value;
      for (std::size_t k = i + 1; k < argv.size() && argv[k].rfind("--", 0) != 0; ++k)
        value += (value.empty() ? "" : " ") + argv[k];
      out[a] = value;
    }
  }
  if (const auto it = out.find(std::string(wire::kv_events_flag)); it != out.end()) it->second = without_endpoint(it->second);
  return out;
}

std::vector<SettingDifference> command_differences(const SessionRecord& left, const SessionRecord& right) {
  std::vector<SettingDifference> out;
  const auto compare = [&](const std::map<std::string, std::string>& a, const std::map<std::string, std::string>& b) {
    std::set<std::string> names;
    for (const auto& [k, v] : a) names.insert(k);
    for (const auto& [k, v] : b) names.insert(k);
    for (const auto& name : names) {
      if (differs_by_nature(name)) continue;
      const auto x = a.find(name), y = b.find(name);
      const std::string left_value = x == a.end() ? absent : x->second, right_value = y == b.end() ? absent : y->second;
      if (left_value != right_value) out.push_back({name, left_value, right_value});
    }
  };
  compare(settings_of(left.argv), settings_of(right.argv));
  auto left_env = left.env_set, right_env = right.env_set;
  for (const auto& n : left.env_unset) left_env.emplace(n, "(unset)");
  for (const auto& n : right.env_unset) right_env.emplace(n, "(unset)");
  compare(left_env, right_env);
  if (!left.argv.empty() && !right.argv.empty() && left.argv[0] != right.argv[0])
    out.push_back({"program", left.argv[0], right.argv[0]});
  return out;
}

bool is_offload_setting(const std::string& name) {
  static const std::set<std::string> names{"--kv-offloading-size", "--kv-offloading-backend", "--kv-transfer-config",
                                           "--swap-space", "--hicache-size", "--hicache-ratio", "--enable-hierarchical-cache",
                                           "--hicache-write-policy", "VLLM_USE_SIMPLE_KV_OFFLOAD"};
  return names.count(name) > 0;
}

}  // namespace kvcliff::reconcile
