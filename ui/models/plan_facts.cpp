// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/plan_facts.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "cache/explain.h"
#include "cache/rules.h"
#include "cache/session.h"
#include "engine/adapter.h"
#include "experiment/estimate.h"
#include "model/capacity.h"
#include "process/launcher.h"
#include "ui/bridge/time_prediction.h"
#include "ui/theme/plain_text.h"

namespace kvcliff::ui {
namespace {

// A longer list is counted and not made: its prompts would fill the memory of a laptop.
constexpr std::int64_t most_listed = 20'000;
constexpr std::int64_t most_listed_tokens = 100'000'000;
// Reasons take a second pass over all blocks.
constexpr std::int64_t most_explained = 5'000;
// Spread of session means that the power table assumes; a run's own spread replaces it on Decide.
constexpr double assumed_spread = 0.03;

QString words(const std::string& s) { return shown(s); }

// "--flag value" of one setting on one line, so that arms can be compared line by line.
std::vector<ShownLine> command_lines(const std::vector<std::string>& argv) {
  std::vector<ShownLine> out;
  for (std::size_t i = 0; i < argv.size(); ++i) {
    const std::string& word = argv[i];
    if (word.rfind("--", 0) == 0) {
      const std::string key = word.substr(0, word.find('='));
      ShownLine line{words(key), words(process::shell_quoted(word))};
      if (word.find('=') == std::string::npos && i + 1 < argv.size() && argv[i + 1].rfind("--", 0) != 0)
        line.text += QLatin1Char(' ') + words(process::shell_quoted(argv[++i]));
      out.push_back(std::move(line));
    } else if (out.empty() || out.back().key.startsWith(QLatin1String("--"))) {
      out.push_back({QStringLiteral("argv%1").arg(i), words(process::shell_quoted(word))});
    } else {
      out.back().text += QLatin1Char(' ') + words(process::shell_quoted(word));
    }
  }
  return out;
}

void mark(std::vector<ShownLine>& lines, const std::vector<ShownLine>& other) {
  std::set<QString> known;
  for (const auto& l : other) known.insert(l.text);
  for (auto& l : lines) l.differs = known.count(l.text) == 0;
}

void read_command(ArmFacts& out, const plan::Plan& seen, const std::string& resources, int port) {
  if (seen.engine.adapter == "attach") {
    out.command_why = QObject::tr("Nothing is launched: the server runs already.");
    return;
  }
  const auto adapter = engine::make_adapter(seen.engine.adapter, resources);
  if (!adapter) {
    out.command_why = words(adapter.error().sentence());
    return;
  }
  const auto command = (*adapter)->command(seen, out.offload, {.host = "127.0.0.1", .port = port});
  if (!command) {
    const Error& e = command.error();
    out.command_why = words(e.sentence());
    const bool place = e.code == ErrorCode::not_found || e.what.find("environment") != std::string::npos;
    out.command_fault = plan::Fault{place ? "engine.environment" : "engine", e.where.empty() ? e.what : e.what + " (" + e.where + ")", e.next};
    return;
  }
  out.command = command_lines(command->argv);
  for (const auto& [name, value] : command->env_set)
    out.environment.push_back({words(name), words(name + "=" + process::shell_quoted(value))});
  for (const auto& name : command->env_unset) out.environment.push_back({words(name), words("unset " + name)});
  const auto launcher = process::make_launcher(seen.launcher);
  if (launcher) out.line = QString::fromStdString((*launcher)->shown(*command));
  else out.command_why = words(launcher.error().sentence());
}

Result<cache::Config> config_of(const plan::Plan& p, bool offload, const ModelSizes& sizes) {
  cache::Config c;
  c.block_size = p.capacity.block_size;
  c.gpu_blocks = p.capacity.gpu_blocks - 1;  // the null block
  c.blocks_per_chunk = p.capacity.offload.blocks_per_chunk;
  c.policy = p.capacity.offload.policy == "arc" ? cache::Policy::arc : cache::Policy::lru;
  c.offload_prompt_only = p.capacity.offload.offload_prompt_only;
  if (offload) {
    const auto layout = sizes.layout(p);
    if (!layout) return fail(layout.error());
    const auto chunks = model::host_chunks(*layout, Bytes(p.capacity.host_bytes), c.blocks_per_chunk);
    if (!chunks) return fail(chunks.error());
    c.host_chunks = chunks->v;
  }
  return cache::with_rules_of(c, p.engine.version);
}

// The reason of a request in one line: that of its largest part.
std::string largest(const std::vector<cache::Because>& parts) {
  const auto most = std::max_element(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.tokens < b.tokens; });
  return most == parts.end() ? std::string() : most->reason;
}

void read_requests(ArmFacts& out, const plan::Plan& seen, const ModelSizes& sizes) {
  out.block_size = seen.capacity.block_size;
  out.count = plan::request_count(seen);
  const auto config = config_of(seen, out.offload, sizes);
  if (!config) {
    out.requests_why = words(config.error().sentence());
    return;
  }
  out.gpu_blocks = config->gpu_blocks;
  out.host_blocks = config->host_chunks * config->blocks_per_chunk;
  const auto& w = seen.workload;
  if (w.kind == workload::Spec::Kind::trace) {
    out.requests_why = QObject::tr("The requests of a trace are counted when it is read. Predict shows its curve.");
    return;
  }
  const std::int64_t n = out.count.value_or(0);
  if (n > most_listed || (n > 0 && w.tokens + w.rounds * w.turn_tokens > most_listed_tokens / n)) {
    out.requests_why = QObject::tr("%L1 requests are too many to list here. The run predicts each of them before it is sent.").arg(n);
    return;
  }
  auto list = cache::plan_session(w, *config, seen.warmup.min_requests, 0, {});
  if (!list) {
    out.requests_why = words(list.error().sentence());
    return;
  }
  std::vector<std::vector<cache::Because>> because;
  if (n <= most_explained) {
    std::vector<cache::Input> inputs;
    std::vector<std::string> names;
    for (const auto& r : *list) {
      inputs.push_back({{r.prompt_tokens, r.output_tokens, r.block_hashes}, false, false});
      names.push_back(r.warmup ? "warm-up" : "document " + std::to_string(r.document + 1) + ", round " + std::to_string(r.round));
    }
    if (auto told = cache::explain(*config, inputs, names, seen.warmup.min_requests)) because = std::move(*told);
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    PlannedRequest& r = (*list)[i];
    r.prompt = {};
    r.block_hashes = {};
    out.warmups += r.warmup ? 1 : 0;
    out.requests.push_back({std::move(r), i < because.size() ? largest(because[i]) : std::string()});
  }
}

void compare_arms(PlanFacts& f) {
  const auto off = f.arms.find("off"), on = f.arms.find("on");
  if (off == f.arms.end() || on == f.arms.end()) return;
  mark(off->second.command, on->second.command);
  mark(on->second.command, off->second.command);
  mark(off->second.environment, on->second.environment);
  mark(on->second.environment, off->second.environment);
  // Every other arm is shown against the baseline.
  for (auto& [name, arm] : f.arms)
    if (name != "off" && name != "on") {
      mark(arm.command, off->second.command);
      mark(arm.environment, off->second.environment);
    }
  if (!off->second.command_why.isEmpty()) {
    f.compared_difference = off->second.command_why;
    return;
  }
  const auto adapter = engine::make_adapter(f.plan.engine.adapter);
  QStringList other;
  int lines = 0;
  for (const auto* arm : {&off->second, &on->second})
    for (const auto* list : {&arm->command, &arm->environment})
      for (const auto& l : *list)
        if (l.differs) {
          ++lines;
          if (!adapter || !(*adapter)->is_offload_setting(l.key.toStdString())) other << l.key;
        }
  f.only_offload_differs = other.isEmpty() && lines > 0;
  if (!other.isEmpty())
    f.compared_difference = QObject::tr("The arms also differ in %1: the comparison would not be of the tier alone.").arg(other.join(QStringLiteral(", ")));
  else if (lines == 0)
    f.compared_difference = QObject::tr("The arms do not differ: nothing would be measured.");
  else
    f.compared_difference = lines == 1 ? QObject::tr("The marked line is the only difference between the arms; the port differs from server to server.")
                                       : QObject::tr("The %1 marked lines are the only difference between the arms; the port differs from server to server.").arg(lines);
}

}  // namespace

