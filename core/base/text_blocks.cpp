// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/text_blocks.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace kvcliff {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

Error trouble(const std::string& where, int err) {
  const bool missing = err == ENOENT || err == ENOTDIR;
  return {missing ? ErrorCode::not_found : ErrorCode::io, missing ? "Cannot open the file" : "Cannot read the file", where, std::strerror(err),
          missing ? "Check the path" : err == EACCES || err == EPERM ? "Check the permissions" : ""};
}
Error broken(const std::string& where, const std::string& why) { return {ErrorCode::corrupt, "Compressed data cannot be unpacked", where, why, {}}; }

/// Where a piece of at most `piece` bytes ends: behind its last line end, or npos.
std::size_t cut(std::string_view text) {
  const auto at = text.rfind('\n');
  return at == std::string_view::npos ? at : at + 1;
}

}  // namespace

/// The unpacked bytes of a file, one after the other.
struct TextBlocks::Bytes {
  enum class Kind { plain, gzip, zstd };
  int fd = -1;
  Kind kind = Kind::plain;
  z_stream z{};
  ZSTD_DStream* zstd = nullptr;
  std::size_t zstd_open = 0;      // bytes that the open frame still wants; 0: between frames
  bool in_member = false;         // gzip: a member has begun and not ended
  std::string raw;                // packed bytes, from at on
  std::size_t at = 0;
  bool raw_ended = false;
  std::string where;

  ~Bytes() {
    if (kind == Kind::gzip) inflateEnd(&z);
    if (zstd) ZSTD_freeDStream(zstd);
    if (fd >= 0) ::close(fd);
  }

  Result<std::size_t> read_raw(char* to, std::size_t room) {
    for (;;) {
      const ssize_t n = ::read(fd, to, room);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return fail(trouble(where, errno));
      return static_cast<std::size_t>(n);
    }
  }
  Result<void> more_raw() {
    raw.erase(0, at);
    at = 0;
    const std::size_t before = raw.size();
    raw.resize(before + (1 << 17));
    const auto n = read_raw(raw.data() + before, raw.size() - before);
    if (!n) return fail(n.error());
    raw.resize(before + *n);
    raw_ended = *n == 0;
    return {};
  }
  Result<void> start() {
    for (raw_ended = false; raw.size() < 4 && !raw_ended;)
      if (auto ok = more_raw(); !ok) return ok;
    if (raw.rfind("\x1f\x8b", 0) == 0) {
      if (inflateInit2(&z, 15 + 16) != Z_OK) return fail(broken(where, "zlib did not start"));
      kind = Kind::gzip;
      in_member = true;
    } else if (raw.rfind("\x28\xb5\x2f\xfd", 0) == 0) {
      kind = Kind::zstd;
      zstd = ZSTD_createDStream();
    }
    return {};
  }
  /// Up to `room` bytes; 0: the end.
  Result<std::size_t> read(char* to, std::size_t room) {
    if (kind == Kind::plain) {
      if (at == raw.size()) return raw_ended ? Result<std::size_t>(std::size_t{0}) : read_raw(to, room);
      const std::size_t n = std::min(room, raw.size() - at);
      std::memcpy(to, raw.data() + at, n);
      at += n;
      return n;
    }
    for (;;) {
      if (at == raw.size() && !raw_ended)
        if (auto ok = more_raw(); !ok) return fail(ok.error());
      if (kind == Kind::gzip) {
        if (!in_member) {
          if (at == raw.size()) return std::size_t{0};
          if (inflateReset(&z) != Z_OK) return fail(broken(where, "broken member"));
          in_member = true;
        }
        z.next_in = reinterpret_cast<Bytef*>(raw.data() + at);
        z.avail_in = static_cast<uInt>(raw.size() - at);
        z.next_out = reinterpret_cast<Bytef*>(to);
        z.avail_out = static_cast<uInt>(room);
        const int rc = inflate(&z, Z_NO_FLUSH);
        at = raw.size() - z.avail_in;
        if (rc == Z_STREAM_END) in_member = false;
        else if (rc != Z_OK && !(rc == Z_BUF_ERROR && !raw_ended)) return fail(broken(where, rc == Z_BUF_ERROR ? "the data ends early" : "broken data"));
        if (const std::size_t n = room - z.avail_out; n > 0) return n;
        continue;
      }
      if (at == raw.size() && zstd_open == 0) return std::size_t{0};
      ZSTD_inBuffer in{raw.data(), raw.size(), at};
      ZSTD_outBuffer out{to, room, 0};
      zstd_open = ZSTD_decompressStream(zstd, &out, &in);
      if (ZSTD_isError(zstd_open)) return fail(broken(where, ZSTD_getErrorName(zstd_open)));
      const bool stuck = in.pos == at && out.pos == 0 && raw_ended;
      at = in.pos;
      if (out.pos > 0) return out.pos;
      if (stuck && zstd_open != 0) return fail(broken(where, "the data ends early"));
    }
  }
};

