// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <sys/types.h>

#include <map>
#include <string>

namespace kvcliff::test {

/// A word in the environment that tells the processes of one test from all others of this machine.
class Mark {
 public:
  /// Unique to this process and this object.
  Mark();
  /// "NAME=value", as it stands in a child's environment.
  const std::string& entry() const { return entry_; }
  std::string name() const { return entry_.substr(0, entry_.find('=')); }
  std::string value() const { return entry_.substr(entry_.find('=') + 1); }
  /// Living processes that carry it, by their names in /proc (15 bytes). A process carries what it was started with, so
  /// one that set the variable itself is not among them.
  std::map<pid_t, std::string> processes() const;
  /// The same after giving the kernel and a guard up to so long to clear up; empty as soon as there is none.
  std::map<pid_t, std::string> left_after(int milliseconds) const;

 private:
  std::string entry_;
};

}  // namespace kvcliff::test
