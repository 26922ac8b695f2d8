// SPDX-License-Identifier: GPL-3.0-or-later
// Words of a plan that end on a command line: what a program would take for something else than the plan means.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "plan/internal.h"

namespace kvcliff::plan {
namespace {

constexpr std::size_t longest_name = 200;  // bytes

struct Reserved {
  std::string flag, field;
};

/// Flags that the adapter sets from the plan, and those that undo them. A second value would win over the plan's in silence:
/// the prediction, the checks and the report would speak of another engine than the one that ran. Flags of vLLM 0.14 to 0.32.
const std::vector<Reserved>& reserved_flags() {
  static const std::vector<Reserved> table{
      {"--host", "the program"},
      {"--port", "the program, which takes a free one"},
      {"--uds", "the program"},
      {"--model", "model.id or model.config"},
      {"--served-model-name", "model.id or model.config"},
      {"--config", "the plan, which a file of further arguments could contradict"},
      {"--block-size", "capacity.block_size"},
      {"--num-gpu-blocks-override", "capacity.gpu_blocks"},
      {"--kv-cache-memory-bytes", "capacity.gpu_blocks"},
      {"--kv-cache-dtype", "model.kv_dtype"},
      {"--tensor-parallel-size", "model.tp"},
      {"-tp", "model.tp"},
      {"--pipeline-parallel-size", "model.pp"},
      {"-pp", "model.pp"},
      {"--kv-transfer-config", "capacity.offload and the arms"},
      {"--kv-offloading-size", "capacity.host_bytes and the arms"},
      {"--kv-offloading-backend", "capacity.offload and the arms"},
      {"--enable-prefix-caching", "the program: it is always on"},
      {"--no-enable-prefix-caching", "the program: it is always on"},
      {"--emulate-generation", "engine.version"},
  };
  return table;
}

/// "--block_size=16" -> "--block-size": as the engine's own parser reads it.
std::string flag_of(const std::string& argument) {
  std::string flag = argument.substr(0, argument.find('='));
  if (flag.rfind("--", 0) == 0) std::replace(flag.begin() + 2, flag.end(), '_', '-');
  return flag;
}

const Reserved* reserved(const std::string& flag) {
  for (const auto& r : reserved_flags()) {
    if (flag == r.flag || flag.rfind(r.flag + ".", 0) == 0) return &r;  // "--kv-transfer-config.kv_role": one member of it
    // The engine's parser takes the beginning of a name for the whole; "--kv" or less is not told apart from others.
    if (flag.size() > 6 && flag.rfind("--", 0) == 0 && r.flag.rfind(flag, 0) == 0) return &r;
  }
  return nullptr;
}

Finding finding(const std::string& field, std::string what, std::string next, std::vector<std::string> also) {
  also.push_back(field);
  Finding f{{field, std::move(what), std::move(next)}, std::move(also)};
  f.of_launch = true;
  return f;
}

}  // namespace

std::optional<Fault> launcher_word_fault(const std::string& option, const std::string& value) {
  const std::string field = "launcher." + option;
  const auto control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  if (std::any_of(value.begin(), value.end(), control))
    return Fault{field, fmt::format("{} holds a control character", field), "Write it in one line of plain text"};
  if (option == "options") return std::nullopt;  // flags are what it is for
  if (value.rfind('-', 0) == 0)
    return Fault{field, fmt::format("{} begins with \"-\", and would be taken for a flag: \"{}\"", field, value),
                 "Flags belong into launcher.options"};
  const bool path = option == "identity" || option == "config" || option == "directory" || option == "volumes" || option == "runtime";
  if (!path && value.find(' ') != std::string::npos)
    return Fault{field, fmt::format("{} is one word, and holds a blank: \"{}\"", field, value), {}};
  return std::nullopt;
}

std::vector<Finding> find_launch_faults(const Plan& p) {
  std::vector<Finding> out;
  // A name is a heading, a file name and a column; what does not fit there is a text that landed in the wrong place.
  if (p.name.size() > longest_name)
    out.push_back(finding("name", fmt::format("name has {} bytes, and at most {} are taken", grouped(static_cast<std::int64_t>(p.name.size())), longest_name), "Give a shorter one", {}));
  for (const auto& [name, value] : p.launcher.options)
    if (auto f = launcher_word_fault(name, value)) out.push_back(finding(f->field, f->what, f->next, {}));
  for (std::size_t i = 0; i < p.arms.size(); ++i)
    if (p.arms[i].name.size() > longest_name)
      out.push_back(finding(fmt::format("arms[{}].name", i), fmt::format("The name of arm {} has {} bytes, and at most {} are taken", i + 1,
                                                                          grouped(static_cast<std::int64_t>(p.arms[i].name.size())), longest_name), "Give a shorter one", {}));
  // Elsewhere it is the place of the emulator there.
  if (p.engine.adapter == "emulator" && p.launcher.kind == "local" && !p.engine.environment.empty())
    out.push_back(finding("engine.environment",
                          fmt::format("engine.environment is \"{}\", and engine.adapter is \"emulator\", which comes with the program", p.engine.environment),
                          "Remove engine.environment, or set engine.adapter to \"vllm\"", {"engine.adapter", "launcher.kind"}));
  if (p.engine.adapter == "attach") return out;  // nothing is started
  std::vector<std::string> named;
  for (const auto& argument : p.engine.extra_args) {
    if (argument.rfind('-', 0) != 0) continue;
    const std::string flag = flag_of(argument);
    const Reserved* r = reserved(flag);
    if (!r || std::find(named.begin(), named.end(), flag) != named.end()) continue;
    named.push_back(flag);
    out.push_back(finding("engine.extra_args", fmt::format("engine.extra_args holds {}, which is set by {}", flag, r->field),
                          r->field.find('.') != std::string::npos ? fmt::format("Remove it, and set {}", r->field) : "Remove it", {}));
  }
  return out;
}

}  // namespace kvcliff::plan
