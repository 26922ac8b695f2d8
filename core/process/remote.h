// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "process/launcher.h"

namespace kvcliff::process {

// Options of launchers that start an engine elsewhere. All are texts of the plan's `launcher` object; `options` is split
// at blanks and passed on as it is.
//
// ssh        host, user, port, identity, config (a file for ssh -F), directory (to work in), options.
//            The engine's port is forwarded to the same port of 127.0.0.1 here. No password is asked for.
// container  image, runtime (docker, podman; default: what is found), gpus ("all", "0,1"), shm_size, network (default
//            host), memory, volumes (a:b,c:d), name, options. argv[0] becomes the entry point.
// slurm      partition, account, gres, nodes, cpus, memory, time, qos, nodelist, options; srun, one task.

/// The local command that carries `command` there. Pure: nothing is started. `name` is unique to the launch.
Command ssh_command(const plan::LauncherSpec& spec, const Command& command);
Command container_command(const plan::LauncherSpec& spec, const std::string& runtime, const std::string& name, const Command& command);
Command slurm_command(const plan::LauncherSpec& spec, const std::string& name, const Command& command);

/// The shell program that runs on the other side. It starts its arguments in a session of their own and ends that group
/// (SIGTERM, grace, SIGKILL) on SIGTERM, on the line "stop SECONDS" and at the end of its stdin, which is what the other
/// side sees of our death. One line, no single quotes, POSIX sh.
extern const char* const remote_script;
/// The machine the engine runs on, from the line that the script writes first.
std::optional<std::string> node_of(const std::vector<LogLine>& lines);
/// The value of --port in a command line.
std::optional<int> port_in(const std::vector<std::string>& argv);

}  // namespace kvcliff::process
