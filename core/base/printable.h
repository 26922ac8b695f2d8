// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>

namespace kvcliff {

/// Text of foreign origin (engine output, names in files) must not steer a terminal or turn the direction of what follows.
/// Control characters become their escapes ("\x1b", "\u202e"): C0 but line feed and tab, DEL, C1, and the marks that change
/// the direction of text. A carriage return stays only before a line feed. Bytes that are no UTF-8 become escapes too.
/// Takes text in pieces, wherever they are cut.
class PrintableFilter {
 public:
  void feed(std::string_view piece, std::string& out);
  /// What was kept back of the last piece: an unfinished character, a carriage return.
  void finish(std::string& out);

 private:
  std::string kept_;
};

std::string printable(std::string_view text);
/// The same in one line: line ends and tabs become blanks.
std::string printable_line(std::string_view text);

}  // namespace kvcliff
