// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/adapter.h"
#include "plan/plan.h"
#include "record/request.h"

namespace kvcliff::experiment {

/// One engine as a session talks to it. The real one speaks HTTP; tests give their own.
class Server {
 public:
  virtual ~Server() = default;
  /// Errors tell why it does not answer (yet).
  virtual Result<void> health() = 0;
  virtual Result<std::vector<std::string>> models() = 0;
  /// Never fails: a page that cannot be had is a snapshot with its error.
  virtual CounterSnapshot scrape() = 0;
  virtual Capabilities probe(const CounterSnapshot& first) = 0;
  virtual EffectiveConfig effective(const std::vector<LogLine>& log, const CounterSnapshot& first) = 0;

  using OnEvent = std::function<void(const StreamEvent&)>;
  using OnDone = std::function<void(StreamRecord)>;
  /// Starts a stream. `event` and `done` are called on the server's I/O thread and must not block.
  virtual void stream(const PlannedRequest& request, OnEvent event, OnDone done) = 0;
  /// Ends all streams of ours as cancelled; their `done` calls follow.
  virtual void cancel_all() = 0;
  /// Opens connections beforehand, so that times begin at a connected socket.
  virtual void preconnect(int n) = 0;
  /// Empties GPU cache and host tier. Errors: unsupported where the engine offers no way, engine when it refuses.
  virtual Result<void> reset_caches() {
    return fail(ErrorCode::unsupported, "The caches of this server cannot be emptied");
  }
};

/// The HTTP one. `plan` is the arm's; `model` the name to ask for (empty: what /v1/models says first).
std::unique_ptr<Server> connect_http(const engine::Adapter& adapter, const engine::Endpoint& at,
                                     const plan::Plan& plan);

/// A loopback port that was free a moment ago. Errors: io.
Result<int> free_port();

}  // namespace kvcliff::experiment
