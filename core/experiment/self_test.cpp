// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/self_test.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <future>
#include <memory>

#include "net/client.h"

namespace kvcliff::experiment {
namespace {

double ms(MonoNs ns) { return static_cast<double>(ns) / 1e6; }

double rank(std::vector<double> v, double q) {
  std::sort(v.begin(), v.end());
  const auto at = static_cast<std::size_t>(std::ceil(q * static_cast<double>(v.size())));
  return v.empty() ? 0 : v[std::min(v.size() - 1, at == 0 ? 0 : at - 1)];
}

}  // namespace

ClientError client_error(std::span<const StreamRecord> records, const Pace& pace, MonoNs longest_turn) {
  ClientError out;
  out.streams = static_cast<int>(records.size());
  out.lag_ms = ms(longest_turn);
  std::vector<double> first;
  double gaps = 0;
  std::int64_t gap_count = 0;
  for (const auto& r : records) {
    const auto ttft = r.ttft();
    if (r.outcome != Outcome::complete || !ttft) {
      ++out.failed;
      continue;
    }
    first.push_back(ms(*ttft) - pace.first_token_ms);
    out.ttft_worst_ms = std::max(out.ttft_worst_ms, std::fabs(first.back()));
    MonoNs before = 0;
    for (const auto& e : r.events) {
      if (e.kind != EventKind::token) continue;
      if (before) {
        gaps += std::fabs(ms(e.at - before) - pace.gap_ms);
        ++gap_count;
      }
      before = e.at;
    }
  }
  out.ttft_median_ms = rank(first, 0.5);
  out.ttft_p99_ms = rank(first, 0.99);
  if (gap_count > 0) out.gap_mean_ms = gaps / static_cast<double>(gap_count);
  const auto over = [&](bool judged, double value, double limit, const char* what) {
    if (judged && value > limit) out.warnings.push_back(fmt::format("{} is off by {:.2f} ms at {} streams; up to {:g} ms are good", what, value, out.streams, limit));
  };
  over(out.streams == 1, out.ttft_worst_ms, 2, "the first token's time");
  over(out.streams == 1, out.gap_mean_ms, 0.5, "the time between tokens");
  over(out.streams > 1 && out.streams <= 32, out.ttft_p99_ms, 10, "the first token's time (p99)");
  if (out.lag_ms > 5) out.warnings.push_back(fmt::format("the client was late by {:.1f} ms: other programs take its processor, or it has too little", out.lag_ms));
  if (out.failed > 0) out.warnings.push_back(fmt::format("{} of {} streams did not end complete", out.failed, out.streams));
  return out;
}

ClientError measure_client(const std::string& url, const Pace& pace, int streams) {
  net::Client client;
  (void)client.preconnect(url, streams);
  std::vector<std::future<StreamRecord>> ends;
  for (int i = 0; i < streams; ++i) {
    auto promise = std::make_shared<std::promise<StreamRecord>>();
    ends.push_back(promise->get_future());
    net::StreamRequest request;
    request.url = url + "/v1/completions";
    request.body = R"({"model":"metronome","prompt":[258],"stream":true})";
    request.expect_token_ids = true;
    client.stream(std::move(request), [promise](net::RequestId, StreamRecord r) { promise->set_value(std::move(r)); });
  }
  std::vector<StreamRecord> records;
  for (auto& e : ends) records.push_back(e.get());
  return client_error(records, pace, client.longest_turn());
}

}  // namespace kvcliff::experiment
