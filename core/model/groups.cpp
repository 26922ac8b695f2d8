// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "model/derive.h"

namespace kvcliff::model {
namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// Layers of one kind as the pool sees it, in layer order.
struct Kind {
  CacheKind kind;
  std::int64_t window = 0;
  std::vector<const LayerCache*> caches;
};

std::vector<Kind> kinds_of(const KvLayout& l) {
  std::vector<Kind> kinds;
  for (const auto& c : l.caches) {
    const bool bounded = c.kind == CacheKind::sliding || c.kind == CacheKind::chunked;
    const CacheKind kind = bounded && !l.hybrid_manager ? CacheKind::full : c.kind;
    const std::int64_t window = bounded && l.hybrid_manager ? c.window : 0;
    auto it = std::find_if(kinds.begin(), kinds.end(), [&](const Kind& k) { return k.kind == kind && k.window == window; });
    if (it == kinds.end()) it = kinds.insert(kinds.end(), Kind{kind, window, {}});
    it->caches.push_back(&c);
  }
  // Growing kinds first, then windows, then states; the order of the vector is what is shown.
  std::stable_sort(kinds.begin(), kinds.end(), [](const Kind& a, const Kind& b) {
    const auto rank = [](const Kind& k) { return k.kind == CacheKind::state ? 2 : k.window ? 1 : 0; };
    return rank(a) < rank(b);
  });
  return kinds;
}

class Arranger {
 public:
  Arranger(KvLayout& layout, std::int64_t chunk) : l_(layout), o_(layout.options), chunk_(chunk), kinds_(kinds_of(layout)) {}

  void run() {
    base_block();
    states();
    for (const auto& k : kinds_) {
      Group g;
      g.kind = k.kind, g.window = k.window, g.layers = static_cast<int>(k.caches.size()), g.block_size = l_.block_size;
      for (const auto* c : k.caches) g.bytes_per_token += cache_bytes_per_token(*c, 1);
      l_.groups.push_back(g);
    }
    if (kinds_.size() > 1) pool();
    ranks();
  }

 private:
  void base_block() {
    const bool latent = std::any_of(l_.caches.begin(), l_.caches.end(), [](const LayerCache& c) { return c.kind == CacheKind::latent; });
    l_.block_size = o_.block_size ? o_.block_size : 16;
    alignment_ = std::max(o_.kernel_alignment ? o_.kernel_alignment : latent ? 64 : 16, o_.block_size);
    if (latent && !o_.block_size)
      l_.warnings.push_back("Block size 16 is assumed; latent attention backends may choose 64 or 128: read it from the running server");
  }

  // Largest bytes per token of one layer of a kind on one rank.
  std::int64_t layer_bytes(const Kind& k) const {
    std::int64_t most = 0;
    for (const auto* c : k.caches) most = std::max(most, cache_bytes_per_token(*c, o_.tp));
    return most;
  }

  void states() {
    StateInfo s;
    std::int64_t attention = 0;
    for (const auto& k : kinds_) {
      if (k.kind != CacheKind::state) {
        attention = std::max(attention, layer_bytes(k));
        continue;
      }
      for (const auto* c : k.caches) {
        ++s.layers;
        s.raw_bytes_per_layer = std::max(s.raw_bytes_per_layer, state_bytes(*c, 1));
        s.raw_bytes_per_layer_rank = std::max(s.raw_bytes_per_layer_rank, state_bytes(*c, o_.tp));
        s.raw_bytes_per_sequence += state_bytes(*c, 1);
        s.dtype = c->ssm_element_bytes == 4 ? "recurrent part float32, convolution 16 bit" : "16 bit";
      }
    }
    if (!s.layers) return;
    s.page_bytes = s.raw_bytes_per_layer_rank;
    if (attention) {
      std::int64_t step = alignment_;
      if (o_.mamba_cache_mode == "all") {
        if (chunk_) step = std::lcm(chunk_, alignment_);
        else l_.capacity_why = "Mode all rounds blocks to the state's chunk size, which the file does not give";
      }
      l_.block_size = step * std::max<std::int64_t>(1, ceil_div(s.raw_bytes_per_layer_rank, step * attention));
      s.page_bytes = l_.block_size * attention;
      l_.derivation.push_back({"attention block size", l_.block_size,
                               fmt::format("{} x ceil(state {} / ({} x {} bytes per token and layer)): pages must be equal", step,
                                           s.raw_bytes_per_layer_rank, step, attention)});
      l_.warnings.push_back(fmt::format("The attention block size follows from the state; {} tokens of kernel alignment are assumed", alignment_));
    }
    s.padding_pct = s.raw_bytes_per_layer_rank ? 100.0 * static_cast<double>(s.page_bytes - s.raw_bytes_per_layer_rank) / static_cast<double>(s.raw_bytes_per_layer_rank) : 0;
    s.blocks_per_sequence = o_.mamba_cache_mode == "all" ? 0 : (o_.mamba_cache_mode == "none" ? 1 : 2) + o_.speculative_tokens;
    l_.state = s;
  }

