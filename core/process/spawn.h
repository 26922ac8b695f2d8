// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <vector>

#include "process/launcher.h"

namespace kvcliff::process {

/// A file descriptor that is closed at the end of its owner.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& o) noexcept : fd_(o.release()) {}
  Fd& operator=(Fd&& o) noexcept;
  ~Fd() { reset(); }
  int get() const { return fd_; }
  int release();
  void reset();
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

/// A launch as the operating system sees it after the start.
struct Spawned {
  pid_t guard = 0;
  pid_t front = 0;
  Fd socket;           ///< GuardMessage packets
  Fd out, err;         ///< read ends, non-blocking
  Fd in;               ///< write end of stdin, when it is held open
  std::string launch;  ///< value of the marker variable
};

/// Where `program` lies: itself when it has a slash, else the first hit on `path` (a PATH value). Errors: not_found
/// (naming the folders), io (not executable).
Result<std::string> find_program(const std::string& program, const std::string& path);
/// The environment of a child: ours, changed by the command; PYTHONUNBUFFERED is set unless the command says otherwise,
/// since a Python child keeps its lines to itself when it writes into a pipe.
std::vector<std::string> environment_of(const Command& command, const std::string& launch);
/// Forks the guard, which starts the command. Errors: not_found, io.
Result<Spawned> spawn(const Command& command);

}  // namespace kvcliff::process
