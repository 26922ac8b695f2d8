// SPDX-License-Identifier: GPL-3.0-or-later
// The arrows between the folders of core, read from the #include lines.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>

#include "base/file.h"
#include "base/text.h"

namespace kvcliff {
namespace {
namespace fs = std::filesystem;

// Folder -> folders it may use directly; what these use is allowed as well.
const std::map<std::string, std::set<std::string>> arrows{
    {"base", {}},
    {"record", {"base"}},
    {"model", {"base"}},
    {"workload", {"model"}},
    {"cache", {"workload", "record"}},
    {"plan", {"workload", "record"}},
    {"wire", {"workload", "record"}},
    {"host", {"base"}},
    {"net", {"wire", "plan", "host"}},
    {"process", {"wire", "plan", "host"}},
    {"journal", {"wire", "plan", "host"}},
    {"engine/tables", {"wire", "record"}},
    {"engine", {"engine/tables", "net", "process", "host"}},
    {"attribution", {"engine/tables", "wire", "record"}},
    {"experiment", {"attribution", "engine", "journal", "cache"}},
    {"reconcile", {"journal", "attribution", "cache", "plan"}},
    {"analysis", {"reconcile"}},
    {"chart", {"analysis"}},
    {"report", {"chart", "journal"}},
    {"exchange", {"chart", "journal"}},
    {"emulator", {"cache", "model", "base"}},
};

void close_over(const std::string& folder, std::set<std::string>& out) {
  for (const auto& next : arrows.at(folder))
    if (out.insert(next).second) close_over(next, out);
}

std::string folder_of(const std::string& relative) {
  if (relative.rfind("engine/tables/", 0) == 0) return "engine/tables";
  return relative.substr(0, relative.find('/'));
}

TEST(Arrows, CoreIncludesOnlyWhatItsFolderMayUse) {
  const fs::path core = fs::path(KVCLIFF_SOURCE_DIR) / "core";
  const std::regex include(R"re(^\s*#\s*include\s*([<"])([^>"]+)[>"])re");
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(core)) {
    const auto ext = entry.path().extension();
    if (ext != ".cpp" && ext != ".h") continue;
    ++files;
    const std::string relative = fs::relative(entry.path(), core).string();
    const std::string folder = folder_of(relative);
    ASSERT_TRUE(arrows.count(folder)) << relative << ": a folder of core without an arrow";
    std::set<std::string> allowed{folder};
    close_over(folder, allowed);
    const std::string text = *read_file(entry.path());
    for (const auto line : split(text, '\n')) {
      std::cmatch m;
      if (!std::regex_search(line.data(), line.data() + line.size(), m, include)) continue;
      const std::string target = m[2];
      EXPECT_FALSE(target.size() > 1 && target[0] == 'Q' && target[1] >= 'A' && target[1] <= 'Z')
          << relative << " includes Qt: " << target;
      EXPECT_NE(target.rfind("ui/", 0), 0u) << relative << " includes the window: " << target;
      if (m[1] != "\"") continue;
      const std::string used = folder_of(target);
      if (fs::exists(core / target)) {
        EXPECT_TRUE(allowed.count(used)) << relative << " must not use " << used << " (" << target << ")";
      }
    }
  }
  EXPECT_GT(files, 10);
}

}  // namespace
}  // namespace kvcliff
