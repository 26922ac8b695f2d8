// SPDX-License-Identifier: GPL-3.0-or-later
#include "reconcile/load.h"

#include <fmt/format.h>

#include "base/clock.h"
#include "base/text.h"
#include "wire/kv_events.h"

namespace kvcliff::reconcile {
namespace {

std::vector<plan::SessionPlan> schedule_from(const Json& j) {
  std::vector<plan::SessionPlan> out;
  if (!j.is_array()) return out;
  for (const auto& s : j)
    out.push_back({s.value("ordinal", 0), s.value("arm", std::string()), s.value("conditioning", false), s.value("pair", -1)});
  return out;
}

// The emulator's preset says whether its times were measured or assumed; it stands among its own arguments.
std::string times_origin(const plan::Plan& p, bool simulated) {
  if (!simulated) return {};
  const auto& a = p.engine.extra_args;
  std::string preset = "rtx5070";
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == "--emulate-preset" && i + 1 < a.size()) preset = a[i + 1];
    if (a[i].rfind("--emulate-preset=", 0) == 0) preset = a[i].substr(17);
  }
  const bool measured = preset.find("h200") != std::string::npos;
  if (!measured) return "assumed (" + preset + ")";
  const bool eight = preset.find("8b") != std::string::npos;
  return std::string("as measured on an H200 with ") + (eight ? "an 8B model (" : "a 0.6B model in eager mode (") + preset + ")";
}

/// Emulated times may be shortened for a demonstration. What the client and this machine add is not, so ratios suffer too.
std::string shortened(const ExperimentInput& in) {
  if (!in.simulated) return {};
  double scale = 1;
  const auto read = [&](const std::vector<std::string>& argv) {
    static constexpr std::string_view flag = "--emulate-time-scale";
    for (std::size_t i = 0; i < argv.size(); ++i) {
      const std::string_view word = argv[i];
      if (word == flag && i + 1 < argv.size()) scale = parse_double(argv[i + 1]).value_or(scale);
      if (word.starts_with(flag) && word.size() > flag.size() && word[flag.size()] == '=') scale = parse_double(word.substr(flag.size() + 1)).value_or(scale);
    }
  };
  read(in.plan.engine.extra_args);
  for (const auto& s : in.sessions) read(s.record.argv);
  return scale == 1 ? std::string() : fmt::format(", {} to {:g} of their length (what client and machine add is not)", scale < 1 ? "shortened" : "stretched", scale);
}

/// What the run itself knew of the model, from the journal; nullopt in journals older than that note.
std::optional<std::int64_t> bytes_when_run(const Json& host, const std::string& arm) {
  if (!host.is_object() || !host.contains("model") || !host["model"].is_object()) return std::nullopt;
  const Json sizes = host["model"].value("kv_bytes_per_token", Json::object());
  if (!sizes.is_object() || !sizes.contains(arm) || !sizes[arm].is_number_integer()) return std::nullopt;
  return sizes[arm].get<std::int64_t>();
}

// Absent where none were asked for; otherwise also when none came.
std::optional<wire::KvTally> tally_of(const journal::Reader& reader, const SessionRecord& record) {
  if (!wire::asks_for_kv_events(record.argv)) return std::nullopt;
  const auto stored = reader.kv_events(record.id);
  wire::KvTally out;
  if (!stored) return out;
  for (const auto& one : *stored) {
    const auto message = wire::unpack_kv_message(one, "kv_events");
    if (!message) continue;
    if (const auto batch = wire::parse_kv_events(message->payload, "kv_events")) out.add(message->sequence, *batch);
    else out.add_unreadable(message->sequence);
  }
  return out;
}

Result<SessionInput> load_session(const journal::Reader& reader, SessionRecord record, const plan::Plan& whole,
                                  const Json& host, const LoadOptions& options) {
  SessionInput s;
  auto arm_plan = plan::for_arm(whole, record.arm);
  if (!arm_plan) return fail(arm_plan.error());
  s.plan = std::move(*arm_plan);
  if (const auto* arm = plan::find_arm(whole, record.arm)) s.offload = arm->offload;
  bool stopped = false;
  const auto read = reader.for_each_request(record.id, options.depth, [&](RequestRecord&& r) {
    stopped = options.go_on && !options.go_on();
    if (!stopped) s.requests.push_back(std::move(r));
    return !stopped;
  });
  if (!read) return fail(read.error());
  if (stopped)
    return fail(ErrorCode::interrupted, "The journal was not read to its end", reader.path(), "the user stopped it", "Run it again; nothing was changed");
  const auto scrape = [&](std::int64_t id) -> std::optional<CounterSnapshot> {
    if (id == 0) return std::nullopt;
    auto snapshot = reader.scrape(id);
    return snapshot ? std::optional(std::move(*snapshot)) : std::nullopt;
  };
  s.identity = scrape(record.identity_scrape);
  s.last = scrape(record.last_scrape);
  s.kv = recorded_kv(host, record.arm, s.plan, options);
  s.kv_events = tally_of(reader, record);
  s.record = std::move(record);
  return s;
}
}  // namespace

