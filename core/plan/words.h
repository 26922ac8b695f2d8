// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <array>
#include <map>
#include <string>
#include <vector>

namespace kvcliff::plan {

// Words of the plan file, in the order of the enumerations they stand for.
inline const std::array<std::string, 3> workload_kinds{"documents", "trace", "sessions"};
inline const std::array<std::string, 4> orders{"cyclic", "random", "zipf", "reverse"};
inline const std::array<std::string, 3> load_modes{"serial", "closed", "open"};
inline const std::array<std::string, 2> weights_words{"real", "dummy"};
inline const std::array<std::string, 2> first_words{"off", "on"};
inline const std::array<std::string, 2> server_words{"fresh", "kept"};
inline const std::array<std::string, 2> arrivals{"poisson", "constant"};
inline const std::vector<std::string> adapters{"emulator", "vllm", "attach"};
inline const std::vector<std::string> policies{"lru", "arc"};

/// Options of each launcher, all texts. What each means: core/process/launchers.h.
inline const std::map<std::string, std::vector<std::string>> launcher_options{
    {"local", {}},
    {"ssh", {"host", "user", "port", "identity", "config", "directory", "options"}},
    {"container", {"image", "runtime", "gpus", "shm_size", "network", "memory", "volumes", "name", "options"}},
    {"slurm", {"partition", "account", "gres", "nodes", "cpus", "memory", "time", "qos", "nodelist", "options"}},
};

}  // namespace kvcliff::plan
