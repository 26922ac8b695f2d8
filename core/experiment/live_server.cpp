// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/live_server.h"

#include <algorithm>

#include "process/remote.h"

namespace kvcliff::experiment {

void LogTap::serve(std::function<void(const LogLine&)> put) {
  std::lock_guard guard(mutex_);
  put_ = std::move(put);
}
void LogTap::take(const LogLine& line, bool progress) {
  std::lock_guard guard(mutex_);
  if (put_) put_(line);
  lines_.push_back(line);
  if (progress) last_ = mono_now();
}
std::vector<LogLine> LogTap::lines(std::size_t from) const {
  std::lock_guard guard(mutex_);
  return {lines_.begin() + static_cast<std::ptrdiff_t>(std::min(from, lines_.size())), lines_.end()};
}
std::size_t LogTap::size() const {
  std::lock_guard guard(mutex_);
  return lines_.size();
}
MonoNs LogTap::last_progress() const {
  std::lock_guard guard(mutex_);
  return last_;
}
void LogTap::touch() {
  std::lock_guard guard(mutex_);
  last_ = mono_now();
}

Result<process::Command> session_command(const Services& services, const RunOptions& options, const SessionJob& job,
                                         const engine::Endpoint& at) {
  auto command = services.adapter.command(job.arm_plan, job.offload, at);
  if (!command) return command;
  // Elsewhere the program is the other side's: its own place here means nothing there.
  if (!options.engine_program.empty() && !process::elsewhere(job.arm_plan.launcher) && !command->argv.empty()) command->argv[0] = options.engine_program;
  command->argv.insert(command->argv.end(), options.engine_args.begin(), options.engine_args.end());
  if (at.engine_port > 0) command->reached_at = at.port;
  return command;
}

}  // namespace kvcliff::experiment
