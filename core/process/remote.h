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
//            A port of 127.0.0.1 here is forwarded to the engine's there. No password is asked for. Where `options`
//            and ours say two things, `options` counts.
// container  image, runtime (docker, podman; default: what is found), gpus ("all", "0,1"), shm_size, network (default
//            host), memory, volumes (a:b,c:d), name, options. argv[0] becomes the entry point.
// slurm      partition, account, gres, nodes, cpus, memory, time, qos, nodelist, options; srun, one task.

/// The local command that carries `command` there. Pure: nothing is started. `name` is unique to the launch.
Command ssh_command(const plan::LauncherSpec& spec, const Command& command);
Command container_command(const plan::LauncherSpec& spec, const std::string& runtime, const std::string& name, const Command& command);
Command slurm_command(const plan::LauncherSpec& spec, const std::string& name, const Command& command);

/// `ssh` with all options of the plan up to the machine's name; `forward` = a port that is carried here.
struct Forward {
  int here = 0, there = 0;
};
std::vector<std::string> ssh_prefix(const plan::LauncherSpec& spec, std::optional<Forward> forward = std::nullopt);
/// Whether the engine is reached by a port of its own here: with the same number on both sides, a machine that is this one
/// could not give it out twice, and the forwarded port would lead to itself.
bool forwards_port(const plan::LauncherSpec& spec);
/// The machine whose connection broke, when ssh's own exit says so (255; the engine's exit status is passed on as it is).
std::optional<std::string> lost_connection(const plan::LauncherSpec& spec, const Exit& exit);
/// The program that could not be started there, when the exit says so (a shell's 126 and 127).
std::optional<std::string> missing_program(const plan::LauncherSpec& spec, const Exit& exit, const std::vector<std::string>& argv);
/// `srun` with all options of the plan, one task, up to the program.
std::vector<std::string> srun_prefix(const plan::LauncherSpec& spec, const std::string& name);
/// docker or podman: launcher.runtime, else what is found. Errors: not_found.
Result<std::string> container_runtime(const plan::LauncherSpec& spec);

/// Whether the engine's files and processes are another machine's or another file system's.
bool elsewhere(const plan::LauncherSpec& spec);
/// The address that the engine must listen on so that it can be reached from here: loopback, or every address where it
/// runs on another node or in a container with a network of its own.
std::string bind_host(const plan::LauncherSpec& spec, const std::string& wanted);
/// The engine's address is known only when the other side has told its node (slurm).
bool node_is_told(const plan::LauncherSpec& spec);
/// How `node` is reached from here: itself, or loopback where it is this machine.
std::string reach_host(const std::string& node);

/// The shell program that runs on the other side. It starts its arguments in a session of their own and ends that group
/// (SIGTERM, grace, SIGKILL) on SIGTERM, on the line "stop SECONDS" and at the end of its stdin, which is what the other
/// side sees of our death. One line, no single quotes, POSIX sh.
extern const char* const remote_script;
/// The machine the engine runs on, from the line that the script writes first.
std::optional<std::string> node_of(const std::vector<LogLine>& lines);
/// The value of --port in a command line.
std::optional<int> port_in(const std::vector<std::string>& argv);

}  // namespace kvcliff::process
