// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

#include "base/result.h"

namespace kvcliff::cli {
struct Context;

/// A file of resources/ by its name there ("plans/reference.json"). Looked for beside the binary (../share/kvcliff),
/// in the source tree of the build, and under $KVCLIFF_RESOURCES first.
Result<std::string> find_resource(const Context& context, const std::string& name);
/// The folder resources/ itself, as adapters want it; empty when it is not found.
std::string resources_folder(const Context& context);
Result<std::string> read_resource(const Context& context, const std::string& name);

}  // namespace kvcliff::cli
