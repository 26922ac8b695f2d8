// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/printable.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace kvcliff {
namespace {

unsigned byte_at(std::string_view s, std::size_t i) { return static_cast<unsigned char>(s[i]); }

/// Bytes of the character that begins with `b`; 0: no character begins so.
std::size_t length_of(unsigned b) { return b < 0x80 ? 1 : b >= 0xc2 && b < 0xe0 ? 2 : b >= 0xe0 && b < 0xf0 ? 3 : b >= 0xf0 && b < 0xf5 ? 4 : 0; }

char32_t value_of(std::string_view c) {
  if (c.size() == 1) return byte_at(c, 0);
  char32_t v = byte_at(c, 0) & (0x7fu >> c.size());
  for (std::size_t i = 1; i < c.size(); ++i) v = v << 6 | (byte_at(c, i) & 0x3f);
  return v;
}

bool steers(char32_t c) {
  if (c < 0x20) return c != '\n' && c != '\t';
  return (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

}  // namespace

void PrintableFilter::feed(std::string_view piece, std::string& out) {
  const std::string joined = kept_.empty() ? std::string() : kept_ + std::string(piece);
  const std::string_view s = kept_.empty() ? piece : std::string_view(joined);
  std::string keep;
  for (std::size_t i = 0; i < s.size();) {
    const std::size_t n = length_of(byte_at(s, i));
    std::size_t have = 1;
    while (have < n && i + have < s.size() && (byte_at(s, i + have) & 0xc0) == 0x80) ++have;
    const bool cut_short = n > have && i + have == s.size();
    if (cut_short || (s[i] == '\r' && i + 1 == s.size())) {
      keep = s.substr(i);
      break;
    }
    const std::string_view c = s.substr(i, std::max<std::size_t>(n, 1));
    if (n == 0 || have < n || to_valid_utf8(c) != c) {
      out += fmt::format("\\x{:02x}", byte_at(s, i));
      i += 1;
      continue;
    }
    const char32_t v = value_of(c);
    if (!steers(v) || (v == '\r' && s[i + 1] == '\n')) out += c;
    else out += v < 0x100 ? fmt::format("\\x{:02x}", static_cast<unsigned>(v)) : fmt::format("\\u{:04x}", static_cast<unsigned>(v));
    i += n;
  }
  kept_ = std::move(keep);
}

void PrintableFilter::finish(std::string& out) {
  for (const char c : kept_) out += fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
  kept_.clear();
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  PrintableFilter f;
  f.feed(text, out);
  f.finish(out);
  return out;
}

std::string printable_line(std::string_view text) {
  std::string out = printable(text);
  std::replace_if(out.begin(), out.end(), [](char c) { return c == '\n' || c == '\t' || c == '\r'; }, ' ');
  return out;
}

}  // namespace kvcliff
