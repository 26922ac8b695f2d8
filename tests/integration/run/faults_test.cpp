// SPDX-License-Identifier: GPL-3.0-or-later
// What the command line says when the engine, the disk or the input is bad, and that it says so in time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdlib>
#include <filesystem>
#include <functional>

#include "base/json.h"
#include "cli.h"
#include "journal/database.h"
#include "journal/reader.h"
#include "process/ports.h"

namespace kvcliff {
namespace {
using namespace std::chrono_literals;
using test::Cli;
using test::take;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::string binary(const std::string& name) { return std::string(KVCLIFF_BINARY_DIR) + "/bin/" + name; }

class Faults : public ::testing::Test {
 protected:
  /// The reference plan, changed, in a file of the test's folder.
  std::string plan(const std::function<void(Json&)>& change) {
    Json p = *parse_json(*read_file(std::string(KVCLIFF_SOURCE_DIR) + "/resources/plans/reference.json"), "reference.json");
    change(p);
    const std::string path = dir_ / "plan.json";
    EXPECT_TRUE(write_file(path, p.dump(1)));
    return path;
  }
  std::string with_fault(const std::string& fault, double start_s = 600) {
    return plan([&](Json& p) {
      p["engine"]["extra_args"] = {"--emulate-fault", fault};
      p["limits"]["start_s"] = start_s;
      p["limits"]["stop_s"] = 3;
    });
  }
  struct Said {
    int code = -1;
    std::string out, err;
  };
  Said cli(std::vector<std::string> args) {
    Cli c(dir_, std::move(args));
    Said s;
    s.code = c.wait();
    s.out = c.out();
    s.err = c.err();
    return s;
  }
  Said run(const std::string& plan_file) { return cli({"run", plan_file, "--journal", journal(), "--time-scale", "0.02", "--quiet"}); }
  std::string journal() const { return dir_ / "j.kvcliff"; }
  test::TempDir dir_;
};

TEST_F(Faults, AnEngineThatDiesWhileLoadingIsShownWithItsCommandAndItsLastLines) {
  const auto s = run(with_fault("die-loading"));
  EXPECT_EQ(s.code, 3);
  EXPECT_THAT(s.out, AllOf(HasSubstr("Nothing was measured"), HasSubstr("Session 1 (off) ended as failed"), HasSubstr("its command: "),
                           HasSubstr("--emulate-fault die-loading"), HasSubstr("Last lines of the engine's log:"), HasSubstr("deserializing header")));
  EXPECT_THAT(s.err, HasSubstr("deserializing header")) << "the cause, not the last line";
}

TEST_F(Faults, AnEngineOutOfMemoryIsNamedAsTheEmulatorsNotAsAVllm) {
  const auto s = run(with_fault("oom"));
  EXPECT_EQ(s.code, 3);
  EXPECT_THAT(s.err, HasSubstr("out of memory"));
  const auto bad = run(plan([](Json& p) { p["engine"]["extra_args"] = {"--no-such-flag", "1"}; }));
  EXPECT_EQ(bad.code, 3);
  EXPECT_THAT(bad.err, AllOf(HasSubstr("The emulator does not know the flag"), HasSubstr("--no-such-flag")));
}

TEST_F(Faults, AServerThatStaysUnreadyIsGivenUpAfterItsSilence) {
  const auto s = run(with_fault("unready", 1));
  EXPECT_EQ(s.code, 3);
  EXPECT_THAT(s.err, HasSubstr("while we waited for /health"));
  EXPECT_THAT(s.out, HasSubstr("Nothing was measured"));
}

TEST_F(Faults, AnEngineCoreKilledInAStreamIsNamedByItsOwnWords) {
  const auto s = run(with_fault("kill-core"));
  EXPECT_EQ(s.code, 3);
  EXPECT_THAT(s.err, HasSubstr("engine core was ended from outside")) << s.err;
  auto r = journal::Reader::open(journal());
  ASSERT_TRUE(r);
  const auto sessions = take(r->sessions(1));
  EXPECT_EQ(sessions[0].state, SessionState::failed);
  const auto requests = take(r->requests(sessions[0].id, journal::Depth::details));
  ASSERT_FALSE(requests.empty());
  EXPECT_EQ(requests.back().stream.outcome, Outcome::error);
  EXPECT_THAT(requests.back().stream.why, HasSubstr("The engine died"));
}

TEST_F(Faults, AttachToAPortWhereNobodyListensEnds) {
  const auto port = process::free_port();
  ASSERT_TRUE(port);
  const auto s = cli({"attach", "--url", "http://127.0.0.1:" + std::to_string(*port), "--plan", plan([](Json&) {}), "--journal", journal(), "--quiet"});
  EXPECT_EQ(s.code, 3);
  EXPECT_THAT(s.err, AllOf(HasSubstr("No server answers"), HasSubstr("correct --url")));
}

TEST_F(Faults, APortThatAnotherProgramTookIsSaid) {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in a{};
  a.sin_family = AF_INET;
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof a;
  ASSERT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&a), size), 0);
  ASSERT_EQ(::listen(fd, 1), 0);
  ASSERT_EQ(::getsockname(fd, reinterpret_cast<sockaddr*>(&a), &size), 0);
  const std::string port = std::to_string(ntohs(a.sin_port));
  // A plan may not set the port, so the engine itself does: the later --port wins in the emulator.
  const auto stubborn = dir_ / "stubborn-emulator";
  ASSERT_TRUE(write_file(stubborn, "#!/bin/sh\nexec " + std::string(KVCLIFF_BINARY_DIR) + "/bin/kvcliff-emulator \"$@\" --port " + port + "\n"));
  std::filesystem::permissions(stubborn, std::filesystem::perms::owner_all);
  ::setenv("KVCLIFF_EMULATOR", stubborn.c_str(), 1);
  const auto s = run(plan([](Json&) {}));
  ::unsetenv("KVCLIFF_EMULATOR");
  ::close(fd);
  EXPECT_EQ(s.code, 3);
  // The port named is the one that the engine was given.
  EXPECT_THAT(s.err, AllOf(HasSubstr("in use by another process"), HasSubstr("Address already in use")));
}

