// SPDX-License-Identifier: GPL-3.0-or-later
// Frames of the request chart while events arrive, and how late the event loop is. One JSON line per case.
#include <QApplication>
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <cstdio>

#include "ui/charts/request_chart.h"
#include "ui/run_data.h"
#include "ui/widgets/log_dock.h"
#include "ui/widgets/log_model.h"

namespace {

double percentile(std::vector<double> v, double p) {
  if (v.empty()) return 0;
  std::sort(v.begin(), v.end());
  return v[std::min(v.size() - 1, std::size_t(double(v.size()) * p))];
}

}  // namespace

int main(int argc, char** argv) {
  static QTemporaryDir home;
  for (const char* name : {"HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"}) qputenv(name, home.path().toUtf8());
  if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication app(argc, argv);
  kvcliff::ui::Theme theme;
  theme.set_mode(kvcliff::ui::ThemeMode::Light);
  for (const int n : {78, 1000, 10'000, 100'000, 1'000'000}) {
    auto data = kvcliff::ui::test::made_run(4, n / 4);
    data->live = true;
    kvcliff::ui::RequestChart chart(theme);
    chart.resize(1010, 520);
    chart.show();
    (void)QTest::qWaitForWindowExposed(&chart, 5000);
    QElapsedTimer first;
    first.start();
    chart.set_data(data);
    chart.replot();
    const double first_ms = double(first.nsecsElapsed()) * 1e-6;

    std::vector<double> frames, late;
    QElapsedTimer frame;
    QObject::connect(&chart, &QCustomPlot::beforeReplot, &chart, [&] { frame.start(); });
    QObject::connect(&chart, &QCustomPlot::afterReplot, &chart, [&] { frames.push_back(double(frame.nsecsElapsed()) * 1e-6); });
    // 2,000 events a second in batches of 50 ms, as the run controller gives them; a timer of 1 ms measures the loop.
    QTimer feed, loop;
    feed.setTimerType(Qt::PreciseTimer);
    loop.setTimerType(Qt::PreciseTimer);
    QElapsedTimer gap;
    gap.start();
    std::size_t at = 0;
    QObject::connect(&feed, &QTimer::timeout, &chart, [&] {
      for (int k = 0; k < 100; ++k) {
        auto& r = data->requests[at++ % data->requests.size()];
        r.ttft_ns += 1000;
        data->touch((at - 1) % data->requests.size());
      }
      data->newest = std::int64_t((at - 1) % data->requests.size());
      chart.data_changed();
    });
    QObject::connect(&loop, &QTimer::timeout, &chart, [&] {
      late.push_back(double(gap.nsecsElapsed()) * 1e-6 - 1);
      gap.start();
    });
    feed.start(50);
    loop.start(1);
    QTest::qWait(3000);
    feed.stop();
    std::printf("{\"bench\":\"run_chart\",\"requests\":%d,\"first_ms\":%.2f,\"replots\":%zu,\"replot_p50_ms\":%.2f,\"replot_p99_ms\":%.2f,\"loop_late_p99_ms\":%.2f}\n",
                n, first_ms, frames.size(), percentile(frames, 0.5), percentile(frames, 0.99), percentile(late, 0.99));
    std::fflush(stdout);
  }
  kvcliff::ui::LogDock dock(theme);
  dock.resize(900, 200);
  dock.show();
  (void)QTest::qWaitForWindowExposed(&dock, 5000);
  std::vector<kvcliff::LogLine> lines(2500);
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].text = "INFO 12-01 10:42:31 [loggers.py:116] Engine 000: Avg prompt throughput: 1234.5 tokens/s, line " + std::to_string(i);
  std::vector<double> late;
  QElapsedTimer gap;
  QTimer feed, loop;
  feed.setTimerType(Qt::PreciseTimer);
  loop.setTimerType(Qt::PreciseTimer);
  QObject::connect(&feed, &QTimer::timeout, &dock, [&] { dock.append(lines); });
  QObject::connect(&loop, &QTimer::timeout, &dock, [&] {
    late.push_back(double(gap.nsecsElapsed()) * 1e-6 - 1);
    gap.start();
  });
  gap.start();
  feed.start(50);
  loop.start(1);
  QTest::qWait(5000);
  std::printf("{\"bench\":\"log_dock\",\"lines_per_s\":50000,\"lines\":%lld,\"kept\":%d,\"loop_late_p99_ms\":%.2f}\n", static_cast<long long>(dock.model().total()), dock.model().kept(), percentile(late, 0.99));
  return 0;
}
