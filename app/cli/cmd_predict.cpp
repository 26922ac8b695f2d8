// SPDX-License-Identifier: GPL-3.0-or-later
// `predict FILE` and `predict --plan PLAN.json`: sources per request, before anything runs.
#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "base/text.h"
#include "cache/explain.h"
#include "cache/rules.h"
#include "cache/scenario.h"
#include "cache/session.h"
#include "cli/context.h"
#include "cli/plan_input.h"
#include "workload/distance.h"

namespace kvcliff::cli {
namespace {

struct PredictArgs {
  std::string file, plan, id, free_order, host_touch, arm;
  bool all = false, explain = false;
  int seeds = 200, warmups = -1;
};

/// One answer: requests with their sources, and the reasons when asked for.
struct Answer {
  std::string id;
  cache::Config config;
  std::vector<std::string> names;
  std::vector<PredictedSources> sources;
  std::vector<std::vector<cache::Because>> because;  // empty unless asked for
  std::vector<std::string> no_reuse;
  std::vector<std::int64_t> distances;
};

Json to_json(const Answer& a) {
  Json requests = Json::array();
  for (std::size_t i = 0; i < a.sources.size(); ++i) {
    Json r = a.sources[i];
    if (!a.because.empty()) {
      r["because"] = a.because[i];
      r["no_reuse"] = a.no_reuse[i].empty() ? Json(nullptr) : Json(a.no_reuse[i]);
      r["revisit_distance"] = a.distances[i] < 0 ? Json(nullptr) : Json(a.distances[i]);
    }
    requests.push_back(std::move(r));
  }
  return Json{{"id", a.id},
              {"free_order", cache::to_string(a.config.free_order)},
              {"host_touch", cache::to_string(a.config.host_touch)},
              {"verified", cache::verified(a.config)},
              {"requests", std::move(requests)}};
}

std::string text(const PredictedCount& c) {
  return c.is_exact() ? grouped(c.min) : fmt::format("{}..{} (mean {:.1f})", grouped(c.min), grouped(c.max), c.mean);
}

void print(std::ostream& out, const Answer& a) {
  out << fmt::format("{}: {} blocks of {} tokens on the GPU, {} host chunks; free order {}, host touch {}; {}\n", a.id.empty() ? "scenario" : a.id,
                     grouped(a.config.gpu_blocks), a.config.block_size, grouped(a.config.host_chunks), cache::to_string(a.config.free_order),
                     cache::to_string(a.config.host_touch), cache::verified(a.config));
  out << fmt::format("{:>4}  {:<16} {:>12} {:>12} {:>12} {:>8}\n", "#", "request", "computed", "GPU hit", "host loaded", "stored");
  for (std::size_t i = 0; i < a.sources.size(); ++i) {
    const auto& s = a.sources[i];
    out << fmt::format("{:>4}  {:<16} {:>12} {:>12} {:>12} {:>8}\n", i, a.names[i], text(s.computed), text(s.gpu_hit), text(s.host_loaded), text(s.stored_blocks));
    if (a.because.empty()) continue;
    for (const auto& b : a.because[i]) out << fmt::format("        {:>8} {:<11} {}\n", grouped(b.tokens), to_string(b.source), b.reason);
    if (!a.no_reuse[i].empty()) out << "        no reuse: " << a.no_reuse[i] << "\n";
  }
  for (const auto& s : a.sources)
    if (!s.host_loaded.is_exact()) {
      out << "Ranges: " << s.host_loaded.why << ".\n";
      break;
    }
}

Result<Answer> answer(const PredictArgs& a, std::string id, const cache::Config& config, std::span<const cache::Input> inputs,
                      std::vector<std::string> names, std::span<const std::vector<std::uint64_t>> tokens, int warmups = 0) {
  Answer out{std::move(id), config, std::move(names), {}, {}, {}, {}};
  auto sources = cache::predict(config, inputs, {.seeds = a.seeds});
  if (!sources) return fail(sources.error());
  out.sources = std::move(*sources);
  if (!a.explain) return out;
  auto because = cache::explain(config, inputs, out.names, warmups);
  if (!because) return fail(because.error());
  out.because = std::move(*because);
  workload::DistanceMeter meter;
  const auto nearest = cache::nearest_prompts(tokens, config.block_size, warmups);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto& q = inputs[i].request;
    const auto full = std::min(q.keys.size(), static_cast<std::size_t>(q.prompt_tokens / config.block_size));
    out.distances.push_back(meter.request(std::span(q.keys).first(full)));
    out.no_reuse.push_back(cache::why_no_reuse(config, nearest[i], q.prompt_tokens, out.distances.back(), out.sources[i]));
  }
  return out;
}

Result<void> override_rules(const PredictArgs& a, cache::Config& c) {
  if (!a.free_order.empty()) {
    const auto o = cache::free_order_from(a.free_order);
    if (!o) return fail(o.error());
    c.free_order = *o;
  }
  if (!a.host_touch.empty()) {
    const auto t = cache::host_touch_from(a.host_touch);
    if (!t) return fail(t.error());
    c.host_touch = *t;
  }
  return {};
}

Result<std::vector<Answer>> from_file(Context& context, const PredictArgs& a, bool& single) {
  const auto file = cache::read_scenario_file(a.file);
  if (!file) return fail(file.error());
  for (const auto& w : file->warnings) context.err << "kvcliff-cli: warning: " << w << '\n';
  std::vector<const cache::Scenario*> chosen;
  for (const auto& s : file->scenarios)
    if (a.id.empty() || s.id == a.id) chosen.push_back(&s);
  std::string known;
  for (std::size_t i = 0; i < file->scenarios.size() && i < 12; ++i) known += (i ? ", " : "") + file->scenarios[i].id;
  if (file->scenarios.size() > 12) known += ", ...";
  if (chosen.empty())
    return fail(ErrorCode::bad_usage, a.id.empty() ? "The file holds no scenario" : "No scenario has this id", a.file,
                a.id.empty() ? "\"scenarios\" is empty" : "\"" + a.id + "\" is not among " + known, "Name one of the file's ids with --id");
  if (!a.all && chosen.size() > 1)
    return fail(ErrorCode::bad_usage, a.id.empty() ? "Which scenario is meant is not said" : "Several scenarios have this id", a.file,
                fmt::format("there are {}: {}", chosen.size(), known), "Add --id ID or --all");
  single = !a.all;
  std::vector<Answer> out;
  for (const auto* s : chosen) {
    cache::Config c = s->config;
    if (auto ok = override_rules(a, c); !ok) return fail(ok.error());
    auto one = answer(a, s->id, c, s->inputs, s->names, s->tokens);
    if (!one) {
      Error e = one.error();
      e.where = a.file + (s->id.empty() ? "" : ", scenario " + s->id) + (e.where.empty() ? "" : ", " + e.where);
      return fail(std::move(e));
    }
    out.push_back(std::move(*one));
  }
  return out;
}

Result<std::vector<Answer>> from_plan(Context& context, const PredictArgs& a) {
  const auto loaded = load_plan(a.plan);
  if (!loaded) return fail(loaded.error());
  if (const auto ok = requests_at_hand(*loaded, a.plan); !ok) return fail(ok.error());
  const plan::Plan* whole = &loaded->plan;
  std::vector<Answer> out;
  for (const auto& arm : whole->arms) {
    if (!a.arm.empty() && arm.name != a.arm) continue;
    const auto p = plan::for_arm(*whole, arm.name);
    if (!p) return fail(p.error());
    std::optional<Error> no_tier;
    auto config = cache_of_plan(context, *p, arm.offload, no_tier, &*loaded);
    if (config && no_tier) return fail(*no_tier);
    if (!config) return fail(config.error());
    if (auto ok = override_rules(a, *config); !ok) return fail(ok.error());
    const int warmups = a.warmups >= 0 ? a.warmups : p->warmup.min_requests;
    const auto session = cache::plan_session(p->workload, *config, warmups, 0, {.seeds = a.seeds});
    if (!session) {
      Error e = session.error();
      e.where = a.plan + ", arm " + arm.name + (e.where.empty() ? "" : ", " + e.where);
      return fail(std::move(e));
    }
    std::vector<cache::Input> inputs;
    std::vector<std::string> names;
    std::vector<std::vector<std::uint64_t>> tokens;
    for (const auto& r : *session) {
      inputs.push_back({{r.prompt_tokens, r.output_tokens, r.block_hashes}, false, false});
      names.push_back(r.warmup ? "warm-up" : fmt::format("document {} round {}", r.document, r.round));
      if (a.explain) tokens.emplace_back(r.prompt.begin(), r.prompt.end());
    }
    auto one = answer(a, arm.name, *config, inputs, std::move(names), tokens, warmups);
    if (!one) return fail(one.error());
    // Warm-up is part of the story, but not of the answer: only what is measured is listed.
    const auto skip = std::count_if(session->begin(), session->end(), [](const auto& r) { return r.warmup; });
    const auto drop = [skip](auto& v) {
      if (!v.empty()) v.erase(v.begin(), v.begin() + skip);
    };
    drop(one->sources), drop(one->names), drop(one->because), drop(one->no_reuse), drop(one->distances);
    out.push_back(std::move(*one));
  }
  if (out.empty()) return fail(ErrorCode::bad_usage, "No arm has this name", a.plan, "\"" + a.arm + "\"", "Name an arm of the plan with --arm");
  return out;
}

int run_predict(Context& context, const PredictArgs& a) {
  if (a.file.empty() == a.plan.empty())
    return context.report(Error{ErrorCode::bad_usage, "What to predict is not said", {}, "exactly one of FILE and --plan is needed",
                                "kvcliff-cli predict FILE --all, or kvcliff-cli predict --plan PLAN.json"});
  bool single = false;
  const auto answers = a.plan.empty() ? from_file(context, a, single) : from_plan(context, a);
  if (!answers) return context.report(answers.error());
  if (context.json) {
    Json list = Json::array();
    for (const auto& one : *answers) list.push_back(to_json(one));
    context.print(single ? list.at(0) : list);
  } else {
    for (const auto& one : *answers) print(context.out, one);
  }
  return Exit::done;
}

}  // namespace

