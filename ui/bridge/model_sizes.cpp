// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/model_sizes.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/file.h"
#include "base/text.h"
#include "model/config_text.h"
#include "model/derive.h"
#include "reconcile/load.h"
#include "ui/theme/plain_text.h"

namespace kvcliff::ui {

QString model_words(const QString& name) {
  const bool path = name.startsWith(QLatin1Char('/')) || name.startsWith(QLatin1Char('.')) || name.startsWith(QLatin1Char('~')) || name.endsWith(QLatin1String(".json"), Qt::CaseInsensitive);
  if (!path) return name;
  const QStringList parts = name.split(QLatin1Char('/'), Qt::SkipEmptyParts);
  if (parts.isEmpty()) return name;
  return parts.size() > 1 && parts.last() == QLatin1String("config.json") ? parts[parts.size() - 2] : parts.last();
}

QString model_words(const plan::ModelSpec& model) { return model_words(shown(model.config.empty() ? model.id : model.config)); }

namespace {
model::Options options_of(const plan::Plan& p) {
  model::Options options;
  options.kv_dtype = p.model.kv_dtype;
  options.tp = p.model.tp;
  options.pp = p.model.pp;
  options.block_size = p.capacity.block_size;
  return options;
}
}  // namespace

Result<model::KvLayout> ModelSizes::layout_of_run(const plan::Plan& p, const Json& host) const {
  if (p.model.config.empty()) return layout(p);
  if (const Json* config = reconcile::recorded_model(host)) return model::derive(*config, options_of(p));
  return fail(ErrorCode::not_found, "The journal does not hold the config.json of its model", {}, {}, {});
}

Result<model::KvLayout> ModelSizes::layout(const plan::Plan& p) const {
  const model::Options options = options_of(p);
  if (!p.model.config.empty()) {
    std::filesystem::path path = p.model.config;
    std::error_code ec;
    if (std::filesystem::is_directory(path, ec)) path /= "config.json";
    const auto text = read_maybe_compressed(path);
    if (!text) return fail(text.error());
    const auto config = model::parse_config_text(*text, path.string());
    if (!config) return fail(config.error());
    return model::derive(config->value, options);
  }
  std::shared_ptr<const std::vector<model::CatalogueEntry>> entries;
  {
    const std::lock_guard guard(mutex_);
    if (!catalogue_) {
      auto read = model::catalogue((resources_ + QStringLiteral("/models")).toStdString());
      if (!read) return fail(read.error());
      catalogue_ = std::make_shared<const std::vector<model::CatalogueEntry>>(std::move(*read));
    }
    entries = catalogue_;
  }
  const auto entry = model::find(*entries, p.model.id);
  if (!entry) return fail(entry.error());
  return model::derive(**entry, options);
}

Result<reconcile::KvFacts> ModelSizes::kv_facts(const plan::Plan& plan) const {
  const auto sized = layout(plan);
  if (!sized) return fail(sized.error());
  reconcile::KvFacts out;
  out.bytes_per_token = sized->bytes_per_token_all_ranks;
  out.from = fmt::format("{} ({}), KV dtype {}, TP {}, PP {}: {} bytes per token over all ranks", sized->model, sized->kind,
                         sized->kv_dtype, plan.model.tp, plan.model.pp, grouped(sized->bytes_per_token_all_ranks));
  return out;
}

}  // namespace kvcliff::ui
