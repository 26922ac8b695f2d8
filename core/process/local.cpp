// SPDX-License-Identifier: GPL-3.0-or-later
#include "process/local.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "host/shm.h"
#include "process/table.h"

namespace kvcliff::process {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// How long the rest of the group gets after the front process has left: vLLM's resource tracker needs it to remove
// shared memory; a worker that ignores the signal only costs this time.
constexpr milliseconds rest_grace{3000};
constexpr milliseconds kill_limit{12'000};

Instant now() { return SystemClock().now(); }

}  // namespace

LocalProcess::LocalProcess(Spawned spawned, const Command& command, Launcher::OnLine on_line, std::set<std::string> shm_before)
    : spawned_(std::move(spawned)),
      command_(command),
      on_line_(std::move(on_line)),
      shm_before_(std::move(shm_before)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  thread_ = std::thread([this] { capture(); });
}

LocalProcess::~LocalProcess() {
  (void)stop(milliseconds(2000));
  {
    std::lock_guard lock(mutex_);
    leaving_ = true;
  }
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t sent = ::write(wake_.get(), &one, sizeof one);
  thread_.join();
}

bool LocalProcess::running() {
  std::lock_guard lock(mutex_);
  return !exit_;
}

std::optional<Exit> LocalProcess::exit() {
  std::lock_guard lock(mutex_);
  return exit_;
}

std::optional<Exit> LocalProcess::wait(milliseconds limit) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, limit, [&] { return exit_.has_value(); });
  return exit_;
}

std::vector<LogLine> LocalProcess::lines(std::size_t from) const {
  std::lock_guard lock(mutex_);
  return lines_.from(from);
}

bool LocalProcess::read_pipe(Fd& pipe, wire::LineSplitter& splitter, bool is_stderr) {
  std::array<char, 65536> buffer;
  const auto keep = [&](const Instant& at) {
    return [this, at, is_stderr](wire::OutputLine line) {
      LogLine out{at, is_stderr, std::move(line.text), line.truncated};
      if (on_line_) on_line_(out);
      std::lock_guard lock(mutex_);
      lines_.add(std::move(out));
    };
  };
  for (int rounds = 0; rounds < 16; ++rounds) {  // then the other pipe gets its turn
    const ssize_t got = ::read(pipe.get(), buffer.data(), buffer.size());
    const Instant at = now();
    if (got > 0) {
      splitter.push({buffer.data(), static_cast<std::size_t>(got)}, keep(at));
      continue;
    }
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return true;
    splitter.finish(keep(at));
    pipe.reset();
    return false;
  }
  return true;
}

void LocalProcess::capture() {
  bool guard_lives = true;
  // Lines may come from descendants that outlive the front process: read until the last holder of a pipe is gone.
  while (guard_lives || spawned_.out || spawned_.err) {
    {
      std::lock_guard lock(mutex_);
      if (leaving_ && !guard_lives) break;  // a pipe held by someone outside the launch
    }
    std::array<pollfd, 4> fds{{{spawned_.out.get(), POLLIN, 0},
                               {spawned_.err.get(), POLLIN, 0},
                               {guard_lives ? spawned_.socket.get() : -1, POLLIN, 0},
                               {wake_.get(), POLLIN, 0}}};
    if (::poll(fds.data(), fds.size(), -1) < 0) continue;
    if (fds[0].revents && spawned_.out) read_pipe(spawned_.out, out_lines_, false);
    if (fds[1].revents && spawned_.err) read_pipe(spawned_.err, err_lines_, true);
    if (fds[3].revents) {
      std::uint64_t n = 0;
      [[maybe_unused]] const ssize_t got = ::read(wake_.get(), &n, sizeof n);
      std::lock_guard lock(mutex_);
      if (leaving_) break;
    }
    if (!fds[2].revents) continue;
    GuardMessage message;
    const ssize_t got = ::recv(spawned_.socket.get(), &message, sizeof message, MSG_DONTWAIT);
    if (got == static_cast<ssize_t>(sizeof message)) {
      handle(message);
    } else if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
      guard_lives = false;
      ::waitpid(spawned_.guard, nullptr, 0);
      guard_lost();
    }
  }
  bool over = false;
  {
    std::lock_guard lock(mutex_);
    over = gone_;
  }
  if (guard_lives && over) ::waitpid(spawned_.guard, nullptr, 0);  // it has said its last word and is leaving
}

void LocalProcess::handle(const GuardMessage& message) {
  if (message.kind == GuardMessage::exited) {
    // What it wrote before its end lies in the pipes: it belongs before the end.
    // A pipe holds at most 1 MiB, one call's worth; what orphans go on writing comes in its turn.
    if (spawned_.out) read_pipe(spawned_.out, out_lines_, false);
    if (spawned_.err) read_pipe(spawned_.err, err_lines_, true);
  }
  std::lock_guard lock(mutex_);
  if (message.kind == GuardMessage::exited && !exit_) {
    const int status = message.a;
    exit_ = WIFSIGNALED(status) ? Exit{128 + WTERMSIG(status), true, now()} : Exit{WEXITSTATUS(status), false, now()};
  } else if (message.kind == GuardMessage::gone) {
    gone_ = true;
    killed_by_guard_ = message.a;
  }
  changed_.notify_all();
}

