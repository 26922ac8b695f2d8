// SPDX-License-Identifier: GPL-3.0-or-later
// Any workload: at exact points the curve equals the step simulator, tokens are conserved, and the one-pass curve never
// falls with capacity.
#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "cache/point_curve.h"
#include "cache/simulator.h"
#include "cache/trace_stream.h"

using namespace kvcliff;
using namespace kvcliff::cache;

namespace {
void require(bool holds) {
  if (!holds) std::abort();
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto next = [&]() -> std::uint8_t { return size == 0 ? 0 : (--size, *data++); };
  Config c;
  const std::uint8_t bits = next();
  c.free_order = static_cast<FreeOrder>(bits % 3);
  c.host_touch = bits & 4 ? HostTouch::finish : HostTouch::lookup;
  const bool output = bits & 8;
  const std::int64_t block = 1 + next() % 8, more_gpu = next() % 64, host = next() % 96;
  std::vector<Request> requests;
  while (size > 0 && requests.size() < 64) {
    const std::uint8_t which = next(), length = next();
    Request r;
    r.prompt_tokens = 1 + length % 96;
    r.output_tokens = 1 + which % 5;
    for (std::int64_t b = 0; b < r.prompt_tokens / block; ++b)
      r.keys.push_back(b < which % 4 ? static_cast<std::uint64_t>(b) + 1 : 1000u + which % 16u * 200u + static_cast<std::uint64_t>(b));
    requests.push_back(std::move(r));
  }
  if (requests.empty()) return 0;
  const PointCurve curve(make_stream(requests, block), c, output);
  const std::int64_t gpu = curve.largest_request() + more_gpu;
  if (gpu == 0) return 0;
  const RulePoint p = curve.at(gpu, host);
  require(p.exact);
  Config s = curve.rules();
  s.gpu_blocks = gpu;
  s.host_chunks = host;
  Simulator simulator(s);
  std::int64_t hit = 0, loaded = 0, computed = 0, prompt = 0;
  for (const Request& r : requests_of(curve.stream(), output)) {
    const Outcome o = simulator.run_fitting(r);
    hit += o.gpu_hit, loaded += o.host_loaded, computed += o.computed, prompt += r.prompt_tokens;
  }
  require(p.gpu_hit == hit && p.host_loaded.min == loaded && p.computed.min == computed);
  require(hit + loaded + computed >= prompt && hit + loaded + computed <= prompt + static_cast<std::int64_t>(requests.size()));
  const CurvePoint smaller = curve.one_pass().at(gpu, host), larger = curve.one_pass().at(gpu + 1, host + 1);
  require(larger.gpu_hit >= smaller.gpu_hit);
  return 0;
}
