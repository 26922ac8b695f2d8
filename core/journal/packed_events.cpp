// SPDX-License-Identifier: GPL-3.0-or-later
#include "journal/packed_events.h"

#include <fmt/format.h>

#include <limits>
#include <optional>

namespace kvcliff::journal {
namespace {

constexpr std::uint64_t version = 1;

void put(std::string& out, std::uint64_t v) {
  while (v >= 0x80) {
    out += static_cast<char>((v & 0x7f) | 0x80);
    v >>= 7;
  }
  out += static_cast<char>(v);
}

// Differences are taken in unsigned arithmetic, which wraps: any two times have one, and adding it gives them back.
std::uint64_t zigzag(std::uint64_t difference) {
  return (difference << 1) ^ (difference >> 63 ? ~std::uint64_t{0} : 0);
}
std::uint64_t unzigzag(std::uint64_t v) { return (v >> 1) ^ (v & 1 ? ~std::uint64_t{0} : 0); }

struct Cursor {
  std::string_view bytes;
  std::size_t at = 0;

  std::optional<std::uint64_t> take() {
    std::uint64_t v = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (at >= bytes.size()) return std::nullopt;
      const auto b = static_cast<std::uint8_t>(bytes[at++]);
      if (shift == 63 && b > 1) return std::nullopt;
      v |= static_cast<std::uint64_t>(b & 0x7f) << shift;
      if (b < 0x80) return v;
    }
    return std::nullopt;
  }
};

}  // namespace

std::string pack_events(std::span<const StreamEvent> events, MonoNs base) {
  std::string out;
  out.reserve(12 + events.size() * 7);
  put(out, version);
  put(out, events.size());
  auto last_at = static_cast<std::uint64_t>(base);
  std::uint64_t last_bytes = 0;
  for (const StreamEvent& e : events) {
    const auto at = static_cast<std::uint64_t>(e.at);
    put(out, zigzag(at - last_at));
    put(out, zigzag(e.bytes - last_bytes));
    put(out, static_cast<std::uint64_t>(e.tokens) * 16 + static_cast<std::uint64_t>(e.kind));
    last_at = at;
    last_bytes = e.bytes;
  }
  return out;
}

Result<std::vector<StreamEvent>> unpack_events(std::string_view block, MonoNs base) {
  Cursor in{block};
  const auto bad = [&](const char* why) {
    return fail(ErrorCode::corrupt, "The event block of a request cannot be read", fmt::format("byte {}", in.at), why,
                "The other columns of this request are not affected");
  };
  const auto v = in.take();
  if (!v) return bad("it has no version");
  if (*v != version) return bad("its version is unknown to this program");
  const auto count = in.take();
  // An event takes three bytes at least, so a count beyond that is a damaged block, not a reason to allocate.
  if (!count || *count > block.size() / 3) return bad("its count does not fit its length");
  std::vector<StreamEvent> out;
  out.reserve(static_cast<std::size_t>(*count));
  auto at = static_cast<std::uint64_t>(base);
  std::uint64_t bytes = 0;
  for (std::uint64_t i = 0; i < *count; ++i) {
    const auto dt = in.take();
    const auto db = in.take();
    const auto kind_tokens = in.take();
    if (!dt || !db || !kind_tokens) return bad("it ends within an event");
    at += unzigzag(*dt);
    bytes += unzigzag(*db);
    const std::uint64_t kind = *kind_tokens % 16, tokens = *kind_tokens / 16;
    if (bytes > std::numeric_limits<std::uint32_t>::max()) return bad("an event length is out of range");
    if (kind > static_cast<std::uint64_t>(EventKind::malformed)) return bad("an event kind is unknown");
    if (tokens > std::numeric_limits<std::uint16_t>::max()) return bad("a token count is out of range");
    out.push_back({static_cast<MonoNs>(at), static_cast<std::uint32_t>(bytes), static_cast<EventKind>(kind),
                   static_cast<std::uint16_t>(tokens)});
  }
  if (in.at != block.size()) return bad("bytes follow the last event");
  return out;
}

}  // namespace kvcliff::journal