void add_predict(CLI::App& app, Context& context) {
  auto a = std::make_shared<PredictArgs>();
  CLI::App* sub = add_command(app, context, "predict", "Sources per request, before anything runs", [&context, a] { return run_predict(context, *a); });
  sub->add_option("file", a->file, "Scenario file: {\"block_size\", \"scenarios\": [...]} or one scenario object");
  sub->add_option("--plan", a->plan, "Predict the sessions of a plan, one answer per arm");
  sub->add_option("--arm", a->arm, "Only this arm of the plan");
  sub->add_option("--warmups", a->warmups, "Warm-up requests before the measured ones (default: the plan's minimum)")->check(CLI::Range(0, 1000));
  sub->add_option("--id", a->id, "Only this scenario of the file");
  sub->add_flag("--all", a->all, "All scenarios of the file, as a list");
  sub->add_option("--free-order", a->free_order, "prepend (vLLM from 0.23) or append");
  sub->add_option("--host-touch", a->host_touch, "lookup (vLLM up to 0.25), unordered (0.26 to 0.30) or finish (from 0.31)");
  sub->add_flag("--explain", a->explain, "Why each token comes from where it comes from");
  sub->add_option("--seeds", a->seeds, "Orders drawn for the mean where the engine's order is random")->check(CLI::Range(1, 100000));
}

}  // namespace kvcliff::cli
