// SPDX-License-Identifier: GPL-3.0-or-later
// R15: the server runs what the plan says, and arms differ only where they say so.
#include <fmt/format.h>

#include <cstdlib>
#include <set>

#include "base/text.h"
#include "reconcile/checks.h"
#include "reconcile/command_diff.h"
#include "reconcile/common.h"

namespace kvcliff::reconcile::checks {
namespace {

// Settings that a declared override of the plan shows up in.
std::set<std::string> settings_for_override(const std::string& path) {
  static const std::map<std::string, std::set<std::string>> table{
      {"capacity.gpu_blocks", {"--num-gpu-blocks-override", "--kv-cache-memory-bytes", "--gpu-memory-utilization", "--max-model-len"}},
      {"capacity.block_size", {"--block-size"}},
      {"capacity.host_bytes", {"--kv-offloading-size", "--kv-transfer-config"}},
      {"capacity.offload", {"--kv-transfer-config"}},
      {"model.kv_dtype", {"--kv-cache-dtype"}},
      {"model.id", {"--served-model-name", "--model"}},
      {"model.config", {"--served-model-name", "--model"}},
      {"model.tp", {"--tensor-parallel-size"}},
      {"model.pp", {"--pipeline-parallel-size"}},
      {"workload.tokens", {"--max-model-len"}},
      {"workload.output_tokens", {"--max-model-len"}},
  };
  for (const auto& [prefix, names] : table)
    if (path == prefix || path.rfind(prefix + ".", 0) == 0) return names;
  return {};
}

bool allowed(const SettingDifference& d, const plan::Arm& arm, const plan::Arm& reference) {
  if (is_offload_setting(d.name) && arm.offload != reference.offload) return true;
  for (const auto* a : {&arm, &reference})
    for (const auto& [path, value] : a->overrides) {
      if (settings_for_override(path).count(d.name)) return true;
      if (path.rfind("engine.", 0) == 0) return true;  // free arguments: the plan's reader has seen them
      if ((path == "model.id" || path == "model.config") && d.name.rfind("argv[", 0) == 0) return true;
    }
  return false;
}

const plan::Arm* arm_named(const plan::Plan& p, const std::string& name) {
  for (const auto& a : p.arms)
    if (a.name == name) return &a;
  return nullptr;
}

std::string list(const std::vector<std::string>& v) {
  std::string out;
  for (const auto& s : v) out += (out.empty() ? "" : "; ") + s;
  return out;
}
}  // namespace

// R15 of a session. Facts that the engine does not state are named; they are never taken as agreeing.
CheckResult configuration(const ExperimentInput&, const SessionInput& s) {
  const auto& got = s.record.effective;
  const auto& want = s.plan.capacity;
  std::vector<std::string> wrong, unstated;
  double residual = 0;
  const auto compare = [&](const char* what, const std::optional<std::int64_t>& value, std::int64_t wanted, std::int64_t tolerance) {
    if (!value) {
      unstated.emplace_back(what);
    } else if (std::llabs(*value - wanted) > tolerance) {
      wrong.push_back(fmt::format("{} is {}, the plan says {}", what, grouped(*value), grouped(wanted)));
      if (residual == 0) residual = static_cast<double>(*value - wanted);
    }
  };
  compare("block size", got.block_size, want.block_size, 0);
  compare("GPU blocks", got.gpu_blocks, want.gpu_blocks, 0);
  if (!got.offload) {
    unstated.emplace_back("whether a tier is present");
  } else if (*got.offload != s.offload) {
    wrong.push_back(s.offload ? "the tier was asked for and is not there: the treatment was not applied"
                              : "a tier is there that was not asked for");
    if (residual == 0) residual = s.offload ? -1 : 1;
  }
  // A size in GiB passes through a decimal fraction, and the engine rounds to whole entries: less than one entry off.
  if (s.offload) compare("host bytes", got.host_bytes, want.host_bytes, s.chunk_bytes().value_or(1) - 1);
  const auto& dtype = s.plan.model.kv_dtype;
  if (dtype != "auto" && !got.kv_dtype.empty() && got.kv_dtype != "auto" && got.kv_dtype != dtype &&
      !(dtype == "bf16" && got.kv_dtype == "bfloat16") && !(dtype == "fp16" && got.kv_dtype == "float16") &&
      got.kv_dtype.rfind(dtype, 0) != 0)
    wrong.push_back(fmt::format("KV dtype is {}, the plan says {}", got.kv_dtype, dtype));
  if (!s.plan.engine.version.empty() && !got.engine_version.empty() &&
      got.engine_version.find(s.plan.engine.version) == std::string::npos)
    wrong.push_back(fmt::format("the engine is {}, the plan says {}", got.engine_version, s.plan.engine.version));
  if (!wrong.empty()) return failed(residual, list(wrong));
  const std::size_t facts = s.offload ? 4 : 3;
  if (unstated.size() == facts) return not_possible("the engine states none of: " + list(unstated));
  return passed(unstated.empty() ? "" : "not stated by the engine: " + list(unstated));
}

// R15 of the experiment: commands and environments of every session against the first session of the off arm.
CheckResult arms_differ_in_offload_only(const ExperimentInput& e) {
  if (e.attached) return not_possible("the server was not started by us: its command line is not known");
  const SessionInput* reference = nullptr;
  for (const auto* s : compared_sessions(e))
    if (!s->offload && !reference) reference = s;
  if (!reference)
    for (const auto& s : e.sessions)
      if (!reference) reference = &s;
  if (!reference || e.sessions.size() < 2) return not_possible("fewer than two finished sessions");
  if (reference->record.argv.empty()) return not_possible("the command line was not recorded");
  const plan::Arm* base = arm_named(e.plan, reference->record.arm);
  static const plan::Arm none;
  std::vector<std::string> wrong;
  for (const auto& s : e.sessions) {
    if (&s == reference) continue;
    const plan::Arm* arm = arm_named(e.plan, s.record.arm);
    for (const auto& d : command_differences(reference->record, s.record))
      if (!allowed(d, arm ? *arm : none, base ? *base : none))
        wrong.push_back(fmt::format("session {} ({}) has {} = {}, session {} ({}) has {}", s.record.ordinal + 1, s.record.arm,
                                    d.name, d.right, reference->record.ordinal + 1, reference->record.arm, d.left));
    if (s.record.effective.engine_version != reference->record.effective.engine_version)
      wrong.push_back(fmt::format("session {} ran {}, session {} ran {}", s.record.ordinal + 1, s.record.effective.engine_version,
                                  reference->record.ordinal + 1, reference->record.effective.engine_version));
  }
  if (wrong.empty()) return passed();
  return failed(static_cast<double>(wrong.size()), list(wrong));
}

}  // namespace kvcliff::reconcile::checks
