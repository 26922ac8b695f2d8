// SPDX-License-Identifier: GPL-3.0-or-later
// A run's requests as a trace: read again by our own reader, its blocks behave in a cache as the prompts did.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "base/file.h"
#include "cache/predict.h"
#include "exchange/trace_export.h"
#include "support/data.h"
#include "support/written_run.h"
#include "workload/requests.h"
#include "workload/trace.h"

namespace kvcliff::exchange {
namespace {
using testing::HasSubstr;
using testing::Not;

constexpr std::int64_t block_size = 16;

/// Two warm-ups and a workload, as a session journals them: with predictions from empty caches on.
std::vector<RequestRecord> session(const workload::Spec& spec, const cache::Config& config) {
  std::vector<workload::Prompt> prompts;
  for (int i = 0; i < 2; ++i) prompts.push_back(*workload::warmup_prompt(spec, block_size, spec.tokens, i, 7));
  auto made = workload::realise(spec, block_size);
  for (auto& p : *made) prompts.push_back(std::move(p));
  std::vector<cache::Input> inputs;
  for (const auto& p : prompts) inputs.push_back({{static_cast<std::int64_t>(p.tokens.size()), p.output_tokens, p.keys}, false, false});
  const auto predicted = cache::predict(config, inputs);
  std::vector<RequestRecord> out;
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    RequestRecord r;
    r.plan.ordinal = static_cast<int>(i);
    r.plan.document = prompts[i].document;
    r.plan.round = prompts[i].round;
    r.plan.warmup = i < 2;
    r.plan.prompt_tokens = static_cast<std::int64_t>(prompts[i].tokens.size());
    r.plan.output_tokens = prompts[i].output_tokens;
    r.plan.prompt_hash = prompts[i].hash;
    r.plan.block_hashes = prompts[i].keys;
    r.plan.predicted = (*predicted)[i];
    r.stream.outcome = Outcome::complete;
    r.stream.usage.completion_tokens = prompts[i].output_tokens;
    const MonoNs at = 5'000'000'000 + static_cast<MonoNs>(i) * 250'000'000;
    r.sent = {at, at};
    out.push_back(std::move(r));
  }
  return out;
}

workload::Spec spec(workload::Spec::Kind kind) {
  workload::Spec s;
  s.kind = kind;
  s.documents = 5;
  s.rounds = 3;
  s.tokens = 203;
  s.turn_tokens = 50;
  s.shared_prefix_tokens = 40;
  s.output_tokens = 4;
  s.seed = 11;
  return s;
}

cache::Config config() {
  cache::Config c;
  c.block_size = block_size;
  c.gpu_blocks = 31;   // two prompts and a little: what comes round again is loaded from the host, or computed
  c.host_chunks = 50;
  return c;
}

/// The trace's own prediction, from the ids that our reader makes of it.
std::vector<PredictedSources> replayed(const std::string& text) {
  const auto t = workload::parse_trace(text, "trace");
  if (!t) throw std::runtime_error(t.error().sentence());
  std::vector<cache::Input> inputs;
  for (const auto& r : t->requests) {
    std::vector<std::uint64_t> keys;
    for (const auto id : t->blocks(r)) keys.push_back(id);
    inputs.push_back({{r.input_tokens, r.output_tokens, keys}, false, false});
  }
  return *cache::predict(config(), inputs);
}

TEST(TraceExport, BehavesInACacheAsThePromptsDid) {
  for (const auto kind : {workload::Spec::Kind::documents, workload::Spec::Kind::sessions}) {
    const auto requests = session(spec(kind), config());
    const auto out = trace_of(requests, block_size, {});
    ASSERT_TRUE(out) << out.error().sentence();
    EXPECT_EQ(out->requests, 17);
    EXPECT_EQ(out->warmup, 2);
    const auto again = replayed(out->text);
    ASSERT_EQ(again.size(), requests.size());
    std::set<std::int64_t> hits;
    for (std::size_t i = 0; i < again.size(); ++i) {
      const auto& then = requests[i].plan.predicted;
      EXPECT_EQ(Json(again[i]), Json(then)) << "request " << i;
      hits.insert(then.host_loaded.min);
    }
    EXPECT_GT(hits.size(), 1u) << "the workload must use the tier, or nothing is compared";
  }
}

TEST(TraceExport, IsMooncakesFormWithItsBlockSize) {
  const auto requests = session(spec(workload::Spec::Kind::documents), config());
  const auto out = trace_of(requests, block_size, {});
  ASSERT_TRUE(out);
  const auto t = workload::parse_trace(out->text, "trace");
  ASSERT_TRUE(t) << t.error().sentence();
  EXPECT_EQ(t->format, workload::TraceFormat::mooncake);
  EXPECT_EQ(t->block_tokens, block_size);
  EXPECT_EQ(t->unchained, 0u);
  EXPECT_EQ(t->distinct(), static_cast<std::uint32_t>(out->distinct_blocks));
  ASSERT_EQ(t->requests.size(), 17u);
  EXPECT_EQ(t->requests[3].input_tokens, 203);
  EXPECT_EQ(t->requests[3].output_tokens, 4);
  EXPECT_DOUBLE_EQ(t->requests[3].seconds, 0.75) << "milliseconds from the first request";
  const auto measured = trace_of(requests, block_size, {.salt = {}, .measured_only = true, .session = {}});
  EXPECT_EQ(measured->requests, 15);
  EXPECT_EQ(measured->warmup, 0);
}

TEST(TraceExport, NamesNoPromptAndIsSaltedAnewEachTime) {
  const auto requests = session(spec(workload::Spec::Kind::documents), config());
  const auto one = trace_of(requests, block_size, {}), two = trace_of(requests, block_size, {});
  const auto mine = trace_of(requests, block_size, {.salt = "s", .measured_only = false, .session = {}});
  const auto same = trace_of(requests, block_size, {.salt = "s", .measured_only = false, .session = {}});
  const auto other = trace_of(requests, block_size, {.salt = "t", .measured_only = false, .session = {}});
  EXPECT_NE(one->text, two->text);
  EXPECT_EQ(mine->text, same->text);
  EXPECT_NE(mine->text, other->text);
  for (const auto& r : requests) {
    for (const auto h : r.plan.block_hashes) ASSERT_THAT(one->text, Not(HasSubstr(std::to_string(h))));
    ASSERT_THAT(one->text, Not(HasSubstr(r.plan.prompt_hash.substr(0, 12))));
  }
  for (std::size_t begin = 0; begin < one->text.size();) {
    const std::size_t end = one->text.find('\n', begin);
    const auto line = parse_json(one->text.substr(begin, end - begin), "line");
    ASSERT_TRUE(line);
    std::set<std::string> names;
    for (const auto& [name, value] : line->items()) names.insert(name);
    EXPECT_EQ(names, (std::set<std::string>{"timestamp", "input_length", "output_length", "hash_ids", "block_size"}));
    for (const auto& id : line->at("hash_ids")) EXPECT_LT(id.get<std::uint64_t>(), std::uint64_t{1} << 53) << "exact as a double";
    begin = end + 1;
  }
}

TEST(TraceExport, LinesStandInTheOrderOfSending) {
  auto requests = session(spec(workload::Spec::Kind::documents), config());
  std::swap(requests[4].sent, requests[5].sent);
  requests[6].stream.usage.completion_tokens = 3;   // the engine ended early
  requests[7].stream.outcome = Outcome::truncated;  // what it had counted is not known
  requests[7].stream.usage.completion_tokens.reset();
  const auto out = trace_of(requests, block_size, {.salt = "s", .measured_only = false, .session = {}});
  const auto t = workload::parse_trace(out->text, "trace");
  EXPECT_EQ(t->backwards, 0u);
  EXPECT_EQ(t->requests[6].output_tokens, 3);
  EXPECT_EQ(t->requests[7].output_tokens, 4);
}

TEST(TraceExport, WithoutBlockHashesItIsRefused) {
  auto requests = session(spec(workload::Spec::Kind::documents), config());
  requests[3].plan.block_hashes.clear();
  const auto out = trace_of(requests, block_size, {});
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().code, ErrorCode::bad_usage);
  EXPECT_EQ(out.error().where, "request 3");
  EXPECT_FALSE(trace_of({}, block_size, {}));
}

