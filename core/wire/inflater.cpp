// SPDX-License-Identifier: GPL-3.0-or-later
#include <zlib.h>

#include "wire/http_answer.h"

namespace kvcliff::wire {

struct Inflater::Impl {
  z_stream z{};
  bool started = false;
  bool ended = false;
  bool bad = false;
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

bool Inflater::push(std::string_view bytes, const ByteSink& sink, std::uint64_t limit) {
  Impl& s = *impl_;
  if (s.bad) return false;
  if (bytes.empty() || s.ended) return true;  // bytes after the end are padding
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
      return !s.bad;
    }
    if (rc != Z_OK && rc != Z_BUF_ERROR) s.bad = true;
    if (s.bad) return false;
    if (s.z.avail_in == 0 && s.z.avail_out != 0) return true;
    if (rc == Z_BUF_ERROR && got == 0) return true;
  }
}

}  // namespace kvcliff::wire
