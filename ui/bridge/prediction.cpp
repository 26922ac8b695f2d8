// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/prediction.h"

#include <QElapsedTimer>
#include <QMetaObject>

#include "cache/trace_stream.h"
#include "model/capacity.h"
#include "ui/theme/plain_text.h"
#include "workload/requests.h"
#include "workload/trace.h"

namespace kvcliff::ui {

Prediction::Prediction(QString resources, QObject* parent) : QObject(parent), models_(resources) {
  auto all = model::catalogue((resources + QStringLiteral("/models")).toStdString());
  if (all) catalogue_ = std::move(*all);
  else catalogue_error_ = shown(all.error().sentence());
}

Prediction::~Prediction() {
  for (const auto& w : works_) w->stop = true;
  for (const auto& w : works_) w->thread.join();
}

void Prediction::drop_work() {
  for (const auto& w : works_) w->stop = true;
  std::erase_if(works_, [](const auto& w) {
    if (w->done) w->thread.join();
    return bool(w->done);
  });
}

void Prediction::size_model(const plan::Plan& plan) {
  state_.layout_why.clear();
  Result<model::KvLayout> layout = fail(ErrorCode::not_found, "No model is chosen", {}, {}, "Choose one or drop a config.json");
  if (!plan.model.config.empty() || !plan.model.id.empty()) layout = models_.layout(plan);
  state_.layout = layout ? std::make_shared<const model::KvLayout>(std::move(*layout)) : nullptr;
  if (!layout) state_.layout_why = shown(layout.error().sentence());
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
    else state_.layout_why = shown(chunks.error().sentence());
  }
}

void Prediction::update(const plan::Plan& plan, cache::HostTouch rule, bool revisits_only, int documents_max) {
  size(plan, rule);
  const cache::Config& c = state_.config;
  workload::Spec spec = plan.workload;
  spec.documents = 0;  // the number of documents is the axis
  const bool stream = spec.kind != workload::Spec::Kind::documents;
  const bool new_workload = !(stream ? bool(state_.stream) : bool(state_.sizes)) || spec != spec_ || c.block_size != block_size_ ||
                            (!stream && (documents_max != documents_max_ || revisits_only != revisits_only_));
  spec_ = spec;
  block_size_ = c.block_size;
  documents_max_ = documents_max;
  revisits_only_ = revisits_only;
  if (stream) compute_stream(new_workload, plan);
  else compute(new_workload, plan, revisits_only, documents_max);
}

namespace {

// The requests as the run will send them, as block ids.
Result<cache::ReferenceStream> read_stream(const plan::Plan& plan, QStringList* notes) {
  const auto& w = plan.workload;
  const std::int64_t block = plan.capacity.block_size;
  if (w.kind != workload::Spec::Kind::trace || w.trace_scale != 1) {
    const auto prompts = workload::realise(w, block);
    if (!prompts) return fail(prompts.error());
    return cache::stream_of(*prompts, block);
  }
  workload::TraceOptions options;
  options.first_requests = w.trace_requests;
  auto trace = workload::read_trace(w.trace, options);
  if (!trace) return fail(trace.error());
  if (!trace->prefix_model.empty()) *notes << shown(trace->prefix_model);
  if (trace->backwards > 0) *notes << QObject::tr("%1 requests arrive before the one above them; they are taken in the order of the file").arg(trace->backwards);
  return cache::stream_of(*trace, block);
}

}  // namespace

