// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes, cut anywhere, give the same record as the same bytes in one piece.
#include <cstdint>
#include <cstdlib>

#include "wire/recording.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kvcliff::wire;
  if (size < 1) return 0;
  const std::size_t piece = 1 + data[0] % 37;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  const auto whole = read_stream_recording(bytes, nullptr, "whole");
  std::vector<RecordedChunk> chunks;
  for (std::size_t at = 0; at < bytes.size(); at += piece) chunks.push_back({1.0, std::min(piece, bytes.size() - at)});
  auto cut = read_stream_recording(bytes, &chunks, "cut");
  // Packed files are read another way with a list of writes: only their survival is asked for.
  if (bytes.starts_with("\x1f\x8b") || bytes.starts_with("\x28\xb5\x2f\xfd") || !whole || !cut) return 0;
  if (whole->record.text != cut->record.text || whole->record.outcome != cut->record.outcome ||
      whole->record.events.size() != cut->record.events.size() || whole->record.usage != cut->record.usage)
    std::abort();
  figures_of(cut->record);
  return 0;
}
