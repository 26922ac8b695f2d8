// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/adapter.h"
#include "engine/vllm/adapter.h"

namespace kvcliff::engine {

Result<std::unique_ptr<Adapter>> make_adapter(const std::string& name, const std::string& resources) {
  if (name == "vllm") return std::make_unique<vllm::VllmAdapter>(vllm::Kind::vllm, resources);
  if (name == "emulator") return std::make_unique<vllm::VllmAdapter>(vllm::Kind::emulator, resources);
  if (name == "attach") return std::make_unique<vllm::VllmAdapter>(vllm::Kind::attached, resources);
  return fail(ErrorCode::bad_usage, "There is no engine adapter \"" + name + "\"", "engine.adapter", {},
              "Known are emulator, vllm and attach");
}

}  // namespace kvcliff::engine
