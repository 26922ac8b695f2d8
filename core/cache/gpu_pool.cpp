// SPDX-License-Identifier: GPL-3.0-or-later
#include "cache/gpu_pool.h"

#include <algorithm>

namespace kvcliff::cache {
namespace {
constexpr std::int64_t most_blocks = 0x7fffff00;  // block numbers are 32 bits; more could never be reached anyway
}

GpuPool::GpuPool(std::int64_t capacity, FreeOrder order)
    : capacity_(std::clamp<std::int64_t>(capacity, 0, most_blocks)), order_(order), free_(capacity_) {}

void GpuPool::hold(Block b) {
  Node& n = blocks_[static_cast<std::size_t>(b)];
  if (n.users++ == 0) {
    unlink(b);
    --free_;
  }
}

GpuPool::Block GpuPool::take(std::int64_t& evicted) {
  evicted = -1;
  --free_;
  Block b = none;
  if (!empty_.empty()) {
    b = empty_.back();
    empty_.pop_back();
  } else if (static_cast<std::int64_t>(blocks_.size()) < capacity_) {
    b = static_cast<Block>(blocks_.size());
    blocks_.emplace_back();
  } else {
    b = head_;
    unlink(b);
    evicted = blocks_[static_cast<std::size_t>(b)].id;
    forget(b);
  }
  blocks_[static_cast<std::size_t>(b)].users = 1;
  return b;
}

void GpuPool::publish(Block b, Id id) {
  if (id >= first_.size()) first_.resize(std::max<std::size_t>(id + 1, first_.size() * 2), none);
  blocks_[static_cast<std::size_t>(b)].id = id;
  Block* at = &first_[id];
  while (*at != none) at = &blocks_[static_cast<std::size_t>(*at)].twin;
  *at = b;
}

void GpuPool::release(std::span<const Block> blocks) {
  for (std::size_t i = blocks.size(); i-- > 0;) {
    Node& n = blocks_[static_cast<std::size_t>(blocks[i])];
    if (--n.users > 0) continue;
    ++free_;
    if (n.id < 0 && order_ != FreeOrder::append)
      empty_.push_back(blocks[i]);
    else
      append(blocks[i]);
  }
}

bool GpuPool::reset() {
  if (free_ != capacity_) return false;
  blocks_.clear();
  empty_.clear();
  first_.clear();
  head_ = tail_ = none;
  return true;
}

void GpuPool::append(Block b) {
  Node& n = blocks_[static_cast<std::size_t>(b)];
  n.before = tail_;
  n.after = none;
  (tail_ == none ? head_ : blocks_[static_cast<std::size_t>(tail_)].after) = b;
  tail_ = b;
}

void GpuPool::unlink(Block b) {
  const Node& n = blocks_[static_cast<std::size_t>(b)];
  (n.before == none ? head_ : blocks_[static_cast<std::size_t>(n.before)].after) = n.after;
  (n.after == none ? tail_ : blocks_[static_cast<std::size_t>(n.after)].before) = n.before;
}

void GpuPool::forget(Block b) {
  Node& n = blocks_[static_cast<std::size_t>(b)];
  if (n.id < 0) return;
  Block* at = &first_[static_cast<std::size_t>(n.id)];
  while (*at != b) at = &blocks_[static_cast<std::size_t>(*at)].twin;
  *at = n.twin;
  n.twin = none;
  n.id = -1;
}

}  // namespace kvcliff::cache
