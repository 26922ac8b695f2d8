// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/distance.h"

#include <algorithm>

namespace kvcliff::workload {

DistanceMeter::DistanceMeter() : tree_(1024, 0) {}

void DistanceMeter::add(std::size_t position, std::int64_t amount) {
  for (; position < tree_.size(); position += position & (~position + 1)) tree_[position] += amount;
}

std::int64_t DistanceMeter::sum_to(std::size_t position) const {
  std::int64_t sum = 0;
  for (; position > 0; position &= position - 1) sum += tree_[position];
  return sum;
}

// Times are renumbered 1..distinct when the tree is full, which keeps its size within twice the distinct keys.
void DistanceMeter::compact() {
  std::vector<std::pair<std::size_t, std::uint64_t>> order;
  order.reserve(last_.size());
  for (const auto& [key, time] : last_) order.emplace_back(time, key);
  std::sort(order.begin(), order.end());
  tree_.assign(std::max<std::size_t>(1024, 2 * order.size() + 2), 0);
  now_ = 1;
  for (const auto& [time, key] : order) {
    last_[key] = now_;
    add(now_++, 1);
  }
}

std::int64_t DistanceMeter::reference(std::uint64_t key) {
  if (now_ == tree_.size()) compact();
  std::int64_t distance = -1;
  const auto [it, is_new] = last_.try_emplace(key, now_);
  if (!is_new) {
    distance = sum_to(now_ - 1) - sum_to(it->second - 1);
    add(it->second, -1);
    it->second = now_;
  }
  add(now_++, 1);
  return distance;
}

std::int64_t DistanceMeter::request(std::span<const std::uint64_t> keys) {
  std::int64_t largest = -1;
  for (auto it = keys.rbegin(); it != keys.rend(); ++it) largest = std::max(largest, reference(*it));
  return largest;
}

}  // namespace kvcliff::workload
