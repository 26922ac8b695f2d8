// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A small finished run, and programs that are started with the rights of a plain user or with little room on the disk.
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>

#include "base/json.h"
#include "integration/run/cli.h"

namespace kvcliff::test {

/// A superuser may write what is read-only. Without this right it is asked for permission as everybody is.
inline void as_plain_user() {
  if (::geteuid() != 0) return;
  for (const int right : {CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH})
    if (::prctl(PR_CAPBSET_DROP, right, 0, 0, 0) != 0) ::_exit(97);
}

/// Files cannot grow beyond `bytes`: what a full disk does, without one.
inline std::function<void()> with_room_for(rlim_t bytes) {
  return [bytes] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, bytes};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(97);
  };
}

struct Said {
  int code = -1;
  std::string out, err;
  Json json = Json();        ///< null: stdout is no document
  Json error() const { return json.is_object() ? json.value("error", Json()) : Json(); }
  std::string all() const { return out + err; }
};

inline Said run_cli(const TempDir& dir, std::vector<std::string> args, const How& how = {}) {
  args.push_back("--json");
  Cli cli(dir, std::move(args), how);
  Said s;
  s.code = cli.wait();
  s.out = cli.out();
  s.err = cli.err();
  s.json = parse_json(s.out, "stdout").value_or(Json());
  return s;
}

/// Every failure says what went wrong, where, and what to do next; `where` names the file that is meant.
inline void expect_finished_error(const Said& s, const std::string& path) {
  const Json e = s.error();
  ASSERT_TRUE(e.is_object()) << s.all();
  for (const char* part : {"code", "what", "where", "next"}) EXPECT_NE(e.value(part, std::string()), "") << part << ": " << s.all();
  EXPECT_NE(e.value("where", std::string()).find(path), std::string::npos) << s.all();
  EXPECT_NE(e.value("code", std::string()), "internal") << s.all();
}

/// One experiment of two sessions, measured once for all tests of a program.
class SmallRun {
 public:
  SmallRun() {
    Json p = *parse_json(*read_file(std::string(KVCLIFF_SOURCE_DIR) + "/resources/plans/reference.json"), "reference.json");
    p["workload"]["documents"] = 2;
    p["workload"]["tokens"] = 203;
    p["workload"]["rounds"] = 2;
    p["schedule"] = {{"pairs", 1}, {"controls", Json::array()}};
    EXPECT_TRUE(write_file(plan(), p.dump()));
    const Said s = run_cli(dir_, {"run", plan(), "--journal", journal(), "--time-scale", "0.01"});
    EXPECT_EQ(s.code, 1) << "one pair is no comparison: " << s.all();
    EXPECT_TRUE(write_file(foreign_result(), R"({"date":"20261130-101500","model_id":"Qwen/Qwen3-0.6B","input_lens":[2003],"output_lens":[3],"ttfts":[0.083],"itls":[[0.003,0.004]],"errors":[""]})"));
  }
  std::string plan() const { return dir_ / "plan.json"; }
  std::string journal() const { return dir_ / "good.kvcliff"; }
  std::string foreign_result() const { return dir_ / "result.json"; }

 private:
  TempDir dir_;
};

}  // namespace kvcliff::test
