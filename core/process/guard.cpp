// SPDX-License-Identifier: GPL-3.0-or-later
// Runs between fork and exit in a copy of a program with many threads: only async-signal-safe calls, no allocation.
#include "process/guard.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace kvcliff::process {
namespace {

constexpr int orphan_grace_ms = 1500;  // for clean-up of shared memory after the workbench died
constexpr int max_children = 4096;

struct State {
  GuardPlan plan;
  pid_t front = 0;
  bool front_lives = false;
  bool connected = true;
  int killed = 0;
};

std::int64_t now_ms() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000LL + t.tv_nsec / 1'000'000;
}

void nap_ms(int ms) {
  const timespec t{ms / 1000, (ms % 1000) * 1'000'000L};
  nanosleep(&t, nullptr);
}

void tell(State& s, GuardMessage::Kind kind, int a = 0, int b = 0) {
  if (!s.connected) return;
  const GuardMessage m{kind, a, b};
  if (send(s.plan.socket, &m, sizeof m, MSG_NOSIGNAL) < 0 && errno == EPIPE) s.connected = false;
}

void close_range_of(unsigned first, unsigned last) {
  if (first > last) return;
#ifdef SYS_close_range
  if (syscall(SYS_close_range, first, last, 0) == 0) return;
#endif
  const long limit = sysconf(_SC_OPEN_MAX);  // an old kernel
  for (unsigned fd = first; fd <= last && static_cast<long>(fd) < limit; ++fd) close(static_cast<int>(fd));
}

/// Closes everything but 0-2 and the sorted `keep`.
void close_others(const int* keep, int n) {
  unsigned from = 3;
  for (int i = 0; i < n; ++i) {
    if (keep[i] < 3) continue;
    close_range_of(from, static_cast<unsigned>(keep[i]) - 1);
    from = static_cast<unsigned>(keep[i]) + 1;
  }
  close_range_of(from, ~0u);
}

/// Parent of a process from /proc/PID/stat; its name may hold anything, so fields count from the last parenthesis.
pid_t parent_of(pid_t pid) {
  char path[32] = "/proc/";
  char digits[12];
  int n = 0;
  for (pid_t v = pid; v > 0 && n < 11; v /= 10) digits[n++] = static_cast<char>('0' + v % 10);
  std::size_t at = 6;
  while (n > 0) path[at++] = digits[--n];
  std::memcpy(path + at, "/stat", 6);
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  char text[512];
  const ssize_t size = read(fd, text, sizeof text - 1);
  close(fd);
  if (size <= 0) return -1;
  text[size] = 0;
  const char* end = std::strrchr(text, ')');
  if (!end || std::strlen(end) < 5) return -1;
  pid_t parent = 0;
  for (const char* p = end + 4; *p >= '0' && *p <= '9'; ++p) parent = parent * 10 + (*p - '0');
  return parent;
}

/// Children of this process by a walk over /proc, for kernels without /proc/PID/task/TID/children.
int children_by_walk(pid_t* out) {
  const int fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return 0;
  const pid_t self = getpid();
  alignas(8) static char buffer[32768];
  int n = 0;
  for (;;) {
    const long size = syscall(SYS_getdents64, fd, buffer, sizeof buffer);
    if (size <= 0) break;
    for (long at = 0; at < size;) {
      std::uint16_t length = 0;
      std::memcpy(&length, buffer + at + 16, sizeof length);  // ino64, off64, reclen16, type8, name
      const char* name = buffer + at + 19;
      pid_t pid = 0;
      const char* p = name;
      for (; *p >= '0' && *p <= '9'; ++p) pid = pid * 10 + (*p - '0');
      if (*p == 0 && pid > 0 && n < max_children && parent_of(pid) == self) out[n++] = pid;
      at += length;
    }
  }
  close(fd);
  return n;
}

int list_children(pid_t* out) {
  const int fd = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return children_by_walk(out);
  static char text[65536];
  ssize_t size = 0, got = 0;
  while (size < static_cast<ssize_t>(sizeof text) - 1 &&
         (got = read(fd, text + size, sizeof text - 1 - static_cast<std::size_t>(size))) > 0)
    size += got;
  close(fd);
  int n = 0;
  pid_t pid = 0;
  for (ssize_t i = 0; i < size; ++i) {
    if (text[i] >= '0' && text[i] <= '9') {
      pid = pid * 10 + (text[i] - '0');
    } else {
      if (pid > 0 && n < max_children) out[n++] = pid;
      pid = 0;
    }
  }
  if (pid > 0 && n < max_children) out[n++] = pid;
  return n;
}

