// SPDX-License-Identifier: GPL-3.0-or-later
#include "process/table.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <sstream>

#include "base/text.h"

namespace kvcliff::process {
namespace {

std::optional<std::string> slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  std::string text(std::istreambuf_iterator<char>(in), {});
  return text;
}

/// /proc/PID/stat; the name stands in parentheses and may hold blanks and parentheses itself.
std::optional<TableEntry> entry_from_stat(const std::string& text) {
  const auto open = text.find('('), close = text.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close < open) return std::nullopt;
  TableEntry e;
  e.process.pid = parse_int(trim(std::string_view(text).substr(0, open))).value_or(0);
  e.process.name = to_valid_utf8(std::string_view(text).substr(open + 1, close - open - 1));
  const auto fields = split(trim(std::string_view(text).substr(close + 1)), ' ');
  if (fields.size() < 20) return std::nullopt;
  e.zombie = fields[0] == "Z" || fields[0] == "X";
  e.process.ppid = parse_int(fields[1]).value_or(0);
  e.process.pgid = parse_int(fields[2]).value_or(0);
  e.process.start_ticks = static_cast<std::uint64_t>(parse_int(fields[19]).value_or(0));
  return e;
}

std::optional<TableEntry> read_entry(const std::string& pid) {
  const std::string folder = "/proc/" + pid;
  const auto text = slurp(folder + "/stat");
  if (!text) return std::nullopt;
  auto e = entry_from_stat(*text);
  struct stat st {};
  if (e && ::stat(folder.c_str(), &st) == 0) e->uid = st.st_uid;
  return e;
}

}  // namespace

std::vector<TableEntry> read_table() {
  std::vector<TableEntry> out;
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(::opendir("/proc"), ::closedir);
  if (!dir) return out;
  while (const dirent* d = ::readdir(dir.get())) {
    if (d->d_name[0] < '0' || d->d_name[0] > '9') continue;
    if (auto e = read_entry(d->d_name)) out.push_back(std::move(*e));
  }
  return out;
}

std::vector<Member> tree_of(const std::vector<TableEntry>& table, std::int64_t root) {
  std::vector<Member> out;
  std::set<std::int64_t> inside{root};
  // A child may stand before its parent in the table: repeat until nothing is added.
  for (bool grew = true; grew;) {
    grew = false;
    for (const auto& e : table)
      if (inside.count(e.process.ppid) && inside.insert(e.process.pid).second) grew = true;
  }
  for (const auto& e : table)
    if (inside.count(e.process.pid) && !e.zombie) out.push_back(e.process);
  return out;
}

std::vector<Member> survivors(const std::vector<Member>& noted, const std::vector<TableEntry>& now) {
  std::vector<Member> out;
  for (const auto& e : now) {
    if (e.zombie) continue;
    const bool ours = std::any_of(noted.begin(), noted.end(), [&](const Member& m) {
      return m.pid == e.process.pid && m.start_ticks == e.process.start_ticks;
    });
    if (ours) out.push_back(e.process);
  }
  return out;
}

std::vector<Marked> marked_processes() {
  std::vector<Marked> out;
  const std::string key = std::string(launch_marker) + "=";
  for (const auto& e : read_table()) {
    if (e.zombie) continue;
    const auto environment = slurp("/proc/" + std::to_string(e.process.pid) + "/environ");
    if (!environment) continue;
    for (const auto part : split(*environment, '\0'))
      if (part.substr(0, key.size()) == key) {
        out.push_back({e.process, std::string(part.substr(key.size()))});
        break;
      }
  }
  return out;
}

std::vector<Marked> orphans_of_dead_workbenches() {
  std::vector<Marked> out;
  for (auto& m : marked_processes()) {
    const auto parts = split(m.launch, '.');
    if (parts.size() != 3) continue;
    const auto owner = read_entry(std::string(parts[0]));
    if (owner && !owner->zombie && std::to_string(owner->process.start_ticks) == parts[1]) continue;
    out.push_back(std::move(m));
  }
  return out;
}

}  // namespace kvcliff::process