TEST_F(Faults, AMissingProgramIsSaidBeforeAnythingStarts) {
  const auto s = cli({"run", plan([](Json& p) {
                        p["engine"]["adapter"] = "vllm";
                        p["engine"]["environment"] = "/nowhere/vllm";
                      }), "--journal", journal(), "--quiet"});
  EXPECT_EQ(s.code, 3) << "what is not there is the engine";
  EXPECT_THAT(s.err, AllOf(HasSubstr("has no program vllm"), HasSubstr("/nowhere/vllm")));
  ::setenv("KVCLIFF_EMULATOR", "/nowhere/emulator", 1);
  const auto e = run(plan([](Json&) {}));
  ::unsetenv("KVCLIFF_EMULATOR");
  EXPECT_EQ(e.code, 3);
  EXPECT_THAT(e.err, HasSubstr("/nowhere/emulator"));
}

TEST_F(Faults, FiveFaultsOfAPlanAreNamedAtOnce) {
  const std::string bad = plan([](Json& p) {
    p["capacity"]["block_size"] = 0;
    p["workload"]["documents"] = -1;
    p["model"]["idd"] = "typo";
    p["launcher"] = {{"kind", "ssh"}};
    p["smallest_effect"] = "five";
  });
  for (const auto& s : {cli({"plan", "check", bad}), run(bad)}) {
    EXPECT_EQ(s.code, 2);
    EXPECT_THAT(s.err, AllOf(HasSubstr("capacity.block_size"), HasSubstr("workload.documents"), HasSubstr("idd"), HasSubstr("launcher.host"), HasSubstr("smallest_effect")));
  }
  const auto j = parse_json(cli({"plan", "check", bad, "--json"}).out, "stdout");
  ASSERT_TRUE(j);
  EXPECT_EQ(j->at("error").at("faults").size(), 5u) << j->dump(1);
}

