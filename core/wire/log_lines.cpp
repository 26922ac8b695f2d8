// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/log_lines.h"

#include <algorithm>

#include "base/text.h"

namespace kvcliff::wire {

void LineSplitter::take(std::string_view part) {
  length_ += part.size();
  // Four bytes more than the limit are kept, so that a character across the limit is known to be whole or not.
  const std::size_t room = limit_ + 4 - std::min(limit_ + 4, held_.size());
  held_.append(part.substr(0, room));
}

void LineSplitter::emit(bool progress, bool partial, const Sink& sink) {
  OutputLine line;
  line.bytes = length_;
  line.progress = progress;
  line.partial = partial;
  line.truncated = length_ > limit_;
  if (line.truncated) {
    std::size_t end = limit_;
    // Back to the first byte of the character that the limit would split, at most 3 bytes.
    for (int back = 0; back < 3 && end > 0 && (static_cast<unsigned char>(held_[end]) & 0xc0) == 0x80; ++back) --end;
    held_.resize(end);
  }
  line.text = to_valid_utf8(held_);
  line.replaced = line.text.size() != held_.size() || line.text != held_;
  held_.clear();
  length_ = 0;
  sink(std::move(line));
}

void LineSplitter::push(std::string_view bytes, const Sink& sink) {
  while (!bytes.empty()) {
    if (after_cr_) {
      after_cr_ = false;
      const bool crlf = bytes.front() == '\n';
      if (crlf) bytes.remove_prefix(1);
      if (crlf || length_ > 0) emit(!crlf, false, sink);
      continue;
    }
    const auto end = bytes.find_first_of("\r\n");
    take(bytes.substr(0, end));
    if (end == std::string_view::npos) return;
    if (bytes[end] == '\n')
      emit(false, false, sink);
    else
      after_cr_ = true;  // what follows decides between CR LF and a progress line
    bytes.remove_prefix(end + 1);
  }
}

void LineSplitter::finish(const Sink& sink) {
  if (length_ > 0) emit(after_cr_, !after_cr_, sink);
  after_cr_ = false;
}

std::string without_ansi(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\x1b' || i + 1 >= text.size()) {
      if (text[i] != '\x1b') out += text[i];
      continue;
    }
    const char kind = text[++i];
    if (kind == '[') {
      while (i + 1 < text.size() && !(text[i + 1] >= '@' && text[i + 1] <= '~')) ++i;
      ++i;
    } else if (kind == ']') {
      while (i + 1 < text.size() && text[i + 1] != '\a' && text[i + 1] != '\x1b') ++i;
      ++i;
      if (i < text.size() && text[i] == '\x1b') ++i;  // ESC \ ends it too
    }
  }
  return out;
}

}  // namespace kvcliff::wire
