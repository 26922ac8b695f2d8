// SPDX-License-Identifier: GPL-3.0-or-later
#include "emulator/setup.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "base/text.h"
#include "model/catalogue.h"
#include "model/config_text.h"

namespace kvcliff::emulator {
namespace {

struct Shape {
  std::string_view name;
  std::int64_t layers, kv_heads, head_dim, vocabulary, context;
};
// Known without any file. Matched as a part of the model's name, in lower case.
constexpr Shape shapes[] = {
    {"qwen3-0.6b", 28, 8, 128, 151936, 40960}, {"qwen3-8b", 36, 8, 128, 151936, 40960},
    {"qwen3-32b", 64, 8, 128, 151936, 40960},  {"llama-3.1-8b", 32, 8, 128, 128256, 131072},
    {"llama-3.2-1b", 16, 8, 64, 128256, 131072}, {"llama-3.1-70b", 80, 8, 128, 128256, 131072},
    {"qwen2.5-7b", 28, 4, 128, 152064, 32768}, {"tiny", 2, 2, 64, 2048, 8192},
};

Json config_of(const Shape& s) {
  return Json{{"model_type", "qwen3"}, {"num_hidden_layers", s.layers}, {"num_attention_heads", s.kv_heads * 8}, {"num_key_value_heads", s.kv_heads},
              {"head_dim", s.head_dim}, {"hidden_size", s.kv_heads * s.head_dim}, {"vocab_size", s.vocabulary}, {"max_position_embeddings", s.context},
              {"torch_dtype", "bfloat16"}};
}

std::string lower(std::string s) {
  for (char& c : s) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return s;
}

// The product's catalogue lies beside the installed program, in a build tree above it, or where KVCLIFF_RESOURCES says.
std::optional<Json> from_catalogue(const std::string& id) {
  std::error_code ec;
  const auto own = std::filesystem::read_symlink("/proc/self/exe", ec).parent_path();
  std::vector<std::filesystem::path> places;
  if (const char* set = std::getenv("KVCLIFF_RESOURCES")) places.emplace_back(std::filesystem::path(set) / "models");
  for (const char* relative : {"../share/kvcliff/models", "../../resources/models", "../../../resources/models"}) places.push_back(own / relative);
  for (const auto& place : places) {
    if (!std::filesystem::is_directory(place, ec)) continue;
    const auto entries = model::catalogue(place.string());
    if (!entries) continue;
    if (const auto entry = model::find(*entries, id)) return (*entry)->config;
  }
  return std::nullopt;
}

/// The model's configuration, or the words of the failure.
tl::expected<Json, std::string> configuration(const std::string& name) {
  const std::filesystem::path given(name);
  std::error_code ec;
  const bool file = std::filesystem::is_regular_file(given, ec) && given.extension() == ".json";
  if (file || std::filesystem::exists(given / "config.json", ec)) {
    const auto text = read_file(file ? given : given / "config.json");
    if (!text) return tl::unexpected("OSError: " + text.error().sentence());
    const auto json = model::parse_config_text(*text, name);
    if (!json) return tl::unexpected("OSError: " + json.error().sentence());
    return json->value;
  }
  const std::string key = lower(name);
  for (const Shape& known : shapes)
    if (key.find(known.name) != key.npos) return config_of(known);
  if (auto json = from_catalogue(name)) return *json;
  if (!name.empty() && (name[0] == '/' || name[0] == '.'))
    return tl::unexpected("huggingface_hub.errors.HFValidationError: Repo id must be in the form 'repo_name' or 'namespace/repo_name': '" + name +
                          "'. Use `repo_type` argument if needed.");
  return tl::unexpected("OSError: " + name + " is not a local folder and is not a valid model identifier listed on 'https://huggingface.co/models'");
}

std::int64_t integer_in(const Json& config, const char* key, std::int64_t otherwise) {
  if (config.contains(key) && config[key].is_number_integer()) return config[key].get<std::int64_t>();
  if (config.contains("text_config") && config["text_config"].is_object()) return integer_in(config["text_config"], key, otherwise);
  return otherwise;
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
  if (o.per_request_metrics && o.disable_log_stats) {
    s.failure = "ValueError: Error: --enable-per-request-metrics requires engine statistics logging; remove --disable-log-stats to enable per-request metrics.";
    s.failure_before_engine = true;
    return s;
  }
  const auto config = configuration(o.model);
  model::Options how;
  how.kv_dtype = o.kv_cache_dtype;
  how.tp = static_cast<int>(std::min<std::int64_t>(o.tensor_parallel, 1024));
  how.block_size = o.block_size;
  const auto layout = config ? model::derive(*config, how) : Result<model::KvLayout>(fail(ErrorCode::not_found, config.error()));
  if (!layout || layout->groups.size() != 1 || layout->groups[0].kind == model::CacheKind::state || layout->groups[0].window > 0) {
    s.failure = !config    ? config.error()
                : !layout  ? "ValueError: " + layout.error().sentence()
                           : "ValueError: the emulator models one group of full attention; " + o.model + " has another layout";
    s.failure_before_engine = true;
    return s;
  }
  s.kv_bytes_per_token = layout->bytes_per_token_all_ranks;
  s.layers = std::max(1, layout->growing_layers);
  s.vocabulary = std::max<std::int64_t>(2048, integer_in(*config, "vocab_size", 151936));
  const std::int64_t context = std::max<std::int64_t>(1, integer_in(*config, "max_position_embeddings", 40960));
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
  s.max_model_len = o.max_model_len.value_or(std::min(context, c.gpu_blocks * block));
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
    // Before 0.14 the size was a number of blocks; bytes are taken as well, so that one plan runs on every release.
    s.host_bytes = integer_of(extra, "cpu_bytes_to_use", 0);
    if (!o.generation.sized_in_bytes() && extra.contains("num_cpu_blocks")) s.host_bytes = integer_of(extra, "num_cpu_blocks", 0) * block_bytes;
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
