// SPDX-License-Identifier: GPL-3.0-or-later
// A child that behaves as asked, and a parent that launches one and waits to be killed.
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "process/launcher.h"

namespace {

void ignore_signals() {
  for (const int n : {SIGTERM, SIGINT, SIGHUP}) signal(n, SIG_IGN);
}

[[noreturn]] void sleep_for_ever() {
  for (;;) pause();
}

void say(const std::string& text) {
  std::fputs((text + "\n").c_str(), stdout);
  std::fflush(stdout);
}

// A worker as daemons are made: two forks, a session of its own, deaf to signals, and no pipe of ours.
void daemonise(const std::string& tag) {
  if (fork() != 0) return;
  setsid();
  if (fork() != 0) _exit(0);
  ignore_signals();
  prctl(PR_SET_NAME, "VLLM::Worker_TP0");
  say(tag + " " + std::to_string(getpid()));
  for (int fd = 0; fd < 3; ++fd) close(fd);
  sleep_for_ever();
}

int launch(const std::vector<std::string>& argv) {
  using namespace kvcliff::process;
  auto launcher = make_local_launcher();
  auto started = launcher->start({.argv = argv}, [](const kvcliff::LogLine& line) { say(line.text); });
  if (!started) {
    say(started.error().sentence());
    return 1;
  }
  say("launched " + std::to_string((*started)->pid()));
  sleep_for_ever();
}

int listen_on(int port) {
  const int s = socket(AF_INET, SOCK_STREAM, 0);
  const int one = 1;
  setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  sockaddr_in a{};
  a.sin_family = AF_INET;
  a.sin_port = htons(static_cast<std::uint16_t>(port));
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(s, reinterpret_cast<sockaddr*>(&a), sizeof a) != 0 || listen(s, 5) != 0) {
    std::perror("listen");
    return 1;
  }
  say("listening");
  sleep_for_ever();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "launch") return launch({argv + 2, argv + argc});
  if (mode == "tree") {  // a front, a child in its group, a daemon outside it; all deaf
    say("front " + std::to_string(getpid()));
    if (fork() == 0) {
      ignore_signals();
      say("child " + std::to_string(getpid()));
      sleep_for_ever();
    }
    daemonise("daemon");
    if (argc > 2 && std::string(argv[2]) == "deaf") ignore_signals();
    sleep_for_ever();
  }
  if (mode == "lines") {
    for (long i = 0, n = std::atol(argv[2]); i < n; ++i) std::printf("line %ld of the log\n", i);
    return 0;
  }
  if (mode == "listen") return listen_on(std::atoi(argv[2]));
  if (mode == "code") return std::atoi(argv[2]);
  if (mode == "signal") {
    std::printf("last words without a line end");
    std::fflush(stdout);
    raise(std::atoi(argv[2]));
    return 0;
  }
  std::fprintf(stderr, "unknown mode %s\n", mode.c_str());
  return 2;
}
