// SPDX-License-Identifier: GPL-3.0-or-later
// The menus of the main window and their keys.
#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QMenuBar>
#include <QStackedWidget>
#include <QStatusBar>

#include "ui/main_window.h"

namespace kvcliff::ui {

void MainWindow::build_menus() {
  const auto add = [this](QMenu* menu, const QString& text, const QKeySequence& keys, const char* name, auto&& run) {
    QAction* a = menu->addAction(text);
    a->setShortcut(keys);
    a->setObjectName(QLatin1String(name));
    connect(a, &QAction::triggered, this, run);
    return a;
  };

  QMenu* file = menuBar()->addMenu(tr("&File"));
  add(file, tr("&Start screen"), QKeySequence(), "action.start", [this] { show_start(); });
  add(file, tr("Run the &demonstration"), QKeySequence(QStringLiteral("Ctrl+D")), "action.demo", [this] { start_demonstration(); });
  add(file, tr("&Measure my server"), QKeySequence(QStringLiteral("Ctrl+M")), "action.measure", [this] { measure_my_server(); });
  file->addSeparator();
  add(file, tr("&Open\u2026"), QKeySequence::Open, "action.open", [this] { choose_file(); });
  add(file, tr("&Save plan"), QKeySequence::Save, "action.save", [this] { emit save_plan_asked(); });
  add(file, tr("&Export this view\u2026"), QKeySequence(QStringLiteral("Ctrl+E")), "action.export", [this] {
    if (visible_page()) visible_page()->export_view();
  });
  add(file, tr("Export &report\u2026"), QKeySequence(QStringLiteral("Ctrl+Shift+E")), "action.report", [this] { emit export_report_asked(); });
  file->addSeparator();
  add(file, tr("&Quit"), QKeySequence::Quit, "action.quit", [this] { close(); });

  QMenu* edit = menuBar()->addMenu(tr("&Edit"));
  QAction* undo = document_.undo().createUndoAction(this, tr("&Undo"));
  undo->setShortcut(QKeySequence::Undo);
  undo->setObjectName(QStringLiteral("action.undo"));
  QAction* redo = document_.undo().createRedoAction(this, tr("&Redo"));
  redo->setShortcut(QKeySequence::Redo);
  redo->setObjectName(QStringLiteral("action.redo"));
  edit->addAction(undo);
  edit->addAction(redo);
  edit->addSeparator();
  const auto copy = [this](bool csv) {
    if (!visible_page()) return;
    const QString text = visible_page()->copy_text(csv);
    if (!text.isEmpty()) QApplication::clipboard()->setText(text);
  };
  add(edit, tr("&Copy"), QKeySequence(), "action.copy", [copy] { copy(false); });
  add(edit, tr("Copy as C&SV"), QKeySequence(QStringLiteral("Ctrl+Shift+C")), "action.copyCsv", [copy] { copy(true); });
  add(edit, tr("&Filter"), QKeySequence::Find, "action.filter", [this] {
    if (visible_page()) visible_page()->focus_filter();
  });

  QMenu* view = menuBar()->addMenu(tr("&View"));
  const QString names[] = {tr("&Predict"), tr("P&lan"), tr("&Run"), tr("Re&concile"), tr("&Decide"), tr("&History")};
  for (int i = 0; i < PageCount; ++i)
    add(view, names[i], QKeySequence(QStringLiteral("Ctrl+%1").arg(i + 1)),
        (std::string("action.page") + std::to_string(i + 1)).c_str(), [this, i] { show_page(i); });
  view->addSeparator();
  QMenu* themes = view->addMenu(tr("&Theme"));
  theme_actions_ = new QActionGroup(this);
  const std::pair<ThemeMode, QString> modes[] = {
      {ThemeMode::System, tr("&System")}, {ThemeMode::Light, tr("&Light")}, {ThemeMode::Dark, tr("&Dark")}};
  for (const auto& [mode, text] : modes) {
    QAction* a = themes->addAction(text);
    a->setCheckable(true);
    a->setChecked(mode == theme_->mode());
    a->setActionGroup(theme_actions_);
    a->setObjectName(QStringLiteral("action.theme%1").arg(static_cast<int>(mode)));
    connect(a, &QAction::triggered, this, [this, mode = mode] { set_theme_mode(mode); });
  }

  experiment_menu_ = menuBar()->addMenu(tr("E&xperiment"));
  help_menu_ = menuBar()->addMenu(tr("&Help"));
}

}  // namespace kvcliff::ui
