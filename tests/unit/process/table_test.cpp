// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/text.h"
#include "process/line_store.h"
#include "process/ports.h"
#include "process/table.h"
#include "support/data.h"
#include "support/expect_file.h"

namespace kvcliff::process {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

std::vector<TableEntry> table_of(const std::string& name) {
  std::vector<TableEntry> out;
  const auto text = test::read(name);
  for (const auto line : split(text, '\n')) {
    const auto f = split(line, '\t');
    if (f.size() < 6 || f[0] == "pid") continue;
    TableEntry e;
    e.process = {*parse_int(f[0]), *parse_int(f[1]), *parse_int(f[2]), static_cast<std::uint64_t>(*parse_int(f[3])), std::string(f[5])};
    e.uid = *parse_int(f[4]);
    out.push_back(e);
  }
  return out;
}

TEST(ProcessTable, Case061SurvivorsAreNamedByPidAndStartTime) {
  const std::string slug = "061-orphaned-engine-processes", folder = "cases/" + slug + "/";
  const auto noted = tree_of(table_of(folder + "ps-before.tsv"), 700);
  EXPECT_EQ(noted.size(), 5u);
  std::string left;
  for (const auto& m : survivors(noted, table_of(folder + "ps-after.tsv"))) left += (left.empty() ? "" : ", ") + std::to_string(m.pid);
  for (const auto& e : test::read_expectations(slug)) {
    if (e.key == "survivors") {
      EXPECT_EQ(left, e.value);
    }
  }
}

TEST(ProcessTable, ZombiesAreNoSurvivors) {
  std::vector<TableEntry> now{{.process = {.pid = 5, .start_ticks = 7}, .zombie = true}};
  EXPECT_TRUE(survivors({{.pid = 5, .start_ticks = 7}}, now).empty());
  now[0].zombie = false;
  EXPECT_EQ(survivors({{.pid = 5, .start_ticks = 7}}, now).size(), 1u);
}

TEST(ProcessTable, FindsThisProcess) {
  const auto mine = tree_of(read_table(), ::getpid());
  ASSERT_FALSE(mine.empty());
  EXPECT_EQ(mine[0].pid, ::getpid());
  EXPECT_GT(mine[0].start_ticks, 0u);
}

TEST(ProcessTable, AnOldLaunchOfADeadWorkbenchIsFoundByItsMarker) {
  auto p = make_local_launcher()->start({.argv = {"sleep", "600"}}, {});
  ASSERT_TRUE(p);
  const auto is_ours = [&](const Marked& m) { return m.process.pid == (*p)->pid(); };
  const auto all = marked_processes();
  ASSERT_EQ(std::count_if(all.begin(), all.end(), is_ours), 1);
  const auto orphans = orphans_of_dead_workbenches();
  EXPECT_EQ(std::count_if(orphans.begin(), orphans.end(), is_ours), 0) << "its workbench lives: this test";
}

TEST(Ports, ATakenPortNamesItsHolder) {
  const auto port = free_port();
  ASSERT_TRUE(port);
  EXPECT_TRUE(port_free("127.0.0.1", *port));
  EXPECT_TRUE(who_listens(*port).empty());
  EXPECT_EQ(listens_within(*port, {}), std::nullopt);
  auto p = make_local_launcher()->start({.argv = {KVCLIFF_PROCESS_HELPER, "listen", std::to_string(*port)}}, {});
  ASSERT_TRUE(p);
  const auto end = std::chrono::steady_clock::now() + 60s;
  while ((*p)->lines().empty() && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(5ms);
  for (const std::string host : {"127.0.0.1", "0.0.0.0"}) {
    const auto taken = port_free(host, *port);
    ASSERT_FALSE(taken) << host;
    EXPECT_EQ(taken.error().code, ErrorCode::busy);
    EXPECT_THAT(taken.error().why, HasSubstr("pid " + std::to_string((*p)->pid())));
  }
  EXPECT_EQ(listens_within(*port, (*p)->members()), true);
  EXPECT_EQ(listens_within(*port, {}), false) << "another server answers there";
  ASSERT_TRUE((*p)->stop(5s));
  EXPECT_TRUE(port_free("127.0.0.1", *port));
}

TEST(Ports, BadAddressesAreClearErrors) {
  EXPECT_EQ(port_free("127.0.0.1", 0).error().code, ErrorCode::bad_usage);
  EXPECT_EQ(port_free("127.0.0.1", 70000).error().code, ErrorCode::bad_usage);
  EXPECT_FALSE(port_free("192.0.2.1", 8000));
}

TEST(LineStore, KeepsHeadAndTail) {
  LineStore store(3, 2);
  for (int i = 0; i < 10; ++i) store.add({.text = std::to_string(i)});
  const auto join = [](const std::vector<LogLine>& lines) {
    std::string out;
    for (const auto& l : lines) out += l.text;
    return out;
  };
  EXPECT_EQ(join(store.from(0)), "01289");
  EXPECT_EQ(join(store.from(2)), "289");
  EXPECT_EQ(join(store.from(5)), "89");
  EXPECT_EQ(join(store.from(9)), "9");
  EXPECT_EQ(join(store.from(10)), "");
  EXPECT_EQ(store.count(), 10u);
  EXPECT_EQ(store.dropped(), 5u);
}

TEST(Shell, LinesAreQuotedOnlyWhereNeeded) {
  EXPECT_EQ(shell_line({"vllm", "serve", "a b", "it's", "", "{\"x\":1}"}), "vllm serve 'a b' 'it'\\''s' '' '{\"x\":1}'");
  const auto shown = make_local_launcher()->shown({.argv = {"vllm", "serve"}, .env_set = {{"A", "1 2"}}, .env_unset = {"B"}, .working_dir = "/x"});
  EXPECT_EQ(shown, "cd /x && env -u B A='1 2' vllm serve");
}

}  // namespace
}  // namespace kvcliff::process
