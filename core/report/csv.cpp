// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/csv.h"

#include <charconv>
#include <cmath>

#include "base/printable.h"

namespace kvcliff::report {

std::string csv_cell(std::string_view raw, char separator) {
  // A table is read in terminals, too; line ends inside a cell are part of the format, a lone carriage return is not.
  const std::string v = printable(raw);
  const bool quote = v.find_first_of("\"\r\n") != std::string_view::npos || v.find(separator) != std::string_view::npos ||
                     (!v.empty() && (v.front() == ' ' || v.back() == ' '));
  if (!quote) return v;
  std::string out = "\"";
  for (const char c : v) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

std::string plain_number(double v, char decimal) {
  if (!std::isfinite(v)) return {};
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, v, std::chars_format::general).ptr;
  std::string out(buffer, end);
  // Large and small values in plain digits: spreadsheets read exponents unevenly.
  if (out.find('e') != std::string::npos && std::fabs(v) >= 1e-12 && std::fabs(v) < 1e18)
    out.assign(buffer, std::to_chars(buffer, buffer + sizeof buffer, v, std::chars_format::fixed).ptr);
  if (decimal != '.')
    for (char& c : out)
      if (c == '.') c = decimal;
  return out;
}

Csv::Csv(std::vector<std::string> header, CsvFormat format) : header_(std::move(header)), format_(std::move(format)) {}

Csv& Csv::row() {
  rows_.emplace_back();
  return *this;
}
Csv& Csv::text(std::string_view v) {
  rows_.back().emplace_back(v);
  return *this;
}
Csv& Csv::integer(std::int64_t v) { return text(std::to_string(v)); }
Csv& Csv::number(double v) { return text(plain_number(v, format_.decimal)); }
Csv& Csv::none() { return text({}); }

std::string Csv::str() const {
  std::string out;
  const auto line = [&](const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < header_.size(); ++i) {
      if (i) out += format_.separator;
      if (i < cells.size()) out += csv_cell(cells[i], format_.separator);
    }
    out += format_.line_end;
  };
  line(header_);
  for (const auto& r : rows_) line(r);
  return out;
}

}  // namespace kvcliff::report
