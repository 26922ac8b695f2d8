// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QMainWindow>
#include <array>
#include <memory>

#include "ui/bridge/document.h"
#include "ui/bridge/log_search.h"
#include "ui/bridge/run_controller.h"
#include "ui/pages/page.h"
#include "ui/theme/theme.h"
#include "ui/widgets/rail.h"

class QAction;
class QActionGroup;
class QLabel;
class QMenu;
class QStackedWidget;
class QSystemTrayIcon;

namespace kvcliff::ui {

class Chip;
class Evidence;
class HelpView;
class LogDock;
enum PageIndex { PredictIndex, PlanIndex, RunIndex, ReconcileIndex, DecideIndex, HistoryIndex, PageCount };

/// The window: rail, pages, menu, status bar. It owns the theme, the document and the run controller.
class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  /// `resources`: folder resources/ (plans, models, help). Nothing here touches the network or waits.
  explicit MainWindow(QString resources, QWidget* parent = nullptr);
  ~MainWindow() override;

  Theme& theme() { return *theme_; }
  Document& document() { return document_; }
  RunController& run() { return run_; }
  Evidence& evidence() { return *evidence_; }
  Page* page(int index) const { return pages_[static_cast<std::size_t>(index)]; }
  int current_page() const { return current_; }  ///< -1: the start screen

 public slots:
  void show_page(int index);
  /// At once, or as soon as the page has something to show (a journal that is being opened).
  void show_page_when_ready(int index);
  void show_start();
  void start_demonstration();
  /// One of resources/plans on the built-in emulator: demo, no-help, sweep.
  void run_demonstration(const QString& plan);
  void measure_my_server();
  /// A plan, config.json, trace, journal, result of another tool or server log: does the right thing with it, or says why not.
  bool open_path(const QString& path);

 signals:
  void save_plan_asked();
  void export_report_asked();
  void notified(const QString& title, const QString& text);   ///< what the desktop is asked to show

 protected:
  void closeEvent(QCloseEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void build_menus();
  void build_run();
  void build_experiment_menu();
  HelpView& help();
  void show_log(bool shown);
  void run_changed(bool running);
  void run_finished(const QString& end, const QString& why, const QString& journal, qint64 experiment);
  void notify(const QString& end, const QString& why);
  void notify_by_tray(const QString& title, const QString& text, bool failed);
  void build_status();
  void choose_file();
  void set_theme_mode(ThemeMode mode);
  void restore();
  void update_title();
  Page* visible_page() const;

  QString resources_;
  Theme* theme_;
  Document document_;
  RunController run_;
  std::unique_ptr<Evidence> evidence_;
  Rail* rail_;
  QStackedWidget* stack_;
  QWidget* start_;
  std::array<Page*, PageCount> pages_{};
  int current_ = -1;
  QLabel* status_left_ = nullptr;
  QLabel* status_right_ = nullptr;
  QActionGroup* theme_actions_ = nullptr;
  QMenu* experiment_menu_ = nullptr;
  QMenu* help_menu_ = nullptr;
  QAction *start_action_ = nullptr, *pause_action_ = nullptr, *stop_action_ = nullptr;
  LogDock* log_ = nullptr;
  LogSearch log_search_;
  HelpView* help_ = nullptr;
  Chip* simulated_chip_ = nullptr;
  QSystemTrayIcon* tray_ = nullptr;
  qint64 log_session_ = -1;
  int wanted_page_ = -1;       ///< shown when it is enabled
  bool closing_ = false;       ///< close when the run is over
};

}  // namespace kvcliff::ui
