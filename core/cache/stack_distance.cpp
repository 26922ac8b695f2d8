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
  last_.reserve(expected_ids);
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

void StackDistances::set_run(std::uint32_t from, std::uint32_t count) {
  while (count > 0) {
    const std::uint32_t bit = from & 63;
    const std::uint32_t n = std::min(count, 64 - bit);
    const std::uint64_t ones = n == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
    marks_[from >> 6] |= ones << bit;
    add(from >> 6, static_cast<std::int32_t>(n));
    total_ += n;
    from += n;
    count -= n;
  }
}

// Renumbers the live positions from 0, in order, and makes room for twice as many, `needed` more at least. Amortised
// constant per use: at least as many uses as live blocks lie between two calls.
void StackDistances::compact(std::size_t needed) {
  std::uint32_t to = 0;
  const auto moved = [&](std::uint32_t position) {  // live positions below `position`
    std::uint32_t n = 0;
    for (std::size_t w = 0; w < position >> 6; ++w) n += static_cast<std::uint32_t>(std::popcount(marks_[w]));
    if (position & 63) n += static_cast<std::uint32_t>(std::popcount(marks_[position >> 6] & ((std::uint64_t{1} << (position & 63)) - 1)));
    return n;
  };
  if (tail_end_ != 0) {
    tail_end_ = std::max<std::uint32_t>(moved(tail_end_), 1);
  }
  if (deepest_ != never && deepest_ != 0) deepest_ = moved(deepest_);
  for (std::uint32_t p = 0; p < next_; ++p) {
    if (!(marks_[p >> 6] >> (p & 63) & 1)) continue;
    const std::uint32_t id = owner_[p];
    if (id != never) last_[id] = to;
    owner_[to++] = id;
  }
  const std::size_t words = (2 * (std::size_t{to} + needed) + 127) / 64;
  owner_.resize(words * 64, never);
  marks_.assign(words, 0);
  tree_.assign(words + 1, 0);
  total_ = 0;
  next_ = to;
  // Bits directly, then the tree in one linear pass.
  for (std::uint32_t p = 0; p < to; p += 64) {
    const std::uint32_t n = std::min<std::uint32_t>(64, to - p);
    marks_[p >> 6] = n == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
    tree_[(p >> 6) + 1] = static_cast<std::int32_t>(n);
  }
  total_ = to;
  for (std::size_t i = 1; i < tree_.size(); ++i) {
    const std::size_t up = i + (i & (~i + 1));
    if (up < tree_.size()) tree_[up] += tree_[i];
  }
}

void StackDistances::request(std::span<const std::uint32_t> ids, bool partial_tail, std::span<std::uint32_t> host,
                             std::span<std::uint32_t> gpu, std::uint32_t decode_blocks) {
  assert(host.size() == ids.size() && gpu.size() == ids.size());
  const bool has_tail = partial_tail && free_order_ != FreeOrder::none;
  const std::size_t room = ids.size() + 1 + decode_blocks;
  if (std::size_t{next_} + room > owner_.size()) compact(room);

  // 1. Distances, as the stack stands now.
  std::uint32_t oldest = never;
  bool fresh = false;
  std::uint32_t previous = never;  // position of the block before, for runs
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::uint32_t id = ids[i];
    if (id >= last_.size()) last_.resize(std::size_t{id} + 1, never);
    const std::uint32_t position = last_[id];
    if (position == never) {
      host[i] = gpu[i] = never;
      previous = never;
      fresh = true;
      continue;
    }
    // Positions fall along a chain (the first block is the most recent): the next one down is one deeper.
    const std::uint32_t distance = previous != never && position + 1 == previous ? host[i - 1] + 1 : marks_from(position);
    previous = position;
    host[i] = distance;
    oldest = std::min(oldest, position);
    // prepend: the tail of an intervening request needs one more block than stand at or above ours at that time. With
    // D(j) the depth after the last request j that had a tail, the critical size is max(D, D(j) + 1): one more than D
    // exactly when nothing from below us, and nothing new, has come up since j.
    std::uint32_t extra = 0;
    if (free_order_ == FreeOrder::prepend && tail_end_ != 0 && position < tail_end_ && deepest_ > position) extra = 1;
    gpu[i] = distance + extra;
  }

  // 2. The request's blocks come up, last to first; with the append order its tail lies below them.
  std::size_t run = 0;
  while (run < ids.size()) {  // marks go away in runs: one tree update per word
    const std::uint32_t position = last_[ids[run]];
    if (position == never) {
      ++live_ids_;
      ++run;
      continue;
    }
    const std::size_t word = position >> 6;
    std::uint64_t bits = 0;
    std::int32_t n = 0;
    while (run < ids.size() && last_[ids[run]] != never && last_[ids[run]] >> 6 == word) {
      bits |= std::uint64_t{1} << (last_[ids[run]] & 63);
      ++n;
      ++run;
    }
    marks_[word] &= ~bits;
    add(word, -n);
    total_ -= static_cast<std::uint32_t>(n);
  }
  std::uint32_t count = 0;
  const std::uint32_t start = next_;
  const std::uint32_t nobodys = decode_blocks + (has_tail && free_order_ == FreeOrder::append ? 1 : 0);
  while (count < nobodys) owner_[start + count++] = never;
  for (std::size_t i = ids.size(); i-- > 0;) {
    owner_[start + count] = ids[i];
    last_[ids[i]] = start + count++;
  }
  set_run(start, count);
  next_ += count;

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
