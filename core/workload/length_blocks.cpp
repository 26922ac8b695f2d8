// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/length_blocks.h"

#include <algorithm>
#include <numeric>

namespace kvcliff::workload {

std::optional<OpenPrompts::Prompt> OpenPrompts::take(std::int64_t input, std::int64_t session) {
  auto& open = by_session_[session];
  auto it = open.upper_bound(input);
  if (it == open.begin()) return std::nullopt;
  --it;
  const Prompt out = it->second;
  open.erase(it);
  return out;
}

void OpenPrompts::add(std::int64_t tokens_with_answer, std::int64_t session, Prompt p) { by_session_[session].emplace(tokens_with_answer, p); }

void LengthBlocks::append(std::int64_t input, std::int64_t output, std::int64_t session) {
  auto& ids = trace_.ids;
  auto& parents = trace_.parents;
  const std::size_t first = ids.size();
  const std::int64_t full = input / trace_.block_tokens;
  ids.resize(first + static_cast<std::size_t>(full));
  std::int64_t done = 0;
  // New blocks from the one numbered `done` on, up to `end`.
  const auto fresh = [&](std::int64_t end) {
    const auto count = static_cast<std::size_t>(end - done);
    if (count == 0) return;
    const auto id = static_cast<std::uint32_t>(parents.size());
    parents.resize(parents.size() + count);
    parents[id] = done == 0 ? Trace::none : ids[first + static_cast<std::size_t>(done) - 1];
    std::iota(parents.begin() + id + 1, parents.end(), id);
    const auto to = ids.begin() + static_cast<std::ptrdiff_t>(first) + done;
    std::iota(to, to + static_cast<std::ptrdiff_t>(count), id);
    done = end;
  };
  if (model_.kind == PrefixModel::Kind::shared) {
    const std::int64_t shared = std::min(full, model_.tokens / trace_.block_tokens), known = std::min(shared, static_cast<std::int64_t>(shared_.size()));
    std::copy(shared_.begin(), shared_.begin() + known, ids.begin() + static_cast<std::ptrdiff_t>(first));
    done = known;
    fresh(shared);
    shared_.insert(shared_.end(), ids.begin() + static_cast<std::ptrdiff_t>(first) + known, ids.begin() + static_cast<std::ptrdiff_t>(first) + shared);
  } else if (model_.kind == PrefixModel::Kind::continued) {
    if (const auto before = open_.take(input, session)) {
      const auto from = ids.begin() + static_cast<std::ptrdiff_t>(before->first);
      std::copy(from, from + before->blocks, ids.begin() + static_cast<std::ptrdiff_t>(first));
      done = before->blocks;
    }
  }
  fresh(full);
  if (model_.kind == PrefixModel::Kind::continued) open_.add(input + output, session, {first, full});
}

}  // namespace kvcliff::workload
