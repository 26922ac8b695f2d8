// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "host/facts.h"
#include "host/file_system.h"

namespace kvcliff::host {

/// One thing looked at before a launch.
struct PreflightItem {
  enum class State { pass, warn, fail, not_possible };
  std::string id;       ///< host_memory, locked_memory, shm, ...
  State state = State::pass;
  std::string what;     ///< finished sentence
  std::string why, next;
  std::map<std::string, std::int64_t> numbers;   ///< "asked_bytes", "worst_case_bytes", "usable_bytes", ...
};
std::string_view to_string(PreflightItem::State s);
Json to_json(const PreflightItem& item);

/// What a session will ask of this machine.
struct Needs {
  std::int64_t host_bytes = 0;              ///< of the tier, all ranks; 0 = no tier
  std::optional<std::int64_t> layers;       ///< with it the pinned size is computed instead of bounded
  int ranks = 1;
  bool tier_in_shm = false;                 ///< the tier is a file in /dev/shm (several ranks share it)
  std::int64_t shm_bytes = 0;               ///< other shared memory the engine uses
  std::optional<std::int64_t> gpu_bytes;    ///< to be free on each card
  int gpus = 0;                             ///< cards asked for
  std::string journal;                      ///< path; empty = not checked
  std::int64_t journal_bytes = 0;           ///< estimate
};

/// The tier's memory against what can be had: fail when the size asked does not fit, warn when only the worst case does
/// not, since then the kernel may end the engine in the middle of the run.
PreflightItem check_host_memory(const Needs& needs, const Memory& memory);
PreflightItem check_locked_memory(const Needs& needs, const Facts& facts);
PreflightItem check_shm(const Needs& needs, const std::optional<Space>& shm);
PreflightItem check_shm_leftovers(const ShmReport& report);
PreflightItem check_gpus(const Needs& needs, const Gpus& gpus);
PreflightItem check_disk(const Needs& needs, const Result<Space>& space);
PreflightItem check_file_system(const FileSystem& fs, const std::string& path);
/// All of them, on this machine. Items that the needs do not touch are left out.
std::vector<PreflightItem> check_machine(const Needs& needs, const Facts& facts);

}  // namespace kvcliff::host
