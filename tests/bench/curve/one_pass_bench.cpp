// SPDX-License-Identifier: GPL-3.0-or-later
// The whole curve, all GPU and host capacities at once: Mooncake conversation, and 1 M references over 1 M blocks.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <unordered_map>

#include "base/hash.h"
#include "base/json.h"
#include "cache/capacity_curve.h"
#include "support/data.h"

namespace {

using namespace kvcliff;
using namespace kvcliff::cache;

double cpu_ms() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) * 1e-6;
}

ReferenceStream mooncake() {
  const std::string text = test::read("traces/mooncake_conversation_trace.jsonl.zst");
  ReferenceStream s;
  s.block_size = 512;
  std::unordered_map<std::int64_t, std::uint32_t> number;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const Json line = Json::parse(text.substr(begin, end - begin));
    begin = end + 1;
    StreamRequest r;
    r.first = s.ids.size();
    r.prompt_tokens = line.at("input_length");
    r.count = static_cast<std::uint32_t>(r.prompt_tokens / 512);
    for (std::uint32_t i = 0; i < r.count; ++i) {
      const auto [it, added] = number.try_emplace(line.at("hash_ids")[i].get<std::int64_t>(), s.distinct);
      if (added) ++s.distinct;
      s.ids.push_back(it->second);
    }
    s.requests.push_back(r);
  }
  return s;
}

// One block a request, so that no run of neighbours helps.
ReferenceStream scattered(std::uint32_t references, std::uint32_t distinct) {
  ReferenceStream s;
  Rng rng(1);
  s.distinct = distinct;
  for (std::uint32_t i = 0; i < references; ++i) {
    s.requests.push_back({s.ids.size(), 1, 17, 1});
    s.ids.push_back(static_cast<std::uint32_t>(rng.below(distinct)));
  }
  return s;
}

void measure(const char* name, const ReferenceStream& s) {
  double best = 1e9;
  std::int64_t keep = 0;
  for (int i = 0; i < 7; ++i) {
    const double start = cpu_ms();
    const CapacityCurve curve(s, FreeOrder::prepend);
    best = std::min(best, cpu_ms() - start);
    keep += curve.at(5'000, 20'000).host_loaded;
  }
  std::printf("%-44s %9zu references  %8.2f ms CPU  %7.1f M references/s  (check %lld)\n", name, s.ids.size(), best,
              static_cast<double>(s.ids.size()) / best / 1e3, static_cast<long long>(keep / 7));
}

}  // namespace

int main() {
  measure("Mooncake conversation, both tiers", mooncake());
  measure("1 M references over 1 M blocks, scattered", scattered(1'000'000, 1'000'000));
}
