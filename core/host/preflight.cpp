// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/preflight.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "base/text.h"

namespace kvcliff::host {
namespace {

using State = PreflightItem::State;

std::string size(std::int64_t bytes) { return human_bytes(Bytes(bytes)); }

}  // namespace

std::string_view to_string(State s) {
  switch (s) {
    case State::pass: return "pass";
    case State::warn: return "warn";
    case State::fail: return "fail";
    case State::not_possible: return "not_possible";
  }
  return "not_possible";
}

Json to_json(const PreflightItem& i) {
  Json j{{"id", i.id}, {"state", to_string(i.state)}, {"what", i.what}, {"why", i.why}, {"next", i.next}, {"numbers", Json::object()}};
  for (const auto& [k, v] : i.numbers) j["numbers"][k] = v;
  return j;
}

PreflightItem check_host_memory(const Needs& n, const Memory& memory) {
  PreflightItem i{.id = "host_memory"};
  const std::int64_t worst = n.layers ? pinned_estimate(n.host_bytes, *n.layers, n.ranks) : pinned_worst_case(n.host_bytes);
  i.numbers = {{"asked_bytes", n.host_bytes}, {"worst_case_bytes", worst}};
  const auto usable = memory.usable();
  if (!usable) {
    i.state = State::not_possible;
    i.what = "Whether the host tier fits cannot be said";
    i.why = memory.usable_from();
    return i;
  }
  i.numbers["usable_bytes"] = *usable;
  const std::string rounding = n.layers ? fmt::format("{} pinned tensors, each rounded up to a power of two", grouped(*n.layers * n.ranks))
                                        : "each pinned tensor is rounded up to a power of two, at most twice the size";
  i.what = fmt::format("The host tier asks for {} and may pin {} of the {} that can be had ({})", size(n.host_bytes), size(worst), size(*usable), memory.usable_from());
  if (n.host_bytes > *usable) {
    i.state = State::fail;
    i.why = "the size asked is larger than the memory that can be had";
    i.next = "Lower capacity.host_bytes, or free memory";
  } else if (worst > *usable) {
    i.state = State::warn;
    i.why = "the size asked fits, what may be pinned does not: " + rounding;
    i.next = fmt::format("Lower capacity.host_bytes to {} to be safe, or watch for an end by the kernel", size(*usable / 2));
  } else {
    i.why = rounding;
  }
  return i;
}

PreflightItem check_locked_memory(const Needs& n, const Facts& f) {
  PreflightItem i{.id = "locked_memory"};
  if (!f.locked_limit) {
    i.what = "The limit of locked memory is unlimited";
    return i;
  }
  i.numbers = {{"limit_bytes", *f.locked_limit}, {"asked_bytes", n.host_bytes}};
  i.what = fmt::format("The limit of locked memory is {}", size(*f.locked_limit));
  if (*f.locked_limit < n.host_bytes && !f.may_exceed_locked_limit) {
    // CUDA pins through its driver and is not bound by the limit; engines that call mlock are, and then run unpinned.
    i.state = State::warn;
    i.why = "a tier that is locked by mlock would stay unpinned, and its transfers would be slower; memory pinned by the GPU driver is not bound by it";
    i.next = "ulimit -l unlimited, or LimitMEMLOCK=infinity in the service";
  } else if (f.may_exceed_locked_limit) {
    i.why = "this user may exceed it (CAP_IPC_LOCK)";
  }
  return i;
}

PreflightItem check_shm(const Needs& n, const std::optional<Space>& shm) {
  PreflightItem i{.id = "shm"};
  const std::int64_t needed = (n.tier_in_shm ? n.host_bytes : 0) + n.shm_bytes;
  i.numbers = {{"needed_bytes", needed}};
  if (!shm) {
    i.state = needed > 0 ? State::fail : State::not_possible;
    i.what = "There is no /dev/shm";
    i.next = needed > 0 ? "Mount a tmpfs there" : "";
    return i;
  }
  i.numbers["free_bytes"] = shm->free;
  i.numbers["size_bytes"] = shm->size;
  i.what = fmt::format("/dev/shm has {} free of {}, and {} are needed", size(shm->free), size(shm->size), size(needed));
  if (needed > shm->free) {
    i.state = State::fail;
    i.why = "the engine would fail late, after its weights were loaded";
    i.next = "Give the container more (--shm-size, --ipc=host), remount /dev/shm larger, or lower capacity.host_bytes";
  }
  return i;
}

PreflightItem check_shm_leftovers(const ShmReport& r) {
  PreflightItem i{.id = "shm_leftovers"};
  i.numbers = {{"files", static_cast<std::int64_t>(r.leftovers.size())}, {"bytes", r.leftover_bytes}};
  if (r.leftovers.empty()) {
    i.what = "No engine has left files in /dev/shm";
    if (!r.other_user.empty()) i.why = fmt::format("{} of other users are there, and cannot be judged or removed by us", r.other_user.size());
    return i;
  }
  i.state = State::warn;
  std::string names;
  for (std::size_t k = 0; k < r.leftovers.size() && k < 3; ++k) names += (k ? ", " : "") + r.leftovers[k].path;
  if (r.leftovers.size() > 3) names += ", ...";
  i.what = fmt::format("{} {} in /dev/shm {} {} and {} in no process: {}", r.leftovers.size(), r.leftovers.size() == 1 ? "file" : "files",
                       r.leftovers.size() == 1 ? "keeps" : "keep", size(r.leftover_bytes), r.leftovers.size() == 1 ? "is" : "are", names);
  i.why = "an engine that was killed does not remove them";
  i.next = "kvcliff-cli doctor --remove-leftovers removes them";
  return i;
}

PreflightItem check_gpus(const Needs& n, const Gpus& gpus) {
  PreflightItem i{.id = "gpu_memory"};
  i.numbers = {{"gpus_needed", n.gpus}, {"gpus_found", static_cast<std::int64_t>(gpus.list.size())}};
  if (gpus.list.empty()) {
    i.state = n.gpus > 0 ? State::fail : State::not_possible;
    i.what = "No GPU is found";
    i.why = gpus.why;
    if (n.gpus > 0) i.next = "Install the driver, or pass the card into the container";
    return i;
  }
  if (static_cast<int>(gpus.list.size()) < n.gpus) {
    i.state = State::fail;
    i.what = fmt::format("The plan asks for {} GPUs, and {} are found", n.gpus, gpus.list.size());
    return i;
  }
  i.what = fmt::format("{} {}", gpus.list.size(), gpus.list.size() == 1 ? "GPU is found" : "GPUs are found");
  for (const auto& g : gpus.list) {
    const std::string p = fmt::format("gpu{}_", g.index);
    if (g.free) i.numbers[p + "free_bytes"] = *g.free;
    if (g.total) i.numbers[p + "total_bytes"] = *g.total;
    if (!g.free || !g.total) {
      if (i.state == State::pass) {
        i.state = State::not_possible;
        i.why = fmt::format("the memory of GPU {} is not reported", g.index);
      }
    } else if (n.gpu_bytes && *g.free < *n.gpu_bytes) {
      i.state = State::fail;
      i.why = fmt::format("GPU {} has {} free of {}, and {} are needed", g.index, size(*g.free), size(*g.total), size(*n.gpu_bytes));
      i.next = "End the process that holds the memory (nvidia-smi lists them)";
    } else if (*g.free < *g.total / 10 * 9 && i.state == State::pass) {
      i.state = State::warn;
      i.why = fmt::format("GPU {} has {} in use by others: times would not be its own", g.index, size(*g.total - *g.free));
      i.next = "nvidia-smi lists the processes";
    }
  }
  return i;
}

PreflightItem check_disk(const Needs& n, const Result<Space>& space) {
  PreflightItem i{.id = "disk"};
  if (!space) {
    i.state = State::not_possible;
    i.what = "The free space for the journal cannot be read";
    i.why = space.error().sentence();
    return i;
  }
  constexpr std::int64_t reserve = std::int64_t{64} << 20;
  i.numbers = {{"free_bytes", space->free}, {"needed_bytes", n.journal_bytes}};
  i.what = fmt::format("The disk of the journal has {} free, and about {} are needed", size(space->free), size(n.journal_bytes));
  if (space->free < n.journal_bytes) {
    i.state = State::fail;
    i.next = "Free space, or name another journal";
  } else if (space->free < n.journal_bytes + reserve) {
    i.state = State::warn;
    i.why = "little would be left";
  }
  return i;
}

PreflightItem check_file_system(const FileSystem& f, const std::string& path) {
  PreflightItem i{.id = "journal_file_system"};
  i.what = fmt::format("The journal {} lies on {}", path, f.type.empty() ? "an unknown file system" : f.type);
  if (!f.local) {
    i.state = State::warn;
    i.why = "it is not known to be a disk of this machine: the journal is then kept in the classic mode, which is slower";
    i.next = "Name a journal on a local disk";
  }
  return i;
}

std::vector<PreflightItem> check_machine(const Needs& n, const Facts& f) {
  std::vector<PreflightItem> out;
  if (n.host_bytes > 0) {
    out.push_back(check_host_memory(n, f.memory));
    out.push_back(check_locked_memory(n, f));
  }
  if (n.tier_in_shm || n.shm_bytes > 0) out.push_back(check_shm(n, f.shm));
  out.push_back(check_shm_leftovers(classify_shm(list_shm(), ::getuid())));
  if (n.gpus > 0) out.push_back(check_gpus(n, f.gpus));
  if (!n.journal.empty()) {
    std::error_code ec;
    auto folder = std::filesystem::absolute(n.journal, ec).parent_path();
    // The folder is made with the journal: until then its nearest existing parent is where it will lie.
    while (!std::filesystem::exists(folder, ec) && folder.has_relative_path()) folder = folder.parent_path();
    out.push_back(check_disk(n, space_of(folder.string())));
    out.push_back(check_file_system(file_system_of(n.journal), n.journal));
  }
  return out;
}

}  // namespace kvcliff::host
