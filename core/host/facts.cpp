// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/facts.h"

#include <sched.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/text.h"

namespace kvcliff::host {
namespace fs = std::filesystem;

namespace {

std::string slurp(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return in ? std::string(std::istreambuf_iterator<char>(in), {}) : std::string();
}

std::string value_of(const std::string& text, const std::string& key, char separator) {
  for (const auto line : split(text, '\n')) {
    const auto at = line.find(separator);
    if (at == std::string_view::npos || trim(line.substr(0, at)) != key) continue;
    auto v = trim(line.substr(at + 1));
    if (v.size() > 1 && v.front() == '"' && v.back() == '"') v = v.substr(1, v.size() - 2);
    return std::string(v);
  }
  return {};
}

std::optional<double> read_cpu_quota() {
  const std::string v2 = slurp("/sys/fs/cgroup/cpu.max");
  const auto parts = split(trim(v2), ' ');
  if (parts.size() == 2) {
    const auto quota = parse_double(parts[0]), period = parse_double(parts[1]);
    if (quota && period && *period > 0 && parts[0] != "max") return *quota / *period;
  }
  const auto quota = parse_double(trim(slurp("/sys/fs/cgroup/cpu/cpu.cfs_quota_us")));
  const auto period = parse_double(trim(slurp("/sys/fs/cgroup/cpu/cpu.cfs_period_us")));
  if (quota && period && *quota > 0 && *period > 0) return *quota / *period;
  return std::nullopt;
}

bool has_ipc_lock() {
  const std::string hex = value_of(slurp("/proc/self/status"), "CapEff", ':');
  if (hex.empty()) return false;
  const unsigned long long caps = std::strtoull(hex.c_str(), nullptr, 16);
  return (caps >> 14) & 1;  // CAP_IPC_LOCK
}

std::optional<std::int64_t> limit_of(__rlimit_resource what) {
  rlimit l{};
  if (::getrlimit(what, &l) != 0 || l.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return static_cast<std::int64_t>(l.rlim_cur);
}

}  // namespace

Facts read_facts(bool with_gpus, const std::function<bool()>& go_on) {
  Facts f;
  f.system = value_of(slurp("/etc/os-release"), "PRETTY_NAME", '=');
  utsname u{};
  if (::uname(&u) == 0) f.kernel = std::string(u.sysname) + " " + u.release + " " + u.machine;
  f.cpu = value_of(slurp("/proc/cpuinfo"), "model name", ':');
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) == 0) f.cpus = CPU_COUNT(&set);
  if (f.cpus == 0) f.cpus = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
  f.cpu_quota = read_cpu_quota();
  f.memory = read_memory();
  f.locked_limit = limit_of(RLIMIT_MEMLOCK);
  f.may_exceed_locked_limit = has_ipc_lock();
  if (const auto s = space_of("/dev/shm")) f.shm = *s;
  f.open_files_limit = limit_of(RLIMIT_NOFILE);
  std::error_code ec;
  const std::string groups = slurp("/proc/1/cgroup");
  f.container = fs::exists("/.dockerenv", ec) || fs::exists("/run/.containerenv", ec) || groups.find("docker") != std::string::npos ||
                groups.find("kubepods") != std::string::npos;
  if (with_gpus) f.gpus = read_gpus(go_on);
  return f;
}

Json to_json(const Facts& f) {
  Json gpus = Json::array();
  for (const auto& g : f.gpus.list) gpus.push_back(to_json(g));
  Json j{{"system", f.system},
         {"kernel", f.kernel},
         {"cpu", f.cpu},
         {"cpus", f.cpus},
         {"cpu_quota", optional_json(f.cpu_quota)},
         {"memory_total_bytes", optional_json(f.memory.info.total)},
         {"memory_available_bytes", optional_json(f.memory.info.available)},
         {"memory_usable_bytes", optional_json(f.memory.usable())},
         {"memory_usable_from", f.memory.usable_from()},
         {"locked_limit_bytes", optional_json(f.locked_limit)},
         {"may_exceed_locked_limit", f.may_exceed_locked_limit},
         {"open_files_limit", optional_json(f.open_files_limit)},
         {"container", f.container},
         {"gpus", std::move(gpus)}};
  if (f.shm) j["shm"] = {{"size_bytes", f.shm->size}, {"free_bytes", f.shm->free}};
  else j["shm"] = nullptr;
  if (f.gpus.list.empty() && !f.gpus.why.empty()) j["gpus_why"] = f.gpus.why;
  return j;
}

}  // namespace kvcliff::host
