// SPDX-License-Identifier: GPL-3.0-or-later
#include "cache/explain_other.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "cache/other_tiers.h"
#include "workload/distance.h"

namespace kvcliff::cache {

std::string who(int request, std::span<const std::string> names, int warmups) {
  if (request < 0) return "a reset of the cache";
  if (request < warmups) return "the warm-up";
  const int number = request - warmups;
  const auto i = static_cast<std::size_t>(request);
  if (i < names.size() && names[i] != std::to_string(number)) return fmt::format("request {} ({})", number, names[i]);
  return fmt::format("request {}", number);
}

namespace {

constexpr int kept = -1, by_reset = -2;   // instead of the request that something was lost to

/// What is remembered of one block.
struct Past {
  int used_by = -1;
  int gpu_lost_to = kept, host_lost_to = kept;
  bool on_gpu = false, on_host = false, was_stored = false;
};

class Story {
 public:
  Story(const Config& c, std::span<const Input> inputs, std::span<const std::string> names, int warmups)
      : config_(c), inputs_(inputs), names_(names), warmups_(warmups), tier_(make_other_tier(c)) {
    // The blocks that a host entry stands for: its key is that of the last one.
    if (c.tier == Tier::lmcache) unit_ = c.lmcache_chunk_tokens / c.block_size;
    if (c.tier == Tier::hicache && c.page_size > 0) unit_ = c.page_size / c.block_size;
  }

  std::vector<std::vector<Because>> tell() {
    std::vector<std::vector<Because>> out;
    for (int i = 0; i < static_cast<int>(inputs_.size()); ++i) out.push_back(one(i));
    return out;
  }

 private:
  void look(int now) {
    for (auto& [key, p] : past_) {
      const bool gpu = tier_->on_gpu(key), host = tier_->on_host(key);
      if (p.on_gpu != gpu) p.gpu_lost_to = gpu ? kept : now;
      if (p.on_host != host) p.host_lost_to = host ? kept : now;
      p.on_gpu = gpu;
      p.on_host = host;
      p.was_stored |= host;
    }
  }

  std::vector<Because> one(int now) {
    const Input& input = inputs_[static_cast<std::size_t>(now)];
    if (input.reset_gpu) tier_->reset_gpu();
    if (input.reset_host) tier_->reset_host();
    if (input.reset_gpu || input.reset_host) look(by_reset);
    const Request& q = input.request;
    const std::int64_t B = config_.block_size, n = q.prompt_tokens;
    const auto full = std::min(static_cast<std::size_t>(n / B), q.keys.size());
    std::vector<Past> before;    // of the block
    std::vector<Past> standing;  // of the host entry that holds it
    for (std::size_t b = 0; b < full; ++b) {
      before.push_back(past_[q.keys[b]]);
      const std::size_t last = (b / static_cast<std::size_t>(unit_) + 1) * static_cast<std::size_t>(unit_) - 1;
      standing.push_back(last < full ? past_[q.keys[last]] : Past{});
      whole_.resize(full);
      whole_[b] = last < full;
    }
    std::vector<std::int64_t> distance(full, -1);
    for (std::size_t b = full; b-- > 0;) distance[b] = meter_.reference(q.keys[b]);

    const Outcome o = tier_->run(q);
    std::vector<Because> out;
    const auto add = [&](std::int64_t tokens, Source s, const std::string& reason) {
      if (tokens <= 0) return;
      if (!out.empty() && out.back().source == s && out.back().reason == reason) out.back().tokens += tokens;
      else out.push_back({tokens, s, reason});
    };
    const std::int64_t gpu_end = o.gpu_hit, host_end = o.gpu_hit + o.host_loaded;
    if (gpu_end > 0) {
      const auto b = static_cast<std::size_t>(std::min<std::int64_t>((gpu_end - 1) / B, static_cast<std::int64_t>(full) - 1));
      add(gpu_end, Source::gpu_hit, fmt::format("on the GPU since {}: distance {}, room for {} blocks", name(before[b].used_by), distance[b], config_.gpu_blocks));
    }
    for (std::int64_t at = gpu_end; at < n;) {  // piece by piece, to the end of a block or of a source
      const auto b = static_cast<std::size_t>(at / B);
      const std::int64_t block_end = std::min(n, (at / B + 1) * B);
      if (b >= full) {
        add(n - at, Source::computed, fmt::format("below one block: what follows the last full block of {} tokens is never cached", B));
        break;
      }
      const std::int64_t end = at < host_end ? std::min(block_end, host_end) : block_end;
      if (at < host_end) add(end - at, Source::host_loaded, loaded(before[b], distance[b]));
      else add(end - at, Source::computed, computed(before[b], standing[b], whole_[b], b, n, at, host_end));
      at = end;
    }
    for (std::size_t b = 0; b < full; ++b) past_[q.keys[b]].used_by = now;
    look(now);
    return out;
  }

