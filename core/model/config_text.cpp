// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/config_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace kvcliff::model {
namespace {

bool word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; }

// Copies the text, replacing what is not strict. Newlines are kept, so that a line number of the result is one of the source.
class Strictener {
 public:
  explicit Strictener(std::string_view text) : text_(text) { out_.reserve(text.size() + 64); }

  std::string run() {
    if (text_.substr(0, 3) == "\xef\xbb\xbf") {
      at_ = 3;
      note(0, "a byte order mark at the start");
    }
    while (at_ < text_.size()) step();
    return std::move(out_);
  }

  std::vector<std::string> notes() const {
    std::vector<std::string> all;
    for (const auto& n : notes_)
      if (!n.empty()) all.push_back(n);
    return all;
  }

 private:
  void note(std::size_t kind, std::string sentence) { notes_[kind] = std::move(sentence); }

  void step() {
    const char c = text_[at_];
    if (c == '"') return string();
    if (c == '/' && at_ + 1 < text_.size() && (text_[at_ + 1] == '/' || text_[at_ + 1] == '*')) return comment();
    if ((c == '}' || c == ']') && pending_comma_ != std::string::npos) {
      out_[pending_comma_] = ' ';
      note(2, "a comma after the last element");
    }
    if (c == ',') {
      pending_comma_ = out_.size();
    } else if (!std::isspace(static_cast<unsigned char>(c))) {
      pending_comma_ = std::string::npos;
    }
    if ((c == 'N' || c == 'I' || c == '-') && (at_ == 0 || !word_char(text_[at_ - 1])) && special()) return;
    out_ += c;
    ++at_;
  }

  void string() {
    pending_comma_ = std::string::npos;
    out_ += text_[at_++];
    while (at_ < text_.size()) {
      const char c = text_[at_];
      out_ += c;
      ++at_;
      if (c == '\\' && at_ < text_.size()) {
        out_ += text_[at_++];
      } else if (c == '"') {
        return;
      }
    }
  }

  void comment() {
    note(1, "comments");
    const bool line = text_[at_ + 1] == '/';
    const std::size_t end = line ? text_.find('\n', at_) : text_.find("*/", at_ + 2);
    if (!line && end == std::string_view::npos) {  // unclosed: left in place, so that the parser names the position
      out_ += text_.substr(at_);
      at_ = text_.size();
      return;
    }
    const std::size_t stop = end == std::string_view::npos ? text_.size() : line ? end : end + 2;
    for (; at_ < stop; ++at_) out_ += text_[at_] == '\n' ? '\n' : ' ';
  }

  bool special() {
    for (const std::string_view w : {std::string_view("NaN"), std::string_view("Infinity"), std::string_view("-Infinity")}) {
      if (text_.substr(at_, w.size()) != w) continue;
      const std::size_t next = at_ + w.size();
      if (next < text_.size() && word_char(text_[next])) continue;
      out_ += '"';
      out_ += w;
      out_ += '"';
      at_ = next;
      note(3, "the words NaN or Infinity as values");
      return true;
    }
    return false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string out_;
  std::size_t pending_comma_ = std::string::npos;
  std::array<std::string, 4> notes_;
};

}  // namespace

Result<ConfigText> parse_config_text(std::string_view text, const std::string& where) {
  ConfigText result;
  Strictener strictener(text);
  const std::string strict = strictener.run();
  for (const auto& n : strictener.notes()) result.notes.push_back("Not strict JSON: the file contains " + n);
  result.strict = result.notes.empty();
  auto parsed = parse_json(strict, where);
  if (!parsed) {
    Error e = parsed.error();
    e.what = "The model configuration is not readable JSON";
    e.next = "Correct the file at that place, or state the numbers in a small file of your own";
    return fail(std::move(e));
  }
  result.value = std::move(*parsed);
  return result;
}

}  // namespace kvcliff::model
