// SPDX-License-Identifier: GPL-3.0-or-later
// From the last byte of a request to its dot on the screen, in a live run of the real window on the emulator; and the
// start of a fresh process to its first frame and its first cliff.
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include "base/clock.h"
#include "ui/bench.h"
#include "ui/bridge/run_controller.h"
#include "ui/charts/cliff_chart.h"
#include "ui/charts/request_chart.h"
#include "ui/main_window.h"
#include "ui/pages/run_page.h"

namespace kvcliff::ui::bench {

void live_dots(const QString& emulator) {
  qputenv("KVCLIFF_EMULATOR", emulator.toUtf8());
  QTemporaryDir folder;
  MainWindow window(QStringLiteral(KVCLIFF_SOURCE_DIR "/resources"));
  window.resize(1280, 800);
  window.show();
  (void)QTest::qWaitForWindowExposed(&window, 5000);
  RunController& run = window.run();
  auto& chart = static_cast<RunPage*>(window.page(RunIndex))->chart();
  run.set_time_scale(0.1);
  std::vector<double> ages;
  MonoNs waiting = 0;      // end of a stream whose dot is not drawn yet
  std::int64_t seen = -1;  // its request
  bool over = false;
  QObject::connect(&run, &RunController::updated, &window, [&] {
    const StreamNow& s = run.stream();
    if (s.ended && s.times && s.index >= 0 && s.index != seen) {
      seen = s.index;
      waiting = s.times->end;
    }
  });
  QObject::connect(&chart, &QCustomPlot::afterReplot, &window, [&] {
    if (waiting == 0) return;
    ages.push_back(double(mono_now() - waiting) * 1e-6);
    waiting = 0;
  });
  QObject::connect(&run, &RunController::finished, &window, [&] { over = true; });
  window.start_demonstration();
  if (!QTest::qWaitFor([&] { return over; }, 300'000)) return;
  std::printf("{\"bench\":\"dots\",\"requests\":%zu,\"age_p50_ms\":%.1f,\"age_p99_ms\":%.1f,\"age_worst_ms\":%.1f,\"queue_worst_ms\":%.1f}\n", ages.size(),
              percentile(ages, 0.5), percentile(ages, 0.99), percentile(ages, 1.0), double(run.worst_age_ns()) * 1e-6);
  std::fflush(stdout);
}

int launched(qint64 started_ns) {
  MainWindow window(QStringLiteral(KVCLIFF_SOURCE_DIR "/resources"));
  window.show();
  (void)QTest::qWaitForWindowExposed(&window, 5000);
  window.repaint();
  const double frame = double(mono_now() - started_ns) * 1e-6, frame_cpu = cpu_seconds() * 1e3;
  window.show_page(PredictIndex);
  auto* cliff = window.findChild<CliffChart*>(QStringLiteral("cliffChart"));
  if (!cliff || !QTest::qWaitFor([&] { return !cliff->shape().points.empty(); }, 10'000)) return 1;
  cliff->replot(QCustomPlot::rpImmediateRefresh);
  std::printf("%.1f %.1f %.1f %.1f\n", frame, double(mono_now() - started_ns) * 1e-6, frame_cpu, cpu_seconds() * 1e3);
  return 0;
}

void launches(const QString& program) {
  std::vector<double> frames, cliffs, frame_cpu, cliff_cpu;
  for (int k = 0; k < 9; ++k) {
    QProcess p;
    p.start(program, {QStringLiteral("launched"), QString::number(mono_now())});
    if (!p.waitForFinished(30'000)) continue;
    const QList<QByteArray> words = p.readAllStandardOutput().trimmed().split(' ');
    if (words.size() != 4) continue;
    frames.push_back(words[0].toDouble());
    cliffs.push_back(words[1].toDouble());
    frame_cpu.push_back(words[2].toDouble());
    cliff_cpu.push_back(words[3].toDouble());
  }
  std::printf("{\"bench\":\"launch\",\"runs\":%zu,\"first_frame_p50_ms\":%.0f,\"first_frame_worst_ms\":%.0f,\"first_cliff_p50_ms\":%.0f,\"first_cliff_worst_ms\":%.0f,\"first_frame_cpu_ms\":%.0f,\"first_cliff_cpu_ms\":%.0f}\n",
              frames.size(), percentile(frames, 0.5), percentile(frames, 1.0), percentile(cliffs, 0.5), percentile(cliffs, 1.0), percentile(frame_cpu, 0.5), percentile(cliff_cpu, 0.5));
  std::fflush(stdout);
}

}  // namespace kvcliff::ui::bench
