// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <iosfwd>
#include <string>
#include <vector>

#include "emulator/options.h"
#include "emulator/setup.h"

namespace kvcliff::emulator {

/// Lines in the shape of vLLM's log. One line, one write.
class Log {
 public:
  explicit Log(std::ostream& out) : out_(out) {}
  void set_pids(long api, long core) { api_ = api; core_ = core; }
  void api(const char* level, const char* place, const std::string& text);
  void core(const char* level, const char* place, const std::string& text);
  void raw(const std::string& line);
  /// uvicorn's own lines ("INFO:     Shutting down").
  void uvicorn(const std::string& text) { raw("INFO:     " + text); }

 private:
  void line(const char* who, long pid, const char* level, const char* place, const std::string& text);
  std::ostream& out_;
  long api_ = 0, core_ = 0;
};

/// The start-up in parts; the server waits between them. The last one ends with "Application startup complete.".
void log_banner(Log& log, const Options& options, const Setup& setup);
void log_engine_start(Log& log, const Options& options, const Setup& setup);
void log_capacity(Log& log, const Options& options, const Setup& setup);
void log_listening(Log& log, const Options& options, int port);
/// The root cause in the engine core's lines, then the generic last lines of the API server.
void log_core_failure(Log& log, const std::vector<std::string>& cause);
void log_port_in_use(Log& log);
void log_api_failure(Log& log, const std::string& cause);
void log_core_death(Log& log);

}  // namespace kvcliff::emulator
