// SPDX-License-Identifier: GPL-3.0-or-later
// Block references per second of the step simulator; the aim is at least 5 million.
#include <algorithm>
#include <cstdio>
#include <ctime>

#include "base/hash.h"
#include "cache/simulator.h"

namespace {
using namespace kvcliff;
using namespace kvcliff::cache;

std::vector<Request> visits(int documents, std::int64_t tokens, int rounds, bool random) {
  std::vector<Request> docs, out;
  for (int d = 0; d < documents; ++d) {
    Request r{tokens, 16, {}};
    std::uint64_t parent = static_cast<std::uint64_t>(d) + 1;
    for (std::int64_t b = 0; b < tokens / 16; ++b) r.keys.push_back(parent = hash64(&parent, sizeof parent));
    docs.push_back(std::move(r));
  }
  Rng rng(1);
  for (int i = 0; i < rounds * documents; ++i) out.push_back(docs[random ? rng.below(static_cast<std::uint64_t>(documents)) : static_cast<std::uint64_t>(i % documents)]);
  return out;
}

// Best of five, CPU time of this process.
void run(const char* name, HostTouch touch, Policy policy, bool random) {
  Config c;
  c.gpu_blocks = 20'000;
  c.host_chunks = 60'000;
  c.host_touch = touch;
  c.policy = policy;
  const auto requests = visits(600, 2003, 10, random);  // 75,000 distinct blocks, 750,000 references
  double best = 0;
  std::int64_t computed = 0;
  for (int k = 0; k < 5; ++k) {
    const std::clock_t start = std::clock();
    Simulator s(c);
    std::int64_t references = 0;
    for (const auto& r : requests) {
      computed += s.run_fitting(r).computed;
      references += static_cast<std::int64_t>(r.keys.size());
    }
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    best = std::max(best, static_cast<double>(references) / seconds);
  }
  std::printf("%-20s %6.1f million block references per CPU second (%lld tokens computed)\n", name, best / 1e6, static_cast<long long>(computed));
}
}  // namespace

int main() {
  run("finish, cyclic", HostTouch::finish, Policy::lru, false);
  run("finish, random", HostTouch::finish, Policy::lru, true);
  run("look-up, random", HostTouch::lookup, Policy::lru, true);
  run("unordered, random", HostTouch::unordered, Policy::lru, true);
  run("ARC, random", HostTouch::finish, Policy::arc, true);
}
