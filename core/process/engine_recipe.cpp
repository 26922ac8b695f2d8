// SPDX-License-Identifier: GPL-3.0-or-later
#include "process/engine_recipe.h"

#include <algorithm>

#include "base/file.h"
#include "base/text.h"

namespace kvcliff::process {
namespace fs = std::filesystem;

Result<EngineRecipe> parse_recipe(const Json& j, const std::string& where) {
  if (!j.is_object()) return fail(ErrorCode::corrupt, "An engine recipe must be an object", where);
  EngineRecipe r;
  const std::vector<std::pair<const char*, std::string*>> texts{{"name", &r.name}, {"engine", &r.engine}, {"version", &r.version}, {"python", &r.python},
                                                                {"lock", &r.lock}, {"note", &r.note}, {"metadata_alias", &r.metadata_alias},
                                                                {"alias_version", &r.alias_version}};
  for (const auto& [key, value] : j.items()) {
    const auto text = std::find_if(texts.begin(), texts.end(), [&, k = key](const auto& t) { return t.first == k; });
    if (text != texts.end() && value.is_string()) *text->second = value.get<std::string>();
    else if (key == "download_bytes" && value.is_number_integer()) r.download_bytes = value.get<std::int64_t>();
    else if (key == "disk_bytes" && value.is_number_integer()) r.disk_bytes = value.get<std::int64_t>();
    else return fail(ErrorCode::bad_usage, "A field of an engine recipe is unknown or of the wrong type", where, key);
  }
  for (const auto& [key, target] : texts)
    if (const std::string_view k(key); target->empty() && k != "note" && k != "metadata_alias" && k != "alias_version")
      return fail(ErrorCode::bad_usage, "A field of an engine recipe is missing", where, key);
  if (r.name.find('/') != std::string::npos || r.name.front() == '.' || r.lock.find('/') != std::string::npos)
    return fail(ErrorCode::bad_usage, "A name in an engine recipe holds a path", where);
  return r;
}

Result<std::vector<EngineRecipe>> read_recipes(const fs::path& folder) {
  std::vector<EngineRecipe> out;
  std::error_code ec;
  for (const auto& entry : fs::directory_iterator(folder, ec)) {
    if (entry.path().extension() != ".json") continue;
    const auto text = read_file(entry.path());
    if (!text) return fail(text.error());
    const auto json = parse_json(*text, entry.path().string());
    if (!json) return fail(json.error());
    auto recipe = parse_recipe(*json, entry.path().string());
    if (!recipe) return fail(recipe.error());
    out.push_back(std::move(*recipe));
  }
  std::sort(out.begin(), out.end(), [](const EngineRecipe& a, const EngineRecipe& b) { return a.name < b.name; });
  return out;
}

Result<std::vector<Pin>> parse_lock(std::string_view text, const std::string& where) {
  std::vector<Pin> out;
  for (const auto raw : split(text, '\n')) {
    const auto line = trim(raw);
    if (line.empty() || line.front() == '#') continue;
    const auto equals = line.find("=="), space = line.find(' ');
    if (equals == 0 || equals == line.npos || space == line.npos || space < equals + 3 || line.find("--hash=sha256:", space) == line.npos)
      return fail(ErrorCode::corrupt, "A line of the lock is not NAME==VERSION --hash=sha256:…", where, std::string(line.substr(0, 200)));
    out.push_back({std::string(line.substr(0, equals)), std::string(line.substr(equals + 2, space - equals - 2)), std::string(line)});
  }
  if (out.empty()) return fail(ErrorCode::corrupt, "The lock names no package", where);
  return out;
}

std::string lock_of(const std::vector<Pin>& pins) {
  std::string out;
  for (const auto& p : pins) out += p.line + "\n";
  return out;
}

}  // namespace kvcliff::process
