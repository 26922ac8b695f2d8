// SPDX-License-Identifier: GPL-3.0-or-later
#include "emulator/launch_log.h"

#include <cmath>
#include <ctime>
#include <ostream>

#include "base/text.h"

namespace kvcliff::emulator {

void Log::line(const char* who, long pid, const char* level, const char* place, const std::string& text) {
  const std::time_t t = std::time(nullptr);
  std::tm tm{};
  localtime_r(&t, &tm);
  char when[32];
  std::strftime(when, sizeof when, "%m-%d %H:%M:%S", &tm);
  raw(fmt::format("({} pid={}) {} {} [{}] {}", who, pid, level, when, place, text));
}
void Log::api(const char* level, const char* place, const std::string& text) { line("APIServer", api_, level, place, text); }
void Log::core(const char* level, const char* place, const std::string& text) { line("EngineCore", core_, level, place, text); }
void Log::raw(const std::string& text) { out_ << text + "\n" << std::flush; }

void log_banner(Log& log, const Options& o, const Setup& s) {
  log.api("INFO", "api_utils.py:347", "");
  log.api("INFO", "api_utils.py:347", " ▄▄ ▄█ █     █     █ ▀▄▀ █  version " + o.generation.version + "+simulated");
  log.api("INFO", "api_utils.py:347", "  █▄█▀ █     █     █     █  model   " + o.model);
  log.api("INFO", "api_utils.py:347", "");
  std::string args;
  for (const auto& [key, value] : o.non_default) args += (args.empty() ? "'" : ", '") + key + "': " + value;
  log.api("INFO", "api_utils.py:286", "non-default args: {" + args + "}");
  log.api("INFO", "emulator:1", fmt::format("kvcliff-emulator: no model runs here; simulated timing: preset {} ({}), time scale {}", o.timing.name, o.timing.origin, o.time_scale));
  for (const auto& lie : o.lies.active())
    log.api("WARNING", "emulator:2", fmt::format("this server lies on purpose: {} from request {}: {}", lie.entry->name, lie.from, lie.entry->what));
  log.api("INFO", "model.py:733", "Resolved architecture: Qwen3ForCausalLM");
  log.api("INFO", "model.py:2152", fmt::format("Using max model len {}", s.max_model_len));
  log.api("INFO", "scheduler.py:252", fmt::format("Chunked prefill is enabled with max_num_batched_tokens={}.", o.max_num_batched_tokens));
  if (o.enforce_eager)
    log.api("WARNING", "vllm.py:1163", "Enforce eager set, disabling torch.compile and CUDAGraphs. This is equivalent to setting -cc.mode=none -cc.cudagraph_mode=none");
}

void log_engine_start(Log& log, const Options& o, const Setup& s) {
  log.core("INFO", "core.py:133",
           fmt::format("Initializing a V1 LLM engine (v{}) with config: model='{}', speculative_config=None, tokenizer='{}', dtype=torch.bfloat16, max_seq_len={}, "
                       "load_format={}, tensor_parallel_size={}, pipeline_parallel_size=1, enforce_eager={}, kv_cache_dtype={}, device_config=simulated, seed={}, "
                       "served_model_name={}, enable_prefix_caching={}",
                       o.generation.version, o.model, o.model, s.max_model_len, o.load_format, o.tensor_parallel, o.enforce_eager ? "True" : "False",
                       o.kv_cache_dtype, o.seed, o.served_names.front(), o.prefix_caching ? "True" : "False"));
  log.core("INFO", "model_runner.py:284", "Loading model from scratch...");
  log.core("INFO", "model_runner.py:305", "Model loading took 0.0 GiB and 0.000000 seconds (simulated)");
}

void log_capacity(Log& log, const Options& o, const Setup& s) {
  const std::int64_t block_bytes = s.cache.block_size * s.kv_bytes_per_token;
  const double gib = double(s.gpu_blocks) * double(block_bytes) / double(1 << 30);
  if (o.kv_cache_memory_bytes)
    log.core("INFO", "gpu_worker.py:479",
             fmt::format("Initial free memory 11.50 GiB, reserved {:.2f} GiB memory for KV Cache as specified by kv_cache_memory_bytes config and skipped memory profiling.",
                         double(*o.kv_cache_memory_bytes) / double(1 << 30)));
  else
    log.core("INFO", "gpu_worker.py:298", fmt::format("Available KV cache memory: {:.2f} GiB", gib));
  if (o.num_gpu_blocks)
    log.core("INFO", "kv_cache_utils.py:2115", fmt::format("Overriding num_gpu_blocks={} with num_gpu_blocks_override={}", s.gpu_blocks, s.gpu_blocks));
  const std::string size = fmt::format("GPU KV cache size: {} tokens", grouped(s.gpu_blocks * s.cache.block_size));
  const std::string many = fmt::format("Maximum concurrency for {} tokens per request: {:.2f}x", grouped(s.max_model_len),
                                       double(s.gpu_blocks * s.cache.block_size) / double(s.max_model_len));
  if (o.generation.one_log_line()) {
    log.core("INFO", "kv_cache_utils.py:2327", size + ", " + many);
  } else {
    log.core("INFO", "kv_cache_utils.py:2177", size);
    log.core("INFO", "kv_cache_utils.py:2178", many);
  }
  if (s.tier) {
    log.core("INFO", "factory.py:62", "Creating v1 connector with name: " + s.connector + " and engine_id: 00000000-0000-0000-0000-000000000000");
    if (s.cache.tier == cache::Tier::native) log.core("INFO", "factory.py:57", "Creating offloading spec with name: CPUOffloadingSpec");
    log.core("INFO", "gpu_worker.py:480", fmt::format("Allocating {} CPU tensors... (simulated: {} pinned for {} asked)", s.layers,
                                                      human_bytes(Bytes(s.pinned_bytes)), human_bytes(Bytes(s.host_bytes))));
  }
  log.core("INFO", "core.py:402", "init engine (profile, create kv cache, warmup model) took 0.05 s");
}

void log_listening(Log& log, const Options& o, int port) {
  log.api("INFO", "entry.py:136", "Supported tasks: ['generate']");
  if (o.dev_mode) log.api("WARNING", "__init__.py:44", "SECURITY WARNING: Development endpoints are enabled! This should NOT be used in production!");
  log.api("INFO", "entry.py:140", fmt::format("Starting vLLM server on http://{}:{}", o.host, port));
  log.api("INFO", "launcher.py:186", "Available routes are:");
  for (const char* route : {"/version, Methods: GET", "/health, Methods: GET", "/metrics, Methods: GET", "/v1/models, Methods: GET", "/v1/chat/completions, Methods: POST",
                            "/v1/completions, Methods: POST"})
    log.api("INFO", "launcher.py:195", std::string("Route: ") + route);
  if (o.dev_mode) {
    log.api("INFO", "launcher.py:195", "Route: /reset_prefix_cache, Methods: POST");
    log.api("INFO", "launcher.py:195", "Route: /server_info, Methods: GET");
  }
}

void log_core_failure(Log& log, const std::vector<std::string>& cause) {
  log.core("ERROR", "core.py:1510", "EngineCore failed to start.");
  log.core("ERROR", "core.py:1510", "Traceback (most recent call last):");
  log.core("ERROR", "core.py:1510", "  File \"vllm/v1/engine/core.py\", line 1480, in run_engine_core");
  for (const auto& line : cause) log.core("ERROR", "core.py:1510", line);
  log.raw("Traceback (most recent call last):");
  log.raw("  File \"vllm/v1/engine/utils.py\", line 1431, in wait_for_engine_startup");
  log.raw("    raise RuntimeError(");
  log.raw("RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}");
}

void log_port_in_use(Log& log) {
  log.raw("Traceback (most recent call last):");
  log.raw("  File \"vllm/entrypoints/launchers/launcher.py\", line 348, in create_server_socket");
  log.raw("    sock.bind(addr)");
  log.raw("OSError: [Errno 98] Address already in use");
}

void log_api_failure(Log& log, const std::string& cause) {
  log.raw("Traceback (most recent call last):");
  log.raw("  File \"vllm/engine/arg_utils.py\", line 1938, in from_cli_args");
  log.raw(cause);
}

void log_core_death(Log& log) {
  log.api("WARNING", "core_client.py:817", "[shutdown] MPClient: engine core exited unexpectedly; starting cleanup");
  for (const char* text : {"AsyncLLM output_handler failed.", "Traceback (most recent call last):",
                           "vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue. See stack trace (above) for the root cause."})
    log.api("ERROR", "async_llm.py:906", text);
}

}  // namespace kvcliff::emulator
