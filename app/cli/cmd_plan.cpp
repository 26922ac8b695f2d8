// SPDX-License-Identifier: GPL-3.0-or-later
// `plan init|check|show`.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "cli/context.h"
#include "cli/plan_input.h"
#include "cli/plan_requests.h"
#include "cli/resources.h"
#include "journal/file_state.h"
#include "model/capacity.h"

namespace kvcliff::cli {
namespace {
namespace fs = std::filesystem;

struct InitArgs {
  std::string file = "plan.json", from = "reference", engine, model, host_bytes, environment;
  std::int64_t documents = 0, tokens = 0, rounds = 0, gpu_blocks = 0;
  int pairs = -1;
  std::uint64_t seed = 1;
  bool seed_given = false, force = false;
};

OrderedJson fault_json(const plan::Fault& f) { return {{"field", f.field}, {"what", f.what}, {"next", f.next}}; }

OrderedJson fault_list(const std::vector<plan::Fault>& faults) {
  OrderedJson out = OrderedJson::array();
  for (const auto& f : faults) out.push_back(fault_json(f));
  return out;
}

/// The plan in the order in which people read it.
OrderedJson in_reading_order(const Json& plan) {
  OrderedJson out;
  for (const char* key : {"schema", "name", "engine", "launcher", "model", "capacity", "workload", "arms", "schedule", "load", "warmup",
                          "limits", "gates", "smallest_effect", "cost_ceiling", "keep_raw"})
    if (plan.contains(key)) out[key] = OrderedJson::parse(plan.at(key).dump());
  return out;
}

std::optional<std::int64_t> bytes_per_token(const Context& context, const plan::Plan& plan, const LoadedPlan* from = nullptr) {
  const auto layout = layout_of_plan(context, plan, from);
  return layout ? std::optional(layout->bytes_per_token_all_ranks) : std::nullopt;
}

Result<plan::Plan> build(const Context& context, const InitArgs& a) {
  auto text = read_resource(context, "plans/" + a.from + ".json");
  if (!text)
    return fail(ErrorCode::not_found, "There is no plan \"" + a.from + "\" to start from", {}, {},
                "Take reference, demo, no-help, concurrency or sweep");
  auto parsed = plan::parse_text(*text, "plans/" + a.from + ".json");
  if (!parsed.valid()) return fail(faults_error("plans/" + a.from + ".json", parsed.faults));
  auto p = std::move(parsed.plan);
  p.name = fs::path(a.file).stem().string();
  if (!a.engine.empty() && a.engine != p.engine.adapter) {
    p.engine.adapter = a.engine;
    p.engine.extra_args.clear();  // the emulator's own flags mean nothing to a real engine
  }
  p.engine.environment = a.environment;
  if (p.engine.adapter == "vllm") {
    p.schedule.pairs = 3;         // 2 pairs see a ratio of 0.8 with 34 % power, 3 with 99 % (3 % session spread)
    p.schedule.conditioning = 1;  // a first server on a cold disk is slower
  }
  if (a.seed_given) {
    p.workload.seed = a.seed;
    p.schedule.first = Rng(a.seed).below(2) == 0 ? "off" : "on";
  }
  if (a.documents > 0) p.workload.documents = a.documents;
  if (a.tokens > 0) p.workload.tokens = a.tokens;
  if (a.rounds > 0) p.workload.rounds = a.rounds;
  if (a.gpu_blocks > 0) p.capacity.gpu_blocks = a.gpu_blocks;
  if (a.pairs >= 0) p.schedule.pairs = a.pairs;
  if (!a.model.empty()) {
    std::error_code ec;
    const bool is_path = a.model.find(".json") != std::string::npos || fs::is_directory(a.model, ec);
    p.model.config = is_path ? fs::absolute(a.model, ec).string() : "";
    p.model.id = is_path ? "" : a.model;
    const auto layout = layout_of_plan(context, p);
    if (!layout) return fail(layout.error());
    // As many host blocks as before, in the new model's bytes.
    p.capacity.host_bytes = p.capacity.host_bytes / (114'688 * 16) * model::block_bytes_all_ranks(*layout);
  }
  if (!a.host_bytes.empty()) {
    const auto b = parse_bytes(a.host_bytes);
    if (!b) return fail(ErrorCode::bad_usage, "Not an amount of memory: \"" + a.host_bytes + "\"", "--host-bytes", {}, "Write 10GiB, 2.5 GB or bytes");
    p.capacity.host_bytes = b->v;
  }
  return p;
}

int init(const Context& context, const InitArgs& a) {
  const auto p = build(context, a);
  if (!p) return context.report(p.error());
  if (const auto faults = plan::validate(*p); !faults.empty()) {
    Error e = faults_error("plan init", faults);
    e.next = "Nothing was written: correct the options";
    return context.report(e);
  }
  const auto help = read_resource(context, "help/plan-fields.md");
  if (!help) return context.report(help.error());
  fs::path help_path = a.file;
  help_path.replace_extension(".help.md");
  std::error_code ec;
  for (const auto& path : {fs::path(a.file), help_path})
    if (!a.force && fs::exists(path, ec))
      return context.report({ErrorCode::bad_usage, "The file is there already", path.string(), {}, "Name another, or overwrite it with --force"});
  const auto written = write_file(a.file, in_reading_order(plan::to_json(*p)).dump(2) + "\n");
  if (!written) return context.report(written.error());
  if (const auto w = write_file(help_path, *help); !w) return context.report(w.error());
  const auto notes = plan::warnings(*p, bytes_per_token(context, *p));
  if (context.json) {
    context.print(OrderedJson{{"file", a.file}, {"help_file", help_path.string()}, {"plan_hash", plan::hash(*p)}, {"first", p->schedule.first}, {"warnings", fault_list(notes)}});
  } else {
    context.out << fmt::format("Wrote {} and {}\nNext: kvcliff-cli plan show {}\n", a.file, help_path.string(), a.file);
    for (const auto& n : notes) context.err << "Note: " << n.what << (n.next.empty() ? "" : ". " + n.next) << "\n";
  }
  return Exit::done;
}

/// What a plan names outside itself and is not there: without it nothing can be predicted, and so nothing is run.
std::vector<plan::Fault> missing_things(const Context& context, const LoadedPlan& loaded, const std::vector<plan::Fault>& known) {
  std::vector<plan::Fault> out;
  const auto faulty = [&](const std::string& part) {
    return std::any_of(known.begin(), known.end(), [&](const plan::Fault& f) { return f.field.empty() || f.field.rfind(part, 0) == 0; });
  };
  const plan::Plan& p = loaded.plan;
  if (!faulty("model.")) {
    if (const auto layout = layout_of_plan(context, p, &loaded); !layout) {
      const Error& e = layout.error();
      out.push_back({p.model.config.empty() ? "model.id" : "model.config", "The KV size of the model cannot be told: " + e.sentence(), {}});
    } else if (!faulty("capacity.") && !faulty("arms")) {
      for (const auto& arm : p.arms) {
        const auto seen = plan::for_arm(p, arm.name);
        if (!arm.offload || !seen) continue;
        const std::int64_t chunk = layout->bytes_per_token_all_ranks * seen->capacity.block_size * seen->capacity.offload.blocks_per_chunk;
        if (seen->capacity.host_bytes < chunk)
          out.push_back({"capacity.host_bytes", fmt::format("The host tier of arm \"{}\" has {} bytes, and one chunk of this model takes {}: it holds nothing", arm.name,
                                                            grouped(seen->capacity.host_bytes), grouped(chunk)), "Raise capacity.host_bytes, or lower capacity.offload.blocks_per_chunk"});
      }
    }
  }
  std::error_code ec;
  if (!loaded.journalled && p.workload.kind == workload::Spec::Kind::trace && !p.workload.trace.empty() && !faulty("workload.trace") &&
      !fs::is_regular_file(p.workload.trace, ec))
    out.push_back({"workload.trace", fmt::format("workload.trace is no file: \"{}\"", p.workload.trace), "Paths count from the plan's folder"});
  return out;
}

/// A plan file with all its faults, or the plan of a journal.
Result<LoadedPlan> plan_to_check(const std::string& file, std::vector<plan::Fault>& faults) {
  using Kind = journal::FileState::Kind;
  if (const auto kind = journal::inspect_file(file).kind; kind == Kind::current || kind == Kind::older) return load_plan(file);
  auto parsed = plan::parse_file(file);
  faults = std::move(parsed.faults);
  std::error_code ec;
  LoadedPlan out;
  out.hash = plan::hash(parsed.plan);
  out.plan = plan::with_paths_from(std::move(parsed.plan), fs::absolute(file, ec).parent_path().string());
  return out;
}

int check(const Context& context, const std::string& file) {
  std::vector<plan::Fault> faults;
  const auto loaded = plan_to_check(file, faults);
  if (!loaded) return context.report(loaded.error());
  for (auto& f : missing_things(context, *loaded, faults)) faults.push_back(std::move(f));
  if (!faults.empty()) {
    const auto error = faults_error(file, faults);
    if (context.json) {
      context.print(OrderedJson{{"error", {{"code", to_string(error.code)}, {"what", error.what}, {"where", error.where}, {"why", error.why},
                                           {"next", error.next}, {"faults", fault_list(faults)}}}});
    } else if (faults.size() == 1 && faults[0].field.empty()) {  // no plan at all: there is one sentence to say
      context.report(error);
    } else {
      context.err << "kvcliff-cli: " << error.what << " (" << file << "):\n";
      for (const auto& f : faults) context.err << "  " << f.what << (f.next.empty() ? "" : ". " + f.next) << "\n";
    }
    return exit_code_of(error.code);
  }
  const auto notes = plan::warnings(loaded->plan, bytes_per_token(context, loaded->plan, &*loaded));
  if (context.json) {
    context.print(OrderedJson{{"valid", true}, {"name", loaded->plan.name}, {"plan_hash", loaded->hash}, {"faults", OrderedJson::array()}, {"warnings", fault_list(notes)}});
    return Exit::done;
  }
  context.out << fmt::format("{} is valid\nHash {}\n", file, loaded->hash);
  for (const auto& n : notes) context.out << "Note: " << n.what << (n.next.empty() ? "" : ". " + n.next) << "\n";
  return Exit::done;
}

struct Totals {
  std::int64_t requests = 0, tokens = 0;
  bool known = true;
};

/// Requests and prompt tokens of one session, warm-up left out.
Totals totals_of(const plan::Plan& seen) {
  Totals t;
  const auto n = plan::request_count(seen);
  const auto& w = seen.workload;
  t.known = n.has_value() && w.kind != workload::Spec::Kind::trace;
  t.requests = n.value_or(0);
  t.tokens = w.kind == workload::Spec::Kind::sessions ? w.documents * (w.rounds * w.tokens + w.rounds * (w.rounds - 1) / 2 * w.turn_tokens)
                                                      : t.requests * w.tokens;
  return t;
}

OrderedJson show_json(const Context& context, const LoadedPlan& loaded, int port) {
  const plan::Plan& p = loaded.plan;
  OrderedJson sessions = OrderedJson::array(), arms = OrderedJson::array();
  Totals sum;
  for (const auto& s : plan::schedule(p)) {
    const auto seen = plan::for_arm(p, s.arm);
    const Totals t = seen ? totals_of(*seen) : Totals{.known = false};
    sum.requests += t.requests;
    sum.tokens += t.tokens;
    sum.known &= t.known;
    sessions.push_back({{"ordinal", s.ordinal}, {"arm", s.arm}, {"conditioning", s.conditioning}, {"pair", s.pair < 0 ? OrderedJson() : OrderedJson(s.pair)},
                        {"requests", t.known ? OrderedJson(t.requests) : OrderedJson()}, {"prompt_tokens", t.known ? OrderedJson(t.tokens) : OrderedJson()}});
  }
  for (const auto& arm : p.arms) {
    const auto c = command_of_arm(context, p, arm, port);
    const auto seen = plan::for_arm(p, arm.name);
    const auto set = seen ? plan::working_set(*seen) : std::nullopt;
    OrderedJson j{{"arm", arm.name}, {"offload", arm.offload}};
    j["working_set_blocks"] = set ? OrderedJson(set->v) : OrderedJson();
    j["gpu_blocks_usable"] = seen ? OrderedJson(seen->capacity.gpu_blocks - 1) : OrderedJson();
    j["command"] = c.line.empty() ? OrderedJson() : OrderedJson(c.line);
    if (!c.why.empty()) j["why"] = c.why;
    j["argv"] = c.argv;
    j["env_set"] = OrderedJson::object();
    for (const auto& [k, v] : c.env_set) j["env_set"][k] = v;
    j["env_unset"] = c.env_unset;
    arms.push_back(std::move(j));
  }
  OrderedJson out{{"name", p.name}, {"plan_hash", loaded.hash}, {"sessions", std::move(sessions)}};
  out["requests"] = sum.known ? OrderedJson(sum.requests) : OrderedJson();
  out["prompt_tokens"] = sum.known ? OrderedJson(sum.tokens) : OrderedJson();
  if (!sum.known) out["why"] = "the requests of a trace are counted when it is read";
  const auto time = estimate_time(p);
  out["estimated_seconds"] = time.seconds ? OrderedJson(std::round(*time.seconds)) : OrderedJson();
  if (!time.seconds) out["estimated_seconds_why"] = time.why;
  out["arms"] = std::move(arms);
  out["request_lists"] = request_lists(loaded);
  out["warnings"] = fault_list(plan::warnings(p, bytes_per_token(context, p, &loaded)));
  return out;
}

void show_words(const Context& context, const OrderedJson& j, const plan::Plan& p, bool all_requests) {
  auto& o = context.out;
  const auto number = [](const OrderedJson& v) { return v.is_number_integer() ? grouped(v.get<std::int64_t>()) : std::string("unknown"); };
  o << fmt::format("{}  (hash {})\n\nSessions, each on a fresh server:\n", j.at("name").get<std::string>(), j.at("plan_hash").get<std::string>());
  for (const auto& s : j.at("sessions"))
    o << fmt::format("  {:>2}  {:<14} {:>6} requests{}{}\n", s.at("ordinal").get<int>() + 1, s.at("arm").get<std::string>(), number(s.at("requests")),
                     s.at("pair").is_null() ? "" : fmt::format("  pair {}", s.at("pair").get<int>() + 1), s.at("conditioning").get<bool>() ? "  conditioning, discarded" : "");
  o << fmt::format("\n{} requests with {} prompt tokens", number(j.at("requests")), number(j.at("prompt_tokens")));
  if (j.at("estimated_seconds").is_number())
    o << fmt::format("; at most about {} if everything were computed\n", human_duration_ns(static_cast<std::int64_t>(j.at("estimated_seconds").get<double>() * 1e9)));
  else
    o << "; time unknown: " << j.at("estimated_seconds_why").get<std::string>() << "\n";
  if (p.cost_ceiling) {
    o << "Ceiling, at which the run is ended:";
    if (p.cost_ceiling->seconds) o << fmt::format(" {} s", *p.cost_ceiling->seconds);
    if (p.cost_ceiling->money) o << fmt::format(" {} in money at {} an hour", *p.cost_ceiling->money, p.cost_ceiling->money_per_hour);
    o << "\n";
  }
  for (const auto& a : j.at("arms")) {
    o << fmt::format("\nArm {}: working set {} blocks, GPU cache {} usable, tier {}\n", a.at("arm").get<std::string>(), number(a.at("working_set_blocks")),
                     number(a.at("gpu_blocks_usable")), a.at("offload").get<bool>() ? "on" : "off");
    if (a.at("command").is_null()) o << "  no command: " << a.at("why").get<std::string>() << "\n";
    else o << "  " << a.at("command").get<std::string>() << "\n";
  }
  print_request_lists(context, j.at("request_lists"), all_requests);
  for (const auto& w : j.at("warnings")) {
    const auto next = w.at("next").get<std::string>();
    o << "\nNote: " << w.at("what").get<std::string>() << (next.empty() ? "" : ". " + next) << "\n";
  }
}

int show(const Context& context, const std::string& file, int port, bool all_requests) {
  const auto loaded = load_plan(file);
  if (!loaded) return context.report(loaded.error());
  const auto j = show_json(context, *loaded, port);
  if (context.json) context.print(j);
  else show_words(context, j, loaded->plan, all_requests);
  return Exit::done;
}

}  // namespace

void add_plan(CLI::App& app, Context& context) {
  CLI::App* group = app.add_subcommand("plan", "Write, check and show the plan of an experiment");
  group->require_subcommand(1);
  auto a = std::make_shared<InitArgs>();
  CLI::App* sub = add_command(*group, context, "init", "Write a full plan with a help file beside it", [&context, a] { return init(context, *a); });
  sub->add_option("file", a->file, "Plan to write")->capture_default_str();
  sub->add_option("--from", a->from, "Plan to start from: reference, demo, no-help, concurrency, sweep")->capture_default_str();
  sub->add_option("--engine", a->engine, "emulator, vllm or attach")->check(CLI::IsMember({"emulator", "vllm", "attach"}));
  sub->add_option("--environment", a->environment, "Engine environment: a name (engine list) or a folder; empty = PATH");
  sub->add_option("--model", a->model, "Catalogue id, or path of a config.json");
  sub->add_option("--gpu-blocks", a->gpu_blocks, "GPU blocks as passed to the engine, null block included")->check(above_zero());
  sub->add_option("--host-bytes", a->host_bytes, "Size of the host tier, e.g. 10GiB");
  sub->add_option("--documents", a->documents)->check(above_zero());
  sub->add_option("--tokens", a->tokens, "Prompt tokens of a document")->check(above_zero());
  sub->add_option("--rounds", a->rounds)->check(above_zero());
  sub->add_option("--pairs", a->pairs)->check(CLI::Range(0, 1000));
  sub->add_option_function<std::uint64_t>("--seed", [a](const std::uint64_t& s) { a->seed = s, a->seed_given = true; }, "Seed of the prompts; also draws which arm comes first");
  sub->add_flag("--force", a->force, "Overwrite");

  auto file = std::make_shared<std::string>();
  auto port = std::make_shared<int>(8000);
  auto all = std::make_shared<bool>(false);
  sub = add_command(*group, context, "check", "Every fault of a plan (or of a journal's plan) at once", [&context, file] { return check(context, *file); });
  sub->add_option("file", *file, "Plan")->required();
  sub = add_command(*group, context, "show", "Sessions, commands, requests and time of a plan", [&context, file, port, all] { return show(context, *file, *port, *all); });
  sub->add_option("file", *file, "Plan")->required();
  sub->add_option("--port", *port, "Port to show in the commands; a run takes a free one")->capture_default_str()->check(CLI::Range(1, 65535));
  sub->add_flag("--requests", *all, "List every request, not only the first and last few");
}

}  // namespace kvcliff::cli
