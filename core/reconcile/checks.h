// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The functions behind check_table.h; each says in its .cpp what it compares and when it is not possible.
#include "reconcile/check_table.h"

namespace kvcliff::reconcile::checks {

CheckResult token_identity(const RequestContext& c);        // R1
CheckResult prompt_length(const RequestContext& c);         // R2
CheckResult loaded_bytes(const RequestContext& c);          // R3
CheckResult cached_tokens(const RequestContext& c);         // R4
CheckResult external_hits(const RequestContext& c);         // R5
CheckResult look_ups(const RequestContext& c);              // R6
CheckResult stored_bytes(const RequestContext& c);          // R7
CheckResult stored_bytes_session(const ExperimentInput& e, const SessionInput& s);
CheckResult whole_blocks(const RequestContext& c);          // R8
CheckResult exclusive_window(const RequestContext& c);      // R9
CheckResult no_disturbance(const RequestContext& c);        // R10
CheckResult one_process(const ExperimentInput& e, const SessionInput& s);       // R11
CheckResult stream_complete(const RequestContext& c);       // R12
CheckResult prediction(const RequestContext& c);            // R13
CheckResult session_totals(const ExperimentInput& e, const SessionInput& s);    // R14
CheckResult configuration(const ExperimentInput& e, const SessionInput& s);     // R15
CheckResult arms_differ_in_offload_only(const ExperimentInput& e);
CheckResult cold_start(const ExperimentInput& e, const SessionInput& s);        // R16
CheckResult clocks(const RequestContext& c);                // R17
CheckResult client_lag(const ExperimentInput& e, const SessionInput& s);
std::vector<CheckResult> equal_outputs(const ExperimentInput& e);               // R18
CheckResult kv_events(const ExperimentInput& e, const SessionInput& s);         // R19
CheckResult generations_agree(const RequestContext& c);     // R20
CheckResult latency_claim(const RequestContext& c);         // R21

}  // namespace kvcliff::reconcile::checks
