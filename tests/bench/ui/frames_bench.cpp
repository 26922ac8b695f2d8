// SPDX-License-Identifier: GPL-3.0-or-later
// Frames of the request chart while events arrive, and how late the event loop is. One JSON line per case.
#include <QElapsedTimer>
#include <QTest>
#include <QTimer>

#include "ui/bench.h"
#include "ui/charts/request_chart.h"
#include "ui/run_data.h"
#include "ui/widgets/log_dock.h"
#include "ui/widgets/log_model.h"

namespace kvcliff::ui::bench {

void frames() {
  Theme theme;
  theme.set_mode(ThemeMode::Light);
  for (const int n : {78, 1000, 10'000, 100'000, 1'000'000}) {
    auto data = test::made_run(4, n / 4);
    data->live = true;
    RequestChart chart(theme);
    chart.resize(1010, 520);
    chart.show();
    (void)QTest::qWaitForWindowExposed(&chart, 5000);
    QElapsedTimer first;
    first.start();
    chart.set_data(data);
    chart.replot();
    const double first_ms = double(first.nsecsElapsed()) * 1e-6;

    std::vector<double> frames, cost, late;
    double began = 0;
    QElapsedTimer frame;
    QObject::connect(&chart, &QCustomPlot::beforeReplot, &chart, [&] {
      frame.start();
      began = thread_cpu_ms();
    });
    QObject::connect(&chart, &QCustomPlot::afterReplot, &chart, [&] {
      frames.push_back(double(frame.nsecsElapsed()) * 1e-6);
      cost.push_back(thread_cpu_ms() - began);
    });
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
    const double cpu = cpu_seconds();
    feed.start(50);
    loop.start(1);
    QTest::qWait(3000);
    feed.stop();
    std::printf("{\"bench\":\"run_chart\",\"requests\":%d,\"first_ms\":%.2f,\"replots\":%zu,\"replot_p50_ms\":%.2f,\"replot_p99_ms\":%.2f,\"replot_cpu_p99_ms\":%.2f,\"loop_late_p99_ms\":%.2f,\"cpu_share\":%.2f}\n",
                n, first_ms, frames.size(), percentile(frames, 0.5), percentile(frames, 0.99), percentile(cost, 0.99), percentile(late, 0.99), (cpu_seconds() - cpu) / 3);
    std::fflush(stdout);
  }
}

void log_panel() {
  Theme theme;
  LogDock dock(theme);
  dock.resize(900, 200);
  dock.show();
  (void)QTest::qWaitForWindowExposed(&dock, 5000);
  std::vector<LogLine> lines(2500);
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
}

}  // namespace kvcliff::ui::bench
