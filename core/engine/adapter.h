// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "net/client.h"
#include "plan/plan.h"
#include "process/launcher.h"
#include "record/counters.h"
#include "record/session.h"

namespace kvcliff::engine {

struct Endpoint {
  std::string host = "127.0.0.1";
  int port = 0;
  int engine_port = 0;   ///< where the engine itself listens, when `port` is one that is forwarded to it; 0 = `port`
  int listens_on() const { return engine_port > 0 ? engine_port : port; }
  std::string url() const { return "http://" + host + ":" + std::to_string(port); }
};

/// Why an engine did not start, from its log: the cause in plain words, and the lines that say so.
struct FailureCause {
  std::string what;                 ///< "The GPU has not enough free memory for the KV cache"
  std::string next;                 ///< what to try
  std::vector<std::string> lines;   ///< the engine's own lines that name the cause, first one first
};

/// What one engine understands and says. Everything an engine means differently lives behind this.
class Adapter {
 public:
  virtual ~Adapter() = default;
  virtual std::string name() const = 0;

  /// The exact command and environment of a session. `plan` is already the arm's (plan::for_arm).
  virtual Result<process::Command> command(const plan::Plan& plan, bool offload, const Endpoint& at) const = 0;
  /// Asks the program which flags it takes, so that `command` leaves out what it does not know. Slow (15 s and more for a
  /// real vLLM); without it the flags of current releases are assumed. `go_on` (may be empty) says no when the user stops:
  /// the error is `interrupted`.
  virtual Result<void> learn_flags(process::Launcher& launcher, const plan::Plan& plan, const std::function<bool()>& go_on) = 0;
  /// Flags and variables that belong to the offload tier: the only ones in which off and on may differ (R15).
  virtual bool is_offload_setting(const std::string& flag_or_variable) const = 0;

  /// Body of a streamed completion of token ids, temperature 0, exactly `output_tokens` tokens, usage asked for.
  virtual std::string completion_body(const std::string& model, std::span<const std::int32_t> prompt,
                                      std::int64_t output_tokens, const std::string& salt) const = 0;
  virtual std::string completion_path() const = 0;
  virtual std::string metrics_path() const = 0;
  /// Model name to put into requests.
  virtual std::string model_name(const plan::Plan& plan) const = 0;

  /// A metrics page by meaning.
  virtual CounterSnapshot interpret(const net::HttpAnswer& page, const std::string& model) const = 0;
  /// What this server can report, from its first page, its answers and its endpoints.
  virtual Capabilities probe(const CounterSnapshot& first, net::Client& client, const Endpoint& at) const = 0;
  /// What only an answer can show (usage, cached_tokens, token ids): call it for the first completion and later ones; what
  /// was seen once stays present.
  virtual void learn(Capabilities& known, const StreamRecord& answer, const std::string& engine_version) const = 0;
  /// Effective configuration from log, metrics and endpoints; `first` may hold info metrics.
  virtual EffectiveConfig effective(const std::vector<LogLine>& log, const CounterSnapshot& first,
                                    net::Client& client, const Endpoint& at) const = 0;
  /// Cause of a failed start or a crash; nullopt when the log names none.
  virtual std::optional<FailureCause> failure_cause(const std::vector<LogLine>& log) const = 0;
  /// Empties the caches; false when the engine offers no way.
  virtual Result<bool> reset_caches(net::Client& client, const Endpoint& at, bool host_too) const = 0;
};

/// "emulator", "vllm", "attach" (a running server: nothing is started). Errors: bad_usage for an unknown name, listing those known.
/// `resources`: folder with models/ (the catalogue), so that catalogue ids become hub names and the pool is fixed in
/// bytes; empty = without.
Result<std::unique_ptr<Adapter>> make_adapter(const std::string& name, const std::string& resources = {});

}  // namespace kvcliff::engine
