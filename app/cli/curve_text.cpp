// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/curve_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cache/predict.h"
#include "cache/scenario.h"

namespace kvcliff::cli {
namespace {

constexpr std::size_t rows_shown = 24;  // of an axis, in the table for people; --json has all

OrderedJson number(const PredictedCount& c) { return OrderedJson(Json(c)); }

OrderedJson point_json(const cache::RulePoint& p) {
  OrderedJson j{{"gpu_blocks", p.gpu_blocks}, {"host_blocks", p.host_blocks}};
  if (!p.known) {
    j["gpu_hit"] = j["host_loaded"] = j["computed"] = nullptr;
  } else {
    j["gpu_hit"] = p.gpu_hit;
    j["host_loaded"] = number(p.host_loaded);
    j["computed"] = number(p.computed);
  }
  if (!p.exact) {
    j["exact"] = false;
    j["why"] = p.why;
  }
  return j;
}

OrderedJson sized(const CurveAnswer& a, std::int64_t blocks) {
  OrderedJson j{{"blocks", blocks}, {"tokens", blocks * a.rules.block_size}};
  if (a.bytes_per_block) j["bytes"] = blocks * *a.bytes_per_block;
  else j["bytes"] = nullptr;
  return j;
}

OrderedJson cliff_json(const CurveAnswer& a, const cache::CapacityCliff& c) {
  OrderedJson j{{"reachable_tokens", c.reachable}, {"kind", c.sharp() ? "cliff" : "slope"},
                {"none_up_to", sized(a, c.none_up_to)}, {"tenth", sized(a, c.tenth)}, {"half", sized(a, c.half)},
                {"nine_tenths", sized(a, c.most)}, {"all_from", sized(a, c.all_from)}};
  if (!a.bytes_per_block) j["why"] = a.why_no_bytes;
  j["verdict"] = c.verdict();
  return j;
}

std::string count(const PredictedCount& c) {
  return c.is_exact() ? grouped(c.min) : fmt::format("{}..{} (mean {})", grouped(c.min), grouped(c.max), grouped(static_cast<std::int64_t>(c.mean + 0.5)));
}

std::string size_words(const CurveAnswer& a, std::int64_t blocks) {
  std::string s = fmt::format("{} blocks ({} tokens", grouped(blocks), grouped(blocks * a.rules.block_size));
  if (a.bytes_per_block) s += ", " + human_bytes(Bytes(blocks * *a.bytes_per_block));
  return s + ")";
}

void rows(std::string& out, const CurveAnswer& a, std::size_t first, std::size_t count_of) {
  out += fmt::format("{:>12} {:>12} {:>16} {:>24} {:>24} {:>7}\n", "GPU blocks", "host blocks", "GPU hit", "host loaded", "computed", "hit %");
  const double all = static_cast<double>(std::max<std::int64_t>(1, a.statistics.prompt_tokens));
  const std::size_t shown = a.listed ? count_of : std::min(count_of, rows_shown);
  for (std::size_t k = 0; k < shown; ++k) {
    const auto& p = a.points[first + (shown < 2 ? 0 : k * (count_of - 1) / (shown - 1))];
    if (!p.known) {
      out += fmt::format("{:>12} {:>12} not known: {}\n", grouped(p.gpu_blocks), grouped(p.host_blocks), p.why);
      continue;
    }
    out += fmt::format("{:>12} {:>12} {:>16} {:>24} {:>24} {:>7.2f}{}\n", grouped(p.gpu_blocks), grouped(p.host_blocks), grouped(p.gpu_hit),
                       count(p.host_loaded), count(p.computed), 100 * p.total() / all, p.exact ? "" : " *");
  }
}

}  // namespace

OrderedJson curve_json(const CurveAnswer& a) {
  const auto& s = a.statistics;
  OrderedJson j{{"format", a.format}, {"block_size", a.rules.block_size}, {"requests", s.requests}, {"prompt_tokens", s.prompt_tokens},
                {"distinct_blocks", s.distinct}, {"free_order", cache::to_string(a.rules.free_order)},
                {"host_touch", cache::to_string(a.rules.host_touch)}, {"with_output", a.with_output}, {"verified", cache::verified(a.rules)}};
  if (!a.prefix_model.empty()) j["prefix_model"] = a.prefix_model;
  j["points"] = OrderedJson::array();
  for (const auto& p : a.points) j["points"].push_back(point_json(p));
  if (!a.listed) {
    j["axes"] = OrderedJson::array();
    std::size_t first = 0;
    for (const auto& x : a.axes) {
      OrderedJson one{{"varies", x.host ? "host_blocks" : "gpu_blocks"}, {"first_point", first}, {"points", x.points.size()}};
      if (x.largest_gap >= 0) {
        one["corners"] = x.corners;
        one["largest_gap_tokens"] = x.largest_gap;
      } else {
        one["corners"] = one["largest_gap_tokens"] = nullptr;
        one["why"] = "this release's rule has no one-pass curve: the points are simulated, and lines between them are not";
      }
      if (x.deviation >= 0) one["one_pass_deviation"] = {{"tokens", x.deviation}, {"points_checked", x.checked}};
      j["axes"].push_back(std::move(one));
      first += x.points.size();
    }
  }
  OrderedJson st{{"block_references", s.references}, {"reused_blocks", s.reused_distinct}, {"ceiling_tokens", s.ceiling},
                 {"ceiling_gpu_tokens", s.ceiling_gpu}, {"working_set", sized(a, s.working_set)}};
  st["revisit_distances"] = OrderedJson::array();
  for (const auto& d : s.distances) st["revisit_distances"].push_back({{"from", d.from}, {"to", d.to}, {"block_revisits", d.revisits}});
  st["origins"] = OrderedJson::array();
  for (const auto& o : s.origins) {
    OrderedJson one{{"origin", o.origin}, {"block_revisits", o.revisits}};
    if (o.revisits > 0) one["needs"] = {{"half", o.half}, {"nine_tenths", o.most}, {"all", o.all}};
    else one["needs"] = nullptr, one["why"] = "there is no such reuse";
    st["origins"].push_back(std::move(one));
  }
  st["origin_rule"] = s.origin_rule;
  st["document_count"] = s.document_count;
  st["documents"] = OrderedJson::array();
  for (const auto& d : s.documents)
    st["documents"].push_back({{"first_block", d.first_block}, {"requests", d.requests}, {"block_references", d.references},
                               {"block_revisits", d.revisits}, {"distinct_blocks", d.distinct}});
  j["statistics"] = std::move(st);
  OrderedJson cliff;
  for (const bool host : {false, true}) {
    const auto& c = host ? a.host_cliff : a.gpu_cliff;
    OrderedJson one = c ? cliff_json(a, *c) : OrderedJson(nullptr);
    if (host && c && !a.host_cliff_note.empty()) one["bound"] = a.host_cliff_note;
    cliff[host ? "host" : "gpu"] = std::move(one);
  }
  if (!a.gpu_cliff || !a.host_cliff) cliff["why"] = "no prompt shares a full block with an earlier one that a hit could serve";
  j["cliff"] = std::move(cliff);
  if (a.host_cliff) {
    OrderedJson size = sized(a, a.host_cliff->most);
    size["what"] = "host tier for 90 % of the reachable hits";
    if (!a.bytes_per_block) size["why"] = a.why_no_bytes;
    j["sizing"] = std::move(size);
  }
  if (!a.optimal.empty()) {
    j["optimal"] = OrderedJson::array();
    for (std::size_t i = 0; i < a.optimal.size(); ++i) j["optimal"].push_back({{"gpu_blocks", a.optimal_at[i]}, {"gpu_hit", a.optimal[i]}});
  }
  if (a.probe)
    j["reverse_probe"] = {{"gpu_blocks", a.probe->gpu_blocks}, {"gpu_all", a.probe->gpu_all}, {"host_blocks", a.probe->host_blocks}, {"host_all", a.probe->host_all}};
  j["warnings"] = a.warnings;
  return j;
}

std::string curve_text(const CurveAnswer& a) {
  const auto& s = a.statistics;
  std::string out = fmt::format("{} requests, {} prompt tokens, {} full blocks of {} tokens, {} distinct ({})\n", grouped(s.requests), grouped(s.prompt_tokens),
                                grouped(s.references), a.rules.block_size, grouped(s.distinct), a.format);
  out += fmt::format("free order {}, host touch {}; {}\n", cache::to_string(a.rules.free_order), cache::to_string(a.rules.host_touch), cache::verified(a.rules));
  if (!a.prefix_model.empty()) out += a.prefix_model + ".\n";
  std::size_t first = 0;
  bool inexact = false;
  std::string why;
  for (const auto& p : a.points)
    if (!p.exact && p.known && !inexact) inexact = true, why = p.why;
  if (a.listed) {
    rows(out, a, 0, a.points.size());
  } else {
    for (const auto& x : a.axes) {
      out += fmt::format("\n{} capacity, {} points\n", x.host ? "Host" : "GPU", grouped(static_cast<std::int64_t>(x.points.size())));
      rows(out, a, first, x.points.size());
      if (x.largest_gap > 0) out += fmt::format("{} corners, thinned; lines between the points miss the curve by {} tokens at most.\n", grouped(x.corners), grouped(x.largest_gap));
      if (x.deviation >= 0) out += fmt::format("One pass against the step simulator at {} points: {} tokens apart at most.\n", x.checked, grouped(x.deviation));
      first += x.points.size();
    }
  }
  if (inexact) out += "* not exact: " + why + ".\n";
  out += '\n';
  const auto percent = [&](std::int64_t t) { return 100.0 * static_cast<double>(t) / static_cast<double>(std::max<std::int64_t>(1, s.prompt_tokens)); };
  // One number: what the GPU cache by this release's order needs, its partial tail blocks included, where that is known.
  const std::int64_t needed = a.gpu_cliff ? a.gpu_cliff->all_from : s.working_set;
  out += fmt::format("Caches without end would hit {} tokens ({:.2f} %); {} needs {} for that.\n", grouped(s.ceiling), percent(s.ceiling),
                     a.gpu_cliff ? "the GPU cache alone" : "an LRU", size_words(a, needed));
  if (a.gpu_cliff) out += "GPU cache alone. " + a.gpu_cliff->verdict() + ".\n";
  if (a.host_cliff) {
    out += "With a host tier. " + a.host_cliff->verdict() + ".\n";
    if (!a.host_cliff_note.empty()) out += a.host_cliff_note + ".\n";
    out += fmt::format("Host tier for 90 % of the reachable hits: {}.\n", size_words(a, a.host_cliff->most));
  } else {
    out += "No tier helps: no prompt shares a full block with an earlier one that a hit could serve.\n";
  }
  for (const auto& o : s.origins)
    if (o.revisits > 0)
      out += fmt::format("Reuse, {}: {} block revisits; half of them need {} blocks, 90 % {}.\n", o.origin, grouped(o.revisits), grouped(o.half), grouped(o.most));
  if (!a.optimal.empty()) {
    out += "Best possible policy (future known), GPU:";
    for (std::size_t i = 0; i < a.optimal.size(); ++i) out += fmt::format("{} {} blocks {:.2f} %", i ? "," : "", grouped(a.optimal_at[i]), percent(a.optimal[i]));
    out += ".\n";
  }
  if (a.probe)
    out += fmt::format("Reverse-order probe (one pass forward, one back): {}{} blocks from the GPU, {}{} from both.\n", a.probe->gpu_all ? "at least " : "",
                       grouped(a.probe->gpu_blocks), a.probe->host_all ? "at least " : "", grouped(a.probe->host_blocks));
  return out;
}

}  // namespace kvcliff::cli
