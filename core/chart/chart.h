// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace kvcliff::chart {

// A chart as a value: what is shown, in data units. Window and report draw the same values; nothing here knows pixels.
// Colours are tokens of the palette ("gpu_hit", "text3", "pass"); a renderer looks up fill, _edge, _text, on_ and _zone by them.

/// What numbers of an axis are, which decides ticks and their words.
enum class Unit { number, tokens, blocks, bytes, milliseconds, seconds, share, ratio };

/// The four sources in stacking order, from the axis up.
inline constexpr std::array<const char*, 4> source_tokens{"gpu_hit", "host_loaded", "computed", "unknown"};
inline constexpr std::array<const char*, 4> source_names{"GPU hit", "host loaded", "computed", "unknown"};

/// `y` empty = missing: a gap, never a zero.
struct Point {
  double x = 0;
  std::optional<double> y;
  bool operator==(const Point&) const = default;
};

struct Tick {
  double at = 0;
  std::string label;
  bool operator==(const Tick&) const = default;
};

struct Axis {
  std::string title;                         ///< with the unit in words: "TTFT, ms"
  Unit unit = Unit::number;
  std::optional<double> low, high;           ///< empty = from the marks; bars and areas always start at 0
  bool log = false;                          ///< base 10; values not above 0 are left out with a visible count
  std::vector<Tick> ticks;                   ///< empty = nice numbers
  bool labels = true;
  bool grid = false;
};

/// Stacked areas over x: one list of vertices per layer, in stacking order. Two vertices may share an x (a step).
struct Areas {
  struct Layer {
    std::string token;                       ///< palette token
    std::vector<double> values;              ///< height of this layer at each x
    std::string label, sublabel;             ///< written inside where it fits
  };
  std::vector<double> x;
  std::vector<Layer> layers;
};

/// One request: measured = filled segments by source, predicted = outlines drawn on top.
struct Bar {
  double x = 0;                              ///< centre of the slot
  double width = 1;                          ///< of the slot, data units; a tenth is left as a gap
  std::optional<std::array<double, 4>> measured;
  std::optional<std::array<double, 4>> predicted;
  bool planned = false;                      ///< still to come: dashed outline with a tint
  std::string fault;                         ///< not empty: triangle and these words above ("+12")
};
struct Bars {
  std::vector<Bar> bars;
};

struct Line {
  std::vector<Point> points;
  std::string token = "text";
  double width = 1.5;
  std::string dash;                          ///< SVG dash array; empty = solid
  bool steps = false;                        ///< y holds until the next x
  std::string label;                         ///< written at the end of the line
  bool casing = false;                       ///< edge colour around the line, for pale fills
};

enum class Marker { circle, square, diamond, cross, dash };
struct Dots {
  std::vector<Point> points;
  std::string token = "text";
  Marker marker = Marker::circle;
  double size = 7;                           ///< px
};

/// Filled range along one axis (the no-effect band, zones, uncertainty), whole height or width of the panel.
struct Band {
  bool vertical = true;                      ///< true: from/to are x
  double from = 0, to = 0;
  std::string token = "select";
  std::string label, label_token = "text2";
  double opacity = 1;
};
/// An area between two lines: the range of a prediction.
struct Ribbon {
  std::vector<double> x, low, high;
  std::string token = "text3";
  double opacity = 0.22;
  std::string label;
};

/// A line at one value with a flag: name in bold, details below. Vertical rules pass through all panels when `through`.
struct Rule {
  bool vertical = true;
  double at = 0;
  std::string name, detail;
  std::string token = "text";
  double width = 1.5;
  bool filled = false;                       ///< flag on ink (this workload)
  bool through = true;
  std::string dash;
};

/// Estimate with interval at one position of the other axis.
struct Interval {
  double at = 0;
  double low = 0, high = 0;
  std::optional<double> estimate;
  bool horizontal = true;                    ///< low..high run along x
  std::string token = "text";
};

struct Histogram {
  struct Bin {
    double from = 0, to = 0, count = 0;
  };
  std::vector<Bin> bins;
  std::string token = "text3";
};

/// Horizontal bar from `from` to `to` at row `y` (waterfalls); `label` stands at its end.
struct Span {
  double y = 0, from = 0, to = 0, thickness = 0.6;
  std::string token = "text3", label;
};

struct Text {
  double x = 0, y = 0;
  std::string text, token = "text2";
  double size = 12;
  bool bold = false;
  double angle = 0;                          ///< degrees, counter-clockwise
  enum class Anchor { start, middle, end } anchor = Anchor::start;
  double dx = 0, dy = 0;                     ///< px
};

/// Words along a straight edge (a ramp of a cliff), drawn where the edge is longer than they are.
struct Along {
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  std::string text, token = "text";
};

/// Words under the axis with a bracket ("round 1"), or above the panel ("off").
struct Bracket {
  double from = 0, to = 0;
  std::string label;
  bool above = false;
  bool line = true;
};

using Mark = std::variant<Band, Areas, Ribbon, Histogram, Bars, Span, Line, Dots, Interval, Rule, Text, Along, Bracket>;

/// Marks over one pair of axes. Panels of a chart stand above each other and share the left edge.
struct Panel {
  Axis x, y;
  std::vector<Mark> marks;
  double height = 1;                         ///< share of the chart's height
  std::optional<double> fixed_height;        ///< px instead
  bool frame_bottom = true;                  ///< axis line
  std::string note;                          ///< small words at the lower right: "one column = 12 requests"
};

struct LegendItem {
  std::string label, token;
  enum class Shape { box, hatch, outline, line, marker } shape = Shape::box;
  Marker marker = Marker::circle;
};

struct Chart {
  std::string title, subtitle;
  std::vector<Panel> panels;
  std::vector<LegendItem> legend;
  std::string watermark;                     ///< "SIMULATED", "WITHDRAWN", "SIMULATED · WITHDRAWN"
  std::vector<std::string> caption;          ///< lines below: run id, versions, plan hash
  std::string description;                   ///< for readers who cannot see it
  double width = 960, height = 480;          ///< px
};

/// Legend of the token sources in its fixed order: computed, host loaded, GPU hit, unknown (if asked), predicted (if asked).
std::vector<LegendItem> source_legend(bool unknown, bool predicted);

}  // namespace kvcliff::chart
