// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace kvcliff::bench {

struct Load {
  int port = 0;
  std::string path;
  int streams = 0;       ///< in all
  int at_once = 0;
  int large = 0;         ///< how many of them carry a prompt of 50,000 token ids
};

struct Run {
  double cpu_s = 0;      ///< user and system time of this process
  double wall_s = 0;
  std::int64_t events = 0;
  std::vector<double> first_token_ms;
  std::vector<double> way_out_ms, way_back_ms;  ///< of /ttft: t0 to "request read whole"; "first token sent" to seen here
};

Run read_ours(const Load& load);   ///< the product's client: parsing, attribution of times, records
Run read_curl(const Load& load);   ///< plain libcurl multi over epoll that counts events
Run read_raw(const Load& load);    ///< plain sockets over epoll that count events

}  // namespace kvcliff::bench
