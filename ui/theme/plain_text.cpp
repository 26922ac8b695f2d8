// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/plain_text.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QHeaderView>
#include <QHelpEvent>
#include <QLabel>
#include <QTextLayout>
#include <QToolTip>
#include <algorithm>

#include "base/printable.h"

namespace kvcliff::ui {
namespace {

constexpr int tip_width = 460;  ///< at a base font of 9.75 pt; a sentence takes two or three lines

// Most text needs no look at its characters: a server writes thousands of lines a second.
bool is_plain(std::string_view s) {
  return std::all_of(s.begin(), s.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
}

QString of(std::string_view text, std::string (*printed)(std::string_view)) {
  if (is_plain(text)) return QString::fromLatin1(text.data(), qsizetype(text.size()));
  return QString::fromStdString(printed(text));
}

// What a cell or a column header says of itself; empty where `viewport` is of no table.
QString tip_of_item(QWidget* viewport, const QPoint& at) {
  auto* view = qobject_cast<QAbstractItemView*>(viewport->parentWidget());
  if (!view || view->viewport() != viewport || !view->model()) return {};
  if (const auto* header = qobject_cast<QHeaderView*>(view)) {
    const int section = header->logicalIndexAt(at);
    return section < 0 ? QString() : view->model()->headerData(section, header->orientation(), Qt::ToolTipRole).toString();
  }
  const QModelIndex index = view->indexAt(at);
  return index.isValid() ? index.data(Qt::ToolTipRole).toString() : QString();
}

}  // namespace

QString shown(std::string_view text) { return of(text, printable_line); }
QString shown(const QString& text) { return shown(std::string_view(text.toStdString())); }
QString shown_lines(std::string_view text) { return of(text, printable); }
QString button_text(const QString& text) { return shown(text).replace(QLatin1Char('&'), QLatin1String("&&")); }

QString wrapped(const QString& text, const QFont& font, int width) {
  QStringList out;
  for (const QString& line : text.split(QLatin1Char('\n'))) {
    QTextLayout layout(line, font);
    QTextOption option;
    option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    layout.setTextOption(option);
    layout.beginLayout();
    while (true) {
      QTextLine part = layout.createLine();
      if (!part.isValid()) break;
      part.setLineWidth(width);
      out << line.mid(part.textStart(), part.textLength()).trimmed();
    }
    layout.endLayout();
  }
  return out.join(QLatin1Char('\n'));
}

void show_tip(const QPoint& at, const QString& text, QWidget* widget) {
  const QFont font = QToolTip::font();
  QToolTip::showText(at, wrapped(text, font, qRound(tip_width * font.pointSizeF() / 9.75)), widget);
}

PlainText::PlainText(QObject* parent) : QObject(parent) { qApp->installEventFilter(this); }

bool PlainText::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Polish) {
    // Also the label of a tip and those of message boxes: each is polished once, before it is first seen or measured.
    if (auto* label = qobject_cast<QLabel*>(watched)) label->setTextFormat(Qt::PlainText);
  } else if (event->type() == QEvent::ToolTip && watched->isWidgetType()) {
    auto* widget = static_cast<QWidget*>(watched);
    const auto* help = static_cast<QHelpEvent*>(event);
    QString tip = tip_of_item(widget, help->pos());
    if (tip.isEmpty()) tip = widget->toolTip();
    if (!tip.isEmpty()) {
      show_tip(help->globalPos(), tip, widget);
      return true;
    }
  }
  return QObject::eventFilter(watched, event);
}

}  // namespace kvcliff::ui
