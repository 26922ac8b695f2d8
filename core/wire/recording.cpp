// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/file.h"
#include "base/text.h"
#include "record/sleep.h"
#include "wire/http_answer.h"
#include "wire/openai_stream.h"

namespace kvcliff::wire {
namespace {

constexpr MonoNs origin = 1'000'000'000;  // t0 of a recording: any value but 0, which means "did not happen"

std::uint64_t sum_of(const std::vector<RecordedChunk>& chunks) {
  std::uint64_t sum = 0;
  for (const auto& c : chunks) sum += c.bytes;
  return sum;
}

bool is_gzip(std::string_view b) { return b.starts_with("\x1f\x8b"); }
bool is_zstd(std::string_view b) { return b.starts_with("\x28\xb5\x2f\xfd"); }

/// Hands out pieces of the bytes with their times.
template <class Take>
void replay(std::string_view bytes, const std::vector<RecordedChunk>* chunks, const Take& take) {
  if (!chunks) {
    take(bytes, MonoNs{0});
    return;
  }
  MonoNs at = origin;
  for (const auto& c : *chunks) {
    at = origin + static_cast<MonoNs>(std::llround(c.at_ms * 1e6));
    const std::string_view part = bytes.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(c.bytes, bytes.size())));
    bytes.remove_prefix(part.size());
    if (!part.empty()) take(part, at);
  }
  if (!bytes.empty()) take(bytes, at);
}

struct Decoded {
  std::string body;
  std::string fault;
};

/// The body of a raw answer at once, to count its bytes.
Decoded decode(std::string_view bytes) {
  Decoded out;
  HttpAnswerReader reader;
  reader.push(bytes, [&](std::string_view b) { out.body.append(b); });
  out.fault = reader.fault();
  return out;
}

}  // namespace

Result<std::vector<RecordedChunk>> parse_chunk_list(std::string_view text, const std::string& where) {
  std::vector<RecordedChunk> out;
  int number = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    line = trim(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    const auto bad = [&](const char* why) {
      return fail(ErrorCode::bad_usage, "The chunk list cannot be read", fmt::format("{} line {}", where, number), why,
                  "A line is \"<ms since the request was written> <bytes>\"");
    };
    const auto gap = line.find_first_of(" \t");
    if (gap == std::string_view::npos) return bad("two numbers are needed");
    const auto ms = parse_double(line.substr(0, gap));
    const auto bytes = parse_int(trim(line.substr(gap)));
    if (!ms || !std::isfinite(*ms) || *ms < 0 || *ms > 1e12) return bad("the time is not a number of milliseconds");
    if (!bytes || *bytes < 0) return bad("the size is not a whole number of bytes");
    if (!out.empty() && *ms < out.back().at_ms) return bad("the time goes back");
    out.push_back({*ms, static_cast<std::uint64_t>(*bytes)});
  }
  return out;
}

Result<StreamRecording> read_stream_recording(std::string_view bytes, const std::vector<RecordedChunk>* chunks,
                                              const std::string& where) {
  StreamRecording out;
  JsonScratch scratch;
  OpenAiStream stream(scratch);
  stream.begin();
  std::string unpacked;
  bool packed_body = false, compressed = false;
  if (is_gzip(bytes) && chunks && sum_of(*chunks) == bytes.size()) {
    packed_body = compressed = true;  // the list counts compressed bytes: this is what the server sent
  } else if (is_gzip(bytes) || is_zstd(bytes)) {
    auto plain = is_gzip(bytes) ? gunzip(bytes) : zstd_decompress(bytes);
    if (!plain) {
      plain.error().where = where;
      return fail(plain.error());
    }
    unpacked = *std::move(plain);
    bytes = unpacked;
  }

  StreamEnd end = StreamEnd::unknown;
  std::string detail;
  MonoNs last = 0, header = 0;
  const auto body = [&](std::string_view part, MonoNs at) {
    stream.body(part, at);
    last = at;
  };
  if (packed_body) {
    stream.warn("The server sent a compressed stream");
    Inflater inflater;
    bool good = true;
    replay(bytes, chunks, [&](std::string_view part, MonoNs at) {
      good = good && inflater.push(part, [&](std::string_view b) { body(b, at); });
    });
    if (!good) {
      end = StreamEnd::cut;
      detail = "the compressed body is broken";
    } else if (!inflater.ended()) {
      stream.warn("The compressed body has no end");
    }
  } else if (looks_like_http(bytes)) {
    out.http = true;
    std::string whole_body;
    const bool by_body = chunks && sum_of(*chunks) != bytes.size() &&
                         (whole_body = decode(bytes).body).size() == sum_of(*chunks);
    HttpAnswerReader reader;
    bool told = false;
    const auto head = [&](MonoNs at) {
      if (told || !reader.head_done()) return;
      told = true;
      header = at;
      stream.status(reader.head().status, reader.head().header("content-type").value_or(std::string_view()));
      if (reader.compressed()) stream.warn("The server sent a compressed stream");
    };
    if (by_body) {
      reader.push(bytes, [](std::string_view) {});
      head(chunks->empty() ? 0 : origin);
      header = 0;
      replay(whole_body, chunks, body);
    } else {
      replay(bytes, chunks, [&](std::string_view part, MonoNs at) {
        reader.push(part, [&](std::string_view b) {
          head(at);
          body(b, at);
        });
        head(at);
        last = at;
      });
    }
    compressed = reader.compressed();
    detail = reader.fault();
    const bool framed = reader.framing() == HttpAnswerReader::Framing::chunked || reader.framing() == HttpAnswerReader::Framing::length;
    if (reader.whole()) end = StreamEnd::clean;
    else if (framed || !reader.head_done() || reader.state() == HttpAnswerReader::State::broken) end = StreamEnd::cut;
    if (reader.extra_bytes() > 0) stream.warn(fmt::format("{} bytes follow the end of the answer", reader.extra_bytes()));
  } else {
    replay(bytes, chunks, body);
  }
  out.odd_frames = stream.odd_frames();
  out.record = stream.finish(end, last, detail);
  out.timed = chunks != nullptr;
  StreamTimes& t = out.record.times;
  if (out.timed) {
    t.t0 = origin;
    t.header = header;
    if (auto mark = one_piece_mark(out.record, compressed)) out.record.warnings.push_back(*std::move(mark));
  } else {
    t = StreamTimes();
    for (auto& e : out.record.events) e.at = 0;
  }
  return out;
}

std::optional<std::string> one_piece_mark(const StreamRecord& r, bool compressed) {
  if (!compressed || r.times.first_token == 0 || r.times.first_token != r.times.last_token) return std::nullopt;
  const std::int64_t tokens = std::max({r.content_events, static_cast<std::int64_t>(r.token_ids.size()), r.usage.completion_tokens.value_or(0)});
  if (tokens < 2) return std::nullopt;
  return "All tokens came in one piece: the first-token time was not measurable";
}

std::optional<std::string> sleep_mark(MonoNs monotonic_elapsed, MonoNs boottime_elapsed) {
  constexpr MonoNs tolerance = 50'000'000;  // the two clocks are read one after the other
  if (boottime_elapsed - monotonic_elapsed <= tolerance) return std::nullopt;
  return std::string(slept_mark);
}

}  // namespace kvcliff::wire
