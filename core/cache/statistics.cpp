// SPDX-License-Identifier: GPL-3.0-or-later
#include "cache/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <queue>
#include <thread>
#include <unordered_map>

#include "base/text.h"
#include "cache/simulator.h"

namespace kvcliff::cache {
namespace {

constexpr std::uint32_t none = ~std::uint32_t{0};

std::int64_t share(std::vector<std::uint32_t>& distances, double part) {
  if (distances.empty()) return 0;
  const auto n = static_cast<std::size_t>(part * static_cast<double>(distances.size()) + 0.999999);
  const auto at = distances.begin() + static_cast<std::ptrdiff_t>(std::clamp<std::size_t>(n, 1, distances.size()) - 1);
  std::nth_element(distances.begin(), at, distances.end());
  return *at;
}

// Blocks behind which at least two prompts go on differently, and all blocks before such a place.
std::vector<char> trunks(const ReferenceStream& s) {
  std::vector<std::uint32_t> parent(s.distinct, none), child(s.distinct, none);
  std::vector<char> trunk(s.distinct, 0);
  const auto mark = [&](std::uint32_t id) {
    for (; id != none && !trunk[id]; id = parent[id]) trunk[id] = 1;
  };
  for (const StreamRequest& r : s.requests) {
    const auto ids = s.blocks(r);
    for (std::size_t i = 1; i < ids.size(); ++i) {
      parent[ids[i]] = ids[i - 1];
      std::uint32_t& c = child[ids[i - 1]];
      if (c == none) c = ids[i];
      else if (c != ids[i]) mark(ids[i - 1]);
    }
  }
  return trunk;
}

}  // namespace

Statistics statistics(const ReferenceStream& s, std::span<const std::int64_t> conversation_of, std::size_t documents_kept) {
  Statistics out;
  out.requests = static_cast<std::int64_t>(s.requests.size());
  out.references = static_cast<std::int64_t>(s.ids.size());
  out.distinct = s.distinct;
  const bool named = !conversation_of.empty();
  const std::vector<char> trunk = named ? std::vector<char>{} : trunks(s);
  std::vector<std::int64_t> last_conversation(named ? s.distinct : 0, -1);
  std::vector<char> reused(s.distinct, 0);
  std::vector<std::uint32_t> of[2];   // distances: template, conversation
  std::vector<std::int64_t> bins(34, 0);
  std::unordered_map<std::uint32_t, DocumentReuse> documents;
  StackDistances stack(FreeOrder::none, s.distinct);
  std::vector<std::uint32_t> host, gpu;
  for (std::size_t i = 0; i < s.requests.size(); ++i) {
    const StreamRequest& r = s.requests[i];
    const auto ids = s.blocks(r);
    out.prompt_tokens += r.prompt_tokens;
    host.resize(r.count);
    gpu.resize(r.count);
    stack.request(ids, false, host, gpu);
    const auto cap = static_cast<std::size_t>((r.prompt_tokens - 1) / s.block_size);
    DocumentReuse* doc = nullptr;
    if (r.count > 0) {
      doc = &documents[ids[0]];
      doc->first_block = ids[0];
      ++doc->requests;
      doc->references += r.count;
    }
    for (std::size_t b = 0; b < ids.size(); ++b) {
      const bool same = named && conversation_of[i] >= 0 && last_conversation[ids[b]] == conversation_of[i];
      if (host[b] == StackDistances::never) {
        ++doc->distinct;
      } else {
        reused[ids[b]] = 1;
        ++doc->revisits;
        out.ceiling += s.block_size;
        if (b < cap) out.ceiling_gpu += s.block_size;
        out.working_set = std::max<std::int64_t>(out.working_set, host[b]);
        ++bins[static_cast<std::size_t>(std::bit_width(host[b]) - 1)];
        of[named ? same : !trunk[ids[b]]].push_back(host[b]);
      }
      if (named) last_conversation[ids[b]] = conversation_of[i];
    }
  }
  for (const char r : reused) out.reused_distinct += r;
  for (std::size_t k = 0; k < bins.size(); ++k)
    if (bins[k] > 0) out.distances.push_back({std::int64_t{1} << k, (std::int64_t{2} << k) - 1, bins[k]});
  const char* names[2] = {"shared template", "same conversation"};
  for (int k = 0; k < 2; ++k)
    out.origins.push_back({names[k], static_cast<std::int64_t>(of[k].size()), share(of[k], 0.5), share(of[k], 0.9), share(of[k], 1)});
  out.origin_rule = named ? "same conversation: the request that used the block last was of the same conversation in the file"
                          : "shared template: prompts go on differently behind the block; same conversation: every later prompt with it goes on alike";
  out.document_count = documents.size();
  for (const auto& [id, d] : documents) out.documents.push_back(d);
  std::sort(out.documents.begin(), out.documents.end(),
            [](const auto& a, const auto& b) { return a.revisits != b.revisits ? a.revisits > b.revisits : a.first_block < b.first_block; });
  if (out.documents.size() > documents_kept) out.documents.resize(documents_kept);
  return out;
}

std::vector<std::int64_t> optimal_hits(const ReferenceStream& s, std::span<const std::int64_t> capacities, int threads) {
  // When each reference's block is used next; blocks of one request count as used last to first.
  const std::size_t n = s.ids.size();
  std::vector<std::uint32_t> next(n, none), seen(s.distinct, none), order(n);
  std::size_t t = n;
  for (std::size_t i = s.requests.size(); i-- > 0;) {
    const StreamRequest& r = s.requests[i];
    for (std::size_t b = 0; b < r.count; ++b) {
      order[--t] = static_cast<std::uint32_t>(r.first + b);
      const std::uint32_t id = s.ids[r.first + b];
      next[t] = seen[id];
      seen[id] = static_cast<std::uint32_t>(t);
    }
  }
  std::vector<char> counts(n, 0);  // by position in `order`
  {
    std::vector<char> by_reference(n, 0);
    for (const StreamRequest& r : s.requests)
      for (std::size_t b = 0; b < r.count; ++b) by_reference[r.first + b] = static_cast<std::int64_t>(b) < (r.prompt_tokens - 1) / s.block_size;
    for (std::size_t k = 0; k < n; ++k) counts[k] = by_reference[order[k]];
  }
  std::vector<std::int64_t> out(capacities.size(), 0);
  std::atomic<std::size_t> job{0};
  const auto work = [&] {
    std::vector<char> inside(s.distinct);
    for (std::size_t c = job++; c < capacities.size(); c = job++) {
      if (capacities[c] <= 0) continue;
      std::fill(inside.begin(), inside.end(), 0);
      std::priority_queue<std::pair<std::uint32_t, std::uint32_t>> farthest;  // next use, id; old entries are passed over
      std::vector<std::uint32_t> due(s.distinct, none);
      std::int64_t held = 0, hits = 0;
      for (std::size_t k = 0; k < n; ++k) {
        const std::uint32_t id = s.ids[order[k]];
        if (inside[id]) {
          hits += counts[k];
          if (next[k] == none) inside[id] = 0, --held;  // never again: its place is free
        } else if (next[k] != none) {
          while (held >= capacities[c]) {
            const auto [when, victim] = farthest.top();
            if (inside[victim] && due[victim] == when) {
              if (when <= next[k]) break;  // all that is held is wanted sooner: this one stays out
              inside[victim] = 0;
              --held;
            }
            farthest.pop();
          }
          if (held < capacities[c]) inside[id] = 1, ++held;
        }
        if (inside[id]) {
          due[id] = next[k];
          farthest.emplace(next[k], id);
        }
      }
      out[c] = hits * s.block_size;
    }
  };
  std::vector<std::jthread> pool;
  for (int k = 1; k < threads && k < static_cast<int>(capacities.size()); ++k) pool.emplace_back(work);
  work();
  pool.clear();
  return out;
}

std::optional<CapacityCliff> find_cliff(const std::function<std::int64_t(std::int64_t)>& hits, std::int64_t last) {
  CapacityCliff c;
  c.reachable = hits(last);
  if (c.reachable <= 0) return std::nullopt;
  const auto first_with = [&](std::int64_t wanted) {
    std::int64_t low = 0, high = last;  // hits(high) >= wanted
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (hits(middle) >= wanted) high = middle;
      else low = middle + 1;
    }
    return low;
  };
  const auto part = [&](std::int64_t percent) { return (c.reachable * percent + 99) / 100; };
  c.none_up_to = std::max<std::int64_t>(0, first_with(1) - 1);
  c.tenth = first_with(part(10));
  c.half = first_with(part(50));
  c.most = first_with(part(90));
  c.all_from = first_with(c.reachable);
  return c;
}

