// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kvcliff::report {

/// How a table is written. Never by the locale: the default is RFC 4180 (comma, dot, CR LF, quotes where needed); the
/// other form is a choice for spreadsheets of countries with a decimal comma.
struct CsvFormat {
  char separator = ',';
  char decimal = '.';
  std::string line_end = "\r\n";
  static CsvFormat spreadsheet() { return {';', ',', "\r\n"}; }
};

/// One table. A cell that is not available stays empty: never 0, never NaN.
class Csv {
 public:
  explicit Csv(std::vector<std::string> header, CsvFormat format = {});

  Csv& row();                       ///< begins a row
  Csv& text(std::string_view v);
  Csv& integer(std::int64_t v);
  Csv& number(double v);            ///< shortest form that reads back the same; not finite = empty
  Csv& none();
  Csv& maybe(const std::optional<std::int64_t>& v) { return v ? integer(*v) : none(); }
  Csv& maybe(const std::optional<double>& v) { return v ? number(*v) : none(); }

  /// The whole table, header first. Rows shorter than the header are filled with empty cells.
  std::string str() const;
  std::size_t rows() const { return rows_.size(); }

 private:
  std::vector<std::string> header_;
  CsvFormat format_;
  std::vector<std::vector<std::string>> rows_;
};

/// A cell as RFC 4180 wants it: in quotes when it holds the separator, a quote or a line end.
std::string csv_cell(std::string_view v, char separator);
/// 1234.5 -> "1234.5", whatever the locale; integers without a decimal point.
std::string plain_number(double v, char decimal = '.');

}  // namespace kvcliff::report
