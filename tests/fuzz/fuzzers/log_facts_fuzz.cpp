// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as an engine's log: facts, cause and folding end, and no size is negative.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "engine/vllm/failure.h"
#include "engine/vllm/flags.h"
#include "engine/vllm/log_facts.h"
#include "engine/vllm/log_fold.h"
#include "engine/vllm/log_report.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kvcliff;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto log = engine::vllm::lines_of(text);
  const auto facts = engine::vllm::read_log(log);
  for (const auto& v : {facts.gpu_blocks, facts.gpu_blocks_usable, facts.kv_bytes_available, facts.host_bytes})
    if (v && *v < 0) std::abort();
  if (const auto cause = engine::vllm::find_failure(log); cause && (cause->what.empty() || cause->lines.empty())) std::abort();
  std::size_t lines = 0;
  for (const auto& row : engine::vllm::fold(log)) lines += row.count;
  if (lines != log.size()) std::abort();
  (void)engine::vllm::log_report(log).dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
  (void)engine::vllm::flags_in_help(text);
  return 0;
}
