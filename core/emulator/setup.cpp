// SPDX-License-Identifier: GPL-3.0-or-later
#include "emulator/setup.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/file.h"
#include "base/text.h"

namespace kvcliff::emulator {
namespace {

struct Shape {
  std::string_view name;
  std::int64_t layers, kv_heads, head_dim, vocabulary, context;
};
// Matched as a part of the model's name, in lower case.
constexpr Shape shapes[] = {
    {"qwen3-0.6b", 28, 8, 128, 151936, 40960}, {"qwen3-8b", 36, 8, 128, 151936, 40960},
    {"qwen3-32b", 64, 8, 128, 151936, 40960},  {"llama-3.1-8b", 32, 8, 128, 128256, 131072},
    {"llama-3.2-1b", 16, 8, 64, 128256, 131072}, {"llama-3.1-70b", 80, 8, 128, 128256, 131072},
    {"qwen2.5-7b", 28, 4, 128, 152064, 32768}, {"tiny", 2, 2, 64, 2048, 8192},
};

std::optional<Shape> shape_from_config(const Json& json) {
  const Json& c = json.contains("text_config") && json["text_config"].is_object() ? json["text_config"] : json;
  const auto integer = [&](const char* key) -> std::int64_t {
    return c.contains(key) && c[key].is_number_integer() ? c[key].get<std::int64_t>() : 0;
  };
  const std::int64_t layers = integer("num_hidden_layers"), heads = integer("num_attention_heads");
  std::int64_t kv = integer("num_key_value_heads"), dim = integer("head_dim");
  if (kv == 0) kv = heads;
  if (dim == 0 && heads > 0) dim = integer("hidden_size") / heads;
  if (layers <= 0 || kv <= 0 || dim <= 0 || layers > 10000 || kv > 10000 || dim > 100000) return std::nullopt;
  return Shape{"", layers, kv, dim, std::max<std::int64_t>(integer("vocab_size"), 2048),
               std::max<std::int64_t>(integer("max_position_embeddings"), 2048)};
}

std::int64_t power_of_two(std::int64_t n) {
  std::int64_t p = 1;
  while (p < n) p *= 2;
  return p;
}

std::int64_t integer_of(const Json& extra, const char* key, std::int64_t otherwise) {
  return extra.contains(key) && extra[key].is_number() ? extra[key].get<std::int64_t>() : otherwise;
}

}  // namespace

Setup make_setup(const Options& o) {
  Setup s;
  std::optional<Shape> shape;
  std::string lower = o.model;
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const std::filesystem::path folder(o.model);
  std::error_code ec;
  if (std::filesystem::exists(folder / "config.json", ec) || (std::filesystem::is_regular_file(folder, ec) && folder.extension() == ".json")) {
    const auto text = read_file(std::filesystem::is_regular_file(folder, ec) ? folder : folder / "config.json");
    const auto json = text ? parse_json(*text, "config.json") : Result<Json>(tl::unexpected(text.error()));
    if (json && json->is_object()) shape = shape_from_config(*json);
    if (!shape) {
      s.failure = "ValueError: No attention shape found in " + (folder / "config.json").string();
      s.failure_before_engine = true;
      return s;
    }
  } else {
    for (const Shape& known : shapes)
      if (!shape && lower.find(known.name) != lower.npos) shape = known;
    if (!shape) {
      const bool path = !o.model.empty() && (o.model[0] == '/' || o.model[0] == '.');
      s.failure = path ? "huggingface_hub.errors.HFValidationError: Repo id must be in the form 'repo_name' or 'namespace/repo_name': '" +
                             o.model + "'. Use `repo_type` argument if needed."
                       : "OSError: " + o.model + " is not a local folder and is not a valid model identifier listed on 'https://huggingface.co/models'";
      s.failure_before_engine = true;
      return s;
    }
  }
  const std::int64_t element = o.kv_cache_dtype.rfind("fp8", 0) == 0 || o.kv_cache_dtype == "int8" ? 1 : 2;
  const std::int64_t copies = std::max<std::int64_t>(1, o.tensor_parallel / shape->kv_heads);  // heads are replicated below one
  s.kv_bytes_per_token = 2 * shape->layers * shape->kv_heads * shape->head_dim * element * copies;
  s.layers = shape->layers;
  s.vocabulary = shape->vocabulary;
  const std::int64_t block = o.lies.has(Lie::block_size) ? o.block_size * 2 : o.block_size;
  const std::int64_t block_bytes = block * s.kv_bytes_per_token;

  cache::Config& c = s.cache;
  c = o.generation.rules();
  c.block_size = block;
  c.max_batched_tokens = o.max_num_batched_tokens;

  s.gpu_blocks = o.kv_cache_memory_bytes ? *o.kv_cache_memory_bytes / block_bytes
                                         : static_cast<std::int64_t>(12e9 * o.gpu_memory_utilization * 0.8) / block_bytes;
  if (o.num_gpu_blocks) s.gpu_blocks = *o.num_gpu_blocks;
  if (o.lies.has(Lie::smaller_cache)) s.gpu_blocks = std::max<std::int64_t>(2, s.gpu_blocks * 3 / 4);
  c.gpu_blocks = std::max<std::int64_t>(0, s.gpu_blocks - 1);
  s.max_model_len = o.max_model_len.value_or(std::min(shape->context, c.gpu_blocks * block));
  if (c.gpu_blocks < 1 || s.max_model_len > c.gpu_blocks * block) {
    s.failure = fmt::format(
        "ValueError: To serve at least one request with the model's max seq len ({}), ({:.1f} GiB KV cache is needed, which is larger "
        "than the available KV cache memory ({:.1f} GiB). Based on the available memory, the estimated maximum model length is {}. Try "
        "increasing `gpu_memory_utilization` or decreasing `max_model_len` when initializing the engine.",
        s.max_model_len, double(s.max_model_len) * double(s.kv_bytes_per_token) / (1 << 30),
        double(c.gpu_blocks) * double(block_bytes) / (1 << 30), c.gpu_blocks * block);
    return s;
  }
  if (o.lies.has(Lie::smaller_cache_hidden)) c.gpu_blocks = std::max<std::int64_t>(1, c.gpu_blocks / 2);

  // The tier: a short form in GiB, or the connector's own configuration.
  Json extra = Json::object();
  if (o.kv_transfer.is_object()) {
    s.connector = o.kv_transfer.value("kv_connector", "");
    if (o.kv_transfer.contains("kv_connector_extra_config") && o.kv_transfer["kv_connector_extra_config"].is_object())
      extra = o.kv_transfer["kv_connector_extra_config"];
    if (s.connector != "OffloadingConnector" && s.connector != "SimpleCPUOffloadConnector") {
      s.failure = "ValueError: Unsupported connector type: " + s.connector;
      s.failure_before_engine = true;
      return s;
    }
    s.tier = true;
    if (o.generation.sized_in_bytes()) s.host_bytes = integer_of(extra, "cpu_bytes_to_use", 0);
    else s.host_bytes = integer_of(extra, "num_cpu_blocks", 0) * block_bytes;
  }
  if (o.kv_offloading_gib) {
    if (o.kv_offloading_backend != "native") {
      s.failure = "ValueError: the emulator has no KV offloading backend '" + o.kv_offloading_backend + "'";
      s.failure_before_engine = true;
      return s;
    }
    s.tier = true;
    s.kv_offloading_gib = *o.kv_offloading_gib;
    if (s.host_bytes == 0) s.host_bytes = static_cast<std::int64_t>(*o.kv_offloading_gib * double(std::int64_t{1} << 30));
  }
  if (!s.tier) return s;
  if (o.simple_offload) s.connector = "SimpleCPUOffloadConnector";
  if (s.connector.empty()) s.connector = "OffloadingConnector";
  if (s.host_bytes <= 0) {
    s.failure = "Exception: cpu_bytes_to_use must be specified in kv_connector_extra_config";
    return s;
  }
  if (!o.prefix_caching) {
    s.failure = "ValueError: KV offloading needs prefix caching";
    return s;
  }
  c.tier = s.connector == "SimpleCPUOffloadConnector" ? cache::Tier::simple : cache::Tier::native;
  c.blocks_per_chunk = std::max<std::int64_t>(1, integer_of(extra, "blocks_per_chunk", 1));
  if (const auto tokens = integer_of(extra, "block_size", 0); tokens > 0) {
    if (tokens % block != 0) {
      s.failure = fmt::format("AssertionError: offloaded block size {} is not a multiple of the GPU block size {}", tokens, block);
      return s;
    }
    c.blocks_per_chunk = tokens / block;
  }
  c.policy = extra.value("eviction_policy", "lru") == "arc" ? cache::Policy::arc : cache::Policy::lru;
  c.store_threshold = integer_of(extra, "store_threshold", 0);
  c.offload_prompt_only = o.generation.prompt_only_by_default();
  if (extra.contains("offload_prompt_only") && extra["offload_prompt_only"].is_boolean())
    c.offload_prompt_only = extra["offload_prompt_only"].get<bool>();
  const std::int64_t chunk_bytes = (block_bytes * c.blocks_per_chunk + 4095) / 4096 * 4096;  // rounded up to a page
  c.host_chunks = s.host_bytes / chunk_bytes;
  if (c.host_chunks < 1) {
    s.failure = fmt::format("ValueError: cpu_bytes_to_use={} holds no chunk of {} bytes", s.host_bytes, chunk_bytes);
    return s;
  }
  s.pinned_bytes = power_of_two((chunk_bytes / s.layers) * c.host_chunks) * s.layers;
  if (o.lies.has(Lie::tier_off)) c.host_chunks = 0;
  return s;
}

}  // namespace kvcliff::emulator
