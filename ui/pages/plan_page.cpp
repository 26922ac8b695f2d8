// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/plan_page.h"

namespace kvcliff::ui {

PlanPage::PlanPage(Services services, QWidget* parent) : Page(services, QStringLiteral("plan"), tr("Plan"), parent) {}

}  // namespace kvcliff::ui
