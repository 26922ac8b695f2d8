// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/shm.h"
#include "process/local.h"

namespace kvcliff::process {
namespace {

class LocalLauncher final : public Launcher {
 public:
  Result<std::unique_ptr<Process>> start(const Command& command, OnLine on_line) override {
    std::set<std::string> before;
    for (const auto& f : host::list_shm(false)) before.insert(f.path);
    auto spawned = spawn(command);
    if (!spawned) return fail(spawned.error());
    return std::make_unique<LocalProcess>(std::move(*spawned), command, std::move(on_line), std::move(before));
  }

  std::string shown(const Command& command) const override {
    std::string out;
    if (!command.working_dir.empty()) out += "cd " + shell_quoted(command.working_dir) + " && ";
    if (!command.env_unset.empty() || !command.env_set.empty()) {
      out += command.env_unset.empty() ? "" : "env ";
      for (const auto& name : command.env_unset) out += "-u " + name + " ";
      for (const auto& [name, value] : command.env_set) out += name + "=" + shell_quoted(value) + " ";
    }
    return out + shell_line(command.argv);
  }
};

}  // namespace

std::unique_ptr<Launcher> make_local_launcher() { return std::make_unique<LocalLauncher>(); }

std::string shell_quoted(const std::string& word) {
  static const std::string plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string shell_line(const std::vector<std::string>& argv) {
  std::string out;
  for (const auto& word : argv) out += (out.empty() ? "" : " ") + shell_quoted(word);
  return out;
}

}  // namespace kvcliff::process
