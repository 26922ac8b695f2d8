// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/result.h"

namespace kvcliff {

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::bad_usage: return "bad_usage";
    case ErrorCode::not_found: return "not_found";
    case ErrorCode::unsupported: return "unsupported";
    case ErrorCode::io: return "io";
    case ErrorCode::corrupt: return "corrupt";
    case ErrorCode::newer_schema: return "newer_schema";
    case ErrorCode::busy: return "busy";
    case ErrorCode::engine: return "engine";
    case ErrorCode::timeout: return "timeout";
    case ErrorCode::interrupted: return "interrupted";
    case ErrorCode::internal: return "internal";
  }
  return "internal";
}

std::string Error::sentence() const {
  std::string s = what;
  if (!where.empty()) s += " (" + where + ")";
  if (!why.empty()) s += ": " + why;
  if (!s.empty() && s.back() != '.' && s.back() != '!' && s.back() != '?') s += '.';
  if (!next.empty()) {
    s += ' ';
    s += next;
    if (s.back() != '.') s += '.';
  }
  return s;
}

}  // namespace kvcliff
