// SPDX-License-Identifier: GPL-3.0-or-later
// `curve TRACE` and `curve --plan PLAN.json`: tokens by source over all capacities of both tiers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <ostream>
#include <thread>

#include "base/text.h"
#include "cache/predict.h"
#include "cache/rules.h"
#include "cache/sampled_curve.h"
#include "cache/scenario.h"
#include "cache/trace_stream.h"
#include "cli/context.h"
#include "cli/curve_text.h"
#include "cli/plan_input.h"
#include "workload/trace_walk.h"

namespace kvcliff::cli {
namespace {

constexpr std::size_t most_points = 2000;        // without lists, both axes together
constexpr std::size_t most_pairs = 100'000;      // with lists
constexpr double probing_budget = 2e8;           // block references simulated to find the host cliff
constexpr std::int64_t optimal_references = 2'000'000;  // a larger stream has its best-policy line on demand only

struct CurveArgs {
  std::string trace, plan, arm, gpu, host, free_order, host_touch, prefix_model = "unique";
  std::int64_t block_size = 0, first = 0, kv_bytes = 0;
  bool with_output = false, skip_bad = false, optimal = false;
  double sample = 0;
  int threads = 0;
};

/// What is replayed, and what a plan says beside it.
struct Subject {
  cache::ReferenceStream stream;
  cache::Config rules;
  std::vector<std::int64_t> conversations;
  std::int64_t plan_gpu = 0, plan_host = 0;      ///< blocks; 0: no plan
  CurveAnswer answer;
};

Result<std::vector<std::int64_t>> list_of(const std::string& text, const std::string& option) {
  std::vector<std::int64_t> out;
  for (const auto part : split(text, ',')) {
    const auto v = parse_int(trim(part));
    if (!v || *v < 0 || *v > 0x7fffff00)
      return fail(ErrorCode::bad_usage, "A capacity is not a number of blocks", option, fmt::format("\"{}\"", trim(part)), "Give whole numbers from 0, as in 1000,5000,20000");
    out.push_back(*v);
  }
  return out;
}

Result<workload::TraceOptions> trace_options(const CurveArgs& a) {
  workload::TraceOptions options;
  const auto model = workload::parse_prefix_model(a.prefix_model);
  if (!model) return fail(model.error());
  options.prefix_model = *model;
  options.block_tokens = a.block_size;
  options.skip_bad_lines = a.skip_bad;
  options.first_requests = a.first;
  options.threads = a.threads;
  return options;
}

/// What of the trace was left out or is to be known, a warning each.
void warn_of_lines(std::vector<std::string>& w, const std::vector<workload::TraceFault>& faults, std::size_t fault_count, std::size_t backwards) {
  for (const auto& f : faults) w.push_back(fmt::format("line {} is left out: {}", f.line, f.why));
  if (fault_count > faults.size()) w.push_back(fmt::format("{} more lines are left out", fault_count - faults.size()));
  if (backwards > 0) w.push_back(fmt::format("{} requests arrive before the one above them; they are replayed in file order", backwards));
}

Result<Subject> from_trace(const CurveArgs& a) {
  const auto options = trace_options(a);
  if (!options) return fail(options.error());
  const auto trace = workload::read_trace(a.trace, *options);
  if (!trace) return fail(trace.error());
  auto stream = cache::stream_of(*trace, a.block_size);
  if (!stream) return fail(stream.error());
  Subject s;
  s.stream = std::move(*stream);
  auto& w = s.answer.warnings;
  s.answer.format = workload::to_string(trace->format);
  s.answer.prefix_model = trace->prefix_model;
  warn_of_lines(w, trace->faults, trace->fault_count, trace->backwards);
  if (trace->unchained > 0)
    w.push_back(fmt::format("{} ids follow different ids in different prompts; blocks are told apart by their whole prefix, as engines do", trace->unchained));
  if (a.with_output && std::any_of(trace->requests.begin(), trace->requests.end(), [](const auto& r) { return r.output_tokens < 0; }))
    w.push_back("some requests state no output length; one output token is taken for them");
  for (const auto& r : trace->requests) s.conversations.push_back(r.conversation);
  if (std::all_of(s.conversations.begin(), s.conversations.end(), [](auto c) { return c < 0; })) s.conversations.clear();
  return s;
}

Result<Subject> from_plan(const Context& context, const CurveArgs& a) {
  const auto loaded = load_plan(a.plan);
  if (!loaded) return fail(loaded.error());
  if (const auto ok = requests_at_hand(*loaded, a.plan); !ok) return fail(ok.error());
  const plan::Plan* whole = &loaded->plan;
  std::string name = a.arm;
  for (const auto& arm : whole->arms)
    if (name.empty() && arm.offload) name = arm.name;
  if (name.empty() && !whole->arms.empty()) name = whole->arms.front().name;
  const auto p = plan::for_arm(*whole, name);
  if (!p) return fail(p.error());
  const auto arm = std::find_if(whole->arms.begin(), whole->arms.end(), [&](const auto& x) { return x.name == name; });
  const bool offload = arm == whole->arms.end() || arm->offload;  // controls that are no arms of the plan say it themselves
  Subject s;
  const std::int64_t block = a.block_size > 0 ? a.block_size : p->capacity.block_size;
  const auto prompts = workload::realise(p->workload, block);
  if (!prompts) {
    Error e = prompts.error();
    e.where = a.plan + (e.where.empty() ? "" : ", " + e.where);
    return fail(std::move(e));
  }
  s.stream = cache::stream_of(*prompts, block);
  s.answer.format = "plan";
  std::optional<Error> no_tier;
  const auto rules = cache_of_plan(context, *p, offload, no_tier, &*loaded);
  if (!rules) return fail(rules.error());
  s.rules = *rules;
  s.rules.block_size = block;
  s.plan_gpu = rules->gpu_blocks;
  s.plan_host = rules->host_chunks * rules->blocks_per_chunk;
  if (no_tier) s.answer.warnings.push_back("the plan's host tier is not shown: " + no_tier->sentence());
  // The bytes of a block are needed for GiB; a model that cannot be priced is no obstacle.
  const auto layout = layout_of_plan(context, *p, &*loaded);
  if (layout) {
    const std::int64_t per_token = layout->bytes_per_token_all_ranks;
    if (per_token > 0) s.answer.bytes_per_block = per_token * block;
    else s.answer.why_no_bytes = "the model's KV cache does not grow with its tokens";
  } else {
    s.answer.why_no_bytes = layout.error().sentence();
  }
  for (const auto& q : *prompts) s.conversations.push_back(q.document);
  if (p->workload.kind == workload::Spec::Kind::documents && p->workload.order != workload::Spec::Order::zipf) {
    cache::Config probe = s.rules;
    probe.gpu_blocks = s.plan_gpu;
    probe.host_chunks = rules->host_chunks;
    s.answer.probe = cache::reverse_probe(p->workload.documents, p->workload.tokens / block, p->workload.tokens, probe);
  }
  return s;
}

void find_cliffs(const cache::PointCurve& curve, CurveAnswer& out) {
  const auto& one = curve.one_pass();
  const std::int64_t last = out.statistics.working_set + 2;
  const auto gpu_only = [&](std::int64_t c) { return one.at(c, 0).gpu_hit; };
  out.gpu_cliff = cache::find_cliff(gpu_only, last);
  // Beside a GPU cache that keeps nothing, so that what the tier gives is seen whole.
  const std::int64_t gpu = 0;
  const double cost = 100.0 * static_cast<double>(curve.stream().ids.size() + 8 * curve.stream().requests.size());
  const auto& rules = curve.rules();
  const bool exact = rules.host_touch == cache::HostTouch::lookup || (rules.host_touch == cache::HostTouch::finish && cost <= probing_budget);
  std::map<std::int64_t, std::int64_t> known;
  const auto both = [&](std::int64_t c) {
    if (!exact || (rules.host_touch == cache::HostTouch::lookup && curve.plain())) return one.at(0, c).host_loaded;
    const auto [it, fresh] = known.try_emplace(c, 0);
    if (fresh) it->second = static_cast<std::int64_t>(curve.at(gpu, c).total());
    return it->second;
  };
  out.host_cliff = cache::find_cliff(both, last);
  if (!exact) out.host_cliff_note = "Host capacities are those of an LRU by the book; this release's own order needs as much or more";
}

/// The pairs of the lists; the plan's own capacities where one list is missing. None when both are.
Result<std::vector<cache::PointCurve::Pair>> pairs_of(const CurveArgs& a, std::int64_t plan_gpu, std::int64_t plan_host) {
  std::vector<cache::PointCurve::Pair> pairs;
  if (a.gpu.empty() && a.host.empty()) return pairs;
  const auto gpu = list_of(a.gpu.empty() ? std::to_string(plan_gpu) : a.gpu, "--gpu-blocks");
  const auto host = list_of(a.host.empty() ? std::to_string(plan_host) : a.host, "--host-blocks");
  for (const auto* list : {&gpu, &host})
    if (!*list) return fail(list->error());
  if (gpu->size() * host->size() > most_pairs)
    return fail(ErrorCode::bad_usage, "Too many points are asked for", "--gpu-blocks, --host-blocks",
                fmt::format("{} x {} pairs; {} are possible", gpu->size(), host->size(), most_pairs), "Shorten the lists, or leave them out for the full curve");
  for (const auto g : *gpu)
    for (const auto h : *host) pairs.emplace_back(g, h);
  return pairs;
}

/// Estimates by following a share of the blocks. A trace is never held: its requests go through as they are read.
int run_sampled(Context& context, const CurveArgs& a) {
  auto listed = pairs_of(a, 0, 0);
  if (!listed) return context.report(listed.error());
  cache::SampledCurve curve(a.sample);
  std::int64_t prompt = 0, requests = 0, size = 0;
  std::string format, prefix_model;
  std::vector<std::string> warnings;
  if (a.plan.empty()) {
    const auto options = trace_options(a);
    if (!options) return context.report(options.error());
    const auto walk = workload::walk_trace(a.trace, *options, a.block_size, [&](const workload::TraceRequest& r, std::span<const std::uint64_t> keys, std::int64_t block) {
      if (context.stop) return false;
      curve.request(keys, static_cast<std::size_t>((r.input_tokens - 1) / block));
      return true;
    });
    if (context.stop) return context.report(Error{ErrorCode::interrupted, "The curve was interrupted", {}, "Ctrl-C", "Run it again; a smaller --sample is quicker"});
    if (!walk) return context.report(walk.error());
    format = workload::to_string(walk->format);
    prefix_model = walk->prefix_model;
    prompt = walk->prompt_tokens;
    requests = walk->requests;
    size = walk->block_tokens;
    warn_of_lines(warnings, walk->faults, walk->fault_count, walk->backwards);
  } else {
    auto s = from_plan(context, a);
    if (!s) return context.report(s.error());
    size = s->stream.block_size;
    format = s->answer.format;
    warnings = s->answer.warnings;
    std::vector<std::uint64_t> keys;
    for (const auto& r : s->stream.requests) {
      const auto ids = s->stream.blocks(r);
      keys.assign(ids.begin(), ids.end());
      curve.request(keys, static_cast<std::size_t>((r.prompt_tokens - 1) / size));
      prompt += r.prompt_tokens;
    }
    requests = static_cast<std::int64_t>(s->stream.requests.size());
    listed = pairs_of(a, s->plan_gpu, s->plan_host);
    if (listed->empty()) listed->emplace_back(s->plan_gpu, s->plan_host);
  }
  const auto distinct = static_cast<std::int64_t>(std::llround(curve.distinct()));
  auto& pairs = *listed;
  if (pairs.empty()) {  // two for each doubling, up to what holds every block
    for (double c = 16; c < curve.distinct(); c *= std::sqrt(2.0)) pairs.emplace_back(static_cast<std::int64_t>(std::llround(c)), 0);
    pairs.emplace_back(std::max<std::int64_t>(distinct + 1, 16), 0);
  }
  const double block = static_cast<double>(size);
  const auto tokens = [&](double blocks) { return static_cast<std::int64_t>(std::llround(blocks * block)); };
  OrderedJson j{{"format", format}, {"block_size", size}, {"requests", requests}, {"prompt_tokens", prompt}, {"block_references", curve.references()},
                {"distinct_blocks", distinct},
                {"sampled", {{"rate", curve.rate()}, {"followed_blocks", curve.followed()}, {"distinct_blocks_error", static_cast<std::int64_t>(std::ceil(curve.distinct_error()))},
                 {"what", "estimates by following a share of the blocks; an LRU by the book, without tail blocks; errors are half-widths of 95 % intervals"}}}};
  if (!prefix_model.empty()) j["prefix_model"] = prefix_model;
  j["points"] = OrderedJson::array();
  std::string text = fmt::format("{} requests, {} prompt tokens, {} full blocks of {} tokens, about {} +- {} distinct ({})\n", grouped(requests), grouped(prompt),
                                 grouped(curve.references()), size, grouped(distinct), grouped(static_cast<std::int64_t>(std::ceil(curve.distinct_error()))), format);
  if (!prefix_model.empty()) text += prefix_model + ".\n";
  text += fmt::format("Sampled: {} blocks followed, a share of {:.4g}; an LRU by the book, without tail blocks\n{:>12} {:>12} {:>18} {:>18} {:>14}\n",
                      grouped(static_cast<std::int64_t>(curve.followed())), curve.rate(), "GPU blocks", "host blocks", "GPU hit", "host loaded", "error");
  for (const auto& [gpu, host] : pairs) {
    const auto g = curve.at(gpu), both = curve.at(std::max(gpu, host));
    j["points"].push_back({{"gpu_blocks", gpu}, {"host_blocks", host}, {"gpu_hit", tokens(g.hits)}, {"host_loaded", tokens(both.hits - g.hits)},
                           {"computed", prompt - tokens(both.hits)}, {"error_tokens", tokens(std::max(g.error, both.error))}});
    text += fmt::format("{:>12} {:>12} {:>18} {:>18} {:>14}\n", grouped(gpu), grouped(host), grouped(tokens(g.hits)), grouped(tokens(both.hits - g.hits)),
                        grouped(tokens(std::max(g.error, both.error))));
  }
  j["warnings"] = warnings;
  if (context.json) {
    context.print(j);
  } else {
    for (const auto& w : warnings) context.err << "kvcliff-cli: warning: " << w << '\n';
    context.out << text;
  }
  return Exit::done;
}

int run_curve(Context& context, const CurveArgs& a) {
  if (a.trace.empty() == a.plan.empty())
    return context.report(Error{ErrorCode::bad_usage, "What to draw the curve of is not said", {}, "exactly one of TRACE and --plan is needed",
                                "kvcliff-cli curve TRACE, or kvcliff-cli curve --plan PLAN.json"});
  if (a.sample > 0) return run_sampled(context, a);
  auto subject = a.plan.empty() ? from_trace(a) : from_plan(context, a);
  if (!subject) return context.report(subject.error());
  Subject& s = *subject;
  if (!a.free_order.empty()) {
    const auto order = cache::free_order_from(a.free_order);
    if (!order) return context.report(order.error());
    s.rules.free_order = *order;
  }
  if (!a.host_touch.empty()) {
    const auto touch = cache::host_touch_from(a.host_touch);
    if (!touch) return context.report(touch.error());
    s.rules.host_touch = *touch;
  }
  const auto pairs = pairs_of(a, s.plan_gpu, s.plan_host);
  if (!pairs) return context.report(pairs.error());

  const int threads = a.threads > 0 ? a.threads : static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, 64u));
  CurveAnswer out = std::move(s.answer);
  out.statistics = cache::statistics(s.stream, s.conversations);
  const cache::PointCurve curve(std::move(s.stream), s.rules, a.with_output);
  out.rules = curve.rules();
  out.with_output = a.with_output;
  out.listed = !pairs->empty();
  if (a.kv_bytes > 0) out.bytes_per_block = a.kv_bytes * out.rules.block_size;
  else if (!out.bytes_per_block && out.why_no_bytes.empty()) out.why_no_bytes = "the KV bytes of a token are not known here: give --kv-bytes-per-token";
  if (out.listed) {
    out.points = curve.at(*pairs, threads, &context.stop);
  } else {
    out.axes.push_back(cache::axis_of(curve, false, s.plan_host, most_points / 2, threads, &context.stop));
    out.axes.push_back(cache::axis_of(curve, true, s.plan_gpu > 0 ? s.plan_gpu : curve.largest_request(), most_points / 2, threads, &context.stop));
    for (const auto& x : out.axes) out.points.insert(out.points.end(), x.points.begin(), x.points.end());
  }
  if (context.stop)
    return context.report(Error{ErrorCode::interrupted, "The curve was interrupted", {}, "Ctrl-C", "Run it again; lists of few capacities are quicker"});
  find_cliffs(curve, out);
  if (out.gpu_cliff && (a.optimal || out.statistics.references <= optimal_references)) {
    for (const std::int64_t c : {out.gpu_cliff->tenth, out.gpu_cliff->half, out.gpu_cliff->most, out.gpu_cliff->all_from})
      if (out.optimal_at.empty() || out.optimal_at.back() < c) out.optimal_at.push_back(c);
    out.optimal = cache::optimal_hits(curve.stream(), out.optimal_at, threads);
  }
  if (context.json) {
    context.print(curve_json(out));
  } else {
    for (const auto& w : out.warnings) context.err << "kvcliff-cli: warning: " << w << '\n';
    context.out << curve_text(out);
  }
  return Exit::done;
}

}  // namespace

