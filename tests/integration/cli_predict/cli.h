// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "support/data.h"

namespace kvcliff::test {

/// What one run of kvcliff-cli left behind.
struct Ran {
  int code = -1;
  std::string out, err;
  Json json() const { return Json::parse(out); }
};

inline Ran cli(std::vector<std::string> args) {
  const TempDir dir;
  const std::string out = dir / "out", err = dir / "err";
  args.insert(args.begin(), std::string(KVCLIFF_BINARY_DIR) + "/bin/kvcliff-cli");
  const pid_t pid = ::fork();
  if (pid == 0) {
    if (!::freopen(out.c_str(), "w", stdout) || !::freopen(err.c_str(), "w", stderr)) ::_exit(98);
    std::vector<char*> argv;
    for (auto& a : args) argv.push_back(a.data());
    argv.push_back(nullptr);
    ::execv(argv[0], argv.data());
    ::_exit(99);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read_file(out).value_or(""), read_file(err).value_or("")};
}

inline std::string reference_plan() { return std::string(KVCLIFF_SOURCE_DIR) + "/resources/plans/reference.json"; }

}  // namespace kvcliff::test