TEST(TraceExport, TakesTheFirstFinishedSessionOrTheOneThatIsNamed) {
  test::TempDir dir;
  test::HonestRun run;
  for (auto& s : run.in.sessions)
    for (auto& r : s.requests) r.plan.block_hashes.assign(static_cast<std::size_t>(r.plan.prompt_tokens / block_size), static_cast<std::uint64_t>(r.plan.document + 2));
  test::write_run(dir / "j.kvcliff", run.in, "0123456789abcdef", 1);
  const auto first = export_trace(dir / "j.kvcliff", "", dir / "t.jsonl", {});
  ASSERT_TRUE(first) << first.error().sentence();
  EXPECT_EQ(first->session, 0);
  EXPECT_EQ(first->arm, "off");
  EXPECT_EQ(*read_file(dir / "t.jsonl"), first->text);
  const auto there = export_trace(dir / "j.kvcliff", "", dir / "t.jsonl", {});
  ASSERT_FALSE(there) << "nothing is overwritten";
  EXPECT_EQ(there.error().where, (dir / "t.jsonl").string());
  const auto named = export_trace(dir / "j.kvcliff", "", dir / "u.jsonl", {.salt = {}, .measured_only = false, .session = 1});
  ASSERT_TRUE(named);
  EXPECT_EQ(named->arm, "on");
  const auto none = export_trace(dir / "j.kvcliff", "", dir / "v.jsonl", {.salt = {}, .measured_only = false, .session = 99});
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().what, HasSubstr("session 100"));
  EXPECT_FALSE(std::filesystem::exists(dir / "v.jsonl"));
}

}  // namespace
}  // namespace kvcliff::exchange
