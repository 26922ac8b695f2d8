// SPDX-License-Identifier: GPL-3.0-or-later
// The request chart and the log: level of detail, zoom, following, bounds.
#include <QAbstractItemModelTester>
#include <QElapsedTimer>
#include <QImage>
#include <QLineEdit>
#include <QListView>
#include <QPushButton>
#include <QScrollBar>
#include <QWheelEvent>

#include "ui/charts/request_chart.h"
#include "ui/run_data.h"
#include "ui/support/window.h"
#include "ui/widgets/log_dock.h"
#include "ui/widgets/log_model.h"

namespace kvcliff::ui::test {
namespace {

struct ChartTest : ::testing::Test {
  Theme theme;
  RequestChart chart{theme};
  ChartTest() {
    theme.set_mode(ThemeMode::Light);
    chart.resize(900, 460);
    chart.show();
    (void)QTest::qWaitForWindowExposed(&chart, 5000);
  }
  void draw() { chart.replot(); }
};

TEST_F(ChartTest, EachRequestHasItsOwnSlotUntilSlotsAreNarrowerThanTwoPixels) {
  chart.set_data(made_run(4, 18));
  draw();
  EXPECT_EQ(chart.detail_words(), QString());
  chart.set_data(made_run(4, 2500));
  draw();
  EXPECT_TRUE(chart.detail_words().startsWith(QStringLiteral("one column = "))) << chart.detail_words().toStdString();
}

TEST_F(ChartTest, OnlyColumnsWhoseRequestsChangedAreComputedAgain) {
  auto data = made_run(4, 2500);
  RequestColumns columns;
  const RequestScale scale = RequestScale::fit(*data, 800, 34, 24);
  const auto n = columns.update(*data, scale, 0, data->requests.size(), 25).size();
  EXPECT_EQ(n, 400u);
  EXPECT_EQ(columns.computed(), 400);
  data->requests[5000].ttft_ns = 99'000'000;
  data->touch(5000);
  const auto& again = columns.update(*data, scale, 0, data->requests.size(), 25);
  EXPECT_EQ(columns.computed(), 1);
  EXPECT_EQ(again[200].times[std::size_t(Source::computed)].high, 99'000'000);
  columns.update(*data, scale, 0, data->requests.size(), 25);
  EXPECT_EQ(columns.computed(), 0);
}

TEST_F(ChartTest, ColumnsKeepFailuresAndMissesAndMediansAreExact) {
  auto data = made_run(1, 101, 100);
  data->requests[7].missed = true;
  const Column c = RequestColumns::summarise(*data, 0, 101);
  EXPECT_EQ(c.failed, 1);
  EXPECT_EQ(c.missed, 1);
  EXPECT_EQ(c.measured, 101);
  EXPECT_DOUBLE_EQ(c.mean[std::size_t(Source::computed)], 2003);
  std::vector<std::int64_t> times;
  for (const auto& r : data->requests) times.push_back(r.ttft_ns);
  std::sort(times.begin(), times.end());
  EXPECT_EQ(c.times[std::size_t(Source::computed)].median, times[50]);
  EXPECT_EQ(c.times[std::size_t(Source::computed)].low, times.front());
  EXPECT_EQ(c.times[std::size_t(Source::computed)].high, times.back());
}

TEST_F(ChartTest, ColumnsNeverCrossTwoSessions) {
  auto data = made_run(3, 130);
  RequestColumns columns;
  const RequestScale scale = RequestScale::fit(*data, 800, 34, 24);
  for (const Column& c : columns.update(*data, scale, 0, data->requests.size(), 50))
    EXPECT_EQ(data->requests[c.first].session, data->requests[c.last - 1].session);
}

TEST_F(ChartTest, EveryPositionLeadsBackToItsRequest) {
  auto data = made_run(5, 18);
  const RequestScale scale = RequestScale::fit(*data, 900, 34, 24);
  for (std::size_t i = 0; i < data->requests.size(); ++i) EXPECT_EQ(scale.request_at(scale.position(i) + 0.5), i);
  EXPECT_EQ(scale.request_at(-5), 0u);
  EXPECT_EQ(scale.request_at(1e9), data->requests.size() - 1);
}

TEST_F(ChartTest, ZoomIsAStackWithStepBackAndReset) {
  chart.set_data(made_run(4, 18));
  draw();
  QTest::keyClick(&chart, Qt::Key_Plus);
  const auto once = chart.shown();
  EXPECT_LT(once.second - once.first, 72);
  QTest::keyClick(&chart, Qt::Key_Plus);
  EXPECT_LT(chart.shown().second - chart.shown().first, once.second - once.first);
  QTest::keyClick(&chart, Qt::Key_Escape);
  EXPECT_EQ(chart.shown(), once);
  QTest::keyClick(&chart, Qt::Key_Home);
  EXPECT_EQ(chart.shown(), std::pair(0.0, 72.0));
}

TEST_F(ChartTest, LookingBackPausesFollowingAndTheNewestDoesNotPullAway) {
  auto data = made_run(2, 200);
  data->live = true;
  data->newest = 300;
  chart.set_data(data);
  chart.show_requests(260, 310);
  EXPECT_TRUE(chart.following());
  chart.show_requests(20, 70);
  EXPECT_FALSE(chart.following());
  data->newest = 350;
  data->touch(350);
  chart.data_changed();
  EXPECT_EQ(chart.shown(), std::pair(20.0, 70.0));
  QTest::keyClick(&chart, Qt::Key_F);
  EXPECT_TRUE(chart.following());
  EXPECT_GE(chart.shown().second, 351);
}

TEST_F(ChartTest, ManyChangesAreDrawnTogether) {
  auto data = made_run(4, 2500);
  chart.set_data(data);
  draw();
  const int before = chart.replots();
  // Faster than events of a live run: the throttle decides, not the number of changes.
  for (int i = 0; i < 2000; ++i) {
    data->touch(std::size_t(i));
    chart.data_changed();
  }
  EXPECT_TRUE(wait([&] { return chart.replots() > before; }, 3000));
  QTest::qWait(120);
  EXPECT_LE(chart.replots() - before, 5);
}

TEST_F(ChartTest, AHiddenChartIsNotDrawn) {
  auto data = made_run(2, 50);
  chart.set_data(data);
  draw();
  QTest::qWait(60);  // what was asked for before is drawn
  chart.hide();
  const int before = chart.replots();
  data->touch(3);
  chart.data_changed();
  QTest::qWait(80);
  EXPECT_EQ(chart.replots(), before);
  chart.show();
  EXPECT_TRUE(wait([&] { return chart.replots() > before; }, 3000));
}

TEST_F(ChartTest, ASimulatedRunCarriesItsWordsInEveryExport) {
  chart.set_data(made_run(2, 18));
  draw();
  const QByteArray svg = chart.svg(QSize(1000, 500));
  EXPECT_TRUE(svg.contains("SIMULATED"));
  EXPECT_FALSE(svg.contains("<image"));
  const QImage a = chart.image(QSize(1000, 500), 2);
  EXPECT_EQ(a.size(), QSize(2000, 1000));
}

TEST_F(ChartTest, ReadingsNameAbsentNumbersUnknown) {
  auto data = made_run(1, 3);
  data->requests[1].tokens = {-1, -1, -1, -1};
  chart.set_data(data);
  EXPECT_TRUE(chart.reading(0).contains(QStringLiteral("2,003 computed")));
  EXPECT_TRUE(chart.reading(1).contains(QStringLiteral("unknown")));
  EXPECT_EQ(chart.reading(99), QString());
}

std::vector<LogLine> lines(int from, int n) {
  std::vector<LogLine> out;
  for (int i = from; i < from + n; ++i) out.push_back({{}, false, "INFO line " + std::to_string(i) + (i % 100 == 0 ? " needle" : ""), false});
  return out;
}

TEST(LogModelTest, KeepsABoundOfLinesAndCountsTheRest) {
  LogModel model;
  QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  for (int k = 0; k < 30; ++k) model.append(lines(k * 1000, 1000));
  EXPECT_EQ(model.kept(), int(LogModel::capacity));
  EXPECT_EQ(model.total(), 30'000);
  EXPECT_EQ(model.dropped(), 10'000);
  EXPECT_TRUE(model.text(model.rowCount() - 1).endsWith(QStringLiteral("line 29999")));
  model.append(lines(30'000, 25'000));
  EXPECT_EQ(model.kept(), int(LogModel::capacity));
  EXPECT_TRUE(model.text(model.rowCount() - 1).endsWith(QStringLiteral("line 54999")));
}

TEST(LogModelTest, FiltersWhatIsThereAndWhatComes) {
  LogModel model;
  QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  model.append(lines(0, 1000));
  model.set_filter(QStringLiteral("NEEDLE"));
  EXPECT_EQ(model.rowCount(), 10);
  model.append(lines(1000, 25'000));
  EXPECT_EQ(model.rowCount(), 200);
  model.set_filter({});
  EXPECT_EQ(model.rowCount(), int(LogModel::capacity));
}

TEST(LogDockTest, SticksToTheEndOnlyWhileTheUserIsThere) {
  Theme theme;
  LogDock dock(theme);
  dock.resize(700, 200);
  dock.show();
  (void)QTest::qWaitForWindowExposed(&dock, 5000);
  auto* list = dock.findChild<QListView*>(QStringLiteral("log.lines"));
  dock.append(lines(0, 500));
  ASSERT_TRUE(wait([&] { return dock.model().kept() == 500; }));
  QScrollBar* bar = list->verticalScrollBar();
  ASSERT_TRUE(wait([&] { return bar->maximum() > 0 && bar->value() == bar->maximum(); }));
  bar->setValue(bar->maximum() / 2);
  EXPECT_FALSE(dock.following());
  const int there = bar->value();
  dock.append(lines(500, 500));
  ASSERT_TRUE(wait([&] { return dock.model().kept() == 1000; }));
  EXPECT_EQ(bar->value(), there);
  bar->setValue(bar->maximum());
  EXPECT_TRUE(dock.following());
}

TEST(LogDockTest, AWriterWithoutEndLeavesTheWindowFree) {
  // 50,000 lines a second as in the field: batches of a twentieth second; the event loop must come round in between.
  Theme theme;
  LogDock dock(theme);
  dock.resize(700, 200);
  dock.show();
  (void)QTest::qWaitForWindowExposed(&dock, 5000);
  int turns = 0;
  QTimer turn;
  QObject::connect(&turn, &QTimer::timeout, [&] { ++turns; });
  turn.start(1);
  for (int k = 0; k < 40; ++k) {
    dock.append(lines(k * 2500, 2500));
    QTest::qWait(10);
  }
  EXPECT_TRUE(wait([&] { return dock.model().total() == 100'000; }));
  EXPECT_EQ(dock.model().kept(), int(LogModel::capacity));
  EXPECT_GE(turns, 20) << "the loop comes round between batches; on a busy machine not after every one";
}

}  // namespace
}  // namespace kvcliff::ui::test
