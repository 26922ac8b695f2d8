// SPDX-License-Identifier: GPL-3.0-or-later
#include "samples.h"

#include "base/hash.h"
#include "chart/series.h"
#include "chart/ticks.h"

namespace kvcliff::chart::samples {
namespace {
const std::vector<std::string> caption{"run E-0024 · plan 7c1e4f09a2d6 · emulator 0.1 · KV Cliff 0.1.0 · method 1", "Qwen/Qwen3-0.6B, bf16, block size 16, GPU 384 blocks, host 1,250 blocks"};
}

Chart cliff() {
  Chart c;
  c.title = "Where the prompt tokens come from, by size of the working set";
  c.caption = caption;
  c.width = 1040, c.height = 560;
  Panel zones;
  zones.fixed_height = 22;
  zones.frame_bottom = zones.x.labels = zones.y.labels = false;
  zones.x.low = 0, zones.x.high = 14, zones.y.low = 0, zones.y.high = 1;
  zones.marks = {Band{true, 0, 3.07, "gpu_hit", "fits the GPU", "gpu_hit", 1}, Band{true, 3.07, 10, "host_loaded", "fits the host tier", "host_loaded", 1},
                 Band{true, 10, 14, "computed", "fits neither", "computed", 1}};
  Panel areas;
  areas.x = {"working set, documents of 125 blocks", Unit::number, 0, 14, false, {}, true, false};
  areas.y = {"share of prompt tokens", Unit::share, 0, 1, false, {}, true, true};
  Areas a;
  a.x = {0, 3.07, 4.07, 10, 11, 14};
  a.layers = {{"gpu_hit", {1, 1, 0, 0, 0, 0}, "GPU hit", "the tier cannot help"},
              {"host_loaded", {0, 0, 1, 1, 0, 0}, "loaded from host", "without the tier computed again"},
              {"computed", {0, 0, 0, 0, 1, 1}, "computed", "the tier gives nothing"}};
  areas.marks.push_back(a);
  areas.marks.push_back(Along{3.07, 1, 4.07, 0, "the cliff without the tier", "on_host_loaded"});
  areas.marks.push_back(Along{10, 1, 11, 0, "the cliff with the tier", "on_computed"});
  areas.marks.push_back(Rule{true, 3.07, "GPU cache", "384 blocks · 0.656 GiB"});
  areas.marks.push_back(Rule{true, 6, "This workload", "750 blocks · 1.282 GiB", "ink", 2.5, true});
  areas.marks.push_back(Rule{true, 10, "Host tier", "1,250 blocks · 2.136 GiB"});
  Panel hist;
  hist.fixed_height = 74;
  hist.x = {"revisit distance, distinct blocks since the last use", Unit::blocks, 0, 1750, false, {}, true, false};
  hist.y = {"blocks", Unit::blocks, 0, std::nullopt, false, {}, true, true};
  Histogram h;
  for (int i = 0; i < 5; ++i) h.bins.push_back({625.0 + 25 * i, 650.0 + 25 * i, 300});
  hist.marks.push_back(h);
  c.panels = {zones, areas, hist};
  c.description = "Below 384 blocks everything hits the GPU cache; up to 1,250 blocks it is loaded from host memory; above, computed.";
  return c;
}

Chart requests(int per_session, bool simulated) {
  Chart c;
  c.title = "Prompt tokens by source, per request";
  c.legend = source_legend(true, true);
  c.watermark = simulated ? "SIMULATED" : "";
  c.caption = caption;
  c.width = 1040, c.height = 600;
  Panel bars, ttft;
  Bars b;
  Dots computed{{}, "computed", Marker::circle}, loaded{{}, "host_loaded", Marker::square}, expected{{}, "computed", Marker::dash, 6};
  Rng rng(1);
  double x = 0;
  const char* arms[] = {"off", "on", "on", "off"};
  for (int s = 0; s < 4; ++s) {
    const double start = x;
    for (int i = 0; i < per_session; ++i, ++x) {
      const bool on = arms[s][1] == 'n' && i >= per_session / 3, planned = s == 3 && i > per_session / 2;
      Bar bar;
      bar.x = x + 0.5;
      bar.predicted = std::array<double, 4>{0, on ? 2000.0 : 0, on ? 3.0 : 2003, 0};
      if (!planned) bar.measured = bar.predicted;
      if (s == 1 && i == per_session - 2) bar.measured = std::array<double, 4>{0, 1500, 403, 100}, bar.fault = "+400";
      bar.planned = planned;
      b.bars.push_back(bar);
      if (planned) expected.points.push_back({bar.x, 62.0});
      else (on ? loaded : computed).points.push_back({bar.x, (on ? 14 : 62) + rng.normal()});
    }
    bars.marks.push_back(Bracket{start, x, arms[s], true});
    for (int r = 0; r < 3; ++r) bars.marks.push_back(Bracket{start + r * per_session / 3.0, start + (r + 1) * per_session / 3.0, "round " + std::to_string(r + 1)});
    x += 2;
  }
  bars.x.labels = false;
  bars.x.low = ttft.x.low = 0, bars.x.high = ttft.x.high = x - 2;
  bars.y = {"prompt tokens", Unit::tokens, 0, std::nullopt, false, {}, true, true};
  bars.marks.insert(bars.marks.begin(), b);
  bars.height = 1.6;
  ttft.x = {"request", Unit::number, 0, x - 2, false, {}, true, false};
  ttft.y = {"TTFT, ms", Unit::milliseconds, 0, std::nullopt, false, {}, true, true};
  ttft.marks = {computed, loaded, expected};
  c.panels = {bars, ttft};
  return c;
}

Chart distributions() {
  Chart c;
  c.title = "TTFT, share of requests at or below";
  c.caption = caption;
  c.watermark = "SIMULATED";
  c.width = 560, c.height = 440;
  Panel p;
  p.x = {"TTFT of revisits, ms (log)", Unit::milliseconds, 5, 100, true, {}, true, false};
  p.y = {"", Unit::share, 0, 1, false, {}, true, true};
  Rng rng(3);
  for (const auto& [token, mean] : {std::pair{"gpu_hit", 8.9}, {"host_loaded", 14.1}, {"computed", 62.1}}) {
    std::vector<double> v;
    for (int i = 0; i < 40; ++i) v.push_back(mean * (1 + 0.02 * rng.normal()));
    Line l;
    l.points = ecdf(v), l.token = token, l.width = 2, l.casing = true;
    p.marks.push_back(l);
    p.marks.push_back(Text{mean, token[0] == 'c' ? 0.3 : token[0] == 'g' ? 0.85 : 0.6, token[0] == 'g' ? "GPU hit" : token[0] == 'h' ? "host loaded" : "computed", token, 12, true, 0,
                           token[0] == 'h' ? Text::Anchor::start : Text::Anchor::end, token[0] == 'h' ? 10.0 : -10.0});
    p.marks.push_back(Text{mean, token[0] == 'c' ? 0.3 : token[0] == 'g' ? 0.85 : 0.6, "median " + milliseconds(*median(v)), "text2", 12, false, 0,
                           token[0] == 'h' ? Text::Anchor::start : Text::Anchor::end, token[0] == 'h' ? 10.0 : -10.0, 15});
  }
  c.panels = {p};
  return c;
}

Chart pairs() {
  Chart c;
  c.title = "Every revisit, off and on";
  c.legend = source_legend(false, false);
  c.caption = caption;
  c.width = 760, c.height = 420;
  Panel p;
  p.x.labels = false;
  p.x.low = 0, p.x.high = 26;
  p.y = {"TTFT, ms", Unit::milliseconds, 0, std::nullopt, false, {}, true, true};
  Rng rng(5);
  Dots off{{}, "computed"}, on{{}, "host_loaded", Marker::square};
  for (int i = 0; i < 24; ++i) {
    const double x = i + (i >= 12 ? 2 : 1) - 0.5, a = 62 + rng.normal(), z = 14 + 0.3 * rng.normal();
    p.marks.push_back(Line{{{x, z}, {x, a}}, "line2", 1.5});
    off.points.push_back({x, a}), on.points.push_back({x, z});
  }
  p.marks.push_back(off), p.marks.push_back(on);
  p.marks.push_back(Bracket{0, 12.5, "pair 1, rounds 2 and 3"}), p.marks.push_back(Bracket{13, 25.5, "pair 2, rounds 2 and 3"});
  c.panels = {p};
  return c;
}

Chart verdict() {
  Chart c;
  c.title = "TTFT with the tier / without";
  c.caption = {"95 % interval; grey: no effect"};
  c.width = 480, c.height = 190;
  Panel p;
  p.x = {"ratio of times", Unit::ratio, 0, 1.5, false, {}, true, false};
  p.y.labels = false, p.y.low = 0, p.y.high = 1;
  p.marks = {Band{true, 0, 0.95, "pass", "helps", "pass"}, Band{true, 0.95, 1.05, "select", "no effect", "text2"}, Band{true, 1.05, 1.5, "fail", "hurts", "fail"}, Interval{0.35, 0.18, 0.28, 0.226}};
  c.panels = {p};
  return c;
}

Chart waterfall() {
  Chart c;
  c.title = "Where the 48.1 ms went";
  c.width = 520, c.height = 240;
  Panel p;
  p.x = {"TTFT, ms", Unit::milliseconds, 0, 80, false, {}, true, false};
  p.y.low = 0, p.y.high = 4, p.y.ticks = {{3.5, "off, revisit"}, {2.5, "2,000 not computed"}, {1.5, "229 MB loaded"}, {0.5, "on, revisit"}};
  p.marks = {Span{3.5, 0, 62.2, 0.6, "computed", "62.2 ms"}, Span{2.5, 8.9, 62.2, 0.6, "select", "−53.3 ms"}, Span{1.5, 8.9, 14.1, 0.6, "select", "+5.2 ms"}, Span{0.5, 0, 14.1, 0.6, "host_loaded", "14.1 ms"}};
  c.panels = {p};
  return c;
}

}  // namespace kvcliff::chart::samples
