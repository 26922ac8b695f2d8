// SPDX-License-Identifier: GPL-3.0-or-later
#include "process/remote.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>

#include "base/text.h"
#include "host/capture.h"

namespace kvcliff::process {
namespace {

std::string option(const plan::LauncherSpec& spec, const std::string& name) {
  const auto it = spec.options.find(name);
  return it == spec.options.end() ? std::string() : it->second;
}

void add_words(std::vector<std::string>& out, const std::string& text) {
  for (const auto w : split(text, ' '))
    if (!trim(w).empty()) out.emplace_back(trim(w));
}

void add_flag(std::vector<std::string>& out, const std::string& flag, const std::string& value) {
  if (!value.empty()) out.push_back(flag + "=" + value);
}

std::vector<std::string> scripted(const std::vector<std::string>& argv) {
  std::vector<std::string> out{"sh", "-c", remote_script, "kvcliff-run"};
  out.insert(out.end(), argv.begin(), argv.end());
  return out;
}

constexpr std::string_view node_line = "kvcliff: the engine runs on ";

/// Carries a command elsewhere by means of a local one.
class RemoteLauncher final : public Launcher {
 public:
  RemoteLauncher(plan::LauncherSpec spec, std::string runtime)
      : spec_(std::move(spec)), runtime_(std::move(runtime)), local_(make_local_launcher()) {}

  Result<std::unique_ptr<Process>> start(const Command& command, OnLine on_line) override {
    static std::atomic<int> counter{0};
    return local_->start(carried(command, fmt::format("kvcliff-{}-{}", ::getpid(), ++counter)), std::move(on_line));
  }
  std::string shown(const Command& command) const override { return local_->shown(carried(command, "kvcliff-NAME")); }

