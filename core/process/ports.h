// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "process/launcher.h"

namespace kvcliff::process {

/// Whether a server could listen there now, found by listening for a moment. A connection in TIME_WAIT does not count.
/// Errors: busy (naming who listens where that can be seen), io, bad_usage (an address that is not ours, a port out of
/// range).
Result<void> port_free(const std::string& host, int port);
/// A port that was free a moment ago, from the kernel's own range.
Result<int> free_port(const std::string& host = "127.0.0.1");

struct Listener {
  std::int64_t pid = 0;      ///< 0: a process that we may not look into
  std::string name;
  std::string address;       ///< as the kernel keeps it, hexadecimal
};
/// Processes that listen on the TCP port (IPv4 and IPv6).
std::vector<Listener> who_listens(int port);
/// True when the listener belongs to the launch; nullopt when nobody listens or it cannot be seen.
std::optional<bool> listens_within(int port, const std::vector<Member>& members);

}  // namespace kvcliff::process
