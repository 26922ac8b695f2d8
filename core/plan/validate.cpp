// SPDX-License-Identifier: GPL-3.0-or-later
// Ranges and contradictions. Each finding names the fields it compares, so that one wrong value is one fault.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.h"
#include "plan/internal.h"
#include "plan/reader.h"
#include "plan/words.h"

namespace kvcliff::plan {
namespace {

using Kind = workload::Spec::Kind;

class Findings {
 public:
  std::vector<Finding> all;

  void add(const std::string& field, std::string what, std::string next = {}, std::vector<std::string> also = {}) {
    also.push_back(field);
    all.push_back({{field, std::move(what), std::move(next)}, std::move(also)});
  }
  bool range(const std::string& field, std::int64_t value, std::int64_t low, std::int64_t high) {
    if (value >= low && value <= high) return true;
    add(field, fmt::format("{} must lie in {} to {}, and is {}", field, grouped(low), grouped(high), grouped(value)));
    return false;
  }
  bool above(const std::string& field, double value, double low, double high) {
    if (value > low && value <= high && std::isfinite(value)) return true;
    add(field, fmt::format("{} must be greater than {} and at most {}, and is {}", field, low, high, value));
    return false;
  }
  bool word(const std::string& field, const std::string& value, const std::vector<std::string>& words) {
    if (std::find(words.begin(), words.end(), value) != words.end()) return true;
    const auto close = nearest(value, words);
    add(field, fmt::format("{} must be one of {}, and is \"{}\"", field, fmt::join(words, ", "), value),
        close.empty() ? "" : fmt::format("Did you mean \"{}\"?", close));
    return false;
  }
};

constexpr std::int64_t most = 1'000'000'000;

void check_model(const Plan& p, Findings& f) {
  if (p.model.id.empty() && p.model.config.empty())
    f.add("model.id", "The plan names no model", "Give model.id (kvcliff-cli model lists the catalogue) or model.config, the path of a config.json");
  if (!p.model.id.empty() && !p.model.config.empty())
    f.add("model.config", fmt::format("The plan names two models: id \"{}\" and config \"{}\"", p.model.id, p.model.config),
          "Keep one of them", {"model.id"});
  if (p.model.kv_dtype.empty()) f.add("model.kv_dtype", "model.kv_dtype is empty", "Write \"auto\" to take the model's own");
  f.range("model.tp", p.model.tp, 1, 4096);
  f.range("model.pp", p.model.pp, 1, 4096);
}

void check_capacity(const Plan& p, Findings& f) {
  const auto& c = p.capacity;
  f.range("capacity.block_size", c.block_size, 1, 65'536);
  f.range("capacity.gpu_blocks", c.gpu_blocks, 2, most);  // block 0 is the null block: with one there is no cache
  if (c.host_bytes < 0) f.add("capacity.host_bytes", fmt::format("capacity.host_bytes is {}, and a size cannot be negative", c.host_bytes));
  f.word("capacity.offload.policy", c.offload.policy, policies);
  f.range("capacity.offload.blocks_per_chunk", c.offload.blocks_per_chunk, 1, 65'536);
}

void check_workload(const Plan& p, Findings& f) {
  const auto& w = p.workload;
  f.range("workload.output_tokens", w.output_tokens, 1, 10'000'000);
  if (w.kind == Kind::trace) {
    if (w.trace.empty()) f.add("workload.trace", "workload.kind is \"trace\", and workload.trace names no file", {}, {"workload.kind"});
    f.range("workload.trace_requests", w.trace_requests, 0, most);
    f.above("workload.trace_scale", w.trace_scale, 0, 1000);
    return;
  }
  if (!w.trace.empty())
    f.add("workload.trace", fmt::format("workload.trace names a file, and workload.kind is \"{}\"", workload_kinds[static_cast<std::size_t>(w.kind)]),
          "Set workload.kind to \"trace\", or remove the file", {"workload.kind"});
  const bool documents = f.range("workload.documents", w.documents, 1, 10'000'000);
  const bool rounds = f.range("workload.rounds", w.rounds, 1, 10'000'000);
  if (documents && rounds && w.documents * w.rounds > 100'000'000)
    f.add("workload.rounds", fmt::format("{} documents in {} rounds are {} requests, more than 100,000,000", grouped(w.documents), grouped(w.rounds), grouped(w.documents * w.rounds)),
          {}, {"workload.documents"});
  const bool tokens = f.range("workload.tokens", w.tokens, 1, 100'000'000);
  if (w.shared_prefix_tokens < 0)
    f.add("workload.shared_prefix_tokens", "workload.shared_prefix_tokens cannot be negative");
  else if (tokens && w.shared_prefix_tokens > w.tokens)
    f.add("workload.shared_prefix_tokens",
          fmt::format("The shared prefix has {} tokens, and a document only {}", grouped(w.shared_prefix_tokens), grouped(w.tokens)), {}, {"workload.tokens"});
  if (w.order == workload::Spec::Order::zipf) f.above("workload.zipf_exponent", w.zipf_exponent, 0, 20);
  f.range("workload.turn_tokens", w.turn_tokens, 0, 100'000'000);
  if (w.kind == Kind::sessions && w.turn_tokens == 0)
    f.add("workload.turn_tokens", "workload.kind is \"sessions\", and a turn adds no tokens", "Set workload.turn_tokens", {"workload.kind"});
  if (w.kind != Kind::sessions && w.turn_tokens > 0)
    f.add("workload.turn_tokens", "workload.turn_tokens is set, and workload.kind is not \"sessions\"", "Remove it, or set the kind", {"workload.kind"});
}

void check_load(const Plan& p, Findings& f) {
  const auto& l = p.load;
  f.range("load.concurrency", l.concurrency, 1, 4096);
  if (l.mode == LoadSpec::Mode::serial && l.concurrency > 1)
    f.add("load.concurrency", fmt::format("load.mode is \"serial\", one request at a time, and load.concurrency is {}", l.concurrency),
          "Set load.mode to \"closed\" for streams side by side", {"load.mode"});
  if (l.mode == LoadSpec::Mode::open) {
    f.above("load.rate", l.rate, 0, 1'000'000);
  } else if (l.rate != 0) {
    f.add("load.rate", "load.rate is set, and load.mode is not \"open\"", "Remove it, or set load.mode to \"open\"", {"load.mode"});
  }
}

/// The longest prompt with its answer must fit the cache, or the engine never admits it.
void check_fit(const Plan& p, Findings& f) {
  const auto& w = p.workload;
  if (w.kind == Kind::trace || p.capacity.block_size < 1 || p.capacity.gpu_blocks < 2 || w.tokens < 1 || w.rounds < 1) return;
  if (w.tokens > 100'000'000 || w.turn_tokens > 100'000'000 || w.rounds > 10'000'000 || w.turn_tokens < 0) return;
  const std::int64_t longest = w.kind == Kind::sessions ? w.tokens + (w.rounds - 1) * w.turn_tokens : w.tokens;
  const auto need = blocks_for(Tokens(longest + std::max<std::int64_t>(w.output_tokens, 0)), p.capacity.block_size);
  const std::int64_t usable = p.capacity.gpu_blocks - 1;
  if (need.v > usable)
    f.add("workload.tokens",
          fmt::format("A prompt of {} tokens with {} output tokens needs {} blocks of {}, and the GPU cache has {} usable ones ({} with the null block)",
                      grouped(longest), grouped(w.output_tokens), grouped(need.v), p.capacity.block_size, grouped(usable), grouped(p.capacity.gpu_blocks)),
          fmt::format("Raise capacity.gpu_blocks to at least {}, or shorten the prompts", need.v + 1),
          {"workload.kind", "workload.rounds", "workload.turn_tokens", "workload.output_tokens", "capacity.block_size", "capacity.gpu_blocks"});
}

/// A number like vLLM's own 4096, 32k (1,000) and 32K (1,024); nullopt for "auto" and what cannot be read.
std::optional<std::int64_t> length_of(std::string text) {
  std::int64_t scale = 1;
  if (!text.empty()) {
    constexpr std::string_view suffixes = "kKmM";
    constexpr std::int64_t scales[] = {1000, 1024, 1'000'000, 1024 * 1024};
    if (const auto at = suffixes.find(text.back()); at != std::string_view::npos) {
      scale = scales[at];
      text.pop_back();
    }
  }
  const auto n = parse_double(text);
  return n && *n > 0 && *n < 1e12 ? std::optional(static_cast<std::int64_t>(*n * static_cast<double>(scale))) : std::nullopt;
}

/// A run that is over can be read whatever its plan asked of an engine.
void mark_of_launch(Findings& f, std::size_t from) {
  for (std::size_t i = from; i < f.all.size(); ++i) f.all[i].of_launch = true;
}

/// What the engine is told of its version and of the longest sequence.
void check_engine(const Plan& p, Findings& f) {
  const std::size_t before = f.all.size();
  const std::string& version = p.engine.version;
  if (!version.empty()) {
    const auto parts = split(std::string_view(version).substr(version.front() == 'v' ? 1 : 0), '.');
    const auto major = parse_int(parts[0]), minor = parts.size() > 1 ? parse_int(parts[1].substr(0, parts[1].find_first_not_of("0123456789"))) : std::nullopt;
    if (!major || !minor)
      f.add("engine.version", fmt::format("engine.version is no version: \"{}\"", version), "Write it as 0.32.0, or leave it out");
    else if (p.engine.adapter == "emulator" && (*major != 0 || *minor < 10 || *minor > 32 || parts.size() > 3))
      f.add("engine.version", fmt::format("The emulator speaks as vLLM 0.10 to 0.32, and engine.version is \"{}\"", version), {}, {"engine.adapter"});
  }
  const auto& w = p.workload;
  if (w.kind == Kind::trace || w.tokens < 1 || w.tokens > 100'000'000 || w.rounds < 1 || w.rounds > 10'000'000 || w.turn_tokens < 0 || w.turn_tokens > 100'000'000) return mark_of_launch(f, before);
  const std::int64_t longest = (w.kind == Kind::sessions ? w.tokens + (w.rounds - 1) * w.turn_tokens : w.tokens) + std::max<std::int64_t>(w.output_tokens, 0);
  const auto& args = p.engine.extra_args;
  for (std::size_t i = 0; i < args.size(); ++i) {
    std::string flag = args[i].substr(0, args[i].find('='));
    std::replace(flag.begin(), flag.end(), '_', '-');
    if (flag != "--max-model-len") continue;
    const bool inside = args[i].size() > flag.size();
    const auto limit = inside ? length_of(args[i].substr(flag.size() + 1)) : i + 1 < args.size() ? length_of(args[i + 1]) : std::nullopt;
    if (limit && *limit < longest)
      f.add("engine.extra_args", fmt::format("--max-model-len is {}, and the longest prompt with its answer has {} tokens: the engine would refuse it", grouped(*limit), grouped(longest)),
            fmt::format("Give at least {}, or shorten the prompts", grouped(longest)), {"workload.tokens", "workload.output_tokens", "workload.turn_tokens", "workload.rounds"});
  }
  mark_of_launch(f, before);
}

void check_limits(const Plan& p, Findings& f) {
  f.above("limits.start_s", p.limits.start_s, 0, 1e6);
  const bool idle = f.above("limits.idle_s", p.limits.idle_s, 0, 1e6);
  const bool total = f.above("limits.total_s", p.limits.total_s, 0, 1e6);
  f.above("limits.stop_s", p.limits.stop_s, 0, 1e5);
  if (idle && total && p.limits.total_s < p.limits.idle_s)
    f.add("limits.total_s", fmt::format("A request may take {} s in all, and be silent for {} s: the second limit can never be met", p.limits.total_s, p.limits.idle_s),
          "Make limits.total_s the larger one", {"limits.idle_s"});
  f.range("limits.settle.quiet_ms", p.limits.settle.quiet_ms, 1, 60'000);
  if (f.range("limits.settle.timeout_ms", p.limits.settle.timeout_ms, 1, 3'600'000) && p.limits.settle.timeout_ms <= p.limits.settle.quiet_ms)
    f.add("limits.settle.timeout_ms", "limits.settle.timeout_ms must be longer than limits.settle.quiet_ms", {}, {"limits.settle.quiet_ms"});
  f.range("warmup.min_requests", p.warmup.min_requests, 0, 10'000);
  f.range("warmup.max_requests", p.warmup.max_requests, 0, 10'000);
  if (p.warmup.max_requests < p.warmup.min_requests)
    f.add("warmup.max_requests", fmt::format("warmup.max_requests is {}, below warmup.min_requests, {}", p.warmup.max_requests, p.warmup.min_requests), {}, {"warmup.min_requests"});
  f.above("warmup.steady_ratio", p.warmup.steady_ratio, 0, 10);
}

void check_judgement(const Plan& p, Findings& f) {
  if (!(p.smallest_effect > 0 && p.smallest_effect < 1))
    f.add("smallest_effect", fmt::format("smallest_effect must lie between 0 and 1 (0.05 is 5 %), and is {}", p.smallest_effect));
  static const std::vector<std::string> known = [] {
    std::vector<std::string> k{"unexplained", "control", "sessions"};
    for (int i = 1; i <= 21; ++i) k.push_back(fmt::format("R{}", i));
    return k;
  }();
  for (const auto& [id, on] : p.gates) {
    if (std::find(known.begin(), known.end(), id) != known.end()) continue;
    const auto close = nearest(id, known);
    f.add("gates." + id, fmt::format("gates.{} is not a gate", id), close.empty() ? "Gates: R1 to R21, unexplained, control, sessions" : fmt::format("Did you mean \"{}\"?", close));
  }
  if (!p.cost_ceiling) return;
  const auto& c = *p.cost_ceiling;
  if (!c.seconds && !c.money) f.add("cost_ceiling", "cost_ceiling says neither seconds nor money", "Give one of them, or remove cost_ceiling");
  if (c.seconds) f.above("cost_ceiling.seconds", *c.seconds, 0, 1e8);
  if (c.money && f.above("cost_ceiling.money", *c.money, 0, 1e9) && !(c.money_per_hour > 0))
    f.add("cost_ceiling.money_per_hour", "cost_ceiling.money is set, and cost_ceiling.money_per_hour is not: money cannot be counted", {}, {"cost_ceiling.money"});
  if (c.money_per_hour < 0) f.add("cost_ceiling.money_per_hour", "cost_ceiling.money_per_hour cannot be negative");
}

void check_launcher(const Plan& p, Findings& f) {
  f.word("engine.adapter", p.engine.adapter, adapters);
  std::vector<std::string> kinds;
  for (const auto& [kind, options] : launcher_options) kinds.push_back(kind);
  if (!f.word("launcher.kind", p.launcher.kind, kinds)) return;
  const auto need = [&](const std::string& kind, const std::string& name, const std::string& why) {
    const auto it = p.launcher.options.find(name);
    if (p.launcher.kind == kind && (it == p.launcher.options.end() || it->second.empty()))
      f.add("launcher." + name, fmt::format("launcher.kind is \"{}\", and launcher.{} is missing: {}", kind, name, why), {}, {"launcher.kind"});
  };
  need("ssh", "host", "the machine to start the engine on");
  need("container", "image", "the image that holds the engine");
  for (const auto& option : p.launcher.options) {
    const std::string &name = option.first, &text = option.second;
    const auto is = [&](const char* kind, std::initializer_list<const char*> names) {
      return p.launcher.kind == kind && std::find(names.begin(), names.end(), name) != names.end();
    };
    if (is("ssh", {"port"}) || is("slurm", {"cpus"})) {
      const auto n = parse_int(text);
      const std::int64_t high = name == "port" ? 65'535 : 1'000'000;
      if (!n || *n < 1 || *n > high) f.add("launcher." + name, fmt::format("launcher.{} must be a whole number from 1 to {}, and is \"{}\"", name, grouped(high), text));
    }
  }
  if (p.engine.adapter == "attach" && p.launcher.kind != "local")
    f.add("launcher.kind", "engine.adapter is \"attach\": nothing is launched, and a launcher other than local has no meaning", {}, {"engine.adapter"});
}

}  // namespace

std::vector<Finding> find_value_faults(const Plan& p) {
  Findings f;
  check_launcher(p, f);
  check_engine(p, f);
  check_model(p, f);
  check_capacity(p, f);
  check_workload(p, f);
  check_load(p, f);
  check_fit(p, f);
  check_limits(p, f);
  check_judgement(p, f);
  for (auto& one : find_launch_faults(p)) f.all.push_back(std::move(one));
  return std::move(f.all);
}

bool rests_on(const Finding& finding, const std::vector<std::string>& fields) {
  for (const auto& mine : finding.fields)
    for (const auto& other : fields) {
      if (other.empty()) continue;
      const bool same = mine == other || mine.rfind(other + ".", 0) == 0 || other.rfind(mine + ".", 0) == 0 ||
                        mine.rfind(other + "[", 0) == 0 || other.rfind(mine + "[", 0) == 0;
      if (same) return true;
    }
  return false;
}

std::vector<Fault> validate(const Plan& plan) {
  std::vector<Fault> out;
  for (auto& f : find_faults(plan)) out.push_back(std::move(f.fault));
  return out;
}

}  // namespace kvcliff::plan
