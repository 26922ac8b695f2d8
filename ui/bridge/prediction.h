// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QString>
#include <QStringList>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "cache/capacity_curve.h"
#include "cache/config.h"
#include "cache/working_set.h"
#include "model/catalogue.h"
#include "plan/plan.h"
#include "ui/bridge/model_sizes.h"

namespace kvcliff::ui {

/// The requests of a trace, or of sessions whose prompts grow: one pass tells every capacity.
struct StreamCurve {
  cache::CapacityCurve curve;
  std::int64_t distinct = 0;             ///< blocks
  QStringList notes;                     ///< what of the file is to be known
};

/// What the Predict page shows of one plan. Shapes that are not there yet are null; `why` says what stands in the way.
struct PredictionState {
  std::shared_ptr<const model::KvLayout> layout;
  QString layout_why;                    ///< the model cannot be sized, and this is the reason
  cache::Config config;                  ///< usable GPU blocks, host chunks, rule
  std::shared_ptr<const cache::WorkingSet> sizes;   ///< of documents: points are over the working set
  std::shared_ptr<const StreamCurve> stream;        ///< of anything else: points are over the GPU cache
  QString sizes_why;
  std::vector<cache::WorkingSetPoint> points;
  bool exact = false;                    ///< points follow the version's rule, not the one-pass bound
  double milliseconds = 0;               ///< of the last computation
};

/// Keeps the prediction of a plan up to date. Sizes of the model and the one-pass curve are there when `update` returns
/// (unless the workload changed: then a few tens of ms later); the version's host rule follows from a worker thread.
class Prediction : public QObject {
  Q_OBJECT
 public:
  explicit Prediction(QString resources, QObject* parent = nullptr);
  ~Prediction() override;

  /// Sizes model and capacities only, at once; `update` does so too.
  void size(const plan::Plan& plan, cache::HostTouch rule);
  void update(const plan::Plan& plan, cache::HostTouch rule, bool revisits_only, int documents_max);
  const PredictionState& state() const { return state_; }
  const std::vector<model::CatalogueEntry>& catalogue() const { return catalogue_; }
  QString catalogue_error() const { return catalogue_error_; }

 signals:
  void changed();

 private:
  void size_model(const plan::Plan& plan);
  /// A computation under way. One that is no longer wanted is told so and ends by itself: nobody waits for it.
  struct Work {
    std::atomic<bool> stop{false}, done{false};
    std::jthread thread;
  };
  void drop_work();
  void compute(bool new_workload, plan::Plan plan, bool revisits_only, int documents_max);
  void run(Work& w, std::uint64_t generation, const cache::Config& config, std::shared_ptr<const cache::WorkingSet> sizes, const plan::Plan& plan,
           bool revisits_only, int documents_max);
  void compute_stream(bool new_workload, const plan::Plan& plan);
  void evaluate_stream();

  ModelSizes models_;
  std::vector<model::CatalogueEntry> catalogue_;
  QString catalogue_error_;
  PredictionState state_;
  workload::Spec spec_;
  std::int64_t block_size_ = 0;
  int documents_max_ = 0;
  bool revisits_only_ = true;
  std::vector<std::shared_ptr<Work>> works_;   ///< the last is the wanted one
  std::uint64_t generation_ = 0;   ///< a late result of an older generation is dropped
};

}  // namespace kvcliff::ui
