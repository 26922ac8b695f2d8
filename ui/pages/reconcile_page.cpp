// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/reconcile_page.h"

namespace kvcliff::ui {

ReconcilePage::ReconcilePage(Services services, QWidget* parent) : Page(services, QStringLiteral("reconcile"), tr("Reconcile"), parent) {}

}  // namespace kvcliff::ui
