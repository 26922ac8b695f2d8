// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
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

/// A started kvcliff-cli whose output goes to files of the test's folder.
class Cli {
 public:
  Cli(const TempDir& dir, std::vector<std::string> args) : out_(dir / "stdout"), err_(dir / "stderr") {
    args.insert(args.begin(), std::string(KVCLIFF_BINARY_DIR) + "/bin/kvcliff-cli");
    pid_ = ::fork();
    if (pid_ != 0) return;
    if (!::freopen(out_.c_str(), "w", stdout) || !::freopen(err_.c_str(), "w", stderr)) ::_exit(98);
    std::vector<char*> argv;
    for (auto& a : args) argv.push_back(a.data());
    argv.push_back(nullptr);
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
  void signal(int n) const { ::kill(pid_, n); }
  std::string out() const { return read_file(out_).value_or(""); }
  std::string err() const { return read_file(err_).value_or(""); }

 private:
  pid_t pid_ = -1;
  std::string out_, err_;
};

}  // namespace kvcliff::test
