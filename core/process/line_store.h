// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <deque>
#include <vector>

#include "record/session.h"

namespace kvcliff::process {

/// The captured lines of one launch in bounded memory: the first `head` (they hold the configuration) and the last
/// `tail` (they hold the end). What lies between is dropped here; every line has been given to the observer before.
class LineStore {
 public:
  explicit LineStore(std::size_t head = 100'000, std::size_t tail = 100'000) : head_limit_(head), tail_limit_(tail) {}
  void add(LogLine line);
  /// Lines that are kept, from number `from` in order of arrival.
  std::vector<LogLine> from(std::size_t from) const;
  std::size_t count() const { return head_.size() + dropped_ + tail_.size(); }
  std::size_t dropped() const { return dropped_; }

 private:
  std::size_t head_limit_, tail_limit_, dropped_ = 0;
  std::vector<LogLine> head_;
  std::deque<LogLine> tail_;
};

}  // namespace kvcliff::process
