// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/kv_events.h"

#include <msgpack.hpp>

#include "base/hash.h"
#include "base/json.h"

namespace kvcliff::wire {
namespace {

using Object = msgpack::object;
using Type = msgpack::type::object_type;

// What a message of ours can hold at most: a prompt of a million tokens, its blocks and their parts.
constexpr std::size_t most_items = std::size_t{1} << 22;
constexpr std::size_t deepest = 16;

std::string_view text_of(const Object& o) {
  return o.type == Type::STR ? std::string_view(o.via.str.ptr, o.via.str.size) : std::string_view();
}

std::optional<double> number_of(const Object& o) {
  switch (o.type) {
    case Type::POSITIVE_INTEGER: return static_cast<double>(o.via.u64);
    case Type::NEGATIVE_INTEGER: return static_cast<double>(o.via.i64);
    case Type::FLOAT32:
    case Type::FLOAT64: return o.via.f64;
    default: return std::nullopt;
  }
}

// Hashes are 64-bit numbers, or 32 bytes where the engine was told to publish them whole.
void add_hash(std::vector<std::uint64_t>& out, const Object& o) {
  if (o.type == Type::POSITIVE_INTEGER) out.push_back(o.via.u64);
  else if (o.type == Type::NEGATIVE_INTEGER) out.push_back(static_cast<std::uint64_t>(o.via.i64));
  else if (o.type == Type::BIN) out.push_back(hash64(o.via.bin.ptr, o.via.bin.size));
}

void set(KvEvent& e, std::string_view field, const Object& value) {
  if (field == "block_hashes" && value.type == Type::ARRAY) {
    e.blocks.reserve(value.via.array.size);
    for (std::uint32_t i = 0; i < value.via.array.size; ++i) add_hash(e.blocks, value.via.array.ptr[i]);
  } else if (field == "block_size" && value.type == Type::POSITIVE_INTEGER) {
    e.block_size = static_cast<std::int64_t>(std::min<std::uint64_t>(value.via.u64, 1u << 30));
  } else if (field == "medium" && value.type == Type::STR) {
    e.medium = text_of(value);
  }
}

std::optional<KvEvent::Kind> kind_of(std::string_view type) {
  if (type == "BlockStored") return KvEvent::Kind::stored;
  if (type == "BlockRemoved") return KvEvent::Kind::removed;
  if (type == "AllBlocksCleared") return KvEvent::Kind::cleared;
  return std::nullopt;
}

std::optional<KvEvent> event_of(const Object& o) {
  KvEvent e;
  if (o.type == Type::MAP) {
    std::optional<KvEvent::Kind> kind;
    for (std::uint32_t i = 0; i < o.via.map.size; ++i) {
      const auto& [key, value] = o.via.map.ptr[i];
      const auto field = text_of(key);
      if (field == "type") kind = kind_of(text_of(value));
      else set(e, field, value);
    }
    if (!kind) return std::nullopt;
    e.kind = *kind;
    return e;
  }
  if (o.type != Type::ARRAY || o.via.array.size == 0) return std::nullopt;
  const auto kind = kind_of(text_of(o.via.array.ptr[0]));
  if (!kind) return std::nullopt;
  e.kind = *kind;
  // Fields by their place, in the order of their declaration.
  static constexpr const char* stored[]{"", "block_hashes", "parent_block_hash", "token_ids", "block_size", "lora_id", "medium"};
  static constexpr const char* removed[]{"", "block_hashes", "medium"};
  const bool is_stored = e.kind == KvEvent::Kind::stored;
  const std::size_t known = is_stored ? std::size(stored) : std::size(removed);
  for (std::size_t i = 1; i < known && i < o.via.array.size; ++i) set(e, is_stored ? stored[i] : removed[i], o.via.array.ptr[i]);
  return e;
}

}  // namespace

Result<KvEventBatch> parse_kv_events(std::string_view payload, const std::string& where) {
  const auto bad = [&](const std::string& why) { return fail(ErrorCode::corrupt, "A message of KV events cannot be read", where, why); };
  msgpack::object_handle handle;
  try {
    handle = msgpack::unpack(payload.data(), payload.size(), nullptr, nullptr,
                             msgpack::unpack_limit(most_items, most_items, payload.size(), payload.size(), most_items, deepest));
  } catch (const std::exception& e) {
    return bad(e.what());
  }
  const Object& o = handle.get();
  if (o.type != Type::ARRAY || o.via.array.size < 2 || o.via.array.ptr[1].type != Type::ARRAY)
    return bad("it is no list of a time and events");
  const auto at = number_of(o.via.array.ptr[0]);
  if (!at) return bad("it begins with no time");
  KvEventBatch out;
  out.at = *at;
  if (o.via.array.size > 2 && o.via.array.ptr[2].type == Type::POSITIVE_INTEGER)
    out.rank = static_cast<std::int64_t>(o.via.array.ptr[2].via.u64);
  const auto& list = o.via.array.ptr[1].via.array;
  for (std::uint32_t i = 0; i < list.size; ++i)
    if (auto e = event_of(list.ptr[i])) out.events.push_back(std::move(*e));
  return out;
}

std::optional<KvEventsFlag> find_kv_events_flag(const std::vector<std::string>& argv) {
  for (std::size_t i = 0; i < argv.size(); ++i) {
    if (argv[i] == kv_events_flag && i + 1 < argv.size()) return KvEventsFlag{i + 1, argv[i + 1], false};
    if (argv[i].size() > kv_events_flag.size() && argv[i].rfind(kv_events_flag, 0) == 0 && argv[i][kv_events_flag.size()] == '=')
      return KvEventsFlag{i, argv[i].substr(kv_events_flag.size() + 1), true};
  }
  return std::nullopt;
}

bool asks_for_kv_events(const std::vector<std::string>& argv) {
  const auto at = find_kv_events_flag(argv);
  if (!at) return false;
  const auto json = parse_json(at->value, std::string(kv_events_flag));
  return json && json->is_object() && json->contains("enable_kv_cache_events") && json->at("enable_kv_cache_events") == true;
}

std::string pack_kv_message(std::uint64_t sequence, std::string_view payload) {
  std::string out;
  out.reserve(8 + payload.size());
  for (int shift = 56; shift >= 0; shift -= 8) out += static_cast<char>(sequence >> shift & 0xff);
  return out.append(payload);
}

Result<KvMessage> unpack_kv_message(std::string_view stored, const std::string& where) {
  if (stored.size() < 8) return fail(ErrorCode::corrupt, "A message of KV events is cut", where);
  KvMessage m{0, stored.substr(8)};
  for (int i = 0; i < 8; ++i) m.sequence = m.sequence << 8 | static_cast<std::uint8_t>(stored[static_cast<std::size_t>(i)]);
  return m;
}

}  // namespace kvcliff::wire
