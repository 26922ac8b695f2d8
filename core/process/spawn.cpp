// SPDX-License-Identifier: GPL-3.0-or-later
#include "process/spawn.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <fstream>
#include <map>

#include "base/text.h"
#include "process/guard.h"
#include "process/table.h"

extern char** environ;

namespace kvcliff::process {
namespace {

/// Pipe whose ends lie above the standard descriptors, so that moving them to 0-2 in the child cannot collide.
bool make_pipe(Fd& read_end, Fd& write_end) {
  int p[2];
  if (::pipe2(p, O_CLOEXEC) != 0) return false;
  const Fd a(p[0]), b(p[1]);
  read_end = Fd(::fcntl(p[0], F_DUPFD_CLOEXEC, 10));
  write_end = Fd(::fcntl(p[1], F_DUPFD_CLOEXEC, 10));
  return read_end && write_end;
}

bool make_pair(Fd& ours, Fd& theirs, int type) {
  int p[2];
  if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, p) != 0) return false;
  const Fd a(p[0]), b(p[1]);
  ours = Fd(::fcntl(p[0], F_DUPFD_CLOEXEC, 10));
  theirs = Fd(::fcntl(p[1], F_DUPFD_CLOEXEC, 10));
  return ours && theirs;
}

std::string stat_text() {
  std::ifstream in("/proc/self/stat");
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> stat_fields() {
  const auto text = stat_text();
  std::vector<std::string> out;
  const auto close = text.rfind(')');
  if (close == std::string::npos) return out;
  for (const auto f : split(trim(std::string_view(text).substr(close + 1)), ' ')) out.emplace_back(f);
  return out;  // out[0] is field 3 of proc(5)
}

std::string new_launch_id(const std::vector<std::string>& fields) {
  static std::atomic<int> counter{0};
  return fmt::format("{}.{}.{}", ::getpid(), fields.size() > 19 ? fields[19] : "0", ++counter);
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> out;
  for (const auto& w : words) out.push_back(const_cast<char*>(w.c_str()));
  out.push_back(nullptr);
  return out;
}

std::string path_of(const std::vector<std::string>& environment) {
  for (const auto& e : environment)
    if (e.rfind("PATH=", 0) == 0) return e.substr(5);
  return "/usr/local/bin:/usr/bin:/bin";
}

Error exec_error(const Command& c, const std::string& path, int number, int stage) {
  const std::string reason = std::strerror(number);
  if (stage == GuardMessage::directory_stage)
    return {ErrorCode::not_found, "The working folder of the engine cannot be entered", c.working_dir, reason, "Check the path"};
  if (stage == GuardMessage::fork_stage)
    return {ErrorCode::io, "No process can be started", path, reason, "Check the limit of processes (ulimit -u) and the free memory"};
  if (number == ENOENT)  // the file is there: we looked
    return {ErrorCode::not_found, "The program cannot be started", path, "the interpreter named in its first line, or its loader, is missing",
            "Reinstall its environment, or name another"};
  if (number == ENOEXEC)
    return {ErrorCode::unsupported, "The program cannot be started", path, "it is neither a program of this machine nor a script with a first line #!", "Name another program"};
  return {ErrorCode::io, "The program cannot be started", path, reason, number == EACCES ? "Make it executable (chmod +x), or name another" : ""};
}

}  // namespace

Fd& Fd::operator=(Fd&& o) noexcept {
  if (this != &o) {
    reset();
    fd_ = o.release();
  }
  return *this;
}

int Fd::release() {
  const int fd = fd_;
  fd_ = -1;
  return fd;
}

void Fd::reset() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

Result<std::string> find_program(const std::string& program, const std::string& path) {
  if (program.empty()) return fail(ErrorCode::bad_usage, "The command names no program");
  const auto usable = [](const std::string& p) {
    struct stat st {};
    return ::stat(p.c_str(), &st) == 0 && S_ISREG(st.st_mode) && ::access(p.c_str(), X_OK) == 0;
  };
  struct stat st {};
  if (program.find('/') != std::string::npos) {
    if (usable(program)) return program;
    if (::stat(program.c_str(), &st) != 0)
      return fail(ErrorCode::not_found, "The program is not there", program, std::strerror(errno), "Check the path");
    if (!S_ISREG(st.st_mode)) return fail(ErrorCode::bad_usage, "This is not a program", program, "it is no regular file");
    return fail(ErrorCode::io, "The program cannot be started", program, "it is not executable", "chmod +x, or name another");
  }
  for (const auto folder : split(path, ':')) {
    const std::string candidate = (folder.empty() ? std::string(".") : std::string(folder)) + "/" + program;
    if (usable(candidate)) return candidate;
  }
  return fail(ErrorCode::not_found, fmt::format("The program \"{}\" is not on PATH", program), {}, "looked in " + path,
              "Install it, or name its path or its environment (kvcliff-cli doctor lists those found)");
}

