// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/kv_facts.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/file.h"
#include "base/text.h"
#include "cli/context.h"
#include "cli/resources.h"
#include "model/catalogue.h"
#include "model/config_text.h"

namespace kvcliff::cli {
namespace {
namespace fs = std::filesystem;

Result<model::KvLayout> layout_of(const Context& context, const plan::Plan& p) {
  model::Options o;
  o.kv_dtype = p.model.kv_dtype;
  o.tp = p.model.tp;
  o.pp = p.model.pp;
  o.block_size = p.capacity.block_size;
  if (!p.model.config.empty()) {
    fs::path path = p.model.config;
    std::error_code ec;
    if (fs::is_directory(path, ec)) path /= "config.json";
    auto text = read_maybe_compressed(path);
    if (!text) return fail(text.error());
    auto config = model::parse_config_text(*text, path.filename().string());
    if (!config) return fail(config.error());
    return model::derive(config->value, o);
  }
  auto file = find_resource(context, "models/catalogue.json");
  if (!file) return fail(file.error());
  auto entries = model::catalogue(fs::path(*file).parent_path().string());
  if (!entries) return fail(entries.error());
  auto entry = model::find(*entries, p.model.id);
  if (!entry) return fail(entry.error());
  return model::derive(**entry, o);
}
}  // namespace

Result<reconcile::KvFacts> kv_facts(const Context& context, const plan::Plan& plan) {
  auto layout = layout_of(context, plan);
  if (!layout) return fail(layout.error());
  reconcile::KvFacts out;
  out.bytes_per_token = layout->bytes_per_token_all_ranks;
  out.from = fmt::format("{} ({}), KV dtype {}, TP {}, PP {}: {} bytes per token over all ranks", layout->model, layout->kind,
                         layout->kv_dtype, plan.model.tp, plan.model.pp, grouped(layout->bytes_per_token_all_ranks));
  return out;
}

}  // namespace kvcliff::cli
