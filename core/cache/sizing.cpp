// SPDX-License-Identifier: GPL-3.0-or-later
#include "cache/sizing.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cache/working_set.h"

namespace kvcliff::cache {

Result<HostSizing> size_host_tier(const workload::Spec& spec, const Config& config, std::span<const double> shares) {
  if (spec.kind != workload::Spec::Kind::documents || spec.documents < 1)
    return fail(ErrorCode::bad_usage, "The host tier was not sized", "workload", "only a workload of documents has one working set",
                "use predict or curve for a trace");
  if (spec.documents > most_sized_documents)
    return fail(ErrorCode::bad_usage, "The host tier was not sized", "workload",
                fmt::format("{} documents, more than {}", spec.documents, most_sized_documents), "use curve for large workloads");
  auto set = WorkingSet::prepare(spec, config.block_size, config.free_order, static_cast<int>(spec.documents), true);
  if (!set) return fail(set.error());
  const auto sizes = set->sizes();
  if (sizes.empty())
    return fail(ErrorCode::bad_usage, "The host tier was not sized", "workload", "a document is shorter than one block", "use longer documents");
  const std::size_t last = sizes.size() - 1;

  const std::int64_t per_chunk = std::max<std::int64_t>(1, config.blocks_per_chunk);
  std::map<std::int64_t, WorkingSetPoint> seen;
  const auto at = [&](std::int64_t chunks) -> const WorkingSetPoint& {
    const auto found = seen.find(chunks);
    if (found != seen.end()) return found->second;
    Config c = config;
    c.host_chunks = chunks;
    return seen.emplace(chunks, set->simulate_at(c, last)).first->second;
  };
  const auto share = [&](std::int64_t chunks) { return at(chunks).gpu + at(chunks).host; };

  HostSizing out;
  out.working_set = sizes[last];
  // Twice the working set holds it whatever the rule of recency does to the order of its blocks.
  const std::int64_t most = (2 * out.working_set + per_chunk - 1) / per_chunk + 1;
  out.reachable = at(most).reachable;
  if (config.host_chunks > 0) out.present = share(config.host_chunks);
  for (const double asked : shares) {
    HostSize s;
    s.asked = asked;
    const double goal = std::min(asked, out.reachable) - 1e-9;
    std::int64_t low = 0, high = most;  // share(high) reaches the goal, share(low - 1) does not
    if (share(0) >= goal) {
      s.chunks = 0;
    } else if (share(most) >= goal) {
      while (high - low > 1) {
        const std::int64_t middle = low + (high - low) / 2;
        (share(middle) >= goal ? high : low) = middle;
      }
      s.chunks = high;
    }
    s.share = share(s.chunks.value_or(most));
    out.sizes.push_back(s);
  }
  return out;
}

}  // namespace kvcliff::cache