/// Reaps what has ended. False when no child is left at all.
bool reap(State& s) {
  for (;;) {
    int status = 0;
    const pid_t pid = waitpid(-1, &status, WNOHANG);
    if (pid == 0) return true;
    if (pid < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    if (pid == s.front && (WIFEXITED(status) || WIFSIGNALED(status))) {
      s.front_lives = false;
      tell(s, GuardMessage::exited, status);
    }
  }
}

/// SIGKILL to the children, whose own children then become ours, until none is left. Gives up after `limit_ms`
/// (a process in uninterruptible sleep ends when the kernel lets it).
void kill_all(State& s, int limit_ms) {
  static pid_t children[max_children];
  static pid_t seen[max_children];
  int known = 0;
  const std::int64_t end = now_ms() + limit_ms;
  while (reap(s) && now_ms() < end) {
    const int n = list_children(children);
    for (int i = 0; i < n; ++i) {
      kill(children[i], SIGKILL);
      bool old = false;
      for (int k = 0; k < known && !old; ++k) old = seen[k] == children[i];
      if (!old && known < max_children) {
        seen[known++] = children[i];
        ++s.killed;
      }
    }
    nap_ms(2);
  }
}

void run_cleanup(State& s) {
  if (!s.plan.cleanup_argv) return;
  const pid_t pid = fork();
  if (pid == 0) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    execve(s.plan.cleanup_argv[0], s.plan.cleanup_argv, s.plan.envp);
    _exit(127);
  }
  const std::int64_t end = now_ms() + 20'000;
  while (pid > 0 && now_ms() < end) {
    const pid_t got = waitpid(pid, nullptr, WNOHANG);
    if (got == pid || (got < 0 && errno != EINTR)) return;
    nap_ms(10);
  }
  if (pid > 0) {
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
}

/// Whether the front's group has a member among our children. Its number stays taken while it has; afterwards it may
/// come to belong to a stranger.
bool group_lives(State& s) {
  if (s.front_lives) return true;
  static pid_t children[max_children];
  const int n = list_children(children);
  for (int i = 0; i < n; ++i)
    if (getpgid(children[i]) == s.front) return true;
  return false;
}

void signal_group(State& s, int number) {
  if (group_lives(s)) kill(-s.front, number);
}

void signal_strays(State& s, int number) {
  static pid_t children[max_children];
  const int n = list_children(children);
  for (int i = 0; i < n; ++i)
    if (children[i] != s.front && getpgid(children[i]) != s.front) kill(children[i], number);
}

int living_children() {
  static pid_t children[max_children];
  return list_children(children);
}

void obey(State& s, const GuardMessage& m) {
  switch (m.kind) {
    case GuardMessage::send_signal: signal_group(s, m.a); break;
    case GuardMessage::signal_strays: signal_strays(s, m.a); break;
    case GuardMessage::kill_front: if (s.front_lives) kill(s.front, SIGKILL); break;
    case GuardMessage::kill_all: kill_all(s, 10'000); break;
    case GuardMessage::count: reap(s); tell(s, GuardMessage::counted, living_children()); break;
    default: break;
  }
}

[[noreturn]] void become_engine(const GuardPlan& plan, int report) {
  // If the guard itself is killed, at least the front process goes with it.
  const pid_t guard = getppid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != guard) _exit(125);
  setsid();
  for (int n = 1; n < NSIG; ++n) signal(n, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  dup2(plan.in, 0);
  dup2(plan.out, 1);
  dup2(plan.err, 2);
  std::int32_t failure[2] = {0, GuardMessage::exec_stage};
  if (plan.directory && chdir(plan.directory) != 0) {
    failure[1] = GuardMessage::directory_stage;
  } else {
    const int keep[] = {report};
    close_others(keep, 1);
    execve(plan.path, plan.argv, plan.envp);
  }
  failure[0] = errno;
  [[maybe_unused]] const ssize_t sent = write(report, failure, sizeof failure);
  _exit(127);
}

void start_front(State& s) {
  int report[2];
  std::int32_t failure[2] = {0, GuardMessage::fork_stage};
  if (pipe2(report, O_CLOEXEC) != 0) {
    tell(s, GuardMessage::exec_failed, errno, GuardMessage::fork_stage);
    _exit(0);
  }
  s.front = fork();
  if (s.front == 0) become_engine(s.plan, report[1]);
  if (s.front < 0) {
    tell(s, GuardMessage::exec_failed, errno, GuardMessage::fork_stage);
    _exit(0);
  }
  close(report[1]);
  ssize_t got = 0;
  do got = read(report[0], failure, sizeof failure);
  while (got < 0 && errno == EINTR);
  close(report[0]);
  if (got > 0) {
    waitpid(s.front, nullptr, 0);
    tell(s, GuardMessage::exec_failed, failure[0], failure[1]);
    _exit(0);
  }
  s.front_lives = true;
  tell(s, GuardMessage::started, s.front);
}

[[noreturn]] void finish(State& s) {
  run_cleanup(s);
  tell(s, GuardMessage::gone, s.killed);
  _exit(0);
}

}  // namespace

void run_guard(const GuardPlan& plan) {
  State s{.plan = plan};
  setsid();
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  prctl(PR_SET_NAME, "kvcliff-guard");
  if (plan.title && plan.title_size > 16) {
    char* title = reinterpret_cast<char*>(plan.title);
    for (std::size_t i = 0; i < plan.title_size; ++i) title[i] = 0;
    std::memcpy(title, "kvcliff-guard", 13);
  }
  for (const int n : {SIGHUP, SIGINT, SIGTERM, SIGQUIT, SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM}) signal(n, SIG_IGN);
  signal(SIGCHLD, SIG_DFL);
  sigset_t watched;
  sigemptyset(&watched);
  sigaddset(&watched, SIGCHLD);
  sigprocmask(SIG_SETMASK, &watched, nullptr);
  start_front(s);
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; fd < 3; ++fd) dup2(null, fd);
  const int keep[] = {plan.socket};
  close_others(keep, 1);
  const int ended = signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
  for (;;) {
    if (!reap(s)) finish(s);
    pollfd fds[2] = {{plan.socket, POLLIN, 0}, {ended, POLLIN, 0}};
    if (poll(fds, 2, 1000) < 0) continue;
    signalfd_siginfo info;
    while (read(ended, &info, sizeof info) > 0) {}
    if (fds[0].revents == 0) continue;
    GuardMessage m;
    const ssize_t got = recv(plan.socket, &m, sizeof m, MSG_DONTWAIT);
    if (got == static_cast<ssize_t>(sizeof m)) {
      obey(s, m);
    } else if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
      s.connected = false;  // the workbench is gone
      signal_group(s, SIGTERM);
      const std::int64_t end = now_ms() + orphan_grace_ms;
      while (reap(s) && now_ms() < end) nap_ms(10);
      kill_all(s, 60'000);
      finish(s);
    }
  }
}

}  // namespace kvcliff::process
