// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include "base/json.h"
#include "cli.h"
#include "journal/reader.h"
#include "plan/plan.h"
#include "process/launcher.h"
#include "process/ports.h"
#include "support/data.h"

namespace kvcliff {
namespace {
using namespace std::chrono_literals;

using test::Cli;
using test::take;

std::string reference() { return std::string(KVCLIFF_SOURCE_DIR) + "/resources/plans/reference.json"; }

std::int64_t measured_so_far(const std::string& journal) {
  const auto r = journal::Reader::open(journal);
  if (!r) return 0;
  const auto e = r->experiment("");
  if (!e) return 0;
  std::int64_t n = 0;
  for (const auto& s : r->sessions(e->id).value_or(std::vector<SessionRecord>())) n += r->request_count(s.id)->measured;
  return n;
}

struct Totals {
  std::int64_t requests = 0, settled = 0, as_predicted = 0, prompt = 0, computed = 0, gpu_hit = 0, host_loaded = 0, loaded_bytes = 0;
};
Totals totals(const std::string& journal) {
  Totals t;
  auto r = journal::Reader::open(journal);
  EXPECT_TRUE(r) << r.error().sentence();
  const auto e = r->experiment("");
  for (const auto& s : take(r->sessions(e->id))) {
    if (s.state != SessionState::finished) continue;
    for (const auto& q : take(r->requests(s.id, journal::Depth::details))) {
      if (q.plan.warmup) continue;
      ++t.requests;
      t.settled += q.settled;
      t.prompt += q.plan.prompt_tokens;
      t.computed += q.sources.computed.value.value_or(Tokens(-1'000'000)).v;
      t.gpu_hit += q.sources.gpu_hit.value.value_or(Tokens(-1'000'000)).v;
      t.host_loaded += q.sources.host_loaded.value.value_or(Tokens(-1'000'000)).v;
      t.loaded_bytes += q.loaded_bytes.value_or(Bytes(0)).v;
      const auto& p = q.plan.predicted;
      t.as_predicted += q.sources.computed.value && p.computed.contains(q.sources.computed.value->v) &&
                        p.gpu_hit.contains(q.sources.gpu_hit.value->v) && p.host_loaded.contains(q.sources.host_loaded.value->v);
    }
  }
  return t;
}

void expect_reference_totals(const Totals& t) {
  EXPECT_EQ(t.requests, 78);
  EXPECT_EQ(t.settled, 78);
  EXPECT_EQ(t.prompt, 156'234);
  EXPECT_EQ(t.computed, 100'234);
  EXPECT_EQ(t.gpu_hit, 8'000);
  EXPECT_EQ(t.host_loaded, 48'000);
  EXPECT_EQ(t.loaded_bytes, 5'505'024'000);
  EXPECT_EQ(t.as_predicted, 78);
}

TEST(RunCommand, TheReferencePlanGivesItsTotals) {
  test::TempDir dir;
  Cli cli(dir, {"run", reference(), "--journal", dir / "j.kvcliff", "--time-scale", "0.02", "--json"});
  ASSERT_EQ(cli.wait(), 0) << cli.err();
  const auto json = parse_json(cli.out(), "stdout");
  ASSERT_TRUE(json) << cli.out();
  EXPECT_EQ(json->at("requests"), 78);
  EXPECT_EQ(json->at("simulated"), true);
  EXPECT_EQ(json->at("sessions").size(), 5u);
  expect_reference_totals(totals(dir / "j.kvcliff"));
}

TEST(RunCommand, ARunThatStoresAnswersTooReconcilesWhole) {
  test::TempDir dir;
  Json plan = *parse_json(*read_file(reference()), "reference.json");
  plan["capacity"]["offload"]["offload_prompt_only"] = false;
  plan["schedule"]["pairs"] = 1;
  plan["schedule"]["controls"] = Json::array();
  plan["arms"].erase(2);
  ASSERT_TRUE(write_file(dir / "plan.json", plan.dump(1)));
  for (const char* version : {"0.22.0", "0.32.0"}) {
    plan["engine"]["version"] = version;
    ASSERT_TRUE(write_file(dir / "plan.json", plan.dump(1)));
    const std::string journal = dir / (std::string("j-") + version);
    Cli cli(dir, {"run", dir / "plan.json", "--journal", journal, "--time-scale", "0.02", "--json"});
    EXPECT_LE(cli.wait(), 1) << cli.err();
    const auto json = parse_json(cli.out(), "stdout");
    ASSERT_TRUE(json) << cli.out();
    EXPECT_EQ(json->at("reconciled"), 36) << version;
    EXPECT_EQ(json->at("unexplained"), (Json{{"tokens", 0}, {"bytes", 0}})) << version;
    const Totals t = totals(journal);
    EXPECT_EQ(t.as_predicted, 36) << version;
    EXPECT_EQ(t.host_loaded, 24'000) << version;
  }
}

TEST(RunCommand, KilledInTheMiddleItResumesAndEndsWithTheSameTotals) {
  test::TempDir dir;
  const std::string journal = dir / "j.kvcliff";
  {
    Cli cli(dir, {"run", reference(), "--journal", journal, "--time-scale", "0.02", "--quiet"});
    for (int i = 0; i < 2400 && measured_so_far(journal) < 25; ++i) std::this_thread::sleep_for(50ms);
    ASSERT_GE(measured_so_far(journal), 25) << cli.err();
    cli.signal(SIGKILL);
    EXPECT_EQ(cli.wait(), 128 + SIGKILL);
  }
  Cli again(dir, {"run", reference(), "--journal", journal, "--resume", "--time-scale", "0.02", "--quiet"});
  ASSERT_EQ(again.wait(), 0) << again.err();
  expect_reference_totals(totals(journal));
  auto r = journal::Reader::open(journal);
  EXPECT_EQ(r->experiments()->size(), 1u);
  int superseded = 0;
  for (const auto& s : take(r->sessions(1))) superseded += s.state == SessionState::superseded;
  EXPECT_EQ(superseded, 1);
  Cli nothing(dir, {"run", reference(), "--journal", journal, "--resume", "--time-scale", "0.02"});
  EXPECT_EQ(nothing.wait(), 2) << "a finished run cannot be resumed";
}

TEST(RunCommand, ControlCEndsWith130AndAWholeJournal) {
  test::TempDir dir;
  const std::string journal = dir / "j.kvcliff";
  Cli cli(dir, {"run", reference(), "--journal", journal, "--time-scale", "0.02", "--json"});
  for (int i = 0; i < 2400 && measured_so_far(journal) < 5; ++i) std::this_thread::sleep_for(50ms);
  cli.signal(SIGINT);
  EXPECT_EQ(cli.wait(), 130) << cli.err();
  EXPECT_TRUE(parse_json(cli.out(), "stdout")) << cli.out();
  EXPECT_EQ(journal::Reader::open(journal)->experiment("")->state, "stopped_by_user");
  EXPECT_NE(::access((journal + "-wal").c_str(), F_OK), 0) << "closed, it is one file";
}

TEST(RunCommand, AttachMeasuresARunningServerAndSaysWhatItCannotProve) {
  test::TempDir dir;
  const auto port = process::free_port();
  ASSERT_TRUE(port);
  const auto launcher = process::make_local_launcher();
  process::Command command;
  command.argv = {std::string(KVCLIFF_BINARY_DIR) + "/bin/kvcliff-emulator", "serve", "qwen3-0.6b", "--port", std::to_string(*port),
                  "--block-size", "16", "--num-gpu-blocks-override", "385", "--emulate-time-scale", "0.02"};
  auto server = launcher->start(command, [](const LogLine&) {});
  ASSERT_TRUE(server) << server.error().sentence();
  const std::string url = "http://127.0.0.1:" + std::to_string(*port);
  Cli cli(dir, {"attach", "--url", url, "--plan", reference(), "--journal", dir / "a.kvcliff", "--json"});
  EXPECT_EQ(cli.wait(), 1) << "one session is no comparison: " << cli.err();
  EXPECT_TRUE((*server)->running()) << "an attached server is left running";
  const Totals t = totals(dir / "a.kvcliff");
  EXPECT_EQ(t.requests, 18);
  EXPECT_EQ(t.as_predicted, 18);
  EXPECT_EQ(t.computed, 18 * 2003);
  const auto r = journal::Reader::open(dir / "a.kvcliff");
  EXPECT_TRUE(r->experiment("")->simulated) << "told by the server's version";
  std::string said;
  for (const auto& n : take(r->notices(1))) said += n.text + "\n";
  EXPECT_THAT(said, ::testing::HasSubstr("cannot be proven"));
  EXPECT_TRUE((*server)->stop(2000ms));
}

TEST(RunCommand, BadInputIsNamedBeforeAnythingStarts) {
  test::TempDir dir;
  const auto code = [&](std::vector<std::string> args, const std::string& part) {
    Cli cli(dir, std::move(args));
    const int rc = cli.wait();
    EXPECT_THAT(cli.err(), ::testing::HasSubstr(part));
    return rc;
  };
  EXPECT_EQ(code({"run", "no-such-plan.json", "--journal", dir / "a"}, "no-such-plan.json"), 2);
  ASSERT_TRUE(write_file(dir / "text", "this is no journal"));
  EXPECT_EQ(code({"run", reference(), "--journal", dir / "text"}, "not a journal"), 2);
  EXPECT_EQ(*read_file(dir / "text"), "this is no journal");
  EXPECT_EQ(code({"run", reference(), "--journal", dir / "no/folder/j"}, "no/folder/j"), 3);
  EXPECT_EQ(code({"run", reference(), "--journal", dir / "b", "--time-scale", "0"}, "--time-scale"), 2);
  EXPECT_EQ(code({"attach", "--url", "nonsense", "--plan", reference(), "--journal", dir / "c"}, "nonsense"), 2);
}

TEST(RunCommand, ABundleOfARunOpensWithTheSameTotals) {
  test::TempDir dir;
  Cli cli(dir, {"run", reference(), "--journal", dir / "j.kvcliff", "--time-scale", "0.01", "--quiet"});
  ASSERT_EQ(cli.wait(), 0) << cli.err();
  Cli out(dir, {"export", dir / "j.kvcliff", "--out", dir / "bundle.kvcliff", "--json"});
  ASSERT_EQ(out.wait(), 0) << out.err();
  expect_reference_totals(totals(dir / "bundle.kvcliff"));
}

}  // namespace
}  // namespace kvcliff
