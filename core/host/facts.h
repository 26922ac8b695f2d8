// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/json.h"
#include "host/gpu.h"
#include "host/memory.h"
#include "host/shm.h"

namespace kvcliff::host {

/// What this machine is and has, as it goes into a journal and a report. Nothing that names its user or its network.
struct Facts {
  std::string system;         ///< "Debian GNU/Linux 12 (bookworm)"
  std::string kernel;         ///< "Linux 6.1.0 x86_64"
  std::string cpu;            ///< model name
  int cpus = 0;               ///< this process may use
  std::optional<double> cpu_quota;   ///< CPUs a control group allows; empty = no limit
  Memory memory;
  std::optional<std::int64_t> locked_limit;   ///< RLIMIT_MEMLOCK in bytes; empty = unlimited
  bool may_exceed_locked_limit = false;       ///< CAP_IPC_LOCK: the limit does not bind us
  std::optional<Space> shm;                   ///< /dev/shm
  std::optional<std::int64_t> open_files_limit;
  bool container = false;     ///< signs of a container were found
  Gpus gpus;
};
/// `with_gpus` false leaves out the slow query (nvidia-smi takes up to seconds), which `go_on` can end.
Facts read_facts(bool with_gpus = true, const std::function<bool()>& go_on = {});
Json to_json(const Facts& facts);

}  // namespace kvcliff::host
