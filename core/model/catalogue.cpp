// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/file.h"

namespace kvcliff::model {
namespace {
namespace fs = std::filesystem;

std::string lower(std::string_view s) {
  std::string out(s);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

std::string tail(const std::string& id) { return id.substr(id.rfind('/') + 1); }

// Levenshtein distance, for "did you mean".
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t up = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = up;
    }
  }
  return row[b.size()];
}

std::string string_or(const Json& e, const char* key) {
  const auto it = e.find(key);
  return it != e.end() && it->is_string() ? it->get<std::string>() : std::string();
}

}  // namespace

Result<std::vector<CatalogueEntry>> parse_catalogue(std::string_view text, const std::string& where) {
  auto json = parse_json(text, where);
  if (!json) return fail(json.error());
  if (!json->is_object() || string_or(*json, "schema") != "kvcliff.models/1" || !json->contains("models") || !(*json)["models"].is_array())
    return fail(ErrorCode::bad_usage, "Not a model catalogue", where, "schema kvcliff.models/1 with a list \"models\" is expected", "Restore the file");
  std::vector<CatalogueEntry> out;
  for (std::size_t i = 0; i < (*json)["models"].size(); ++i) {
    const Json& e = (*json)["models"][i];
    const bool valid = e.is_object() && !string_or(e, "id").empty() && e.contains("config") && e["config"].is_object();
    if (!valid) return fail(ErrorCode::bad_usage, "A catalogue entry has no id or no config", fmt::format("{}, models[{}]", where, i));
    CatalogueEntry entry{string_or(e, "id"), e["config"], string_or(e, "note"), {}, string_or(e, "origin")};
    if (const auto it = e.find("assumed"); it != e.end() && it->is_array())
      for (const auto& a : *it)
        if (a.is_string()) entry.assumed.push_back(a.get<std::string>());
    out.push_back(std::move(entry));
  }
  return out;
}

Result<std::vector<CatalogueEntry>> catalogue(const std::string& folder) {
  std::error_code ec;
  std::vector<fs::path> files;
  for (fs::directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec))
    if (it->path().extension() == ".json") files.push_back(it->path());
  if (ec || files.empty()) return fail(ErrorCode::not_found, "The model catalogue is missing", folder, ec ? ec.message() : "no *.json is there", "Set KVCLIFF_RESOURCES to the folder resources/");
  std::sort(files.begin(), files.end());
  std::vector<CatalogueEntry> all;
  for (const auto& f : files) {
    auto text = read_file(f);
    if (!text) return fail(text.error());
    auto part = parse_catalogue(*text, f.filename().string());
    if (!part) return fail(part.error());
    std::move(part->begin(), part->end(), std::back_inserter(all));
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return lower(a.id) < lower(b.id); });
  const auto twice = std::adjacent_find(all.begin(), all.end(), [](const auto& a, const auto& b) { return lower(a.id) == lower(b.id); });
  if (twice != all.end()) return fail(ErrorCode::bad_usage, "The catalogue has a model twice", twice->id);
  return all;
}

Result<const CatalogueEntry*> find(const std::vector<CatalogueEntry>& entries, std::string_view id) {
  const std::string want = lower(id);
  std::vector<const CatalogueEntry*> by_tail;
  for (const auto& e : entries) {
    if (lower(e.id) == want) return &e;
    if (lower(tail(e.id)) == want) by_tail.push_back(&e);
  }
  if (by_tail.size() == 1) return by_tail.front();
  if (by_tail.size() > 1) return fail(ErrorCode::bad_usage, fmt::format("Several models are called {}", id), {}, by_tail[0]->id + " and " + by_tail[1]->id, "Give the full id");
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const auto& e : entries) near.emplace_back(std::min(distance(want.substr(0, 100), lower(e.id)), distance(want.substr(0, 100), lower(tail(e.id)))), e.id);
  std::sort(near.begin(), near.end());
  std::string names;
  for (std::size_t i = 0; i < near.size() && i < 3; ++i) names += (i ? ", " : "") + near[i].second;
  return fail(ErrorCode::not_found, "No model \"" + std::string(id.substr(0, 100)) + "\" in the catalogue, and no such file", {}, {},
              names.empty() ? "Give a config.json" : "Nearest: " + names + "; model --list shows all; or give a config.json");
}

Result<KvLayout> derive(const CatalogueEntry& entry, const Options& options) {
  auto layout = derive(entry.config, options);
  if (!layout) return layout;
  layout->model = entry.id;
  for (const auto& a : entry.assumed) layout->warnings.push_back("Assumed in the catalogue: " + a);
  return layout;
}

}  // namespace kvcliff::model
