// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

#include "experiment/estimate.h"
#include "ui/bridge/model_sizes.h"
#include "ui/bridge/run_data.h"

namespace kvcliff::ui {

/// Cost of a request by the emulator's preset (experiment::PresetCost).
std::optional<experiment::RequestCost> preset_cost(const std::string& preset);

/// The emulator's time scale among the words of a command line; 1 where none is given.
double emulated_scale(const std::vector<std::string>& argv);

/// Fills the predicted TTFT of every request that has predicted sources: of an emulated engine by its preset, times
/// `time_scale` (emulated_scale); of a real one by the class of GPU that the host's facts name, as a guess from public figures. Sets
/// `ttft_origin`; where neither is known nothing is predicted, and it says so.
void predict_times(RunData& data, const plan::Plan& plan, const ModelSizes& sizes, const Json& host, double time_scale);

}  // namespace kvcliff::ui
