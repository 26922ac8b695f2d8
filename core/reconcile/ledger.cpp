// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <cmath>

#include "reconcile/common.h"
#include "reconcile/converted.h"
#include "reconcile/ledger_line.h"
#include "reconcile/totals.h"

namespace kvcliff::reconcile {
namespace {

struct Sums {
  double prompt = 0, warm_prompt = 0, output = 0, warm_output = 0;
  double duplicate = 0;     ///< stored bytes beyond the measured requests' windows
  bool predicted = true;
  PredictedTotals measured, warm;
  double recomputed = 0;    ///< last tokens booked twice (0.16 to 0.20)
};

Sums sums_of(const SessionInput& s) {
  Sums out;
  for (const auto& r : s.requests) {
    const auto n = static_cast<double>(r.plan.prompt_tokens);
    const double m = static_cast<double>(r.stream.usage.completion_tokens.value_or(r.plan.output_tokens));
    (r.plan.warmup ? out.warm_prompt : out.prompt) += n;
    (r.plan.warmup ? out.warm_output : out.output) += m;
    out.recomputed += r.delta.value("prompt_tokens_recomputed").value_or(0);
    if (!has_prediction(r)) {
      out.predicted = false;
      continue;
    }
    add_prediction(r, r.plan.warmup ? out.warm : out.measured);
  }
  return out;
}

// A range explains what lies inside it; the line then names the part that the engine's own order left open.
void add_range(Line& line, double low, double high, double measured) {
  if (high > low) line.part("order inside the host tier (random in this release)", std::clamp(measured, low, high) - low);
}

}  // namespace

std::optional<double> moved(const SessionInput& s, const char* name, const char* label) {
  if (!s.identity || !s.last) return std::nullopt;
  const auto after = label ? s.last->value(name, label) : s.last->value(name);
  if (!after) return std::nullopt;
  const auto before = label ? s.identity->value(name, label) : s.identity->value(name);
  return *after - before.value_or(0);
}

std::vector<LedgerLine> session_ledger(const SessionInput& s) {
  std::vector<LedgerLine> out;
  const Sums sums = sums_of(s);

  out.push_back(Line("prompt_tokens", "tokens").expected(sums.prompt).measured(moved(s, "prompt_tokens"), missing)
                    .part("warm-up", sums.warm_prompt).done());
  out.push_back(Line("generation_tokens", "tokens").expected(sums.output).measured(moved(s, "generation_tokens"), missing)
                    .part("warm-up", sums.warm_output).done());
  if (s.plan.load.mode != plan::LoadSpec::Mode::serial) {
    add_window_lines(s, sums.warm_prompt, out);
    return out;
  }

  const auto predicted_line = [&](const char* quantity, const char* unit, std::optional<double> measured, const Range& m,
                                  const Range& w, double recomputed) {
    Line line(quantity, unit);
    if (sums.predicted) line.expected(m.low);
    line.measured(measured, missing);
    if (sums.predicted) {
      line.part("warm-up", w.low);
      line.part("last token recomputed after a full hit", recomputed);
      if (measured) add_range(line, m.low + w.low + recomputed, m.high + w.high + recomputed, *measured);
    }
    out.push_back(line.done());
  };
  predicted_line("prompt_tokens_by_source{computed}", "tokens", moved(s, by_source, source_computed),
                 sums.measured.computed, sums.warm.computed, 0);
  predicted_line("prompt_tokens_by_source{gpu_hit}", "tokens", moved(s, by_source, source_gpu), sums.measured.gpu_hit,
                 sums.warm.gpu_hit, 0);
  predicted_line("prompt_tokens_by_source{host_loaded}", "tokens", moved(s, by_source, source_host),
                 sums.measured.host_loaded, sums.warm.host_loaded, 0);

  if (!s.offload && moved(s, "kv_offload_load_bytes").value_or(0) == 0 && moved(s, "kv_offload_store_bytes").value_or(0) == 0) return out;
  if (!s.kv.bytes_per_token) {
    LedgerLine none;
    none.quantity = "kv_offload_load_bytes";
    none.unit = "bytes";
    none.measured = moved(s, "kv_offload_load_bytes");
    none.why = "KV bytes per token are not known: " + s.kv.from;
    out.push_back(std::move(none));
    return out;
  }
  const double per_token = static_cast<double>(*s.kv.bytes_per_token);
  const double per_chunk = static_cast<double>(*s.chunk_bytes());
  predicted_line("kv_offload_load_bytes", "bytes", moved(s, "kv_offload_load_bytes"),
                 sums.measured.transferred * per_token, sums.warm.transferred * per_token, 0);
  predicted_line("kv_offload_store_bytes", "bytes", moved(s, "kv_offload_store_bytes"),
                 sums.measured.stored * per_chunk, sums.warm.stored * per_chunk, 0);
  return out;
}

}  // namespace kvcliff::reconcile
