// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/units.h"
#include "workload/spec.h"

namespace kvcliff::plan {

inline constexpr std::string_view schema_name = "kvcliff.plan/1";

struct EngineSpec {
  std::string adapter = "emulator";              ///< emulator | vllm | attach
  std::string version;                           ///< asked for; empty = any
  std::string environment;                       ///< name or path of an engine environment; empty = PATH
  std::vector<std::string> extra_args;
  std::map<std::string, std::string> extra_env;
  bool operator==(const EngineSpec&) const = default;
};

struct LauncherSpec {
  std::string kind = "local";                    ///< local | ssh | container | slurm
  std::map<std::string, std::string> options;    ///< host, image, partition, ... (strings)
  bool operator==(const LauncherSpec&) const = default;
};

struct ModelSpec {
  std::string id = "qwen3-0.6b";                 ///< catalogue id, or
  std::string config;                            ///< path of a config.json (model folder's)
  std::string kv_dtype = "auto";
  int tp = 1, pp = 1;
  bool dummy_weights = true;
  bool operator==(const ModelSpec&) const = default;
};

struct OffloadSpec {
  bool offload_prompt_only = true;
  std::string policy = "lru";                    ///< lru | arc
  std::int64_t blocks_per_chunk = 1;
  bool operator==(const OffloadSpec&) const = default;
};

struct CapacitySpec {
  std::int64_t block_size = 16;                  ///< tokens
  std::int64_t gpu_blocks = 385;                 ///< as passed to the engine: null block included
  std::int64_t host_bytes = 0;                   ///< of the arms with a tier, all ranks
  OffloadSpec offload;
  bool operator==(const CapacitySpec&) const = default;
};

/// One server configuration. `overrides` are JSON members of `capacity`, `workload`, `model` or `engine` that replace
/// the plan's for this arm ("capacity.gpu_blocks": 2000), so that everything not named stays equal.
struct Arm {
  std::string name;                              ///< off | on | control | no-reuse | a/a | equal-memory | ...
  bool offload = false;
  std::map<std::string, Json> overrides;         ///< dotted path -> value
  bool operator==(const Arm&) const = default;
};

struct ScheduleSpec {
  int pairs = 2;
  std::string first = "off";                     ///< off | on: which arm comes first
  int conditioning = 0;                          ///< discarded sessions before the pairs
  std::vector<std::string> controls{"control"};
  std::string calibration;                       ///< arm name of the calibration ladder; empty = none
  std::string server = "fresh";                  ///< fresh | kept: sessions that follow each other with one command line may
                                                 ///< share a server, its caches emptied between them (never compared pairs)
  bool operator==(const ScheduleSpec&) const = default;
};

struct LoadSpec {
  enum class Mode { serial, closed, open };
  Mode mode = Mode::serial;
  int concurrency = 1;                           ///< closed
  double rate = 0;                               ///< open: requests per second
  bool poisson = true;                           ///< open: Poisson or constant
  bool operator==(const LoadSpec&) const = default;
};

struct WarmupSpec {
  int min_requests = 1;
  int max_requests = 6;
  double steady_ratio = 0.15;                    ///< TTFT of two neighbours within this share = steady
  bool operator==(const WarmupSpec&) const = default;
};

struct SettleSpec {
  int quiet_ms = 50;                             ///< two equal scrapes this far apart
  int timeout_ms = 10'000;
  bool operator==(const SettleSpec&) const = default;
};

struct LimitSpec {
  double start_s = 600;                          ///< silence of the starting engine
  double idle_s = 120;                           ///< silence inside a stream
  double total_s = 900;                          ///< one request
  double stop_s = 30;                            ///< grace after SIGTERM
  SettleSpec settle;
  bool operator==(const LimitSpec&) const = default;
};

struct CostCeiling {
  std::optional<double> seconds;
  std::optional<double> money;
  double money_per_hour = 0;
  bool operator==(const CostCeiling&) const = default;
};

/// An experiment as a value: schema kvcliff.plan/1.
struct Plan {
  std::string name = "experiment";
  EngineSpec engine;
  LauncherSpec launcher;
  ModelSpec model;
  CapacitySpec capacity;
  workload::Spec workload;
  std::vector<Arm> arms;
  ScheduleSpec schedule;
  LoadSpec load;
  WarmupSpec warmup;
  LimitSpec limits;
  std::map<std::string, bool> gates;             ///< check id -> false switches that gate off (and is said on exports)
  double smallest_effect = 0.05;                 ///< d of the verdict
  std::optional<CostCeiling> cost_ceiling;
  bool keep_raw = true;
  bool operator==(const Plan&) const = default;
};

/// One fault of a plan, at its place ("capacity.gpu_blocks").
struct Fault {
  std::string field;
  std::string what;   ///< finished sentence
  std::string next;
};

/// Reads a plan. Every fault is found at once (unknown fields are faults); `plan` is filled as far as it goes.
struct Parsed {
  Plan plan;
  std::vector<Fault> faults;
  bool valid() const { return faults.empty(); }
};
Parsed parse(const Json& json);
/// As parse; also finds names that stand twice in one object. `where` names the source in messages.
Parsed parse_text(std::string_view text, const std::string& where);
/// A plan out of a journal, as it was run: what only concerns a launch is no fault here (a rule may be younger than the run).
Parsed parse_stored(std::string_view text, const std::string& where);
/// A file that cannot be read is the one fault, with an empty field.
Parsed parse_file(const std::string& path);
/// Why a launcher's option cannot stand on a command line: it begins with "-", or holds a control character or a blank that
/// it has no use for. Asked again before anything is started.
std::optional<Fault> launcher_word_fault(const std::string& option, const std::string& value);
/// Faults of a plan in memory (the window's editor uses this after each change).
std::vector<Fault> validate(const Plan& plan);
Json to_json(const Plan& plan);
/// What is allowed and yet likely not meant, as finished sentences with their field. `kv_bytes_per_token` (all ranks)
/// lets the host tier be compared with the GPU cache; without it that comparison is left out.
std::vector<Fault> warnings(const Plan& plan, std::optional<std::int64_t> kv_bytes_per_token = std::nullopt);
/// SHA-256 hex over the canonical JSON (RFC 8785) of to_json: fields left out hash as their defaults.
std::string hash(const Plan& plan);

/// One server to be started.
struct SessionPlan {
  int ordinal = 0;
  std::string arm;
  bool conditioning = false;   ///< measured and journalled, discarded in statistics
  int pair = -1;               ///< pair number of compared sessions; -1: control, calibration, conditioning
};
/// ABBA, BAAB, ... then the controls. Source: experiment notes, section 1.
std::vector<SessionPlan> schedule(const Plan& plan);
/// The plan as one arm sees it: overrides applied; arms and schedule stay. Errors: bad_usage (no such arm, an override
/// that is not a value of the plan).
Result<Plan> for_arm(const Plan& plan, const std::string& arm);
/// The arm's entry; nullptr when there is none.
const Arm* find_arm(const Plan& plan, const std::string& name);
/// Relative paths of the plan (model.config, workload.trace) made relative to `folder`, the plan file's own.
Plan with_paths_from(Plan plan, const std::string& folder);

/// Whole requests of one session as this (arm's) plan sees it, warm-up left out; nullopt for a trace without a limit.
std::optional<std::int64_t> request_count(const Plan& plan);
/// Blocks that the documents of the workload keep in a cache (full blocks of prompt and output); nullopt for a trace.
std::optional<Blocks> working_set(const Plan& plan);

}  // namespace kvcliff::plan
