// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

class QWidget;

namespace kvcliff::ui {

/// Says on the field itself what is wrong with its entry: edge, tooltip and accessible description. Empty takes it away.
/// The tooltip that the field has before its first fault stays its own.
void mark_fault(QWidget* field, const QString& sentence);

}  // namespace kvcliff::ui
