// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/estimate.h"

#include <algorithm>

#include "base/text.h"

namespace kvcliff::experiment {
namespace {

// Of one session, beside its requests: the emulated engine starts in its own time, our own steps around it do not scale.
constexpr double start_ms = 2500, around_ms = 1500;
// Requests of a session that are not measured: the plan's least warm-up, and two to see that TTFT is steady.
constexpr int steady_requests = 2;

}  // namespace

std::string extra_argument(const plan::Plan& plan, const std::string& flag) {
  const auto& args = plan.engine.extra_args;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (args[i] == flag && i + 1 < args.size()) return args[i + 1];
    if (args[i].rfind(flag + "=", 0) == 0) return args[i].substr(flag.size() + 1);
  }
  return {};
}

Estimate session_time(const plan::Plan& p, const PresetCost& cost) {
  if (p.engine.adapter != "emulator") return {std::nullopt, "the speed of a real engine is not known before the first run"};
  const std::string preset = extra_argument(p, "--emulate-preset");
  const auto one = cost(preset);
  if (!one) return {std::nullopt, "the emulator has no preset " + preset};
  const auto& w = p.workload;
  if (w.kind == workload::Spec::Kind::trace) return {std::nullopt, "the lengths of a trace are not known before it is read"};
  const double scale = parse_double(extra_argument(p, "--emulate-time-scale")).value_or(1.0);
  const auto tokens = static_cast<double>(w.tokens + (w.rounds - 1) * w.turn_tokens / 2);  // half of the turns on average
  const double ms = (one->whole_prompt_ms(tokens) + one->decode_ms * static_cast<double>(w.output_tokens)) * scale +
                    2.0 * p.limits.settle.quiet_ms;
  const auto requests = static_cast<double>(plan::request_count(p).value_or(0) + p.warmup.min_requests + steady_requests);
  const int together = p.load.mode == plan::LoadSpec::Mode::closed ? std::max(1, p.load.concurrency) : 1;
  return {(requests * ms / together + start_ms * scale + around_ms) / 1000, {}};
}

Estimate run_time(const plan::Plan& plan, const PresetCost& cost) {
  Estimate out{0.0, {}};
  for (const auto& s : plan::schedule(plan)) {
    const auto seen = plan::for_arm(plan, s.arm);
    if (!seen) continue;
    const Estimate one = session_time(*seen, cost);
    if (!one.seconds) return one;
    *out.seconds += *one.seconds;
  }
  return out;
}

}  // namespace kvcliff::experiment
