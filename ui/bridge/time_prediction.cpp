// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/time_prediction.h"

#include <QObject>
#include <cmath>
#include <functional>

#include "analysis/priors.h"
#include "base/text.h"
#include "emulator/timing.h"

namespace kvcliff::ui {
namespace {

const emulator::Timing* timing_of(const std::string& preset) {
  return emulator::find_preset(preset.empty() ? emulator::timing_presets().front().name : std::string_view(preset));
}

// The first GPU that the machine's facts name.
std::string gpu_name(const Json& host) {
  if (!host.is_object() || !host.contains("gpus")) return {};
  const Json& gpus = host.at("gpus");
  const Json& list = gpus.is_object() && gpus.contains("list") ? gpus.at("list") : gpus;
  if (!list.is_array() || list.empty() || !list[0].is_object()) return {};
  return list[0].value("name", std::string());
}

using Time = std::function<double(double computed, double before, double bytes)>;

Time guess(const plan::Plan& plan, const model::KvLayout& layout, const analysis::GpuClass& gpu) {
  const auto& d = layout.dimensions;
  if (!d.active_linear_parameters || !d.heads || !d.head_dim) return {};
  const double ranks = std::max(1, plan.model.tp);
  const analysis::PrefillShape shape{double(*d.active_linear_parameters) / ranks, double(d.layers.value_or(0)), double(*d.heads) / ranks, double(*d.head_dim), 0};
  return [model = analysis::a_priori(shape, gpu)](double computed, double before, double bytes) { return model.at(computed, before, bytes); };
}

}  // namespace

double emulated_scale(const std::vector<std::string>& argv) {
  double out = 1;
  for (std::size_t i = 0; i < argv.size(); ++i) {  // the last one counts, as for the emulator itself
    if (argv[i] == "--emulate-time-scale" && i + 1 < argv.size()) out = parse_double(argv[i + 1]).value_or(out);
    if (argv[i].rfind("--emulate-time-scale=", 0) == 0) out = parse_double(argv[i].substr(21)).value_or(out);
  }
  return out;
}

std::optional<experiment::RequestCost> preset_cost(const std::string& preset) {
  const auto* t = timing_of(preset);
  if (!t) return std::nullopt;
  return experiment::RequestCost{[t](double tokens) { return emulator::expected_ttft_ms(*t, tokens, 0, 0); }, t->decode};
}

void predict_times(RunData& data, const plan::Plan& plan, const ModelSizes& sizes, const Json& host, double time_scale) {
  for (RunRequest& r : data.requests) r.predicted_ttft_ns = -1;
  const auto layout = sizes.layout_of_run(plan, host);
  if (!layout) {
    data.ttft_origin = QObject::tr("no predicted TTFT: the model cannot be sized");
    return;
  }
  Time time;
  double scale = time_scale;
  if (plan.engine.adapter == "emulator") {
    const std::string preset = experiment::extra_argument(plan, "--emulate-preset");
    if (const auto* t = timing_of(preset)) {
      time = [t](double computed, double before, double bytes) { return emulator::expected_ttft_ms(*t, computed, before, bytes); };
      data.ttft_origin = QObject::tr("dashes: TTFT by the emulator's preset %1").arg(QString::fromUtf8(t->name.data(), qsizetype(t->name.size())));
    }
  } else if (const analysis::GpuClass* gpu = analysis::gpu_class(gpu_name(host))) {
    time = guess(plan, *layout, *gpu);
    scale = 1;
    if (time) data.ttft_origin = QObject::tr("dashes: TTFT guessed from public figures of %1").arg(QString::fromUtf8(gpu->name.data(), qsizetype(gpu->name.size())));
  }
  if (!time) {
    data.ttft_origin = QObject::tr("no predicted TTFT: the speed of this engine is not known");
    return;
  }
  const double bytes_per_token = double(layout->bytes_per_token_all_ranks);
  for (RunRequest& r : data.requests) {
    if (!r.has_prediction()) continue;
    // A full hit still runs one token.
    const double computed = std::max(1.0, r.predicted[2]);
    r.predicted_ttft_ns = std::int64_t(std::llround(time(computed, r.predicted[0] + r.predicted[1], r.predicted[1] * bytes_per_token) * scale * 1e6));
  }
}

}  // namespace kvcliff::ui
