// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/decide_page.h"

namespace kvcliff::ui {

DecidePage::DecidePage(Services services, QWidget* parent) : Page(services, QStringLiteral("decide"), tr("Decide"), parent) {}

}  // namespace kvcliff::ui
