// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <memory>
#include <mutex>

#include "model/catalogue.h"
#include "model/layout.h"
#include "plan/plan.h"
#include "reconcile/input.h"

namespace kvcliff::ui {

/// Name of a model as people say it: of a path its last folder ("/models/qwen3-8b/config.json" is "qwen3-8b"), else the
/// words themselves ("Qwen/Qwen3-8B"). Where it shortens, the whole belongs into the tooltip.
QString model_words(const QString& name);
QString model_words(const plan::ModelSpec& model);

/// KV sizes of the model a plan names: its config.json, or the catalogue of resources/models, which is read on first use.
/// May be shared by threads.
class ModelSizes {
 public:
  explicit ModelSizes(QString resources) : resources_(std::move(resources)) {}

  /// Errors: those of reading and deriving, finished sentences.
  Result<model::KvLayout> layout(const plan::Plan& plan) const;
  /// Of a run that a journal tells of, with the facts of its machine: a config.json is the one that the journal holds, and
  /// no path in the plan is opened.
  Result<model::KvLayout> layout_of_run(const plan::Plan& plan, const Json& host) const;
  /// What the checks need of it (reconcile::LoadOptions::kv).
  Result<reconcile::KvFacts> kv_facts(const plan::Plan& plan) const;

 private:
  QString resources_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const std::vector<model::CatalogueEntry>> catalogue_;
};

}  // namespace kvcliff::ui
