// SPDX-License-Identifier: GPL-3.0-or-later
// The Reconcile page over journals measured here: what it shows is what kvcliff-cli says, cell by cell.
#include <QAbstractItemModelTester>
#include <QAbstractScrollArea>
#include <QLabel>
#include <QPushButton>
#include <QTabWidget>
#include <QTableView>

#include "reconcile/check_table.h"
#include "ui/bridge/evidence.h"
#include "ui/pages/reconcile_evidence.h"
#include "ui/pages/reconcile_matrix.h"
#include "ui/pages/reconcile_page.h"
#include "ui/support/cells.h"
#include "ui/support/measured.h"
#include "ui/support/window.h"
#include "ui/widgets/card.h"

namespace kvcliff::ui::test {
namespace {

class ReconcileTest : public ::testing::Test {
 public:
  Window w;
  ReconcilePage* page = static_cast<ReconcilePage*>(w.window.page(ReconcileIndex));

  void open(const QString& journal) {
    w.window.document().show_experiment(journal, 1);
    ASSERT_TRUE(wait([&] { return !w.window.evidence().loading(); }));
    ASSERT_TRUE(w.window.evidence().judged()) << qPrintable(w.window.evidence().error());
    w.window.show_page(ReconcileIndex);
  }
  MatrixModel& matrix() { return page->matrix(); }
  int row_of(const QString& id, CheckScope scope) {
    for (int r = 0; r < matrix().rowCount(); ++r)
      if (matrix().row(r).id == id && matrix().row(r).scope == scope) return r;
    return -1;
  }
};

TEST_F(ReconcileTest, EveryCellOfAnHonestRunIsWhatTheCommandLineSays) {
  open(journals().honest);
  compare_cells(w, journals().honest);
}

TEST_F(ReconcileTest, EveryCellOfALyingRunIsWhatTheCommandLineSays) {
  open(journals().lying);
  compare_cells(w, journals().lying);
}

TEST_F(ReconcileTest, ModelsKeepTheRulesOfModels) {
  open(journals().lying);
  QAbstractItemModelTester matrix_tester(&matrix(), QAbstractItemModelTester::FailureReportingMode::Fatal);
  QAbstractItemModelTester ledger_tester(&page->ledger(), QAbstractItemModelTester::FailureReportingMode::Fatal);
  matrix().set_only_open(true);
  matrix().set_only_open(false);
  page->ledger().set_lines({});
  EXPECT_EQ(page->ledger().rowCount({}), 0);
}

TEST_F(ReconcileTest, AFailureIsCountedNamedAndReachedByKey) {
  open(journals().lying);
  const int r3 = row_of(QStringLiteral("R3"), CheckScope::request);
  ASSERT_GE(r3, 0);
  EXPECT_GT(matrix().row(r3).fail, 0);
  EXPECT_GT(page->strips().count(), 0);
  EXPECT_TRUE(page->strips().sentence(QStringLiteral("reconcile")).contains(QStringLiteral("R3")));
  MatrixView& view = page->view();
  view.setFocus();
  QTest::keyClick(&view, Qt::Key_Home);
  QTest::keyClick(&view, Qt::Key_PageUp);
  QTest::keyClick(&view, Qt::Key_N);
  const auto first = std::pair(view.current_row(), view.current_column());
  EXPECT_EQ(matrix().cell(first.first, first.second).state, CheckState::fail);
  QTest::keyClick(&view, Qt::Key_N);
  EXPECT_NE(std::pair(view.current_row(), view.current_column()), first);
  QTest::keyClick(&view, Qt::Key_N, Qt::ShiftModifier);
  EXPECT_EQ(std::pair(view.current_row(), view.current_column()), first);
}

TEST_F(ReconcileTest, TheFilterLeavesOnlyWhatIsNotGreen) {
  open(journals().lying);
  const int all = matrix().columnCount(), rows = matrix().rowCount();
  w.find<QPushButton>("reconcile.onlyOpen")->click();
  EXPECT_LT(matrix().columnCount(), all);
  EXPECT_LT(matrix().rowCount(), rows);
  for (int r = 0; r < matrix().rowCount(); ++r)
    EXPECT_GT(matrix().row(r).fail + matrix().row(r).not_possible + matrix().row(r).not_settled, 0);
  EXPECT_GE(row_of(QStringLiteral("R3"), CheckScope::request), 0);
  w.find<QPushButton>("reconcile.onlyOpen")->click();
  EXPECT_EQ(matrix().columnCount(), all);
}

TEST_F(ReconcileTest, SelectingACellBringsItsLedgerAndItsEvidence) {
  open(journals().honest);
  const auto judged = w.window.evidence().judged();
  const int request = int(judged->measured.size()) / 2;
  page->view().select(row_of(QStringLiteral("R3"), CheckScope::request), matrix().column_of(request));
  EXPECT_EQ(w.window.document().selected_request(), request);
  ASSERT_TRUE(wait([&] { return w.window.evidence().detail() && w.window.evidence().detail()->request == request; }));
  const auto& record = judged->record(request);
  auto* scrapes = w.find<QTableView>("evidence.scrapes");
  bool prompt_seen = false;
  for (int r = 0; r < scrapes->model()->rowCount(); ++r) {
    if (scrapes->model()->index(r, 0).data().toString() != QStringLiteral("prompt_tokens")) continue;
    prompt_seen = true;
    EXPECT_EQ(scrapes->model()->index(r, 3).data(EvidenceTable::PlainRole).toString(), QString::number(record.plan.prompt_tokens));
  }
  EXPECT_TRUE(prompt_seen);
  auto* events = w.find<QTableView>("evidence.events");
  EXPECT_EQ(events->model()->rowCount(), int(w.window.evidence().detail()->record.stream.events.size()));
  EXPECT_GT(events->model()->rowCount(), 0);
  EXPECT_GT(w.find<QTableView>("evidence.prompt")->model()->rowCount(), 10);
  EXPECT_EQ(w.find<QTableView>("evidence.checks")->model()->rowCount(), int(judged->measured[std::size_t(request)]->checks.size()));
  // The ledger is that of the request's session.
  const auto session = judged->measured[std::size_t(request)]->session;
  for (const auto& s : judged->evaluation.reconciliation.sessions)
    if (s.session == session) {
      EXPECT_EQ(page->ledger().rowCount(), int(s.ledger.size()));
    }
}

TEST_F(ReconcileTest, RawScrapesAreDiffedLineByLine) {
  open(journals().honest);
  w.window.document().select_request(3);
  ASSERT_TRUE(wait([&] { return w.window.evidence().detail() && w.window.evidence().detail()->request == 3; }));
  const auto rows = raw_scrape_rows(*w.window.evidence().detail(), false);
  const auto moved = raw_scrape_rows(*w.window.evidence().detail(), true);
  ASSERT_GT(rows.size(), 20u);
  EXPECT_LT(moved.size(), rows.size());
  bool seen = false;
  for (const auto& r : moved) seen = seen || r[0].text.startsWith(QStringLiteral("vllm:prompt_tokens_total{"));
  EXPECT_TRUE(seen);
}

TEST_F(ReconcileTest, SelectionIsSharedWithOtherPages) {
  open(journals().honest);
  w.window.document().select_request(5);
  EXPECT_EQ(matrix().request_of(page->view().current_column()), 5);
}

TEST_F(ReconcileTest, LongCellsAreOneStopForTheArrows) {
  open(journals().honest);
  const int r11 = row_of(QStringLiteral("R11"), CheckScope::session);
  page->view().select(r11, 0);
  QTest::keyClick(&page->view(), Qt::Key_Right);
  EXPECT_EQ(page->view().current_column(), matrix().groups()[1].first);
}

TEST_F(ReconcileTest, AJournalThatCannotBeReadIsSaidSo) {
  const QString path = w.file("broken.kvcliff");
  ASSERT_TRUE(write_file(path.toStdString(), "SQLite format 3 and then nothing of use"));
  w.window.document().show_experiment(path, 1);
  ASSERT_TRUE(wait([&] { return !w.window.evidence().loading(); }));
  EXPECT_FALSE(w.window.evidence().error().isEmpty());
  EXPECT_EQ(page->strips().sentence(QStringLiteral("reconcile")), w.window.evidence().error());
}

TEST_F(ReconcileTest, EveryControlHasAName) {
  open(journals().lying);
  EXPECT_EQ(without_name(page), QStringList());
}

}  // namespace
}  // namespace kvcliff::ui::test
