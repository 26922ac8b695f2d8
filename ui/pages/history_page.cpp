// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/history_page.h"

namespace kvcliff::ui {

HistoryPage::HistoryPage(Services services, QWidget* parent) : Page(services, QStringLiteral("history"), tr("History"), parent) {}

}  // namespace kvcliff::ui
