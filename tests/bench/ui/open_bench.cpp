// SPDX-License-Identifier: GPL-3.0-or-later
// A large journal: from the click to the first chart, and scrolling through it.
#include <fmt/format.h>

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include "journal/database.h"
#include "support/written_run.h"
#include "ui/bench.h"
#include "ui/charts/request_chart.h"
#include "ui/main_window.h"
#include "ui/pages/run_page.h"

namespace kvcliff::ui::bench {
namespace {

// The reference run with the requests of its first four sessions multiplied inside the file.
bool make(const std::string& path, std::int64_t requests) {
  kvcliff::test::write_run(path, kvcliff::test::HonestRun().in, "0011223344556677", 1'790'000'000'000'000'000);
  auto db = journal::Database::open(path, journal::Database::Mode::read_write);
  if (!db) return false;
  for (int session = 1; session <= 4; ++session) {
    const auto done = db->run(fmt::format(
        "INSERT INTO requests SELECT session_id, ordinal + k.value, document, round, 0, outcome, prompt_tokens, computed, gpu_hit, host_loaded, unknown, "
        "loaded_bytes, stored_bytes, cached_tokens, output_tokens, ttft_ns + (k.value * 7919) % 1000000, total_ns, predicted_computed, predicted_gpu_hit, "
        "predicted_host_loaded, sent_ns + k.value, sent_utc_ns, settled FROM requests, (WITH RECURSIVE k(value) AS (SELECT 1 UNION ALL SELECT value + 1 "
        "FROM k WHERE value < {0}) SELECT value FROM k) k WHERE session_id = {1} AND ordinal = (SELECT max(ordinal) FROM requests WHERE session_id = {1})",
        requests / 4 - 18, session));
    if (!done) {
      std::fprintf(stderr, "%s\n", done.error().sentence().c_str());
      return false;
    }
  }
  return true;
}

}  // namespace

void open_large(qint64 requests) {
  QTemporaryDir folder;
  const QString path = folder.filePath(QStringLiteral("large.kvcliff"));
  if (!make(path.toStdString(), requests)) return;
  MainWindow window(QStringLiteral(KVCLIFF_SOURCE_DIR "/resources"));
  window.resize(1280, 800);
  window.show();
  (void)QTest::qWaitForWindowExposed(&window, 5000);
  QTest::qWait(1500);  // Predict has drawn its curve
  auto* page = static_cast<RunPage*>(window.page(RunIndex));
  std::vector<double> late;
  QTimer loop;
  loop.setTimerType(Qt::PreciseTimer);
  QElapsedTimer gap, clock;
  gap.start();
  QObject::connect(&loop, &QTimer::timeout, &window, [&] {
    late.push_back(double(gap.nsecsElapsed()) * 1e-6 - 1);
    gap.start();
  });
  loop.start(1);
  const double cpu = cpu_seconds();
  clock.start();
  window.open_path(path);
  window.show_page_when_ready(RunIndex);
  if (!QTest::qWaitFor([&] { return page->chart().data() && page->chart().replots() > 0; }, 60'000)) {
    std::printf("{\"bench\":\"open\",\"requests\":%lld,\"error\":\"no chart within a minute\"}\n", static_cast<long long>(requests));
    return;
  }
  const double first = double(clock.nsecsElapsed()) * 1e-6, first_cpu = cpu_seconds() - cpu;
  QTest::qWait(3000);  // what follows the first chart: list, log, verdict
  const double opened_late = percentile(late, 0.99), opened_worst = percentile(late, 1.0);
  std::vector<double> frames;
  const double n = double(page->chart().data()->requests.size());
  for (int k = 0; k < 200; ++k) {
    const double width = k < 100 ? 2000 : 60, from = (n - width) * k / 200;
    QElapsedTimer frame;
    page->chart().show_requests(from, from + width);
    frame.start();
    page->chart().replot(QCustomPlot::rpImmediateRefresh);
    frames.push_back(double(frame.nsecsElapsed()) * 1e-6);
  }
  std::printf("{\"bench\":\"open\",\"requests\":%lld,\"first_chart_ms\":%.0f,\"first_chart_cpu_ms\":%.0f,\"loop_late_p99_ms\":%.1f,\"loop_late_worst_ms\":%.1f,"
              "\"scroll_p50_ms\":%.2f,\"scroll_p99_ms\":%.2f,\"resident_mib\":%.0f}\n",
              static_cast<long long>(n), first, first_cpu * 1000, opened_late, opened_worst, percentile(frames, 0.5), percentile(frames, 0.99), resident_mib());
  std::fflush(stdout);
}

}  // namespace kvcliff::ui::bench
