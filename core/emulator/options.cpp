// SPDX-License-Identifier: GPL-3.0-or-later
#include "emulator/options.h"

#include <cstdlib>
#include <functional>

#include "base/text.h"

namespace kvcliff::emulator {
namespace {

enum class Kind { text, integer, real, flag, json, size };
struct Flag {
  const char* name;
  Kind kind;
  int from = 0;              ///< first minor release that knows it
  const char* help = "";
};

// vLLM's flags that a workbench passes; those without effect here are accepted like the others.
constexpr Flag flags[] = {
    {"model", Kind::text}, {"host", Kind::text}, {"port", Kind::integer}, {"served-model-name", Kind::text},
    {"block-size", Kind::integer}, {"num-gpu-blocks-override", Kind::integer}, {"kv-cache-memory-bytes", Kind::size},
    {"gpu-memory-utilization", Kind::real}, {"kv-offloading-size", Kind::real, 14},
    {"kv-offloading-backend", Kind::text, 14}, {"kv-transfer-config", Kind::json}, {"kv-events-config", Kind::json},
    {"max-model-len", Kind::size}, {"max-num-seqs", Kind::integer}, {"max-num-batched-tokens", Kind::size},
    {"tensor-parallel-size", Kind::integer}, {"pipeline-parallel-size", Kind::integer}, {"seed", Kind::integer},
    {"shutdown-timeout", Kind::real, 18}, {"enable-prefix-caching", Kind::flag}, {"enable-chunked-prefill", Kind::flag},
    {"enable-prompt-tokens-details", Kind::flag}, {"enable-request-id-headers", Kind::flag},
    {"enable-force-include-usage", Kind::flag}, {"enable-per-request-metrics", Kind::flag, 25},
    {"disable-log-stats", Kind::flag}, {"disable-log-requests", Kind::flag}, {"enable-log-requests", Kind::flag},
    {"disable-uvicorn-access-log", Kind::flag}, {"enforce-eager", Kind::flag}, {"trust-remote-code", Kind::flag},
    {"disable-hybrid-kv-cache-manager", Kind::flag}, {"async-scheduling", Kind::flag}, {"dtype", Kind::text},
    {"kv-cache-dtype", Kind::text}, {"load-format", Kind::text}, {"tokenizer", Kind::text}, {"tokenizer-mode", Kind::text},
    {"revision", Kind::text}, {"quantization", Kind::text}, {"uvicorn-log-level", Kind::text}, {"api-key", Kind::text},
    {"prefix-caching-hash-algo", Kind::text}, {"api-server-count", Kind::integer}, {"chat-template", Kind::text},
    {"compilation-config", Kind::text}, {"distributed-executor-backend", Kind::text}, {"swap-space", Kind::real},
    {"cpu-offload-gb", Kind::real}, {"attention-backend", Kind::text}, {"generation-config", Kind::text},
    {"hf-overrides", Kind::json}, {"language-model-only", Kind::flag}, {"skip-tokenizer-init", Kind::flag},
    {"emulate-generation", Kind::text, 0, "release to behave like, 0.10 to 0.32"},
    {"emulate-preset", Kind::text, 0, "rtx5070 (default), h200-8b, h200-0.6b-eager"},
    {"emulate-time-scale", Kind::real, 0, "0.01 is a hundred times faster"},
    {"emulate-noise", Kind::real, 0, "multiplies the preset's noise; 0 is none"},
    {"emulate-noise-seed", Kind::integer, 0, "fixes the noise; otherwise different in each process"},
    {"emulate-session", Kind::integer, 0, "ordinal of the session, for drift (or KVCLIFF_EMULATE_SESSION)"},
    {"emulate-drift", Kind::real, 0, "0.03: each session is 3 % slower than the one before"},
    {"emulate-drift-per-request", Kind::real, 0, "the same within a session"},
    {"emulate-session-effect", Kind::real, 0, "0.05: sessions differ with an SD of 5 %"},
    {"emulate-merge-tokens", Kind::real, 0, "share of streams whose last two tokens come in one event"},
    {"emulate-lie", Kind::text, 0, "NAME or NAME:N, may be repeated; --emulate-lie help lists them"},
    {"emulate-fault", Kind::text, 0, "die-loading oom hang-start hang-stop kill-core[:TOKENS] slow-metrics metrics-500 unready"},
    {"emulate-startup-seconds", Kind::real, 0, "time until the server is ready (scaled)"},
    {"emulate-pin-memory", Kind::flag, 0, "really hold the memory that the host tier would pin"},
    {"emulate-processes", Kind::flag, 0, "start a second process named VLLM::EngineCore (default)"},
};

const Flag* find_flag(const std::string& name) {
  for (const Flag& f : flags)
    if (name == f.name) return &f;
  return nullptr;
}

std::string usage() {
  return "usage: vllm [-h] [-v]\n            {chat,complete,serve,launch,bench,collect-env,run-batch}\n            ...\n";
}

std::string help_text(const Options& o) {
  std::string out = "usage: vllm serve [model_tag] [options]\n\nSimulated vLLM " + o.generation.version +
                    " (KV Cliff emulator): no model is loaded, times are a model's.\n\npositional arguments:\n  model_tag\n\noptions:\n"
                    "  -h, --help\n  -v, --version\n";
  for (const Flag& f : flags) {
    if (f.from > o.generation.minor) continue;
    out += std::string("  --") + f.name + (f.kind == Kind::flag ? ", --no-" + std::string(f.name) : " VALUE");
    if (*f.help) out += std::string("\n        ") + f.help;
    out += "\n";
  }
  return out;
}

// 32k, 1K, 2.5m as vLLM's human-readable integers: lower case powers of 1000, upper case of 1024.
std::optional<std::int64_t> parse_size(std::string_view s) {
  if (const auto n = parse_int(s)) return n;
  if (s.size() < 2) return std::nullopt;
  const auto value = parse_double(s.substr(0, s.size() - 1));
  if (!value || !(*value >= 0) || *value > 1e9) return std::nullopt;
  const std::string_view units = "kmgtKMGT";
  const auto at = units.find(s.back());
  if (at == units.npos) return std::nullopt;
  double factor = 1;
  for (std::size_t i = 0; i <= at % 4; ++i) factor *= at < 4 ? 1000 : 1024;
  const double out = *value * factor;
  if (out > 9e18) return std::nullopt;
  return static_cast<std::int64_t>(out);
}

struct Value {
  std::string text;
  std::int64_t integer = 0;
  double real = 0;
  bool flag = false;
  Json json;
};

using Setter = std::function<std::string(Options&, const Value&)>;  ///< returns an error text or nothing
const std::map<std::string, Setter>& setters() {
  const auto text = [](std::string Options::*m) { return Setter([m](Options& o, const Value& v) { o.*m = v.text; return std::string(); }); };
  const auto flag = [](bool Options::*m, bool inverse = false) { return Setter([m, inverse](Options& o, const Value& v) { o.*m = v.flag != inverse; return std::string(); }); };
  const auto real = [](double Options::*m, double low, double high) {
    return Setter([m, low, high](Options& o, const Value& v) {
      if (!(v.real >= low && v.real <= high)) return fmt::format("value must lie in [{}, {}]", low, high);
      o.*m = v.real;
      return std::string();
    });
  };
  const auto positive = [](std::int64_t Options::*m) {
    return Setter([m](Options& o, const Value& v) {
      if (v.integer < 1) return std::string("value must be at least 1");
      o.*m = v.integer;
      return std::string();
    });
  };
  const auto maybe = [](std::optional<std::int64_t> Options::*m) {
    return Setter([m](Options& o, const Value& v) {
      if (v.integer < 1) return std::string("value must be at least 1");
      o.*m = v.integer;
      return std::string();
    });
  };
  static const std::map<std::string, Setter> all{
      {"model", text(&Options::model)}, {"host", text(&Options::host)}, {"dtype", text(&Options::dtype)},
      {"kv-cache-dtype", text(&Options::kv_cache_dtype)}, {"load-format", text(&Options::load_format)},
      {"kv-offloading-backend", text(&Options::kv_offloading_backend)},
      {"served-model-name", [](Options& o, const Value& v) { o.served_names.push_back(v.text); return std::string(); }},
      {"port", [](Options& o, const Value& v) {
         if (v.integer < 0 || v.integer > 65535) return std::string("port must lie in [0, 65535]");
         o.port = static_cast<int>(v.integer);
         return std::string();
       }},
      {"seed", [](Options& o, const Value& v) { o.seed = static_cast<std::uint64_t>(v.integer); return std::string(); }},
      {"block-size", positive(&Options::block_size)}, {"max-num-seqs", positive(&Options::max_num_seqs)},
      {"max-num-batched-tokens", positive(&Options::max_num_batched_tokens)},
      {"tensor-parallel-size", positive(&Options::tensor_parallel)},
      {"num-gpu-blocks-override", maybe(&Options::num_gpu_blocks)},
      {"kv-cache-memory-bytes", maybe(&Options::kv_cache_memory_bytes)}, {"max-model-len", maybe(&Options::max_model_len)},
      {"kv-offloading-size", [](Options& o, const Value& v) {
         if (!(v.real > 0 && v.real < 1e7)) return std::string("value must be positive");
         o.kv_offloading_gib = v.real;
         return std::string();
       }},
      {"kv-transfer-config", [](Options& o, const Value& v) { o.kv_transfer = v.json; return std::string(); }},
      {"kv-events-config", [](Options& o, const Value& v) {
         const auto on = v.json.find("enable_kv_cache_events");
         const auto publisher = v.json.find("publisher"), endpoint = v.json.find("endpoint");
         if (on == v.json.end() || *on != true || (publisher != v.json.end() && *publisher == "null")) return std::string();
         o.kv_events_endpoint = endpoint != v.json.end() && endpoint->is_string() ? endpoint->get<std::string>() : "tcp://*:5557";
         return std::string();
       }},
      {"gpu-memory-utilization", real(&Options::gpu_memory_utilization, 0, 1)},
      {"shutdown-timeout", real(&Options::shutdown_timeout_s, 0, 1e6)},
      {"enable-prefix-caching", flag(&Options::prefix_caching)}, {"enforce-eager", flag(&Options::enforce_eager)},
      {"enable-prompt-tokens-details", flag(&Options::prompt_tokens_details)},
      {"enable-request-id-headers", flag(&Options::request_id_headers)},
      {"enable-force-include-usage", flag(&Options::force_include_usage)},
      {"enable-per-request-metrics", flag(&Options::per_request_metrics)},
      {"disable-log-stats", flag(&Options::disable_log_stats)},
      {"disable-uvicorn-access-log", flag(&Options::access_log, true)},
      {"emulate-time-scale", real(&Options::time_scale, 1e-6, 1e3)}, {"emulate-noise", real(&Options::noise, 0, 100)},
      {"emulate-noise-seed", [](Options& o, const Value& v) { o.noise_seed = static_cast<std::uint64_t>(v.integer); return std::string(); }},
      {"emulate-session", [](Options& o, const Value& v) { o.session_ordinal = v.integer; return std::string(); }},
      {"emulate-drift", real(&Options::drift, -0.9, 10)}, {"emulate-drift-per-request", real(&Options::drift_per_request, -1e-3, 1)},
      {"emulate-session-effect", real(&Options::session_effect, 0, 2)},
      {"emulate-merge-tokens", real(&Options::merge_tokens, 0, 1)},
      {"emulate-startup-seconds", real(&Options::startup_s, 0, 1e5)}, {"emulate-pin-memory", flag(&Options::pin_memory)},
      {"emulate-processes", flag(&Options::processes)},
      {"emulate-preset", [](Options& o, const Value& v) {
         const Timing* t = find_preset(v.text);
         if (!t) return std::string("unknown preset (rtx5070, h200-8b, h200-0.6b-eager)");
         o.timing = *t;
         return std::string();
       }},
      {"emulate-lie", [](Options& o, const Value& v) {
         const auto lie = parse_lie(v.text);
         if (!lie) return std::string("unknown lie; --emulate-lie help lists them");
         o.lies.add(*lie);
         return std::string();
       }},
      {"emulate-fault", [](Options& o, const Value& v) {
         static const std::map<std::string, Fault, std::less<>> names{
             {"none", Fault::none}, {"die-loading", Fault::die_loading}, {"oom", Fault::oom}, {"hang-start", Fault::hang_start},
             {"hang-stop", Fault::hang_stop}, {"kill-core", Fault::kill_core}, {"slow-metrics", Fault::slow_metrics},
             {"metrics-500", Fault::metrics_500}, {"unready", Fault::unready_health}};
         const auto parts = split(v.text, ':');
         const auto at = names.find(parts[0]);
         const auto n = parts.size() == 2 ? parse_int(parts[1]) : std::optional<std::int64_t>(4);
         if (at == names.end() || parts.size() > 2 || !n || *n < 0) return std::string("unknown fault");
         o.fault = at->second;
         o.fault_at = *n;
         return std::string();
       }},
  };
  return all;
}

Parsed failure(Parsed p, const std::string& text) {
  p.exit_code = 2;
  p.err = usage() + text + "\n";
  return p;
}

std::string fault_help() {
  return "die-loading        ends while it loads\noom                ends for want of GPU memory\nhang-start         never goes on with its start\n"
         "hang-stop          ignores SIGTERM\nkill-core[:N]      its engine core dies after N tokens of a stream (4)\n"
         "slow-metrics       answers /metrics late\nmetrics-500        answers /metrics with an error\nunready            /health stays at 503\n";
}

std::string lie_help() {
  std::string out;
  for (const auto& e : lie_table()) out += fmt::format("{:<22} {} (noticed by {})\n", e.name, e.what, e.caught_by);
  return out;
}

}  // namespace

Parsed parse_arguments(std::vector<std::string> args, const std::map<std::string, std::string>& env) {
  Parsed p;
  Options& o = p.options;
  o.timing = *find_preset("rtx5070");
  const auto truthy = [&](const char* name) {
    const auto at = env.find(name);
    return at != env.end() && !at->second.empty() && at->second != "0" && at->second != "False" && at->second != "false";
  };
  o.dev_mode = truthy("VLLM_SERVER_DEV_MODE");
  o.simple_offload = truthy("VLLM_USE_SIMPLE_KV_OFFLOAD");
  o.created_series = !truthy("PROMETHEUS_DISABLE_CREATED_SERIES");
  if (const auto at = env.find("KVCLIFF_EMULATE_SESSION"); at != env.end())
    o.session_ordinal = parse_int(at->second).value_or(0);

  if (!args.empty() && args.front() == "serve") args.erase(args.begin());
  // The release decides which flags exist, so it is read first.
  for (std::size_t i = 0; i < args.size(); ++i) {
    std::string value;
    if (args[i].rfind("--emulate-generation=", 0) == 0) value = args[i].substr(21);
    else if (args[i] == "--emulate-generation" && i + 1 < args.size()) value = args[i + 1];
    else continue;
    const auto g = parse_generation(value);
    if (!g) return failure(p, "vllm serve: error: argument --emulate-generation: unknown release '" + value + "' (0.10 to 0.32)");
    o.generation = *g;
  }

  std::vector<std::string> unknown;
  bool model_given = false;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const std::string& arg = args[i];
    if (arg == "-h" || arg == "--help" || arg.rfind("--help=", 0) == 0) {
      p.exit_code = 0;
      p.out = help_text(o);
      return p;
    }
    if (arg == "-v" || arg == "--version") {
      p.exit_code = 0;
      p.out = o.generation.version + "+simulated\n";
      return p;
    }
    if (arg.size() < 2 || arg[0] != '-' || (arg[1] != '-' && arg != "-tp")) {
      if (model_given || arg.empty() || arg[0] == '-') unknown.push_back(arg);
      else o.model = arg;
      o.non_default.emplace_back("model_tag", "'" + arg + "'");
      model_given = true;
      continue;
    }
    const auto eq = arg.find('=');
    std::string name = arg == "-tp" ? "tensor-parallel-size" : arg.substr(2, eq == arg.npos ? arg.npos : eq - 2);
    for (char& c : name) c = c == '_' ? '-' : c;
    bool negative = false;
    const Flag* f = find_flag(name);
    if (!f && name.rfind("no-", 0) == 0) {
      f = find_flag(name.substr(3));
      negative = f && f->kind == Kind::flag;
      if (!negative) f = nullptr;
    }
    if (!f || f->from > o.generation.minor) {
      unknown.push_back(arg);
      continue;
    }
    const std::string shown = std::string("vllm serve: error: argument --") + f->name + ": ";
    Value v;
    if (f->kind == Kind::flag) {
      if (eq != arg.npos) return failure(p, shown + "ignored explicit argument '" + arg.substr(eq + 1) + "'");
      v.flag = !negative;
    } else {
      if (eq != arg.npos) v.text = arg.substr(eq + 1);
      else if (i + 1 < args.size() && (args[i + 1].rfind("--", 0) != 0)) v.text = args[++i];
      else return failure(p, shown + "expected one argument");
    }
    if (f->kind == Kind::integer) {
      const auto n = parse_int(v.text);
      if (!n) return failure(p, shown + "invalid int value: '" + v.text + "'");
      v.integer = *n;
    } else if (f->kind == Kind::size) {
      const auto n = parse_size(v.text);
      if (!n) return failure(p, shown + "invalid int value: '" + v.text + "'");
      v.integer = *n;
    } else if (f->kind == Kind::real) {
      const auto n = parse_double(v.text);
      if (!n) return failure(p, shown + "invalid float value: '" + v.text + "'");
      v.real = *n;
    } else if (f->kind == Kind::json) {
      const auto parsed = parse_json(v.text, std::string("--") + f->name);
      if (!parsed || !parsed->is_object()) return failure(p, shown + "Value " + v.text + " cannot be converted to <class 'dict'>.");
      v.json = *parsed;
    }
    if ((std::string_view(f->name) == "emulate-lie" || std::string_view(f->name) == "emulate-fault") && v.text == "help") {
      p.exit_code = 0;
      p.out = std::string_view(f->name) == "emulate-lie" ? lie_help() : fault_help();
      return p;
    }
    if (const auto at = setters().find(f->name); at != setters().end()) {
      const std::string error = at->second(o, v);
      if (!error.empty()) return failure(p, shown + error);
    }
    std::string key = f->name;
    for (char& c : key) c = c == '-' ? '_' : c;
    o.non_default.emplace_back(key, f->kind == Kind::flag ? (v.flag ? "True" : "False")
                                    : f->kind == Kind::text ? "'" + v.text + "'" : v.text);
  }
  if (!unknown.empty()) {
    std::string all;
    for (const auto& u : unknown) all += " " + u;
    return failure(p, "vllm: error: unrecognized arguments:" + all);
  }
  if (o.served_names.empty()) o.served_names.push_back(o.model);
  return p;
}

std::map<std::string, std::string> relevant_environment() {
  std::map<std::string, std::string> out;
  for (const char* name : {"VLLM_SERVER_DEV_MODE", "VLLM_USE_SIMPLE_KV_OFFLOAD", "PROMETHEUS_DISABLE_CREATED_SERIES",
                           "KVCLIFF_EMULATE_SESSION"})
    if (const char* value = std::getenv(name)) out[name] = value;
  return out;
}

}  // namespace kvcliff::emulator
