// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "model/layout.h"

namespace kvcliff::model {

/// Fills groups, pages, block sizes, states and ranks of a layout whose caches are known.
/// Rules: sections 1.4, 1.5 and 1.8 of the KV byte notes. Sets capacity_why where the pool cannot be predicted.
void arrange(KvLayout& layout, std::int64_t config_chunk);

}  // namespace kvcliff::model
