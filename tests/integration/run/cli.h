// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "support/data.h"

namespace kvcliff::test {

/// The value of a result that must be good, as a value: a range-for over `*result()` would outlive its result.
template <class T>
T take(Result<T> r) {
  if (!r) throw std::runtime_error(r.error().sentence());
  return std::move(*r);
}

/// How a program is started, where it differs from the test's own surroundings.
struct How {
  std::vector<std::string> environment;   ///< NAME=value
  bool own_group = false;                 ///< a process group of its own, as a shell gives a command
  std::function<void()> before_exec;      ///< in the child: limits, rights
};

/// A started kvcliff-cli whose output goes to files of the test's folder.
class Cli {
 public:
  Cli(const TempDir& dir, std::vector<std::string> args, const How& how = {}) : out_(dir / "stdout"), err_(dir / "stderr") {
    args.insert(args.begin(), std::string(KVCLIFF_BINARY_DIR) + "/bin/kvcliff-cli");
    pid_ = ::fork();
    if (pid_ != 0) return;
    if (how.own_group) ::setpgid(0, 0);
    for (const auto& e : how.environment) ::putenv(const_cast<char*>(e.c_str()));
    if (!::freopen(out_.c_str(), "w", stdout) || !::freopen(err_.c_str(), "w", stderr)) ::_exit(98);
    std::vector<char*> argv;
    for (auto& a : args) argv.push_back(a.data());
    argv.push_back(nullptr);
    if (how.before_exec) how.before_exec();
    ::execv(argv[0], argv.data());
    ::_exit(99);
  }
  ~Cli() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
  }
  int wait() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  /// The same within a limit; absent: it still runs.
  std::optional<int> wait_for(std::chrono::milliseconds limit) {
    const auto end = std::chrono::steady_clock::now() + limit;
    for (;;) {
      int status = 0;
      if (::waitpid(pid_, &status, WNOHANG) == pid_) {
        pid_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      }
      if (std::chrono::steady_clock::now() >= end) return std::nullopt;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  pid_t pid() const { return pid_; }
  void signal(int n) const {
    if (pid_ > 0) ::kill(pid_, n);  // -1 would be everybody
  }
  std::string out() const { return read_file(out_).value_or(""); }
  std::string err() const { return read_file(err_).value_or(""); }

 private:
  pid_t pid_ = -1;
  std::string out_, err_;
};

}  // namespace kvcliff::test