std::string CapacityCliff::verdict() const {
  if (sharp())
    return fmt::format("A cliff: up to {} blocks nothing is hit, from {} blocks all that can be hit is; half is gone below {} blocks",
                       grouped(none_up_to), grouped(all_from), grouped(half));
  return fmt::format("A slope, no cliff: {} blocks give a tenth of the reachable hits, {} half, {} nine tenths, {} all", grouped(tenth),
                     grouped(half), grouped(most), grouped(all_from));
}

ReverseProbe reverse_probe(std::int64_t documents, std::int64_t document_blocks, std::int64_t prompt_tokens, const Config& config) {
  Config c = config;
  Simulator simulator(c);
  const auto visit = [&](std::int64_t d) {
    Request r;
    r.prompt_tokens = prompt_tokens;
    for (std::int64_t b = 0; b < document_blocks; ++b) r.keys.push_back(static_cast<std::uint64_t>(d * document_blocks + b) + 1);
    return r;
  };
  ReverseProbe out;
  Request probe = visit(0);
  if (simulator.misfit(probe)) return out;
  for (std::int64_t d = 0; d < documents; ++d) simulator.run_fitting(visit(d));
  std::int64_t gpu = 0, host = 0, all = 0;
  for (std::int64_t d = documents; d-- > 0;) {
    const Outcome o = simulator.run_fitting(visit(d));
    gpu += o.gpu_hit / c.block_size;
    host += o.host_loaded / c.block_size;
    all += std::max<std::int64_t>(0, (prompt_tokens - 1) / c.block_size);
  }
  out.gpu_blocks = gpu;
  out.host_blocks = gpu + host;
  out.gpu_all = gpu >= all;
  out.host_all = gpu + host >= all;
  return out;
}

}  // namespace kvcliff::cache
