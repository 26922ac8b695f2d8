// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"
#include "host/memory.h"
#include "host/preflight.h"
#include "support/data.h"
#include "support/expect_file.h"

namespace kvcliff::host {
namespace {

using State = PreflightItem::State;
constexpr std::int64_t gib = std::int64_t{1} << 30;

std::string expected(const std::string& slug, const std::string& part, const std::string& key) {
  for (const auto& e : test::read_expectations(slug))
    if (e.part == part && e.key == key) return e.value;
  throw std::runtime_error(slug + ": no " + key + " in [" + part + "]");
}

std::string as_case(State s) { return s == State::fail ? "refuse" : s == State::warn ? "warn" : s == State::pass ? "ok" : "unknown"; }

Memory of_case(const std::string& limit_file) {
  const std::string folder = "cases/052-host-memory-rounded-up/";
  Memory m;
  m.info = parse_meminfo(test::read(folder + "meminfo.txt"));
  m.cgroups.push_back({.path = "case", .limit = parse_limit(test::read(folder + limit_file)), .current = parse_limit(test::read(folder + "cgroup-memory.current"))});
  return m;
}

TEST(HostMemory, Case052TakesTheSmallerOfMemAvailableAndTheGroup) {
  const std::string slug = "052-host-memory-rounded-up";
  const auto m = of_case("cgroup-memory.max");
  EXPECT_EQ(std::to_string(*m.usable()), expected(slug, "", "usable_bytes"));
  EXPECT_EQ(std::to_string(*of_case("cgroup-memory.max-unlimited").usable()), expected(slug, "with cgroup-memory.max-unlimited", "usable_bytes"));
  for (const std::int64_t asked : {60, 100, 160}) {
    const auto item = check_host_memory({.host_bytes = asked * gib}, m);
    const std::string part = "asked " + std::to_string(asked) + " GiB";
    EXPECT_EQ(as_case(item.state), expected(slug, part, "preflight")) << item.what;
    if (asked < 160) {
      EXPECT_EQ(std::to_string(item.numbers.at("worst_case_bytes")), expected(slug, part, "worst_case_bytes"));
    }
  }
  const auto before = parse_oom_kills(test::read("cases/" + slug + "/memory.events-before"));
  const auto after = parse_oom_kills(test::read("cases/" + slug + "/memory.events-after"));
  EXPECT_EQ(explain_kill(before, after), expected(slug, "child ended by signal 9, not sent by us, memory.events-before -> memory.events-after", "cause"));
  EXPECT_EQ(explain_kill(before, before), "");
  EXPECT_EQ(explain_kill(std::nullopt, after), "");
}

TEST(HostMemory, UnknownIsNotPossibleAndNeverAPass) {
  EXPECT_EQ(check_host_memory({.host_bytes = gib}, Memory{}).state, State::not_possible);
  EXPECT_FALSE(parse_meminfo("MemTotal: x kB\n").total);
  EXPECT_FALSE(parse_meminfo("").available);
  EXPECT_EQ(parse_meminfo("MemTotalX: 5 kB\nMemTotal:       12 kB\n").total, 12 * 1024);
}

TEST(HostMemory, LimitsOfBothVersionsAreRead) {
  EXPECT_EQ(parse_limit("171798691840\n"), 171798691840);
  for (const std::string text : {"max\n", "9223372036854771712\n", "", "-1", "abc"}) EXPECT_FALSE(parse_limit(text)) << text;
  EXPECT_EQ(parse_oom_kills("oom_kill_disable 0\nunder_oom 0\noom_kill 7\n"), 7);
  EXPECT_FALSE(parse_oom_kills("oom 1\n"));
}

TEST(HostMemory, TheTightestGroupOnTheWayToTheRootCounts) {
  test::TempDir root;
  const auto put = [&](const std::string& name, const std::string& text) {
    std::filesystem::create_directories((root / name).parent_path());
    ASSERT_TRUE(write_file(root / name, text));
  };
  put("proc/meminfo", "MemTotal: 1000000 kB\nMemAvailable: 900000 kB\n");
  put("proc/self/cgroup", "0::/user.slice/job\n");
  put("sys/fs/cgroup/user.slice/job/memory.max", "max\n");
  put("sys/fs/cgroup/user.slice/job/memory.events", "oom_kill 2\n");
  put("sys/fs/cgroup/user.slice/memory.max", "1000\n");
  put("sys/fs/cgroup/user.slice/memory.current", "700\n");
  put("sys/fs/cgroup/user.slice/memory.stat", "anon 100\ninactive_file 150\n");
  const auto m = read_memory(root.path());
  EXPECT_EQ(m.usable(), 450) << "file cache is given back";
  EXPECT_THAT(m.usable_from(), ::testing::HasSubstr("user.slice"));
  EXPECT_EQ(m.oom_kills(), 2);
  put("proc/self/cgroup", "4:cpu,memory:/a\n0::/\n");
  put("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "5000\n");
  put("sys/fs/cgroup/memory/a/memory.usage_in_bytes", "5100\n");
  EXPECT_EQ(read_memory(root.path()).usable(), 0) << "version 1, above its limit for a moment";
}

TEST(HostMemory, PinnedSizeIsRoundedPerTensor) {
  // Measured with vLLM 0.26.0: 1,287 blocks x 64 KiB per layer in 28 layers took 3.50 GiB; in one tensor 4 GiB.
  const std::int64_t asked = std::int64_t{1287} * 65536 * 28;
  EXPECT_EQ(pinned_estimate(asked, 28), 28 * (std::int64_t{128} << 20));
  EXPECT_EQ(pinned_estimate(asked, 1), 4 * gib);
  EXPECT_EQ(pinned_estimate(asked, 0), 2 * asked);
  EXPECT_EQ(pinned_estimate(28 * (std::int64_t{128} << 20), 28), 28 * (std::int64_t{128} << 20));
}

}  // namespace
}  // namespace kvcliff::host
