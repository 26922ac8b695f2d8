// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/predict_page.h"

namespace kvcliff::ui {

PredictPage::PredictPage(Services services, QWidget* parent) : Page(services, QStringLiteral("predict"), tr("Predict"), parent) {}

}  // namespace kvcliff::ui
