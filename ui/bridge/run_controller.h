// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QString>

#include "plan/plan.h"

namespace kvcliff::ui {

/// Runs an experiment on its own thread and turns its observer's calls into signals on the GUI thread.
class RunController : public QObject {
  Q_OBJECT
 public:
  explicit RunController(QObject* parent = nullptr);
  ~RunController() override;

  bool running() const { return running_; }

 signals:
  void running_changed(bool running);

 private:
  bool running_ = false;
};

}  // namespace kvcliff::ui
