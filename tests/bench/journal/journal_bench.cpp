// SPDX-License-Identifier: GPL-3.0-or-later
// The journal's speed: does it keep up with 2,000 requests and 50,000 events a second, and does a journal of many
// requests open quickly? Usage: bench_journal [seconds] [requests of the large journal]
#include <fmt/format.h>
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "../../unit/journal/sample.h"
#include "journal/database.h"
#include "journal/reader.h"
#include "journal/writer.h"
#include "support/data.h"

namespace {
using namespace kvcliff;
using namespace std::chrono_literals;

double cpu_seconds() {
  rusage u{};
  getrusage(RUSAGE_SELF, &u);
  return static_cast<double>(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + static_cast<double>(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}
double thread_cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
}

// Arrivals at a fixed rate, as the client's thread would put them.
int paced(double seconds) {
  test::TempDir dir;
  auto w = std::move(*journal::Writer::open(dir / "j.db"));
  const auto e = w->put(test::sample_experiment("aa"));
  const auto s = w->put(e, test::sample_session(0));
  std::vector<double> cost_us;
  std::size_t most_waiting = 0;
  const auto start = std::chrono::steady_clock::now();
  const double cpu = cpu_seconds();
  const int n = static_cast<int>(seconds * 2000);
  double put_cpu = 0;
  for (int i = 0; i < n; ++i) {
    std::this_thread::sleep_until(start + i * 500us);
    RequestRecord r = test::sample_request(s, i, 25);
    const double a = thread_cpu_seconds();
    w->put(std::move(r));
    const double d = thread_cpu_seconds() - a;
    put_cpu += d;
    cost_us.push_back(d * 1e6);
    most_waiting = std::max(most_waiting, w->status().waiting);
  }
  const double sent = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!w->flush()) return 1;
  const double all = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::sort(cost_us.begin(), cost_us.end());
  fmt::print("paced: {} requests, {} events in {:.2f} s ({:.0f} requests/s, {:.0f} events/s); after the last one {:.3f} s until all "
             "was in the file; at most {} waiting; caller {:.1f} us median, {:.1f} us p99 each ({:.1f} % of a core), all threads {:.2f} CPU s\n",
             n, n * 25, sent, n / sent, n * 25 / sent, all - sent, most_waiting, cost_us[cost_us.size() / 2],
             cost_us[cost_us.size() * 99 / 100], 100 * put_cpu / sent, cpu_seconds() - cpu);
  return 0;
}

int burst() {
  test::TempDir dir;
  auto w = std::move(*journal::Writer::open(dir / "j.db"));
  const auto start = std::chrono::steady_clock::now();
  constexpr int n = 20'000;
  for (int i = 0; i < n; ++i) w->put(test::sample_request(1, i, 25));
  if (!w->flush()) return 1;
  const double s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  fmt::print("burst: {} requests with 25 events in {:.2f} s: {:.0f} requests/s, {:.0f} events/s\n", n, s, n / s, n * 25 / s);
  return 0;
}

int large(std::int64_t n) {
  test::TempDir dir;
  const std::string path = dir / "j.db";
  std::int64_t experiment = 0, session = 0;
  {
    auto w = std::move(*journal::Writer::open(path));
    experiment = w->put(test::sample_experiment("aa"));
    session = w->put(experiment, test::sample_session(0));
    w->put(test::sample_request(session, 0));
    if (!w->flush()) return 1;
  }
  {
    auto db = std::move(*journal::Database::open(path, journal::Database::Mode::read_write));
    const auto r = db.run(fmt::format(
        "INSERT INTO requests SELECT session_id, k.value, document, round, 0, outcome, prompt_tokens, computed, gpu_hit, host_loaded, unknown, "
        "loaded_bytes, stored_bytes, cached_tokens, output_tokens, ttft_ns + k.value, total_ns, predicted_computed, predicted_gpu_hit, "
        "predicted_host_loaded, sent_ns + k.value, sent_utc_ns, settled FROM requests, (WITH RECURSIVE k(value) AS (SELECT 1 UNION ALL SELECT value + 1 "
        "FROM k WHERE value < {}) SELECT value FROM k) k WHERE ordinal = 0", n - 1));
    if (!r) return 1;
  }
  const auto start = std::chrono::steady_clock::now();
  const auto lap = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  auto reader = std::move(*journal::Reader::open(path));
  const auto list = reader.experiments();
  const auto sessions = reader.sessions(experiment);
  const auto count = reader.request_count(session);
  const double listed = lap();
  const auto page = reader.chart_rows(session, n - 1000, 1000);
  const double newest = lap();
  const auto rows = reader.chart_rows(session);
  rusage u{};
  getrusage(RUSAGE_SELF, &u);
  fmt::print("large: {} requests, {} MiB; listed in {:.3f} s, newest 1,000 rows at {:.3f} s, all {} chart rows at {:.3f} s; {} MiB resident at most\n",
             count->measured, std::filesystem::file_size(path) >> 20, listed, newest, rows->size(), lap(), u.ru_maxrss / 1024);
  return list && sessions && page ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 5;
  const std::int64_t n = argc > 2 ? std::atoll(argv[2]) : 1'000'000;
  return paced(seconds) | burst() | large(n);
}
