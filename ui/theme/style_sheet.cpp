// SPDX-License-Identifier: GPL-3.0-or-later
// The one style sheet, for what a palette cannot say: card edges, fields, buttons, tabs, headers.
#include <QDir>
#include <QFile>
#include <QStandardPaths>

#include "ui/theme/theme.h"

namespace kvcliff::ui {
namespace {

const char* const sheet = R"(
QWidget { color: @text; }
QMainWindow, QDialog, #page, #pageBody { background: @window; }
QMenuBar { background: @window; border-bottom: 1px solid @line; padding: 0 8px; }
QMenuBar::item { padding: 5px 10px; background: transparent; }
QMenuBar::item:selected, QMenu::item:selected { background: @select; }
QMenu { background: @surface; border: 1px solid @line2; padding: 4px 0; }
QMenu::item { padding: 5px 28px 5px 24px; }
QMenu::item:disabled { color: @disabled; }
QMenu::separator { height: 1px; background: @line; margin: 4px 0; }
QToolTip { background: @ink; color: @onInk; border: 0; padding: 5px 8px; }
QStatusBar { background: @rail; border-top: 1px solid @line; }
QStatusBar::item { border: 0; }
QFrame[card="true"] { background: @surface; border: 1px solid @line; border-radius: 6px; }
QFrame[line="true"] { background: @line; border: 0; max-height: 1px; min-height: 1px; }
QLabel { background: transparent; }
QLabel[role="secondary"] { color: @text2; }
QLabel[role="caption"] { color: @text3; }
QLabel[role="error"] { color: @fail; }
QLineEdit, QSpinBox, QDoubleSpinBox, QComboBox, QPlainTextEdit, QTextEdit {
  background: @field; border: 1px solid @control; border-radius: 4px; padding: 3px 7px; min-height: 18px;
  selection-background-color: @select; selection-color: @text; }
QLineEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus, QComboBox:focus, QPlainTextEdit:focus, QTextEdit:focus {
  border: 2px solid @ink; padding: 2px 6px; }
QLineEdit[fault="true"], QSpinBox[fault="true"], QDoubleSpinBox[fault="true"], QComboBox[fault="true"], QPlainTextEdit[fault="true"] { border-color: @fail; }
QLineEdit:read-only { background: transparent; border-color: @line; }
QLineEdit:disabled, QSpinBox:disabled, QComboBox:disabled { color: @disabled; border-color: @line; }
QSpinBox::up-button, QSpinBox::down-button, QDoubleSpinBox::up-button, QDoubleSpinBox::down-button { width: 0; border: 0; }
QComboBox::drop-down { border: 0; width: 20px; }
QComboBox::down-arrow { image: url(@chevron); width: 12px; height: 12px; }
QComboBox QAbstractItemView { background: @surface; border: 1px solid @line2; outline: 0; }
QLineEdit QToolButton { background: transparent; border: 0; padding: 0; min-height: 0; }
QPushButton, QToolButton { background: @surface; border: 1px solid @control; border-radius: 5px; padding: 4px 12px;
  min-height: 18px; font-weight: 500; }
QPushButton:hover, QToolButton:hover { background: @hover; }
QPushButton:pressed, QToolButton:pressed { background: @select; }
QPushButton:focus, QToolButton:focus { border: 2px solid @ink; padding: 3px 11px; }
QPushButton:disabled, QToolButton:disabled { color: @disabled; border-color: @line; }
QPushButton[primary="true"] { background: @ink; color: @onInk; border-color: @ink; }
QPushButton[primary="true"]:disabled { background: @line2; color: @surface; border-color: @line2; }
QPushButton[primary="true"]:focus { border: 2px solid @control; }
QPushButton[flat="true"], QToolButton[flat="true"] { background: transparent; border-color: transparent; color: @text2; padding: 4px 8px; }
QPushButton[flat="true"]:hover, QToolButton[flat="true"]:hover { background: @hover; }
QPushButton[flat="true"]:focus, QToolButton[flat="true"]:focus { border: 2px solid @ink; padding: 3px 7px; }
QPushButton[danger="true"] { color: @fail; }
QPushButton[segment="true"] { border-radius: 0; padding: 3px 10px; color: @text2; margin: 0; border-left-width: 0; }
QPushButton[segment="true"][first="true"] { border-top-left-radius: 5px; border-bottom-left-radius: 5px; border-left-width: 1px; }
QPushButton[segment="true"][last="true"] { border-top-right-radius: 5px; border-bottom-right-radius: 5px; }
QPushButton[segment="true"]:checked { background: @select; color: @text; font-weight: 600; }
QTabBar::tab { background: transparent; border: 0; border-bottom: 2px solid transparent; padding: 6px 12px; color: @text2; }
QTabBar::tab:selected { color: @text; border-bottom-color: @ink; font-weight: 600; }
QTabBar::tab:focus { color: @text; border-bottom-color: @control; }
QTabWidget::pane { border: 0; border-top: 1px solid @line; }
QTableView, QTreeView, QListView { background: @surface; border: 0; gridline-color: @line; outline: 0;
  selection-background-color: @select; selection-color: @text; alternate-background-color: @surface; }
QTableView:focus, QTreeView:focus, QListView:focus { border: 2px solid @ink; }
QHeaderView { background: @surface; border: 0; }
QHeaderView::section { background: @surface; color: @text2; border: 0; border-bottom: 1px solid @line2; padding: 4px 8px; font-weight: 500; }
QTableCornerButton::section { background: @surface; border: 0; border-bottom: 1px solid @line2; }
QScrollArea, QScrollArea > QWidget > QWidget#scrollBody { background: transparent; border: 0; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: @line2; border-radius: 4px; min-height: 24px; min-width: 24px; margin: 1px; }
QScrollBar::handle:hover { background: @control; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QCheckBox, QRadioButton { background: transparent; spacing: 7px; }
QCheckBox::indicator { width: 13px; height: 13px; border: 1px solid @control; border-radius: 3px; background: @surface; }
QCheckBox::indicator:checked { background: @ink; border-color: @ink; image: url(@tick); }
QCheckBox::indicator:disabled { border-color: @line2; }
QCheckBox:focus, QRadioButton:focus { outline: 2px solid @ink; }
QSlider::groove:horizontal { height: 3px; background: @line2; border-radius: 1px; }
QSlider::sub-page:horizontal { background: @ink; border-radius: 1px; }
QSlider::handle:horizontal { background: @surface; border: 2px solid @ink; width: 12px; height: 12px; margin: -7px 0; border-radius: 8px; }
QSplitter::handle { background: @window; }
QProgressBar { background: @line; border: 0; border-radius: 2px; max-height: 4px; }
QProgressBar::chunk { background: @ink; border-radius: 2px; }
QDockWidget { titlebar-close-icon: none; }
)";

// QSS needs the combo arrow and the tick as files; one per theme in the cache folder.
QString icon_file(const Theme& theme, const QString& icon, const QColor& color) {
  const QString dir = QStandardPaths::writableLocation(QStandardPaths::CacheLocation);
  QDir().mkpath(dir);
  // As SVG: drawn anew at the scale of each screen.
  const QString path = dir + QLatin1Char('/') + icon + QLatin1Char('-') + color.name().mid(1) + QStringLiteral(".svg");
  if (QFile file(path); !file.exists() && file.open(QIODevice::WriteOnly)) file.write(theme.svg(icon, color));
  return path;
}

}  // namespace

QString Theme::style_sheet() const {
  QString s = QString::fromLatin1(sheet);
  s.replace(QLatin1String("@chevron"), icon_file(*this, QStringLiteral("chev"), color("text2")));
  s.replace(QLatin1String("@tick"), icon_file(*this, QStringLiteral("check"), color("onInk")));
  const auto& colors = dark_ ? dark_colors_ : light_;
  // Longest names first, so that @text does not eat the beginning of @text2.
  QStringList names = colors.keys();
  std::sort(names.begin(), names.end(), [](const QString& a, const QString& b) { return a.size() > b.size(); });
  for (const QString& name : names) s.replace(QLatin1Char('@') + name, colors.value(name).name());
  return s;
}

}  // namespace kvcliff::ui
