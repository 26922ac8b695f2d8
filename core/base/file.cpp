// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cerrno>
#include <cstring>
#include <memory>

namespace kvcliff {
namespace {

struct Fd {
  int fd = -1;
  ~Fd() {
    if (fd >= 0) ::close(fd);
  }
};

Error system_error(const char* what, const std::filesystem::path& path, int err) {
  Error e{ErrorCode::io, what, path.string(), std::strerror(err), {}};
  if (err == ENOENT || err == ENOTDIR) {
    e.code = ErrorCode::not_found;
    e.next = "Check the path";
  } else if (err == EACCES || err == EPERM) {
    e.next = "Check the permissions";
  } else if (err == ENOSPC || err == EDQUOT) {
    e.next = "Free some space on that file system, or choose another place";
  } else if (err == EFBIG) {
    e.next = "Raise the limit on the size of files (ulimit -f), or choose another place";
  } else if (err == EROFS) {
    e.next = "Choose a place on a file system that may be written";
  } else {
    e.next = "Check the path and the disk";
  }
  return e;
}

}  // namespace

Result<std::string> read_file(const std::filesystem::path& path) {
  Fd f{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (f.fd < 0) return fail(system_error("Cannot open the file", path, errno));
  struct stat st{};
  if (::fstat(f.fd, &st) != 0) return fail(system_error("Cannot read the file", path, errno));
  if (S_ISDIR(st.st_mode))
    return fail(ErrorCode::bad_usage, "A file is needed, this is a folder", path.string(), {}, "Name a file in it");
  std::string out;
  if (S_ISREG(st.st_mode)) out.reserve(static_cast<std::size_t>(st.st_size) + 1);
  char buf[1 << 16];
  for (;;) {
    const ssize_t n = ::read(f.fd, buf, sizeof buf);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail(system_error("Cannot read the file", path, errno));
    if (n == 0) return out;
    out.append(buf, static_cast<std::size_t>(n));
  }
}

Result<std::string> read_maybe_compressed(const std::filesystem::path& path) {
  auto raw = read_file(path);
  if (!raw) return raw;
  Result<std::string> out = std::string();
  if (raw->starts_with("\x1f\x8b")) {
    out = gunzip(*raw);
  } else if (raw->starts_with("\x28\xb5\x2f\xfd")) {
    out = zstd_decompress(*raw);
  } else {
    return raw;
  }
  if (!out) out.error().where = path.string();
  return out;
}

Result<void> write_file(const std::filesystem::path& path, std::string_view bytes) {
  const std::filesystem::path temporary = path.string() + fmt::format(".{}.part", ::getpid());
  {
    Fd f{::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)};
    if (f.fd < 0) return fail(system_error("Cannot create the file", path, errno));
    while (!bytes.empty()) {
      const ssize_t n = ::write(f.fd, bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) {
        const int err = errno;
        ::unlink(temporary.c_str());
        return fail(system_error("Cannot write the file", path, err));
      }
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    const int err = errno;
    ::unlink(temporary.c_str());
    return fail(system_error("Cannot replace the file", path, err));
  }
  return {};
}

std::string zstd_compress(std::string_view bytes, int level) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t n = ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), level);
  out.resize(ZSTD_isError(n) ? 0 : n);
  return out;
}

Result<std::string> zstd_decompress(std::string_view bytes, std::size_t limit) {
  const auto bad = [](const char* why) {
    return fail(ErrorCode::corrupt, "Compressed data cannot be unpacked", "zstd", why);
  };
  std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream(ZSTD_createDStream(), &ZSTD_freeDStream);
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  std::string out;
  std::string buf(ZSTD_DStreamOutSize(), '\0');
  std::size_t left = 1;
  while (in.pos < in.size || left != 0) {
    ZSTD_outBuffer o{buf.data(), buf.size(), 0};
    left = ZSTD_decompressStream(stream.get(), &o, &in);
    if (ZSTD_isError(left)) return bad(ZSTD_getErrorName(left));
    out.append(buf.data(), o.pos);
    if (out.size() > limit) return bad("larger than the limit");
    if (left != 0 && in.pos == in.size && o.pos == 0) return bad("the data ends early");
  }
  return out;
}

Result<std::string> gunzip(std::string_view bytes, std::size_t limit) {
  const auto bad = [](const char* why) {
    return fail(ErrorCode::corrupt, "Compressed data cannot be unpacked", "gzip", why);
  };
  z_stream z{};
  if (inflateInit2(&z, 15 + 32) != Z_OK) return bad("zlib did not start");
  std::unique_ptr<z_stream, decltype(&inflateEnd)> guard(&z, &inflateEnd);
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  z.avail_in = static_cast<uInt>(bytes.size());
  std::string out;
  char buf[1 << 16];
  for (;;) {
    z.next_out = reinterpret_cast<Bytef*>(buf);
    z.avail_out = sizeof buf;
    const int rc = inflate(&z, Z_NO_FLUSH);
    out.append(buf, sizeof buf - z.avail_out);
    if (out.size() > limit) return bad("larger than the limit");
    if (rc == Z_STREAM_END) {
      if (z.avail_in == 0) return out;
      if (inflateReset(&z) != Z_OK) return bad("broken member");  // several members in one file
      continue;
    }
    if (rc != Z_OK) return bad(rc == Z_BUF_ERROR ? "the data ends early" : "broken data");
  }
}

}  // namespace kvcliff