TEST_F(Faults, UnknownFieldsOfAModelAreWarnedOfAndImpossibleOnesRefused) {
  ASSERT_TRUE(write_file(dir_ / "config.json",
                         R"({"model_type":"llama","num_hidden_layers":2,"num_attention_heads":4,"num_key_value_heads":2,"hidden_size":64,"torch_dtype":"bfloat16","quantum_heads":7})"));
  const auto good = cli({"model", dir_ / "config.json", "--json"});
  EXPECT_EQ(good.code, 0) << good.err;
  EXPECT_EQ(parse_json(good.out, "stdout")->at("bytes_per_token"), 2 * 2 * 2 * 16 * 2);
  ASSERT_TRUE(write_file(dir_ / "bad.json", R"({"model_type":"llama","num_hidden_layers":"two"})"));
  const auto bad = cli({"model", dir_ / "bad.json"});
  EXPECT_EQ(bad.code, 2);
  EXPECT_THAT(bad.err, HasSubstr("num_hidden_layers is not a number"));
}

TEST_F(Faults, AFullDiskBehindStdoutIsNoSuccess) {
  for (const std::string words : {"model qwen3-0.6b", "model qwen3-0.6b --json", "help R3", "doctor"}) {
    const std::string line = "'" + binary("kvcliff-cli") + "' " + words + " > /dev/full 2> '" + (dir_ / "said").string() + "'";
    const int status = std::system(line.c_str());
    EXPECT_EQ(WEXITSTATUS(status), 3) << words;
    EXPECT_THAT(*read_file(dir_ / "said"), HasSubstr("the output could not be written")) << words;
  }
}

TEST_F(Faults, ReadingAJournalLeavesNothingBesideIt) {
  ASSERT_LE(cli({"run", plan([](Json& p) {
                    p["workload"]["documents"] = 2;
                    p["workload"]["tokens"] = 103;
                    p["schedule"]["pairs"] = 1;
                  }), "--journal", journal(), "--time-scale", "0.01", "--quiet"}).code, 1);
  // As another program may leave it: in log mode, and closed.
  {
    auto db = journal::Database::open(journal(), journal::Database::Mode::read_write);
    ASSERT_TRUE(db->one_text("PRAGMA journal_mode = WAL"));
  }
  const auto beside = [&] {
    std::vector<std::string> out;
    for (const char* tail : {"-wal", "-shm", "-journal"})
      if (std::filesystem::exists(journal() + tail)) out.push_back(tail);
    return out;
  };
  ASSERT_THAT(beside(), ::testing::IsEmpty());
  const std::string before = *read_file(journal());
  for (const std::string command : {"reconcile", "decide", "export"}) {
    std::vector<std::string> args{command, journal(), "--json"};
    if (command == "export") args.insert(args.end(), {"--out", dir_ / "bundle"});
    EXPECT_LE(cli(args).code, 1) << command;
    EXPECT_THAT(beside(), ::testing::IsEmpty()) << command;
  }
  EXPECT_EQ(*read_file(journal()), before) << "reading changes no byte";
}

TEST_F(Faults, ResidualsOfWhatWasNotJudgedAreNull) {
  ASSERT_LE(run(plan([](Json& p) {
              p["workload"]["documents"] = 2;
              p["workload"]["tokens"] = 103;
              p["schedule"]["pairs"] = 1;
            })).code, 1);
  const auto j = parse_json(cli({"reconcile", journal(), "--requests", "--json"}).out, "stdout");
  ASSERT_TRUE(j);
  int judged = 0, not_judged = 0;
  for (const auto& r : j->at("request_list"))
    for (const auto& [id, c] : r.at("checks").items()) {
      const std::string state = c.at("state");
      if (state == "pass" || state == "fail") {
        EXPECT_TRUE(c.at("residual").is_number()) << id << " " << c.dump();
        ++judged;
      } else {
        EXPECT_TRUE(c.at("residual").is_null()) << id << " " << c.dump();
        ++not_judged;
      }
    }
  EXPECT_GT(judged, 0);
  EXPECT_GT(not_judged, 0);
}

}  // namespace
}  // namespace kvcliff
