// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/advice_text.h"

#include <fmt/format.h>

#include <ostream>

#include "base/text.h"

namespace kvcliff::cli {

void print_advice(const Context& context, const analysis::TierSizing& t, const analysis::NoReuseReport& reuse) {
  auto& out = context.out;
  out << "\nHost tier for a target share of the revisits' tokens (predicted by the engine's rules):\n";
  const auto size = [&](std::int64_t chunks) {
    const std::string blocks = grouped(chunks * t.blocks_per_chunk) + " blocks";
    return t.chunk_bytes > 0 ? blocks + ", " + human_bytes(Bytes(chunks * t.chunk_bytes)) : blocks + ", bytes unknown";
  };
  if (!t.sizing) out << "  not known: " << t.why << "\n";
  else {
    for (const auto& s : t.sizing->sizes)
      out << fmt::format("  {:>5.1f} %  {}\n", 100 * (s.chunks ? s.share : s.asked), s.chunks ? size(*s.chunks) : std::string("no size gives this"));
    out << fmt::format("  this run: {}{}\n", size(t.present_chunks), t.sizing->present ? fmt::format(", {:.1f} %", 100 * *t.sizing->present) : std::string());
  }
  out << "\nWhy was there no reuse:\n";
  if (!reuse.why.empty()) out << "  not known: " << reuse.why << "\n";
  else if (reuse.rows.empty()) out << "  everything that could be reused was\n";
  for (const auto& r : reuse.rows)
    out << fmt::format("  {}, {}: {} request{} ({} tokens computed), document{} {}. {}. To change: {}.\n", r.arm, r.kind, grouped(r.requests), r.requests == 1 ? "" : "s",
                       grouped(r.tokens), r.documents.size() == 1 ? "" : "s", analysis::document_words(r.documents), r.example, r.next);
}

}  // namespace kvcliff::cli
