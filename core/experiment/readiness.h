// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"

namespace kvcliff::experiment {

/// What one look at a server found. Later questions are asked only where the earlier ones were answered.
struct Look {
  int health = 0;                      ///< HTTP status of /health; 0: refused, or no answer in time
  std::optional<std::vector<std::string>> models;  ///< names in /v1/models; absent: not asked, or no answer
  enum class Completion { not_tried, token, refused, silent } completion = Completion::not_tried;
  ///< a first token; an answer without one (HTTP 503, ...); no answer in time
};

enum class ServerState {
  starting,       ///< nobody listens, or /health is not 200 yet
  listening,      ///< /health is 200, but no token was generated: not ready
  ready,          ///< a completion gave a token
  other_model,    ///< it serves models, and not the one asked for: it is not ours, or wrongly started
  not_answering,  ///< it was ready, and now gives no token, whatever /health says
};
std::string_view to_string(ServerState s);  ///< "starting", "listening", "ready", "other model", "not answering"

/// When a server may be used. /health proves that something listens, /v1/models that the model is loaded, and only a
/// token that it generates. The start limit counts silence: time without a line of its log, not time since the launch.
class Readiness {
 public:
  /// `model` as it must stand in /v1/models; empty: any one. `silence` 0 = no limit.
  Readiness(std::string model, MonoNs silence) : model_(std::move(model)), silence_(silence) {}

  ServerState feed(MonoNs at, const Look& look);
  ServerState state() const { return state_; }
  /// What is waited for, for the progress line: "/health", "the model in /v1/models", "a first token".
  std::string waiting_for() const;
  /// Our model stands in /v1/models: what is left to show is a token.
  bool model_seen() const { return model_seen_; }
  /// The start has failed: nothing was said for longer than the limit, and it was never ready. A server that was ready
  /// is never given up for its silent log.
  bool given_up(MonoNs now, MonoNs last_line) const;
  /// When the first token came; absent before.
  std::optional<MonoNs> ready_at() const { return ready_at_; }

 private:
  bool serves_ours(const Look& look) const;
  std::string model_;
  MonoNs silence_;
  ServerState state_ = ServerState::starting;
  std::optional<MonoNs> ready_at_;
  bool model_seen_ = false;
};

/// The engine's note of a request by which we ask whether it is ready: an answer to us is no sign of progress.
bool is_echo(std::string_view log_line);

}  // namespace kvcliff::experiment
