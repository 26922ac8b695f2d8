// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/text.h"
#include "workload/trace_reader.h"

namespace kvcliff::workload {
namespace {

/// Fields of one CSV line (RFC 4180: quotes may enclose a field, doubled inside). A quoted line break is not supported.
/// One object is used for all lines.
class Row {
 public:
  /// False: a quote is not closed.
  bool read(std::string_view line) {
    fields_.clear();
    if (line.find('"') == std::string_view::npos) {
      for (;;) {
        const auto comma = line.find(',');
        fields_.push_back(trim(line.substr(0, comma)));
        if (comma == std::string_view::npos) return true;
        line.remove_prefix(comma + 1);
      }
    }
    // Fields without their quotes lie one after the other in plain_, which is as long as the line at most.
    plain_.clear();
    plain_.reserve(line.size());
    std::size_t from = 0;
    bool quoted = false;
    const auto end = [&] {
      fields_.push_back(trim(std::string_view(plain_.data() + from, plain_.size() - from)));
      from = plain_.size();
    };
    for (std::size_t i = 0; i < line.size(); ++i) {
      const char c = line[i];
      if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
        plain_ += c;
        ++i;
      } else if (c == '"') {
        quoted = !quoted;
      } else if (c == ',' && !quoted) {
        end();
      } else {
        plain_ += c;
      }
    }
    end();
    return !quoted;
  }
  std::size_t size() const { return fields_.size(); }
  std::string_view operator[](int at) const { return fields_[static_cast<std::size_t>(at)]; }

 private:
  std::vector<std::string_view> fields_;
  std::string plain_;
};

std::string plain(std::string_view name) {
  std::string out;
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c))) out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

struct Columns {
  int time = -1, input = -1, output = -1, session = -1;
};

std::optional<std::pair<TraceFormat, Columns>> columns_of(std::string_view header) {
  Row names;
  if (!names.read(header)) return std::nullopt;
  Columns c;
  TraceFormat format = TraceFormat::azure;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const int at = static_cast<int>(i);
    const std::string n = plain(names[at]);
    if (n == "timestamp") c.time = at;
    else if (n == "contexttokens") c.input = at;
    else if (n == "generatedtokens") c.output = at;
    else if (n == "requesttokens") c.input = at, format = TraceFormat::burstgpt;
    else if (n == "responsetokens") c.output = at, format = TraceFormat::burstgpt;
    else if (n == "sessionid") c.session = at;
  }
  if (c.input < 0 || c.output < 0) return std::nullopt;
  return std::pair(format, c);
}

// Seconds since 1970 of "2023-11-16 18:17:03.9799600" (a zone behind it is left out: all rows have the same), or a
// plain number of seconds.
std::optional<double> time_of(std::string_view s) {
  if (s.size() < 19 || s[4] != '-') {
    const auto plain_number = parse_double(s);
    return plain_number && std::isfinite(*plain_number) ? plain_number : std::nullopt;
  }
  const auto part = [&](std::size_t at, std::size_t n) -> std::optional<std::int64_t> {
    std::int64_t v = 0;
    for (std::size_t i = at; i < at + n; ++i) {
      if (s[i] < '0' || s[i] > '9') return std::nullopt;
      v = v * 10 + (s[i] - '0');
    }
    return v;
  };
  const auto y = part(0, 4), mo = part(5, 2), d = part(8, 2), h = part(11, 2), mi = part(14, 2), se = part(17, 2);
  if (!y || !mo || !d || !h || !mi || !se || s[7] != '-' || s[13] != ':' || s[16] != ':') return std::nullopt;
  if (*mo < 1 || *mo > 12 || *d < 1 || *d > 31 || *h > 23 || *mi > 59 || *se > 60) return std::nullopt;
  double fraction = 0, digit = 0.1;
  for (std::size_t i = 19; i < s.size() && (s[i] == '.' || (s[i] >= '0' && s[i] <= '9')); ++i)
    if (s[i] != '.') {
      fraction += digit * (s[i] - '0');
      digit /= 10;
    }
  const std::int64_t year = *y - (*mo <= 2), era = year / 400, of_era = year - era * 400;
  const std::int64_t of_year = (153 * (*mo + (*mo > 2 ? -3 : 9)) + 2) / 5 + *d - 1;
  const std::int64_t days = era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
  return static_cast<double>(days * 86400 + *h * 3600 + *mi * 60 + *se) + fraction;
}

}  // namespace

std::optional<TraceFormat> csv_format(std::string_view header) {
  const auto c = columns_of(header);
  return c ? std::optional(c->first) : std::nullopt;
}

Result<std::string> read_csv_lines(TextBlocks& blocks, TraceFormat format, const TraceOptions& options, TraceSink& sink) {
  sink.begin(format, options.block_tokens > 0 ? options.block_tokens : 16, 0);
  Columns c;
  std::size_t width = 0, lines = 0;
  double start = -1;
  Row f;
  bool header = true, more = true;
  const auto line = [&](std::string_view l, std::size_t number) {
    number += lines;
    if (!f.read(l)) {
      sink.fault(number, "a quote is not closed");
      return true;
    }
    if (header) {
      header = false;
      c = columns_of(l)->second;
      width = f.size();
      return true;
    }
    if (f.size() != width) {
      sink.fault(number, fmt::format("{} fields, the header has {}", f.size(), width));
      return true;
    }
    const auto input = parse_int(f[c.input]), output = parse_int(f[c.output]);
    if (!input || *input < 1 || *input > longest_prompt) {
      sink.fault(number, fmt::format("\"{}\" is not a prompt's length", to_valid_utf8(f[c.input])));
      return true;
    }
    if (!output || *output < 0) {
      sink.fault(number, fmt::format("\"{}\" is not a number of generated tokens", to_valid_utf8(f[c.output])));
      return true;
    }
    TraceItem item;
    item.lengths_only = true;
    item.request.line = number;
    item.request.input_tokens = *input;
    item.request.output_tokens = *output;
    if (c.time >= 0) {
      const auto t = time_of(f[c.time]);
      if (!t) {
        sink.fault(number, fmt::format("\"{}\" is not a time", to_valid_utf8(f[c.time])));
        return true;
      }
      if (start < 0) start = *t;
      item.request.seconds = std::max(0.0, *t - start);
    }
    if (c.session >= 0) item.session = f[c.session];
    return more = sink.add(item);
  };
  std::string buffer;
  while (more) {
    const auto text = blocks.next(buffer);
    if (!text) return fail(text.error());
    if (text->empty()) break;
    lines += for_lines(*text, line);
  }
  return std::string();
}

}  // namespace kvcliff::workload
