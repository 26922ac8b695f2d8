// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/trace_scan.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "base/hash.h"
#include "base/text.h"

namespace kvcliff::workload {
namespace {

constexpr int deepest = 64;  // nesting of fields that are passed over
constexpr double largest_whole = 9007199254740992.0;  // 2^53: beyond it a number with a point or exponent is not exact

/// A strict reader of JSON over one line. Every function returns false after setting the fault.
class Scanner {
 public:
  Scanner(std::string_view line, std::string& fault) : begin_(line.data()), at_(begin_), end_(begin_ + line.size()), fault_(fault) {}

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
    std::string_view text;
    bool whole = true;
    if (!digits(text, whole)) return false;
    const auto v = parse_double(text);
    if (!v || !std::isfinite(*v)) return wrong("a number is too large");
    out = *v;
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
  /// Reads 1 to 7 digits at once, eight bytes in one word (first character lowest). False: not that case, nothing moved.
  bool up_to_seven_digits(const char*& p, std::uint64_t& v) const {
    if constexpr (std::endian::native != std::endian::little) return false;
    if (end_ - p < 8) return false;
    std::uint64_t t = 0;
    std::memcpy(&t, p, 8);
    t ^= 0x3030303030303030ULL;                                                       // digits become 0 .. 9
    const std::uint64_t others = ((t + 0x7676767676767676ULL) | t) & 0x8080808080808080ULL;  // first set: first non-digit
    if (others == 0) return false;
    const int n = std::countr_zero(others) >> 3;
    if (n == 0) return false;
    t <<= 64 - 8 * n;
    t = (t * 10 + (t >> 8)) & 0x00ff00ff00ff00ffULL;
    t = (t * 100 + (t >> 16)) & 0x0000ffff0000ffffULL;
    v = (t * 10000 + (t >> 32)) & 0xffffffffULL;
    p += n;
    return true;
  }
  /// hash_ids: plain numbers with a comma and at most one blank between them are read in one tight loop; whatever else
  /// stands there goes through `list`.
  bool hashes(std::vector<std::uint64_t>& out) {
    const char* start = at_;
    if (peek('[')) {
      out.clear();
      const char* p = at_ + 1;
      for (;;) {
        if (p < end_ && *p == ' ') ++p;
        const char* first = p;
        std::uint64_t v = 0;
        if (!up_to_seven_digits(p, v))
          while (p < end_ && static_cast<unsigned char>(*p - '0') < 10) v = v * 10 + static_cast<std::uint64_t>(*p++ - '0');
        const auto n = p - first;
        if (n == 0 || n > 19 || (n > 1 && *first == '0') || p >= end_ || (*p != ',' && *p != ']')) break;
        out.push_back(v);
        if (*p++ == ']') {
          at_ = p;
          return true;
        }
      }
    }
    at_ = start;
    return list(out, "hash_ids", [this](std::uint64_t& v) { return hash(v); });
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

 private:
  const char* begin_;
  const char* at_;
  const char* end_;
  std::string& fault_;
};

}  // namespace

bool TraceLine::read(std::string_view line, std::string& fault) {
  timestamp.reset();
  input = output = block_size = turn = chat = parent_chat = std::nullopt;
  has_hashes = has_tokens = has_sizes = seconds = nanoseconds = servingsim = false;
  Scanner s(line, fault);
  if (!s.take('{')) return s.wrong("the line is not a JSON object");
  const auto integer = [&](std::optional<std::int64_t>& to, std::string_view key) {
    if (s.null()) return true;
    std::int64_t v = 0;
    if (!s.integer(v)) {
      fault = fmt::format("{}: {}", key, fault);
      return false;
    }
    to = v;
    return true;
  };
  if (s.take('}')) return s.done() || s.wrong("something follows the object");
  for (;;) {
    std::string_view key;
    if (!s.word(key)) return false;
    if (!s.take(':')) return s.wrong("a colon was expected");
    bool good = true;
    if (key == "hash_ids") {
      good = s.hashes(hashes);
      has_hashes = true;
    } else if (key == "input_length" || key == "input_toks") {
      servingsim |= key == "input_toks";
      good = integer(input, key);
    } else if (key == "output_length" || key == "output_toks") {
      good = integer(output, key);
    } else if (key == "timestamp" || key == "arrival_time" || key == "arrival_time_ns") {
      if (!s.null()) {
        double v = 0;
        good = s.number(v);
        if (!good) fault = fmt::format("{}: {}", key, fault);
        timestamp = v;
        seconds = key == "arrival_time";
        nanoseconds = key == "arrival_time_ns";
      }
    } else if (key == "block_size") {
      good = integer(block_size, key);
    } else if (key == "block_tokens") {
      if (!s.null()) {
        good = s.list(sizes, "block_tokens", [&](std::int64_t& v) { return s.integer(v); });
        has_sizes = true;
      }
    } else if (key == "input_tok_ids") {
      if (!s.null()) {
        good = s.list(tokens, "input_tok_ids", [&](std::int64_t& v) { return s.integer(v); });
        has_tokens = true;
      }
    } else if (key == "chat_id") {
      good = integer(chat, key);
    } else if (key == "parent_chat_id") {
      good = integer(parent_chat, key);
    } else if (key == "turn") {
      good = integer(turn, key);
    } else {
      good = s.pass();
    }
    if (!good) return false;
    if (s.take(',')) {
      s.blanks();
      continue;
    }
    if (s.take('}')) break;
    return s.wrong("the object has neither a comma nor its end");
  }
  return s.done() || s.wrong("something follows the object");
}

}  // namespace kvcliff::workload
