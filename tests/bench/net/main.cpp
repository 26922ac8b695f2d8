// SPDX-License-Identifier: GPL-3.0-or-later
// The streaming client beside a plain libcurl-multi reader and a raw-socket reader, interleaved, against a server in a
// process of its own. `bench_net [REPEATS]`; `bench_net serve` and `bench_net ours PORT PATH` are for tests/bench/compare. Prints medians per CPU second of the client process, ratios to plain libcurl, and first-token errors.
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

struct Throughput {
  const char* name;
  const char* path;
  int streams, at_once;
  double wanted;      // ratio to plain libcurl
  bool per_event;     // events, else streams, per second of CPU time
  Load load(int port) const { return {port, path, streams, at_once, 0}; }
  double rate(const Run& r) const { return (per_event ? static_cast<double>(r.events) : static_cast<double>(streams)) / r.cpu_s; }
};
constexpr Throughput throughputs[] = {
    {"short streams (16 tokens)", "/short", 4000, 32, 0.60, false},
    {"long streams in batches", "/long", 64, 8, 0.55, true},
    {"256 streams, one event at a time", "/single/256", 256, 256, 0.75, true},
};

/// One load of our client against a server that is there already (for a comparison with a client in another language).
int ours_alone(int port, const std::string& path) {
  for (const auto& t : throughputs)
    if (path == t.path) {
      fmt::print("{:.0f}\n", t.rate(read_ours(t.load(port))));
      return 0;
    }
  fmt::print(stderr, "bench_net: no load is called {}\n", path);
  return 2;
}

bool throughput(const Throughput& t, int port, int repeats) {
  std::vector<double> ours, curl, raw;
  const Load load = t.load(port);
  const auto rate = [&](const Run& r) { return t.rate(r); };
  for (int i = 0; i < repeats; ++i) {
    raw.push_back(rate(read_raw(load)));
    curl.push_back(rate(read_curl(load)));
    ours.push_back(rate(read_ours(load)));
  }
  const double ratio = median(ours) / median(curl);
  fmt::print("{:<34} ours {:>9.0f}  libcurl {:>9.0f}  raw {:>9.0f} {} per CPU s   ratio {:.2f} (wanted {:.2f}) {}\n", t.name, median(ours),
             median(curl), median(raw), t.per_event ? "events" : "streams", ratio, t.wanted, ratio >= t.wanted ? "ok" : "LOW");
  return ratio >= t.wanted;
}

/// What first-token times were off by: per run, so that a moment in which the machine did something else spoils one run only.
struct Late {
  std::vector<double> medians, p99s, way_out, way_back;  // ms, one of each a run; the ways are p99
  std::vector<double> all;                                // ms, of every request of every run
  void add(const Run& r) {
    std::vector<double> error;
    for (const double v : r.first_token_ms) error.push_back(v - 100);
    all.insert(all.end(), error.begin(), error.end());
    medians.push_back(median(error));
    p99s.push_back(quantile(error, 0.99));
    way_out.push_back(quantile(r.way_out_ms, 0.99));
    way_back.push_back(quantile(r.way_back_ms, 0.99));
  }
};

bool first_token(const char* name, const Load& load, int repeats) {
  Late ours, raw, curl;
  for (int i = 0; i < repeats; ++i) {
    raw.add(read_raw(load));
    curl.add(read_curl(load));
    ours.add(read_ours(load));
  }
  const bool good = median(ours.medians) <= median(raw.medians) + 1 && median(ours.p99s) <= 2 * median(raw.p99s);
  fmt::print("{:<34} error over 100 ms: ours median {:.2f} p99 {:.2f}   libcurl {:.2f} {:.2f}   raw {:.2f} {:.2f} ms  {}\n", name,
             median(ours.medians), median(ours.p99s), median(curl.medians), median(curl.p99s), median(raw.medians), median(raw.p99s),
             good ? "ok" : "LATE");
  fmt::print("{:<34} of that, p99: way out {:.2f}, way back {:.2f}; raw {:.2f}, {:.2f} ms\n", "", median(ours.way_out),
             median(ours.way_back), median(raw.way_out), median(raw.way_back));
  fmt::print("{:<34} p99 of all runs together: ours {:.2f}   libcurl {:.2f}   raw {:.2f} ms\n", "", quantile(ours.all, 0.99), quantile(curl.all, 0.99),
             quantile(raw.all, 0.99));
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "";
  if (first == "ours" && argc == 4) return ours_alone(std::atoi(argv[2]), argv[3]);
  const ReplayServer server;
  const int p = server.port();
  if (first == "serve") {  // until the caller closes our input
    fmt::print("{}\n", p);
    std::fflush(stdout);
    while (std::getchar() != EOF) {}
    return 0;
  }
  const int repeats = argc > 1 ? std::max(1, std::atoi(argv[1])) : 5;
  bool good = true;
  for (const auto& t : throughputs) good &= throughput(t, p, repeats);
  good &= first_token("first token, 256 streams", {p, "/ttft", 256, 256, 0}, 3 * repeats);
  good &= first_token("same, 8 prompts of 50,000 ids", {p, "/ttft", 256, 256, 8}, 3 * repeats);
  return good ? 0 : 1;
}
