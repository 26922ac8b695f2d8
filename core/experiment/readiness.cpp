// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/readiness.h"

#include <algorithm>

namespace kvcliff::experiment {

std::string_view to_string(ServerState s) {
  switch (s) {
    case ServerState::starting: return "starting";
    case ServerState::listening: return "listening";
    case ServerState::ready: return "ready";
    case ServerState::other_model: return "other model";
    case ServerState::not_answering: return "not answering";
  }
  return "starting";
}

bool Readiness::serves_ours(const Look& look) const {
  if (!look.models || look.models->empty()) return false;
  return model_.empty() || std::find(look.models->begin(), look.models->end(), model_) != look.models->end();
}

ServerState Readiness::feed(MonoNs at, const Look& look) {
  using Completion = Look::Completion;
  if (serves_ours(look)) model_seen_ = true;
  if (look.completion == Completion::token) {
    if (!ready_at_) ready_at_ = at;
    return state_ = ServerState::ready;
  }
  if (ready_at_) {
    // A look without a completion says nothing new of a server that has generated.
    const bool fails = look.health != 200 || look.completion != Completion::not_tried;
    return state_ = fails ? ServerState::not_answering : state_;
  }
  if (look.health != 200) return state_ = ServerState::starting;
  if (look.models && !look.models->empty() && !serves_ours(look)) return state_ = ServerState::other_model;
  return state_ = ServerState::listening;
}

std::string Readiness::waiting_for() const {
  if (state_ == ServerState::starting) return "/health";
  return model_seen_ ? "a first token" : "the model in /v1/models";
}

bool Readiness::given_up(MonoNs now, MonoNs last_line) const {
  return silence_ > 0 && !ready_at_ && now - last_line > silence_;
}

bool is_echo(std::string_view line) {
  return line.find("\"GET /health ") != std::string_view::npos || line.find("\"GET /v1/models ") != std::string_view::npos;
}

}  // namespace kvcliff::experiment
