// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/printable_stream.h"

#include <string>

namespace kvcliff::cli {

bool PrintableBuffer::pass(std::string_view text) {
  to_.write(text.data(), static_cast<std::streamsize>(text.size()));
  return to_.good();
}

void PrintableStream::raw(std::string_view text) {
  flush();
  if (!buffer_.pass(text)) setstate(std::ios::badbit);
}

PrintableBuffer::int_type PrintableBuffer::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  const char one = traits_type::to_char_type(c);
  return xsputn(&one, 1) == 1 ? c : traits_type::eof();
}

std::streamsize PrintableBuffer::xsputn(const char* s, std::streamsize n) {
  std::string out;
  filter_.feed({s, static_cast<std::size_t>(n)}, out);
  return pass(out) ? n : 0;
}

int PrintableBuffer::sync() {
  std::string out;
  filter_.finish(out);
  if (!out.empty() && !pass(out)) return -1;
  to_.flush();
  return to_.good() ? 0 : -1;
}

void write_raw(std::ostream& out, std::string_view text) {
  if (auto* own = dynamic_cast<PrintableStream*>(&out)) own->raw(text);
  else out << text;
}

}  // namespace kvcliff::cli