 private:
  Command carried(const Command& command, const std::string& name) const {
    if (spec_.kind == "ssh") return ssh_command(spec_, command);
    if (spec_.kind == "container") return container_command(spec_, runtime_, name, command);
    return slurm_command(spec_, name, command);
  }
  plan::LauncherSpec spec_;
  std::string runtime_;
  std::unique_ptr<Launcher> local_;
};

}  // namespace

const char* const remote_script =
    R"(grace=5; end() { trap "" TERM INT HUP; kill -TERM -$pid 2>/dev/null || kill -TERM $pid 2>/dev/null; n=0; )"
    R"(while kill -0 -$pid 2>/dev/null && [ $n -lt $((grace * 10)) ]; do sleep 0.1; n=$((n + 1)); done; )"
    R"(kill -KILL -$pid 2>/dev/null; }; exec 3<&0; )"
    R"(if command -v setsid >/dev/null 2>&1; then setsid "$@" </dev/null 3<&- & else "$@" </dev/null 3<&- & fi; pid=$!; )"
    R"(echo "kvcliff: the engine runs on $(hostname 2>/dev/null || uname -n) as process $pid" >&2; )"
    R"(trap "end; exit 143" TERM INT HUP; )"
    R"(( if read -r word seconds <&3; then grace=${seconds:-5}; fi; end ) & reader=$!; exec 3<&-; )"
    R"(wait $pid; code=$?; n=0; while kill -0 -$pid 2>/dev/null && [ $n -lt 30 ]; do sleep 0.1; n=$((n + 1)); done; )"
    R"(kill -KILL -$pid 2>/dev/null; kill $reader 2>/dev/null; exit $code)";

std::optional<int> port_in(const std::vector<std::string>& argv) {
  for (std::size_t i = 0; i < argv.size(); ++i) {
    std::optional<std::int64_t> n;
    if (argv[i] == "--port" && i + 1 < argv.size()) n = parse_int(argv[i + 1]);
    if (argv[i].rfind("--port=", 0) == 0) n = parse_int(argv[i].substr(7));
    if (n && *n > 0 && *n < 65536) return static_cast<int>(*n);
  }
  return std::nullopt;
}

std::optional<std::string> node_of(const std::vector<LogLine>& lines) {
  for (const auto& l : lines) {
    if (l.text.rfind(node_line, 0) != 0) continue;
    const auto rest = l.text.substr(node_line.size());
    return rest.substr(0, rest.find(' '));
  }
  return std::nullopt;
}

std::vector<std::string> ssh_prefix(const plan::LauncherSpec& spec, std::optional<Forward> forward) {
  std::vector<std::string> argv{"ssh", "-T"};
  add_words(argv, option(spec, "options"));  // ssh keeps the first value it is given: the user's own count
  for (const char* ours : {"BatchMode=yes", "ConnectTimeout=20", "ServerAliveInterval=15", "ServerAliveCountMax=4", "ExitOnForwardFailure=yes"})
    argv.insert(argv.end(), {"-o", ours});
  const auto pair = [&](const std::string& flag, const std::string& value) {
    if (!value.empty()) argv.insert(argv.end(), {flag, value});
  };
  pair("-F", option(spec, "config"));
  pair("-i", option(spec, "identity"));
  pair("-p", option(spec, "port"));
  if (forward) pair("-L", fmt::format("127.0.0.1:{}:127.0.0.1:{}", forward->here, forward->there));
  argv.push_back("--");  // what follows is a machine, whatever it looks like
  const auto user = option(spec, "user");
  argv.push_back((user.empty() ? "" : user + "@") + option(spec, "host"));
  return argv;
}

Command ssh_command(const plan::LauncherSpec& spec, const Command& command) {
  Command c;
  c.hold_stdin = true;
  std::optional<Forward> forward;
  if (const auto there = port_in(command.argv)) forward = Forward{command.reached_at > 0 ? command.reached_at : *there, *there};
  c.argv = ssh_prefix(spec, forward);
  std::string line;
  const auto folder = option(spec, "directory").empty() ? command.working_dir : option(spec, "directory");
  if (!folder.empty()) line += "cd " + shell_quoted(folder) + " && ";
  line += "exec env";
  for (const auto& name : command.env_unset) line += " -u " + shell_quoted(name);
  line += " PYTHONUNBUFFERED=1";
  for (const auto& [name, value] : command.env_set) line += " " + name + "=" + shell_quoted(value);
  c.argv.push_back(line + " " + shell_line(scripted(command.argv)));
  return c;
}

std::optional<std::string> lost_connection(const plan::LauncherSpec& spec, const Exit& exit) {
  if (spec.kind != "ssh" || exit.signalled || exit.code != 255) return std::nullopt;
  return option(spec, "host");
}

std::optional<std::string> missing_program(const plan::LauncherSpec& spec, const Exit& exit, const std::vector<std::string>& argv) {
  if (!elsewhere(spec) || exit.signalled || (exit.code != 126 && exit.code != 127) || argv.empty()) return std::nullopt;
  return argv[0];
}

Command container_command(const plan::LauncherSpec& spec, const std::string& runtime, const std::string& name, const Command& command) {
  Command c;
  const bool podman = runtime.size() >= 6 && runtime.substr(runtime.size() - 6) == "podman";
  const auto own = option(spec, "name").empty() ? name : option(spec, "name");
  c.argv = {runtime, "run", "--rm", "--init", "--name", own, "--ulimit", "memlock=-1"};
  const auto pair = [&](const std::string& flag, const std::string& value) {
    if (!value.empty()) c.argv.insert(c.argv.end(), {flag, value});
  };
  const auto gpus = option(spec, "gpus");
  if (podman) {
    for (const auto g : split(gpus, ','))
      if (!trim(g).empty()) pair("--device", "nvidia.com/gpu=" + std::string(trim(g)));
  } else {
    pair("--gpus", gpus.empty() || gpus == "all" || gpus.find('=') != std::string::npos ? gpus : "\"device=" + gpus + "\"");
  }
  pair("--shm-size", option(spec, "shm_size"));
  pair("--network", option(spec, "network").empty() ? "host" : option(spec, "network"));
  if (const auto network = option(spec, "network"); !network.empty() && network != "host")
    if (const auto port = port_in(command.argv)) pair("-p", fmt::format("127.0.0.1:{}:{}", *port, *port));
  pair("--memory", option(spec, "memory"));
  const auto volumes = option(spec, "volumes");
  for (const auto v : split(volumes, ','))
    if (!trim(v).empty()) pair("-v", std::string(trim(v)));
  pair("-w", command.working_dir);
  pair("-e", "PYTHONUNBUFFERED=1");
  for (const auto& [key, value] : command.env_set) pair("-e", key + "=" + value);
  for (const auto& key : command.env_unset) pair("--unsetenv", podman ? key : "");
  add_words(c.argv, option(spec, "options"));
  if (!command.argv.empty()) pair("--entrypoint", command.argv[0]);
  c.argv.push_back(option(spec, "image"));
  if (!command.argv.empty()) c.argv.insert(c.argv.end(), command.argv.begin() + 1, command.argv.end());
  c.cleanup = {runtime, "rm", "-f", own};  // the engine is the daemon's child, not ours
  return c;
}

std::vector<std::string> srun_prefix(const plan::LauncherSpec& spec, const std::string& name) {
  std::vector<std::string> argv{"srun", "--job-name=" + name, "--ntasks=1", "--unbuffered", "--kill-on-bad-exit=1", "--export=ALL"};
  add_flag(argv, "--nodes", option(spec, "nodes").empty() ? "1" : option(spec, "nodes"));
  add_flag(argv, "--partition", option(spec, "partition"));
  add_flag(argv, "--account", option(spec, "account"));
  add_flag(argv, "--gres", option(spec, "gres"));
  add_flag(argv, "--cpus-per-task", option(spec, "cpus"));
  add_flag(argv, "--mem", option(spec, "memory"));
  add_flag(argv, "--time", option(spec, "time"));
  add_flag(argv, "--qos", option(spec, "qos"));
  add_flag(argv, "--nodelist", option(spec, "nodelist"));
  return argv;
}

Command slurm_command(const plan::LauncherSpec& spec, const std::string& name, const Command& command) {
  Command c = command;
  c.hold_stdin = true;
  c.argv = srun_prefix(spec, name);
  add_flag(c.argv, "--chdir", command.working_dir);
  add_words(c.argv, option(spec, "options"));
  c.working_dir.clear();
  const auto words = scripted(command.argv);
  c.argv.insert(c.argv.end(), words.begin(), words.end());
  c.cleanup = {"scancel", "--name=" + name};
  return c;
}

Result<std::string> container_runtime(const plan::LauncherSpec& spec) {
  std::string runtime = option(spec, "runtime");
  if (runtime.empty() || runtime == "auto") runtime = !host::on_path("docker").empty() ? "docker" : "podman";
  if (host::on_path(runtime).empty())
    return fail(ErrorCode::not_found, "No container program is found", runtime, {}, "Install docker or podman, or set launcher.runtime to its path");
  return runtime;
}

bool elsewhere(const plan::LauncherSpec& spec) { return spec.kind != "local"; }

std::string bind_host(const plan::LauncherSpec& spec, const std::string& wanted) {
  const auto network = option(spec, "network");
  const bool own_network = spec.kind == "container" && !network.empty() && network != "host";
  return spec.kind == "slurm" || own_network ? "0.0.0.0" : wanted;
}

bool forwards_port(const plan::LauncherSpec& spec) { return spec.kind == "ssh"; }

bool node_is_told(const plan::LauncherSpec& spec) { return spec.kind == "slurm"; }

std::string reach_host(const std::string& node) {
  char own[256] = {};
  ::gethostname(own, sizeof own - 1);
  const std::string here(own);
  // "n1" and "n1.cluster" are one machine: names are compared up to the first dot.
  return node.substr(0, node.find('.')) == here.substr(0, here.find('.')) ? "127.0.0.1" : node;
}

Result<std::unique_ptr<Launcher>> make_launcher(const plan::LauncherSpec& spec) {
  if (spec.kind == "local") return make_local_launcher();
  for (const auto& [name, value] : spec.options)
    if (const auto bad = plan::launcher_word_fault(name, value)) return fail(ErrorCode::bad_usage, bad->what, bad->field, {}, bad->next);
  std::string runtime;
  if (spec.kind == "ssh") {
    if (option(spec, "host").empty()) return fail(ErrorCode::bad_usage, "launcher.host is missing", "launcher", "ssh needs the machine to start on");
  } else if (spec.kind == "container") {
    if (option(spec, "image").empty()) return fail(ErrorCode::bad_usage, "launcher.image is missing", "launcher", "a container needs an image");
    const auto found = container_runtime(spec);
    if (!found) return fail(found.error());
    runtime = *found;
  } else if (spec.kind != "slurm") {
    return fail(ErrorCode::bad_usage, fmt::format("There is no launcher \"{}\"", spec.kind), "launcher.kind", {}, "Known: local, ssh, container, slurm");
  }
  for (const auto& [kind, program] : {std::pair("ssh", "ssh"), std::pair("slurm", "srun")})
    if (spec.kind == kind && host::on_path(program).empty())
      return fail(ErrorCode::not_found, fmt::format("{} is not found", program), "launcher.kind = " + spec.kind, "the launcher needs it on PATH", "Install it, or choose another launcher");
  return std::make_unique<RemoteLauncher>(spec, runtime);
}

}  // namespace kvcliff::process
