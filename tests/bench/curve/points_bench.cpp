// SPDX-License-Identifier: GPL-3.0-or-later
// Simulated curves (host recency at the finish), live dragging, sampling of long streams. Wall and CPU time, best of 5.
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <thread>

#include "base/hash.h"
#include "cache/point_curve.h"
#include "cache/sampled_curve.h"
#include "cache/trace_stream.h"
#include "support/data.h"

namespace {
using namespace kvcliff;
using namespace kvcliff::cache;

double cpu_ms() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) * 1e-6;
}

template <class Work>
void measure(const char* name, double limit_ms, Work work) {
  double wall = 1e18, cpu = 1e18;
  for (int i = 0; i < 5; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const double c = cpu_ms();
    work();
    cpu = std::min(cpu, cpu_ms() - c);
    wall = std::min(wall, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  std::printf("%-58s %9.2f ms wall %9.2f ms CPU (limit %.0f ms)\n", name, wall, cpu, limit_ms);
}

ReferenceStream visits(std::int64_t documents, std::int64_t count) {
  ReferenceStream s;
  s.distinct = static_cast<std::uint32_t>(documents * 125);
  for (std::int64_t v = 0; v < count; ++v) {
    s.requests.push_back({s.ids.size(), 125, 2003, 16});
    for (std::int64_t b = 0; b < 125; ++b) s.ids.push_back(static_cast<std::uint32_t>(v % documents * 125 + b));
  }
  return s;
}

void sample(std::int64_t references) {
  // Zipf-like reuse over 20 M prompt blocks in documents of 50: made on the fly, so that memory is the sampler's own.
  SampledCurve curve(1, 1 << 17);
  Rng rng(1);
  std::vector<std::uint64_t> keys(50);
  const auto start = std::chrono::steady_clock::now();
  for (std::int64_t done = 0; done < references; done += 50) {
    const auto d = static_cast<std::uint64_t>(std::pow(400'000.0, rng.unit()));
    for (std::uint64_t b = 0; b < 50; ++b) keys[b] = d * 50 + b;
    curve.request(keys, 50);
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  rusage u{};
  getrusage(RUSAGE_SELF, &u);
  std::printf("Sampled: %lld M references in %.1f s (%.1f M/s), rate %.4f, %zu blocks followed, process peak %ld MiB\n",
              static_cast<long long>(references / 1'000'000), seconds, static_cast<double>(references) / seconds / 1e6, curve.rate(), curve.followed(), u.ru_maxrss / 1024);
  for (const std::int64_t c : {10'000, 100'000, 1'000'000, 10'000'000}) {
    const auto e = curve.ratio_at(c);
    // log-uniform documents: P(d <= x) = ln x / ln 400,000
    std::printf("  %10lld blocks: hit ratio %.4f +- %.4f\n", static_cast<long long>(c), e.hits, e.error);
  }
}
}  // namespace

int main() {
  const int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  sample(100'000'000);
  std::int64_t keep = 0;
  Config finish;
  {
    const PointCurve curve(visits(6, 78), finish);
    std::vector<PointCurve::Pair> pairs;
    for (std::int64_t c = 1; c <= 64; ++c) pairs.emplace_back(384, c * 20);
    measure("finish: 78 visits x 64 capacities", 16, [&] { keep += curve.at(pairs, threads).back().gpu_hit; });
    measure("finish: 78 visits x 64 capacities, one thread", 16, [&] { keep += curve.at(pairs, 1).back().gpu_hit; });
  }
  {
    const auto trace = workload::read_trace(test::data("traces/mooncake_conversation_trace.jsonl.zst").string());
    const PointCurve curve(*stream_of(*trace), finish);
    std::vector<PointCurve::Pair> pairs;
    for (std::int64_t c = 1; c <= 32; ++c) pairs.emplace_back(1'000, c * 3'000);
    measure("finish: Mooncake conversation x 32 capacities", 3000, [&] { keep += curve.at(pairs, threads).back().gpu_hit; });
  }
  const auto dragged = visits(40, 10'000);
  measure("one pass: 10,000 visits (dragging)", 16, [&] { keep += CapacityCurve(dragged, FreeOrder::prepend).at(384, 1250).gpu_hit; });
  std::printf("(check %lld)\n", static_cast<long long>(keep));
}
