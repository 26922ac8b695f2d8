// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/pages/page.h"

namespace kvcliff::ui {

class PredictPage : public Page {
  Q_OBJECT
 public:
  explicit PredictPage(Services services, QWidget* parent = nullptr);
};

}  // namespace kvcliff::ui
