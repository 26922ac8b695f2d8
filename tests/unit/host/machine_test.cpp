// SPDX-License-Identifier: GPL-3.0-or-later
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "host/capture.h"
#include "host/facts.h"
#include "host/file_system.h"
#include "host/gpu.h"
#include "host/preflight.h"
#include "host/shm.h"
#include "support/data.h"
#include "support/expect_file.h"

namespace kvcliff::host {
namespace {

using ::testing::HasSubstr;
using State = PreflightItem::State;
constexpr std::int64_t gib = std::int64_t{1} << 30;

std::string expected(const std::string& slug, const std::string& part, const std::string& key) {
  for (const auto& e : test::read_expectations(slug))
    if (e.part == part && e.key == key) return e.value;
  throw std::runtime_error(slug + ": no " + key + " in [" + part + "]");
}

TEST(SharedMemory, Case049IsRefusedBeforeTheLaunch) {
  const std::string slug = "049-shared-memory-too-small", folder = "cases/" + slug + "/";
  const auto launch = test::read_json(folder + "launch.json");
  const Needs needs{.host_bytes = launch.at("kv_offloading_size_gib").get<std::int64_t>() * gib, .tier_in_shm = true};
  const auto small = check_shm(needs, parse_df(test::read(folder + "df-small.txt"), "/dev/shm"));
  EXPECT_EQ(small.state, State::fail);
  EXPECT_EQ(expected(slug, "launch.json with df-small.txt", "preflight"), "refuse");
  EXPECT_EQ(std::to_string(small.numbers.at("needed_bytes")), expected(slug, "launch.json with df-small.txt", "needed_bytes"));
  EXPECT_EQ(std::to_string(small.numbers.at("free_bytes")), expected(slug, "launch.json with df-small.txt", "free_bytes"));
  const auto large = check_shm(needs, parse_df(test::read(folder + "df-large.txt"), "/dev/shm"));
  EXPECT_EQ(large.state, State::pass) << large.what;
  EXPECT_EQ(check_shm(needs, std::nullopt).state, State::fail);
}

TEST(SharedMemory, Case050TellsLeftoversFromFilesInUse) {
  const std::string slug = "050-left-over-shm-files";
  std::vector<ShmFile> files;
  const auto listing = test::read("cases/" + slug + "/shm-listing.tsv");
  for (const auto line : split(listing, '\n')) {
    const auto f = split(line, '\t');
    if (f.size() < 4 || f[0] == "path") continue;
    ShmFile file{std::string(f[0]), *parse_int(f[1]), *parse_int(f[2]), {}};
    if (const auto pid = parse_int(trim(f[3]))) file.used_by.push_back(*pid);
    files.push_back(file);
  }
  ASSERT_EQ(files.size(), 4u);
  const auto r = classify_shm(files, 1000);
  ASSERT_EQ(r.leftovers.size(), 1u);
  EXPECT_EQ(r.leftovers[0].path, expected(slug, "", "leftovers"));
  EXPECT_EQ(std::to_string(r.leftover_bytes), expected(slug, "", "leftover_bytes"));
  ASSERT_EQ(r.in_use.size(), 1u);
  EXPECT_EQ(r.in_use[0].path, expected(slug, "", "in_use"));
  ASSERT_EQ(r.other_user.size(), 1u);
  EXPECT_EQ(r.other_user[0].path, expected(slug, "", "other_user"));
  EXPECT_EQ(check_shm_leftovers(r).state, State::warn);
}

TEST(SharedMemory, AMappedFileIsInUseAndNeverRemoved) {
  const std::string path = "/dev/shm/vllm_offload_kvcliff_test_" + std::to_string(::getpid());
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
  if (fd < 0) FAIL() << "/dev/shm cannot be written";
  ASSERT_EQ(::ftruncate(fd, 8192), 0);
  void* map = ::mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  ASSERT_NE(map, MAP_FAILED);
  static_cast<char*>(map)[0] = 1;
  ::close(fd);
  const auto mine = [&] {
    for (const auto& f : list_shm())
      if (f.path == path) return f;
    return ShmFile{};
  };
  EXPECT_THAT(mine().used_by, ::testing::Contains(::getpid()));
  EXPECT_THAT(remove_leftovers({mine()}), ::testing::IsEmpty());
  ::munmap(map, 8192);
  EXPECT_THAT(mine().used_by, ::testing::IsEmpty());
  EXPECT_GT(mine().bytes, 0);
  EXPECT_THAT(remove_leftovers({mine()}), ::testing::ElementsAre(path));
  EXPECT_NE(::access(path.c_str(), F_OK), 0);
}

TEST(FileSystems, Case083NetworkDrivesAreNotLocal) {
  const auto mounts = test::read("cases/083-journal-on-network-drive/mounts.txt");
  for (const auto& e : test::read_expectations("083-journal-on-network-drive")) {
    if (e.key.rfind("journal_mode(", 0) != 0) continue;
    const std::string path = e.key.substr(13, e.key.size() - 14);
    EXPECT_EQ(file_system_of(std::string_view(path), std::string_view(mounts)).local, e.value == "wal") << path;
  }
  const std::string odd = "/dev/a / ext4 rw 0 0\nhost:/x /mnt/my\\040disk nfs rw 0 0\nt /mnt tmpfs rw 0 0\n";
  EXPECT_EQ(file_system_of(std::string_view("/mnt/my disk/j"), std::string_view(odd)).type, "nfs");
  EXPECT_EQ(file_system_of(std::string_view("/mnt/my diskette/j"), std::string_view(odd)).type, "tmpfs");
  EXPECT_EQ(file_system_of(std::string_view("/mntx"), std::string_view(odd)).type, "ext4");
  EXPECT_FALSE(file_system_of(std::string_view("/x"), std::string_view("")).local);
}

TEST(Gpus, AnswerOfNvidiaSmiIsRead) {
  const auto list = parse_gpus("0, NVIDIA H200, GPU-1, 580.1, 00000000:01:00.0, 9.0, 143771, 143000, 5, 16, 0\n"
                               "1, NVIDIA GB10, GPU-2, 580.1, 0000000F:01:00.0, 12.1, [N/A], [Not Supported], [N/A], [N/A], [N/A]\n");
  ASSERT_TRUE(list) << list.error().sentence();
  ASSERT_EQ(list->size(), 2u);
  EXPECT_EQ((*list)[0].total, 143771 * std::int64_t{1048576});
  EXPECT_EQ((*list)[0].pcie_width, 16);
  EXPECT_FALSE((*list)[1].total);
  EXPECT_FALSE((*list)[1].pcie_generation);
  EXPECT_FALSE(parse_gpus("NVIDIA-SMI has failed because it could not communicate\n"));
  EXPECT_TRUE(parse_gpus("")->empty());
}

TEST(Gpus, MemoryHeldByOthersIsSaid) {
  Gpus g;
  g.list = {{.index = 0, .total = 100 * gib, .free = 98 * gib}};
  EXPECT_EQ(check_gpus({.gpu_bytes = 50 * gib, .gpus = 1}, g).state, State::pass);
  g.list[0].free = 60 * gib;
  EXPECT_EQ(check_gpus({.gpu_bytes = 50 * gib, .gpus = 1}, g).state, State::warn);
  EXPECT_EQ(check_gpus({.gpu_bytes = 61 * gib, .gpus = 1}, g).state, State::fail);
  EXPECT_EQ(check_gpus({.gpus = 2}, g).state, State::fail);
  g.list[0].free.reset();
  EXPECT_EQ(check_gpus({.gpus = 1}, g).state, State::not_possible);
  EXPECT_EQ(check_gpus({.gpus = 1}, Gpus{}).state, State::fail);
}

TEST(Machine, FactsOfThisMachineAreRead) {
  const auto f = read_facts(false);
  EXPECT_THAT(f.kernel, HasSubstr("Linux"));
  EXPECT_GT(f.cpus, 0);
  ASSERT_TRUE(f.memory.info.total);
  ASSERT_TRUE(f.memory.usable());
  EXPECT_LE(*f.memory.usable(), *f.memory.info.total);
  const auto j = to_json(f);
  EXPECT_EQ(j.at("cpus"), f.cpus);
  const auto items = check_machine({.host_bytes = 1 << 20, .journal = "journal.kvcliff", .journal_bytes = 1 << 20}, f);
  EXPECT_GE(items.size(), 5u);
  for (const auto& i : items) EXPECT_FALSE(i.what.empty()) << i.id;
}

TEST(Machine, HugeNeedsAreRefused) {
  const auto f = read_facts(false);
  const auto items = check_machine({.host_bytes = std::int64_t{1} << 60, .tier_in_shm = true, .journal = "/nowhere/at/all/j", .journal_bytes = 1}, f);
  int refused = 0;
  for (const auto& i : items) refused += i.state == State::fail;
  EXPECT_GE(refused, 2);
}

TEST(Capture, GivesOutputAndCodeAndEndsWhatHangs) {
  const auto said = capture({"sh", "-c", "echo out; echo err >&2; exit 3"}, std::chrono::seconds(20));
  ASSERT_TRUE(said);
  EXPECT_EQ(said->code, 3);
  EXPECT_EQ(said->out, "out\n");
  EXPECT_EQ(said->err, "err\n");
  EXPECT_EQ(capture({"sh", "-c", "kill -9 $$"}, std::chrono::seconds(20))->code, 137);
  const auto hangs = capture({"sh", "-c", "sleep 600 & sleep 600"}, std::chrono::milliseconds(100));
  ASSERT_FALSE(hangs);
  EXPECT_EQ(hangs.error().code, ErrorCode::timeout);
  EXPECT_EQ(capture({"no-such-program-here"}, std::chrono::seconds(1)).error().code, ErrorCode::not_found);
  EXPECT_FALSE(capture({}, std::chrono::seconds(1)));
}

TEST(Capture, EndsWithItsProgramWhenTheUserStops) {
  // Once while it writes nothing, once when its output is closed and it lives on.
  for (const char* script : {"sleep 600", "exec >/dev/null 2>&1; sleep 600"}) {
    int asked = 0;
    const auto said = capture({"sh", "-c", script}, std::chrono::minutes(10), {}, [&] { return ++asked < 4; });
    ASSERT_FALSE(said) << script;
    EXPECT_EQ(said.error().code, ErrorCode::interrupted) << script;
  }
}

}  // namespace
}  // namespace kvcliff::host
