// SPDX-License-Identifier: GPL-3.0-or-later
#include "process/line_store.h"

namespace kvcliff::process {

void LineStore::add(LogLine line) {
  if (head_.size() < head_limit_) return head_.push_back(std::move(line));
  tail_.push_back(std::move(line));
  if (tail_.size() > tail_limit_) {
    tail_.pop_front();
    ++dropped_;
  }
}

std::vector<LogLine> LineStore::from(std::size_t from) const {
  std::vector<LogLine> out;
  for (std::size_t i = from; i < head_.size(); ++i) out.push_back(head_[i]);
  const std::size_t tail_start = head_.size() + dropped_;
  for (std::size_t i = from > tail_start ? from - tail_start : 0; i < tail_.size(); ++i) out.push_back(tail_[i]);
  return out;
}

}  // namespace kvcliff::process
