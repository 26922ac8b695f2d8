// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/marked.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "base/file.h"

namespace kvcliff::test {

Mark::Mark() {
  static std::atomic<int> count{0};
  entry_ = "KVCLIFF_TEST_MARK=" + std::to_string(::getpid()) + "-" + std::to_string(++count) + ".";  // the dot ends the number
}

std::map<pid_t, std::string> Mark::processes() const {
  std::map<pid_t, std::string> out;
  std::error_code ec;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ec)) {
    const auto pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 0) continue;
    const auto environment = read_file(entry.path() / "environ").value_or("");
    if (environment.find(entry_) == std::string::npos) continue;
    const auto stat = read_file(entry.path() / "stat").value_or("");
    const auto open = stat.find('('), close = stat.rfind(')');
    if (open == std::string::npos || close == std::string::npos || close + 2 >= stat.size() || stat[close + 2] == 'Z') continue;
    out[pid] = stat.substr(open + 1, close - open - 1);
  }
  return out;
}

std::map<pid_t, std::string> Mark::left_after(int milliseconds) const {
  auto left = processes();
  for (int waited = 0; waited < milliseconds && !left.empty(); waited += 50) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    left = processes();
  }
  return left;
}

}  // namespace kvcliff::test
