// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/svg_writer.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/printable.h"
#include "base/text.h"

namespace kvcliff::chart {

std::string px(double v) {
  if (!std::isfinite(v)) v = 0;
  v = std::clamp(std::round(v * 100) / 100, -1e6, 1e6);
  if (v == 0) return "0";
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, v, std::chars_format::fixed, 2).ptr;
  std::string s(buffer, end);
  while (s.back() == '0') s.pop_back();
  if (s.back() == '.') s.pop_back();
  return s;
}

std::string xml_escape(std::string_view text) {
  std::string out;
  for (const char c : printable(to_valid_utf8(text))) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string path_through(const std::vector<std::pair<double, double>>& vertices, bool closed) {
  std::string d;
  for (std::size_t i = 0; i < vertices.size(); ++i) d += (i ? " L" : "M") + px(vertices[i].first) + " " + px(vertices[i].second);
  return closed && !d.empty() ? d + " Z" : d;
}

void SvgWriter::attributes(const Attributes& a) {
  for (const auto& [key, value] : a) {
    out_ += ' ';
    out_ += key;
    out_ += "=\"" + xml_escape(value) + '"';
  }
}

void SvgWriter::element(std::string_view name, const Attributes& a, std::string_view title) {
  out_ += '<';
  out_ += name;
  attributes(a);
  if (title.empty()) {
    out_ += "/>\n";
  } else {
    out_ += "><title>" + xml_escape(title) + "</title></";
    out_ += name;
    out_ += ">\n";
  }
}

void SvgWriter::open(std::string_view name, const Attributes& a) {
  out_ += '<';
  out_ += name;
  attributes(a);
  out_ += ">\n";
}

void SvgWriter::close(std::string_view name) {
  out_ += "</";
  out_ += name;
  out_ += ">\n";
}

void SvgWriter::rect(double x, double y, double w, double h, Attributes more) {
  Attributes a{{"x", px(x)}, {"y", px(y)}, {"width", px(std::max(0.0, w))}, {"height", px(std::max(0.0, h))}};
  a.insert(a.end(), more.begin(), more.end());
  element("rect", a);
}

void SvgWriter::line(double x1, double y1, double x2, double y2, Attributes more) {
  Attributes a{{"x1", px(x1)}, {"y1", px(y1)}, {"x2", px(x2)}, {"y2", px(y2)}};
  a.insert(a.end(), more.begin(), more.end());
  element("line", a);
}

void SvgWriter::path(const std::string& d, Attributes more, std::string_view title) {
  more.insert(more.begin(), {"d", d});
  element("path", more, title);
}

void SvgWriter::text(double x, double y, std::string_view words, double size, std::string_view fill, std::string_view anchor, bool bold, double angle,
                     std::string_view full) {
  Attributes a{{"x", px(x)}, {"y", px(y)}, {"font-size", px(size)}, {"fill", std::string(fill)}};
  if (anchor != "start") a.push_back({"text-anchor", std::string(anchor)});
  if (bold) a.push_back({"font-weight", "600"});
  if (angle != 0) a.push_back({"transform", "rotate(" + px(-angle) + " " + px(x) + " " + px(y) + ")"});
  out_ += "<text";
  attributes(a);
  out_ += '>';
  if (!full.empty() && full != words) out_ += "<title>" + xml_escape(full) + "</title>";
  out_ += xml_escape(words) + "</text>\n";
}

}  // namespace kvcliff::chart
