// SPDX-License-Identifier: GPL-3.0-or-later
// Is the place where a plan wants its engine started to be had? Asked with a command that starts nothing there.
#include <fmt/format.h>

#include "base/text.h"
#include "host/capture.h"
#include "process/preflight.h"
#include "process/remote.h"

namespace kvcliff::process {
namespace {

using host::PreflightItem;
using State = PreflightItem::State;
using namespace std::chrono_literals;
using GoOn = std::function<bool()>;

/// The last line that a program wrote to stderr: what it says of its failure.
std::string last_words(const host::Output& o) {
  std::string out;
  for (const auto line : split(o.err.empty() ? o.out : o.err, '\n'))
    if (!trim(line).empty()) out = to_valid_utf8(trim(line));
  return out.empty() ? fmt::format("exit code {}", o.code) : out.substr(0, 300);
}

PreflightItem failed(PreflightItem i, const std::string& what, const std::string& why, const std::string& next) {
  i.state = State::fail;
  i.what = what;
  i.why = why;
  i.next = next;
  return i;
}

PreflightItem check_ssh(const plan::LauncherSpec& spec, PreflightItem i, const GoOn& go_on) {
  const std::string host = spec.options.count("host") ? spec.options.at("host") : "";
  i.what = fmt::format("{} can be reached by ssh", host);
  auto argv = ssh_prefix(spec);
  argv.push_back("true");
  const auto said = host::capture(argv, 60s, {}, go_on);
  if (!said) return failed(i, fmt::format("{} cannot be reached by ssh", host), said.error().sentence(), "Try it in a terminal: " + shell_line(argv));
  if (said->code != 0)
    return failed(i, fmt::format("{} cannot be reached by ssh", host), last_words(*said),
                  "No password is asked for: set up a key or an agent, then try it in a terminal: " + shell_line(argv));
  return i;
}

PreflightItem check_container(const plan::LauncherSpec& spec, PreflightItem i, const GoOn& go_on) {
  const std::string image = spec.options.count("image") ? spec.options.at("image") : "";
  const auto runtime = container_runtime(spec);
  if (!runtime) return failed(i, runtime.error().what, runtime.error().where, runtime.error().next);
  i.what = fmt::format("The image {} is here", image);
  const auto said = host::capture({*runtime, "image", "inspect", image}, 30s, {}, go_on);
  if (!said) return failed(i, "The container program does not answer", said.error().sentence(), fmt::format("Try {} info in a terminal", *runtime));
  if (said->code == 0) return i;
  // A missing image and a daemon that does not answer both end with a code; only the second also fails to list.
  const auto lists = host::capture({*runtime, "ps", "-q"}, 30s, {}, go_on);
  if (!lists || lists->code != 0)
    return failed(i, "The container program does not answer", lists ? last_words(*lists) : lists.error().sentence(),
                  fmt::format("Start its service, or get the right to use it; try {} info in a terminal", *runtime));
  i.state = State::warn;
  i.what = fmt::format("The image {} is not here yet: the first session waits until it is fetched", image);
  i.next = fmt::format("{} pull {}", *runtime, image);
  return i;
}

PreflightItem check_slurm(const plan::LauncherSpec& spec, PreflightItem i, const GoOn& go_on) {
  i.what = "The cluster would take the job";
  auto argv = srun_prefix(spec, "kvcliff-test");
  argv.insert(argv.begin() + 1, "--test-only");
  if (const auto own = spec.options.find("options"); own != spec.options.end())
    for (const auto word : split(own->second, ' '))
      if (!trim(word).empty()) argv.emplace_back(trim(word));
  argv.push_back("true");
  const auto said = host::capture(argv, 60s, {}, go_on);
  if (!said) return failed(i, "The cluster cannot be asked", said.error().sentence(), "Try it in a terminal: " + shell_line(argv));
  if (said->code != 0)
    return failed(i, "The cluster refuses the job", last_words(*said), "Correct the launcher's options in the plan; try it in a terminal: " + shell_line(argv));
  return i;
}

}  // namespace

PreflightItem check_launcher(const plan::LauncherSpec& spec, const std::function<bool()>& go_on) {
  PreflightItem i{.id = "launcher", .what = "Engines are started on this machine"};
  const auto launcher = make_launcher(spec);
  if (!launcher) return failed(i, launcher.error().what, launcher.error().where, launcher.error().next);
  if (spec.kind == "ssh") return check_ssh(spec, i, go_on);
  if (spec.kind == "container") return check_container(spec, i, go_on);
  if (spec.kind == "slurm") return check_slurm(spec, i, go_on);
  return i;
}

}  // namespace kvcliff::process
