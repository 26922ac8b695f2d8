// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

class QAbstractItemModel;

namespace kvcliff::ui {

/// One cell of a table as text: quoted where it holds the separator, a quote or a line end, as readers of CSV expect.
QString table_cell(const QString& text, QChar separator);
/// A whole table as it is shown, with its header.
QString table_text(const QAbstractItemModel& model, QChar separator);
/// Writes text as a file. Empty: done; else why not, as a finished sentence.
QString write_text(const QString& path, const QString& text);

}  // namespace kvcliff::ui
