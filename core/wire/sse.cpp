// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/sse.h"

#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace kvcliff::wire {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

/// First CR or LF at or after `p`, or `end`. One pass for both, so that a stream of CR ends is not searched to its end
/// for every line.
const char* line_end(const char* p, const char* end) {
#ifdef __SSE2__
  const __m128i lf = _mm_set1_epi8('\n'), cr = _mm_set1_epi8('\r');
  for (; end - p >= 16; p += 16) {
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const int hit = _mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(v, lf), _mm_cmpeq_epi8(v, cr)));
    if (hit) return p + __builtin_ctz(static_cast<unsigned>(hit));
  }
#endif
  while (p != end && *p != '\n' && *p != '\r') ++p;
  return p;
}

}  // namespace

void SseParser::reset() {
  partial_.clear();
  data_.clear();
  event_.clear();
  id_.clear();
  single_ = {};
  frame_bytes_ = overlong_ = 0;
  has_single_ = has_data_ = after_cr_ = drop_event_ = false;
  bom_ = 0;
}

void SseParser::own_data() {
  if (!has_single_) return;
  data_.assign(single_);
  has_data_ = true;
  has_single_ = false;
  single_ = {};
}

void SseParser::field(std::string_view name, std::string_view value) {
  if (name == "data") {
    if (!has_single_ && !has_data_) {
      single_ = value;
      has_single_ = true;
      return;
    }
    own_data();
    if (data_.size() + value.size() > limit_) {
      drop_event_ = true;
      return;
    }
    data_ += '\n';
    data_ += value;
  } else if (name == "event") {
    event_.assign(value);
  } else if (name == "id") {
    if (value.find('\0') == std::string_view::npos) id_.assign(value);
  } else if (name == "error" && !value.empty()) {
    event_.assign("error");
    field("data", value);
  }
  // "retry" and unknown names mean nothing here: we never reconnect a measured request.
}

void SseParser::dispatch(SseSink& sink) {
  const std::string_view data = has_single_ ? single_ : has_data_ ? std::string_view(data_) : std::string_view();
  if (drop_event_)
    sink.on_overlong(frame_bytes_);
  else if (!data.empty())
    sink.on_frame({data, event_, static_cast<std::uint32_t>(frame_bytes_)});
  frame_bytes_ = 0;
  single_ = {};
  has_single_ = has_data_ = drop_event_ = false;
  if (!data_.empty()) data_.clear();
  if (!event_.empty()) event_.clear();
}

void SseParser::line(std::string_view text, std::uint32_t bytes, SseSink& sink) {
  if (text.empty()) {
    frame_bytes_ += bytes;
    dispatch(sink);
    return;
  }
  if (text.front() == ':') {
    sink.on_comment(bytes);
    return;
  }
  frame_bytes_ += bytes;
  if (text.starts_with("data:")) {  // nearly every line
    text.remove_prefix(text.size() > 5 && text[5] == ' ' ? 6 : 5);
    field("data", text);
    return;
  }
  const auto colon = text.find(':');
  std::string_view value = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  field(text.substr(0, colon), value);
}

void SseParser::push(std::string_view bytes, SseSink& sink) {
  const char* p = bytes.data();
  const char* const end = p + bytes.size();
  while (bom_ < 3 && p != end) {
    if (*p != byte_order_mark[bom_]) {
      partial_.append(byte_order_mark.substr(0, bom_));  // it was no mark: these bytes belong to the first line
      bom_ = 3;
      break;
    }
    ++p;
    ++bom_;
  }
  while (p != end) {
    if (after_cr_) {
      after_cr_ = false;
      if (*p == '\n') {
        ++p;
        continue;
      }
    }
    const char* const stop = line_end(p, end);
    const auto length = static_cast<std::size_t>(stop - p);
    if (stop == end) {
      own_data();
      if (overlong_ > 0 || partial_.size() + length > limit_) {
        overlong_ += partial_.size() + length;
        partial_.clear();
      } else {
        partial_.append(p, length);
      }
      return;
    }
    std::uint32_t ending = 1;
    if (*stop == '\r') {
      if (stop + 1 == end)
        after_cr_ = true;
      else if (stop[1] == '\n')
        ending = 2;
    }
    if (overlong_ > 0) {
      frame_bytes_ += overlong_ + length + ending;
      overlong_ = 0;
      drop_event_ = true;
    } else if (partial_.empty()) {
      line({p, length}, static_cast<std::uint32_t>(length + ending), sink);
    } else {
      partial_.append(p, length);
      line(partial_, static_cast<std::uint32_t>(partial_.size() + ending), sink);
      own_data();
      partial_.clear();
    }
    p = stop + ending;
  }
  own_data();
}

bool SseParser::finish(bool whole_lines, SseSink& sink) {
  if (!whole_lines || !partial_.empty() || overlong_ > 0) return false;
  if (!has_single_ && !has_data_) return false;
  dispatch(sink);
  return true;
}

}  // namespace kvcliff::wire
