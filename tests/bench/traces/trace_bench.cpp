// SPDX-License-Identifier: GPL-3.0-or-later
// Loading traces: megabytes of text per second, by the clock and by CPU time (long files are read by several
// threads), best of 9.
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "cache/trace_stream.h"
#include "support/data.h"
#include "workload/trace.h"

namespace {
using namespace kvcliff;

double cpu_ms() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) * 1e-6;
}

void measure(const char* name, const std::string& text, int threads = 0) {
  double best = 1e9, wall = 1e9;
  std::size_t ids = 0;
  for (int i = 0; i < 9; ++i) {
    const double start = cpu_ms();
    const auto began = std::chrono::steady_clock::now();
    const auto t = workload::parse_trace(text, name, {.threads = threads});
    wall = std::min(wall, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count());
    best = std::min(best, cpu_ms() - start);
    if (!t) {
      std::printf("%s: %s\n", name, t.error().sentence().c_str());
      return;
    }
    ids = t->ids.size();
  }
  std::printf("%-34s %8.2f MB %9zu ids  %8.2f ms %7.0f MB/s  %8.2f ms CPU %7.0f MB/s\n", name, static_cast<double>(text.size()) / 1e6, ids, wall,
              static_cast<double>(text.size()) / wall / 1e3, best, static_cast<double>(text.size()) / best / 1e3);
}
}  // namespace

int main() {
  const std::string conversation = test::read("traces/mooncake_conversation_trace.jsonl.zst");
  measure("Mooncake conversation", conversation);
  measure("Mooncake synthetic", test::read("traces/mooncake_synthetic_trace.jsonl.zst"));
  std::string long_run;  // the same hour twenty times: nearly all blocks known
  for (int i = 0; i < 20; ++i) long_run += conversation;
  measure("Mooncake conversation x 20", long_run);
  measure("Mooncake conv. x 20, one thread", long_run, 1);
  measure("Azure conversation (CSV)", test::read("traces/AzureLLMInferenceTrace_conv.csv.zst"));
}
