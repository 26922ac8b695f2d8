// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "experiment/runner.h"

namespace kvcliff::experiment {

/// The lines of one server process. They come on the capture thread, for whichever session uses the server just then.
class LogTap {
 public:
  /// Lines from now on belong to this session; `put` journals one.
  void serve(std::function<void(const LogLine&)> put);
  void take(const LogLine& line, bool progress);
  std::vector<LogLine> lines(std::size_t from = 0) const;
  std::size_t size() const;
  MonoNs last_progress() const;
  void touch();   ///< the silence begins now

 private:
  mutable std::mutex mutex_;
  std::function<void(const LogLine&)> put_;
  std::vector<LogLine> lines_;
  MonoNs last_ = 0;
};

/// A running server that one session leaves to the next.
struct LiveServer {
  engine::Endpoint at;
  std::unique_ptr<process::Process> process;
  std::shared_ptr<LogTap> tap;
  int session = 0;   ///< ordinal of the session that used it last
};

/// The command line and environment of a session's server. Errors: what the adapter refuses.
Result<process::Command> session_command(const Services& services, const RunOptions& options, const SessionJob& job,
                                         const engine::Endpoint& at);

}  // namespace kvcliff::experiment
