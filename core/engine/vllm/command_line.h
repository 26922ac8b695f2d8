// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <set>
#include <string>

#include "base/result.h"
#include "engine/adapter.h"

namespace kvcliff::engine::vllm {

struct CommandOptions {
  std::string executable = "vllm";
  bool emulator = false;
  /// Flags that this program accepts, when it was asked (probe_flags). Optional flags that are missing are left out,
  /// needed ones are an error.
  std::optional<std::set<std::string>> accepted;
  /// KV bytes of one block on one rank, when the model's shape is known: fixes the pool with --kv-cache-memory-bytes, so
  /// that no memory profiling decides over it.
  std::optional<std::int64_t> block_bytes_per_rank;
  /// The model's name for the engine where it differs from the plan's id (a hub name).
  std::optional<std::string> model;
};

/// The exact command and environment of `vllm serve` for a plan (already the arm's). Everything but the offload settings
/// depends on the plan alone, so two arms that differ in `offload` only differ in --kv-transfer-config only.
Result<process::Command> serve_command(const plan::Plan& plan, bool offload, const Endpoint& at,
                                       const CommandOptions& options);

/// The longest sequence of the workload (prompt + output), rounded up to a block; nullopt for traces.
std::optional<std::int64_t> longest_sequence(const plan::Plan& plan);

/// Name under which the model is served.
std::string served_name(const plan::Plan& plan);

bool is_offload_setting(const std::string& flag_or_variable);

/// Body of a streamed completion of token ids with exactly `output_tokens` tokens.
std::string completion_body(const std::string& model, std::span<const std::int32_t> prompt, std::int64_t output_tokens,
                            const std::string& salt);

}  // namespace kvcliff::engine::vllm
