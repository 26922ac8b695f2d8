// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

#include "engine/adapter.h"
#include "engine/vllm/command_line.h"

namespace kvcliff::engine::vllm {

/// Which program speaks vLLM's dialect.
enum class Kind {
  vllm,      ///< a real vLLM, started by us
  emulator,  ///< kvcliff-emulator, started by us
  attached,  ///< a server that is already running: nothing is started
};

class VllmAdapter final : public Adapter {
 public:
  explicit VllmAdapter(Kind kind, std::string resources = {}) : kind_(kind), resources_(std::move(resources)) {}

  std::string name() const override;
  Result<process::Command> command(const plan::Plan& plan, bool offload, const Endpoint& at) const override;
  Result<void> learn_flags(process::Launcher& launcher, const plan::Plan& plan, const std::function<bool()>& go_on) override;
  bool is_offload_setting(const std::string& flag_or_variable) const override;
  std::string completion_body(const std::string& model, std::span<const std::int32_t> prompt,
                              std::int64_t output_tokens, const std::string& salt) const override;
  std::string completion_path() const override { return "/v1/completions"; }
  std::string metrics_path() const override { return "/metrics"; }
  std::string model_name(const plan::Plan& plan) const override;
  CounterSnapshot interpret(const net::HttpAnswer& page, const std::string& model) const override;
  Capabilities probe(const CounterSnapshot& first, net::Client& client, const Endpoint& at) const override;
  void learn(Capabilities& known, const StreamRecord& answer, const std::string& engine_version) const override;
  EffectiveConfig effective(const std::vector<LogLine>& log, const CounterSnapshot& first, net::Client& client,
                            const Endpoint& at) const override;
  std::optional<FailureCause> failure_cause(const std::vector<LogLine>& log) const override;
  Result<bool> reset_caches(net::Client& client, const Endpoint& at, bool host_too) const override;

 private:
  Result<CommandOptions> command_options(const plan::Plan& plan) const;
  Kind kind_;
  std::string resources_;
  std::optional<std::set<std::string>> accepted_;
};

/// Merges the log's facts and the page's info metrics; `version` as /version answered, may be empty.
EffectiveConfig effective_of(const std::vector<LogLine>& log, const CounterSnapshot& first, const std::string& version);

/// The program of an engine environment: a path to a program, a folder with bin/<program>, or a name below
/// $XDG_DATA_HOME/kvcliff/engines; empty = <program> on PATH (the emulator: beside this program first).
Result<std::string> program_of(Kind kind, const std::string& environment);

/// The same on another machine or in an image, whose files cannot be looked at: the program itself as a path, or by its
/// name on the PATH there. Errors: bad_usage (the name of an environment of this machine).
Result<std::string> program_elsewhere(Kind kind, const plan::Plan& plan);

}  // namespace kvcliff::engine::vllm
