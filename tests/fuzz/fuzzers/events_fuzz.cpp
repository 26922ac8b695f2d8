// SPDX-License-Identifier: GPL-3.0-or-later
// Event blocks of a journal: no input may crash, and what is accepted must pack and unpack to itself.
#include <cstdlib>

#include "journal/packed_events.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kvcliff::journal;
  const auto events = unpack_events({reinterpret_cast<const char*>(data), size}, 1'000'000);
  if (!events) return 0;
  const auto again = unpack_events(pack_events(*events, 1'000'000), 1'000'000);
  if (!again || *again != *events) std::abort();
  return 0;
}
