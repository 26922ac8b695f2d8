// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace kvcliff::analysis {

/// Rows of a design matrix, one vector per observation, all of the same length.
using Design = std::vector<std::vector<double>>;

/// A weighted least squares fit of few parameters.
struct LinearFit {
  std::vector<double> beta;
  /// (X'WX)^-1: the covariance of beta is this times the residual variance.
  std::vector<std::vector<double>> inverse;
  double weighted_rss = 0;  ///< sum of w r^2
  int observations = 0;
  int degrees_of_freedom = 0;
  /// Largest over smallest diagonal of R after columns were scaled to length 1: how near to singular the design is.
  double condition = 0;

  double standard_error(std::size_t i, double residual_variance) const;
};

/// Fits y = X beta by Householder QR; `weights` empty = 1 each. Nullopt when the columns are linearly dependent
/// (diagonal ratio above 1e9), there are fewer rows than columns, or a value is not finite.
std::optional<LinearFit> least_squares(const Design& x, const std::vector<double>& y,
                                       const std::vector<double>& weights = {});

double median(std::vector<double> v);
/// Of the values whose logarithms these are: the middle of an even number is their arithmetic mean, not the geometric one.
double median_of_logs(std::vector<double> logs);
/// Median absolute deviation from the median, scaled so that it estimates the SD of a normal distribution.
double mad_sd(const std::vector<double>& v);

}  // namespace kvcliff::analysis
