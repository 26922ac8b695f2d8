// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace kvcliff::chart {
namespace {

constexpr double largest = 1e18;  // labels are whole numbers of 64 bits

double clean(double v) { return std::clamp(v, -largest, largest); }

double nice_step(double raw, Unit unit) {
  if (!(raw > 0)) return 1;
  if (unit == Unit::bytes && raw >= 1) return std::exp2(std::ceil(std::log2(raw) - 1e-9));
  const double decade = std::pow(10, std::floor(std::log10(raw)));
  const bool whole = unit == Unit::tokens || unit == Unit::blocks;
  for (const double m : {1.0, 2.0, 2.5, 5.0, 10.0}) {
    const double step = m * decade;
    if (whole && (step < 1 || step != std::floor(step))) continue;
    if (step >= raw * (1 - 1e-9)) return step;
  }
  return whole ? std::max(1.0, 10 * decade) : 10 * decade;
}

int decimals_for(double step) {
  if (!(step > 0)) return 0;
  int d = 0;
  while (d < 9 && std::fabs(step - std::round(step)) > 1e-9 * std::fabs(step)) step *= 10, ++d;
  return d;
}

std::string fixed(double v, int decimals) {
  std::string s = fmt::format("{:.{}f}", v, decimals);
  if (s.find_first_not_of("-0.") == std::string::npos && s[0] == '-') s.erase(0, 1);  // no "-0"
  const auto dot = s.find('.');
  const std::string head = s.substr(0, dot);
  const auto whole = parse_int(head);
  if (!whole || std::abs(*whole) < 1000) return s;
  return grouped(*whole) + (dot == std::string::npos ? "" : s.substr(dot));
}

std::string bytes_label(double v) {
  constexpr const char* names[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  int k = 0;
  while (k < 5 && std::fabs(v) >= 1024) v /= 1024, ++k;
  return fmt::format("{} {}", fixed(v, decimals_for(std::round(v * 1000) / 1000)), names[k]);
}

}  // namespace

Range auto_range(const std::vector<double>& values, bool log) {
  double low = 0, high = 0;
  bool any = false;
  for (double v : values) {
    if (!std::isfinite(v) || (log && v <= 0)) continue;
    v = clean(v);
    low = any ? std::min(low, v) : v;
    high = any ? std::max(high, v) : v;
    any = true;
  }
  if (!any) return log ? Range{1, 10} : Range{0, 1};
  if (log) {
    if (high / low < 1.01) return {low / 2, high * 2};
    return {low, high};
  }
  const double size = std::max(std::fabs(low), std::fabs(high));
  if (high - low <= size * 1e-9) {
    const double half = size > 0 ? size * 0.5 : 0.5;
    return {low - half, high + half};
  }
  return {low, high};
}

Range to_ticks(Range r, Unit unit, bool log, int about) {
  if (log) {
    const auto down = [](double v) {
      const double d = std::pow(10, std::floor(std::log10(v) + 1e-12));
      return v >= 5 * d ? 5 * d : v >= 2 * d ? 2 * d : d;
    };
    const double low = down(r.low);
    double high = down(r.high);
    while (high < r.high * (1 - 1e-12)) {
      const double lead = high / std::pow(10, std::floor(std::log10(high) + 1e-12));
      high *= lead > 1.5 && lead < 3 ? 2.5 : 2;
    }
    return {low, high > low ? high : low * 10};
  }
  const double step = nice_step((r.high - r.low) / std::max(1, about), unit);
  return {std::floor(r.low / step + 1e-9) * step, std::ceil(r.high / step - 1e-9) * step};
}

std::vector<Tick> ticks(Range r, Unit unit, bool log, int about) {
  std::vector<Tick> out;
  if (!std::isfinite(r.low) || !std::isfinite(r.high) || !(r.low < r.high) || (log && r.low <= 0)) return out;
  about = std::clamp(about, 1, 50);
  if (log) {
    const int first = static_cast<int>(std::floor(std::log10(r.low))), last = static_cast<int>(std::ceil(std::log10(r.high)));
    const int decades = last - first;
    const int every = std::max(1, decades / about);
    for (int d = first; d <= last && out.size() < 50; d += every)
      for (const double m : {1.0, 2.0, 5.0}) {
        if (m > 1 && decades * 3 > about * 2) continue;
        const double v = m * std::pow(10, d);
        if (v >= r.low * (1 - 1e-9) && v <= r.high * (1 + 1e-9)) out.push_back({v, tick_label(v, unit, v)});
      }
    return out;
  }
  const double step = nice_step((r.high - r.low) / (unit == Unit::share ? std::min(about, 4) : about), unit);
  const double start = std::ceil(r.low / step - 1e-9);
  for (int i = 0; i < 50; ++i) {
    const double v = (start + i) * step;
    if (v > r.high + step * 1e-9) break;
    out.push_back({v, tick_label(v, unit, step)});
  }
  return out;
}

std::string tick_label(double v, Unit unit, double step) {
  if (!std::isfinite(v)) return "";
  v = clean(v);
  switch (unit) {
    case Unit::bytes: return bytes_label(v);
    case Unit::share: {
      const int d = step > 0 ? std::max(0, decimals_for(step * 100)) : 0;
      return fixed(v * 100, d) + " %";
    }
    case Unit::tokens:
    case Unit::blocks:
      if (v == std::round(v)) return fixed(v, 0);
      [[fallthrough]];
    default: break;
  }
  if (v == 0) return "0";
  const int d = step > 0 ? decimals_for(step) : std::fabs(v) >= 100 ? 0 : std::fabs(v) >= 10 ? 1 : 2;
  return fixed(v, d);
}

std::string gib(double bytes) {
  const double v = bytes / 1073741824.0;
  return fixed(v, std::fabs(v) < 10 ? 3 : 1) + " GiB";
}

std::string share(double v) {
  const double pct = v * 100;
  if (pct >= 1 && pct <= 99) return fixed(pct, 0) + " %";
  if (v == 0 || v == 1) return fixed(pct, 0) + " %";
  if (pct > 0 && pct < 0.005) return "< 0.01 %";
  if (pct < 100 && pct > 99.995) return "> 99.99 %";
  return fixed(pct, 2) + " %";
}

std::string milliseconds(double ms) { return fixed(ms, std::fabs(ms) >= 999.95 ? 0 : 1) + " ms"; }

}  // namespace kvcliff::chart
