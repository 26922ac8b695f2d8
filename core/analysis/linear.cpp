// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/linear.h"

#include <algorithm>
#include <cmath>

namespace kvcliff::analysis {
namespace {
constexpr double largest_condition = 1e9;

bool all_finite(const Design& x, const std::vector<double>& y) {
  for (const auto& row : x)
    for (const double v : row)
      if (!std::isfinite(v)) return false;
  return std::all_of(y.begin(), y.end(), [](double v) { return std::isfinite(v); });
}

// Inverse of an upper triangular matrix, in place of a general solver: p is at most 7 here.
Design invert_upper(const Design& r) {
  const std::size_t p = r.size();
  Design out(p, std::vector<double>(p, 0.0));
  for (std::size_t j = 0; j < p; ++j) {
    out[j][j] = 1.0 / r[j][j];
    for (std::size_t i = j; i-- > 0;) {
      double sum = 0;
      for (std::size_t k = i + 1; k <= j; ++k) sum += r[i][k] * out[k][j];
      out[i][j] = -sum / r[i][i];
    }
  }
  return out;
}
}  // namespace

double LinearFit::standard_error(std::size_t i, double residual_variance) const {
  return std::sqrt(std::max(0.0, inverse[i][i] * residual_variance));
}

std::optional<LinearFit> least_squares(const Design& x, const std::vector<double>& y,
                                       const std::vector<double>& weights) {
  const std::size_t n = x.size();
  if (n == 0 || n != y.size() || x[0].empty() || (!weights.empty() && weights.size() != n)) return std::nullopt;
  const std::size_t p = x[0].size();
  if (n < p || !all_finite(x, y)) return std::nullopt;
  const auto w = [&](std::size_t i) { return weights.empty() ? 1.0 : weights[i]; };

  Design a(n, std::vector<double>(p));
  std::vector<double> b(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double root = std::sqrt(w(i));
    for (std::size_t j = 0; j < p; ++j) a[i][j] = x[i][j] * root;
    b[i] = y[i] * root;
  }
  std::vector<double> scale(p);
  for (std::size_t j = 0; j < p; ++j) {
    double s = 0;
    for (std::size_t i = 0; i < n; ++i) s += a[i][j] * a[i][j];
    scale[j] = std::sqrt(s);
    if (!(scale[j] > 0)) return std::nullopt;
    for (std::size_t i = 0; i < n; ++i) a[i][j] /= scale[j];
  }

  for (std::size_t j = 0; j < p; ++j) {
    double norm = 0;
    for (std::size_t i = j; i < n; ++i) norm += a[i][j] * a[i][j];
    norm = std::sqrt(norm);
    if (!(norm > 0)) return std::nullopt;
    const double alpha = a[j][j] > 0 ? -norm : norm;
    std::vector<double> v(n - j);
    for (std::size_t i = j; i < n; ++i) v[i - j] = a[i][j];
    v[0] -= alpha;
    double vv = 0;
    for (const double e : v) vv += e * e;
    if (vv > 0) {
      for (std::size_t k = j; k <= p; ++k) {  // column p stands for b
        double dot = 0;
        for (std::size_t i = j; i < n; ++i) dot += v[i - j] * (k < p ? a[i][k] : b[i]);
        const double f = 2 * dot / vv;
        for (std::size_t i = j; i < n; ++i) (k < p ? a[i][k] : b[i]) -= f * v[i - j];
      }
    }
  }

  Design r(p, std::vector<double>(p, 0.0));
  double largest = 0, smallest = HUGE_VAL;
  for (std::size_t i = 0; i < p; ++i) {
    for (std::size_t j = i; j < p; ++j) r[i][j] = a[i][j];
    largest = std::max(largest, std::fabs(r[i][i]));
    smallest = std::min(smallest, std::fabs(r[i][i]));
  }
  if (!(smallest > 0) || largest / smallest > largest_condition) return std::nullopt;

  const Design inv = invert_upper(r);
  LinearFit fit;
  fit.condition = largest / smallest;
  fit.beta.assign(p, 0.0);
  fit.inverse.assign(p, std::vector<double>(p, 0.0));
  for (std::size_t i = 0; i < p; ++i) {
    for (std::size_t k = i; k < p; ++k) fit.beta[i] += inv[i][k] * b[k];
    fit.beta[i] /= scale[i];
    for (std::size_t j = 0; j < p; ++j) {
      double sum = 0;
      for (std::size_t k = std::max(i, j); k < p; ++k) sum += inv[i][k] * inv[j][k];
      fit.inverse[i][j] = sum / (scale[i] * scale[j]);
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    double e = y[i];
    for (std::size_t j = 0; j < p; ++j) e -= x[i][j] * fit.beta[j];
    fit.weighted_rss += w(i) * e * e;
  }
  fit.observations = static_cast<int>(n);
  fit.degrees_of_freedom = static_cast<int>(n - p);
  return fit;
}

double median_of_logs(std::vector<double> logs) {
  for (double& v : logs) v = std::exp(v);
  return median(std::move(logs));
}

double median(std::vector<double> v) {
  if (v.empty()) return std::nan("");
  const std::size_t m = v.size() / 2;
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(m), v.end());
  const double upper = v[m];
  if (v.size() % 2 == 1) return upper;
  return (*std::max_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(m)) + upper) / 2;
}

double mad_sd(const std::vector<double>& v) {
  const double m = median(v);
  std::vector<double> d;
  d.reserve(v.size());
  for (const double e : v) d.push_back(std::fabs(e - m));
  return 1.4826 * median(std::move(d));
}

}  // namespace kvcliff::analysis
