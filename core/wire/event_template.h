// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kvcliff::wire {

/// Token events of one stream differ only in their text and token ids. After one of them was parsed in full, the next is
/// compared with it: where all other bytes are equal, and the text is plain (no escape, ASCII) and the ids are plain
/// numbers, the event is as valid as the first and says the same but for these two. Everything else goes to the parser.
class EventTemplate {
 public:
  enum class Channel { content, reasoning };

  void clear() { ready_ = false; }
  /// Learns from an event that was parsed and held one choice with index 0, no finish reason, usage or error. It does not
  /// become ready when text or ids cannot be found beyond doubt.
  void learn(std::string_view json);
  bool ready() const { return ready_; }
  Channel channel() const { return channel_; }

  /// True when the event matches. `text` points into the event; ids are appended to `ids`; on false `ids` is unchanged.
  bool match(std::string_view json, std::string_view& text, std::vector<std::int32_t>& ids) const;

 private:
  struct Hole {
    std::size_t begin = 0, end = 0;
    bool is_text = false;
  };
  std::string json_;
  Hole holes_[2];
  int count_ = 0;
  Channel channel_ = Channel::content;
  bool ready_ = false;
};

}  // namespace kvcliff::wire
