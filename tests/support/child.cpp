// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/child.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

namespace kvcliff::test {
namespace {
using Clock = std::chrono::steady_clock;
int left(Clock::time_point until) {
  return static_cast<int>(std::max<std::int64_t>(0, std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count()));
}
}  // namespace

Child::Child(const std::vector<std::string>& argv, const std::map<std::string, std::string>& env) {
  char name[] = "/tmp/kvcliff-child-XXXXXX";
  const int fd = mkstemp(name);
  file_ = name;
  std::vector<char*> args;
  for (const auto& a : argv) args.push_back(const_cast<char*>(a.c_str()));
  args.push_back(nullptr);
  pid_ = fork();
  if (pid_ == 0) {
    setpgid(0, 0);
    dup2(fd, 1);
    dup2(fd, 2);
    close_range(3, ~0u, 0);
    for (const auto& [key, value] : env) setenv(key.c_str(), value.c_str(), 1);
    execv(args[0], args.data());
    _exit(127);
  }
  setpgid(static_cast<pid_t>(pid_), static_cast<pid_t>(pid_));
  close(fd);
}

Child::~Child() {
  if (pid_ > 0) kill(static_cast<pid_t>(-pid_), SIGKILL);
  if (!status_) waitpid(static_cast<pid_t>(pid_), nullptr, 0);
  unlink(file_.c_str());
}

void Child::signal(int number) const { kill(static_cast<pid_t>(pid_), number); }

std::optional<int> Child::wait(int milliseconds) {
  const auto until = Clock::now() + std::chrono::milliseconds(milliseconds);
  while (!status_) {
    int status = 0;
    if (waitpid(static_cast<pid_t>(pid_), &status, WNOHANG) == pid_) {
      status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    } else {
      if (left(until) == 0) return std::nullopt;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  return status_;
}

std::string Child::output() const {
  std::ifstream in(file_, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

bool Child::wait_for(const std::string& text, int milliseconds) {
  const auto until = Clock::now() + std::chrono::milliseconds(milliseconds);
  while (output().find(text) == std::string::npos) {
    if (left(until) == 0 || (status_ && output().find(text) == std::string::npos)) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

long Child::first_child() const {
  std::ifstream in("/proc/" + std::to_string(pid_) + "/task/" + std::to_string(pid_) + "/children");
  long child = 0;
  in >> child;
  return child;
}

RawClient::RawClient(int port) {
  fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(static_cast<std::uint16_t>(port));
  inet_pton(AF_INET, "127.0.0.1", &at.sin_addr);
  if (::connect(fd_, reinterpret_cast<sockaddr*>(&at), sizeof at) != 0) close();
}
RawClient::~RawClient() { close(); }
void RawClient::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}
void RawClient::send(const std::string& bytes) const {
  for (std::size_t at = 0; fd_ >= 0 && at < bytes.size();) {
    const auto n = ::send(fd_, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
    if (n <= 0) return;
    at += static_cast<std::size_t>(n);
  }
}
const std::string& RawClient::read_until(const std::string& text, int milliseconds) {
  const auto until = Clock::now() + std::chrono::milliseconds(milliseconds);
  while (fd_ >= 0 && !eof_ && (text.empty() || data_.find(text) == std::string::npos)) {
    pollfd p{fd_, POLLIN, 0};
    if (::poll(&p, 1, left(until)) <= 0) break;
    char buffer[65536];
    const auto n = recv(fd_, buffer, sizeof buffer, 0);
    if (n <= 0) eof_ = true;
    else data_.append(buffer, static_cast<std::size_t>(n));
  }
  return data_;
}

std::string http_request(const std::string& method, const std::string& target, const std::string& body, const std::string& headers) {
  std::string out = method + " " + target + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" + headers;
  if (!body.empty()) out += "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
  return out + "\r\n" + body;
}

RawAnswer parse_answer(const std::string& bytes) {
  RawAnswer out;
  const auto end = bytes.find("\r\n\r\n");
  if (end == std::string::npos) return out;
  out.head = bytes.substr(0, end + 2);
  out.status = std::atoi(bytes.c_str() + 9);
  std::string rest = bytes.substr(end + 4);
  if (out.head.find("transfer-encoding: chunked") == std::string::npos) {
    out.body = rest;
    const auto at = out.head.find("content-length: ");
    out.complete = at != std::string::npos && rest.size() == std::strtoul(out.head.c_str() + at + 16, nullptr, 10);
    return out;
  }
  for (std::size_t i = 0; i < rest.size();) {
    const auto line = rest.find("\r\n", i);
    if (line == std::string::npos) break;
    const std::size_t size = std::strtoul(rest.c_str() + i, nullptr, 16);
    if (size == 0) {
      out.complete = true;
      break;
    }
    if (line + 2 + size > rest.size()) break;
    out.chunks.push_back(rest.substr(line + 2, size));
    out.body += out.chunks.back();
    i = line + 2 + size + 2;
  }
  return out;
}

RawAnswer fetch(int port, const std::string& method, const std::string& target, const std::string& body, const std::string& headers, int milliseconds) {
  RawClient client(port);
  client.send(http_request(method, target, body, headers + "Connection: close\r\n"));
  return parse_answer(client.read_until("", milliseconds));
}

std::map<std::string, double> read_samples(const std::string& page) {
  std::map<std::string, double> out;
  std::istringstream in(page);
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    const auto space = line.rfind(' ');
    out[line.substr(0, space)] = std::strtod(line.c_str() + space + 1, nullptr);
  }
  return out;
}

}  // namespace kvcliff::test
