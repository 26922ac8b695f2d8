// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/distributions.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>

namespace kvcliff::analysis {
namespace bm = boost::math;

double t_quantile(double confidence, double df) {
  return bm::quantile(bm::students_t(df), 1.0 - (1.0 - confidence) / 2.0);
}

// By its definition: T = (Z + ncp) / S with S^2 = chi^2(df) / df. Boost's series for the noncentral t loses accuracy
// for 1 degree of freedom and a large ncp, which is just where two pairs of sessions live; one integral over S does not.
double noncentral_t_above(double t, double df, double ncp) {
  const bm::chi_squared chi2(df);
  const bm::normal normal;
  // Over u = P(chi^2 <= x): the integrand is bounded by 1 and the range finite.
  const auto above = [&](double x) { return bm::cdf(bm::complement(normal, t * std::sqrt(x / df) - ncp)); };
  const auto density = [&](double s) {  // s = sqrt(x / df)
    const double x = s * s * df;
    return x > 0 ? bm::pdf(chi2, x) * 2 * s * df : 0.0;
  };
  const double top = std::sqrt(bm::quantile(bm::complement(chi2, 1e-14)) / df);
  const auto f = [&](double s) { return density(s) * above(s * s * df); };
  // The step of `above` lies at s = ncp / t; splitting there keeps both parts smooth.
  double edge = t != 0 ? ncp / t : 0;
  double sum = 0;
  using Rule = bm::quadrature::gauss_kronrod<double, 31>;
  if (edge > 0 && edge < top) {
    const double w = std::min({edge, top - edge, 8.0 / std::fabs(t)});
    sum += Rule::integrate(f, 0.0, edge - w, 8, 1e-10);
    sum += Rule::integrate(f, edge - w, edge + w, 8, 1e-10);
    sum += Rule::integrate(f, edge + w, top, 8, 1e-10);
  } else {
    sum = Rule::integrate(f, 0.0, top, 10, 1e-10);
  }
  return std::clamp(sum, 0.0, 1.0);
}

double t_test_power(double ncp, double df, double alpha) {
  const double t = t_quantile(1 - alpha, df);
  return std::min(1.0, noncentral_t_above(t, df, ncp) + noncentral_t_above(t, df, -ncp));
}

double detectable_ncp(double df, double power, double alpha) {
  double low = 0, high = 1;
  while (t_test_power(high, df, alpha) < power && high < 1e4) high *= 2;
  for (int i = 0; i < 60 && high - low > 1e-9 * high; ++i) {
    const double mid = (low + high) / 2;
    (t_test_power(mid, df, alpha) < power ? low : high) = mid;
  }
  return (low + high) / 2;
}

double sd_upper_factor(double df, double confidence) {
  return std::sqrt(df / bm::quantile(bm::chi_squared(df), 1.0 - confidence));
}

std::pair<double, double> share_interval(std::int64_t successes, std::int64_t n, double confidence) {
  if (n <= 0) return {0.0, 1.0};
  using Binomial = bm::binomial_distribution<>;
  const double tail = (1 - confidence) / 2;
  const auto nd = static_cast<double>(n), kd = static_cast<double>(successes);
  const double low = successes == 0 ? 0.0 : Binomial::find_lower_bound_on_p(nd, kd, tail);
  const double high = successes == n ? 1.0 : Binomial::find_upper_bound_on_p(nd, kd, tail);
  return {low, high};
}

}  // namespace kvcliff::analysis
