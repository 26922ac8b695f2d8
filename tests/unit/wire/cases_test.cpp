// SPDX-License-Identifier: GPL-3.0-or-later
// One driver for every recorded case about streams: the inputs of tests/data/cases with their expect.txt.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "base/text.h"
#include "support/data.h"
#include "support/expect_file.h"
#include "wire/openai_stream.h"
#include "wire/recording.h"

namespace kvcliff::wire {
namespace {
namespace fs = std::filesystem;

StreamRecording load(const std::string& slug, const std::string& file) {
  const std::string folder = "cases/" + slug + "/";
  const std::string stem = file.substr(0, file.rfind('.'));
  std::vector<RecordedChunk> chunks;
  bool timed = false;
  for (const std::string& name : {stem + ".chunks.txt", std::string("chunks.txt")}) {
    if (timed || !fs::exists(test::data(folder + name))) continue;
    chunks = *parse_chunk_list(test::read(folder + name), name);
    timed = true;
  }
  auto r = read_stream_recording(test::read_file_bytes(folder + file), timed ? &chunks : nullptr, file);
  if (!r) throw std::runtime_error(r.error().sentence());
  return *std::move(r);
}

std::string number(double v) {
  const double r = std::round(v * 1e6) / 1e6;
  return r == std::floor(r) ? std::to_string(static_cast<std::int64_t>(r)) : std::to_string(r);
}

/// What the record says for a key of an expect.txt. "none" and "unknown" are the same here: not available.
std::string actual(const StreamRecording& rec, const std::string& key) {
  const StreamRecord& r = rec.record;
  const auto since = [&](MonoNs at) { return at == 0 || r.times.t0 == 0 ? std::string("none") : number(static_cast<double>(at - r.times.t0) * 1e-6); };
  const auto count = [](const std::optional<std::int64_t>& v) { return v ? std::to_string(*v) : std::string("none"); };
  const auto yes = [](bool b) { return std::string(b ? "yes" : "no"); };
  std::vector<MonoNs> tokens;
  for (const auto& e : r.events)
    if (e.kind == EventKind::token) tokens.push_back(e.at);
  const StreamFigures f = figures_of(r);
  if (key == "text" || key == "stream.text") return r.text;
  if (key == "reasoning_text") return r.reasoning_text;
  if (key == "content_events" || key == "stream.content_events") return std::to_string(r.content_events);
  if (key == "finish_reason") return r.finish_reason;
  if (key == "saw_done") return yes(r.saw_done);
  if (key == "outcome" || key == "stream.outcome") return std::string(to_string(r.outcome));
  if (key == "parse_errors") return std::to_string(r.parse_errors);
  if (key == "odd_frames") return std::to_string(rec.odd_frames);
  if (key == "ttft_ms") return since(r.times.first_token);
  if (key == "last_token_ms") return since(r.times.last_token);
  if (key == "time_to_first_answer_ms") return since(r.times.first_content);
  if (key == "replacement_chars") return number(static_cast<double>(split(r.text, '\xbf').size()) - 1);  // no other U+..BF here
  if (key == "usage.prompt_tokens") return count(r.usage.prompt_tokens);
  if (key == "usage.completion_tokens") return count(r.usage.completion_tokens);
  if (key == "usage.total_tokens") return count(r.usage.total_tokens);
  if (key == "output_tokens") return count(f.output_tokens);
  if (key == "error.code") return std::to_string(r.error_code);
  if (key == "error.message") return r.error_message;
  if (key == "counts_in_statistics") return yes(r.outcome == Outcome::complete);
  if (key == "http_status") return std::to_string(r.http_status);
  if (key == "body_is_valid_json") return yes(read_error_text(r.raw).valid_json);
  if (key == "hint") {
    for (const auto& w : r.warnings)
      if (starts_with_ci(w, "the server saw no request body")) return "the server saw no request body";
    return "none";
  }
  if (key == "intervals_ms") {
    std::string out;
    for (std::size_t i = 1; i < tokens.size(); ++i)
      out += (out.empty() ? "" : ", ") + number(static_cast<double>(tokens[i] - tokens[i - 1]) * 1e-6);
    return out;
  }
  if (key == "mean_gap_ms")
    return tokens.size() < 2 ? "none" : number(static_cast<double>(tokens.back() - tokens.front()) * 1e-6 / static_cast<double>(tokens.size() - 1));
  throw std::runtime_error("expect.txt asks for " + key + ", which the driver does not know");
}

std::string wanted(std::string value) {
  if (value.size() >= 2 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
  if (value == "unknown") return "none";
  if (value == "failed") return "error";
  if (value == "silence-timeout") return "timeout";
  if (value == "cancelled-by-user") return "cancelled";
  return value;
}

struct Input {
  const char* slug;
  const char* file;
  const char* part;   // part of expect.txt
  friend void PrintTo(const Input& i, std::ostream* out) { *out << i.slug << ' ' << i.file; }  // what ctest shows
};

class StreamCases : public testing::TestWithParam<Input> {};

TEST_P(StreamCases, GiveTheStatedAnswer) {
  const auto& [slug, file, part] = GetParam();
  const StreamRecording rec = load(slug, file);
  int checked = 0;
  for (const auto& e : test::read_expectations(slug)) {
    if (e.part != part) continue;
    if (e.key == "header_ms" || e.key == "request_header" || e.key.starts_with("session_") || e.key.starts_with("followup.")) continue;  // other tests
    EXPECT_EQ(actual(rec, e.key), wanted(e.value)) << slug << " line " << e.line << ": " << e.key;
    ++checked;
  }
  EXPECT_GT(checked, 0) << "no expectation was found for " << slug << " " << file;
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Recorded, StreamCases, testing::Values(
    Input{"001-split-mid-json", "stream.sse", ""},
    Input{"002-utf8-split", "stream.sse", ""},
    Input{"004-comments-keepalive", "stream.sse", ""},
    Input{"005-data-no-space", "stream.sse", ""},
    Input{"007-usage-only-last-chunk", "empty-choices.sse", ""},
    Input{"007-usage-only-last-chunk", "no-choices-key.sse", ""},
    Input{"007-usage-only-last-chunk", "usage-on-every-chunk.sse", ""},
    Input{"008-error-inside-200", "error-first.sse", "error-first.sse"},
    Input{"008-error-inside-200", "error-mid.sse", "error-mid.sse"},
    Input{"008-error-inside-200", "error-old-shape.sse", "error-old-shape.sse"},
    Input{"008-error-inside-200", "only-done.sse", "only-done.sse"},
    Input{"010-role-only-first-delta", "stream.sse", ""},
    Input{"011-reasoning-deltas", "reasoning.sse", "reasoning.sse"},
    Input{"011-reasoning-deltas", "reasoning_content.sse", "reasoning.sse"},
    Input{"011-reasoning-deltas", "only-reasoning.sse", "only-reasoning.sse"},
    Input{"013-bom-and-non-object-frames", "stream.sse", ""},
    Input{"014-gzip-event-stream", "body.gz", ""},
    Input{"016-long-prefill-and-timeouts", "stream.sse", "run A"},
    Input{"017-no-h2c-upgrade", "reply.http", "reply.http"},
    Input{"038-negative-source-kills-output", "stream.sse", ""},
    Input{"101-ttft-at-the-wrong-event", "stream.sse", ""}),
    [](const auto& input) {
      std::string name = std::string(input.param.slug) + "_" + input.param.file;
      for (char& c : name) if (!isalnum(static_cast<unsigned char>(c))) c = '_';
      return name;
    });
// clang-format on

/// However the bytes are cut, the answer is the same: every case byte by byte, and in pieces of a few sizes.
TEST(StreamCasesCut, AnyCutGivesTheSameRecord) {
  for (const auto& entry : fs::recursive_directory_iterator(test::data("cases"))) {
    if (entry.path().extension() != ".sse") continue;
    const std::string bytes = test::read(fs::relative(entry.path(), test::data("")).string());
    const auto whole = *read_stream_recording(bytes, nullptr, "whole");
    for (const std::size_t size : {1u, 2u, 3u, 7u, 64u}) {
      std::vector<RecordedChunk> chunks;
      for (std::size_t at = 0; at < bytes.size(); at += size) chunks.push_back({static_cast<double>(at), std::min(size, bytes.size() - at)});
      auto cut = read_stream_recording(bytes, &chunks, "cut")->record;
      cut.times = {};
      for (auto& e : cut.events) e.at = 0;
      EXPECT_EQ(cut, whole.record) << entry.path() << " in pieces of " << size;
    }
  }
}

/// Line ends are a matter of taste of the server.
TEST(StreamCasesCut, LineEndsDoNotMatter) {
  const std::string lf = test::read("cases/010-role-only-first-delta/stream.sse");
  const auto base = *read_stream_recording(lf, nullptr, "lf");
  for (const std::string& ending : {std::string("\r"), std::string("\r\n")}) {
    std::string other;
    for (const char c : lf) {
      if (c == '\n') other += ending;
      else other += c;
    }
    for (const std::size_t size : {other.size(), std::size_t{1}, std::size_t{5}}) {
      std::vector<RecordedChunk> chunks;
      for (std::size_t at = 0; at < other.size(); at += size) chunks.push_back({1, std::min(size, other.size() - at)});
      auto r = read_stream_recording(other, &chunks, "other")->record;
      EXPECT_EQ(r.text, base.record.text);
      EXPECT_EQ(r.content_events, base.record.content_events);
      EXPECT_EQ(r.usage, base.record.usage);
      EXPECT_EQ(r.outcome, Outcome::complete);
    }
  }
}

}  // namespace
}  // namespace kvcliff::wire
