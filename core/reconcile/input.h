// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "record/counters.h"
#include "record/request.h"
#include "record/session.h"
#include "wire/kv_tally.h"

namespace kvcliff::reconcile {

/// KV bytes of the model as one arm runs it.
struct KvFacts {
  std::optional<std::int64_t> bytes_per_token;  ///< all ranks, copies counted: what a loaded token moves
  std::string from;                             ///< derivation in one line, or the reason for absence
};

/// One finished attempt of a session with everything that the checks look at.
struct SessionInput {
  SessionRecord record;
  plan::Plan plan;                       ///< as its arm sees it
  bool offload = false;                  ///< the arm asks for a tier
  std::vector<RequestRecord> requests;   ///< in order, warm-up included
  std::optional<CounterSnapshot> identity, last;
  KvFacts kv;
  std::optional<wire::KvTally> kv_events;  ///< absent: the plan did not ask for them, or the server was not started by us

  bool compared() const { return record.pair >= 0 && !record.conditioning; }
  std::int64_t chunk_tokens() const { return plan.capacity.block_size * plan.capacity.offload.blocks_per_chunk; }
  std::optional<std::int64_t> chunk_bytes() const {
    return kv.bytes_per_token ? std::optional(*kv.bytes_per_token * chunk_tokens()) : std::nullopt;
  }
};

/// A note of the run that a reader of the conclusions must see.
struct RunNotice {
  std::string severity, text;
};

/// An experiment as the checks see it: finished attempts only; the others are listed, not judged.
struct ExperimentInput {
  std::string run_id;
  std::string name;
  std::string plan_hash;
  std::string method_version;            ///< stored with the run
  std::string program_version;           ///< that measured
  std::string created;                   ///< UTC, ISO 8601
  std::string journal;                   ///< path, for the evidence trail
  bool simulated = false;
  std::string times_origin;              ///< emulator only: "measured" or "assumed", with the preset and a time scale other than 1
  bool attached = false;                 ///< the server was not started by us
  bool imported = false;                 ///< measured by another tool: what it does not record is not possible to check
  plan::Plan plan;
  std::vector<plan::SessionPlan> schedule;
  std::vector<SessionInput> sessions;    ///< finished, in the order in which they ran
  std::vector<SessionRecord> others;     ///< superseded, failed, stopped, or still running
  std::vector<RunNotice> notices;
  Json host;                             ///< facts of the machine that measured
};

/// The session that left its server running for this one (plan.schedule.server = kept); nullptr: it had a fresh one.
const SessionInput* server_kept_from(const ExperimentInput& input, const SessionInput& session);

/// Compared sessions are those of the pairs; the arm with a tier is the treatment.
std::vector<const SessionInput*> compared_sessions(const ExperimentInput& input);

}  // namespace kvcliff::reconcile
