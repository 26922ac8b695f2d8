// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "process/launcher.h"

namespace kvcliff::process {

/// One line of the process table.
struct TableEntry {
  Member process;
  std::int64_t uid = 0;
  bool zombie = false;
};

/// Every process this user can see in /proc. Processes that end meanwhile are left out.
std::vector<TableEntry> read_table();
/// `root` and everything below it, by parent; zombies left out.
std::vector<Member> tree_of(const std::vector<TableEntry>& table, std::int64_t root);
/// Of the processes noted while they lived, those that still live: same number and same start time, since numbers are
/// used again. Never by name: names are cut to 15 bytes and others may bear the same.
std::vector<Member> survivors(const std::vector<Member>& noted, const std::vector<TableEntry>& now);

/// The variable that marks every process of a launch; it survives double forks and new sessions.
inline constexpr const char* launch_marker = "KVCLIFF_LAUNCH";
/// Living processes whose environment carries the marker, with its value. Those of other users cannot be read.
struct Marked {
  Member process;
  std::string launch;   ///< "<workbench pid>.<its start>.<number>"
};
std::vector<Marked> marked_processes();
/// Processes of launches whose workbench no longer lives: left by a crash of it and of its guard.
std::vector<Marked> orphans_of_dead_workbenches();

}  // namespace kvcliff::process
