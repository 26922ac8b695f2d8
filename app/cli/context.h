// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <CLI/CLI.hpp>
#include <atomic>
#include <functional>
#include <iosfwd>
#include <string>

#include "base/json.h"
#include "base/result.h"

namespace kvcliff::cli {

/// Exit codes of the contract.
enum Exit : int { done = 0, gate_failed = 1, bad_input = 2, engine_failed = 3, interrupted = 130 };

/// What every command has: where to write, how to write, and whether the user pressed Ctrl-C.
/// A command sets `run` in its CLI11 callback; main calls it after parsing and returns its exit code.
struct Context {
  bool json = false;
  bool quiet = false;
  std::ostream& out;                  ///< stdout: the one JSON document, or the words
  std::ostream& err;                  ///< stderr: progress, warnings, errors
  bool err_is_terminal = false;
  std::string program;                ///< path of this binary (the emulator lies beside it)
  std::string version;
  const std::atomic<bool>& stop;      ///< set by SIGINT and SIGTERM
  std::function<int()> run;
  /// For steps that ask whether to go on.
  std::function<bool()> go_on() const {
    return [this] { return !stop; };
  }

  /// Prints the one JSON document of the command.
  void print(const Json& document) const;
  void print(const OrderedJson& document) const;
  /// Reports a failure in the form asked for; returns the exit code that fits the error's kind.
  int report(const Error& error) const;
};

/// Adds a subcommand with --json and --quiet; `body` becomes Context::run when it is chosen.
CLI::App* add_command(CLI::App& app, Context& context, const std::string& name, const std::string& help,
                      std::function<int()> body);
/// The value must be a number above 0; the message says so in words.
CLI::Validator above_zero();
void add_all_commands(CLI::App& app, Context& context);
int exit_code_of(ErrorCode code);

}  // namespace kvcliff::cli
