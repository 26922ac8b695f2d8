// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <map>
#include <string>
#include <vector>

#include "record/session.h"

namespace kvcliff::reconcile {

/// A command line as settings: "--flag" -> its value (empty for a switch); words before the first flag are "argv[n]".
/// "--flag=value" and "--flag value" are the same setting. argv[0] is left out.
std::map<std::string, std::string> settings_of(const std::vector<std::string>& argv);

/// What two sessions were started with, where it differs. Ports, and what else must differ between any two servers,
/// are left out.
struct SettingDifference {
  std::string name;          ///< "--flag" or the environment variable
  std::string left, right;   ///< "(absent)" where not set
};
std::vector<SettingDifference> command_differences(const SessionRecord& left, const SessionRecord& right);

/// Settings that turn the tier on, or say how large and of what kind it is: the only ones in which off and on may differ.
bool is_offload_setting(const std::string& name);

}  // namespace kvcliff::reconcile
