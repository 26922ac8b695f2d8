// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/resources.h"

#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "cli/context.h"

namespace kvcliff::cli {
namespace fs = std::filesystem;

Result<std::string> find_resource(const Context& context, const std::string& name) {
  std::vector<fs::path> places;
  if (const char* env = std::getenv("KVCLIFF_RESOURCES")) places.emplace_back(env);
  const fs::path bin = fs::path(context.program).parent_path();
  places.push_back(bin / "../share/kvcliff");
  for (fs::path p = bin; p.has_relative_path(); p = p.parent_path()) places.push_back(p / "resources");
  std::string tried;
  for (const auto& place : places) {
    std::error_code ec;
    if (fs::exists(place / name, ec)) return (place / name).lexically_normal().string();
    if (tried.size() < 300) tried += (tried.empty() ? "" : ", ") + place.lexically_normal().string();
  }
  return fail(ErrorCode::not_found, "A file of the program is missing", name, "looked in " + tried,
              "Set KVCLIFF_RESOURCES to the folder resources/");
}

std::string resources_folder(const Context& context) {
  const auto catalogue = find_resource(context, "models/catalogue.json");
  return catalogue ? fs::path(*catalogue).parent_path().parent_path().string() : std::string();
}

Result<std::string> read_resource(const Context& context, const std::string& name) {
  return find_resource(context, name).and_then([](const std::string& path) { return read_file(path); });
}

}  // namespace kvcliff::cli
