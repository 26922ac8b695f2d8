// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/effect.h"
#include "analysis/power.h"
#include "analysis/sweep.h"
#include "analysis/ttft_model.h"
#include "analysis/verdict.h"
#include "reconcile/reconcile.h"

namespace kvcliff::analysis {

/// Where the difference between the arms comes from, by the control (what a GPU hit costs).
struct GainSplit {
  double off_ms = 0, on_ms = 0, gpu_hit_ms = 0;
  // Only where the revisits with the tier reused what the control's did, from the host (design: host - GPU hit = loading).
  double not_computing_ms = 0;   ///< off - GPU hit: what a free cache would save
  double loading_ms = 0;         ///< on - GPU hit: what the host load costs
};

/// GPU hit < host load < compute? Asked only where the revisits with the tier were loaded from the host.
struct ControlResult {
  int sessions = 0, requests = 0;
  double gpu_hit_ms = 0;         ///< geometric mean of the control's revisits
  double gpu_hit_median_ms = 0;
  std::optional<double> off_ms, on_ms;
  double gpu_hit_tokens = 0;     ///< per revisit of the control, mean
  std::optional<double> loaded_tokens;  ///< host loaded per revisit of the arm with the tier, mean; absent: not reported
  std::optional<bool> as_expected;      ///< absent: nothing was loaded, or times or sources are not known
  std::string note;              ///< "within one session", or what is out of order
};

/// One thing that the run does not establish, with its reason from the facts of the run.
struct Limit {
  std::string what, why;
};

/// Wall time of a compared session's measured requests, all of them: the price beside the gain.
struct ArmTime {
  std::string arm;
  int sessions = 0;
  double mean_total_s = 0;       ///< per session: sum of request durations
};

struct Decision {
  Verdict verdict = Verdict::cannot_tell;
  Verdict unwithdrawn = Verdict::cannot_tell;   ///< what the rule says before gates; shown nowhere when withdrawn
  std::string why;
  std::string baseline_arm, treatment_arm;
  int sessions = 0;              ///< compared
  EffectResult effect, first_visits;
  std::string first_visit_caution;
  std::optional<Interval> bootstrap;
  std::optional<DetectableEffect> detectable;
  std::optional<PairsNeeded> pairs_needed;
  std::optional<GainSplit> gain;
  std::string gain_why;
  std::optional<ControlResult> control;
  std::string control_why;
  TtftFit ttft;
  BreakEvenResult break_even;
  std::vector<ArmTime> total_time;
  std::vector<std::string> warnings;            ///< slow first request, prompt lengths not as asked, ...
  std::vector<Limit> not_established;
  std::vector<Gate> gates;                      ///< complete
  std::optional<Cliff> cliff;                   ///< of a sweep

  bool withdrawn() const { return verdict == Verdict::withdrawn; }
  /// A sweep that compares no arms: it locates the cliff and claims nothing about times.
  bool only_locates() const { return cliff && sessions == 0 && !withdrawn(); }
};

/// Everything concluded from a run, by the present method.
struct Evaluation {
  reconcile::Reconciliation reconciliation;
  Decision decision;
  bool gates_pass() const;
};
Evaluation evaluate(const reconcile::ExperimentInput& input);

/// The JSON of `decide` (cli.md), and of `run` and `reconcile`.
OrderedJson decision_json(const reconcile::ExperimentInput& input, const Evaluation& e);
OrderedJson reconcile_json(const reconcile::ExperimentInput& input, const Evaluation& e, bool with_requests);

// Parts, for tests and for the window.
std::vector<ComparedSession> compared(const reconcile::ExperimentInput& input);
std::vector<Limit> limits_of(const reconcile::ExperimentInput& input, const Evaluation& e);
std::vector<std::string> run_warnings(const reconcile::ExperimentInput& input);
/// Settled, complete, measured requests as points of the TTFT model; of the calibration arm alone when there is one.
std::vector<TtftPoint> ttft_points(const reconcile::ExperimentInput& input);
std::optional<ControlResult> control_result(const reconcile::ExperimentInput& input, const EffectResult& effect, std::string& why);
/// R17 fails only where leaving the doubtful requests out, or taking the lag off one arm, would change the verdict.
void settle_clock_gate(const reconcile::ExperimentInput& input, const reconcile::Reconciliation& r, Verdict verdict,
                       std::vector<Gate>& gates);
/// Adds what equal arms (a/a) show to the control gate.
void settle_control_gate(const reconcile::ExperimentInput& input, std::vector<Gate>& gates);

}  // namespace kvcliff::analysis
