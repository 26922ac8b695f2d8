// SPDX-License-Identifier: GPL-3.0-or-later
// The Decide page over journals measured here: every number is the one of kvcliff-cli decide.
#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QLabel>
#include <QPushButton>
#include <QTableView>

#include "cache/sizing.h"
#include "ui/bridge/evidence.h"
#include "ui/charts/cliff_chart.h"
#include "ui/charts/ecdf_chart.h"
#include "ui/charts/label_place.h"
#include "ui/charts/pairs_chart.h"
#include "ui/charts/scatter_chart.h"
#include "ui/charts/split_chart.h"
#include "ui/models/evidence_estimates.h"
#include "ui/pages/decide_page.h"
#include "ui/support/measured.h"
#include "ui/support/window.h"

namespace kvcliff::ui::test {
namespace {

struct DecideTest : ::testing::Test {
  Window w;
  DecidePage* page = static_cast<DecidePage*>(w.window.page(DecideIndex));

  void open(const QString& journal) {
    w.window.document().show_experiment(journal, 1);
    ASSERT_TRUE(wait([&] { return !w.window.evidence().loading(); }));
    ASSERT_TRUE(w.window.evidence().judged()) << qPrintable(w.window.evidence().error());
    w.window.show_page(DecideIndex);
  }
  // The exact value behind an estimate's words; empty when there is no such row.
  QString plain(const QString& quantity, int column = 1) {
    const auto& m = page->estimates();
    for (int r = 0; r < m.rowCount(); ++r)
      if (m.cell(r, 0).text == quantity) return m.index(r, column).data(EvidenceTable::PlainRole).toString();
    return {};
  }
};

TEST_F(DecideTest, EstimatesAreThoseOfTheCommandLine) {
  open(journals().honest);
  Json d = cli_json({QStringLiteral("decide"), journals().honest});
  for (const char* added : {"sizing", "no_reuse"}) EXPECT_EQ(d.erase(added), 1u) << "what the command itself adds";
  const auto& mine = w.window.evidence().judged()->evaluation.decision;
  ASSERT_EQ(Json(analysis::decision_json(w.window.evidence().judged()->input, w.window.evidence().judged()->evaluation)), d);
  if (!mine.withdrawn() && mine.effect.effect) {
    EXPECT_DOUBLE_EQ(plain(QStringLiteral("Revisits, on / off")).toDouble(), mine.effect.effect->ratio.estimate);
    const QStringList interval = plain(QStringLiteral("Revisits, on / off"), 2).split(QLatin1Char(' '));
    ASSERT_EQ(interval.size(), 2);
    EXPECT_DOUBLE_EQ(interval[0].toDouble(), mine.effect.effect->ratio.low);
    EXPECT_DOUBLE_EQ(interval[1].toDouble(), mine.effect.effect->ratio.high);
    EXPECT_DOUBLE_EQ(plain(QStringLiteral("Order effect, a session")).toDouble(), mine.effect.effect->position.estimate);
  }
  ASSERT_TRUE(mine.control);
  EXPECT_DOUBLE_EQ(plain(QStringLiteral("GPU hit (control)")).toDouble(), mine.control->gpu_hit_ms);
  // Every limit stands on the page, in full.
  QStringList shown;
  for (QLabel* l : page->findChildren<QLabel*>(QStringLiteral("decide.limit"))) shown << l->text();
  ASSERT_EQ(shown.size(), int(d["not_established"].size()));
  for (std::size_t i = 0; i < d["not_established"].size(); ++i)
    EXPECT_EQ(shown[int(i)].toStdString(), mine.not_established[i].what);
}

TEST_F(DecideTest, AWithdrawnRunHidesTheEstimateAndRefusesTheClaim) {
  open(journals().lying);
  const auto judged = w.window.evidence().judged();
  ASSERT_TRUE(judged->evaluation.decision.withdrawn());
  EXPECT_EQ(w.find<QLabel>("decide.title")->text(), QStringLiteral("Withdrawn: no claim from this run."));
  EXPECT_FALSE(w.find<QPushButton>("decide.copy")->isEnabled());
  EXPECT_TRUE(claim_text(*judged).isEmpty());
  EXPECT_EQ(plain(QStringLiteral("Revisits, on / off")), QStringLiteral("withheld"));
  EXPECT_FALSE(w.find<SplitChart>("splitChart")->split());
  // The measurements stay.
  EXPECT_FALSE(w.find<PairsChart>("pairsChart")->marks().empty());
  // No digit of the estimate leaks into what can be copied.
  if (judged->evaluation.decision.effect.effect) {
    const QString ratio = QString::number(judged->evaluation.decision.effect.effect->ratio.estimate, 'f', 3);
    EXPECT_FALSE(page->copy_text(true).contains(ratio));
    EXPECT_FALSE(page->copy_text(false).contains(ratio));
  }
}

TEST_F(DecideTest, TheClaimCarriesItsLimitsAndItsRun) {
  open(journals().honest);
  const auto judged = w.window.evidence().judged();
  auto* copy = w.find<QPushButton>("decide.copy");
  if (judged->evaluation.decision.withdrawn()) {
    EXPECT_FALSE(copy->isEnabled());
    return;
  }
  ASSERT_TRUE(copy->isEnabled());
  copy->click();
  const QString claim = QApplication::clipboard()->text();
  EXPECT_TRUE(claim.startsWith(QStringLiteral("SIMULATED. ")));
  EXPECT_TRUE(claim.contains(QString::fromStdString(judged->input.run_id)));
  for (const auto& l : judged->evaluation.decision.not_established) EXPECT_TRUE(claim.contains(QString::fromStdString(l.what)));
}

TEST_F(DecideTest, ChartsShowEveryRevisitOnce) {
  open(journals().honest);
  const auto judged = w.window.evidence().judged();
  int revisits = 0, all = 0;
  for (const auto* q : judged->measured) {
    const auto& r = judged->record(*q);
    all += r.stream.ttft().has_value();
    revisits += r.plan.round >= 2 && r.stream.ttft().has_value();
  }
  EXPECT_EQ(int(w.find<PairsChart>("pairsChart")->marks().size()), revisits);
  int in_curves = 0;
  for (const auto& c : w.find<EcdfChart>("ecdfChart")->curves()) {
    in_curves += c.count;
    ASSERT_FALSE(c.steps.empty());
    EXPECT_DOUBLE_EQ(*c.steps.back().y, 1.0);
  }
  EXPECT_EQ(in_curves, revisits);
  EXPECT_EQ(int(w.find<ComputedChart>("computedChart")->marks().size()), all);
  EXPECT_EQ(w.find<PredictedChart>("predictedChart")->off_diagonal(), 0);
  for (const auto& m : w.find<PredictedChart>("predictedChart")->marks()) EXPECT_DOUBLE_EQ(m.x, m.y);
}

TEST_F(DecideTest, NamesOfDistributionsNeverStandOnEachOther) {
  open(journals().honest);
  auto* chart = w.find<EcdfChart>("ecdfChart");
  for (const QSize size : {QSize(1280, 800), QSize(1920, 1200), QSize(1024, 700)}) {
    w.window.setMinimumSize(480, 320);
    w.window.resize(size);
    ASSERT_TRUE(wait([&] { return w.window.size() == size && chart->isVisibleTo(page); }));
    chart->replot();
    EXPECT_GE(chart->names().size(), 2u) << size.width();
    std::vector<QRectF> taken;
    for (const QRectF& name : chart->names()) {
      EXPECT_TRUE(is_clear_of_boxes(name, taken)) << size.width();
      EXPECT_TRUE(QRectF(chart->viewport()).contains(name)) << size.width();
      taken.push_back(name);
    }
  }
}

TEST_F(DecideTest, SelectionZoomAndStepBack) {
  open(journals().honest);
  auto* chart = w.find<PairsChart>("pairsChart");
  ASSERT_TRUE(wait([&] { return chart->width() > 200; }));
  w.window.document().select_request(7);
  EXPECT_EQ(chart->selected(), 7);
  EXPECT_FALSE(chart->zoomed());
  chart->setFocus();
  QTest::keyClick(chart, Qt::Key_Plus);
  QTest::keyClick(chart, Qt::Key_Plus);
  EXPECT_TRUE(chart->zoomed());
  QTest::keyClick(chart, Qt::Key_Escape);
  QTest::keyClick(chart, Qt::Key_Escape);
  EXPECT_FALSE(chart->zoomed());
  QTest::keyClick(chart, Qt::Key_Right);
  EXPECT_NE(w.window.document().selected_request(), 7);
}

TEST_F(DecideTest, ModelsKeepTheRulesOfModels) {
  open(journals().honest);
  QAbstractItemModelTester a(&page->estimates(), QAbstractItemModelTester::FailureReportingMode::Fatal);
  QAbstractItemModelTester b(&page->sizing(), QAbstractItemModelTester::FailureReportingMode::Fatal);
  page->sizing().set_rows({});
  EXPECT_EQ(page->sizing().rowCount({}), 0);
}

TEST_F(DecideTest, SizingIsWhatTheSimulatorGives) {
  open(journals().honest);
  const auto judged = w.window.evidence().judged();
  ASSERT_TRUE(judged->sizing) << judged->sizing_why;
  ASSERT_EQ(judged->sizing->sizes.size(), 3u);
  EXPECT_EQ(judged->sizing->working_set, 3 * 62);
  std::int64_t before = 0;
  for (const auto& s : judged->sizing->sizes) {
    ASSERT_TRUE(s.chunks);
    EXPECT_GE(*s.chunks, before);
    EXPECT_GE(s.share + 1e-9, std::min(s.asked, judged->sizing->reachable));
    before = *s.chunks;
  }
  EXPECT_EQ(page->sizing().rowCount(), 4);
}

TEST_F(DecideTest, ASweepOpensOnItsCliffAndSaysWhereItLies) {
  const QString sweep = w.file("sweep.kvcliff");
  measure_sweep(sweep);
  open(sweep);
  const auto& d = w.window.evidence().judged()->evaluation.decision;
  ASSERT_TRUE(d.cliff);
  ASSERT_FALSE(d.withdrawn()) << d.why;
  EXPECT_EQ(w.find<QLabel>("decide.title")->text(), QStringLiteral("The cliff is where it was predicted."));
  EXPECT_TRUE(w.find<QLabel>("decide.sentence")->text().startsWith(QStringLiteral("Without the tier the cliff lies between 124 and 186 blocks (2 and 3 documents), as predicted.")))
      << w.find<QLabel>("decide.sentence")->text().toStdString();
  ASSERT_EQ(d.cliff->edges.size(), 2u);
  EXPECT_EQ(plain(QStringLiteral("Cliff with the tier"), 2), QStringLiteral("248 310")) << "200 blocks: the edge is a ramp one document wide";
  auto* chart = w.find<CliffChart>("sweepChart");
  ASSERT_TRUE(wait([&] { return chart->isVisibleTo(page) && chart->height() > 150; })) << "at 1280 x 800 the panel was 40 px high: now " << chart->height();
  EXPECT_FALSE(w.find<PairsChart>("pairsChart")->isVisibleTo(page)) << "a sweep has no pairs";
  w.picture("decide-sweep");
  // Names of the areas stand beside points, their intervals and lines, whatever the size.
  for (const QSize size : {QSize(1280, 800), QSize(1920, 1200), QSize(1024, 700), QSize(1500, 760)}) {
    w.window.setMinimumSize(480, 320);
    w.window.resize(size);
    ASSERT_TRUE(wait([&] { return w.window.size() == size; }));
    chart->replot();
    EXPECT_FALSE(chart->names().empty()) << size.width();
    Obstacles taken = chart->obstacles();
    EXPECT_GE(taken.boxes.size(), 10u) << "ten points and two edges";
    for (const QRectF& name : chart->names()) {
      EXPECT_TRUE(is_clear_of_boxes(name, taken.boxes)) << size.width() << " x " << size.height();
      taken.boxes.push_back(name);
    }
  }
  // A run with pairs afterwards gets its pairs back.
  open(journals().honest);
  EXPECT_TRUE(wait([&] { return w.find<PairsChart>("pairsChart")->isVisibleTo(page); }));
  EXPECT_FALSE(chart->isVisibleTo(page));
}

TEST_F(DecideTest, EveryControlHasAName) {
  open(journals().honest);
  EXPECT_EQ(without_name(page), QStringList());
}

}  // namespace
}  // namespace kvcliff::ui::test
