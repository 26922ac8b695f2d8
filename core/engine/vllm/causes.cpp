// SPDX-License-Identifier: GPL-3.0-or-later
// Messages of vLLM, torch, CUDA, the hub client and the kernel, and what they mean. Order decides: special before general.
#include <array>
#include <cmath>

#include "base/text.h"
#include "engine/vllm/failure.h"
#include "engine/vllm/log_head.h"

namespace kvcliff::engine::vllm {
namespace {

using Make = FailureCause (*)(std::string_view message);

struct Cause {
  std::array<std::string_view, 5> any;  ///< one of these must be in the message
  std::string_view also;                ///< and this one, when not empty
  Make make;
};

std::string number(std::optional<std::int64_t> v) { return v ? grouped(*v) : std::string("?"); }

FailureCause port(std::string_view) {
  return {"The port is in use by another process", "Choose another port, or end the process that holds it", {}};
}

FailureCause flag(std::string_view m) {
  const auto at = m.find("unrecognized arguments:");
  if (at == std::string_view::npos)
    return {"vLLM refuses an argument: " + std::string(trim(m.substr(m.find("error:") + 6))),
            "Correct the argument in the plan (engine.extra_args)", {}};
  return {"This vLLM does not know the flag " + std::string(trim(m.substr(at + 23))),
          "Remove it from the plan (engine.extra_args), or use a release that has it", {}};
}

FailureCause cache_too_small(std::string_view m) {
  const auto asked = integer_after(m, "max seq len (");
  const auto fits = integer_after(m, "estimated maximum model length is");
  FailureCause c;
  c.what = "The KV cache is too small for one request of the maximum length (" + number(asked) + " tokens)";
  // The sizes in the message are rounded to GiB and say nothing for small pools; the length is exact.
  c.next = fits ? "Use --max-model-len " + std::to_string(*fits) + " or less, or give the GPU cache more blocks"
                : "Lower --max-model-len, or give the GPU cache more blocks";
  return c;
}

FailureCause block_size(std::string_view m) {
  return {"The attention backend has no kernel for block size " + number(integer_after(m, "No common block size for")) + ": " +
              std::string(trim(m.substr(m.find("No common block size")))),
          "Choose a block size that the backend offers (capacity.block_size)", {}};
}

FailureCause offload_unsupported(std::string_view) {
  return {"This build of vLLM cannot offload KV blocks to host memory on this device",
          "Use a CUDA, ROCm or XPU build, or plan without a host tier", {}};
}

FailureCause utilization(std::string_view m) {
  return {"Less memory is free than the memory fraction asks for: " + std::string(trim(m.substr(0, 240))),
          "Free the memory, lower --gpu-memory-utilization, or fix the cache with --kv-cache-memory-bytes", {}};
}

FailureCause no_cache_memory(std::string_view) {
  return {"Weights and activations leave no GPU memory for the KV cache",
          "Raise --gpu-memory-utilization, lower --max-model-len, or use a smaller model", {}};
}

FailureCause gpu_memory(std::string_view) {
  return {"The GPU is out of memory", "End other programs on the GPU, or give the KV cache fewer blocks", {}};
}

FailureCause pinning(std::string_view) {
  return {"Host memory for the tier could not be pinned",
          "Raise the locked-memory limit (ulimit -l), free host memory (up to twice the tier's size is pinned), or make the tier smaller",
          {}};
}

FailureCause shared_memory(std::string_view m) {
  FailureCause c;
  c.what = "Shared memory too small";
  const auto needed = integer_after(m, "Insufficient space in /dev/shm:");
  const auto free = integer_after(m, "MiB required,");
  if (needed && free)
    c.what += ": /dev/shm needs " + grouped(*needed) + " MiB and has " + grouped(*free) + " MiB free";
  c.next = "Enlarge /dev/shm (docker run --shm-size), or make the host tier smaller";
  return c;
}

FailureCause host_memory(std::string_view) {
  return {"The machine is out of memory", "Make the host tier smaller (up to twice its size is taken), or free memory", {}};
}

FailureCause hub(std::string_view) {
  return {"Model hub not reachable, and the model is not whole in the local cache",
          "Connect to the network, or name a local model folder in the plan (model.config)", {}};
}

FailureCause gated(std::string_view) {
  return {"The model hub refuses access to this model", "Log in to the hub and accept the model's terms, or use a local folder", {}};
}

FailureCause model_missing(std::string_view m) {
  return {"The model is not there: " + std::string(trim(m.substr(0, 240))),
          "Name an existing model folder (model.config), or a model of the hub (model.id)", {}};
}

FailureCause model_length(std::string_view m) {
  return {"The maximum length asked for is more than the model allows: " + std::string(trim(m.substr(0, 240))),
          "Lower --max-model-len, or use shorter prompts", {}};
}

FailureCause metrics(std::string_view) {
  return {"Metrics counter error in the server: a count became negative, and its output loop has ended",
          "Start the server again; a release from 0.21 on does not have this fault", {}};
}

FailureCause no_gpu(std::string_view) {
  return {"vLLM finds no GPU that it can use", "Check the driver with nvidia-smi, and that the container may see the GPU", {}};
}

FailureCause package(std::string_view m) {
  return {"The Python environment of vLLM is not whole: " + std::string(trim(m.substr(0, 200))),
          "Install the engine again (kvcliff-cli engine install)", {}};
}

FailureCause connector(std::string_view m) {
  return {"The host tier's settings are refused: " + std::string(trim(m.substr(0, 240))),
          "Check capacity.host_bytes and capacity.offload against this release", {}};
}

FailureCause killed(std::string_view) {
  return {"The engine core was ended from outside (killed by someone, or by the kernel for want of memory)",
          "Look at the kernel log and the cgroup's oom_kill count; then start again", {}};
}

FailureCause reset_while_running(std::string_view) {
  return {"The engine died: the prefix cache was reset, or a request cancelled, while a transfer was open",
          "Reset only when nothing runs, and let waiting requests finish", {}};
}

constexpr Cause causes[]{
    {{"Address already in use", "address already in use", "Errno 98", "EADDRINUSE"}, "", port},
    {{"unrecognized arguments:", "vllm: error: argument", "error: argument -"}, "", flag},
    {{"Counters can only be incremented by non-negative"}, "", metrics},
    {{"To serve at least one request with the model", "estimated maximum model length is"}, "", cache_too_small},
    {{"max seq len"}, "larger than the maximum number of tokens that can be stored in KV cache", cache_too_small},
    {{"No common block size"}, "", block_size},
    {{"CPU Offloading is currently only supported on"}, "", offload_unsupported},
    {{"is less than desired GPU memory utilization", "is less than desired CPU memory utilization",
      "less than desired"}, "memory utilization", utilization},
    {{"No available memory for the cache blocks"}, "", no_cache_memory},
    {{"Insufficient space in /dev/shm", "Errno 14", "Bad address", "Bus error"}, "", shared_memory},
    {{"No space left on device"}, "shm", shared_memory},
    {{"cudaHostRegister", "cudaHostAlloc", "pin_memory", "Failed to pin", "mlock"}, "", pinning},
    {{"page-locked", "pinned memory"}, "", pinning},
    {{"CUDA out of memory", "OutOfMemoryError", "CUDA error: out of memory", "HIP out of memory"}, "", gpu_memory},
    {{"Cannot allocate memory", "MemoryError", "DefaultCPUAllocator: can't allocate", "std::bad_alloc"}, "", host_memory},
    {{"cannot reach the hub", "couldn't connect to 'https://huggingface", "LocalEntryNotFoundError", "OfflineModeIsEnabled",
      "offline mode is enabled"}, "", hub},
    {{"Max retries exceeded", "Temporary failure in name resolution", "Name or service not known",
      "Network is unreachable"}, "", hub},
    {{"gated repo", "401 Client Error", "403 Client Error", "GatedRepoError"}, "", gated},
    {{"Repo id must be in the form", "is not a local folder and is not a valid model identifier",
      "does not appear to have a file named", "RepositoryNotFoundError", "Can't load the configuration of"}, "", model_missing},
    {{"No such file or directory"}, "config.json", model_missing},
    {{"greater than the derived max_model_len", "is larger than max_position_embeddings"}, "", model_length},
    {{"No CUDA GPUs are available", "Found no NVIDIA driver", "Failed to infer device type",
      "CUDA driver version is insufficient", "no CUDA-capable device"}, "", no_gpu},
    {{"PackageNotFoundError", "ModuleNotFoundError", "ImportError"}, "", package},
    {{"cpu_bytes_to_use", "num_cpu_blocks must be", "kv_connector", "Unsupported connector", "kv_transfer_config"}, "", connector},
    {{"engine core exited unexpectedly", "died unexpectedly", "Engine core proc"}, "unexpectedly", killed},
    {{"self._jobs[any_jid].is_store"}, "", reset_while_running},
};

}  // namespace

std::optional<FailureCause> known_cause(std::string_view message) {
  for (const auto& cause : causes) {
    bool found = false;
    for (const auto part : cause.any)
      if (!part.empty() && contains(message, part)) found = true;
    if (!found || (!cause.also.empty() && !contains(message, cause.also))) continue;
    return cause.make(message);
  }
  return std::nullopt;
}

}  // namespace kvcliff::engine::vllm
