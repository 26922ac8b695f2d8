// SPDX-License-Identifier: GPL-3.0-or-later
// Writing a chart to a file: PNG at 1x, 2x, 3x, SVG, PDF.
#include <QBuffer>
#include <QFileDialog>
#include <QFileInfo>
#include <QSaveFile>
#include <QSettings>

#include "ui/charts/plot.h"

namespace kvcliff::ui {

bool Plot::export_to(const QString& path, QSize size, double scale, QString* error) {
  const auto write = [&](const QByteArray& bytes) {
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.commit()) return true;
    *error = tr("%1 could not be written: %2. Choose another place or free some space.").arg(path, file.errorString());
    return false;
  };
  if (path.endsWith(QLatin1String(".svg"), Qt::CaseInsensitive)) return write(svg(size));
  if (path.endsWith(QLatin1String(".pdf"), Qt::CaseInsensitive)) return write(pdf(size));
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  QImage picture = image(size, scale);
  picture.setText(QStringLiteral("Title"), title_);
  picture.setText(QStringLiteral("Description"), (watermark_ + QLatin1Char(' ') + caption_).trimmed());
  picture.save(&buffer, "PNG");
  return write(bytes);
}

bool Plot::export_dialog() {
  QString filter;
  const QString two = tr("PNG picture, 2x (*.png)");
  const QString one = tr("PNG picture, 1x (*.png)");
  const QString three = tr("PNG picture, 3x (*.png)");
  QSettings settings;
  const QString folder = settings.value(QStringLiteral("export/folder")).toString();
  QString path = QFileDialog::getSaveFileName(this, tr("Export chart"), folder + QLatin1Char('/') + objectName() + QStringLiteral(".png"),
                                              QStringList({two, one, three, tr("SVG drawing (*.svg)"), tr("PDF page (*.pdf)")}).join(QStringLiteral(";;")),
                                              &filter);
  if (path.isEmpty()) return false;
  if (QFileInfo(path).suffix().isEmpty())
    path += filter.contains(QLatin1String("svg")) ? QStringLiteral(".svg") : filter.contains(QLatin1String("pdf")) ? QStringLiteral(".pdf") : QStringLiteral(".png");
  settings.setValue(QStringLiteral("export/folder"), QFileInfo(path).absolutePath());
  QString error;
  const double scale = filter == one ? 1 : filter == three ? 3 : 2;
  if (export_to(path, size(), scale, &error)) return true;
  emit export_failed(error);
  return false;
}

}  // namespace kvcliff::ui
