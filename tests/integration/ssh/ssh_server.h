// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "support/child.h"
#include "support/data.h"

namespace kvcliff::test {

/// A Dropbear server on a free loopback port. It knows one user, the one who runs the test, with a home and an authorized
/// key of the test's own: libnss_wrapper gives it another user database, so that the real home stays untouched.
class SshServer {
 public:
  /// Throws what is missing (packages dropbear-bin, openssh-client, libnss-wrapper).
  SshServer();
  int port() const { return port_; }
  const std::string& user() const { return user_; }
  /// A configuration for ssh -F that trusts this server and offers the right key; `key`: another one, `strict`: a server
  /// that is not known yet is refused.
  std::string config(const std::string& key = "key", bool strict = false) const;
  /// A key that the server does not know.
  std::string stranger() const { return dir_ / "stranger"; }
  /// Processes that serve one connection each.
  std::vector<pid_t> connections() const;
  std::string log() const { return server_->output(); }

 private:
  void start();
  TempDir dir_;
  std::string user_;
  int port_ = 0;
  std::unique_ptr<Child> server_;
};

}  // namespace kvcliff::test
