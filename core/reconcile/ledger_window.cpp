// SPDX-License-Identifier: GPL-3.0-or-later
// The ledger of a session with several requests in flight.
#include <fmt/format.h>

#include <cmath>

#include "reconcile/common.h"
#include "reconcile/ledger_line.h"

namespace kvcliff::reconcile {
namespace {

constexpr const char* no_order = "several requests were in flight: which one the engine took first is its own choice, and the prediction is of one at a time";

std::optional<double> sum(const std::optional<double>& a, const std::optional<double>& b) { return a && b ? std::optional(*a + *b) : std::nullopt; }

LedgerLine measured_only(const char* quantity, const char* unit, std::optional<double> value) {
  LedgerLine line;
  line.quantity = quantity;
  line.unit = unit;
  line.measured = value;
  line.why = value ? no_order : missing;
  line.covered = value.has_value();  // by the sums: the sources add up, the bytes are whole entries
  return line;
}

/// Cached tokens as the answers state them, all requests; nullopt when one of them states none.
std::optional<double> cached_in_answers(const SessionInput& s) {
  double total = 0;
  for (const auto& r : s.requests) {
    const auto& cached = r.stream.usage.cached_tokens;
    // Releases before 0.24 leave a count of 0 out; whether this one does is seen where others state theirs.
    if (!cached && r.stream.outcome != Outcome::complete) return std::nullopt;
    total += static_cast<double>(cached.value_or(0));
  }
  return total;
}

bool any_cached(const SessionInput& s) {
  for (const auto& r : s.requests)
    if (r.stream.usage.cached_tokens) return true;
  return false;
}

}  // namespace

void add_window_lines(const SessionInput& s, double warm_prompt, std::vector<LedgerLine>& out) {
  double prompt = 0;
  for (const auto& r : s.requests)
    if (!r.plan.warmup) prompt += static_cast<double>(r.plan.prompt_tokens);
  const auto computed = moved(s, by_source, source_computed), gpu = moved(s, by_source, source_gpu), host = moved(s, by_source, source_host);
  const auto recomputed = moved(s, "prompt_tokens_recomputed").value_or(0);

  out.push_back(Line("prompt_tokens_by_source, all", "tokens").expected(prompt).measured(sum(sum(computed, gpu), host), missing)
                    .part("warm-up", warm_prompt).part("last token recomputed after a full hit", recomputed).done());
  if (any_cached(s))
    out.push_back(Line("gpu_hit + host_loaded, by the answers", "tokens").expected(cached_in_answers(s)).measured(sum(gpu, host), missing).done());
  out.push_back(measured_only("prompt_tokens_by_source{computed}", "tokens", computed));
  out.push_back(measured_only("prompt_tokens_by_source{gpu_hit}", "tokens", gpu));
  out.push_back(measured_only("prompt_tokens_by_source{host_loaded}", "tokens", host));

  const auto loaded = moved(s, "kv_offload_load_bytes"), stored = moved(s, "kv_offload_store_bytes");
  if (!s.offload && loaded.value_or(0) == 0 && stored.value_or(0) == 0) return;
  if (!s.kv.bytes_per_token) {
    out.push_back(measured_only("kv_offload_load_bytes", "bytes", loaded));
    out.back().why = "KV bytes per token are not known: " + s.kv.from;
    out.back().covered = false;
    return;
  }
  // Tokens that came over the link, as the source counter books them, in bytes: exact whatever the order was.
  const double per_token = static_cast<double>(*s.kv.bytes_per_token);
  out.push_back(Line("kv_offload_load_bytes", "bytes").expected(host ? std::optional(*host * per_token) : std::nullopt).measured(loaded, missing).done());
  out.push_back(measured_only("kv_offload_store_bytes", "bytes", stored));
  if (!stored) return;
  // What is stored depends on the order too, but it is whole entries of the tier.
  const double chunk = static_cast<double>(*s.chunk_bytes());
  out.push_back(Line("kv_offload_store_bytes beyond whole entries", "bytes").expected(0.0).measured(std::fmod(*stored, chunk), missing).done());
}

}  // namespace kvcliff::reconcile
