// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/session.h"

namespace kvcliff::engine::vllm {

/// What a start-up log states, each with the line (counted from 1) that says so in `line_of`. Sizes are as the engine
/// states them: the GPU's blocks and tokens count the null block.
struct LogFacts {
  std::string engine;   ///< "vllm"; empty when nothing in the log is vLLM's
  std::string version;
  bool simulated = false;
  std::string model;
  std::optional<std::int64_t> block_size;          ///< tokens
  std::optional<std::int64_t> gpu_blocks;
  std::optional<std::int64_t> gpu_tokens;          ///< of one engine; since 0.21 at most blocks x block size
  std::optional<std::int64_t> gpu_blocks_usable;   ///< without the null block
  std::optional<std::int64_t> kv_bytes_available;  ///< exact when asked for in bytes, else from GiB with 2 decimals
  std::optional<std::int64_t> host_bytes;          ///< of the host tier, all ranks
  std::string kv_dtype;                            ///< as stated ("auto", "fp8")
  std::string dtype;                               ///< of the model ("bfloat16")
  std::optional<double> max_concurrency;           ///< requests of max_model_len tokens that fit
  std::optional<std::int64_t> max_model_len;
  std::string connector;                           ///< "OffloadingConnector"; empty = no tier was set up
  std::string offloading_spec;
  int engines = 1;                                 ///< engine cores that reported a KV cache size
  bool ready = false;
  std::string waiting_for;                         ///< while starting: "the network (retry 3 of 5)"
  std::vector<std::string> warnings;               ///< each once, those that matter here first
  std::map<std::string, int> line_of;              ///< fact -> line number
};

LogFacts read_log(const std::vector<LogLine>& log);
/// Text of a log file as lines without times.
std::vector<LogLine> lines_of(const std::string& text);

}  // namespace kvcliff::engine::vllm