void add_curve(CLI::App& app, Context& context) {
  auto a = std::make_shared<CurveArgs>();
  CLI::App* sub = add_command(app, context, "curve", "Hit curve over all capacities, both tiers", [&context, a] { return run_curve(context, *a); });
  sub->add_option("trace", a->trace, "Mooncake, Bailian, kvcache-simulator or LLMServingSim JSON lines, Azure or BurstGPT CSV; .gz and .zst are unpacked");
  sub->add_option("--plan", a->plan, "The workload, capacities and release of a plan");
  sub->add_option("--arm", a->arm, "Arm of the plan (default: the first with a tier)");
  sub->add_option("--block-size", a->block_size, "Tokens of a block of the trace's ids; a size that divides it cuts each id into smaller blocks")->check(CLI::Range(1, 1 << 24));
  sub->add_option("--gpu-blocks", a->gpu, "Usable GPU blocks, a list: 1000,5000");
  sub->add_option("--host-blocks", a->host, "Host blocks, a list; 0: no tier");
  sub->add_option("--free-order", a->free_order, "prepend (vLLM from 0.23), append, or none (no partial tail block)");
  sub->add_option("--host-touch", a->host_touch, "lookup (vLLM up to 0.25), unordered (0.26 to 0.30) or finish (from 0.31, default)");
  sub->add_flag("--with-output", a->with_output, "Generated tokens take GPU blocks too");
  sub->add_option("--prefix-model", a->prefix_model, "For files of lengths: unique (default), shared:TOKENS or continued");
  sub->add_flag("--skip-bad-lines", a->skip_bad, "Leave bad lines out instead of refusing the file");
  sub->add_option("--first", a->first, "Only the first N requests of the trace")->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40));
  sub->add_option("--kv-bytes-per-token", a->kv_bytes, "KV bytes of a token, for capacities in bytes")->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 32));
  sub->add_option("--sample", a->sample, "Follow this share of the blocks only (0 to 1), in memory that does not grow with the trace; the error is stated")->check(CLI::Range(1e-6, 1.0));
  sub->add_flag("--optimal", a->optimal, "Best-policy line also for large traces");
  sub->add_option("--threads", a->threads, "Threads for simulated points (default: all processors)")->check(CLI::Range(1, 256));
}

}  // namespace kvcliff::cli
