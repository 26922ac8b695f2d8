// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QString>
#include <QStringList>
#include <QThreadPool>
#include <QTimer>
#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/power.h"
#include "host/preflight.h"
#include "plan/plan.h"
#include "record/request.h"
#include "ui/bridge/model_sizes.h"

namespace kvcliff::ui {

/// One line of a shown command or environment; `key` tells lines of different arms apart ("--kv-transfer-config").
struct ShownLine {
  QString key, text;
  bool differs = false;   ///< the compared arms do not have this line in common
};

/// One request of the list, with its prediction and the reason for it. The token ids are not kept.
struct ListedRequest {
  PlannedRequest request;
  std::string why;
};

/// What core says of one arm of a plan before anything runs.
struct ArmFacts {
  bool offload = false;
  std::vector<ShownLine> command, environment;
  QString line;                          ///< to paste into a shell
  QString command_why;                   ///< not empty: there is no command, and this is the reason
  std::optional<plan::Fault> command_fault;   ///< the same as a fault of the plan, where it is one
  std::vector<ListedRequest> requests;   ///< warm-up first
  QString requests_why;                  ///< not empty: the list is not made, and this is the reason
  int warmups = 0;                       ///< of the list: the plan's minimum
  std::int64_t gpu_blocks = 0, host_blocks = 0, block_size = 0;
  std::optional<std::int64_t> count;     ///< measured requests of one session
  std::optional<double> seconds;         ///< of one session, if everything were computed
};

struct PlanFacts {
  plan::Plan plan;
  QString hash;
  std::vector<plan::SessionPlan> sessions;
  std::map<std::string, ArmFacts> arms;
  QString compared_difference;           ///< how off and on differ, or that something else does
  bool only_offload_differs = false;
  std::optional<std::int64_t> requests;  ///< measured, of all sessions; absent for an unread trace
  std::optional<double> seconds;
  QString seconds_why;
  std::vector<plan::Fault> warnings;
  std::optional<plan::Fault> engine_fault;   ///< the engine cannot be launched as the plan names it
  std::vector<analysis::PowerRow> power;
};

/// Everything core computes of a valid plan. Slow for large workloads: call it from a worker.
PlanFacts facts_of(const plan::Plan& plan, const QString& folder, const ModelSizes& sizes, const QString& resources, int port);

/// Keeps facts and preflight of the plan being edited up to date on a worker; late results of older plans are dropped.
class PlanFactsLoader : public QObject {
  Q_OBJECT
 public:
  PlanFactsLoader(QString resources, QObject* parent = nullptr);
  ~PlanFactsLoader() override;

  /// Facts follow after a short rest, so that typing does not queue work. `folder`: that of the plan file, for its
  /// relative paths. An invalid plan keeps the last facts.
  void update(const plan::Plan& plan, const QString& folder);
  /// Where the journal would be written: its disk is looked at as well.
  void set_journal(const QString& path) { journal_ = path; }
  /// Looks at the machine again for the plan given last.
  void check_machine();

  const PlanFacts* facts() const { return facts_.get(); }
  const std::vector<host::PreflightItem>& preflight() const { return items_; }
  /// Also while a look is due: what is known is of an earlier plan.
  bool checking() const { return checking_ || check_rest_.isActive(); }
  double preflight_ms() const { return preflight_ms_; }
  int port() const { return port_; }

 signals:
  void facts_changed();
  void preflight_changed();

 private:
  void start_facts();

  QString resources_, folder_, journal_;
  std::shared_ptr<const ModelSizes> sizes_;
  plan::Plan plan_;
  std::shared_ptr<const PlanFacts> facts_;
  std::vector<host::PreflightItem> items_;
  bool checking_ = false;
  double preflight_ms_ = 0;
  int port_ = 8000;
  std::uint64_t generation_ = 0, check_generation_ = 0;
  QThreadPool pool_, check_pool_;   ///< a slow look at the GPUs must not hold up the facts
  QTimer rest_, check_rest_;
};

}  // namespace kvcliff::ui
