// SPDX-License-Identifier: GPL-3.0-or-later
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>

#include "cli/context.h"

namespace {

std::atomic<bool> stop_requested{false};

// The second Ctrl-C takes the default action, so that a stuck stop can still be ended.
void on_signal(int number) {
  stop_requested = true;
  signal(number, SIG_DFL);
}

std::string own_path(const char* argv0) {
  std::error_code ec;
  const auto p = std::filesystem::read_symlink("/proc/self/exe", ec);
  return ec ? argv0 : p.string();
}

}  // namespace

int main(int argc, char** argv) {
  using namespace kvcliff;
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  signal(SIGPIPE, SIG_IGN);

  cli::Context context{.out = std::cout, .err = std::cerr, .stop = stop_requested};
  context.err_is_terminal = ::isatty(2) == 1;
  context.program = own_path(argv[0]);
  context.version = KVCLIFF_VERSION;

  CLI::App app{"Does a host-memory tier for the KV cache help this model, on this GPU, with this workload?",
               "kvcliff-cli"};
  app.set_version_flag("--version", std::string("kvcliff-cli ") + KVCLIFF_VERSION);
  app.require_subcommand(1);
  app.footer("Exit codes: 0 done, 1 a gate or --require failed, 2 bad usage or input, 3 engine or resource failed, "
             "130 interrupted.");
  cli::add_all_commands(app, context);

  for (int i = 1; i < argc; ++i)  // --json must hold for usage errors too, which end before the flag is parsed
    if (std::string_view(argv[i]) == "--json") context.json = true;
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& e) {
    return app.exit(e);
  } catch (const CLI::CallForAllHelp& e) {
    return app.exit(e);
  } catch (const CLI::CallForVersion& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    return context.report(Error{ErrorCode::bad_usage, "The command line cannot be understood", {}, e.what(),
                                "Try kvcliff-cli --help, or kvcliff-cli COMMAND --help"});
  }
  try {
    return context.run ? context.run() : cli::Exit::bad_input;
  } catch (const std::exception& e) {
    return context.report(Error{ErrorCode::internal, "This program made a mistake", {}, e.what(),
                                "Please report it with the command line"});
  }
}
