// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QString>
#include <string_view>

class QFont;
class QPoint;
class QWidget;

namespace kvcliff::ui {

/// Text of foreign origin (names in journals and plans, engine output, file names) as one line that shows what is there:
/// control characters and marks of direction stand as their escapes (base/printable.h).
QString shown(std::string_view text);
QString shown(const QString& text);
/// The same with its line ends: messages of more than one line.
QString shown_lines(std::string_view text);
/// Shown text for a button, a menu or an undo step, where "&" would mark a key.
QString button_text(const QString& text);
/// A tip at a place of the screen: its text as it is, broken into lines that can be read.
void show_tip(const QPoint& at, const QString& text, QWidget* widget);
/// Lines of at most `width` pixels; words that are longer are broken.
QString wrapped(const QString& text, const QFont& font, int width);

/// Makes every label and tip of the program plain: Qt takes any text that looks like markup for markup, and then a name
/// could load files, hide a word or look like a link. Lives as long as its parent.
class PlainText : public QObject {
  Q_OBJECT
 public:
  explicit PlainText(QObject* parent);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace kvcliff::ui
