// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QString>
#include <QStringList>
#include <QThreadPool>
#include <vector>

#include "engine/vllm/log_facts.h"
#include "model/catalogue.h"
#include "plan/plan.h"

namespace kvcliff::ui {

/// What the log of a server says of itself.
struct ServerLogRead {
  QString file;
  QString error;                         ///< not empty: it could not be read
  engine::vllm::LogFacts facts;
  QString cause, next;                   ///< why the engine failed, where it did, and what to try
  bool cut = false;                      ///< only the beginning was read
};
/// Slow for a large file: call it from a worker.
ServerLogRead read_server_log(const QString& file);

/// The plan with what the log states: model, KV dtype, block size, blocks, host tier, version. `taken` names it; `left`
/// says what could not be taken, and why.
plan::Plan with_log_facts(plan::Plan plan, const engine::vllm::LogFacts& facts, const std::vector<model::CatalogueEntry>& catalogue, QStringList* taken, QStringList* left);

/// Reads logs on a worker; the last one asked for is told.
class ServerLogLoader : public QObject {
  Q_OBJECT
 public:
  explicit ServerLogLoader(QObject* parent = nullptr);
  ~ServerLogLoader() override;
  void load(const QString& file);

 signals:
  void loaded(const kvcliff::ui::ServerLogRead& log);

 private:
  QThreadPool pool_;
  std::uint64_t generation_ = 0;
};

}  // namespace kvcliff::ui