void Prediction::compute_stream(bool new_workload, const plan::Plan& plan) {
  drop_work();
  const std::uint64_t generation = ++generation_;
  if (!new_workload) return evaluate_stream();
  state_.sizes.reset();
  state_.stream.reset();
  state_.points.clear();
  state_.exact = false;
  state_.sizes_why.clear();
  auto work = std::make_shared<Work>();
  works_.push_back(work);
  work->thread = std::jthread([this, w = work.get(), generation, plan, order = state_.config.free_order] {
    QStringList notes;
    std::shared_ptr<const StreamCurve> made;
    QString why;
    if (const auto stream = read_stream(plan, &notes); !stream) why = shown(stream.error().sentence());
    else if (!w->stop) made = std::make_shared<const StreamCurve>(StreamCurve{cache::CapacityCurve(*stream, order, 0, true), stream->distinct, notes});
    QMetaObject::invokeMethod(this, [this, generation, made, why] {
      if (generation != generation_) return;
      state_.stream = made;
      state_.sizes_why = why;
      if (made) evaluate_stream();
      else emit changed();
    }, Qt::QueuedConnection);
    w->done = true;
  });
}

// Look-ups in prefix sums: done at once for a thousand capacities.
void Prediction::evaluate_stream() {
  QElapsedTimer timer;
  timer.start();
  const cache::CapacityCurve& curve = state_.stream->curve;
  const std::int64_t gpu = std::max<std::int64_t>(1, state_.config.gpu_blocks), host = state_.config.host_chunks * state_.config.blocks_per_chunk;
  const std::int64_t right = std::max({gpu * 2, host * 5 / 4, std::min(state_.stream->distinct * 21 / 20, 10 * std::max(gpu, host))});
  std::vector<std::int64_t> at{gpu};
  for (int i = 0; i <= 800; ++i) at.push_back(right * i / 800);
  for (const auto step : curve.gpu_steps())
    if (step <= right && at.size() < 4000) at.push_back(step), at.push_back(std::max<std::int64_t>(0, step - 1));
  std::sort(at.begin(), at.end());
  at.erase(std::unique(at.begin(), at.end()), at.end());
  const double n = double(std::max<std::int64_t>(1, curve.prompt_tokens()));
  state_.points.clear();
  for (const cache::CurvePoint& c : curve.along(false, host, at)) {
    cache::WorkingSetPoint p;
    p.blocks = c.gpu_blocks;
    p.gpu = double(c.gpu_hit) / n;
    p.host = p.host_low = p.host_high = double(c.host_loaded) / n;
    state_.points.push_back(p);
  }
  state_.exact = cache::one_pass_rules(state_.config) && (host == 0 || state_.config.host_touch == cache::HostTouch::lookup);
  state_.milliseconds = double(timer.nsecsElapsed()) * 1e-6;
  emit changed();
}

void Prediction::compute(bool new_workload, plan::Plan plan, bool revisits_only, int documents_max) {
  drop_work();
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
    state_.stream.reset();
    state_.points.clear();
    state_.exact = false;
  }
  auto work = std::make_shared<Work>();
  works_.push_back(work);
  work->thread = std::jthread([this, w = work.get(), generation, config = state_.config, sizes = state_.sizes, plan = std::move(plan), revisits_only, documents_max]() mutable {
    run(*w, generation, config, std::move(sizes), plan, revisits_only, documents_max);
    w->done = true;
  });
}

void Prediction::run(Work& w, std::uint64_t generation, const cache::Config& config, std::shared_ptr<const cache::WorkingSet> sizes, const plan::Plan& plan, bool revisits_only,
                     int documents_max) {
  QElapsedTimer clock;
  clock.start();
  std::vector<cache::WorkingSetPoint> points;
  if (!sizes) {
    QString why;
    auto made = cache::WorkingSet::prepare(plan.workload, config.block_size, config.free_order, documents_max, revisits_only, &w.stop);
    if (made) sizes = std::make_shared<const cache::WorkingSet>(std::move(*made));
    else why = shown(made.error().sentence());
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
  points = sizes->simulate(config, int(std::max(1u, std::thread::hardware_concurrency())), &w.stop);
  if (w.stop) return;
  const double ms = double(clock.nsecsElapsed()) * 1e-6;
  QMetaObject::invokeMethod(this, [this, generation, points = std::move(points), ms] {
    if (generation != generation_) return;
    state_.points = points;
    state_.exact = true;
    state_.milliseconds = ms;
    emit changed();
  }, Qt::QueuedConnection);
}

}  // namespace kvcliff::ui
