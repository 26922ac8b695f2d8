// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "host/preflight.h"
#include "plan/plan.h"

namespace kvcliff::process {

/// What the sessions of a plan will ask of the machine they run on: the largest of its arms. `layers` of the model, where
/// known, makes the pinned size exact. Of the disk, only what sessions from `first_session` on (from 0) will write.
host::Needs needs_of(const plan::Plan& plan, std::optional<std::int64_t> layers = std::nullopt, int first_session = 0);

/// The look before a launch: port, memory, locked memory, /dev/shm, GPUs, disk, processes of an earlier session. For an
/// engine on another machine the items about that machine are `not_possible` with the reason.
/// `needs` as from needs_of, with the journal filled in where there is one. `go_on`: asked in the slow steps (another
/// machine); after a no the items mean nothing.
std::vector<host::PreflightItem> preflight(const plan::Plan& plan, const host::Needs& needs, const host::Facts& facts,
                                           const std::string& host, int port, const std::function<bool()>& go_on = {});
/// The machine, container program or cluster that the plan's launcher names, asked without starting an engine there.
host::PreflightItem check_launcher(const plan::LauncherSpec& spec, const std::function<bool()>& go_on = {});
host::PreflightItem check_port(const std::string& host, int port);
host::PreflightItem check_earlier_processes();

}  // namespace kvcliff::process
