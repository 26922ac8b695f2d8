// SPDX-License-Identifier: GPL-3.0-or-later
#include "cache/radix_tier.h"

#include <algorithm>

#include "base/hash.h"

namespace kvcliff::cache {
namespace {
constexpr std::int64_t least_load = 10;  // tokens; shorter host parts are recomputed
}

RadixTier::RadixTier(const Config& config)
    : config_(config),
      page_blocks_(config.page_size > 0 ? std::max<std::int64_t>(1, config.page_size / config.block_size) : 1),
      gpu_pages_(config.gpu_blocks / page_blocks_),
      host_pages_(config.host_chunks / page_blocks_),
      root_(std::make_unique<Node>()) {}

RadixTier::Node* RadixTier::split(Node* node, std::size_t at) {
  auto head = std::make_unique<Node>();
  head->keys.assign(node->keys.begin(), node->keys.begin() + static_cast<std::ptrdiff_t>(at));
  head->parent = node->parent;
  head->gpu = node->gpu;
  head->host = node->host;
  head->locked = node->locked;
  head->used = node->used;
  head->hits = node->hits;
  auto& place = node->parent->children.at(node->keys.front());
  std::unique_ptr<Node> tail = std::move(place);
  tail->keys.erase(tail->keys.begin(), tail->keys.begin() + static_cast<std::ptrdiff_t>(at));
  tail->parent = head.get();
  Node* result = head.get();
  head->children[tail->keys.front()] = std::move(tail);
  place = std::move(head);
  return result;
}

// Nodes that hold the first `limit` keys, as far as they are in the tree; the last one is split where they end.
std::vector<RadixTier::Node*> RadixTier::match(const std::vector<std::uint64_t>& keys, std::size_t limit) {
  std::vector<Node*> path;
  Node* at = root_.get();
  for (std::size_t i = 0; i < limit;) {
    const auto it = at->children.find(keys[i]);
    if (it == at->children.end()) break;
    Node* next = it->second.get();
    std::size_t same = 0;
    while (same < next->keys.size() && i + same < limit && next->keys[same] == keys[i + same]) ++same;
    if (same < next->keys.size()) next = split(next, same);
    next->used = now_;
    path.push_back(next);
    i += same;
    at = next;
  }
  return path;
}

void RadixTier::collect(Node* node, std::vector<Node*>& out) {
  for (auto& [key, child] : node->children) {
    out.push_back(child.get());
    collect(child.get(), out);
  }
}

void RadixTier::drop(Node* node) {
  const std::uint64_t first = node->keys.front();
  node->parent->children.erase(first);
}

bool RadixTier::back_up(Node* node) {
  if (node->host || host_pages_ == 0) return node->host;
  if (node->parent != root_.get() && !node->parent->host && !back_up(node->parent)) return false;
  if (!free_host(node->size())) return false;
  node->host = true;
  host_used_ += node->size();
  stored_ += node->size();
  return true;
}

// Evicts leaves of the GPU's part of the tree, oldest first, until `pages` are free.
bool RadixTier::free_gpu(std::int64_t pages) {
  while (gpu_pages_ - gpu_used_ < pages) {
    std::vector<Node*> all;
    collect(root_.get(), all);
    Node* victim = nullptr;
    for (Node* n : all) {
      if (!n->gpu || n->locked || std::any_of(n->children.begin(), n->children.end(), [](const auto& c) { return c.second->gpu; })) continue;
      if (!victim || n->used < victim->used) victim = n;
    }
    if (!victim) return false;
    if (config_.write_policy == WritePolicy::write_back) {
      victim->locked = true;
      back_up(victim);
      victim->locked = false;
    }
    victim->gpu = false;
    gpu_used_ -= victim->size();
    if (!victim->host) {
      std::vector<Node*> below;  // what is only on the host below it can no longer be reached
      collect(victim, below);
      for (const Node* n : below) host_used_ -= n->host ? n->size() : 0;
      drop(victim);
    }
  }
  return true;
}

// Only nodes that have left the GPU make room on the host, leaves first.
bool RadixTier::free_host(std::int64_t pages) {
  while (host_pages_ - host_used_ < pages) {
    std::vector<Node*> all;
    collect(root_.get(), all);
    Node* victim = nullptr;
    for (Node* n : all)
      if (n->host && !n->gpu && !n->locked && n->children.empty() && (!victim || n->used < victim->used)) victim = n;
    if (!victim) return false;
    host_used_ -= victim->size();
    drop(victim);
  }
  return true;
}

Outcome RadixTier::run(const Request& q) {
  ++now_;
  stored_ = 0;
  places_.clear();
  const std::int64_t B = config_.block_size * page_blocks_, n = q.prompt_tokens, last = n + std::max<std::int64_t>(q.output_tokens, 1) - 1;
  // A page's key is that of its last block, which stands for all before it.
  std::vector<std::uint64_t> keys;
  for (auto b = static_cast<std::size_t>(page_blocks_); b <= q.keys.size(); b += static_cast<std::size_t>(page_blocks_)) keys.push_back(q.keys[b - 1]);
  const std::size_t known = keys.size();
  keys.resize(static_cast<std::size_t>(last / B));
  for (std::size_t i = known; i < keys.size(); ++i) keys[i] = hash64(&++anonymous_, sizeof anonymous_, 0x72616469ULL);

  Outcome out;
  std::int64_t gpu = 0, host = 0;
  std::vector<Node*> path = match(keys, static_cast<std::size_t>((n - 1) / B));
  std::vector<Node*> to_load;
  for (Node* node : path) {
    if (node->gpu && to_load.empty()) gpu += node->size();
    else if (node->host) to_load.push_back(node), host += node->size();
    else break;
  }
  for (Node* node : path) node->locked = true;
  const auto settle = [&] {
    for (Node* node : path) node->locked = false;
  };
  if (host > 0 && (host * B < least_load || !free_gpu(host))) host = 0;
  if (host > 0)
    for (Node* node : to_load) {
      node->gpu = true;
      gpu_used_ += node->size();
    }
  out.gpu_hit = gpu * B;
  out.host_loaded = host * B;
  out.computed = n - out.gpu_hit - out.host_loaded;

  // The new run is one node behind what is on the GPU; host-only nodes on its way are computed anew and come back.
  std::vector<Node*> whole = match(keys, keys.size());
  for (Node* node : whole)
    if (std::find(path.begin(), path.end(), node) == path.end()) path.push_back(node);
  for (Node* node : path) node->locked = true;
  std::int64_t covered = 0;
  for (Node* node : whole) {
    if (!node->gpu) {
      if (!free_gpu(node->size())) break;
      node->gpu = true;
      gpu_used_ += node->size();
    }
    covered += node->size();
  }
  const std::int64_t fresh = static_cast<std::int64_t>(keys.size()) - covered;
  if (fresh > 0 && free_gpu(fresh)) {
    auto node = std::make_unique<Node>();
    node->keys.assign(keys.begin() + covered, keys.end());
    node->parent = whole.empty() ? root_.get() : whole.back();
    node->gpu = true;
    node->used = now_;
    gpu_used_ += fresh;
    Node* raw = node.get();
    raw->parent->children[raw->keys.front()] = std::move(node);
    raw->locked = true;
    path.push_back(raw);
    whole.push_back(raw);
  }
  const std::int64_t wanted = config_.write_policy == WritePolicy::write_through ? 1 : 2;
  for (Node* node : whole) {
    ++node->hits;
    if (config_.write_policy != WritePolicy::write_back && node->hits >= wanted) back_up(node);
  }
  settle();
  out.stored_chunks = stored_ * page_blocks_;
  return out;
}

bool RadixTier::holds(std::uint64_t key, bool gpu) const {
  if (places_.empty()) {
    std::vector<const Node*> open{root_.get()};
    while (!open.empty()) {
      const Node* n = open.back();
      open.pop_back();
      for (const std::uint64_t k : n->keys) places_[k] = {n->gpu, n->host};
      for (const auto& child : n->children) open.push_back(child.second.get());
    }
  }
  const auto it = places_.find(key);
  return it != places_.end() && (gpu ? it->second.first : it->second.second);
}

void RadixTier::reset_gpu() {
  places_.clear();
  root_ = std::make_unique<Node>();  // a flush empties both: the host part hangs on the same tree
  gpu_used_ = host_used_ = 0;
}

void RadixTier::reset_host() {
  places_.clear();
  std::vector<Node*> all;
  collect(root_.get(), all);
  std::reverse(all.begin(), all.end());  // children first
  for (Node* n : all) {
    n->host = false;
    if (!n->gpu) drop(n);
  }
  host_used_ = 0;
}

}  // namespace kvcliff::cache