TextBlocks::TextBlocks() = default;
TextBlocks::TextBlocks(TextBlocks&&) noexcept = default;
TextBlocks& TextBlocks::operator=(TextBlocks&&) noexcept = default;
TextBlocks::~TextBlocks() = default;

Result<TextBlocks> TextBlocks::open(const std::filesystem::path& path) {
  TextBlocks out;
  out.where_ = path.string();
  out.bytes_ = std::make_unique<Bytes>();
  out.bytes_->where = out.where_;
  out.bytes_->fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (out.bytes_->fd < 0) return fail(trouble(out.where_, errno));
  struct stat st{};
  if (::fstat(out.bytes_->fd, &st) != 0) return fail(trouble(out.where_, errno));
  if (S_ISDIR(st.st_mode)) return fail(ErrorCode::bad_usage, "A file is needed, this is a folder", out.where_, {}, "Name a file in it");
  if (auto ok = out.bytes_->start(); !ok) return fail(ok.error());
  if (out.bytes_->kind == Bytes::Kind::plain && S_ISREG(st.st_mode)) out.size_hint_ = static_cast<std::size_t>(st.st_size);
  if (auto ok = out.fill(out.pending_, byte_order_mark.size()); !ok) return fail(ok.error());
  if (out.pending_.rfind(byte_order_mark, 0) == 0) out.taken_ = byte_order_mark.size();
  return out;
}

TextBlocks TextBlocks::of(std::string_view text) {
  TextBlocks out;
  if (text.substr(0, byte_order_mark.size()) == byte_order_mark) text.remove_prefix(byte_order_mark.size());
  out.memory_ = text;
  out.size_hint_ = text.size();
  return out;
}

// Reads until `to` holds `wanted` bytes or the file ends.
Result<void> TextBlocks::fill(std::string& to, std::size_t wanted) {
  while (to.size() < wanted && !ended_) {
    const std::size_t before = to.size();
    to.resize(wanted);
    const auto n = bytes_->read(to.data() + before, wanted - before);
    to.resize(before + (n ? *n : 0));
    if (!n) return fail(n.error());
    ended_ = *n == 0;
  }
  return {};
}

Result<std::string_view> TextBlocks::head() {
  std::string_view all = memory_.substr(0, std::min(memory_.size(), head_size));
  bool whole = all.size() == memory_.size();
  if (bytes_) {
    if (auto ok = fill(pending_, head_size); !ok) return fail(ok.error());
    all = std::string_view(pending_).substr(taken_);
    whole = ended_;
  }
  if (whole) return all;
  const std::size_t end = cut(all);
  return end == std::string_view::npos ? all : all.substr(0, end);  // a line longer than the head is judged by its start
}

Result<std::string_view> TextBlocks::next(std::string& buffer) {
  if (!bytes_) {
    std::size_t end = memory_.size() <= piece ? memory_.size() : cut(memory_.substr(0, piece));
    if (end == std::string_view::npos) {
      end = memory_.find('\n', piece);
      end = end == std::string_view::npos ? memory_.size() : end + 1;
    }
    const auto out = memory_.substr(0, end);
    memory_.remove_prefix(end);
    return out;
  }
  const std::size_t ready = std::min(piece, pending_.size() - taken_);
  buffer.assign(pending_, taken_, ready);
  taken_ += ready;
  if (taken_ == pending_.size()) {
    pending_.clear();
    taken_ = 0;
  }
  for (std::size_t wanted = piece;; wanted *= 2) {
    if (pending_.empty()) {
      if (auto ok = fill(buffer, wanted); !ok) return fail(ok.error());
      if (ended_) return std::string_view(buffer);
    } else if (buffer.size() < wanted) {
      const std::size_t more = std::min(wanted - buffer.size(), pending_.size() - taken_);
      buffer.append(pending_, taken_, more);
      taken_ += more;
      if (taken_ == pending_.size()) {
        pending_.clear();
        taken_ = 0;
      }
    }
    const std::size_t end = cut(buffer);
    if (end != std::string_view::npos) {
      const std::size_t rest = buffer.size() - end;
      if (pending_.empty()) pending_.assign(buffer, end, rest);
      else taken_ -= rest;
      buffer.resize(end);
      return std::string_view(buffer);
    }
    if (wanted > longest_line)
      return fail(ErrorCode::bad_usage, "A line of the file is too long", where_, fmt::format("no line end within {} bytes", wanted), "Give a text file with one entry a line");
  }
}

}  // namespace kvcliff
