// SPDX-License-Identifier: GPL-3.0-or-later
// Packages that look installed and are not: what a killed package tool leaves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "process/site_packages.h"
#include "support/data.h"

namespace kvcliff::process {
namespace {
namespace fs = std::filesystem;
using ::testing::HasSubstr;

class SitePackages : public ::testing::Test {
 protected:
  SitePackages() {
    fs::create_directories(dir_ / "Demo_Lib-1.0.dist-info");
    write("demo.py", "abc");
    write("a,\"b\".txt", "quoted");
    fs::create_directories(dir_ / "bin");
    write("bin/tool", "#!");
    record("demo.py,sha256=x,3\r\n\"a,\"\"b\"\".txt\",sha256=y,6\nbin/tool,sha256=z,2\n__pycache__/demo.pyc,,\nDemo_Lib-1.0.dist-info/RECORD,,\n");
  }
  void write(const std::string& name, const std::string& text) { std::ofstream(dir_ / name) << text; }
  void record(const std::string& text) { write("Demo_Lib-1.0.dist-info/RECORD", text); }
  std::string why(const std::string& version = "1.0") {
    const auto d = damaged_packages(dir_.path(), {{"demo-lib", version, ""}});
    return d.empty() ? "" : d[0].why;
  }
  test::TempDir dir_;
};

TEST_F(SitePackages, AWholePackageIsWholeWhateverItsSpelling) {
  EXPECT_EQ(why(), "");
  EXPECT_TRUE(damaged_packages(dir_.path(), {{"demo.lib", "1.0", ""}}).empty());
}

// numpy's wheel lists compiled code that pip compiles anew.
TEST_F(SitePackages, CompiledCodeIsACacheAndNoDamage) {
  fs::create_directories(dir_ / "__pycache__");
  write("__pycache__/demo.cpython-311.pyc", "other bytes");
  record("demo.py,sha256=x,3\n__pycache__/demo.cpython-311.pyc,sha256=y,4\n__pycache__/gone.cpython-311.pyc,sha256=z,4\n");
  EXPECT_EQ(why(), "");
}

// Seen in real wheels: a library that grew after its list was written, and one file that two packages bring.
TEST_F(SitePackages, AFileLongerThanListedAndOneOfTwoPackagesAreWhole) {
  write("demo.py", "abcdef");
  EXPECT_EQ(why(), "");
  fs::create_directories(dir_ / "other-1.0.dist-info");
  write("other-1.0.dist-info/RECORD", "demo.py,sha256=x,900\n");
  EXPECT_TRUE(damaged_packages(dir_.path(), {{"demo-lib", "1.0", ""}, {"other", "1.0", ""}}).empty()) << "the shorter of the two came last";
  write("demo.py", "ab");
  EXPECT_EQ(damaged_packages(dir_.path(), {{"demo-lib", "1.0", ""}, {"other", "1.0", ""}}).size(), 2u);
}

TEST_F(SitePackages, EachKindOfDamageIsNamed) {
  EXPECT_EQ(why("2.0"), "has version 1.0");
  write("demo.py", "ab");
  EXPECT_THAT(why(), HasSubstr("demo.py is shorter"));
  fs::remove(dir_ / "demo.py");
  EXPECT_EQ(why(), "lacks demo.py");
  write("demo.py", "abc");
  fs::remove(dir_ / "a,\"b\".txt");
  EXPECT_EQ(why(), "lacks a,\"b\".txt");
  record("");
  EXPECT_EQ(why(), "has no list of its files");
  fs::remove(dir_ / "Demo_Lib-1.0.dist-info/RECORD");
  EXPECT_EQ(why(), "has no list of its files");
  fs::remove_all(dir_ / "Demo_Lib-1.0.dist-info");
  EXPECT_EQ(why(), "is not there");
  EXPECT_EQ(damaged_packages(dir_ / "nowhere", {{"x", "1", ""}}).size(), 1u);
}

TEST_F(SitePackages, TheRightVersionBesideAnOldOneCounts) {
  fs::create_directories(dir_ / "demo_lib-0.9.dist-info");
  write("demo_lib-0.9.dist-info/RECORD", "gone.py,sha256=x,1\n");
  EXPECT_EQ(why(), "");
}

TEST_F(SitePackages, ListsThatAreBrokenDoNotBreakUs) {
  for (const char* text : {"\"", "\"\"", ",", ",,", "\"a", "\"a\"b,c,d", "a", "a,b", "\n\n"}) {
    record(text);
    (void)why();
  }
  record("../../../etc/no-such-file,sha256=x,5\n");
  EXPECT_THAT(why(), HasSubstr("lacks"));
}

}  // namespace
}  // namespace kvcliff::process
