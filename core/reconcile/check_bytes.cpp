// SPDX-License-Identifier: GPL-3.0-or-later
// R3, R7, R20: bytes over the link against tokens, blocks, and each other.
#include <fmt/format.h>

#include <cmath>

#include "base/text.h"
#include "reconcile/checks.h"
#include "reconcile/common.h"

namespace kvcliff::reconcile::checks {
namespace {
bool preempted(const RequestRecord& r) { return r.delta.value("num_preemptions").value_or(0) > 0; }

std::string no_bytes(const RequestRecord& r) {
  return r.bytes_from.empty() ? std::string("this engine reports no bytes") : r.bytes_from;
}

std::string no_kv(const SessionInput& s) {
  return "KV bytes per token are not known: " + (s.kv.from.empty() ? std::string("the model was not derived") : s.kv.from);
}
}  // namespace

// R3. To the byte, over all ranks.
CheckResult loaded_bytes(const RequestContext& c) {
  const auto& r = c.request;
  if (const auto bad = counters_unusable(c)) return *bad;
  const auto tokens = transferred_tokens(r);
  if (!c.session.offload && tokens.value_or(0) == 0 && (!r.loaded_bytes || r.loaded_bytes->v == 0))
    return not_applicable("this arm has no tier");
  if (preempted(r)) return not_possible("a preempted request moves bytes again but is not booked again");
  if (!tokens) return not_possible("the host load is not known: " + r.sources.host_loaded.from);
  if (!r.loaded_bytes) return not_possible(no_bytes(r));
  if (!c.session.kv.bytes_per_token) return not_possible(no_kv(c.session));
  const std::int64_t expected = *tokens * *c.session.kv.bytes_per_token;
  const std::int64_t residual = r.loaded_bytes->v - expected;
  if (residual == 0) return passed();
  return failed(static_cast<double>(residual),
                fmt::format("{} x {} bytes = {} expected, {} loaded", tokens_text(*tokens),
                            grouped(*c.session.kv.bytes_per_token), grouped(expected), grouped(r.loaded_bytes->v)));
}

// R7. Newly stored entries are what the prediction says; without one only whole entries can be asked for.
CheckResult stored_bytes(const RequestContext& c) {
  const auto& r = c.request;
  if (const auto bad = counters_unusable(c)) return *bad;
  if (!c.session.offload && (!r.stored_bytes || r.stored_bytes->v == 0)) return not_applicable("this arm has no tier");
  if (preempted(r)) return not_possible("a preempted request offers its blocks again");
  if (!r.stored_bytes) return not_possible(no_bytes(r));
  const auto chunk = c.session.chunk_bytes();
  if (!chunk) return not_possible(no_kv(c.session));
  if (r.stored_bytes->v % *chunk != 0)
    return failed(static_cast<double>(r.stored_bytes->v % *chunk),
                  fmt::format("{} bytes are no whole number of entries of {}", grouped(r.stored_bytes->v), grouped(*chunk)));
  if (!has_prediction(r)) return passed("whole entries only: no prediction of the newly stored blocks was made");
  const std::int64_t entries = r.stored_bytes->v / *chunk;
  const auto& p = r.plan.predicted.stored_blocks;
  if (p.contains(entries)) return passed();
  const std::int64_t nearest = entries < p.min ? p.min : p.max;
  return failed(static_cast<double>((entries - nearest) * *chunk),
                fmt::format("{} entries of {} bytes stored, {} newly stored blocks expected", entries, grouped(*chunk),
                            p.is_exact() ? fmt::format("{}", p.min) : fmt::format("{} to {}", p.min, p.max)));
}

CheckResult stored_bytes_session(const ExperimentInput&, const SessionInput& s) {
  if (!s.offload) return not_applicable("this arm has no tier");
  const auto chunk = s.chunk_bytes();
  if (!chunk) return not_possible(no_kv(s));
  if (!s.identity || !s.last) return not_possible("the first or the last scrape is missing");
  const auto before = s.identity->value("kv_offload_store_bytes"), after = s.last->value("kv_offload_store_bytes");
  if (!after) return not_possible("kv_offload_store_bytes is not reported");
  const auto stored = static_cast<std::int64_t>(std::llround(*after - before.value_or(0)));
  std::int64_t low = 0, high = 0;
  for (const auto& r : s.requests) {
    if (!has_prediction(r)) return not_possible("not every request of the session has a prediction of its stores");
    low += r.plan.predicted.stored_blocks.min;
    high += r.plan.predicted.stored_blocks.max;
  }
  if (stored >= low * *chunk && stored <= high * *chunk && stored % *chunk == 0) return passed();
  const std::int64_t nearest = stored < low * *chunk ? low * *chunk : stored > high * *chunk ? high * *chunk : stored - stored % *chunk;
  return failed(static_cast<double>(stored - nearest), fmt::format("{} bytes stored in the session, {} expected",
                                                                  grouped(stored), grouped(nearest)));
}

// R20. Two generations of one quantity count the same bytes; they are compared and never added.
CheckResult generations_agree(const RequestContext& c) {
  const auto& r = c.request;
  const auto old_load = r.delta.value("kv_offload_total_bytes", "CPU_to_GPU");
  const auto old_store = r.delta.value("kv_offload_total_bytes", "GPU_to_CPU");
  const auto new_load = r.delta.value("kv_offload_load_bytes"), new_store = r.delta.value("kv_offload_store_bytes");
  if (!old_load && !old_store) return not_applicable("one generation of the byte counters is exported");
  if (const auto bad = counters_unusable(c)) return *bad;
  double residual = 0;
  std::string why;
  const auto compare = [&](const std::optional<double>& a, const std::optional<double>& b, const char* what) {
    if (!a || !b || *a == *b) return;
    residual += *b - *a;
    why += fmt::format("{}{}: {} by the older, {} by the newer name", why.empty() ? "" : "; ", what,
                       grouped(std::llround(*a)), grouped(std::llround(*b)));
  };
  compare(old_load, new_load, "loaded");
  compare(old_store, new_store, "stored");
  if (why.empty()) return passed();
  return failed(residual, std::move(why));
}

}  // namespace kvcliff::reconcile::checks
