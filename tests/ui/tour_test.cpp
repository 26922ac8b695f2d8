// SPDX-License-Identifier: GPL-3.0-or-later
// The whole way: from the start screen to a report; and the same numbers live, from a file, and after a crash.
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QProcess>
#include <QPushButton>
#include <csignal>

#include "journal/reader.h"
#include "report/report.h"
#include "ui/bridge/run_controller.h"
#include "ui/models/evidence_estimates.h"
#include "ui/pages/decide_page.h"
#include "ui/support/cells.h"

namespace kvcliff::ui::test {
namespace {

struct Tour : ::testing::Test {
  Tour() { qputenv("KVCLIFF_EMULATOR", KVCLIFF_BINARY_DIR "/bin/kvcliff-emulator"); }
  static RunPage* run_page(Window& w) { return static_cast<RunPage*>(w.window.page(RunIndex)); }
  static bool judged(Window& w) {
    return wait([&] { return !w.window.evidence().loading() && (w.window.evidence().judged() || !w.window.evidence().error().isEmpty()); }, 60'000);
  }
};

TEST_F(Tour, FromTheStartScreenToAReportWithTheSameNumbersLiveAndFromTheFile) {
  QString journal;
  {
    Window w;
    RunController& run = w.window.run();
    run.set_time_scale(0.02);
    bool over = false;
    QObject::connect(&run, &RunController::finished, &w.window, [&](const QString& end, const QString&, const QString& path, qint64) {
      EXPECT_EQ(end, QStringLiteral("finished"));
      journal = path;
      over = true;
    });
    QTest::mouseClick(w.find<QPushButton>("start.demo"), Qt::LeftButton);
    ASSERT_TRUE(wait([&] { return over; }, 240'000));
    const auto live = run.shared_data();
    ASSERT_TRUE(live);
    EXPECT_EQ(compare_requests(*live, journal), int(live->requests.size())) << "live";
    ASSERT_TRUE(judged(w));
    ASSERT_TRUE(w.window.evidence().judged()) << qPrintable(w.window.evidence().error());
    QTest::keyClick(&w.window, Qt::Key_4, Qt::ControlModifier);
    EXPECT_EQ(w.window.current_page(), int(ReconcileIndex));
    compare_cells(w, journal);
    QTest::keyClick(&w.window, Qt::Key_5, Qt::ControlModifier);
    EXPECT_EQ(w.window.current_page(), int(DecideIndex));
    const auto j = w.window.evidence().judged();
    Json decided = cli_json({QStringLiteral("decide"), journal});
    for (const char* added : {"sizing", "no_reuse"}) EXPECT_EQ(decided.erase(added), 1u) << "what the command itself adds";
    EXPECT_EQ(Json(analysis::decision_json(j->input, j->evaluation)), decided);
    EXPECT_EQ(w.find<QLabel>("decide.title")->text(), verdict_title(j->evaluation.decision));
    const QString folder = w.file("report");
    ASSERT_TRUE(static_cast<DecidePage*>(w.window.page(DecideIndex))->export_report_to(folder));
    for (const char* name : {"report.html", "report.md", "report.json", "report.pdf", "requests.csv", "charts/pairs.png", "charts/requests.svg"})
      EXPECT_GT(QFileInfo(folder + QLatin1Char('/') + QLatin1String(name)).size(), 200) << name;
    QFile html(folder + QStringLiteral("/report.html"));
    ASSERT_TRUE(html.open(QIODevice::ReadOnly));
    const QByteArray page = html.readAll();
    EXPECT_TRUE(page.contains(report::verdict_sentence(j->evaluation.decision).c_str()));
    EXPECT_TRUE(page.contains("simulated"));
    EXPECT_TRUE(page.contains(j->input.run_id.c_str()));
  }
  Window later;
  ASSERT_TRUE(later.window.open_path(journal));
  ASSERT_TRUE(wait([&] { return later.window.document().experiment() != 0; }));
  ASSERT_TRUE(wait([&] { return run_page(later)->shown() != nullptr; }));
  ASSERT_TRUE(judged(later));
  EXPECT_EQ(compare_requests(*run_page(later)->shown(), journal), int(run_page(later)->shown()->requests.size())) << "opened later";
  compare_cells(later, journal);
}

TEST_F(Tour, AKilledRunOpenedLaterShowsTheSameNumbersAndCanBeResumed) {
  QTemporaryDir folder;
  const QString journal = folder.filePath(QStringLiteral("killed.kvcliff"));
  Json p = *parse_json(*read_file(KVCLIFF_SOURCE_DIR "/resources/plans/reference.json"), "reference.json");
  p["warmup"] = {{"min_requests", 1}, {"max_requests", 1}};
  p["limits"]["settle"] = {{"quiet_ms", 10}, {"timeout_ms", 1500}};
  const QString plan = folder.filePath(QStringLiteral("plan.json"));
  ASSERT_TRUE(write_file(plan.toStdString(), p.dump(1)));
  {
    QProcess run;
    run.start(QStringLiteral(KVCLIFF_CLI), {QStringLiteral("run"), plan, QStringLiteral("--journal"), journal, QStringLiteral("--time-scale"), QStringLiteral("0.05"), QStringLiteral("--quiet")});
    ASSERT_TRUE(run.waitForStarted());
    // In the second session: one is whole, one is open.
    ASSERT_TRUE(wait([&] {
      const auto reader = journal::Reader::open(journal.toStdString());
      if (!reader) return false;
      const auto sessions = reader->sessions(1);
      if (!sessions || sessions->size() < 2 || sessions->front().state != SessionState::finished) return false;
      const auto count = reader->request_count((*sessions)[1].id);
      return count && count->measured >= 3;
    }, 120'000));
    ASSERT_EQ(::kill(pid_t(run.processId()), SIGKILL), 0);
    ASSERT_TRUE(run.waitForFinished(30'000));
  }
  Window w;
  RunController& controller = w.window.run();
  controller.set_time_scale(0.05);
  ASSERT_TRUE(w.window.open_path(journal));
  ASSERT_TRUE(wait([&] { return run_page(w)->shown() != nullptr; }));
  ASSERT_TRUE(judged(w));
  EXPECT_EQ(compare_requests(*run_page(w)->shown(), journal), 18) << "the whole session; the open one is not judged anywhere";
  EXPECT_GT(run_page(w)->shown()->done, 18u) << "what was measured of it is shown";
  compare_cells(w, journal, 17 * 10);
  w.window.show_page(RunIndex);
  EXPECT_TRUE(run_page(w)->strips().sentence(QStringLiteral("run")).contains(QStringLiteral("no end")));
  auto* resume = w.find<QPushButton>("run.resume");
  ASSERT_TRUE(resume->isVisibleTo(run_page(w)));
  QString end;
  QObject::connect(&controller, &RunController::finished, &w.window, [&](const QString& e, const QString&, const QString&, qint64) { end = e; });
  resume->click();
  ASSERT_TRUE(wait([&] { return !end.isEmpty(); }, 240'000)) << run_page(w)->strips().sentence(QStringLiteral("run")).toStdString();
  EXPECT_EQ(end, QStringLiteral("finished"));
  ASSERT_TRUE(wait([&] { return run_page(w)->shown() && run_page(w)->shown() != controller.data() && run_page(w)->shown()->done == 78u; }));
  EXPECT_EQ(compare_requests(*run_page(w)->shown(), journal), 78) << "each place of the schedule once, by its newest attempt";
  EXPECT_FALSE(resume->isVisibleTo(run_page(w)));
}

}  // namespace
}  // namespace kvcliff::ui::test
