// SPDX-License-Identifier: GPL-3.0-or-later
#include "process/ports.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>

#include "base/text.h"
#include "process/spawn.h"

namespace kvcliff::process {
namespace fs = std::filesystem;

namespace {

struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;
  int family = AF_INET;
};

Result<Address> resolve(const std::string& host, int port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int rc = ::getaddrinfo(host.empty() ? nullptr : host.c_str(), std::to_string(port).c_str(), &hints, &found);
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> holder(found, ::freeaddrinfo);
  if (rc != 0 || !found) return fail(ErrorCode::bad_usage, "The address cannot be resolved", host, ::gai_strerror(rc));
  Address a;
  std::memcpy(&a.storage, found->ai_addr, found->ai_addrlen);
  a.size = found->ai_addrlen;
  a.family = found->ai_family;
  return a;
}

/// Inodes of listening sockets on the port, with their addresses.
std::map<std::string, std::string> listening_inodes(int port) {
  std::map<std::string, std::string> out;
  for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    std::ifstream in(table);
    for (std::string line; std::getline(in, line);) {
      std::vector<std::string_view> f;
      for (const auto w : split(line, ' '))
        if (!w.empty()) f.push_back(w);
      if (f.size() < 10 || f[3] != "0A") continue;  // 0A = LISTEN
      const auto colon = f[1].rfind(':');
      if (colon == std::string_view::npos) continue;
      if (std::strtol(std::string(f[1].substr(colon + 1)).c_str(), nullptr, 16) != port) continue;
      out[std::string(f[9])] = std::string(f[1].substr(0, colon));
    }
  }
  return out;
}

std::string name_of(std::int64_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/comm");
  std::string name;
  std::getline(in, name);
  return to_valid_utf8(name);
}

}  // namespace

std::vector<Listener> who_listens(int port) {
  std::vector<Listener> out;
  auto inodes = listening_inodes(port);
  if (inodes.empty()) return out;
  std::error_code ec;
  for (const auto& process : fs::directory_iterator("/proc", ec)) {
    const auto pid = parse_int(process.path().filename().string());
    if (!pid) continue;
    std::error_code fd_error;
    for (const auto& fd : fs::directory_iterator(process.path() / "fd", fd_error)) {
      std::error_code link_error;
      const auto target = fs::read_symlink(fd.path(), link_error).string();
      if (target.rfind("socket:[", 0) != 0) continue;
      const auto it = inodes.find(target.substr(8, target.size() - 9));
      if (it == inodes.end()) continue;
      const bool seen = std::any_of(out.begin(), out.end(), [&](const Listener& l) { return l.pid == *pid && l.address == it->second; });
      if (!seen) out.push_back({*pid, name_of(*pid), it->second});
    }
  }
  for (const auto& entry : inodes) {
    const std::string& address = entry.second;
    const bool seen = std::any_of(out.begin(), out.end(), [&](const Listener& l) { return l.address == address; });
    if (!seen) out.push_back({0, "", address});
  }
  return out;
}

std::optional<bool> listens_within(int port, const std::vector<Member>& members) {
  const auto listeners = who_listens(port);
  bool hidden = listeners.empty();
  for (const auto& l : listeners) {
    if (l.pid == 0) hidden = true;
    if (std::any_of(members.begin(), members.end(), [&](const Member& m) { return m.pid == l.pid; })) return true;
  }
  return hidden ? std::nullopt : std::optional(false);
}

Result<void> port_free(const std::string& host, int port) {
  if (port < 1 || port > 65535) return fail(ErrorCode::bad_usage, fmt::format("{} is not a port", port), {}, "ports lie in 1 to 65,535");
  const auto address = resolve(host, port);
  if (!address) return fail(address.error());
  const Fd socket(::socket(address->family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket) return fail(ErrorCode::io, "No socket can be opened", {}, std::strerror(errno));
  const int one = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  const bool ok = ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address->storage), address->size) == 0 && ::listen(socket.get(), 1) == 0;
  if (ok) return {};
  const int number = errno;
  const std::string where = fmt::format("{}:{}", host, port);
  if (number != EADDRINUSE)
    return fail(number == EADDRNOTAVAIL ? ErrorCode::bad_usage : ErrorCode::io, "Nothing can listen there", where, std::strerror(number),
                number == EACCES ? "Ports below 1,024 need privileges: name another" : "Name an address of this machine");
  std::string who;
  for (const auto& l : who_listens(port)) who += fmt::format("{}{}", who.empty() ? "" : ", ", l.pid ? fmt::format("{} (pid {})", l.name, l.pid) : "a process of another user");
  return fail(ErrorCode::busy, fmt::format("Port {} is in use", port), where, who.empty() ? std::strerror(number) : "by " + who, "End that process, or name another port");
}

Result<int> free_port(const std::string& host) {
  const auto address = resolve(host, 0);
  if (!address) return fail(address.error());
  const Fd socket(::socket(address->family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_storage got{};
  socklen_t size = sizeof got;
  if (!socket || ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address->storage), address->size) != 0 ||
      ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&got), &size) != 0)
    return fail(ErrorCode::io, "No free port can be had", host, std::strerror(errno));
  return ntohs(got.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&got)->sin6_port : reinterpret_cast<sockaddr_in*>(&got)->sin_port);
}

}  // namespace kvcliff::process
