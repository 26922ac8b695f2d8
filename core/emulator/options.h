// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "emulator/generation.h"
#include "emulator/lies.h"
#include "emulator/timing.h"

namespace kvcliff::emulator {

/// Something that goes wrong with the process itself.
enum class Fault { none, die_loading, oom, hang_start, hang_stop, kill_core, slow_metrics, metrics_500, unready_health };

/// The command line as understood: vLLM's flags that matter here, and our own --emulate-*.
struct Options {
  std::string model = "Qwen/Qwen3-0.6B";
  std::vector<std::string> served_names;         ///< empty: the model
  std::string host = "127.0.0.1";
  int port = 8000;                               ///< 0: any free one, shown in the log
  std::int64_t block_size = 16;
  std::optional<std::int64_t> num_gpu_blocks;    ///< null block included
  std::optional<std::int64_t> kv_cache_memory_bytes;
  double gpu_memory_utilization = 0.92;
  std::optional<double> kv_offloading_gib;
  std::string kv_offloading_backend = "native";
  Json kv_transfer;                              ///< null: none
  std::string kv_events_endpoint;                ///< empty: no KV events
  std::optional<std::int64_t> max_model_len;
  std::int64_t max_num_seqs = 256;
  std::int64_t max_num_batched_tokens = 8192;
  std::int64_t tensor_parallel = 1;
  std::uint64_t seed = 0;
  double shutdown_timeout_s = 0;
  bool prefix_caching = true;
  bool prompt_tokens_details = false, request_id_headers = false, force_include_usage = false;
  bool per_request_metrics = false, disable_log_stats = false, access_log = true, enforce_eager = false;
  std::string dtype = "auto", kv_cache_dtype = "auto", load_format = "auto";
  std::vector<std::pair<std::string, std::string>> non_default;  ///< as given, for the log

  Generation generation;
  Timing timing;
  double time_scale = 1, noise = 1, startup_s = 1.5;
  std::optional<std::uint64_t> noise_seed;
  std::int64_t session_ordinal = 0;              ///< --emulate-session or KVCLIFF_EMULATE_SESSION
  double drift = 0, session_effect = 0, drift_per_request = 0, merge_tokens = 0.45;
  Lies lies;
  Fault fault = Fault::none;
  std::int64_t fault_at = 0;                     ///< kill-core: after so many tokens
  bool pin_memory = false;                       ///< really hold the host tier's memory, rounded up as torch does
  bool processes = true;                         ///< a second process named VLLM::EngineCore
  bool dev_mode = false;                         ///< VLLM_SERVER_DEV_MODE
  bool simple_offload = false;                   ///< VLLM_USE_SIMPLE_KV_OFFLOAD
  bool created_series = true;                    ///< PROMETHEUS_DISABLE_CREATED_SERIES is not set
};

/// What came out of the command line: options, or a text and an exit code (help, version, errors as argparse writes them).
struct Parsed {
  Options options;
  std::optional<int> exit_code;
  std::string out, err;
};
/// `args` without the program's name; a first word "serve" is dropped. `env` holds the variables that matter.
Parsed parse_arguments(std::vector<std::string> args, const std::map<std::string, std::string>& env);
/// The variables that parse_arguments reads, from the process environment.
std::map<std::string, std::string> relevant_environment();

}  // namespace kvcliff::emulator
