// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/shared_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"

namespace kvcliff::workload {

SharedStart shared_start(std::span<const Prompt> prompts, std::int64_t block_size) {
  // The first prompt of each document stands for it: later ones repeat or continue it.
  std::vector<const Prompt*> firsts;
  std::set<int> seen;
  for (const auto& p : prompts)
    if (!p.warmup && (p.document < 0 || seen.insert(p.document).second)) firsts.push_back(&p);
  std::sort(firsts.begin(), firsts.end(), [](const Prompt* a, const Prompt* b) { return a->tokens < b->tokens; });
  // In lexical order the longest common start of any two stands between neighbours.
  std::vector<std::int64_t> common;
  SharedStart out;
  for (std::size_t i = 1; i < firsts.size(); ++i) {
    const auto& a = firsts[i - 1]->tokens;
    const auto& b = firsts[i]->tokens;
    const auto n = std::min(a.size(), b.size());
    const auto end = std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(n), b.begin()).first;
    common.push_back(end - a.begin());
    out.tokens = std::max(out.tokens, common.back());
  }
  if (block_size > 0) out.blocks = out.tokens / block_size;
  if (out.tokens == 0) return out;
  for (std::size_t i = 0; i < firsts.size(); ++i) {
    const bool before = i > 0 && common[i - 1] == out.tokens, after = i + 1 < firsts.size() && common[i] == out.tokens;
    out.documents += before || after ? 1 : 0;
  }
  return out;
}

std::optional<std::string> shared_start_warning(const SharedStart& found, const Spec& asked, std::int64_t block_size) {
  const std::int64_t wanted = asked.kind == Spec::Kind::trace ? 0 : asked.shared_prefix_tokens;
  if (found.tokens <= wanted || block_size < 1 || found.blocks <= wanted / block_size) return std::nullopt;
  return fmt::format("prompts share {} tokens", grouped(found.tokens));
}

}  // namespace kvcliff::workload
