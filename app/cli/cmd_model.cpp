// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "base/file.h"
#include "base/text.h"
#include "cli/context.h"
#include "cli/resources.h"
#include "model/capacity.h"
#include "model/catalogue.h"
#include "model/config_text.h"
#include "model/host_options.h"

namespace kvcliff::cli {
namespace {
namespace fs = std::filesystem;

struct ModelArgs {
  std::string what, gpu_bytes, host_bytes, host_option;
  model::Options options;
  std::string hybrid_manager = "auto";
  std::int64_t max_model_len = 0, max_batched = 0, blocks_per_chunk = 1;
  bool list = false, v1_runner = false;
};

Result<std::vector<model::CatalogueEntry>> load_catalogue(const Context& context) {
  auto file = find_resource(context, "models/catalogue.json");
  if (!file) return fail(file.error());
  return model::catalogue(fs::path(*file).parent_path().string());
}

// A file or folder is read; anything else is an id of the catalogue.
Result<model::KvLayout> load(const Context& context, const ModelArgs& a, OrderedJson& extra) {
  std::error_code ec;
  fs::path path = a.what;
  if (fs::is_directory(path, ec)) path /= "config.json";
  const bool looks_like_file = path.extension() == ".json" || a.what.rfind("./", 0) == 0 || a.what.rfind('/', 0) == 0;
  if (!fs::exists(path, ec) && !looks_like_file) {
    auto entries = load_catalogue(context);
    if (!entries) return fail(entries.error());
    auto entry = model::find(*entries, a.what);
    if (!entry) return fail(entry.error());
    extra["origin"] = (*entry)->origin;
    if (!(*entry)->note.empty()) extra["note"] = (*entry)->note;
    return model::derive(**entry, a.options);
  }
  auto text = read_maybe_compressed(path);
  if (!text) return fail(text.error());
  auto config = model::parse_config_text(*text, path.filename().string());
  if (!config) return fail(config.error());
  extra["strict_json"] = config->strict;
  auto layout = model::derive(config->value, a.options);
  if (!layout) return layout;
  layout->warnings.insert(layout->warnings.end(), config->notes.begin(), config->notes.end());
  if (layout->model.empty()) layout->model = path.string();
  return layout;
}

void put(OrderedJson& j, const std::string& key, const Result<std::int64_t>& v) {
  j[key] = v ? OrderedJson(*v) : OrderedJson(nullptr);
  if (!v) j[key + "_why"] = v.error().sentence();
}

Result<std::int64_t> plain(const Result<Blocks>& r) { return r.map([](Blocks b) { return b.v; }); }
Result<std::int64_t> plain(const Result<Tokens>& r) { return r.map([](Tokens b) { return b.v; }); }

// Tokens of a pool: only where one kind of layers owns all blocks is blocks x block size a capacity.
Result<std::int64_t> pool_tokens(const model::KvLayout& l, const Result<Blocks>& blocks, std::int64_t factor) {
  if (!blocks) return fail(blocks.error());
  if (l.groups.size() != 1 || l.groups[0].kind == model::CacheKind::state)
    return fail(ErrorCode::unsupported, "Tokens are not a capacity here", l.model,
                l.groups.size() == 1 ? "a state takes the same room for any length" : "several kinds of layers draw blocks from one pool, so the tokens depend on the requests");
  return blocks->v * l.block_size * factor;
}

/// The host tier's bytes over all ranks: --host-bytes, or an engine's own option by its own unit and scope.
Result<std::optional<Bytes>> host_bytes_of(const ModelArgs& a, const model::KvLayout& l, OrderedJson& j) {
  if (!a.host_option.empty() && !a.host_bytes.empty())
    return fail(ErrorCode::bad_usage, "The host tier has two sizes", "--host-option, --host-bytes", {}, "Keep one of them");
  if (!a.host_bytes.empty()) {
    const auto bytes = parse_bytes(a.host_bytes);
    if (!bytes) return fail(ErrorCode::bad_usage, "Not an amount of memory: \"" + a.host_bytes + "\"", "--host-bytes", {}, "Write 10GiB, 2.5 GB or bytes");
    return bytes;
  }
  if (a.host_option.empty()) return std::optional<Bytes>();
  const auto colon = a.host_option.find(':'), equals = a.host_option.find('=');
  std::string option = colon < equals && equals != std::string::npos ? a.host_option.substr(colon + 1, equals - colon - 1) : std::string();
  const auto value = equals != std::string::npos ? parse_double(a.host_option.substr(equals + 1)) : std::nullopt;
  while (option.starts_with('-')) option.erase(0, 1);
  std::replace(option.begin(), option.end(), '-', '_');
  if (option.empty() || !value)
    return fail(ErrorCode::bad_usage, "Not an option with its value: \"" + a.host_option + "\"", "--host-option", {}, "Write vllm:kv_offloading_size=10 or sglang:hicache_size=32");
  const std::string engine = a.host_option.substr(0, colon);
  auto bytes = model::host_total_bytes(engine, option, *value, l.options.tp, 1, Bytes(l.bytes_per_token_per_rank * l.block_size));
  if (!bytes) return fail(bytes.error());
  for (const auto& r : model::host_size_rules())
    if (r.engine == engine && r.option == option) j["host_option"] = fmt::format("{} of {} counts {}", option, engine, r.words);
  return std::optional(*bytes);
}

Result<void> capacities(const ModelArgs& a, const model::KvLayout& l, OrderedJson& j) {
  const std::int64_t context = std::int64_t{l.options.dcp} * l.options.pcp;
  if (!a.gpu_bytes.empty()) {
    const auto bytes = parse_bytes(a.gpu_bytes);
    if (!bytes) return fail(ErrorCode::bad_usage, "Not an amount of memory: \"" + a.gpu_bytes + "\"", "--gpu-bytes", {}, "Write 10GiB, 2.5 GB or bytes");
    const auto blocks = model::gpu_blocks(l, *bytes);
    j["gpu_bytes_per_rank"] = bytes->v;
    put(j, "gpu_blocks", plain(blocks));
    put(j, "gpu_blocks_usable", plain(blocks.map([](Blocks b) { return model::usable(b); })));
    put(j, "gpu_tokens", pool_tokens(l, blocks, context));
    put(j, "gpu_tokens_usable", pool_tokens(l, blocks.map([](Blocks b) { return model::usable(b); }), context));
    if (blocks) put(j, "gpu_tokens_logged_to_v0_20", plain(model::logged_tokens(l, *blocks, model::TokenLine::blocks_over_groups)));
    if (blocks && a.max_model_len > 0) {
      put(j, "gpu_tokens_logged_from_v0_21", plain(model::logged_tokens(l, *blocks, model::TokenLine::concurrency, Tokens(a.max_model_len), a.max_batched)));
      const auto c = model::concurrency(l, *blocks, Tokens(a.max_model_len), a.max_batched);
      j["max_concurrency"] = c ? OrderedJson(*c) : OrderedJson(nullptr);
    }
  }
  if (a.max_model_len > 0) put(j, "needed_bytes_per_rank", model::needed_bytes(l, Tokens(a.max_model_len), a.max_batched).map([](Bytes b) { return b.v; }));
  const auto host = host_bytes_of(a, l, j);
  if (!host) return fail(host.error());
  if (const auto& bytes = *host) {
    const auto chunks = model::host_chunks(l, *bytes, a.blocks_per_chunk);
    const auto blocks = chunks.map([&](Blocks c) { return c * a.blocks_per_chunk; });
    j["host_bytes_all_ranks"] = bytes->v;
    if (a.blocks_per_chunk > 1) put(j, "host_chunks", plain(chunks));
    put(j, "host_blocks", plain(blocks));
    put(j, "host_tokens", pool_tokens(l, blocks, context));
    put(j, "host_bytes_pinned_estimate", model::pinned_host_bytes(l, *bytes, a.blocks_per_chunk, a.v1_runner).map([](Bytes b) { return b.v; }));
  }
  return {};
}

void words(std::ostream& out, const model::KvLayout& l, const OrderedJson& j) {
  out << l.model << " (" << l.kind << (l.config_part.empty() ? "" : ", " + l.config_part) << "), KV " << l.kv_dtype << '\n';
  out << fmt::format("{:>20} bytes per token, whole model once\n", grouped(l.bytes_per_token));
  if (l.options.tp > 1 || l.options.pp > 1 || l.options.dcp > 1)
    out << fmt::format("{:>20} on the largest rank\n{:>20} over all ranks, copies counted\n", grouped(l.bytes_per_token_per_rank), grouped(l.bytes_per_token_all_ranks));
  if (l.window_tokens) out << fmt::format("{:>20} more per token inside the window of {} tokens\n", grouped(l.window_extra), grouped(l.window_tokens));
  if (l.state) out << fmt::format("{:>20} bytes of state per sequence\n", grouped(l.state->raw_bytes_per_sequence));
  if (j.contains("host_option")) out << fmt::format("{:>20} bytes of host tier over all ranks: {}\n", grouped(j["host_bytes_all_ranks"].get<std::int64_t>()), j["host_option"].get<std::string>());
  for (const char* key : {"gpu_blocks", "gpu_tokens", "host_blocks", "host_tokens"})
    if (j.contains(key)) out << (j[key].is_null() ? fmt::format("{:>20} {}: {}\n", "not available", key, j[std::string(key) + "_why"].get<std::string>()) : fmt::format("{:>20} {}\n", grouped(j[key].get<std::int64_t>()), key));
  out << "Derivation\n";
  for (const auto& f : l.derivation) out << fmt::format("  {:<28} {:<14} {}\n", f.factor, f.value.is_number_integer() ? grouped(f.value.get<std::int64_t>()) : f.value.is_string() ? f.value.get<std::string>() : f.value.dump(), f.from);
  for (const auto& w : l.warnings) out << "Note: " << w << '\n';
}

int list_models(Context& context) {
  auto entries = load_catalogue(context);
  if (!entries) return context.report(entries.error());
  OrderedJson list = OrderedJson::array();
  for (const auto& e : *entries) {
    const auto l = model::derive(e);
    if (!l) return context.report(l.error());
    list.push_back({{"model", e.id}, {"kind", l->kind}, {"kv_dtype", l->kv_dtype}, {"bytes_per_token", l->bytes_per_token}});
    if (!context.json) context.out << fmt::format("{:<50} {:<22} {:>12}\n", e.id, l->kind, grouped(l->bytes_per_token));
  }
  if (context.json) context.print(OrderedJson{{"models", list}});
  return Exit::done;
}

int run_model(Context& context, ModelArgs& a) {
  if (a.list) return list_models(context);
  if (a.what.empty()) return context.report(Error{ErrorCode::bad_usage, "No model given", {}, {}, "Give a config.json, a model folder or a catalogue id; model --list shows the ids"});
  if (a.hybrid_manager != "auto") a.options.hybrid_manager = a.hybrid_manager == "on";
  OrderedJson extra;
  auto layout = load(context, a, extra);
  if (!layout) return context.report(layout.error());
  OrderedJson j = model::to_json(*layout);
  for (auto& [key, value] : extra.items()) j[key] = value;
  if (auto ok = capacities(a, *layout, j); !ok) return context.report(ok.error());
  if (context.json) context.print(j);
  else words(context.out, *layout, j);
  return Exit::done;
}

}  // namespace

/// `model CONFIG.json|ID`: KV bytes per token with the derivation.
void add_model(CLI::App& app, Context& context) {
  auto a = std::make_shared<ModelArgs>();
  CLI::App* sub = add_command(app, context, "model", "KV bytes per token and the derivation", [&context, a] { return run_model(context, *a); });
  sub->add_option("model", a->what, "config.json, model folder, or catalogue id (\"Qwen/Qwen3-0.6B\", \"qwen3-0.6b\")");
  sub->add_flag("--list", a->list, "The models of the catalogue");
  sub->add_option("--kv-dtype", a->options.kv_dtype, "auto, bf16, fp16, fp8, fp8_e4m3, fp8_e5m2, int8_per_token_head, fp8_per_token_head, nvfp4, fp8_ds_mla");
  sub->add_option("--tp", a->options.tp, "Tensor-parallel ranks");
  sub->add_option("--pp", a->options.pp, "Pipeline ranks");
  sub->add_option("--dcp", a->options.dcp, "Decode context parallel size");
  sub->add_option("--block-size", a->options.block_size, "Tokens per block")->check(above_zero());
  sub->add_option("--gpu-bytes", a->gpu_bytes, "Memory for the KV cache on one GPU (\"Available KV cache memory\" of the log)");
  sub->add_option("--host-bytes", a->host_bytes, "Memory of the host tier, all ranks together");
  sub->add_option("--host-option", a->host_option, "The same as an engine's own option, e.g. vllm:kv_offloading_size=10, sglang:hicache_size=32");
  sub->add_option("--blocks-per-chunk", a->blocks_per_chunk, "Blocks that one host chunk holds");
  sub->add_option("--max-model-len", a->max_model_len, "Adds the memory of one request of that length, and the concurrency");
  sub->add_option("--max-num-batched-tokens", a->max_batched, "Bounds windowed layers");
  sub->add_option("--mamba-cache-mode", a->options.mamba_cache_mode, "none (prefix caching off), align, all");
  sub->add_option("--mamba-ssm-cache-dtype", a->options.mamba_ssm_cache_dtype, "auto, float32, bfloat16, float16");
  sub->add_option("--hybrid-manager", a->hybrid_manager, "auto, on, off (a KV connector may switch it off)")->check(CLI::IsMember({"auto", "on", "off"}));
  sub->add_option("--kv-skip-layers", a->options.kv_skip_layers, "Layers kept in 16 bit: indices or sliding_window")->delimiter(',');
  sub->add_flag("--mtp", a->options.mtp, "Count the model's own drafting layers");
  sub->add_flag("--mla-disabled", a->options.mla_disabled, "VLLM_MLA_DISABLE is set");
  sub->add_flag("--v1-runner", a->v1_runner, "The pinned estimate for one tensor per rank");
}

}  // namespace kvcliff::cli