PlanFacts facts_of(const plan::Plan& written, const QString& folder, const ModelSizes& sizes, const QString& resources, int port) {
  PlanFacts f;
  f.hash = words(plan::hash(written));
  const plan::Plan plan = folder.isEmpty() ? written : plan::with_paths_from(written, folder.toStdString());
  f.plan = plan;
  f.sessions = plan::schedule(plan);
  for (const auto& arm : plan.arms) {
    const auto seen = plan::for_arm(plan, arm.name);
    ArmFacts& facts = f.arms[arm.name];
    facts.offload = arm.offload;
    if (!seen) {
      facts.command_why = facts.requests_why = words(seen.error().sentence());
      continue;
    }
    read_command(facts, *seen, resources.toStdString(), port);
    read_requests(facts, *seen, sizes);
    const auto time = experiment::session_time(*seen, preset_cost);
    facts.seconds = time.seconds;
    if (!time.seconds) f.seconds_why = words(time.why);
  }
  f.requests = 0;
  f.seconds = 0;
  for (const auto& s : f.sessions) {
    const auto arm = f.arms.find(s.arm);
    if (arm == f.arms.end() || !arm->second.count) f.requests.reset();
    else if (f.requests) *f.requests += *arm->second.count;
    if (arm == f.arms.end() || !arm->second.seconds) f.seconds.reset();
    else if (f.seconds) *f.seconds += *arm->second.seconds;
  }
  for (const auto& [name, arm] : f.arms)
    if (!f.engine_fault) f.engine_fault = arm.command_fault;
  compare_arms(f);
  const auto layout = sizes.layout(plan);
  f.warnings = plan::warnings(plan, layout ? std::optional(layout->bytes_per_token_all_ranks) : std::nullopt);
  if (!layout) f.warnings.push_back({"model", "The KV size of the model cannot be told: " + layout.error().sentence(), {}});
  f.power = analysis::power_table(assumed_spread, plan.smallest_effect, std::clamp(plan.schedule.pairs + 2, 4, 8));
  return f;
}

}  // namespace kvcliff::ui
