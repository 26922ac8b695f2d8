// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/table_text.h"

#include <QAbstractItemModel>

#include "base/file.h"

namespace kvcliff::ui {

QString table_cell(const QString& text, QChar separator) {
  if (!text.contains(separator) && !text.contains(QLatin1Char('"')) && !text.contains(QLatin1Char('\n'))) return text;
  return QLatin1Char('"') + QString(text).replace(QLatin1Char('"'), QLatin1String("\"\"")) + QLatin1Char('"');
}

QString table_text(const QAbstractItemModel& model, QChar separator) {
  QString out;
  const int columns = model.columnCount();
  for (int c = 0; c < columns; ++c) out += (c ? QString(separator) : QString()) + table_cell(model.headerData(c, Qt::Horizontal).toString(), separator);
  out += QLatin1Char('\n');
  for (int r = 0; r < model.rowCount(); ++r) {
    for (int c = 0; c < columns; ++c) out += (c ? QString(separator) : QString()) + table_cell(model.index(r, c).data().toString(), separator);
    out += QLatin1Char('\n');
  }
  return out;
}

QString write_text(const QString& path, const QString& text) {
  const auto done = write_file(path.toStdString(), text.toStdString());
  return done ? QString() : QString::fromStdString(done.error().sentence());
}

}  // namespace kvcliff::ui