  // Several kinds share one pool: equal pages, groups of equal size.
  void pool() {
    std::int64_t page = l_.state ? l_.state->page_bytes : 0;
    for (const auto& k : kinds_)
      if (k.kind != CacheKind::state) page = std::max(page, l_.block_size * layer_bytes(k));
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      const auto& k = kinds_[i];
      auto& g = l_.groups[i];
      if (k.kind == CacheKind::state) continue;
      const std::int64_t own = layer_bytes(k);
      for (const auto* c : k.caches)
        if (cache_bytes_per_token(*c, o_.tp) != own) l_.capacity_why = "Layers of one kind differ in size inside a pool of several kinds; the engine's grouping of these is not derived";
      if (page % (l_.block_size * own) == 0) {
        g.block_size = page / own;
      } else {
        l_.warnings.push_back(fmt::format("Pages of {} and {} bytes do not divide: older engine versions refuse this model, newer ones pad the smaller", l_.block_size * own, page));
      }
    }
    l_.page_bytes = page;
    int smallest = l_.groups.front().layers, largest = smallest;
    for (const auto& g : l_.groups) smallest = std::min(smallest, g.layers), largest = std::max(largest, g.layers);
    l_.group_size = 2 * largest < 3 * smallest ? largest : smallest;
    for (auto& g : l_.groups) {
      g.pool_groups = static_cast<int>(ceil_div(g.layers, l_.group_size));
      g.padding_layers = g.pool_groups * l_.group_size - g.layers;
    }
    l_.derivation.push_back({"group size", l_.group_size, "layers per group of the shared block pool; the last group of a kind is padded"});
  }

  void ranks() {
    const std::int64_t layers = std::max<std::int64_t>(1, l_.dimensions.layers.value_or(1));
    auto split = o_.pp_partition.empty() ? pipeline_split(layers, o_.pp) : o_.pp_partition;
    int first = 0;
    for (std::size_t r = 0; r < split.size(); ++r) {
      Rank rank;
      rank.first_layer = first, rank.layers = static_cast<int>(split[r]);
      const int end = r + 1 == split.size() ? 1 << 20 : first + rank.layers;  // drafting layers sit on the last rank
      const auto here = [&](const LayerCache& c) { return c.layer >= first && c.layer < end; };
      int most = 0;
      for (std::size_t i = 0; i < kinds_.size(); ++i) {
        const auto& g = l_.groups[i];
        std::vector<int> in_group(static_cast<std::size_t>(g.pool_groups));
        for (std::size_t j = 0; j < kinds_[i].caches.size(); ++j) {
          const auto& c = *kinds_[i].caches[j];
          if (!here(c)) continue;
          const std::int64_t bytes = cache_bytes_per_token(c, o_.tp);
          if (!g.window || !l_.growing_layers) rank.bytes_per_token += bytes;
          most = std::max(most, ++in_group[j % static_cast<std::size_t>(g.pool_groups)]);
          if (kinds_.size() == 1) rank.tensor_page_bytes.push_back(c.kind == CacheKind::state ? state_bytes(c, o_.tp) : g.block_size * bytes);
        }
      }
      if (kinds_.size() > 1) rank.tensor_page_bytes.assign(static_cast<std::size_t>(most), l_.page_bytes);
      rank.cache_tensors = static_cast<int>(rank.tensor_page_bytes.size());
      rank.block_bytes = std::accumulate(rank.tensor_page_bytes.begin(), rank.tensor_page_bytes.end(), std::int64_t{0});
      l_.ranks.push_back(std::move(rank));
      first += static_cast<int>(split[r]);
    }
    if (kinds_.size() > 1 && o_.pp > 1) l_.warnings.push_back("Pipeline ranks of a model with several kinds of layers: the split of groups over ranks is the engine's rule, not checked against a log");
  }

  KvLayout& l_;
  const Options& o_;
  std::int64_t chunk_;
  std::int64_t alignment_ = 16;
  std::vector<Kind> kinds_;
};

}  // namespace

void arrange(KvLayout& layout, std::int64_t config_chunk) { Arranger(layout, config_chunk).run(); }

}  // namespace kvcliff::model
