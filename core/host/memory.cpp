// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/memory.h"

#include <algorithm>
#include <fstream>

#include "base/text.h"

namespace kvcliff::host {
namespace fs = std::filesystem;

namespace {

/// Files of /proc and /sys have no size; they are read to their end.
std::optional<std::string> slurp(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

std::optional<std::int64_t> keyed(std::string_view text, std::string_view key) {
  for (const auto line : split(text, '\n')) {
    const auto parts = split(trim(line), ' ');
    if (parts.size() == 2 && parts[0] == key) return parse_int(parts[1]);
  }
  return std::nullopt;
}

std::optional<std::int64_t> number_in(const fs::path& path) {
  const auto text = slurp(path);
  return text ? parse_limit(*text) : std::nullopt;
}

CgroupLimit read_v2(const fs::path& folder) {
  CgroupLimit c{.path = folder.string()};
  c.limit = number_in(folder / "memory.max");
  c.current = number_in(folder / "memory.current");
  if (const auto stat = slurp(folder / "memory.stat")) c.reclaimable = keyed(*stat, "inactive_file");
  if (const auto events = slurp(folder / "memory.events")) c.oom_kills = parse_oom_kills(*events);
  return c;
}

CgroupLimit read_v1(const fs::path& folder) {
  CgroupLimit c{.path = folder.string()};
  c.limit = number_in(folder / "memory.limit_in_bytes");
  c.current = number_in(folder / "memory.usage_in_bytes");
  if (const auto stat = slurp(folder / "memory.stat")) c.reclaimable = keyed(*stat, "total_inactive_file");
  if (const auto control = slurp(folder / "memory.oom_control")) c.oom_kills = parse_oom_kills(*control);
  return c;
}

/// From our group up to the root; inside a container the path may name folders that are not mounted here.
void walk(const fs::path& mount, const std::string& group, bool v2, std::vector<CgroupLimit>& out) {
  fs::path relative = fs::path(group).relative_path();
  for (;;) {
    std::error_code ec;
    const fs::path folder = mount / relative;
    if (fs::is_directory(folder, ec)) {
      auto c = v2 ? read_v2(folder) : read_v1(folder);
      if (c.limit || c.oom_kills) out.push_back(std::move(c));
    }
    if (relative.empty()) return;
    relative = relative.parent_path();
  }
}

std::optional<std::int64_t> left_in(const CgroupLimit& c) {
  if (!c.limit || !c.current) return std::nullopt;
  return std::max<std::int64_t>(0, *c.limit - *c.current + std::min(c.reclaimable.value_or(0), *c.current));
}

std::int64_t power_of_two_above(std::int64_t n) {
  std::int64_t p = 1;
  while (p < n && p < (std::int64_t{1} << 61)) p *= 2;
  return p;
}

}  // namespace

MemInfo parse_meminfo(std::string_view text) {
  MemInfo m;
  const auto field = [&](std::string_view name) -> std::optional<std::int64_t> {
    for (const auto line : split(text, '\n')) {
      if (line.substr(0, name.size()) != name || line.size() <= name.size() || line[name.size()] != ':') continue;
      auto rest = trim(line.substr(name.size() + 1));
      const bool kib = rest.size() > 3 && rest.substr(rest.size() - 3) == " kB";
      if (kib) rest = trim(rest.substr(0, rest.size() - 3));
      const auto n = parse_int(rest);
      return n ? std::optional(kib ? *n * 1024 : *n) : std::nullopt;
    }
    return std::nullopt;
  };
  m.total = field("MemTotal");
  m.available = field("MemAvailable");
  m.shmem = field("Shmem");
  m.swap_free = field("SwapFree");
  return m;
}

std::optional<std::int64_t> parse_limit(std::string_view text) {
  const auto n = parse_int(trim(text));
  // Version 1 writes "no limit" as the largest number that is a multiple of the page size.
  if (!n || *n < 0 || *n >= (std::int64_t{1} << 62)) return std::nullopt;
  return n;
}

std::optional<std::int64_t> parse_oom_kills(std::string_view text) { return keyed(text, "oom_kill"); }

std::optional<std::int64_t> Memory::usable() const {
  std::optional<std::int64_t> out = info.available;
  for (const auto& c : cgroups)
    if (const auto left = left_in(c); left && (!out || *left < *out)) out = left;
  return out;
}

std::string Memory::usable_from() const {
  const auto smallest = usable();
  if (!smallest) return "neither MemAvailable nor a control group's limit can be read";
  for (const auto& c : cgroups)
    if (left_in(c) == smallest && smallest != info.available) return "limit of the control group " + c.path;
  return "MemAvailable";
}

std::optional<std::int64_t> Memory::oom_kills() const {
  for (const auto& c : cgroups)
    if (c.oom_kills) return c.oom_kills;
  return std::nullopt;
}

Memory read_memory(const fs::path& root) {
  Memory m;
  if (const auto text = slurp(root / "proc/meminfo")) m.info = parse_meminfo(*text);
  const auto groups = slurp(root / "proc/self/cgroup");
  if (!groups) return m;
  const fs::path sys = root / "sys/fs/cgroup";
  std::error_code ec;
  for (const auto line : split(*groups, '\n')) {
    const auto first = line.find(':'), second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const auto controllers = line.substr(first + 1, second - first - 1);
    const std::string group(line.substr(second + 1));
    if (controllers.empty()) {
      walk(fs::exists(sys / "unified", ec) ? sys / "unified" : sys, group, true, m.cgroups);
    } else {
      for (const auto c : split(controllers, ','))
        if (c == "memory") walk(sys / "memory", group, false, m.cgroups);
    }
  }
  return m;
}

std::int64_t pinned_worst_case(std::int64_t asked) { return asked * 2; }

std::int64_t pinned_estimate(std::int64_t asked, std::int64_t layers, std::int64_t ranks) {
  if (layers < 1 || ranks < 1 || asked < 1) return pinned_worst_case(asked);
  const std::int64_t tensors = layers * ranks;
  return power_of_two_above((asked + tensors - 1) / tensors) * tensors;
}

std::string explain_kill(std::optional<std::int64_t> before, std::optional<std::int64_t> after) {
  if (before && after && *after > *before) return "out of memory (cgroup)";
  return {};
}

}  // namespace kvcliff::host
