// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

#include "base/result.h"

namespace kvcliff::net {

/// What matters of an http or https URL.
struct Url {
  std::string scheme;   ///< "http" or "https", lower case
  std::string host;     ///< lower case, IPv6 without brackets
  int port = 0;         ///< stated or the scheme's default
  std::string whole;    ///< normalised

  bool same_server(const Url& o) const { return scheme == o.scheme && host == o.host && port == o.port; }
  /// localhost, 127.0.0.0/8 or ::1: never through a proxy.
  bool loopback() const;
  /// "inner.example:9000"
  std::string server() const;
};

/// Errors: bad_usage.
Result<Url> parse_url(const std::string& text);
/// Where a redirect from `base` leads; `location` may be relative. Errors: engine, when it leaves scheme, host or port
/// ("redirect to another host (...)"): requests may carry keys, and numbers of another server are not ours.
Result<Url> follow_redirect(const Url& base, const std::string& location);

}  // namespace kvcliff::net
