// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/run_controller.h"

namespace kvcliff::ui {

RunController::RunController(QObject* parent) : QObject(parent) {}
RunController::~RunController() = default;

}  // namespace kvcliff::ui
