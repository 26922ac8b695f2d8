// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <condition_variable>
#include <functional>
#include <mutex>
#include <set>
#include <thread>

#include "process/guard.h"
#include "process/line_store.h"
#include "process/spawn.h"
#include "wire/log_lines.h"

namespace kvcliff::process {

/// A launch on this machine. One thread reads both pipes and the guard's messages.
class LocalProcess final : public Process {
 public:
  LocalProcess(Spawned spawned, const Command& command, Launcher::OnLine on_line, std::set<std::string> shm_before);
  ~LocalProcess() override;

  std::int64_t pid() const override { return spawned_.front; }
  bool running() override;
  std::optional<Exit> exit() override;
  std::optional<Exit> wait(std::chrono::milliseconds limit) override;
  std::vector<LogLine> lines(std::size_t from) const override;
  Result<Stopped> stop(std::chrono::milliseconds grace) override;
  Result<void> signal(int number) override;
  std::vector<Member> members() override;

 private:
  using Deadline = std::chrono::steady_clock::time_point;
  void capture();
  /// Reads what is there; false at the end of the pipe.
  bool read_pipe(Fd& pipe, wire::LineSplitter& splitter, bool is_stderr);
  void handle(const GuardMessage& message);
  void guard_lost();
  void tell(GuardMessage::Kind kind, int a = 0);
  bool wait_gone(Deadline until);
  bool wait_front(Deadline until);
  Result<Stopped> stop_once(std::chrono::milliseconds grace);
  void note_shm(Stopped& stopped);

  Spawned spawned_;
  const Command command_;
  Launcher::OnLine on_line_;
  const std::set<std::string> shm_before_;
  Fd wake_;   ///< eventfd that ends the capture thread
  wire::LineSplitter out_lines_, err_lines_;

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  LineStore lines_;
  std::optional<Exit> exit_;
  bool gone_ = false;
  bool guard_lost_ = false;
  int killed_by_guard_ = 0;
  bool leaving_ = false;

  std::mutex stop_mutex_;
  std::optional<Result<Stopped>> stopped_;
  std::thread thread_;
};

}  // namespace kvcliff::process
