// SPDX-License-Identifier: GPL-3.0-or-later
#include "reconcile/common.h"

#include <cctype>
#include <cmath>

#include "base/text.h"

namespace kvcliff::reconcile {
namespace {
CheckResult make(CheckState state, double residual, std::string why) {
  CheckResult r;
  r.state = state;
  r.residual = residual;
  r.why = std::move(why);
  return r;
}
}  // namespace

CheckResult passed(std::string note) { return make(CheckState::pass, 0, std::move(note)); }
CheckResult failed(double residual, std::string why) { return make(CheckState::fail, residual, std::move(why)); }
CheckResult not_possible(std::string why) { return make(CheckState::not_possible, 0, std::move(why)); }
CheckResult not_settled(std::string why) { return make(CheckState::not_settled, 0, std::move(why)); }
CheckResult not_applicable(std::string why) { return make(CheckState::not_applicable, 0, std::move(why)); }

std::optional<CheckResult> counters_unusable(const RequestContext& c) {
  if (c.session.plan.load.mode != plan::LoadSpec::Mode::serial)
    return not_possible("several requests were in flight: counters belong to the whole window, see the session totals");
  if (!c.request.settled)
    return not_settled(c.request.not_settled_why.empty() ? "the counters were still moving when waiting ended"
                                                         : c.request.not_settled_why);
  return std::nullopt;
}

std::optional<std::int64_t> transferred_tokens(const RequestRecord& r) {
  if (const auto v = r.delta.value(by_source, source_host)) return static_cast<std::int64_t>(std::llround(*v));
  if (r.sources.host_loaded.value) return r.sources.host_loaded.value->v;
  return std::nullopt;
}

std::optional<std::int64_t> hit_tokens(const RequestRecord& r) {
  if (!r.sources.gpu_hit.value || !r.sources.host_loaded.value) return std::nullopt;
  return r.sources.gpu_hit.value->v + r.sources.host_loaded.value->v;
}

std::int64_t prompt_of(const RequestRecord& r) {
  if (r.stream.usage.prompt_tokens) return *r.stream.usage.prompt_tokens;
  if (const auto v = r.delta.value("prompt_tokens")) return static_cast<std::int64_t>(std::llround(*v));
  return r.plan.prompt_tokens;
}

bool cancelled_by_us(const RequestRecord& r) { return r.stream.outcome == Outcome::cancelled; }

bool recomputed_term(const RequestRecord& r) { return r.delta.value("prompt_tokens_recomputed").has_value(); }

bool has_prediction(const RequestRecord& r) { return r.plan.predicted.computed.max > 0; }

std::optional<bool> version_at_least(std::string_view text, int major, int minor) {
  const auto digit = [](char ch) { return std::isdigit(static_cast<unsigned char>(ch)) != 0; };
  std::size_t i = 0;
  while (i < text.size() && !digit(text[i])) ++i;
  const auto number = [&]() -> std::optional<int> {
    if (i >= text.size() || !digit(text[i])) return std::nullopt;
    int v = 0;
    for (; i < text.size() && digit(text[i]) && v < 100'000; ++i) v = v * 10 + (text[i] - '0');
    return v;
  };
  const auto a = number();
  if (!a || i >= text.size() || text[i] != '.') return std::nullopt;
  ++i;
  const auto b = number();
  if (!b) return std::nullopt;
  return *a != major ? *a > major : *b >= minor;
}

std::string tokens_text(std::int64_t n) { return n == 1 || n == -1 ? grouped(n) + " token" : grouped(n) + " tokens"; }

}  // namespace kvcliff::reconcile
