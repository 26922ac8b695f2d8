// SPDX-License-Identifier: GPL-3.0-or-later
// What the main window does around a run: log dock, Experiment and Help menus, its end, and a close that asks.
#include <QApplication>
#include <QCloseEvent>
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QFileInfo>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QSettings>
#include <QStatusBar>
#include <QSystemTrayIcon>
#include <QTimer>

#include "base/file.h"
#include "ui/main_window.h"
#include "ui/pages/plan_page.h"
#include "ui/pages/run_page.h"
#include "ui/pages/start_page.h"
#include "ui/theme/numbers.h"
#include "ui/theme/plain_text.h"
#include "ui/widgets/card.h"
#include "ui/widgets/help_view.h"
#include "ui/widgets/log_dock.h"

namespace kvcliff::ui {

void MainWindow::build_run() {
  log_ = new LogDock(*theme_, this);
  addDockWidget(Qt::BottomDockWidgetArea, log_);
  log_->hide();
  simulated_chip_ = new Chip(*theme_, QStringLiteral("flask"), tr("Simulated"), "simulated", this);
  simulated_chip_->setObjectName(QStringLiteral("status.simulated"));
  simulated_chip_->hide();
  statusBar()->addPermanentWidget(simulated_chip_);

  auto* runs = static_cast<RunPage*>(page(RunIndex));
  connect(runs, &RunPage::log_wanted, this, [this] { show_log(true); });
  connect(runs, &RunPage::filter_log, log_, &LogDock::focus_filter);
  connect(runs, &RunPage::log_cleared, log_, &LogDock::clear);
  connect(runs, &RunPage::log_loaded, log_, [this](const QString& source, const std::vector<LogLine>& lines, qint64 dropped) {
    log_->clear();
    log_->set_source(source);
    log_->append(lines, dropped);
  });
  connect(runs, &RunPage::log_kept_in, &log_search_, &LogSearch::set_source);
  connect(log_, &LogDock::search_asked, &log_search_, &LogSearch::search);
  connect(&log_search_, &LogSearch::found, log_, &LogDock::show_found);
  connect(&log_search_, &LogSearch::failed, log_, &LogDock::show_search_failed);
  connect(&run_, &RunController::log_lines, log_, [this](qint64 session, const std::vector<LogLine>& lines, qint64 dropped) {
    if (session != log_session_) {
      log_session_ = session;
      log_->clear();
      if (run_.data()) log_search_.set_source(run_.data()->journal, session);
    }
    if (const RunData* d = run_.data())
      for (const RunSession& s : d->sessions)
        if (s.row == session) {
          QString source = tr("session %1").arg(s.ordinal + 1);
          if (s.pid > 0) source += tr(", process %1").arg(exact(s.pid));
          if (!s.url.isEmpty()) source += tr(", port %1").arg(s.url.section(QLatin1Char(':'), -1));
          log_->set_source(source);
        }
    log_->append(lines, dropped);
  });
  connect(&run_, &RunController::checks_changed, this, [this] {
    const LiveChecks& c = run_.checks();
    const int not_green = c.judged - c.reconciled;
    rail_->item(ReconcileIndex)->set_result(not_green > 0 ? tr("%1 not green").arg(exact(not_green)) : tr("%1 pass").arg(exact(c.reconciled)),
                                            not_green > 0 ? "fail" : "text3");
  });
  connect(&run_, &RunController::running_changed, this, &MainWindow::run_changed);
  connect(&run_, &RunController::updated, this, [this] {
    simulated_chip_->setVisible(run_.data() && run_.data()->simulated);
    pause_action_->setText(run_.paused() ? tr("&Resume") : tr("&Pause after this request"));
  });
  connect(&run_, &RunController::finished, this, &MainWindow::run_finished);
}

void MainWindow::build_experiment_menu() {
  const auto add = [this](QMenu* menu, const QString& text, const QKeySequence& keys, const char* name, auto&& run) {
    QAction* a = menu->addAction(text);
    a->setShortcut(keys);
    a->setObjectName(QLatin1String(name));
    connect(a, &QAction::triggered, this, run);
    return a;
  };
  QMenu* m = experiment_menu_;
  start_action_ = add(m, tr("&Start"), QKeySequence(QStringLiteral("Ctrl+R")), "action.run", [this] {
    // Nothing starts that was not shown first: elsewhere the key leads to the plan.
    if (current_ != PlanIndex) return show_page(PlanIndex);
    static_cast<PlanPage*>(page(PlanIndex))->start();
  });
  pause_action_ = add(m, tr("&Pause after this request"), QKeySequence(QStringLiteral("Ctrl+P")), "action.pause",
                      [this] { run_.paused() ? run_.resume() : run_.pause(); });
  stop_action_ = add(m, tr("S&top"), QKeySequence(QStringLiteral("Ctrl+.")), "action.stop", [this] { run_.stop(); });
  m->addSeparator();
  QAction* log = add(m, tr("Server &log"), QKeySequence(QStringLiteral("Ctrl+L")), "action.log", [this] { show_log(!log_->isVisible()); });
  log->setCheckable(true);
  connect(log_, &QDockWidget::visibilityChanged, log, &QAction::setChecked);
  add(m, tr("Fo&llow the newest request"), QKeySequence(), "action.follow", [this] { page(RunIndex)->findChild<QPushButton*>(QStringLiteral("run.follow"))->setChecked(true); });

  static const char* const keys[] = {"predict", "plan", "run", "reconcile", "decide", "history"};
  QMenu* h = help_menu_;
  add(h, tr("&Help on this panel"), QKeySequence(QKeySequence::HelpContents), "action.help",
      [this] {
        // Of the panel that has the focus, where it has a help of its own; else of the page.
        for (QWidget* w = QApplication::focusWidget(); w && w != this; w = w->parentWidget())
          if (const QString panel = w->property("help").toString(); !panel.isEmpty()) return help().show_page(panel);
        help().show_page(current_ < 0 ? QString() : QLatin1String(keys[current_]));
      });
  const QString names[] = {tr("&Predict"), tr("P&lan"), tr("&Run"), tr("Re&concile"), tr("&Decide"), tr("H&istory")};
  for (int i = 0; i < PageCount; ++i)
    add(h, names[i], QKeySequence(), (std::string("action.help.") + keys[i]).c_str(), [this, i] { help().show_page(QLatin1String(keys[i])); });
  add(h, tr("&All definitions"), QKeySequence(), "action.help.all", [this] { help().show_page({}); });
  add(h, tr("&Keys"), QKeySequence(), "action.help.keys", [this] { help().show_keys(); });
  h->addSeparator();
  add(h, tr("A&bout KV Cliff"), QKeySequence(), "action.about", [this] {
    auto* box = new QMessageBox(QMessageBox::NoIcon, tr("About KV Cliff"), tr("KV Cliff %1").arg(QStringLiteral(KVCLIFF_VERSION)), QMessageBox::Close, this);
    box->setInformativeText(tr("Does a host tier for the KV cache help this model, this GPU, this workload?\n\nQt %1. Licence: GPL-3.0-or-later.")
                                .arg(QString::fromLatin1(qVersion())));
    box->setObjectName(QStringLiteral("about"));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
  });
  run_changed(false);
}

HelpView& MainWindow::help() {
  if (!help_) help_ = new HelpView(*theme_, resources_, this);
  return *help_;
}

void MainWindow::show_log(bool shown) {
  log_->setVisible(shown);
  if (shown) resizeDocks({log_}, {theme_->px(height() < 860 ? 122 : 154)}, Qt::Vertical);
}

void MainWindow::start_demonstration() { run_demonstration(QStringLiteral("demo")); }

void MainWindow::run_demonstration(const QString& name) {
  if (run_.running()) return show_page(RunIndex);
  const QString path = resources_ + QStringLiteral("/plans/%1.json").arg(name);
  QString error;
  plan::Plan demo;
  // A plan with changes that are not saved stays as it is; the demonstration does not need its place.
  if (document_.plan_modified()) {
    const auto parsed = plan::parse_file(path.toStdString());
    if (!parsed.valid()) error = QString::fromStdString(parsed.faults.front().what);
    demo = parsed.plan;
  } else if (document_.open_plan(path, &error)) {
    demo = document_.plan();
  }
  if (error.isEmpty()) run_.start(demo, {}, {}, &error);
  if (!error.isEmpty()) {
    show_page(PlanIndex);
    page(PlanIndex)->strips().show_message({QStringLiteral("demo"), StripMessage::Level::Fail, tr("Not started"), error, {}, {}});
    return;
  }
  show_page(RunIndex);
}

void MainWindow::run_changed(bool running) {
  if (running) {
    rail_->item(RunIndex)->setEnabled(true);
    log_session_ = -1;
    show_log(true);
  }
  pause_action_->setEnabled(running);
  stop_action_->setEnabled(running);
  start_action_->setEnabled(!running);
  update_title();
}

void MainWindow::run_finished(const QString& end, const QString& why, const QString& journal, qint64 experiment) {
  if (experiment != 0) {
    StartPage::remember(journal);
    document_.show_experiment(journal, experiment);
  }
  notify(end, why);
  if (closing_) close();
}

// Somebody who waits elsewhere learns of the end from the desktop.
void MainWindow::notify(const QString& end, const QString& why) {
  QApplication::alert(this);
  if (isActiveWindow()) return;
  const bool failed = end == QLatin1String("failed");
  const QString title = end == QLatin1String("finished") ? tr("The run is finished") : end == QLatin1String("stopped") ? tr("The run was stopped") : tr("The run failed");
  const QString text = shown(why.isEmpty() ? windowTitle() : why);
  emit notified(title, text);
  // The desktop's own notifications; where nothing takes them, the tray.
  QDBusMessage note = QDBusMessage::createMethodCall(QStringLiteral("org.freedesktop.Notifications"), QStringLiteral("/org/freedesktop/Notifications"),
                                                     QStringLiteral("org.freedesktop.Notifications"), QStringLiteral("Notify"));
  note.setArguments({tr("KV Cliff"), 0u, QStringLiteral("kvcliff"), title, text.toHtmlEscaped(), QStringList(), QVariantMap{{QStringLiteral("desktop-entry"), QStringLiteral("kvcliff")}}, -1});
  QDBusConnection bus = QDBusConnection::sessionBus();
  if (!bus.isConnected()) return notify_by_tray(title, text, failed);
  auto* watcher = new QDBusPendingCallWatcher(bus.asyncCall(note), this);
  connect(watcher, &QDBusPendingCallWatcher::finished, this, [this, watcher, title, text, failed] {
    if (watcher->isError()) notify_by_tray(title, text, failed);
    watcher->deleteLater();
  });
}

void MainWindow::notify_by_tray(const QString& title, const QString& text, bool failed) {
  if (!QSystemTrayIcon::isSystemTrayAvailable() || !QSystemTrayIcon::supportsMessages()) return;
  if (!tray_) {
    tray_ = new QSystemTrayIcon(theme_->icon(QStringLiteral("run"), "text"), this);
    tray_->setToolTip(tr("KV Cliff"));
  }
  tray_->show();
  tray_->showMessage(title, text, failed ? QSystemTrayIcon::Warning : QSystemTrayIcon::Information);
  QTimer::singleShot(15'000, tray_, &QSystemTrayIcon::hide);
}

void MainWindow::closeEvent(QCloseEvent* event) {
  QSettings s;
  s.setValue(QStringLiteral("window/geometry"), saveGeometry());
  s.setValue(QStringLiteral("window/state"), saveState(1));
  if (!run_.running()) {
    // Changes that were not saved are offered again at the next start.
    if (document_.plan_modified()) {
      s.setValue(QStringLiteral("plan/unsaved"), QString::fromStdString(plan::to_json(document_.plan()).dump()));
      s.setValue(QStringLiteral("plan/unsavedPath"), document_.plan_path());
    }
    return event->accept();
  }
  event->ignore();
  if (closing_ || findChild<QMessageBox*>(QStringLiteral("close.ask"))) return;
  auto* box = new QMessageBox(QMessageBox::NoIcon, tr("A server is running"),
                              tr("An experiment is running. Stop its server and close? What was measured stays in the journal; "
                                 "the open session is repeated when the run is resumed."),
                              QMessageBox::NoButton, this);
  box->setObjectName(QStringLiteral("close.ask"));
  box->setAttribute(Qt::WA_DeleteOnClose);
  QPushButton* stop = box->addButton(tr("Stop and close"), QMessageBox::AcceptRole);
  stop->setObjectName(QStringLiteral("close.stop"));
  QPushButton* stay = box->addButton(tr("Keep running"), QMessageBox::RejectRole);
  stay->setObjectName(QStringLiteral("close.stay"));
  box->setDefaultButton(stay);
  connect(stop, &QPushButton::clicked, this, [this] {
    // Closed when the server is gone and the journal whole; the window stays and says what it waits for.
    closing_ = true;
    run_.stop();
    if (!run_.running()) close();
  });
  box->open();
}

}  // namespace kvcliff::ui
