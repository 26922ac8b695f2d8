// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "base/text.h"
#include "workload/trace_reader.h"

namespace kvcliff::workload {
namespace {

/// Fields of one CSV line (RFC 4180: quotes may enclose a field, doubled inside). A quoted line break is not supported.
bool fields_of(std::string_view line, std::vector<std::string>& out) {
  out.clear();
  if (line.find('"') == std::string_view::npos) {
    for (const auto f : split(line, ',')) out.emplace_back(trim(f));
    return true;
  }
  std::string field;
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      field += c;
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      out.emplace_back(trim(field));
      field.clear();
    } else {
      field += c;
    }
  }
  out.emplace_back(trim(field));
  return !quoted;
}

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
  std::vector<std::string> names;
  if (!fields_of(header, names)) return std::nullopt;
  Columns c;
  TraceFormat format = TraceFormat::azure;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string n = plain(names[i]);
    const int at = static_cast<int>(i);
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
  if (const auto plain_number = parse_double(s); plain_number && std::isfinite(*plain_number)) return plain_number;
  const auto part = [&](std::size_t at, std::size_t n) { return at + n <= s.size() ? parse_int(s.substr(at, n)) : std::nullopt; };
  const auto y = part(0, 4), mo = part(5, 2), d = part(8, 2), h = part(11, 2), mi = part(14, 2), se = part(17, 2);
  if (!y || !mo || !d || !h || !mi || !se || s[4] != '-' || s[7] != '-' || s[13] != ':' || s[16] != ':') return std::nullopt;
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

Result<Trace> parse_csv_trace(std::string_view text, const std::string& where, TraceFormat format, const TraceOptions& options) {
  TraceBuilder builder(format, options);
  Trace& trace = builder.trace();
  trace.block_tokens = options.block_tokens > 0 ? options.block_tokens : 16;
  trace.prefix_model = describe(options.prefix_model);
  LengthBlocks lengths(trace, options.prefix_model);
  Columns c;
  std::size_t width = 0;
  double start = -1;
  std::vector<std::string> f;
  std::unordered_map<std::string, std::int64_t> sessions;
  bool header = true;
  for_lines(text, [&](std::string_view l, std::size_t number) {
    if (!fields_of(l, f)) {
      builder.fault(number, "a quote is not closed");
      return true;
    }
    if (header) {
      header = false;
      c = columns_of(l)->second;
      width = f.size();
      return true;
    }
    if (f.size() != width) {
      builder.fault(number, fmt::format("{} fields, the header has {}", f.size(), width));
      return true;
    }
    const auto whole = [&](int column) { return parse_int(f[static_cast<std::size_t>(column)]); };
    const auto input = whole(c.input), output = whole(c.output);
    if (!input || *input < 1 || *input > longest_prompt) {
      builder.fault(number, fmt::format("\"{}\" is not a prompt's length", to_valid_utf8(f[static_cast<std::size_t>(c.input)])));
      return true;
    }
    if (!output || *output < 0) {
      builder.fault(number, fmt::format("\"{}\" is not a number of generated tokens", to_valid_utf8(f[static_cast<std::size_t>(c.output)])));
      return true;
    }
    TraceRequest r;
    r.line = number;
    r.input_tokens = *input;
    r.output_tokens = *output;
    if (c.time >= 0) {
      const auto t = time_of(f[static_cast<std::size_t>(c.time)]);
      if (!t) {
        builder.fault(number, fmt::format("\"{}\" is not a time", to_valid_utf8(f[static_cast<std::size_t>(c.time)])));
        return true;
      }
      if (start < 0) start = *t;
      r.seconds = std::max(0.0, *t - start);
    }
    if (c.session >= 0 && !f[static_cast<std::size_t>(c.session)].empty())
      r.conversation = sessions.try_emplace(f[static_cast<std::size_t>(c.session)], static_cast<std::int64_t>(sessions.size())).first->second;
    const std::size_t first = trace.ids.size();
    lengths.append(*input, *output, r.conversation);
    builder.add(r, first);
    return !builder.full();
  });
  return builder.finish(where, {});
}

struct LengthBlocks::Open {
  struct Prompt {
    std::size_t first = 0;
    std::int64_t blocks = 0;
  };
  std::unordered_map<std::int64_t, std::multimap<std::int64_t, Prompt>> by_session;  // tokens with the answer -> prompt
};

LengthBlocks::LengthBlocks(Trace& trace, const PrefixModel& model) : trace_(trace), model_(model), open_(new Open) {}
LengthBlocks::~LengthBlocks() { delete open_; }

void LengthBlocks::append(std::int64_t input, std::int64_t output, std::int64_t session) {
  const std::size_t first = trace_.ids.size();
  const std::int64_t full = input / trace_.block_tokens;
  const auto fresh = [&] {
    trace_.parents.push_back(trace_.ids.size() == first ? Trace::none : trace_.ids.back());
    return static_cast<std::uint32_t>(trace_.parents.size() - 1);
  };
  std::int64_t done = 0;
  if (model_.kind == PrefixModel::Kind::shared) {
    const std::int64_t shared = std::min(full, model_.tokens / trace_.block_tokens);
    for (; done < shared; ++done) {
      if (done == static_cast<std::int64_t>(shared_.size())) shared_.push_back(fresh());
      trace_.ids.push_back(shared_[static_cast<std::size_t>(done)]);
    }
  } else if (model_.kind == PrefixModel::Kind::continued) {
    auto& open = open_->by_session[session];
    if (auto it = open.upper_bound(input); it != open.begin()) {
      --it;
      for (std::int64_t b = 0; b < it->second.blocks; ++b) trace_.ids.push_back(trace_.ids[it->second.first + static_cast<std::size_t>(b)]);
      done = it->second.blocks;
      open.erase(it);
    }
  }
  for (; done < full; ++done) trace_.ids.push_back(fresh());
  if (model_.kind == PrefixModel::Kind::continued) open_->by_session[session].emplace(input + output, Open::Prompt{first, full});
}

}  // namespace kvcliff::workload
