// SPDX-License-Identifier: GPL-3.0-or-later
// The SVG writer: well formed, self-contained, honest, and names that stay apart (cases 092, 094, 097, 098).
#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <set>

#include "base/file.h"
#include "base/text.h"
#include "chart/clip.h"
#include "chart/labels.h"
#include "chart/series.h"
#include "chart/svg.h"
#include "chart/svg_writer.h"
#include "chart/ticks.h"
#include "samples.h"
#include "support/data.h"

namespace kvcliff::chart {
namespace {

Theme theme(const char* name) {
  return load_theme(*parse_json(*read_file(std::string(KVCLIFF_SOURCE_DIR) + "/resources/palette/palette.json"), "palette.json"), name).value();
}

std::vector<std::pair<std::string, Chart>> all() {
  return {{"cliff", samples::cliff()}, {"requests", samples::requests()}, {"long run", samples::requests(3'000, false)},
          {"distributions", samples::distributions()}, {"pairs", samples::pairs()}, {"verdict", samples::verdict()}, {"waterfall", samples::waterfall()}};
}

int count(const std::string& text, const std::string& part) {
  int n = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

// Balanced tags and quoted attributes: what an XML parser would refuse is refused here.
void expect_well_formed(const std::string& s) {
  std::vector<std::string> open;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] == '&') {
      const auto end = s.find(';', i);
      ASSERT_TRUE(end != std::string::npos && end - i <= 6) << "a bare & at " << i;
    }
    if (s[i] != '<') continue;
    const auto end = s.find('>', i);
    ASSERT_NE(end, std::string::npos);
    std::string tag = s.substr(i + 1, end - i - 1);
    ASSERT_EQ(tag.find('<'), std::string::npos) << tag;
    ASSERT_EQ(count(tag, "\"") % 2, 0) << tag;
    const bool closing = tag[0] == '/', alone = tag.back() == '/';
    const std::string name = tag.substr(closing, tag.find_first_of(" /", closing) - closing);
    if (closing) {
      ASSERT_FALSE(open.empty());
      ASSERT_EQ(open.back(), tag.substr(1));
      open.pop_back();
    } else if (!alone) {
      open.push_back(name);
    }
    i = end;
  }
  EXPECT_TRUE(open.empty());
}

TEST(Svg, EveryChartIsWellFormedAndSelfContained) {
  for (const char* name : {"light", "dark", "print"})
    for (const auto& [what, chart] : all()) {
      SCOPED_TRACE(what + std::string(", ") + name);
      const auto s = svg(chart, theme(name));
      expect_well_formed(s);
      EXPECT_EQ(count(s, "<image"), 0);
      EXPECT_EQ(count(s, "href"), 0);
      EXPECT_EQ(count(s, "<script"), 0);
      EXPECT_EQ(count(s, "nan") + count(s, "inf\""), 0);
      EXPECT_NE(s.find("<title>" + xml_escape(chart.title) + "</title>"), std::string::npos);
      for (const auto& line : chart.caption) EXPECT_NE(s.find(xml_escape(line)), std::string::npos) << line;
      EXPECT_EQ(s, svg(chart, theme(name))) << "the same chart gives the same file";
      std::set<std::string> ids;  // ids of one document are unique
      for (auto at = s.find(" id=\""); at != std::string::npos; at = s.find(" id=\"", at + 1)) EXPECT_TRUE(ids.insert(s.substr(at + 5, s.find('"', at + 5) - at - 5)).second);
    }
}

TEST(Svg, IsAsLargeAsAskedAndUsesTheColoursOfItsTheme) {
  Chart c = samples::cliff();
  c.width = 1600, c.height = 900;
  const auto s = svg(c, theme("light"));
  EXPECT_NE(s.find("width=\"1600\" height=\"900\" viewBox=\"0 0 1600 900\""), std::string::npos);
  EXPECT_NE(s.find(theme("light").colour("gpu_hit")), std::string::npos);
  EXPECT_EQ(s.find(theme("dark").colour("surface")), std::string::npos);
  EXPECT_NE(svg(c, theme("dark")).find("fill=\"" + theme("dark").colour("surface") + "\""), std::string::npos);
}

TEST(Svg, VerticesOfARampAreWhereTheDataSays) {
  Chart c;
  c.width = 700, c.height = 400;
  Panel p;
  p.x.low = 0, p.x.high = 14, p.x.labels = p.y.labels = false;
  p.y.low = 0, p.y.high = 1;
  p.marks.push_back(Areas{{0, 3, 4, 14}, {{"gpu_hit", {1, 1, 0, 0}, "", ""}}});
  c.panels = {p};
  // Left edge 16, right edge 700 - 26: 14 documents over 658 px are 47 px each.
  EXPECT_NE(svg(c, theme("light")).find("L157 32 L204 "), std::string::npos);
}

TEST(Svg, SimulatedAndWithdrawnAreMarkedWhateverTheSize) {
  for (const double height : {600.0, 200.0}) {
    Chart c = samples::requests();
    c.height = height;
    EXPECT_EQ(count(svg(c, theme("light")), ">SIMULATED<"), 1) << height;
  }
  Chart c = samples::cliff();
  EXPECT_EQ(count(svg(c, theme("light")), "SIMULATED"), 0);
  c.watermark = "SIMULATED · WITHDRAWN";
  EXPECT_NE(svg(c, theme("light")).find(theme("light").colour("withdrawn")), std::string::npos);
}

TEST(Svg, UnknownTokensAreHatchedAndFaultsAreShownInLongRuns) {
  const auto shown = svg(samples::requests(), theme("light"));
  EXPECT_NE(shown.find("stroke=\"" + theme("light").edge("unknown") + "\" stroke-width=\"1.2\""), std::string::npos) << "the hatch";
  EXPECT_NE(shown.find(">+400<"), std::string::npos);
  const auto packed = svg(samples::requests(3'000, false), theme("light"));
  EXPECT_NE(packed.find("one column = "), std::string::npos);
  EXPECT_NE(packed.find(theme("light").colour("fail")), std::string::npos);
  EXPECT_LT(packed.size(), 400'000u);
}

TEST(Svg, LogAxisSaysWhatItLeavesOutAndSignedBarsNeverGetOne) {
  Chart c;
  Panel p;
  p.y.log = true;
  p.y.title = "TTFT, ms";
  p.marks.push_back(Line{points_from(test::read_json("cases/098-log-axis-zero-and-missing/series.json").at("a"))});
  c.panels = {p};
  const auto s = svg(c, theme("light"));
  EXPECT_NE(s.find("2 values not above 0 left out, 2 missing"), std::string::npos);
  EXPECT_EQ(count(s, "<circle"), 4) << "points between gaps are seen as markers";
  EXPECT_NE(s.find("TTFT, ms (log)"), std::string::npos);
  c.panels[0].marks = {Bars{{{0, 1, std::array<double, 4>{0, 0, 5, 0}, std::nullopt, false, ""}}}};
  EXPECT_EQ(svg(c, theme("light")).find("(log)"), std::string::npos);
}

TEST(Svg, NumbersHaveDotsInEveryLocale) {
  const auto expected = svg(samples::distributions(), theme("light"));
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8"}) {
    std::setlocale(LC_ALL, name);
    EXPECT_EQ(svg(samples::distributions(), theme("light")), expected);
  }
  std::setlocale(LC_ALL, before.c_str());
}

TEST(Svg, OddChartsAreDrawnWithoutFailing) {
  Chart empty;
  expect_well_formed(svg(empty, theme("light")));
  Chart c = samples::requests();
  c.width = 1, c.height = std::nan("");
  expect_well_formed(svg(c, theme("light")));
  c = samples::cliff();
  c.title = "<&\"' \x01 \xff";
  for (auto& p : c.panels) {
    p.x.low = HUGE_VAL;
    p.y.high = -5;
    p.marks.push_back(Line{{{std::nan(""), 1.0}, {1, HUGE_VAL}, {2, std::nullopt}}});
    p.marks.push_back(Areas{{0, 1}, {{"no such token", {1}, "x", "y"}}});
    p.marks.push_back(Histogram{});
    p.marks.push_back(Interval{});
  }
  const auto s = svg(c, theme("print"));
  expect_well_formed(s);
  EXPECT_EQ(s.find("nan"), std::string::npos);
}

TEST(LongNamesCase, StayApartAndLeaveThePlotItsRoom) {
  std::vector<std::string> names;
  const std::string text = test::read("cases/097-long-names-clipped/names.txt");
  for (const auto line : split(text, '\n'))
    if (!trim(line).empty()) names.emplace_back(trim(line));
  ASSERT_EQ(names.size(), 4u);
  for (const double width : {300.0, 150.0, 80.0, 40.0}) {
    const auto shown = shorten_all(names, width, 12);
    EXPECT_EQ(std::set<std::string>(shown.begin(), shown.end()).size(), names.size()) << width;
    for (const auto& s : shown) {
      EXPECT_EQ(to_valid_utf8(s), s);
      if (width > 40) {
        EXPECT_LE(text_width(s, 12), width) << s;
      }
    }
  }
  EXPECT_EQ(shorten("short", 300, 12), "short");
  Chart c;
  c.title = names[0];
  c.width = 900, c.height = 600;
  for (const auto& n : names) c.legend.push_back({n, "text3"});
  Panel p;
  p.y.low = 0, p.y.high = 4;
  for (std::size_t i = 0; i < names.size(); ++i) {
    p.y.ticks.push_back({double(i) + 0.5, names[i]});
    p.marks.push_back(Span{double(i) + 0.5, 0, 10.0 + double(i), 0.6, "computed", ""});
  }
  c.panels = {p};
  const auto s = svg(c, theme("light"));
  for (const auto& n : names) EXPECT_NE(s.find(xml_escape(n)), std::string::npos) << "the export has the full name";
  // The line under the plot is as long as the plot is wide.
  const auto end_of = [&](const std::string& line, const char* name) {
    const auto at = line.find(name) + std::string(name).size();
    return *parse_double(line.substr(at, line.find('"', at) - at));
  };
  double widest = 0;
  for (auto at = s.find("<line "); at != std::string::npos; at = s.find("<line ", at + 1)) {
    const std::string line = s.substr(at, s.find("/>", at) - at);
    widest = std::max(widest, end_of(line, "x2=\"") - end_of(line, "x1=\""));
  }
  EXPECT_GE(widest, 450);
}

// Renderers that know only SVG Tiny draw the rectangle of a clipPath itself, black over the plot.
TEST(Svg, NothingNeedsAClipPathAndNothingLeavesThePlot) {
  for (const char* name : {"light", "dark", "print"})
    for (const Chart& c : {samples::requests(), samples::cliff(), samples::requests(3'000, false)})
      EXPECT_EQ(count(svg(c, theme(name)), "clip"), 0) << name;
  Chart c;
  c.width = 600, c.height = 300;
  Panel p;
  p.x.low = 0, p.x.high = 10, p.y.low = 0, p.y.high = 1;
  Line line;
  line.points = {{-50, -5.0}, {5, 0.5}, {60, 6.0}};
  line.token = "computed";
  p.marks.push_back(line);
  p.marks.push_back(Areas{{-20, 40}, {{"gpu_hit", {9, 9}, "", ""}}});
  c.panels = {p};
  const auto s = svg(c, theme("light"));
  for (auto at = s.find(" d=\"M"); at != std::string::npos; at = s.find(" d=\"M", at + 1)) {
    std::string d = s.substr(at + 4, s.find('"', at + 4) - at - 4);
    for (char& ch : d)
      if (ch == 'M' || ch == 'L' || ch == 'Z' || ch == ' ') ch = ' ';
    std::vector<double> numbers;
    for (const auto word : split(d, ' '))
      if (!word.empty() && word.find_first_of("hv") == std::string_view::npos) numbers.push_back(*parse_double(word));
    for (const double v : numbers) {
      EXPECT_GE(v, 0) << d;
      EXPECT_LE(v, 600) << d;
    }
  }
}

TEST(Clip, PartsOfASegmentInsideAShape) {
  const Box plot{0, 0, 100, 100};
  const Shape shape{rectangle(10, 10, 20, 20, plot), rectangle(50, 10, 20, 20, plot)};
  const auto parts = parts_inside(shape, {0, 20}, {100, 20});
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0], (std::pair<Vertex, Vertex>{{10, 20}, {30, 20}}));
  EXPECT_EQ(parts[1], (std::pair<Vertex, Vertex>{{50, 20}, {70, 20}}));
  EXPECT_TRUE(parts_inside(shape, {0, 40}, {100, 40}).empty());
  EXPECT_TRUE(rectangle(120, 0, 10, 10, plot).empty());
  EXPECT_EQ(rectangle(90, 90, 30, 30, plot), (Polygon{{90, 90}, {100, 90}, {100, 100}, {90, 100}}));
  EXPECT_EQ(path_of({rectangle(10, 10, 20, 20, plot)}), "M10 10 h20 v20 h-20 Z");
  EXPECT_EQ(line_inside({{-10, 50}, {50, 50}, {50, 150}}, plot), (std::vector<Polygon>{{{0, 50}, {50, 50}, {50, 100}}}));
}

}  // namespace
}  // namespace kvcliff::chart
