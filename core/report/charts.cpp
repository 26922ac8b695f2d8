// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "chart/series.h"
#include "report/report.h"

namespace kvcliff::report {
namespace {
using analysis::Evaluation;
using reconcile::ExperimentInput;

chart::Chart base(const ExperimentInput& in, const Evaluation& e, std::string title) {
  chart::Chart c;
  c.title = std::move(title);
  c.watermark = watermark(in, e);
  std::string version;
  for (const auto& s : in.sessions)
    if (version.empty()) version = s.record.effective.engine_version;
  c.caption = {fmt::format("{}run {} · plan {} · {} {} · kvcliff {} · gates {}", c.watermark.empty() ? "" : c.watermark + " · ", in.run_id, in.plan_hash.substr(0, 12), in.plan.engine.adapter, version,
                           in.program_version, gates_word(e))};
  return c;
}

const char* token_of(const RequestRecord& r) {
  const auto v = [](const MeasuredTokens& m) { return m.value ? m.value->v : -1; };
  const auto c = v(r.sources.computed), g = v(r.sources.gpu_hit), h = v(r.sources.host_loaded);
  if (c < 0 || g < 0 || h < 0) return "unknown";
  return h >= g && h >= c ? "host_loaded" : g >= c ? "gpu_hit" : "computed";
}

chart::Marker marker_of(const std::string& token) {
  return token == "gpu_hit" ? chart::Marker::diamond : token == "host_loaded" ? chart::Marker::square
         : token == "computed" ? chart::Marker::circle : chart::Marker::cross;
}

// Tokens by source of each request, and its TTFT below on the same axis.
chart::Chart requests_chart(const ExperimentInput& in, const Evaluation& e) {
  auto c = base(in, e, "Prompt tokens by source, and time to first token");
  c.height = 520;
  c.width = 1100;
  chart::Panel bars, times;
  bars.y.title = "tokens";
  bars.y.unit = chart::Unit::tokens;
  bars.y.grid = true;
  bars.x.labels = false;
  bars.height = 0.6;
  times.y.title = "TTFT, ms";
  times.y.unit = chart::Unit::milliseconds;
  times.y.low = 0;
  times.y.grid = true;
  times.x.title = "measured requests in order, by session";
  times.x.labels = false;
  times.height = 0.4;
  chart::Bars list;
  std::map<std::string, chart::Dots> dots;
  double x = 0;
  bool unknown = false;
  for (const auto& s : in.sessions) {
    const double from = x;
    for (const auto& r : s.requests) {
      if (r.plan.warmup) continue;
      chart::Bar b;
      b.x = x;
      const auto v = [](const MeasuredTokens& m) { return m.value ? static_cast<double>(m.value->v) : 0.0; };
      const bool known = r.sources.computed.value && r.sources.gpu_hit.value && r.sources.host_loaded.value;
      if (known) b.measured = std::array<double, 4>{v(r.sources.gpu_hit), v(r.sources.host_loaded), v(r.sources.computed), v(r.sources.unknown)};
      else b.measured = std::array<double, 4>{0, 0, 0, static_cast<double>(r.plan.prompt_tokens)};
      unknown = unknown || !known || v(r.sources.unknown) > 0;
      const auto& p = r.plan.predicted;
      if (p.computed.max > 0) b.predicted = std::array<double, 4>{p.gpu_hit.mean, p.host_loaded.mean, p.computed.mean, 0.0};
      list.bars.push_back(b);
      const std::string token = token_of(r);
      if (const auto t = r.stream.ttft()) {
        auto& d = dots[token];
        d.token = token;
        d.marker = marker_of(token);
        d.points.push_back({x, static_cast<double>(*t) / 1e6});
      }
      x += 1;
    }
    if (x > from) {
      chart::Bracket bracket;
      bracket.from = from - 0.5;
      bracket.to = x - 0.5;
      bracket.label = fmt::format("{} {}", s.record.ordinal + 1, s.record.arm);
      bracket.above = true;
      bars.marks.push_back(bracket);
    }
    x += 1;  // a gap between sessions
  }
  bars.x.low = times.x.low = -1;
  bars.x.high = times.x.high = x;
  bars.marks.push_back(std::move(list));
  for (auto& [token, d] : dots) times.marks.push_back(std::move(d));
  c.legend = chart::source_legend(unknown, true);
  c.panels = {std::move(bars), std::move(times)};
  c.description = "One bar per measured request, stacked by GPU hit, host loaded and computed tokens, outlines are predictions; dots below are TTFT.";
  return c;
}

chart::Chart distribution_chart(const ExperimentInput& in, const Evaluation& e) {
  auto c = base(in, e, "TTFT of revisits, share of requests at or below");
  c.height = 380;
  c.width = 760;
  chart::Panel p;
  p.x.title = "TTFT, ms";
  p.x.unit = chart::Unit::milliseconds;
  p.x.low = 0;
  p.y.title = "share of revisits";
  p.y.unit = chart::Unit::share;
  p.y.low = 0;
  p.y.high = 1;
  p.y.grid = true;
  std::map<std::string, std::vector<double>> by_arm;
  std::map<std::string, std::map<std::string, int>> kinds;
  for (const auto& s : in.sessions) {
    if (s.record.conditioning) continue;
    for (const auto& r : s.requests)
      if (const auto t = r.stream.ttft(); t && !r.plan.warmup && r.plan.round >= 2 && r.stream.outcome == Outcome::complete) {
        by_arm[s.record.arm].push_back(static_cast<double>(*t) / 1e6);
        ++kinds[s.record.arm][token_of(r)];
      }
  }
  for (auto& [arm, values] : by_arm) {
    chart::Line l;
    l.points = chart::ecdf(values);
    std::string token = "text";
    int most = 0;
    for (const auto& [k, n] : kinds[arm])
      if (n > most) most = n, token = k;
    l.token = token;
    l.width = 2;
    l.casing = true;
    l.label = fmt::format("{} (n {})", arm, values.size());
    p.marks.push_back(std::move(l));
  }
  c.panels = {std::move(p)};
  c.description = "Cumulative distribution of TTFT of revisits, one line per arm.";
  return c;
}

// Session means in running order, with the pairs; the estimate's interval only where it is not withdrawn.
chart::Chart sessions_chart(const ExperimentInput& in, const Evaluation& e) {
  auto c = base(in, e, "Geometric mean TTFT of revisits, by session in running order");
  c.height = 380;
  c.width = 760;
  chart::Panel p;
  p.x.title = "session";
  p.x.low = -0.6;
  p.y.title = "TTFT, ms";
  p.y.unit = chart::Unit::milliseconds;
  p.y.low = 0;
  p.y.grid = true;
  double x = 0;
  for (const auto& s : in.sessions) {
    std::vector<double> logs;
    std::map<std::string, int> kinds;
    for (const auto& r : s.requests)
      if (const auto t = r.stream.ttft(); t && *t > 0 && !r.plan.warmup && r.plan.round >= 2 && r.stream.outcome == Outcome::complete) {
        logs.push_back(std::log(static_cast<double>(*t) / 1e6));
        ++kinds[token_of(r)];
      }
    if (!logs.empty()) {
      double sum = 0;
      for (const double v : logs) sum += v;
      std::string token = "unknown";
      int most = 0;
      for (const auto& [k, n] : kinds)
        if (n > most) most = n, token = k;
      chart::Dots requests;
      requests.token = token;
      requests.marker = marker_of(token);
      requests.size = 4;
      for (const double v : logs) requests.points.push_back({x, std::exp(v)});
      chart::Dots mean;
      mean.token = token;
      mean.marker = marker_of(token);
      mean.size = 11;
      mean.points = {{x, std::exp(sum / static_cast<double>(logs.size()))}};
      p.marks.push_back(std::move(requests));
      p.marks.push_back(std::move(mean));
    }
    p.x.ticks.push_back({x, fmt::format("{} {}", s.record.ordinal + 1, s.record.arm)});
    x += 1;
  }
  p.x.high = x - 0.4;
  c.legend = chart::source_legend(false, false);
  c.panels = {std::move(p)};
  c.description = "Large marks are geometric means of a session's revisits, small marks its requests.";
  return c;
}

// The measured cliff of a sweep over the predictions of the same requests.
chart::Chart cliff_chart(const ExperimentInput& in, const Evaluation& e) {
  auto c = base(in, e, "Share of the revisits' tokens that is served, by size of the working set");
  c.height = 380;
  c.width = 760;
  chart::Panel p;
  p.x.title = "working set, blocks";
  p.x.unit = chart::Unit::blocks;
  p.x.low = 0;
  p.y.title = "GPU hit and host loaded";
  p.y.unit = chart::Unit::share;
  p.y.low = 0;
  p.y.high = 1;
  p.y.grid = true;
  const auto& cliff = *e.decision.cliff;
  if (!e.decision.withdrawn())
    for (const auto& edge : cliff.edges)
      if (edge.located()) {
        chart::Band b;
        b.from = static_cast<double>(*edge.last_served);
        b.to = static_cast<double>(*edge.first_lost);
        b.label = edge.tier ? "cliff with the tier" : "cliff without";
        p.marks.push_back(std::move(b));
      }
  for (const bool tier : {false, true}) {
    chart::Line line;
    chart::Dots dots;
    line.token = dots.token = tier ? "host_loaded" : "gpu_hit";
    line.width = 2;
    line.casing = true;
    line.dash = "5 4";
    dots.marker = tier ? chart::Marker::square : chart::Marker::diamond;
    dots.size = 9;
    for (const auto& point : cliff.points) {
      if (point.offload != tier) continue;
      const auto x = static_cast<double>(point.blocks);
      dots.points.push_back({x, point.gpu + point.host});
      if (point.predicted_gpu && point.predicted_host) line.points.push_back({x, *point.predicted_gpu + *point.predicted_host});
      p.x.high = std::max(p.x.high.value_or(0), x * 1.05);
    }
    if (dots.points.empty()) continue;
    const auto by_size = [](const chart::Point& a, const chart::Point& b) { return a.x < b.x; };
    std::stable_sort(line.points.begin(), line.points.end(), by_size);
    p.marks.push_back(std::move(line));
    p.marks.push_back(std::move(dots));
  }
  c.legend = {{"without the tier", "gpu_hit", chart::LegendItem::Shape::marker, chart::Marker::diamond},
              {"with the tier", "host_loaded", chart::LegendItem::Shape::marker, chart::Marker::square},
              {"predicted", "text", chart::LegendItem::Shape::line}};
  c.panels = {std::move(p)};
  c.description = e.decision.why;
  return c;
}
}  // namespace

std::vector<chart::Chart> charts(const ExperimentInput& input, const Evaluation& e) {
  std::vector<chart::Chart> out;
  if (e.reconciliation.measured == 0) return out;
  out.push_back(requests_chart(input, e));
  out.push_back(distribution_chart(input, e));
  out.push_back(sessions_chart(input, e));
  if (e.decision.cliff) out.push_back(cliff_chart(input, e));
  return out;
}

}  // namespace kvcliff::report
