// SPDX-License-Identifier: GPL-3.0-or-later
// Private to workload.
#pragma once
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "workload/trace.h"

namespace kvcliff::workload {

/// The earlier prompts that a later one may continue, by PrefixModel::Kind::continued.
class OpenPrompts {
 public:
  struct Prompt {
    std::size_t first = 0;        ///< whatever the caller finds the prompt's blocks by
    std::int64_t blocks = 0;      ///< full blocks
  };
  /// The longest prompt of the session that fits into `input` tokens with its answer; it is taken out. Nullopt: none.
  std::optional<Prompt> take(std::int64_t input, std::int64_t session);
  void add(std::int64_t tokens_with_answer, std::int64_t session, Prompt p);

 private:
  std::unordered_map<std::int64_t, std::multimap<std::int64_t, Prompt>> by_session_;
};

/// Blocks of prompts whose lengths alone are known, by a prefix model.
class LengthBlocks {
 public:
  LengthBlocks(Trace& trace, const PrefixModel& model) : trace_(trace), model_(model) {}
  /// Appends the full blocks of the next prompt to the trace's ids. `session`: -1 when the file names none.
  void append(std::int64_t input, std::int64_t output, std::int64_t session);

 private:
  Trace& trace_;
  PrefixModel model_;
  std::vector<std::uint32_t> shared_;
  OpenPrompts open_;
};

}  // namespace kvcliff::workload
