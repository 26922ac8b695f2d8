// SPDX-License-Identifier: GPL-3.0-or-later
#include "journal/local_time.h"

#include <fmt/format.h>
#include <time.h>

#include "base/text.h"

namespace kvcliff::journal {
namespace {

constexpr std::int64_t second = 1'000'000'000;

std::optional<int> digits(std::string_view s, std::size_t at, std::size_t n) {
  if (at + n > s.size()) return std::nullopt;
  int v = 0;
  for (std::size_t i = at; i < at + n; ++i) {
    if (s[i] < '0' || s[i] > '9') return std::nullopt;
    v = v * 10 + (s[i] - '0');
  }
  return v;
}

struct Day {
  int year, month, day;
};
std::optional<Day> parse_day(std::string_view s) {
  const auto y = digits(s, 0, 4), m = digits(s, 5, 2), d = digits(s, 8, 2);
  if (s.size() < 10 || s[4] != '-' || s[7] != '-' || !y || !m || !d) return std::nullopt;
  const bool leap = (*y % 4 == 0 && *y % 100 != 0) || *y % 400 == 0;
  constexpr int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (*m < 1 || *m > 12 || *d < 1 || *d > lengths[*m - 1] + (*m == 2 && leap ? 1 : 0)) return std::nullopt;
  return Day{*y, *m, *d};
}

// The first moment of a local day. Midnight itself may be skipped by a clock change; mktime then answers the moment
// after the gap or before it, and the nearest hour of that day is the beginning.
std::optional<std::int64_t> midnight(Day day, int add) {
  struct tm t {};
  t.tm_year = day.year - 1900;
  t.tm_mon = day.month - 1;
  t.tm_mday = day.day + add;
  t.tm_isdst = -1;
  const time_t at = ::mktime(&t);
  if (at == static_cast<time_t>(-1) && t.tm_wday < 0) return std::nullopt;
  return static_cast<std::int64_t>(at);
}

}  // namespace

std::string local_text(WallNs ns) {
  std::int64_t seconds = ns / second;
  if (ns % second < 0) --seconds;
  const time_t at = static_cast<time_t>(seconds);
  struct tm t {};
  ::tzset();
  if (!::localtime_r(&at, &t)) return iso8601(ns);
  const long offset = t.tm_gmtoff / 60;
  const long magnitude = offset < 0 ? -offset : offset;
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02} {}{:02}:{:02}", t.tm_year + 1900, t.tm_mon + 1, t.tm_mday,
                     t.tm_hour, t.tm_min, t.tm_sec, offset < 0 ? '-' : '+', magnitude / 60, magnitude % 60);
}

std::optional<std::pair<WallNs, WallNs>> local_day(std::string_view text) {
  if (text.size() != 10) return std::nullopt;
  const auto day = parse_day(text);
  if (!day) return std::nullopt;
  ::tzset();
  const auto from = midnight(*day, 0), to = midnight(*day, 1);
  if (!from || !to) return std::nullopt;
  return std::pair(*from * second, *to * second);
}

std::optional<WallNs> parse_utc(std::string_view s) {
  const auto day = parse_day(s);
  const auto h = digits(s, 11, 2), m = digits(s, 14, 2), sec = digits(s, 17, 2);
  if (!day || !h || !m || !sec || s.size() < 20 || s[10] != 'T' || s[13] != ':' || s[16] != ':' || s.back() != 'Z')
    return std::nullopt;
  if (*h > 23 || *m > 59 || *sec > 60) return std::nullopt;
  std::int64_t fraction = 0;
  if (s[19] == '.') {
    std::int64_t unit = second / 10;
    if (s.size() == 21) return std::nullopt;
    for (std::size_t i = 20; i + 1 < s.size(); ++i, unit /= 10) {
      if (s[i] < '0' || s[i] > '9') return std::nullopt;
      fraction += (s[i] - '0') * unit;
    }
  } else if (s.size() != 20) {
    return std::nullopt;
  }
  struct tm t {};
  t.tm_year = day->year - 1900;
  t.tm_mon = day->month - 1;
  t.tm_mday = day->day;
  t.tm_hour = *h;
  t.tm_min = *m;
  t.tm_sec = *sec;
  return static_cast<std::int64_t>(::timegm(&t)) * second + fraction;
}

}  // namespace kvcliff::journal
