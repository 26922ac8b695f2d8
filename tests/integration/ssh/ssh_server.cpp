// SPDX-License-Identifier: GPL-3.0-or-later
#include "integration/ssh/ssh_server.h"

#include <pwd.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "base/file.h"
#include "process/ports.h"

namespace kvcliff::test {
namespace {
namespace fs = std::filesystem;

void run(const std::vector<std::string>& argv) {
  Child child(argv);
  if (child.wait(20'000) != 0) throw std::runtime_error(argv[0] + ": " + child.output());
}

void put(const fs::path& path, const std::string& text) {
  if (const auto r = write_file(path, text); !r) throw std::runtime_error(r.error().sentence());
}

}  // namespace

SshServer::SshServer() {
  for (const char* program : {"/usr/sbin/dropbear", "/usr/bin/dropbearkey", "/usr/bin/ssh-keygen", "/usr/bin/ssh"})
    if (!fs::exists(program)) throw std::runtime_error(std::string(program) + " is missing: install dropbear-bin and openssh-client");
  const passwd* me = ::getpwuid(::geteuid());
  user_ = me ? me->pw_name : "tester";
  const fs::path home = dir_ / "home", keys = home / ".ssh";
  fs::create_directories(keys);
  for (const auto& folder : {home, keys}) fs::permissions(folder, fs::perms::owner_all);  // others may not be able to write there
  run({"/usr/bin/ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", dir_ / "key"});
  run({"/usr/bin/ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", dir_ / "stranger"});
  run({"/usr/bin/dropbearkey", "-t", "ed25519", "-f", dir_ / "host_key"});
  fs::copy_file(dir_ / "key.pub", keys / "authorized_keys");
  put(dir_ / "passwd", user_ + ":x:" + std::to_string(::geteuid()) + ":" + std::to_string(::getegid()) + "::" + home.string() + ":/bin/sh\n");
  put(dir_ / "group", user_ + ":x:" + std::to_string(::getegid()) + ":\n");
  // Between the look for a free port and Dropbear's listening another program may take it.
  for (int attempt = 0; attempt < 5; ++attempt) {
    const auto free = process::free_port();
    if (!free) throw std::runtime_error(free.error().sentence());
    port_ = *free;
    start();
    for (int i = 0; i < 200 && process::who_listens(port_).empty() && !server_->wait(0); ++i) ::usleep(25'000);
    if (!server_->wait(0)) return;
  }
  throw std::runtime_error("dropbear does not start: " + server_->output());
}

void SshServer::start() {
  server_ = std::make_unique<Child>(
      std::vector<std::string>{"/usr/sbin/dropbear", "-F", "-E", "-s", "-r", dir_ / "host_key", "-p", "127.0.0.1:" + std::to_string(port_), "-P", dir_ / "pid"},
      std::map<std::string, std::string>{{"LD_PRELOAD", "libnss_wrapper.so"}, {"NSS_WRAPPER_PASSWD", dir_ / "passwd"}, {"NSS_WRAPPER_GROUP", dir_ / "group"}});
}

std::string SshServer::config(const std::string& key, bool strict) const {
  const std::string path = dir_ / ("config-" + key.substr(key.rfind('/') + 1) + (strict ? "-strict" : ""));
  const std::string identity = key.find('/') == std::string::npos ? (dir_ / key).string() : key;
  put(path, "IdentityFile " + identity + "\nIdentitiesOnly yes\nUserKnownHostsFile " + (dir_ / (strict ? "nobody-known" : "known_hosts")).string() +
                "\nGlobalKnownHostsFile /dev/null\nStrictHostKeyChecking " + (strict ? "yes" : "accept-new") + "\nLogLevel ERROR\n");
  return path;
}

std::vector<pid_t> SshServer::connections() const {
  std::ifstream in("/proc/" + std::to_string(server_->pid()) + "/task/" + std::to_string(server_->pid()) + "/children");
  std::vector<pid_t> out;
  for (pid_t p = 0; in >> p;) out.push_back(p);
  return out;
}

}  // namespace kvcliff::test
