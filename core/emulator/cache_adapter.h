// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "emulator/cache_model.h"

namespace kvcliff::emulator {

/// The product's own cache (core/cache) behind the server.
std::unique_ptr<CacheModel> make_simulated_cache(const cache::Config& config, std::uint64_t seed);

}  // namespace kvcliff::emulator
