// SPDX-License-Identifier: GPL-3.0-or-later
// Private to workload: a strict reader of the JSON of one line.
#pragma once
#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/text.h"

namespace kvcliff::workload {

inline constexpr int deepest = 64;  // nesting of fields that are passed over
inline constexpr double largest_whole = 9007199254740992.0;  // 2^53: beyond it a number with a point or exponent is not exact

/// A strict reader of JSON over one line. Every function returns false after setting the fault.
class LineScanner {
 public:
  LineScanner(std::string_view line, std::string& fault) : begin_(line.data()), at_(begin_), end_(begin_ + line.size()), fault_(fault) {}

  bool wrong(const std::string& why) {
    fault_ = at_ >= end_ ? why + fmt::format(", and the line ends at column {}", at_ - begin_ + 1)
                         : why + fmt::format(" at column {}", at_ - begin_ + 1);
    return false;
  }
  void blanks() {
    while (at_ < end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r')) ++at_;
  }
  bool done() {
    blanks();
    return at_ >= end_;
  }
  bool peek(char c) {
    blanks();
    return at_ < end_ && *at_ == c;
  }
  bool take(char c) {
    if (!peek(c)) return false;
    ++at_;
    return true;
  }

  /// A string without its quotes, escapes left as they are.
  bool word(std::string_view& out) {
    if (!take('"')) return wrong("a string in quotes was expected");
    const char* from = at_;
    while (at_ < end_ && *at_ != '"') {
      if (static_cast<unsigned char>(*at_) >= 0x20 && *at_ != '\\') {
        ++at_;
        continue;
      }
      if (static_cast<unsigned char>(*at_) < 0x20) return wrong("a control character stands in a string");
      at_ += *at_ == '\\' ? 2 : 1;
    }
    if (at_ >= end_) {
      at_ = end_;
      return wrong("a string has no closing quote");
    }
    out = {from, static_cast<std::size_t>(at_ - from)};
    ++at_;
    return true;
  }

  /// The characters of a number that is written as JSON asks for.
  bool digits(std::string_view& out, bool& whole) {
    blanks();
    const char* from = at_;
    whole = true;
    if (at_ < end_ && *at_ == '-') ++at_;
    const auto run = [&] {
      const char* start = at_;
      while (at_ < end_ && *at_ >= '0' && *at_ <= '9') ++at_;
      return at_ != start;
    };
    const char* first = at_;
    if (!run()) return at_ = from, wrong("a number was expected");
    if (*first == '0' && at_ - first > 1) return at_ = from, wrong("a number begins with 0");
    if (at_ < end_ && *at_ == '.') {
      whole = false;
      ++at_;
      if (!run()) return wrong("a number ends with its point");
    }
    if (at_ < end_ && (*at_ == 'e' || *at_ == 'E')) {
      whole = false;
      ++at_;
      if (at_ < end_ && (*at_ == '+' || *at_ == '-')) ++at_;
      if (!run()) return wrong("a number ends with its exponent sign");
    }
    out = {from, static_cast<std::size_t>(at_ - from)};
    return true;
  }
  bool number(double& out) {
    // The common case: a whole number that a double holds exactly.
    const char* p = at_;
    std::uint64_t v = 0;
    while (p < end_ && static_cast<unsigned char>(*p - '0') < 10) v = v * 10 + static_cast<std::uint64_t>(*p++ - '0');
    const auto n = p - at_;
    if (n > 0 && n <= 15 && !(n > 1 && *at_ == '0') && (p == end_ || (*p != '.' && *p != 'e' && *p != 'E'))) {
      out = static_cast<double>(v);
      at_ = p;
      return true;
    }
    std::string_view text;
    bool whole = true;
    if (!digits(text, whole)) return false;
    const auto d = parse_double(text);
    if (!d || !std::isfinite(*d)) return wrong("a number is too large");
    out = *d;
    return true;
  }
  bool integer(std::int64_t& out) {
    // The common case, kept short: up to 18 digits and no point.
    blanks();
    const char* p = at_;
    const bool minus = p < end_ && *p == '-';
    if (minus) ++p;
    const char* first = p;
    std::uint64_t v = 0;
    while (p < end_ && static_cast<unsigned char>(*p - '0') < 10) v = v * 10 + static_cast<std::uint64_t>(*p++ - '0');
    const auto n = p - first;
    if (n > 0 && n <= 18 && !(n > 1 && *first == '0') && (p == end_ || (*p != '.' && *p != 'e' && *p != 'E'))) {
      out = minus ? -static_cast<std::int64_t>(v) : static_cast<std::int64_t>(v);
      at_ = p;
      return true;
    }
    std::string_view text;
    bool whole = true;
    if (!digits(text, whole)) return false;
    if (whole) {
      const auto i = parse_int(text);
      if (!i) return wrong("a whole number is too large");
      out = *i;
      return true;
    }
    const auto d = parse_double(text);
    if (!d || std::abs(*d) > largest_whole || *d != std::floor(*d)) return wrong("a whole number was expected");
    out = static_cast<std::int64_t>(*d);
    return true;
  }
  bool hash(std::uint64_t& out) {
    blanks();
    if (at_ < end_ && *at_ == '"') {
      std::string_view text;
      if (!word(text)) return false;
      // A number in quotes is that number: some writers quote what does not fit a double.
      if (const auto i = parse_int(text); i && !text.empty() && text[0] != '+')
        out = static_cast<std::uint64_t>(*i);
      else
        out = hash64(text.data(), text.size(), 1);
      return true;
    }
    const char* p = at_;
    std::uint64_t v = 0;
    while (p < end_ && static_cast<unsigned char>(*p - '0') < 10) v = v * 10 + static_cast<std::uint64_t>(*p++ - '0');
    const auto n = p - at_;
    if (n > 0 && n <= 19 && !(n > 1 && *at_ == '0') && (p == end_ || (*p != '.' && *p != 'e' && *p != 'E'))) {
      out = v;
      at_ = p;
      return true;
    }
    std::string_view text;
    bool whole = true;
    const char* from = at_;
    if (!digits(text, whole)) return wrong("a hash id is a whole number or a word");
    if (!whole) return at_ = from, wrong("a hash id with a point or an exponent is not exact");
    if (const auto i = parse_int(text)) {
      out = static_cast<std::uint64_t>(*i);
      return true;
    }
    out = hash64(text.data(), text.size(), 1);  // beyond 64 bits: its digits are its name
    return true;
  }
  /// hash_ids, into `out` from its start; `count` says how many. Plain numbers with a comma and at most one blank between
  /// them are read in one tight loop; whatever else stands there goes through `list`. `out` only grows: what lies behind
  /// `count` is left from other lines.
  bool hashes(std::vector<std::uint64_t>& out, std::size_t& count) {
    const char* start = at_;
    if (peek('[')) {
      // Every id takes two characters or more, its comma included.
      const auto most = static_cast<std::size_t>(end_ - at_) / 2 + 1;
      if (out.size() < most) out.resize(most + most / 2);
      std::uint64_t* to = out.data();
      const char* p = at_ + 1;
      if (p < end_ && *p == ' ') ++p;
      // As the first two are parted, so are the rest: where the next one begins does not wait for a look at its blank.
      const auto comma = std::string_view(p, static_cast<std::size_t>(end_ - p)).find_first_not_of("0123456789");
      const std::ptrdiff_t step = comma != std::string_view::npos && end_ - p > static_cast<std::ptrdiff_t>(comma) + 1 && p[comma + 1] == ' ' ? 2 : 1;
      for (;;) {
        const char* first = p;
        std::uint64_t v = 0;
        if (!some_digits(p, v))
          while (p < end_ && static_cast<unsigned char>(*p - '0') < 10) v = v * 10 + static_cast<std::uint64_t>(*p++ - '0');
        const auto n = p - first;
        if (n == 0 || n > 19 || (n > 1 && *first == '0') || p >= end_) break;
        *to++ = v;
        if (*p == ',') {
          if (step == 2 && (end_ - p < 2 || p[1] != ' ')) break;
          p += step;
          continue;
        }
        if (*p != ']') break;
        count = static_cast<std::size_t>(to - out.data());
        at_ = p + 1;
        return true;
      }
    }
    at_ = start;
    const bool good = list(out, "hash_ids", [this](std::uint64_t& v) { return hash(v); });
    count = out.size();
    return good;
  }
  template <class T, class Read>
  bool list(std::vector<T>& out, const char* name, Read read) {
    out.clear();
    if (!take('[')) return wrong(fmt::format("{} is not a list", name));
    if (take(']')) return true;
    for (;;) {
      T v{};
      if (!read(v)) return false;
      out.push_back(v);
      if (at_ < end_ && *at_ == ',') {
        ++at_;
        continue;
      }
      if (take(',')) continue;
      if (take(']')) return true;
      return wrong(fmt::format("the list {} has neither a comma nor its end", name));
    }
  }
  bool pass(int depth = 0) {
    if (depth > deepest) return wrong("values are nested too deeply");
    blanks();
    if (at_ >= end_) return wrong("a value was expected");
    std::string_view text;
    bool whole = true;
    switch (*at_) {
      case '"': return word(text);
      case '{':
        ++at_;
        if (take('}')) return true;
        for (;;) {
          blanks();
          if (!word(text)) return false;
          if (!take(':')) return wrong("a colon was expected");
          if (!pass(depth + 1)) return false;
          if (take(',')) continue;
          if (take('}')) return true;
          return wrong("an object has neither a comma nor its end");
        }
      case '[':
        ++at_;
        if (take(']')) return true;
        for (;;) {
          if (!pass(depth + 1)) return false;
          if (take(',')) continue;
          if (take(']')) return true;
          return wrong("a list has neither a comma nor its end");
        }
      default: break;
    }
    for (const std::string_view literal : {"null", "true", "false"})
      if (std::string_view(at_, static_cast<std::size_t>(end_ - at_)).substr(0, literal.size()) == literal) {
        at_ += literal.size();
        return true;
      }
    return digits(text, whole);
  }
  bool null() {
    blanks();
    if (std::string_view(at_, static_cast<std::size_t>(end_ - at_)).substr(0, 4) != "null") return false;
    at_ += 4;
    return true;
  }

  const char* at() const { return at_; }
  /// Steps over `text` when it stands here.
  bool skip(std::string_view text) {
    if (static_cast<std::size_t>(end_ - at_) < text.size() || std::memcmp(at_, text.data(), text.size()) != 0) return false;
    at_ += text.size();
    return true;
  }

 private:
  /// Reads 1 to 7, or 9 to 15, digits that other characters follow, eight bytes in one word (first character lowest).
  /// False: not that case, nothing moved.
  bool some_digits(const char*& p, std::uint64_t& v) const {
    if constexpr (std::endian::native != std::endian::little) return false;
    if (end_ - p < 8) return false;
    std::uint64_t t = word_at(p);
    std::uint64_t others = not_digits(t);
    const char* q = p;
    std::uint64_t high = 0;
    if (others == 0) {
      if (end_ - p < 16) return false;
      high = value_of(t);
      q += 8;
      t = word_at(q);
      others = not_digits(t);
      if (others == 0) return false;
    }
    const int n = std::countr_zero(others) >> 3;
    if (n == 0) return false;
    static constexpr std::array<std::uint64_t, 8> power{1, 10, 100, 1000, 10'000, 100'000, 1'000'000, 10'000'000};
    v = value_of(t << (64 - 8 * n));
    if (high != 0) v += high * power[static_cast<std::size_t>(n)];
    p = q + n;
    return true;
  }
  /// Eight characters, digits as 0 to 9.
  static std::uint64_t word_at(const char* p) {
    std::uint64_t t = 0;
    std::memcpy(&t, p, 8);
    return t ^ 0x3030303030303030ULL;
  }
  /// The highest bit of each byte that is no digit; exact up to and with the first such byte.
  static std::uint64_t not_digits(std::uint64_t t) { return ((t + 0x7676767676767676ULL) | t) & 0x8080808080808080ULL; }
  static std::uint64_t value_of(std::uint64_t t) {
    t = (t * 10 + (t >> 8)) & 0x00ff00ff00ff00ffULL;
    t = (t * 100 + (t >> 16)) & 0x0000ffff0000ffffULL;
    return (t * 10000 + (t >> 32)) & 0xffffffffULL;
  }

  const char* begin_;
  const char* at_;
  const char* end_;
  std::string& fault_;
};

}  // namespace kvcliff::workload