  std::string name(int request) const { return who(request, names_, warmups_); }
  std::string gpu_loss(const Past& p) const {
    if (p.on_gpu) return "the GPU's copy lies behind a block that is missing there";
    return p.gpu_lost_to == kept ? "it is not on the GPU" : p.gpu_lost_to == by_reset ? "the GPU cache was emptied" : "the GPU's copy was evicted by " + name(p.gpu_lost_to);
  }
  std::string loaded(const Past& p, std::int64_t distance) const {
    return fmt::format("{}; the host still holds it (distance {}, room for {} blocks)", gpu_loss(p), distance,
                       config_.host_chunks * (config_.tier == Tier::lmcache ? unit_ : 1));
  }
  // Why nothing was ever put on the host, by the rule of the tier.
  std::string never_stored() const {
    if (config_.tier == Tier::simple && config_.lazy_store) return "it was never copied to the host: the walk along the GPU's free blocks had not come to it";
    if (config_.tier == Tier::simple) return "it was never copied to the host: a block is copied in the step after its own, which a request's last step lacks";
    if (config_.tier == Tier::hicache && config_.write_policy == WritePolicy::write_back) return "it was never copied to the host: write-back copies what the GPU evicts, where there is room";
    if (config_.tier == Tier::hicache && config_.write_policy == WritePolicy::write_through_selective) return "it was never copied to the host: the selective policy copies at the second use";
    return "it was never copied to the host";
  }
  std::string computed(const Past& p, const Past& entry, bool whole, std::size_t b, std::int64_t n, std::int64_t at, std::int64_t host_end) const {
    if (p.used_by < 0) return "first visit: no earlier prompt has this block";
    const std::string loss = gpu_loss(p);
    if ((p.on_gpu || entry.on_host) && static_cast<std::int64_t>(b + 1) * config_.block_size == n && at >= host_end) return "last-token rule: the last token must run, and with it what a look-up may not cover";
    if (!whole && config_.tier == Tier::hicache) return fmt::format("both tiers keep whole pages of {} tokens, and the prompt's last one is not full", unit_ * config_.block_size);
    if (config_.host_chunks == 0) return loss + "; there is no host tier";
    if (!whole) return fmt::format("{}; the host keeps whole chunks of {} tokens, and the prompt's last one is not full", loss, unit_ * config_.block_size);
    if (entry.on_host) {
      if (config_.tier == Tier::hicache) return loss + "; the host holds it, but what it holds of the prompt does not follow on, is too short to load, or found no room";
      return loss + "; the host holds it, but the look-up ended earlier, at the first " + (config_.tier == Tier::lmcache ? "chunk" : "block") + " missing";
    }
    if (entry.was_stored) return loss + (entry.host_lost_to == by_reset ? "; the host tier was emptied" : "; the host dropped it when " + name(entry.host_lost_to) + " came");
    return loss + "; " + never_stored();
  }

  const Config& config_;
  std::span<const Input> inputs_;
  std::span<const std::string> names_;
  int warmups_;
  std::unique_ptr<OtherTier> tier_;
  std::int64_t unit_ = 1;
  std::vector<char> whole_;
  workload::DistanceMeter meter_;
  std::unordered_map<std::uint64_t, Past> past_;
};

}  // namespace

std::vector<std::vector<Because>> explain_other(const Config& config, std::span<const Input> inputs, std::span<const std::string> names, int warmups) {
  return Story(config, inputs, names, warmups).tell();
}

}  // namespace kvcliff::cache
