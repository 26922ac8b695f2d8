// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/capture.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "base/text.h"

extern char** environ;

namespace kvcliff::host {
namespace {

constexpr std::size_t output_limit = std::size_t{16} << 20;

struct Pipe {
  int read_end = -1, write_end = -1;
  bool open() {
    int p[2];
    if (::pipe2(p, O_CLOEXEC) != 0) return false;
    read_end = p[0];
    write_end = p[1];
    return true;
  }
  void close_write() {
    if (write_end >= 0) ::close(write_end);
    write_end = -1;
  }
  ~Pipe() {
    if (read_end >= 0) ::close(read_end);
    close_write();
  }
};

int start(const std::string& path, const std::vector<std::string>& argv, const std::vector<std::string>& extra, const Pipe& out,
          const Pipe& err, pid_t& pid) {
  std::vector<char*> args, env;
  for (const auto& a : argv) args.push_back(const_cast<char*>(a.c_str()));
  args.push_back(nullptr);
  for (char** e = ::environ; e && *e; ++e) env.push_back(*e);
  for (const auto& e : extra) env.push_back(const_cast<char*>(e.c_str()));
  env.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.write_end, 1);
  posix_spawn_file_actions_adddup2(&actions, err.write_end, 2);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  const int rc = ::posix_spawn(&pid, path.c_str(), &actions, &attributes, args.data(), env.data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return rc;
}

}  // namespace

std::string on_path(const std::string& program) {
  struct stat st {};
  const auto usable = [&](const std::string& p) {
    return ::stat(p.c_str(), &st) == 0 && S_ISREG(st.st_mode) && ::access(p.c_str(), X_OK) == 0;
  };
  if (program.find('/') != std::string::npos) return usable(program) ? program : "";
  const char* path = std::getenv("PATH");
  for (const auto folder : split(path ? path : "/usr/local/bin:/usr/bin:/bin", ':')) {
    const std::string candidate = std::string(folder.empty() ? "." : folder) + "/" + program;
    if (usable(candidate)) return candidate;
  }
  return {};
}

Result<Output> capture(const std::vector<std::string>& argv, std::chrono::milliseconds limit, const std::vector<std::string>& extra,
                       const std::function<bool()>& go_on) {
  if (argv.empty()) return fail(ErrorCode::bad_usage, "The command names no program");
  const std::string path = on_path(argv[0]);
  if (path.empty()) return fail(ErrorCode::not_found, "The program is not there", argv[0], "it is not on PATH, or not executable");
  Pipe out, err;
  pid_t pid = 0;
  if (!out.open() || !err.open()) return fail(ErrorCode::io, "No channel to a new process can be made", path, std::strerror(errno));
  if (const int rc = start(path, argv, extra, out, err, pid); rc != 0)
    return fail(ErrorCode::io, "The program cannot be started", path, std::strerror(rc));
  out.close_write();
  err.close_write();

  Output result;
  const auto end = std::chrono::steady_clock::now() + limit;
  bool late = false, stopped = false;
  const std::int64_t slice = go_on ? 50 : 1000;
  std::array<pollfd, 2> fds{{{out.read_end, POLLIN, 0}, {err.read_end, POLLIN, 0}}};
  std::array<std::string*, 2> texts{&result.out, &result.err};
  while (fds[0].fd >= 0 || fds[1].fd >= 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
    stopped = go_on && !go_on();
    late = left <= 0;
    if (late || stopped) break;
    if (::poll(fds.data(), fds.size(), static_cast<int>(std::min(left, slice))) <= 0) continue;
    for (std::size_t i = 0; i < 2; ++i) {
      if (fds[i].fd < 0 || !fds[i].revents) continue;
      std::array<char, 16384> buffer;
      const ssize_t got = ::read(fds[i].fd, buffer.data(), buffer.size());
      if (got > 0 && texts[i]->size() < output_limit) texts[i]->append(buffer.data(), static_cast<std::size_t>(got));
      if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) fds[i].fd = -1;
    }
  }
  int status = 0;
  while (!late && !stopped) {
    const pid_t got = ::waitpid(pid, &status, WNOHANG);
    if (got == pid || (got < 0 && errno != EINTR)) break;
    if (std::chrono::steady_clock::now() >= end) late = true;
    if (go_on && !go_on()) stopped = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  if (late || stopped) {
    ::kill(-pid, SIGKILL);
    ::waitpid(pid, &status, 0);
    if (stopped) return fail(ErrorCode::interrupted, "The program was ended, because the user stopped us", path);
    return fail(ErrorCode::timeout, "The program did not end in time", path + ", " + std::to_string(limit.count()) + " ms", {}, "Try it in a terminal");
  }
  result.code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return result;
}

}  // namespace kvcliff::host
