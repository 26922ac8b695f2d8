// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <sys/types.h>

#include <cstdint>

namespace kvcliff::process {

/// Messages between the workbench and the guard, one per packet of a SOCK_SEQPACKET pair.
struct GuardMessage {
  enum Kind : std::int32_t {
    // from the guard
    started,      ///< a = pid of the engine's front process
    exec_failed,  ///< a = errno, b = Stage
    exited,       ///< a = wait status of the front process
    gone,         ///< no process of the launch lives; a = processes that needed SIGKILL from the guard
    counted,      ///< a = children of the guard that live (the front process and orphans of the launch)
    // to the guard
    send_signal,    ///< a = signal for the front's process group
    signal_strays,  ///< a = signal for orphans that left the front's group
    kill_front,     ///< SIGKILL for the front process alone
    kill_all,       ///< SIGKILL, from the top down, until nothing is left
    count,
  };
  enum Stage : std::int32_t { fork_stage, directory_stage, exec_stage };
  std::int32_t kind = 0;
  std::int32_t a = 0;
  std::int32_t b = 0;
};

/// Everything the guard needs, prepared before the fork: after it nothing may allocate.
struct GuardPlan {
  const char* path = nullptr;          ///< program to execute
  char* const* argv = nullptr;
  char* const* envp = nullptr;
  const char* directory = nullptr;     ///< nullptr = inherited
  char* const* cleanup_argv = nullptr; ///< run once nothing is left here (the rest of the launch lives elsewhere); [0] is a path
  int socket = -1;                     ///< our end of the pair
  int in = -1, out = -1, err = -1;     ///< become 0, 1, 2 of the engine
  // Where the kernel keeps this program's argument text; the guard writes its own name there, so that an end by name
  // of the workbench does not take the guard with it. 0 = unknown.
  std::uintptr_t title = 0;
  std::size_t title_size = 0;
};

/// The guard: a child of the workbench and the parent of the engine. It is a child subreaper, so that every orphan of
/// the launch becomes its child, whatever session it moved to. When the workbench dies, in whatever way, its end of the
/// socket closes; the guard then ends the launch (SIGTERM, 1.5 s, SIGKILL until nothing is left). Never returns.
[[noreturn]] void run_guard(const GuardPlan& plan);

}  // namespace kvcliff::process
