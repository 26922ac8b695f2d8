// SPDX-License-Identifier: GPL-3.0-or-later
// Ticks, series, level of detail, palette: the numbers behind a chart.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/file.h"
#include "base/hash.h"
#include "chart/lod.h"
#include "chart/series.h"
#include "chart/theme.h"
#include "chart/ticks.h"
#include "support/data.h"
#include "support/expect_file.h"

namespace kvcliff::chart {
namespace {

std::vector<std::string> labels(Range r, Unit u, bool log, int about) {
  std::vector<std::string> out;
  for (const auto& t : ticks(r, u, log, about)) out.push_back(t.label);
  return out;
}

TEST(Ticks, AreNiceNumbersInTheUnitsWords) {
  using L = std::vector<std::string>;
  EXPECT_EQ(labels({0, 2003}, Unit::tokens, false, 4), (L{"0", "1,000", "2,000"}));
  EXPECT_EQ(labels({0, 1}, Unit::share, false, 4), (L{"0 %", "25 %", "50 %", "75 %", "100 %"}));
  EXPECT_EQ(labels({0, 3.0 * (1 << 30)}, Unit::bytes, false, 4), (L{"0 B", "1 GiB", "2 GiB", "3 GiB"}));
  EXPECT_EQ(labels({0, 0.5}, Unit::milliseconds, false, 5), (L{"0", "0.1", "0.2", "0.3", "0.4", "0.5"}));
  EXPECT_EQ(labels({0, 3}, Unit::blocks, false, 20), (L{"0", "1", "2", "3"}));  // never half a block
  EXPECT_EQ(labels({5, 100}, Unit::milliseconds, true, 6), (L{"5", "10", "20", "50", "100"}));
  EXPECT_EQ(labels({-3, 3}, Unit::number, false, 3), (L{"-2", "0", "2"}));
}

TEST(Ticks, AreFewAndFiniteForAnyRange) {
  for (const auto r : {Range{0, 1e300}, Range{-1e-300, 1e-300}, Range{1e-9, 1e12}, Range{3, 3}, Range{std::nan(""), 1}, Range{0, HUGE_VAL}, Range{5, 4}})
    for (const bool log : {false, true})
      for (const auto u : {Unit::number, Unit::bytes, Unit::tokens, Unit::share}) {
        const auto t = ticks(r, u, log, 5);
        EXPECT_LE(t.size(), 50u);
        for (const auto& x : t) EXPECT_TRUE(std::isfinite(x.at));
      }
}

TEST(Numbers, ReadAsTheStyleSays) {
  EXPECT_EQ(share(0.9985), "99.85 %");
  EXPECT_EQ(share(0.51), "51 %");
  EXPECT_EQ(share(0.99999), "> 99.99 %");
  EXPECT_EQ(share(0.00001), "< 0.01 %");
  EXPECT_EQ(share(0), "0 %");
  EXPECT_EQ(share(1), "100 %");
  EXPECT_EQ(gib(384.0 * 1835008), "0.656 GiB");
  EXPECT_EQ(gib(62.5 * 1073741824), "62.5 GiB");
  EXPECT_EQ(milliseconds(14.06), "14.1 ms");
  EXPECT_EQ(milliseconds(1234.5), "1,234 ms");
}

TEST(LogAxisCase, ValuesThatCannotBeDrawnAreCountedAndLeaveGaps) {
  const Json j = test::read_json("cases/098-log-axis-zero-and-missing/series.json");
  const auto d = drawable(points_from(j.at("a")), true);
  std::vector<double> values;
  for (const auto& run : d.runs)
    for (const auto& p : run) values.push_back(*p.y);
  const auto range = auto_range(values, true);
  int checked = 0;
  for (const auto& e : test::read_expectations("098-log-axis-zero-and-missing")) {
    const double v = std::atof(e.value.c_str());
    ++checked;
    if (e.key == "points_drawn") EXPECT_EQ(d.points, v);
    else if (e.key == "left_out_not_positive") EXPECT_EQ(d.left_out_not_positive, v);
    else if (e.key == "missing") EXPECT_EQ(d.missing, v);
    else if (e.key == "line_segments") EXPECT_EQ(d.segments, v);
    else if (e.key == "range_low") EXPECT_LE(range.low, v);
    else if (e.key == "range_high") EXPECT_GE(range.high, v);
    else if (e.key == "range_finite") EXPECT_TRUE(std::isfinite(range.low) && std::isfinite(range.high));
    else if (e.key == "range_width" || e.key == "crash") {
      for (const char* name : {"single", "equal", "none"})
        for (const bool log : {true, false}) {
          std::vector<double> few;
          for (const auto& p : points_from(j.at(name))) few.push_back(p.y.value_or(std::nan("")));
          const auto r = auto_range(few, log);
          EXPECT_GT(r.high - r.low, 0) << name;
          EXPECT_FALSE(ticks(to_ticks(r, Unit::number, log, 5), Unit::number, log, 5).empty()) << name;
        }
    } else ADD_FAILURE() << "a key that this test does not know: " << e.key;
  }
  EXPECT_EQ(checked, 9);
  EXPECT_EQ(d.runs.size(), 4u);
  EXPECT_EQ(left_out_words(d), "2 values not above 0 left out, 2 missing");
}

TEST(Range, IgnoresWhatIsNotFinite) {
  EXPECT_EQ(auto_range({1, 5, HUGE_VAL, std::nan("")}), (Range{1, 5}));
  EXPECT_EQ(auto_range({0, -5, 12, 9000}, true), (Range{12, 9000}));
  EXPECT_EQ(auto_range({}), (Range{0, 1}));
  EXPECT_EQ(auto_range({}, true), (Range{1, 10}));
}

TEST(ExactVertices, CornersStayAndStraightPointsGo) {
  // A ramp sampled at every block: only its two ends matter.
  std::vector<Point> p;
  for (int n = 0; n <= 500; ++n) p.push_back({double(n), n < 260 ? 0.0 : n <= 385 ? (n - 260) / 125.0 : 1.0});
  const auto v = without_collinear(p);
  ASSERT_EQ(v.size(), 4u);
  EXPECT_EQ(v[1], (Point{260, 0.0}));
  EXPECT_EQ(v[2], (Point{385, 1.0}));
  // A step keeps both vertices; a gap keeps its neighbours.
  const std::vector<Point> step{{0, 0.0}, {1, 0.0}, {1, 1.0}, {2, 1.0}, {3, std::nullopt}, {4, 1.0}};
  EXPECT_EQ(without_collinear(step), step);
}

TEST(ExactVertices, NeverMoveTheCurve) {
  Rng rng(11);
  for (int round = 0; round < 300; ++round) {
    std::vector<Point> p;
    double y = 0;
    for (int i = 0; i < 60; ++i) p.push_back({double(i), y += double(rng.below(3)) - 1});
    const auto v = without_collinear(p);
    std::size_t k = 0;
    for (const auto& q : p) {
      while (k + 1 < v.size() && v[k + 1].x < q.x) ++k;
      const auto& a = v[k];
      const auto& b = v[std::min(k + 1, v.size() - 1)];
      const double at = b.x == a.x ? *a.y : *a.y + (q.x - a.x) / (b.x - a.x) * (*b.y - *a.y);
      ASSERT_NEAR(at, *q.y, 1e-9) << round << " at " << q.x;
    }
  }
}

TEST(Ecdf, IsExactAtEveryStep) {
  const auto e = ecdf({3, 1, 2, 2, std::nan(""), HUGE_VAL});
  const std::vector<Point> expected{{1, 0.0}, {1, 0.25}, {2, 0.25}, {2, 0.75}, {3, 0.75}, {3, 1.0}};
  EXPECT_EQ(e, expected);
  EXPECT_TRUE(ecdf({}).empty());
}

TEST(HistogramBins, CountEveryValueOnce) {
  Rng rng(2);
  for (const int bins : {0, 1, 7, 50})
    for (const bool whole : {false, true}) {
      std::vector<double> v;
      for (int i = 0; i < 999; ++i) v.push_back(std::floor(1000 * rng.unit()));
      double sum = 0;
      for (const auto& b : histogram(v, bins, whole)) {
        sum += b.count;
        EXPECT_LT(b.from, b.to);
        if (whole) {
          EXPECT_EQ(b.from, std::floor(b.from));
        }
      }
      EXPECT_EQ(sum, 999);
    }
  EXPECT_TRUE(histogram({}).empty());
  EXPECT_EQ(histogram({5, 5, 5}).size(), 1u);
}

TEST(LevelOfDetail, ThinningKeepsExtremesAndGaps) {
  std::vector<Point> p;
  for (int i = 0; i < 100'000; ++i) p.push_back({double(i), std::sin(i * 0.01)});
  p[54'321].y = 99;
  p[54'322].y = -99;
  p[70'000].y = std::nullopt;
  const auto t = thin(p, {0, 100'000}, 800);
  EXPECT_LE(t.size(), 4u * 801 + 2);
  double low = 0, high = 0;
  int gaps = 0;
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (i) {
      EXPECT_LE(t[i - 1].x, t[i].x);
    }
    if (!t[i].y) ++gaps;
    else low = std::min(low, *t[i].y), high = std::max(high, *t[i].y);
  }
  EXPECT_EQ(high, 99);
  EXPECT_EQ(low, -99);
  EXPECT_EQ(gaps, 1);
}

TEST(LevelOfDetail, ColumnsOfBarsKeepMeansFaultsAndUnknown) {
  std::vector<Bar> bars;
  for (int i = 0; i < 10'000; ++i) bars.push_back({i + 0.5, 1, std::array<double, 4>{0, 0, 2000, 0}, std::nullopt, false, ""});
  bars[5'000].fault = "+16";
  bars[7'000].measured = std::array<double, 4>{0, 0, 0, 2000};
  const auto c = aggregate(bars, 400);
  EXPECT_LE(c.size(), 401u);
  int faults = 0, unknown = 0, requests = 0;
  double tokens = 0;
  for (const auto& x : c) {
    faults += x.faults, unknown += x.unknown, requests += x.requests;
    tokens += (x.mean[2] + x.mean[3]) * x.requests;
  }
  EXPECT_EQ(requests, 10'000);
  EXPECT_EQ(faults, 1);
  EXPECT_EQ(unknown, 1);
  EXPECT_NEAR(tokens, 20'000'000, 1e-3);
  EXPECT_TRUE(aggregate(bars, 10'000).empty());
  const auto s = spread({{0, 1.0}, {1, 9.0}, {2, 5.0}, {100, 7.0}}, 2);
  ASSERT_EQ(s.size(), 2u);
  EXPECT_EQ(s[0].low, 1);
  EXPECT_EQ(s[0].median, 5);
  EXPECT_EQ(s[0].high, 9);
}

TEST(Palette, ContrastIsEnoughInEveryTheme) {
  const Json palette = *parse_json(*read_file(std::string(KVCLIFF_SOURCE_DIR) + "/resources/palette/palette.json"), "palette.json");
  for (const char* name : {"light", "dark", "print"}) {
    const auto t = load_theme(palette, name);
    ASSERT_TRUE(t) << t.error().sentence();
    const auto surface = t->colour("surface");
    for (const char* token : {"text", "text2", "text3", "gpu_hit_text", "host_loaded_text", "computed_text", "unknown_text", "pass", "fail"})
      EXPECT_GE(contrast(t->colour(token), surface), 4.5) << name << " " << token;
    for (const char* source : {"gpu_hit", "host_loaded", "computed"}) {
      EXPECT_GE(contrast(t->edge(source), surface), 3.0) << name << " " << source;
      EXPECT_GE(contrast(t->on(source), t->colour(source)), 4.5) << name << " " << source;
    }
  }
  EXPECT_EQ(load_theme(palette, "sepia").error().code, ErrorCode::bad_usage);
  Json broken = palette;
  broken["light"].erase("gpu_hit");
  EXPECT_NE(load_theme(broken, "light").error().where.find("gpu_hit"), std::string::npos);
  broken["light"]["gpu_hit"] = "blue";
  EXPECT_FALSE(load_theme(broken, "light"));
}

}  // namespace
}  // namespace kvcliff::chart
