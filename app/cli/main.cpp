// SPDX-License-Identifier: GPL-3.0-or-later
#include <poll.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <iostream>

#include "cli/context.h"
#include "cli/printable_stream.h"

namespace {

std::atomic<bool> stop_requested{false};
std::atomic<std::int64_t> first_signal_ns{0};
static_assert(std::atomic<std::int64_t>::is_always_lock_free);  // a handler may use nothing else

// timeout(1) tells the program and then its whole group: two signals of one wish, a moment apart.
constexpr std::int64_t one_wish_ns = 500'000'000;

// The first asks for an orderly end. A later one, of either kind, ends the program at once, so that a stuck stop can still
// be left: the guard of a running engine then ends that, and the journal opens as after a crash.
void on_signal(int) {
  const int saved = errno;
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  const std::int64_t now = t.tv_sec * 1'000'000'000LL + t.tv_nsec + 1;
  std::int64_t first = 0;
  if (first_signal_ns.compare_exchange_strong(first, now)) stop_requested = true;
  else if (now - first >= one_wish_ns) _exit(kvcliff::cli::Exit::interrupted);
  errno = saved;
}

std::string own_path(const char* argv0) {
  std::error_code ec;
  const auto p = std::filesystem::read_symlink("/proc/self/exe", ec);
  return ec ? argv0 : p.string();
}

// The word that stands where a command was expected; CLI11 only says that one is required.
const CLI::App* misnamed(const CLI::App& app, int argc, char** argv, std::string& word) {
  const CLI::App* at = &app;
  for (int i = 1; i < argc && at->get_require_subcommand_min() > 0; ++i) {
    if (argv[i][0] == '-') continue;
    const CLI::App* next = nullptr;
    for (const CLI::App* sub : at->get_subcommands({}))
      if (sub->get_name() == argv[i]) next = sub;
    if (!next) {
      word = argv[i];
      return at;
    }
    at = next;
  }
  return nullptr;
}

std::string commands_of(const CLI::App& app) {
  std::string out;
  for (const CLI::App* sub : app.get_subcommands({}))
    if (!sub->get_name().empty()) out += (out.empty() ? "" : ", ") + sub->get_name();
  return out;
}

// A full disk behind stdout must not pass for success.
int written(const kvcliff::cli::Context& context, int code) {
  using namespace kvcliff;
  context.out.flush();
  std::cout.flush();
  if (context.out && std::cout) return code;
  pollfd out{STDOUT_FILENO, POLLOUT, 0};
  if (::poll(&out, 1, 0) == 1 && (out.revents & POLLERR)) return code;  // who read us has seen enough (head, less)
  context.err << "kvcliff-cli: the output could not be written (is the disk full?)\n";
  return code == cli::Exit::done || code == cli::Exit::gate_failed ? static_cast<int>(cli::Exit::engine_failed) : code;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace kvcliff;
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  signal(SIGPIPE, SIG_IGN);

  cli::PrintableStream out(std::cout), err(std::cerr);
  cli::Context context{.out = out, .err = err, .stop = stop_requested};
  context.err_is_terminal = ::isatty(2) == 1;
  context.program = own_path(argv[0]);
  context.version = KVCLIFF_VERSION;

  CLI::App app{"Does a host-memory tier for the KV cache help this model, on this GPU, with this workload?",
               "kvcliff-cli"};
  app.set_version_flag("--version", std::string("kvcliff-cli ") + KVCLIFF_VERSION);
  app.require_subcommand(1);
  app.footer("Exit codes: 0 done, 1 a gate or --require failed, 2 bad usage or input, 3 engine or resource failed, "
             "130 interrupted (a second Ctrl-C leaves at once).");
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
    std::string word;
    if (const CLI::App* at = misnamed(app, argc, argv, word))
      return context.report(Error{ErrorCode::bad_usage, "There is no command \"" + word + "\"", {}, {}, "Known: " + commands_of(*at)});
    return context.report(Error{ErrorCode::bad_usage, "The command line cannot be understood", {}, e.what(),
                                "Try kvcliff-cli --help, or kvcliff-cli COMMAND --help"});
  }
  try {
    return written(context, context.run ? context.run() : static_cast<int>(cli::Exit::bad_input));
  } catch (const std::exception& e) {
    return context.report(Error{ErrorCode::internal, "This program made a mistake", {}, e.what(),
                                "Please report it with the command line"});
  }
}