std::vector<std::string> environment_of(const Command& command, const std::string& launch) {
  std::map<std::string, std::string> all;
  for (char** e = ::environ; e && *e; ++e) {
    const std::string_view entry(*e);
    const auto equal = entry.find('=');
    if (equal != std::string_view::npos && equal > 0) all[std::string(entry.substr(0, equal))] = std::string(entry.substr(equal + 1));
  }
  all["PYTHONUNBUFFERED"] = "1";
  for (const auto& name : command.env_unset) all.erase(name);
  for (const auto& [name, value] : command.env_set) all[name] = value;
  all[launch_marker] = launch;
  std::vector<std::string> out;
  for (const auto& [name, value] : all) out.push_back(name + "=" + value);
  return out;
}

Result<Spawned> spawn(const Command& command) {
  if (command.argv.empty()) return fail(ErrorCode::bad_usage, "The command is empty");
  const auto fields = stat_fields();
  Spawned s;
  s.launch = new_launch_id(fields);
  const auto environment = environment_of(command, s.launch);
  const std::string search = path_of(environment);
  auto program = find_program(command.argv[0], search);
  if (!program) return fail(program.error());

  GuardPlan plan;
  std::vector<std::string> cleanup = command.cleanup;
  if (!cleanup.empty()) {
    auto found = find_program(cleanup[0], search);
    if (!found) return fail(found.error());
    cleanup[0] = *found;
  }
  const auto argv = pointers(command.argv), envp = pointers(environment), cleanup_argv = pointers(cleanup);
  plan.path = program->c_str();
  plan.argv = argv.data();
  plan.envp = envp.data();
  plan.directory = command.working_dir.empty() ? nullptr : command.working_dir.c_str();
  plan.cleanup_argv = cleanup.empty() ? nullptr : cleanup_argv.data();
  if (fields.size() > 46) {  // arg_start and arg_end, fields 48 and 49; 0 where the kernel hides them
    const auto from = parse_int(fields[45]).value_or(0), to = parse_int(fields[46]).value_or(0);
    if (from > 0 && to > from) {
      plan.title = static_cast<std::uintptr_t>(from);
      plan.title_size = static_cast<std::size_t>(to - from);
    }
  }

  const auto no = [&](const char* what) { return fail(ErrorCode::io, what, *program, std::strerror(errno), "Check the limit of open files (ulimit -n)"); };
  Fd theirs, in, out, err;
  if (!make_pair(s.socket, theirs, SOCK_SEQPACKET) || !make_pipe(s.out, out) || !make_pipe(s.err, err)) return no("No channel to a new process can be made");
  if (command.hold_stdin) {
    // A socket instead of a pipe: writing to a child that has left is then an error and no SIGPIPE for the workbench.
    if (!make_pair(s.in, in, SOCK_STREAM)) return no("No channel to a new process can be made");
  } else {
    const Fd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    in = Fd(::fcntl(null.get(), F_DUPFD_CLOEXEC, 10));
    if (!in) return no("/dev/null cannot be opened");
  }
  plan.socket = theirs.get();
  plan.in = in.get();
  plan.out = out.get();
  plan.err = err.get();
  s.guard = ::fork();
  if (s.guard == 0) run_guard(plan);
  if (s.guard < 0)
    return fail(exec_error(command, *program, errno, GuardMessage::fork_stage));
  theirs.reset();
  in.reset();
  out.reset();
  err.reset();

  GuardMessage m;
  ssize_t got = 0;
  do got = ::recv(s.socket.get(), &m, sizeof m, 0);
  while (got < 0 && errno == EINTR);
  if (got != static_cast<ssize_t>(sizeof m) || m.kind != GuardMessage::started) {
    ::waitpid(s.guard, nullptr, 0);
    if (got == static_cast<ssize_t>(sizeof m) && m.kind == GuardMessage::exec_failed)
      return fail(exec_error(command, *program, m.a, m.b));
    return fail(ErrorCode::io, "The process that guards the engine ended at once", *program, {}, "Try again");
  }
  s.front = m.a;
  for (const int fd : {s.out.get(), s.err.get()}) ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
  return s;
}

}  // namespace kvcliff::process
