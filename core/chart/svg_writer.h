// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kvcliff::chart {

/// Text inside XML: escapes markup and quotes; control characters show as their escapes (base/printable.h).
std::string xml_escape(std::string_view text);

/// Appends SVG elements. Coordinates are px with at most two decimals, whatever the locale.
class SvgWriter {
 public:
  using Attributes = std::vector<std::pair<std::string_view, std::string>>;

  void raw(std::string_view text) { out_ += text; }
  void element(std::string_view name, const Attributes& attributes, std::string_view title = {});
  void open(std::string_view name, const Attributes& attributes);
  void close(std::string_view name);
  void rect(double x, double y, double w, double h, Attributes more);
  void line(double x1, double y1, double x2, double y2, Attributes more);
  void path(const std::string& d, Attributes more, std::string_view title = {});
  /// `anchor` start | middle | end. `full`, when given, is shown by viewers as the tooltip.
  void text(double x, double y, std::string_view words, double size, std::string_view fill, std::string_view anchor, bool bold = false,
            double angle = 0, std::string_view full = {});
  std::string take() { return std::move(out_); }

 private:
  void attributes(const Attributes& a);
  std::string out_;
};

/// "12.5", "0", "-3.25".
std::string px(double v);
/// "M x y L x y ..." through the vertices.
std::string path_through(const std::vector<std::pair<double, double>>& vertices, bool closed = false);

}  // namespace kvcliff::chart
