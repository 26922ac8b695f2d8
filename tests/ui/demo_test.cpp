// SPDX-License-Identifier: GPL-3.0-or-later
// A run driven in the real window: the demonstration to its end, pause, stop, close, and starts that fail.
#include <QAction>
#include <QFileInfo>
#include <QLabel>
#include <QMessageBox>
#include <QPushButton>

#include "journal/reader.h"
#include "reconcile/reconcile.h"
#include "ui/bridge/evidence.h"
#include "ui/bridge/run_controller.h"
#include "ui/charts/request_chart.h"
#include "ui/pages/run_page.h"
#include "ui/pages/start_page.h"
#include "ui/support/window.h"
#include "ui/widgets/log_dock.h"
#include "ui/widgets/log_model.h"
#include "ui/widgets/session_strip.h"

namespace kvcliff::ui::test {
namespace {

struct DemoTest : ::testing::Test {
  std::unique_ptr<Window> w;
  RunPage* page = nullptr;
  RunController* run = nullptr;
  DemoTest() {
    if (!qEnvironmentVariableIsSet("KVCLIFF_EMULATOR")) qputenv("KVCLIFF_EMULATOR", KVCLIFF_BINARY_DIR "/bin/kvcliff-emulator");
    w = std::make_unique<Window>();
    page = static_cast<RunPage*>(w->window.page(RunIndex));
    run = &w->window.run();
    run->set_time_scale(0.02);
  }
  plan::Plan small() const {
    plan::Plan p = w->window.document().plan();
    p.name = "small";
    p.schedule.pairs = 1;
    p.schedule.controls.clear();
    p.workload.documents = 4;
    return p;
  }
  bool start(const plan::Plan& p, const char* name) {
    QString error;
    const bool ok = run->start(p, w->file(name), {}, &error);
    EXPECT_TRUE(ok) << error.toStdString();
    return ok;
  }
};

TEST_F(DemoTest, RunsFromTheStartScreenToItsEndAndShowsWhatTheJournalHas) {
  QString end, journal;
  qint64 experiment = 0;
  QObject::connect(run, &RunController::finished, page, [&](const QString& e, const QString&, const QString& j, qint64 x) {
    end = e;
    journal = j;
    experiment = x;
  });
  QTest::mouseClick(w->find<QPushButton>("start.demo"), Qt::LeftButton);
  EXPECT_TRUE(run->running());
  EXPECT_EQ(w->window.current_page(), int(RunIndex));
  EXPECT_TRUE(w->find<LogDock>("logDock")->isVisible());
  // Outlines of everything planned are there before the first server is up.
  ASSERT_TRUE(wait([&] { return page->shown() != nullptr; }));
  const std::size_t planned = page->shown()->requests.size();
  EXPECT_GT(planned, 70u);
  for (const RunRequest& r : page->shown()->requests) EXPECT_TRUE(r.has_prediction());
  ASSERT_TRUE(wait([&] { return !end.isEmpty(); }, 240'000));
  ASSERT_EQ(end.toStdString(), "finished") << page->strips().sentence(QStringLiteral("run")).toStdString();
  EXPECT_TRUE(QFileInfo::exists(journal));
  EXPECT_EQ(StartPage::recent().value(0), journal);
  {
    // The verdict is sealed with the method that made it, as the command line seals it.
    const auto reader = journal::Reader::open(journal.toStdString());
    ASSERT_TRUE(reader);
    const auto sealed = reader->sealed_results(experiment);
    ASSERT_TRUE(sealed);
    ASSERT_EQ(sealed->size(), 1u);
    EXPECT_EQ(sealed->front().method_version, reconcile::method_version);
    // Which verdict it is depends on how busy this machine was; it is the one that the journal gives.
    ASSERT_TRUE(wait([&] { return w->window.evidence().judged() != nullptr; }, 60'000));
    EXPECT_EQ(sealed->front().document.at("verdict"), analysis::to_string(w->window.evidence().judged()->evaluation.decision.verdict));
    EXPECT_EQ(sealed->front().document.at("reconciled"), sealed->front().document.at("requests"));
  }
  EXPECT_EQ(w->window.document().experiment(), experiment);

  const QString live = [&] {
    const auto data = run->shared_data();
    QString out;
    for (const RunRequest& r : data->requests)
      out += QStringLiteral("%1 %2 %3 %4 %5\n").arg(r.ordinal).arg(r.tokens[0]).arg(r.tokens[1]).arg(r.tokens[2]).arg(r.ttft_ns);
    return out;
  }();
  ASSERT_TRUE(wait([&] { return page->shown() && page->shown() != run->data(); }));
  QString opened;
  for (const RunRequest& r : page->shown()->requests)
    opened += QStringLiteral("%1 %2 %3 %4 %5\n").arg(r.ordinal).arg(r.tokens[0]).arg(r.tokens[1]).arg(r.tokens[2]).arg(r.ttft_ns);
  EXPECT_EQ(opened.toStdString(), live.toStdString());
  EXPECT_EQ(page->shown()->done, planned);

  // And both are what the journal's own reader says.
  const auto reader = journal::Reader::open(journal.toStdString());
  ASSERT_TRUE(reader);
  std::size_t i = 0;
  const auto sessions = reader->sessions(experiment);
  ASSERT_TRUE(sessions);
  for (const auto& s : *sessions) {
    const auto rows = reader->chart_rows(s.id);
    ASSERT_TRUE(rows);
    for (const auto& row : *rows) {
      if (row.warmup) continue;
      const RunRequest& r = page->shown()->requests.at(i++);
      EXPECT_EQ(r.tokens[0], row.gpu_hit);
      EXPECT_EQ(r.tokens[1], row.host_loaded);
      EXPECT_EQ(r.tokens[2], row.computed);
      EXPECT_EQ(r.ttft_ns, row.ttft_ns);
    }
  }
  EXPECT_EQ(i, planned);
  EXPECT_TRUE(w->find<QWidget>("run.simulated")->isVisibleTo(page));
  EXPECT_TRUE(w->find<QWidget>("rail.reconcile")->isEnabled());
  EXPECT_TRUE(w->find<QWidget>("rail.decide")->isEnabled());
  EXPECT_TRUE(wait([&] { return w->find<LogDock>("logDock")->model().total() > 0; }));
  EXPECT_EQ(without_name(page).join(QStringLiteral(", ")).toStdString(), "");
}

TEST_F(DemoTest, LiveChecksCountEveryRequestOfASession) {
  plan::Plan p = small();
  p.workload.rounds = 15;  // a session that outlives several of the pauses between two counts
  bool over = false;
  int most = 0;
  QObject::connect(run, &RunController::checks_changed, page, [&] { most = std::max(most, run->checks().reconciled); });
  QObject::connect(run, &RunController::finished, page, [&] { over = true; });
  ASSERT_TRUE(start(p, "checks.kvcliff"));
  ASSERT_TRUE(wait([&] { return over; }, 120'000));
  EXPECT_GT(most, 0);
  EXPECT_LE(run->checks().reconciled, run->checks().judged);
}

TEST_F(DemoTest, PauseHoldsTheNextRequestAndStopLeavesAWholeJournal) {
  plan::Plan p = small();
  p.workload.rounds = 200;
  QString end, told;
  qint64 experiment = 0;
  QObject::connect(run, &RunController::finished, page, [&](const QString& e, const QString&, const QString&, qint64 x) {
    end = e;
    experiment = x;
  });
  QObject::connect(&w->window, &MainWindow::notified, page, [&](const QString& title) { told = title; });
  ASSERT_TRUE(start(p, "stopped.kvcliff"));
  ASSERT_TRUE(wait([&] { return run->data() && run->data()->done >= 2; }, 60'000));
  w->find<QAction>("action.pause")->trigger();
  ASSERT_TRUE(wait([&] { return run->progress().paused; }));
  const std::size_t at = run->data()->done;
  EXPECT_EQ(w->find<QPushButton>("run.pause")->text(), QStringLiteral("Resume"));
  QTest::qWait(300);
  EXPECT_LE(run->data()->done, at + 1);
  QTest::mouseClick(w->find<QPushButton>("run.pause"), Qt::LeftButton);
  ASSERT_TRUE(wait([&] { return run->data()->done > at + 2; }, 30'000));
  QWidget elsewhere;  // the user looks at something else
  elsewhere.show();
  elsewhere.activateWindow();
  ASSERT_TRUE(wait([&] { return !w->window.isActiveWindow(); }));
  w->find<QAction>("action.stop")->trigger();
  ASSERT_TRUE(wait([&] { return !end.isEmpty(); }, 60'000));
  EXPECT_EQ(end, QStringLiteral("stopped"));
  EXPECT_EQ(told, QStringLiteral("The run was stopped"));
  const auto reader = journal::Reader::open(w->file("stopped.kvcliff").toStdString());
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->experiment(std::to_string(experiment))->state, "stopped_by_user");
}

TEST_F(DemoTest, AStopInTheMiddleShowsWhatIsMissingAsPlanned) {
  plan::Plan p = small();
  p.workload.rounds = 100;
  bool over = false;
  QObject::connect(run, &RunController::finished, page, [&] { over = true; });
  ASSERT_TRUE(start(p, "part.kvcliff"));
  ASSERT_TRUE(wait([&] { return run->data() && run->data()->done >= 3; }, 60'000));
  run->stop();
  ASSERT_TRUE(wait([&] { return over; }, 60'000));
  ASSERT_TRUE(wait([&] { return page->shown() && page->shown() != run->data(); }));
  EXPECT_EQ(page->shown()->requests.size(), 800u);
  EXPECT_LT(page->shown()->done, 800u);
  EXPECT_TRUE(page->findChild<SessionStrip*>()->words(0).contains(QStringLiteral("stopped by user")));
}

TEST_F(DemoTest, ClosingAsksWhileAServerRuns) {
  plan::Plan p = small();
  p.workload.rounds = 300;
  ASSERT_TRUE(start(p, "close.kvcliff"));
  ASSERT_TRUE(wait([&] { return run->data() && run->data()->done >= 1; }, 60'000));
  EXPECT_FALSE(w->window.close());
  EXPECT_TRUE(w->window.isVisible());
  auto* stay = w->find<QPushButton>("close.stay");
  ASSERT_TRUE(stay);
  stay->click();
  ASSERT_TRUE(wait([&] { return w->window.findChild<QMessageBox*>(QStringLiteral("close.ask")) == nullptr; }));
  EXPECT_TRUE(run->running());
  EXPECT_FALSE(w->window.close());
  w->find<QPushButton>("close.stop")->click();
  EXPECT_TRUE(wait([&] { return !w->window.isVisible(); }, 60'000));
  EXPECT_FALSE(run->running());
}

TEST_F(DemoTest, ASecondStartIsRefusedWithTheReason) {
  plan::Plan p = small();
  p.workload.rounds = 300;
  ASSERT_TRUE(start(p, "one.kvcliff"));
  QString error;
  EXPECT_FALSE(run->start(p, w->file("two.kvcliff"), {}, &error));
  EXPECT_TRUE(error.contains(QStringLiteral("running")));
  run->stop();
  EXPECT_TRUE(wait([&] { return !run->running(); }, 60'000));
}

TEST_F(DemoTest, AnEngineThatDoesNotStartShowsItsOwnLastLines) {
  plan::Plan p = small();
  p.engine.extra_args = {"--no-such-flag-of-any-engine"};
  bool over = false;
  QObject::connect(run, &RunController::finished, page, [&] { over = true; });
  ASSERT_TRUE(start(p, "bad.kvcliff"));
  ASSERT_TRUE(wait([&] { return over; }, 60'000));
  ASSERT_TRUE(wait([&] { return !page->strips().sentence(QStringLiteral("run")).isEmpty(); }));
  EXPECT_TRUE(wait([&] { return w->find<QLabel>("run.failure.lines")->text().contains(QStringLiteral("--no-such-flag-of-any-engine")); }))
      << w->find<QLabel>("run.failure.lines")->text().toStdString();
  EXPECT_FALSE(w->find<QLabel>("run.failure")->text().isEmpty());
}

TEST_F(DemoTest, AMissingEmulatorIsNamedAndThePlanStays) {
  const QByteArray before = qgetenv("KVCLIFF_EMULATOR");
  qputenv("KVCLIFF_EMULATOR", "/no/such/emulator");
  bool over = false;
  QObject::connect(run, &RunController::finished, page, [&] { over = true; });
  const plan::Plan p = small();
  ASSERT_TRUE(start(p, "none.kvcliff"));
  ASSERT_TRUE(wait([&] { return over; }));
  qputenv("KVCLIFF_EMULATOR", before);
  EXPECT_TRUE(page->strips().sentence(QStringLiteral("run")).contains(QStringLiteral("/no/such/emulator")));
  EXPECT_FALSE(run->running());
}

TEST_F(DemoTest, AJournalThatCannotBeWrittenIsSaid) {
  bool over = false;
  QObject::connect(run, &RunController::finished, page, [&] { over = true; });
  ASSERT_TRUE(run->start(small(), QStringLiteral("/proc/none/x.kvcliff")));
  ASSERT_TRUE(wait([&] { return over; }));
  EXPECT_FALSE(page->strips().sentence(QStringLiteral("run")).isEmpty());
}

}  // namespace
}  // namespace kvcliff::ui::test
