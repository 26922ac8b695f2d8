// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/sweep.h"

#include <algorithm>
#include <set>

namespace kvcliff::analysis {

std::vector<SweepPoint> sweep_points(const reconcile::ExperimentInput& input) {
  std::vector<SweepPoint> out;
  for (const auto& s : input.sessions) {
    const auto& w = s.plan.workload;
    const std::int64_t block = s.plan.capacity.block_size;
    if (s.record.conditioning || w.kind != workload::Spec::Kind::documents || block <= 0) continue;
    SweepPoint p;
    p.session = s.record.ordinal;
    p.offload = s.offload;
    p.documents = w.documents;
    const std::int64_t shared = w.shared_prefix_tokens / block;
    p.blocks = shared + w.documents * (w.tokens / block - shared);
    p.low = 1;
    double prompt = 0, gpu = 0, host = 0;
    for (const auto& r : s.requests) {
      if (r.plan.warmup || r.plan.round < 2) continue;
      const auto& t = r.sources;
      if (!t.gpu_hit.value || !t.host_loaded.value || r.plan.prompt_tokens <= 0) continue;
      const double n = static_cast<double>(r.plan.prompt_tokens), g = static_cast<double>(t.gpu_hit.value->v),
                   h = static_cast<double>(t.host_loaded.value->v);
      prompt += n;
      gpu += g;
      host += h;
      p.low = std::min(p.low, (g + h) / n);
      p.high = std::max(p.high, (g + h) / n);
      ++p.requests;
    }
    if (p.requests == 0) continue;
    p.gpu = gpu / prompt;
    p.host = host / prompt;
    p.computed = 1 - p.gpu - p.host;
    out.push_back(p);
  }
  return out;
}

bool is_sweep(const std::vector<SweepPoint>& points) {
  std::set<std::int64_t> sizes;
  for (const auto& p : points) sizes.insert(p.blocks);
  return sizes.size() >= 3;
}

}  // namespace kvcliff::analysis
