// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <utility>

namespace kvcliff::analysis {

/// Student's t: the value that leaves (1 - confidence) / 2 in each tail. `df` >= 1.
double t_quantile(double confidence, double df);
/// P(T > t) for a noncentral t with `df` degrees of freedom and noncentrality `ncp`.
double noncentral_t_above(double t, double df, double ncp);
/// Power of a two-sided t test at level `alpha` when the standardised effect is `ncp`.
double t_test_power(double ncp, double df, double alpha = 0.05);
/// Standardised effect that a two-sided t test finds with `power`.
double detectable_ncp(double df, double power = 0.8, double alpha = 0.05);
/// Upper confidence limit of a standard deviation estimated with `df` degrees of freedom, as a factor on the estimate:
/// with probability `confidence` the true value lies below factor x estimate.
double sd_upper_factor(double df, double confidence = 0.8);
/// Exact (Clopper-Pearson) interval of a share. `n` = 0 gives 0..1.
std::pair<double, double> share_interval(std::int64_t successes, std::int64_t n, double confidence = 0.95);

}  // namespace kvcliff::analysis
