// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/run_page.h"

namespace kvcliff::ui {

RunPage::RunPage(Services services, QWidget* parent) : Page(services, QStringLiteral("run"), tr("Run"), parent) {}

}  // namespace kvcliff::ui