/// The guard's end without a word: someone ended it. Its engine died with it; what the engine had started is found by
/// the marker in the environment.
void LocalProcess::guard_lost() {
  {
    std::lock_guard lock(mutex_);
    if (gone_) return;
    guard_lost_ = true;
  }
  int killed = 0;
  for (int round = 0; round < 500; ++round) {
    bool any = false;
    for (const auto& m : marked_processes()) {
      if (m.launch != spawned_.launch) continue;
      any = true;
      if (::kill(static_cast<pid_t>(m.process.pid), SIGKILL) == 0) ++killed;
    }
    if (!any) break;
    std::this_thread::sleep_for(milliseconds(10));
  }
  std::lock_guard lock(mutex_);
  if (!exit_) exit_ = Exit{128 + SIGKILL, true, now()};
  killed_by_guard_ = killed;
  gone_ = true;
  changed_.notify_all();
}

void LocalProcess::tell(GuardMessage::Kind kind, int a) {
  const GuardMessage m{kind, a, 0};
  [[maybe_unused]] const ssize_t sent = ::send(spawned_.socket.get(), &m, sizeof m, MSG_NOSIGNAL);
}

bool LocalProcess::wait_gone(Deadline until) {
  std::unique_lock lock(mutex_);
  return changed_.wait_until(lock, until, [&] { return gone_; });
}

bool LocalProcess::wait_front(Deadline until) {
  std::unique_lock lock(mutex_);
  return changed_.wait_until(lock, until, [&] { return exit_.has_value(); });
}

Result<void> LocalProcess::signal(int number) {
  if (number < 0 || number > 64) return fail(ErrorCode::bad_usage, fmt::format("{} is not a signal", number));
  std::lock_guard lock(mutex_);
  if (gone_) return fail(ErrorCode::not_found, "The process has ended", std::to_string(spawned_.front));
  tell(GuardMessage::send_signal, number);
  return {};
}

std::vector<Member> LocalProcess::members() {
  {
    std::lock_guard lock(mutex_);
    if (gone_) return {};
  }
  auto out = tree_of(read_table(), spawned_.guard);
  std::erase_if(out, [&](const Member& m) { return m.pid == spawned_.guard; });
  return out;
}

Result<Process::Stopped> LocalProcess::stop(milliseconds grace) {
  // A second caller waits for the first one's round and gets its result: engines take a second SIGTERM as "at once".
  std::lock_guard lock(stop_mutex_);
  if (!stopped_) stopped_ = stop_once(grace);
  return *stopped_;
}

Result<Process::Stopped> LocalProcess::stop_once(milliseconds grace) {
  const auto begin = steady_clock::now();
  Stopped out;
  const bool was_over = exit().has_value();
  if (command_.hold_stdin && spawned_.in) {
    // The other side ends its group on this word, and at the end of the stream.
    const std::string word = fmt::format("stop {}\n", std::max<std::int64_t>(1, grace.count() / 1000));
    if (::send(spawned_.in.get(), word.data(), word.size(), MSG_NOSIGNAL) < 0 && !was_over) out.notes.push_back("the other side no longer listens");
    if (was_over) spawned_.in.reset();
  } else if (!was_over) {
    tell(GuardMessage::send_signal, SIGTERM);
    tell(GuardMessage::send_signal, SIGCONT);  // a group that was paused hears the first only now
  }
  out.terminated_in_grace = was_over || wait_front(begin + grace);
  if (!out.terminated_in_grace) {
    spawned_.in.reset();
    tell(command_.hold_stdin ? GuardMessage::send_signal : GuardMessage::kill_front, SIGTERM);
    if (command_.hold_stdin && !wait_front(steady_clock::now() + milliseconds(5000))) tell(GuardMessage::kill_front);
    wait_front(steady_clock::now() + kill_limit);
    ++out.killed;
  }
  tell(GuardMessage::signal_strays, SIGTERM);  // those outside the group have heard nothing yet
  if (was_over) tell(GuardMessage::send_signal, SIGTERM);
  const milliseconds cleanup_limit{command_.cleanup.empty() ? 0 : 20'000};
  if (!wait_gone(steady_clock::now() + rest_grace)) {
    if (!command_.cleanup.empty() && members().empty()) wait_gone(steady_clock::now() + cleanup_limit);
    tell(GuardMessage::kill_all);
    wait_gone(steady_clock::now() + kill_limit + cleanup_limit);
  }
  std::vector<Member> left = members();
  {
    std::lock_guard lock(mutex_);
    out.killed += killed_by_guard_;
    if (guard_lost_) out.notes.push_back("the process that guards the engine had been ended from outside");
    if (exit_) out.exit = *exit_;
    if (gone_) left.clear();
  }
  out.took = steady_clock::now() - begin;
  if (!left.empty()) {
    std::string names;
    for (const auto& m : left) names += fmt::format("{}{} {}", names.empty() ? "" : ", ", m.pid, m.name);
    return fail(ErrorCode::engine, "Processes of the engine could not be ended", names, "the kernel holds them, as a driver does in a transfer",
                "Wait for them to end before the next session; a device that hangs needs a reset");
  }
  note_shm(out);
  return out;
}

void LocalProcess::note_shm(Stopped& stopped) {
  std::int64_t files = 0, bytes = 0;
  for (const auto& f : host::classify_shm(host::list_shm(), ::getuid()).leftovers)
    if (!shm_before_.count(f.path)) {
      ++files;
      bytes += f.bytes;
    }
  if (files > 0) stopped.notes.push_back(fmt::format("{} /dev/shm {} stayed, {}", files, files == 1 ? "file" : "files", human_bytes(Bytes(bytes))));
}

}  // namespace kvcliff::process
