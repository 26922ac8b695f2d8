// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/trace_scan.h"

#include <fmt/format.h>

#include "workload/line_scanner.h"

namespace kvcliff::workload {
namespace {

struct Name {
  std::string_view key;
  TraceLine::Field field;
};
constexpr Name names[] = {
    {"hash_ids", TraceLine::Field::hashes},        {"input_length", TraceLine::Field::input},
    {"input_toks", TraceLine::Field::input_toks},  {"output_length", TraceLine::Field::output},
    {"output_toks", TraceLine::Field::output},     {"timestamp", TraceLine::Field::timestamp},
    {"arrival_time", TraceLine::Field::seconds},   {"arrival_time_ns", TraceLine::Field::nanoseconds},
    {"block_size", TraceLine::Field::block_size},  {"block_tokens", TraceLine::Field::sizes},
    {"input_tok_ids", TraceLine::Field::tokens},   {"chat_id", TraceLine::Field::chat},
    {"parent_chat_id", TraceLine::Field::parent_chat}, {"turn", TraceLine::Field::turn},
};

TraceLine::Field field_of(std::string_view key) {
  for (const auto& n : names)
    if (n.key == key) return n.field;
  return TraceLine::Field::other;
}

bool integer(LineScanner& s, std::optional<std::int64_t>& to, std::string_view key, std::string& fault) {
  if (s.null()) return true;
  std::int64_t v = 0;
  if (!s.integer(v)) {
    fault = fmt::format("{}: {}", key, fault);
    return false;
  }
  to = v;
  return true;
}

}  // namespace

bool TraceLine::value(LineScanner& s, Field field, std::string_view key, std::string& fault) {
  switch (field) {
    case Field::hashes: has_hashes = true; return s.hashes(ids_, count_);
    case Field::input_toks: servingsim = true; return integer(s, input, key, fault);
    case Field::input: return integer(s, input, key, fault);
    case Field::output: return integer(s, output, key, fault);
    case Field::timestamp:
    case Field::seconds:
    case Field::nanoseconds: {
      if (s.null()) return true;
      double v = 0;
      if (!s.number(v)) {
        fault = fmt::format("{}: {}", key, fault);
        return false;
      }
      timestamp = v;
      seconds = field == Field::seconds;
      nanoseconds = field == Field::nanoseconds;
      return true;
    }
    case Field::block_size: return integer(s, block_size, key, fault);
    case Field::sizes:
      if (s.null()) return true;
      has_sizes = true;
      return s.list(sizes, "block_tokens", [&](std::int64_t& v) { return s.integer(v); });
    case Field::tokens:
      if (s.null()) return true;
      has_tokens = true;
      return s.list(tokens, "input_tok_ids", [&](std::int64_t& v) { return s.integer(v); });
    case Field::chat: return integer(s, chat, key, fault);
    case Field::parent_chat: return integer(s, parent_chat, key, fault);
    case Field::turn: return integer(s, turn, key, fault);
    case Field::other: return s.pass();
  }
  return false;
}

void TraceLine::clear() {
  timestamp.reset();
  input = output = block_size = turn = chat = parent_chat = std::nullopt;
  has_hashes = has_tokens = has_sizes = seconds = nanoseconds = servingsim = false;
  count_ = 0;
}

// A file's lines come from one program: what stands between the values is the same in each. Where the line before told
// what that is, only the values are read. False: this line differs, and is read in full.
bool TraceLine::read_like_before(std::string_view line, std::string& fault) {
  LineScanner s(line, fault);
  for (const Piece& p : pieces_)
    if (!s.skip({frame_.data() + p.from, p.length}) || !value(s, p.field, {frame_.data() + p.key, p.key_length}, fault)) return false;
  return s.skip(std::string_view(frame_).substr(frame_end_)) && s.done();
}

bool TraceLine::read(std::string_view line, std::string& fault) {
  clear();
  if (!pieces_.empty()) {
    if (read_like_before(line, fault)) return true;
    clear();
    fault.clear();
  }
  pieces_.clear();
  frame_.clear();
  LineScanner s(line, fault);
  const char* text = line.data();  // of what stands before the next value
  if (!s.take('{')) return s.wrong("the line is not a JSON object");
  if (s.take('}')) return s.done() || s.wrong("something follows the object");
  for (;;) {
    std::string_view key;
    bool good = s.word(key);
    if (good && !s.take(':')) good = s.wrong("a colon was expected");
    if (good) {
      s.blanks();
      const std::string_view before(text, static_cast<std::size_t>(s.at() - text));
      const Field field = field_of(key);
      pieces_.push_back({field, frame_.size(), before.size(), frame_.size() + static_cast<std::size_t>(key.data() - text), key.size()});
      frame_ += before;
      good = value(s, field, key, fault);
      text = s.at();
    }
    if (good && s.take(',')) {
      s.blanks();
      continue;
    }
    if (good && s.take('}')) break;
    if (good) s.wrong("the object has neither a comma nor its end");
    pieces_.clear();
    return false;
  }
  frame_end_ = frame_.size();
  frame_.append(text, static_cast<std::size_t>(s.at() - text));
  if (s.done()) return true;
  pieces_.clear();
  return s.wrong("something follows the object");
}

}  // namespace kvcliff::workload