KvFacts recorded_kv(const Json& host, const std::string& arm, const plan::Plan& plan, const LoadOptions& options) {
  const auto then = bytes_when_run(host, arm);
  if (!plan.model.config.empty()) {
    if (!then) return {std::nullopt, "the journal does not hold the KV size of its model, and the file that its plan names is one of the machine that measured"};
  } else if (options.kv) {
    auto now = options.kv(plan);
    if (now && (!then || now->bytes_per_token == then)) return std::move(*now);
    if (!now && !then) return {std::nullopt, now.error().sentence()};
  } else if (!then) {
    return {std::nullopt, "no model catalogue was at hand"};
  }
  return {then, "as computed when the run was made, from the model that it used"};
}

const Json* recorded_model(const Json& host) {
  if (!host.is_object()) return nullptr;
  const auto model = host.find("model");
  if (model == host.end() || !model->is_object()) return nullptr;
  const auto config = model->find("config");
  return config != model->end() && config->is_object() ? &*config : nullptr;
}

Result<ExperimentInput> load(const journal::Reader& reader, const std::string& selector, const LoadOptions& options) {
  auto record = reader.experiment(selector);
  if (!record) return fail(record.error());
  ExperimentInput out;
  out.run_id = record->uid;
  out.name = record->name;
  out.plan_hash = record->plan_hash;
  out.method_version = record->method_version;
  out.program_version = record->program_version;
  out.created = iso8601(record->created);
  out.journal = reader.path();
  out.simulated = record->simulated;
  out.host = record->host;
  out.schedule = schedule_from(record->schedule);
  const auto parsed = plan::parse_stored(record->plan_text, "the plan stored in " + reader.path());
  if (!parsed.valid())
    return fail(ErrorCode::corrupt, "The stored plan cannot be read", reader.path() + ", experiment " + record->uid,
                parsed.faults.front().field + ": " + parsed.faults.front().what, "it may have been written by a newer version");
  out.plan = parsed.plan;
  out.imported = record->engine.rfind("imported from ", 0) == 0;
  out.attached = record->engine == "attach" || out.plan.engine.adapter == "attach";
  auto sessions = reader.sessions(record->id);
  if (!sessions) return fail(sessions.error());
  for (auto& s : *sessions) {
    out.simulated = out.simulated || s.effective.simulated;
    if (s.state != SessionState::finished) {
      out.others.push_back(std::move(s));
      continue;
    }
    auto loaded = load_session(reader, std::move(s), out.plan, out.host, options);
    if (!loaded) return fail(loaded.error());
    out.sessions.push_back(std::move(*loaded));
  }
  // Attempts of one ordinal: only the last finished one counts; earlier ones stay listed as superseded.
  for (std::size_t i = 0; i < out.sessions.size();) {
    const auto& s = out.sessions[i].record;
    const bool later = std::any_of(out.sessions.begin(), out.sessions.end(), [&](const SessionInput& o) {
      return o.record.ordinal == s.ordinal && o.record.attempt > s.attempt;
    });
    if (!later) {
      ++i;
      continue;
    }
    out.others.push_back(s);
    out.others.back().state = SessionState::superseded;
    out.sessions.erase(out.sessions.begin() + static_cast<std::ptrdiff_t>(i));
  }
  std::stable_sort(out.sessions.begin(), out.sessions.end(),
                   [](const SessionInput& a, const SessionInput& b) { return a.record.ordinal < b.record.ordinal; });
  out.times_origin = times_origin(out.plan, out.simulated) + shortened(out);
  auto notices = reader.notices(record->id);
  if (notices)
    for (auto& n : *notices) out.notices.push_back({n.severity, n.text});
  return out;
}

}  // namespace kvcliff::reconcile
