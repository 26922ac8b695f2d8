// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/prediction.h"

#include <QElapsedTimer>
#include <QMetaObject>

#include "base/file.h"
#include "model/capacity.h"
#include "model/derive.h"

namespace kvcliff::ui {

Prediction::Prediction(QString resources, QObject* parent) : QObject(parent), resources_(std::move(resources)) {
  auto all = model::catalogue((resources_ + QStringLiteral("/models")).toStdString());
  if (all) catalogue_ = std::move(*all);
  else catalogue_error_ = QString::fromStdString(all.error().sentence());
}

Prediction::~Prediction() { stop_worker(); }

void Prediction::stop_worker() {
  stop_ = true;
  if (worker_.joinable()) worker_.join();
  stop_ = false;
}

void Prediction::size_model(const plan::Plan& plan) {
  model::Options options;
  options.kv_dtype = plan.model.kv_dtype;
  options.tp = plan.model.tp;
  options.pp = plan.model.pp;
  options.block_size = plan.capacity.block_size;
  state_.layout_why.clear();
  Result<model::KvLayout> layout = fail(ErrorCode::not_found, "No model is chosen", {}, {}, "Choose one or drop a config.json");
  if (!plan.model.config.empty()) {
    layout = read_file(plan.model.config).and_then([&](const std::string& text) {
      return parse_json(text, plan.model.config).and_then([&](const Json& j) { return model::derive(j, options); });
    });
  } else if (!plan.model.id.empty()) {
    const auto entry = model::find(catalogue_, plan.model.id);
    layout = entry ? model::derive(**entry, options) : Result<model::KvLayout>(fail(entry.error()));
  }
  state_.layout = layout ? std::make_shared<const model::KvLayout>(std::move(*layout)) : nullptr;
  if (!layout) state_.layout_why = QString::fromStdString(layout.error().sentence());
}

void Prediction::size(const plan::Plan& plan, cache::HostTouch rule) {
  size_model(plan);
  cache::Config& c = state_.config;
  c = {};
  c.block_size = plan.capacity.block_size;
  c.gpu_blocks = std::max<std::int64_t>(0, plan.capacity.gpu_blocks - 1);
  c.blocks_per_chunk = std::max<std::int64_t>(1, plan.capacity.offload.blocks_per_chunk);
  c.policy = plan.capacity.offload.policy == "arc" ? cache::Policy::arc : cache::Policy::lru;
  c.offload_prompt_only = plan.capacity.offload.offload_prompt_only;
  c.host_touch = rule;
  c.host_chunks = 0;
  if (state_.layout && plan.capacity.host_bytes > 0) {
    const auto chunks = model::host_chunks(*state_.layout, Bytes(plan.capacity.host_bytes), c.blocks_per_chunk);
    if (chunks) c.host_chunks = chunks->v;
    else state_.layout_why = QString::fromStdString(chunks.error().sentence());
  }
}

void Prediction::update(const plan::Plan& plan, cache::HostTouch rule, bool revisits_only, int documents_max) {
  size(plan, rule);
  const cache::Config& c = state_.config;
  workload::Spec spec = plan.workload;
  spec.documents = 0;  // the number of documents is the axis
  const bool new_workload = !state_.sizes || spec != spec_ || c.block_size != block_size_ ||
                            documents_max != documents_max_ || revisits_only != revisits_only_;
  spec_ = spec;
  block_size_ = c.block_size;
  documents_max_ = documents_max;
  revisits_only_ = revisits_only;
  compute(new_workload, plan, revisits_only, documents_max);
}

void Prediction::compute(bool new_workload, plan::Plan plan, bool revisits_only, int documents_max) {
  stop_worker();
  const std::uint64_t generation = ++generation_;
  QElapsedTimer timer;
  timer.start();
  if (!new_workload) {
    state_.points = state_.sizes->one_pass(state_.config);
    state_.exact = std::all_of(state_.points.begin(), state_.points.end(), [](const auto& p) { return p.exact; });
    state_.milliseconds = double(timer.nsecsElapsed()) * 1e-6;
    emit changed();
    if (state_.exact) return;
  } else {
    state_.sizes.reset();
    state_.points.clear();
    state_.exact = false;
  }
  worker_ = std::jthread([this, generation, config = state_.config, sizes = state_.sizes, plan = std::move(plan), revisits_only,
                          documents_max]() mutable {
    QElapsedTimer clock;
    clock.start();
    QString why;
    std::vector<cache::WorkingSetPoint> points;
    if (!sizes) {
      auto made = cache::WorkingSet::prepare(plan.workload, config.block_size, config.free_order, documents_max, revisits_only);
      if (made) sizes = std::make_shared<const cache::WorkingSet>(std::move(*made));
      else why = QString::fromStdString(made.error().sentence());
      if (sizes) points = sizes->one_pass(config);
      const bool exact = std::all_of(points.begin(), points.end(), [](const auto& p) { return p.exact; });
      const double ms = double(clock.nsecsElapsed()) * 1e-6;
      QMetaObject::invokeMethod(this, [this, generation, sizes, why, points, exact, ms] {
        if (generation != generation_) return;
        state_.sizes = sizes;
        state_.sizes_why = why;
        state_.points = points;
        state_.exact = exact;
        state_.milliseconds = ms;
        emit changed();
      }, Qt::QueuedConnection);
      if (!sizes || exact) return;
    }
    clock.restart();
    points = sizes->simulate(config, int(std::max(1u, std::thread::hardware_concurrency())), &stop_);
    if (stop_) return;
    const double ms = double(clock.nsecsElapsed()) * 1e-6;
    QMetaObject::invokeMethod(this, [this, generation, points = std::move(points), ms] {
      if (generation != generation_) return;
      state_.points = points;
      state_.exact = true;
      state_.milliseconds = ms;
      emit changed();
    }, Qt::QueuedConnection);
  });
}

}  // namespace kvcliff::ui
