// SPDX-License-Identifier: GPL-3.0-or-later
#include <zlib.h>

#include "wire/http_answer.h"

namespace kvcliff::wire {

struct Inflater::Impl {
  z_stream z{};
  bool started = false;
  bool ended = false;      // at the end of a member, or of the data
  bool bad = false;
  bool gzip = false;       // may have several members (RFC 1952)
  bool later = false;      // past the first member
  bool padding = false;    // what follows the end is no member
  std::uint64_t produced = 0;
};

Inflater::Inflater() : impl_(std::make_unique<Impl>()) {}

Inflater::~Inflater() {
  if (impl_->started) inflateEnd(&impl_->z);
}

void Inflater::reset() {
  if (impl_->started) inflateEnd(&impl_->z);
  *impl_ = Impl();
}

bool Inflater::ended() const { return impl_->ended; }

/// After the end of a gzip member: true when another one begins in `bytes`, which then starts there. Zeros between them, and
/// anything that is no member, are padding.
bool Inflater::next_member(std::string_view& bytes) {
  Impl& s = *impl_;
  if (!s.gzip || s.padding) return false;
  const auto begin = bytes.find_first_not_of('\0');
  if (begin == std::string_view::npos) return false;
  bytes.remove_prefix(begin);
  if (bytes.front() != '\x1f' || inflateReset(&s.z) != Z_OK) {
    s.padding = true;
    return false;
  }
  s.later = true;
  s.ended = false;
  return true;
}

bool Inflater::push(std::string_view bytes, const ByteSink& sink, std::uint64_t limit) {
  Impl& s = *impl_;
  if (s.bad) return false;
  if (s.ended && !next_member(bytes)) return true;
  if (bytes.empty()) return true;
  if (!s.started) {
    // "deflate" means zlib data by the standard and raw data in some servers: the first byte tells zlib and gzip apart
    // from raw (compression method 8 in the low half).
    const auto first = static_cast<unsigned char>(bytes.front());
    const int window = (first & 0x0f) == 8 || first == 0x1f ? 15 + 32 : -15;
    if (inflateInit2(&s.z, window) != Z_OK) {
      s.bad = true;
      return false;
    }
    s.started = true;
    s.gzip = first == 0x1f;
  }
  s.z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  s.z.avail_in = static_cast<uInt>(bytes.size());
  char out[16384];
  for (;;) {
    s.z.next_out = reinterpret_cast<Bytef*>(out);
    s.z.avail_out = sizeof out;
    const int rc = inflate(&s.z, Z_SYNC_FLUSH);
    const std::size_t got = sizeof out - s.z.avail_out;
    s.produced += got;
    if (s.produced > limit) s.bad = true;
    if (got > 0 && !s.bad) sink({out, got});
    if (rc == Z_STREAM_END) {
      s.ended = true;
      std::string_view rest(reinterpret_cast<const char*>(s.z.next_in), s.z.avail_in);
      if (s.bad) return false;
      if (!next_member(rest)) return true;
      s.z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest.data()));
      s.z.avail_in = static_cast<uInt>(rest.size());
      continue;
    }
    if (rc == Z_DATA_ERROR && s.later && s.z.total_out == 0 && s.z.total_in < 4) {
      s.ended = s.padding = true;  // two bytes like those of a header, but no header: rubbish after the end
      return true;
    }
    if (rc != Z_OK && rc != Z_BUF_ERROR) s.bad = true;
    if (s.bad) return false;
    if (s.z.avail_in == 0 && s.z.avail_out != 0) return true;
    if (rc == Z_BUF_ERROR && got == 0) return true;
  }
}

}  // namespace kvcliff::wire
