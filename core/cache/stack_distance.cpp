// SPDX-License-Identifier: GPL-3.0-or-later
#include "cache/stack_distance.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace kvcliff::cache {
namespace {
constexpr std::size_t first_positions = 1024;
}

StackDistances::StackDistances(FreeOrder free_order, std::size_t expected_ids) : free_order_(free_order) {
  last_.assign(expected_ids, never);
  compact(std::max(first_positions, expected_ids));
}

void StackDistances::add(std::size_t word, std::int32_t delta) {
  for (std::size_t i = word + 1; i < tree_.size(); i += i & (~i + 1)) tree_[i] += delta;
}

// Marks at `position` and later.
std::uint32_t StackDistances::marks_from(std::uint32_t position) const {
  const std::size_t word = position >> 6;
  std::int32_t before = 0;
  for (std::size_t i = word; i > 0; i &= i - 1) before += tree_[i];
  const std::uint64_t below = marks_[word] & ((std::uint64_t{1} << (position & 63)) - 1);
  return total_ - static_cast<std::uint32_t>(before) - static_cast<std::uint32_t>(std::popcount(below));
}

// Sets (up) or takes away the marks of `count` positions from `from` on: one tree update a word.
template <bool up>
void StackDistances::change(std::uint32_t from, std::uint32_t count) {
  total_ += up ? count : 0 - count;
  while (count > 0) {
    const std::uint32_t bit = from & 63;
    const std::uint32_t n = std::min(count, 64 - bit);
    const std::uint64_t ones = (n == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1) << bit;
    if constexpr (up) marks_[from >> 6] |= ones;
    else marks_[from >> 6] &= ~ones;
    add(from >> 6, up ? static_cast<std::int32_t>(n) : -static_cast<std::int32_t>(n));
    from += n;
    count -= n;
  }
}

// Renumbers the live positions from 0, in order, and makes room for four times as many, `needed` more at least. Amortised
// constant per use: more uses than live blocks lie between two calls. A position costs a bit and its share of the tree.
void StackDistances::compact(std::size_t needed) {
  std::vector<std::uint32_t> before(marks_.size() + 1, 0);  // live positions below each word
  for (std::size_t w = 0; w < marks_.size(); ++w) before[w + 1] = before[w] + static_cast<std::uint32_t>(std::popcount(marks_[w]));
  const auto moved = [&](std::uint32_t position) {  // live positions below `position`
    const std::uint32_t word = position >> 6;
    if (word >= marks_.size()) return before.back();
    return before[word] + static_cast<std::uint32_t>(std::popcount(marks_[word] & ((std::uint64_t{1} << (position & 63)) - 1)));
  };
  if (tail_end_ != 0) tail_end_ = std::max<std::uint32_t>(moved(tail_end_), 1);
  if (deepest_ != never && deepest_ != 0) deepest_ = moved(deepest_);
  for (std::uint32_t& position : last_)
    if (position != never) position = moved(position);
  const std::uint32_t to = before.back();
  const std::size_t words = (4 * std::size_t{to} + 2 * needed + 127) / 64;
  marks_.assign(words, 0);
  tree_.assign(words + 1, 0);
  next_ = total_ = to;
  // Bits directly, then the tree in one linear pass.
  for (std::uint32_t p = 0; p < to; p += 64) {
    const std::uint32_t n = std::min<std::uint32_t>(64, to - p);
    marks_[p >> 6] = n == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
    tree_[(p >> 6) + 1] = static_cast<std::int32_t>(n);
  }
  for (std::size_t i = 1; i < tree_.size(); ++i) {
    const std::size_t up = i + (i & (~i + 1));
    if (up < tree_.size()) tree_[up] += tree_[i];
  }
}

void StackDistances::request(std::span<const std::uint32_t> ids, bool partial_tail, std::span<std::uint32_t> host,
                             std::span<std::uint32_t> gpu, std::uint32_t decode_blocks) {
  assert(host.size() == ids.size() && gpu.size() == ids.size());
  request(ids, partial_tail, runs_, decode_blocks);
  for (const Run& r : runs_)
    for (std::uint32_t k = 0; k < r.count; ++k) {
      host[r.first + k] = r.host == never ? never : r.host + k;
      gpu[r.first + k] = r.host == never ? never : r.host + k + (k >= r.level);
    }
}

void StackDistances::request(std::span<const std::uint32_t> ids, bool partial_tail, std::vector<Run>& runs, std::uint32_t decode_blocks) {
  const bool has_tail = partial_tail && free_order_ != FreeOrder::none;
  const auto size = static_cast<std::uint32_t>(ids.size());
  const std::size_t room = ids.size() + 1 + decode_blocks;
  if (std::size_t{next_} + room > marks_.size() * 64) compact(room);

  // 1. Distances, as the stack stands now. Positions fall along a chain (the first block is the most recent): what stands
  // side by side is one deeper each.
  // prepend: the tail of an intervening request needs one more block than stand at or above ours at that time. With
  // D(j) the depth after the last request j that had a tail, the critical size is max(D, D(j) + 1): one more than D
  // exactly when nothing from below us, and nothing new, has come up since j. That holds below this position:
  const std::uint32_t extra_below = free_order_ == FreeOrder::prepend && tail_end_ != 0 ? std::min(tail_end_, deepest_) : 0;
  runs.clear();
  std::uint32_t oldest = never;
  bool fresh = false;
  for (std::uint32_t i = 0; i < size;) {
    const std::uint32_t position = position_of(ids[i]);
    std::uint32_t end = i + 1;
    if (position == never) {
      while (end < size && position_of(ids[end]) == never) ++end;
      runs.push_back({i, end - i, never, 0});
      fresh = true;
    } else {
      const auto most = static_cast<std::uint32_t>(std::min<std::uint64_t>(size, std::uint64_t{i} + position + 1));
      while (end < most && position_of(ids[end]) == position - (end - i)) ++end;
      const std::uint32_t count = end - i, lowest = position - count + 1;
      const std::uint32_t level = extra_below <= lowest ? count : extra_below > position ? 0 : position - extra_below + 1;
      runs.push_back({i, count, marks_from(position), level});
      oldest = std::min(oldest, lowest);
    }
    i = end;
  }

  // 2. The request's blocks come up, last to first; with the append order its tail lies below them.
  for (const Run& r : runs) {
    if (r.host == never) {
      live_ids_ += r.count;
      for (std::uint32_t k = r.first; k < r.first + r.count; ++k)
        if (ids[k] >= last_.size()) last_.resize(std::size_t{ids[k]} + 1, never);
    } else {
      change<false>(last_[ids[r.first]] - (r.count - 1), r.count);
    }
  }
  const std::uint32_t nobodys = decode_blocks + (has_tail && free_order_ == FreeOrder::append ? 1 : 0);
  change<true>(next_, nobodys + size);
  next_ += nobodys + size;
  std::uint32_t* const last = last_.data();
  std::uint32_t top = next_;
  for (const std::uint32_t id : ids) last[id] = --top;

  // 3. What this request means for the tails' correction.
  if (free_order_ == FreeOrder::prepend) {
    if (has_tail) {
      tail_end_ = next_;
      deepest_ = never;
    } else if (tail_end_ != 0) {
      if (fresh || decode_blocks > 0) deepest_ = 0;
      else if (oldest != never) deepest_ = std::min(deepest_, oldest);
    }
  }
}

}  // namespace kvcliff::cache
