// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kvcliff {

/// The whole file as bytes. Errors: not_found, io (with the system's reason).
Result<std::string> read_file(const std::filesystem::path& path);
/// As read_file, and unpacks gzip or zstd when the content starts with their magic bytes.
Result<std::string> read_maybe_compressed(const std::filesystem::path& path);
/// Writes to a temporary file beside it and renames, so that a full disk or a crash never leaves half a file.
Result<void> write_file(const std::filesystem::path& path, std::string_view bytes);

std::string zstd_compress(std::string_view bytes, int level = 3);
/// Errors: corrupt. Output is limited to `limit` bytes.
Result<std::string> zstd_decompress(std::string_view bytes, std::size_t limit = std::size_t{1} << 32);
Result<std::string> gunzip(std::string_view bytes, std::size_t limit = std::size_t{1} << 32);

}  // namespace kvcliff
