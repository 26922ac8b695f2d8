// SPDX-License-Identifier: GPL-3.0-or-later
#include "process/install_place.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <cerrno>

#include "base/file.h"
#include "base/text.h"
#include "host/capture.h"
#include "host/environments.h"
#include "process/installer.h"

namespace kvcliff::process {
namespace fs = std::filesystem;

namespace {

/// Name and version that a finished folder holds; empty where it says neither.
std::string held(const fs::path& folder) {
  const auto text = read_file(folder / host::engine_finished_file);
  const auto json = text ? parse_json(*text, host::engine_finished_file) : Result<Json>(fail(text.error()));
  const auto word = [&](const char* key) {
    const auto it = json->find(key);
    return it != json->end() && it->is_string() ? it->get<std::string>() : std::string();
  };
  return json && json->is_object() ? word("name") + " " + word("version") : std::string();
}

}  // namespace

Result<std::string> find_interpreter(const EngineRecipe& recipe, const std::string& asked) {
  std::vector<std::string> names;
  if (!asked.empty()) names.push_back(asked);
  else names = {"python" + recipe.python, "python3"};
  std::string tried;
  for (const auto& name : names) {
    const auto path = host::on_path(name);
    tried += (tried.empty() ? "" : ", ") + name;
    if (path.empty()) continue;
    const auto said = host::capture({path, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"}, std::chrono::seconds(30));
    if (!said || said->code != 0) continue;
    const std::string version(trim(said->out));
    tried += " (" + version + ")";
    if (version == recipe.python) return path;  // the lock's hashes belong to the wheels of this version
  }
  return fail(ErrorCode::not_found, fmt::format("No Python {} is found", recipe.python), {}, "tried " + tried,
              fmt::format("Install python{} with its venv package, or name it with --python", recipe.python));
}

std::int64_t bytes_below(const fs::path& folder) {
  std::int64_t bytes = 0;
  std::error_code ec;
  for (fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, ec), end; !ec && it != end; it.increment(ec)) {
    std::error_code one;
    if (it->is_regular_file(one) && !it->is_symlink(one)) bytes += static_cast<std::int64_t>(it->file_size(one));
  }
  return bytes;
}

Result<Fd> take_folder(const EngineRecipe& recipe, const fs::path& folder) {
  std::error_code ec;
  const bool begun = fs::exists(folder / host::engine_begun_file, ec), finished = fs::exists(folder / host::engine_finished_file, ec);
  if (fs::exists(folder, ec) && !fs::is_directory(folder, ec)) return fail(ErrorCode::busy, "This is a file", folder.string(), {}, "Name another with --dir");
  if (fs::exists(folder, ec) && !fs::is_empty(folder, ec) && !begun && !finished)
    return fail(ErrorCode::busy, "The folder holds something else", folder.string(), {}, "Name another with --dir");
  const std::string mine = recipe.name + " " + recipe.version;
  const std::string text = read_file(folder / host::engine_begun_file).value_or("");
  const std::string other = finished ? held(folder) : std::string(trim(split(text, '\n')[0]));
  if (!other.empty() && other != (finished ? mine : recipe.name))
    return fail(ErrorCode::busy, "The folder holds another engine", folder.string(), fmt::format("it is {}, not {}", other, mine),
                "Remove it first (kvcliff-cli engine remove " + folder.string() + "), or name another folder with --dir");
  fs::create_directories(folder, ec);
  if (ec) return fail(ErrorCode::io, "The folder cannot be made", folder.string(), ec.message());
  Fd lock(::open((folder / lock_file).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!lock) return fail(ErrorCode::io, "The folder cannot be written", folder.string(), std::error_code(errno, std::generic_category()).message(), "Name another with --dir");
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0)
    return fail(ErrorCode::busy, "Another installation works in this folder", folder.string(), {}, "Wait for its end, then run it again");
  if (!begun && !finished)
    if (const auto w = write_file(folder / host::engine_begun_file, recipe.name + "\n"); !w) return fail(w.error());
  return lock;
}

bool is_installed(const fs::path& folder) {
  std::error_code ec;
  return fs::exists(folder / host::engine_finished_file, ec);
}

Result<void> remove_engine(const fs::path& folder) {
  std::error_code ec;
  if (!fs::exists(folder, ec)) return fail(ErrorCode::not_found, "The environment is not there", folder.string(), {}, "kvcliff-cli engine list shows those that are");
  if (!is_installed(folder) && !fs::exists(folder / host::engine_begun_file, ec))
    return fail(ErrorCode::bad_usage, "The folder was not made by engine install", folder.string(), {}, "Remove it by hand if you mean it");
  fs::remove_all(folder, ec);
  if (ec) return fail(ErrorCode::io, "The environment cannot be removed", folder.string(), ec.message());
  return {};
}

}  // namespace kvcliff::process
