// SPDX-License-Identifier: GPL-3.0-or-later
// The streaming client beside a plain libcurl-multi reader and a raw-socket reader, interleaved, against a server in a
// process of its own. Prints medians per CPU second of the client process, ratios to plain libcurl, and first-token errors.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "readers.h"
#include "replay_server.h"

namespace {
using namespace kvcliff::bench;

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v.empty() ? 0 : v[v.size() / 2];
}
double quantile(std::vector<double> v, double q) {
  std::sort(v.begin(), v.end());
  return v.empty() ? 0 : v[std::min(v.size() - 1, static_cast<std::size_t>(q * static_cast<double>(v.size())))];
}

bool throughput(const char* name, const Load& load, int repeats, double wanted, bool per_event) {
  std::vector<double> ours, curl, raw;
  const auto rate = [&](const Run& r) { return (per_event ? static_cast<double>(r.events) : static_cast<double>(load.streams)) / r.cpu_s; };
  for (int i = 0; i < repeats; ++i) {
    raw.push_back(rate(read_raw(load)));
    curl.push_back(rate(read_curl(load)));
    ours.push_back(rate(read_ours(load)));
  }
  const double ratio = median(ours) / median(curl);
  fmt::print("{:<34} ours {:>9.0f}  libcurl {:>9.0f}  raw {:>9.0f} {} per CPU s   ratio {:.2f} (wanted {:.2f}) {}\n", name, median(ours),
             median(curl), median(raw), per_event ? "events" : "streams", ratio, wanted, ratio >= wanted ? "ok" : "LOW");
  return ratio >= wanted;
}

bool first_token(const char* name, const Load& load, int repeats) {
  std::vector<double> ours, raw, curl;
  for (int i = 0; i < repeats; ++i) {
    for (const double v : read_raw(load).first_token_ms) raw.push_back(v - 100);
    for (const double v : read_curl(load).first_token_ms) curl.push_back(v - 100);
    for (const double v : read_ours(load).first_token_ms) ours.push_back(v - 100);
  }
  const bool good = median(ours) <= median(raw) + 1 && quantile(ours, 0.99) <= 2 * quantile(raw, 0.99);
  fmt::print("{:<34} error over 100 ms: ours median {:.2f} p99 {:.2f}   libcurl {:.2f} {:.2f}   raw {:.2f} {:.2f} ms  {}\n", name, median(ours),
             quantile(ours, 0.99), median(curl), quantile(curl, 0.99), median(raw), quantile(raw, 0.99), good ? "ok" : "LATE");
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  const int repeats = argc > 1 ? std::max(1, std::atoi(argv[1])) : 5;
  const ReplayServer server;
  const int p = server.port();
  bool good = true;
  good &= throughput("short streams (16 tokens)", {p, "/short", 4000, 32, 0}, repeats, 0.60, false);
  good &= throughput("long streams in batches", {p, "/long", 64, 8, 0}, repeats, 0.55, true);
  good &= throughput("256 streams, one event at a time", {p, "/single/256", 256, 256, 0}, repeats, 0.75, true);
  good &= first_token("first token, 256 streams", {p, "/ttft", 256, 256, 0}, repeats);
  good &= first_token("same, 8 prompts of 50,000 ids", {p, "/ttft", 256, 256, 8}, repeats);
  return good ? 0 : 1;
}
