// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/vllm/command_line.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "engine/tables/generation.h"
#include "process/remote.h"

namespace kvcliff::engine::vllm {
namespace {

/// Adds flags, minding what the program accepts and what the user gives himself (which wins).
class Arguments {
 public:
  Arguments(const plan::Plan& plan, const CommandOptions& options) : plan_(plan), options_(options) {}

  void needed(const std::string& flag, const std::string& value) {
    if (options_.accepted && options_.accepted->count(flag) == 0) missing_.push_back(flag);
    add(flag, value);
  }
  void optional(const std::string& flag, const std::string& value = {}) {
    if (options_.accepted && options_.accepted->count(flag) == 0) return;
    add(flag, value);
  }
  /// Only when the program was asked and has it.
  void if_probed(const std::string& flag) {
    if (options_.accepted && options_.accepted->count(flag) > 0) add(flag, {});
  }
  /// Whether the plan's own arguments hold it.
  bool given(const std::string& flag) const {
    for (const auto& word : plan_.engine.extra_args)
      if (word == flag || word.rfind(flag + "=", 0) == 0) return true;
    return false;
  }
  std::vector<std::string> argv;
  const std::vector<std::string>& missing() const { return missing_; }

 private:
  void add(const std::string& flag, const std::string& value) {
    if (given(flag) || given("--no-" + flag.substr(2))) return;
    argv.push_back(flag);
    if (!value.empty()) argv.push_back(value);
  }
  const plan::Plan& plan_;
  const CommandOptions& options_;
  std::vector<std::string> missing_;
};

/// A config.json is named by its file; vLLM wants the folder.
std::string model_argument(const plan::Plan& plan) {
  if (plan.model.config.empty()) return plan.model.id;
  const std::filesystem::path p(plan.model.config);
  if (p.extension() != ".json") return p.string();
  const auto folder = p.parent_path().string();
  return folder.empty() ? "." : folder;
}

Result<std::string> transfer_config(const plan::Plan& plan) {
  const auto& c = plan.capacity;
  const auto version = tables::parse_version(plan.engine.version);
  if (version && *version < tables::Version{0, 14, 0})
    return fail(ErrorCode::unsupported, "This release sizes the host tier in blocks, not in bytes",
                "engine.version " + plan.engine.version, {}, "Use vLLM 0.16 or later; its counters are needed as well");
  if (c.host_bytes <= 0)
    return fail(ErrorCode::bad_usage, "An arm with a host tier needs its size", "capacity.host_bytes",
                "it is " + std::to_string(c.host_bytes), "Give the size in bytes, over all ranks");
  OrderedJson extra;
  extra["cpu_bytes_to_use"] = c.host_bytes;
  // Stated even where it is the default: defaults changed between releases.
  extra["offload_prompt_only"] = c.offload.offload_prompt_only;
  extra["eviction_policy"] = c.offload.policy;
  if (c.offload.blocks_per_chunk != 1) extra["blocks_per_chunk"] = c.offload.blocks_per_chunk;
  OrderedJson j;
  j["kv_connector"] = "OffloadingConnector";
  j["kv_role"] = "kv_both";
  j["kv_connector_extra_config"] = std::move(extra);
  return j.dump();
}

void environment(const plan::Plan& plan, process::Command& command) {
  command.env_set = {
      {"VLLM_SERVER_DEV_MODE", "1"},      // reset of the caches, server_info
      {"VLLM_USE_RUST_FRONTEND", "0"},    // its copy of the metrics lacks families
      {"VLLM_LOGGING_LEVEL", "INFO"},     // the start-up facts are INFO lines
      {"VLLM_NO_USAGE_STATS", "1"},
      {"DO_NOT_TRACK", "1"},
      {"PYTHONUNBUFFERED", "1"},          // or the log comes only at the end
      {"NO_COLOR", "1"},
  };
  std::error_code ec;
  if (!plan.model.config.empty() || std::filesystem::is_directory(plan.model.id, ec)) {
    command.env_set["HF_HUB_OFFLINE"] = "1";
    command.env_set["TRANSFORMERS_OFFLINE"] = "1";
  }
  command.env_unset = {
      "VLLM_USE_SIMPLE_KV_OFFLOAD",   // another connector, without byte counters
      "LMCACHE_CONFIG_FILE",          // would make other settings ignored
      "PROMETHEUS_MULTIPROC_DIR",     // counters of an earlier server would live on in its files
      "PROMETHEUS_DISABLE_CREATED_SERIES",
      "VLLM_API_KEY",                 // requests of ours carry none
      "VLLM_CONFIGURE_LOGGING",
      "VLLM_LOGGING_CONFIG_PATH",
  };
  for (const auto& [key, value] : plan.engine.extra_env) {
    command.env_set[key] = value;
    std::erase(command.env_unset, key);
  }
}

}  // namespace

std::optional<std::int64_t> longest_sequence(const plan::Plan& plan) {
  const auto& w = plan.workload;
  std::int64_t longest = 0;
  switch (w.kind) {
    case workload::Spec::Kind::documents: longest = w.tokens + w.output_tokens; break;
    case workload::Spec::Kind::sessions:
      // Each turn holds the answers before it.
      longest = w.tokens + std::max<std::int64_t>(w.rounds, 1) * (w.turn_tokens + w.output_tokens);
      break;
    case workload::Spec::Kind::trace: return std::nullopt;
  }
  const std::int64_t block = std::max<std::int64_t>(plan.capacity.block_size, 1);
  return (longest + block - 1) / block * block;
}

std::string served_name(const plan::Plan& plan) {
  if (!plan.model.config.empty()) {
    const std::filesystem::path folder(model_argument(plan));
    const auto name = folder.filename().empty() ? folder.parent_path().filename() : folder.filename();
    if (!name.empty() && name != "." && name != "..") return name.string();
  }
  return plan.model.id.empty() ? "model" : plan.model.id;
}

bool is_offload_setting(const std::string& name) {
  for (const char* flag : {"--kv-transfer-config", "--kv-offloading-size", "--kv-offloading-backend"})
    if (name == flag || name.rfind(std::string(flag) + "=", 0) == 0) return true;
  return false;
}

Result<process::Command> serve_command(const plan::Plan& plan, bool offload, const Endpoint& at,
                                       const CommandOptions& options) {
  if (plan.model.id.empty() && plan.model.config.empty())
    return fail(ErrorCode::bad_usage, "The plan names no model", "model", {}, "Give model.id or model.config");
  Arguments a(plan, options);
  a.argv = {options.executable, "serve", options.model.value_or(model_argument(plan))};
  a.needed("--served-model-name", served_name(plan));
  a.needed("--host", process::bind_host(plan.launcher, at.host));
  a.needed("--port", std::to_string(at.listens_on()));
  if (plan.model.dummy_weights) a.needed("--load-format", "dummy");
  a.needed("--seed", "0");
  a.needed("--block-size", std::to_string(plan.capacity.block_size));
  a.needed("--num-gpu-blocks-override", std::to_string(plan.capacity.gpu_blocks));
  if (options.block_bytes_per_rank)
    a.optional("--kv-cache-memory-bytes", std::to_string(*options.block_bytes_per_rank * plan.capacity.gpu_blocks));
  if (const auto longest = longest_sequence(plan)) a.needed("--max-model-len", std::to_string(*longest));
  if (plan.model.kv_dtype != "auto" && !plan.model.kv_dtype.empty()) a.needed("--kv-cache-dtype", plan.model.kv_dtype);
  if (plan.model.tp > 1) a.needed("--tensor-parallel-size", std::to_string(plan.model.tp));
  if (plan.model.pp > 1) a.needed("--pipeline-parallel-size", std::to_string(plan.model.pp));
  a.optional("--enable-prefix-caching");
  a.optional("--enable-prompt-tokens-details");
  a.optional("--enable-request-id-headers");
  // 0.32 does not start with the two together (seen live).
  if (!a.given("--disable-log-stats")) a.if_probed("--enable-per-request-metrics");
  if (offload) {
    auto config = transfer_config(plan);
    if (!config) return fail(config.error());
    a.needed("--kv-transfer-config", *config);
  }
  if (!a.missing().empty()) {
    std::string list;
    for (const auto& flag : a.missing()) list += (list.empty() ? "" : ", ") + flag;
    return fail(ErrorCode::unsupported, "This engine does not know needed flags", options.executable, list,
                "Use a newer release");
  }
  process::Command command;
  command.argv = std::move(a.argv);
  if (options.emulator && !plan.engine.version.empty()) {
    command.argv.push_back("--emulate-generation");
    command.argv.push_back(plan.engine.version);
  }
  command.argv.insert(command.argv.end(), plan.engine.extra_args.begin(), plan.engine.extra_args.end());
  environment(plan, command);
  return command;
}

std::string completion_body(const std::string& model, std::span<const std::int32_t> prompt, std::int64_t output_tokens,
                            const std::string& salt) {
  std::string body = "{\"model\":" + Json(model).dump(-1, ' ', false, Json::error_handler_t::replace) + ",\"prompt\":[";
  body.reserve(body.size() + prompt.size() * 7 + 400);
  char digits[16];
  for (std::size_t i = 0; i < prompt.size(); ++i) {
    if (i > 0) body += ',';
    const auto end = std::to_chars(digits, digits + sizeof digits, prompt[i]).ptr;
    body.append(digits, end);
  }
  const auto n = std::to_string(output_tokens);
  // min_tokens and ignore_eos: a model that wants to stop early would make requests of unequal length.
  body += "],\"max_tokens\":" + n + ",\"min_tokens\":" + n +
          ",\"ignore_eos\":true,\"temperature\":0,\"seed\":0,\"n\":1,\"stream\":true,"
          "\"stream_options\":{\"include_usage\":true},\"return_token_ids\":true";
  if (!salt.empty()) body += ",\"cache_salt\":" + Json(salt).dump(-1, ' ', false, Json::error_handler_t::replace);
  body += '}';
  return body;
}

}  // namespace kvcliff::engine::vllm
