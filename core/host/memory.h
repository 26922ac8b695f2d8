// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kvcliff::host {

/// /proc/meminfo in bytes; a line that is missing stays unknown.
struct MemInfo {
  std::optional<std::int64_t> total, available, shmem, swap_free;
};
MemInfo parse_meminfo(std::string_view text);

/// One memory limit on the way from our control group to the root.
struct CgroupLimit {
  std::string path;                          ///< folder the numbers were read from
  std::optional<std::int64_t> limit;         ///< bytes; empty = no limit
  std::optional<std::int64_t> current;       ///< bytes in use, file cache included
  std::optional<std::int64_t> reclaimable;   ///< file cache that goes when memory is asked for (inactive_file)
  std::optional<std::int64_t> oom_kills;     ///< processes the kernel ended in this group so far
};
/// "max" and version 1's huge number mean no limit (empty). Anything else that is no number: empty as well.
std::optional<std::int64_t> parse_limit(std::string_view text);
/// `oom_kill` of memory.events (version 2) or memory.oom_control (version 1).
std::optional<std::int64_t> parse_oom_kills(std::string_view text);

struct Memory {
  MemInfo info;
  std::vector<CgroupLimit> cgroups;   ///< those with a limit or an oom count, innermost first
  /// What a new process can take: the smallest of MemAvailable and what each group leaves; nullopt when nothing is known.
  std::optional<std::int64_t> usable() const;
  /// Which of them is the smallest, for people.
  std::string usable_from() const;
  std::optional<std::int64_t> oom_kills() const;
};
/// Reads proc/ and sys/fs/cgroup/ below `root` ("/" for this machine). Both versions of control groups.
Memory read_memory(const std::filesystem::path& root = "/");

/// Host memory that a tier of `asked` bytes may pin: each pinned tensor is rounded up to a power of two by the
/// allocator. With the number of layers (one tensor per layer and rank) the estimate is exact, without it twice the
/// size. Source: results of a vLLM 0.26.0 on an H200 (2.2 GiB asked in 28 layers: 3.5 GiB pinned).
std::int64_t pinned_worst_case(std::int64_t asked);
std::int64_t pinned_estimate(std::int64_t asked, std::int64_t layers, std::int64_t ranks = 1);

/// Why a child that we did not kill ended by SIGKILL; empty when the counts do not say.
std::string explain_kill(std::optional<std::int64_t> oom_kills_before, std::optional<std::int64_t> oom_kills_after);

}  // namespace kvcliff::host
