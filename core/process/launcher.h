// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "plan/plan.h"
#include "record/session.h"

namespace kvcliff::process {

struct Command {
  std::vector<std::string> argv;                 ///< argv[0] is looked up on PATH when it has no slash
  std::map<std::string, std::string> env_set;    ///< on top of the inherited environment
  std::vector<std::string> env_unset;
  std::string working_dir;                       ///< empty = inherited
  // For launchers whose engine lives elsewhere (filled by them, not by adapters):
  std::vector<std::string> cleanup;              ///< run at the end of a stop, and by the guard when we die
  int reached_at = 0;                            ///< port here that is forwarded to the command's --port; 0 = the same
  bool hold_stdin = false;                       ///< stdin stays open while we live; its end tells the other side
};

struct Exit {
  int code = 0;          ///< exit status, or 128 + signal
  bool signalled = false;
  Instant at;
};

/// A living process of a launch.
struct Member {
  std::int64_t pid = 0, ppid = 0, pgid = 0;
  std::uint64_t start_ticks = 0;   ///< since boot; with the pid it names a process for good
  std::string name;                ///< as the kernel keeps it, 15 bytes
  bool operator==(const Member&) const = default;
};

/// A started child in a session and process group of its own. It dies with us, also on kill -9 of the workbench.
class Process {
 public:
  virtual ~Process() = default;   ///< stops what still lives
  virtual std::int64_t pid() const = 0;
  virtual bool running() = 0;
  virtual std::optional<Exit> exit() = 0;
  /// Waits for the exit at most so long.
  virtual std::optional<Exit> wait(std::chrono::milliseconds limit) = 0;
  /// Captured lines so far, from line `from` (0-based), in order of arrival.
  virtual std::vector<LogLine> lines(std::size_t from = 0) const = 0;
  /// SIGTERM to the group, `grace`, some seconds for the rest of the group, SIGKILL of what is left. Returns when no
  /// process of the group lives; the error names what could not be ended.
  struct Stopped {
    bool terminated_in_grace = false;   ///< false: SIGKILL was needed
    int killed = 0;                     ///< processes that needed SIGKILL
    Exit exit;
    std::chrono::nanoseconds took{0};
    std::vector<std::string> notes;     ///< e.g. "2 /dev/shm files stayed"
  };
  virtual Result<Stopped> stop(std::chrono::milliseconds grace) = 0;
  /// Sends a signal to the group (tests, pause).
  virtual Result<void> signal(int number) = 0;
  /// Processes of this launch that live, the front one included: also after its exit, and also those that moved to a
  /// session of their own. Processes on another machine are not seen.
  virtual std::vector<Member> members() { return {}; }
};

/// Starts commands somewhere: here, over SSH, in a container, as a Slurm job.
class Launcher {
 public:
  virtual ~Launcher() = default;
  /// Called for each captured line, on the capture thread; must not block.
  using OnLine = std::function<void(const LogLine&)>;
  /// Errors: not_found (no such program, with where it was looked for), io.
  virtual Result<std::unique_ptr<Process>> start(const Command& command, OnLine on_line) = 0;
  /// The command as the user would type it there.
  virtual std::string shown(const Command& command) const = 0;
};

std::unique_ptr<Launcher> make_local_launcher();
/// The launcher of a plan: local, ssh, container, slurm. Errors: bad_usage (unknown kind, an option missing), not_found
/// (no ssh, srun, docker or podman here).
Result<std::unique_ptr<Launcher>> make_launcher(const plan::LauncherSpec& spec);

/// Words for a POSIX shell: quoted only where needed.
std::string shell_quoted(const std::string& word);
std::string shell_line(const std::vector<std::string>& argv);

}  // namespace kvcliff::process
