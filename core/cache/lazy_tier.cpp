// SPDX-License-Identifier: GPL-3.0-or-later
#include "cache/lazy_tier.h"

#include <algorithm>

#include "base/hash.h"

namespace kvcliff::cache {
namespace {
constexpr std::int64_t usual_batch = 8'192;  // tokens of a step where nothing is said
}

LazyTier::Pool::Pool(std::int64_t capacity, FreeOrder o) : order(o), blocks(static_cast<std::size_t>(std::clamp<std::int64_t>(capacity, 0, most_blocks))) {
  for (std::size_t b = 0; b < blocks.size(); ++b) blocks[b].place = free.insert(free.end(), static_cast<int>(b));
}

std::optional<int> LazyTier::Pool::find(std::uint64_t key) const {
  const auto it = table.find(key);
  return it == table.end() ? std::nullopt : std::optional(it->second.front());
}

void LazyTier::Pool::hold(int b) {
  Block& k = blocks[static_cast<std::size_t>(b)];
  if (k.users++ == 0) free.erase(k.place);
}

int LazyTier::Pool::take() {
  const int b = free.front();
  Block& k = blocks[static_cast<std::size_t>(b)];
  hold(b);
  if (k.key) {
    auto& same = table.at(*k.key);
    same.erase(std::find(same.begin(), same.end(), b));
    if (same.empty()) table.erase(*k.key);
    k.key.reset();
  }
  return b;
}

void LazyTier::Pool::give(int b) {
  Block& k = blocks[static_cast<std::size_t>(b)];
  if (--k.users > 0) return;
  k.place = free.insert(k.key || order == FreeOrder::append ? free.end() : free.begin(), b);
}

void LazyTier::Pool::publish(int b, std::uint64_t key) {
  blocks[static_cast<std::size_t>(b)].key = key;
  table[key].push_back(b);
}

LazyTier::LazyTier(const Config& c)
    : config_(c),
      gpu_(c.gpu_blocks, c.free_order),
      host_(c.host_chunks, FreeOrder::prepend),
      target_(2 * (((c.max_batched_tokens > 0 ? c.max_batched_tokens : usual_batch) + c.block_size - 1) / c.block_size)) {}

// One step's walk; the copies are over before the next step is scheduled.
std::int64_t LazyTier::walk() {
  if (cursor_ && gpu_.blocks[static_cast<std::size_t>(*cursor_)].users > 0) cursor_.reset();
  auto at = cursor_ ? std::next(gpu_.blocks[static_cast<std::size_t>(*cursor_)].place) : gpu_.free.begin();
  std::vector<int> copied;
  const std::size_t room = host_.free.size();
  for (std::int64_t covered = 0; at != gpu_.free.end() && covered < target_ && copied.size() < room; ++covered, ++at) {
    cursor_ = *at;
    const auto& key = gpu_.blocks[static_cast<std::size_t>(*at)].key;
    if (key && !host_.find(*key)) copied.push_back(*at);
  }
  std::vector<int> to;
  for (std::size_t i = 0; i < copied.size(); ++i) to.push_back(host_.take());
  for (const int b : copied) gpu_.hold(b);
  for (std::size_t i = 0; i < copied.size(); ++i) host_.publish(to[i], *gpu_.blocks[static_cast<std::size_t>(copied[i])].key);
  for (const int b : to) host_.give(b);
  for (const int b : copied) gpu_.give(b);
  return static_cast<std::int64_t>(copied.size());
}

Outcome LazyTier::run(const Request& q) {
  const std::int64_t B = config_.block_size, n = q.prompt_tokens, last = n + std::max<std::int64_t>(q.output_tokens, 1) - 1;
  std::vector<std::uint64_t> keys = q.keys;
  keys.resize(static_cast<std::size_t>(last / B));
  for (std::size_t i = q.keys.size(); i < keys.size(); ++i) keys[i] = hash64(&++anonymous_, sizeof anonymous_, 0x6c617a79ULL);

  Outcome out;
  std::vector<int> held, from;
  const auto most = static_cast<std::size_t>((n - 1) / B);  // look-ups end before the last token
  while (held.size() < most) {
    const auto b = gpu_.find(keys[held.size()]);
    if (!b) break;
    gpu_.hold(*b);
    held.push_back(*b);
  }
  while (held.size() + from.size() < most) {
    const auto b = host_.find(keys[held.size() + from.size()]);
    if (!b) break;
    host_.hold(*b);
    from.push_back(*b);
  }
  out.gpu_hit = static_cast<std::int64_t>(held.size()) * B;
  out.host_loaded = static_cast<std::int64_t>(from.size()) * B;
  out.computed = n - out.gpu_hit - out.host_loaded;
  std::int64_t done = out.gpu_hit + out.host_loaded;
  const auto extend = [&] {
    while (static_cast<std::int64_t>(held.size()) * B < done) held.push_back(gpu_.take());
    for (std::size_t i = 0; i < static_cast<std::size_t>(done / B); ++i)
      if (!gpu_.blocks[static_cast<std::size_t>(held[i])].key) gpu_.publish(held[i], keys[i]);
  };
  if (!from.empty()) {  // a step of its own issues the load
    extend();
    out.stored_chunks += walk();
    for (const int b : from) host_.give(b);
  }
  const std::int64_t budget = config_.max_batched_tokens > 0 ? config_.max_batched_tokens : n;
  while (done < last) {
    done = done < n ? std::min(n, done + budget) : done + 1;
    extend();
    out.stored_chunks += walk();
  }
  for (std::size_t i = held.size(); i-- > 0;) gpu_.give(held[i]);
  return out;
}

void LazyTier::reset_gpu() {
  gpu_ = Pool(config_.gpu_blocks, config_.free_order);
  cursor_.reset();
}

void LazyTier::reset_host() { host_ = Pool(config_.host_chunks, FreeOrder::prepend); }

}  // namespace kvcliff::cache
