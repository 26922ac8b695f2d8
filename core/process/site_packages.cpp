// SPDX-License-Identifier: GPL-3.0-or-later
#include "process/site_packages.h"

#include <map>
#include <unordered_map>

#include "base/file.h"
#include "base/text.h"

namespace kvcliff::process {
namespace fs = std::filesystem;

namespace {

// Metadata folders write names with underscores and any case.
std::string normal(std::string_view name) {
  std::string out;
  for (const char c : name) out += c == '-' || c == '.' ? '_' : static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return out;
}

/// One line of a RECORD: path,hash,size. A path with a comma or a quote stands in quotes, quotes in it doubled.
struct Entry {
  std::string path, size;
};
Entry entry_of(std::string_view line) {
  Entry e;
  std::size_t i = 0;
  if (!line.empty() && line[0] == '"') {
    for (i = 1; i < line.size(); ++i) {
      if (line[i] == '"' && (i + 1 == line.size() || line[i + 1] != '"')) break;
      if (line[i] == '"') ++i;
      e.path += line[i];
    }
    i = std::min(line.size(), i + 1);
  } else {
    i = std::min(line.size(), line.find(','));
    e.path = line.substr(0, i);
  }
  if (const auto last = line.rfind(','); last != line.npos && last > i) e.size = trim(line.substr(last + 1));
  return e;
}

/// Files of a package's list that have a size of their own. Compiled code is a cache: tools and Python write it anew, also
/// where a wheel lists its own.
std::vector<std::pair<std::string, std::uintmax_t>> listed(const fs::path& info) {
  std::vector<std::pair<std::string, std::uintmax_t>> out;
  const std::string record = read_file(info / "RECORD").value_or("");
  for (const auto line : split(record, '\n')) {
    const Entry e = entry_of(trim(line));
    const auto size = parse_int(e.size);
    if (!e.path.empty() && size && *size >= 0 && fs::path(e.path).extension() != ".pyc")
      out.emplace_back(fs::path(e.path).lexically_normal().string(), static_cast<std::uintmax_t>(*size));
  }
  return out;
}

/// Least size that any package lists for a file: some wheels bring the same one, and the last that came has it.
using LeastSizes = std::unordered_map<std::string, std::uintmax_t>;

std::string fault_of(const fs::path& site, const fs::path& info, const LeastSizes& least) {
  std::error_code ec;
  if (const auto size = fs::file_size(info / "RECORD", ec); ec || size == 0) return "has no list of its files";
  for (const auto& [path, size] : listed(info)) {
    const auto there = fs::file_size(site / path, ec);
    if (ec) return "lacks " + path;
    // A kill leaves a file short. Longer ones are whole: some wheels list what they were before their last step.
    if (there < least.at(path)) return path + " is shorter than listed";
  }
  return {};
}

}  // namespace

std::vector<Damage> damaged_packages(const fs::path& site, const std::vector<Pin>& pins) {
  static const std::string ending = ".dist-info";
  std::multimap<std::string, std::pair<std::string, fs::path>> there;  // name -> version, folder
  std::error_code ec;
  for (const auto& folder : fs::directory_iterator(site, ec)) {
    const std::string base = folder.path().filename().string();
    const auto dash = base.find('-');
    if (dash == base.npos || base.size() <= dash + 1 + ending.size() || base.substr(base.size() - ending.size()) != ending) continue;
    there.emplace(normal(base.substr(0, dash)), std::pair{base.substr(dash + 1, base.size() - dash - 1 - ending.size()), folder.path()});
  }
  LeastSizes least;
  for (const auto& [name, one] : there)
    for (const auto& [path, size] : listed(one.second)) {
      const auto [it, is_new] = least.emplace(path, size);
      if (!is_new && size < it->second) it->second = size;
    }
  std::vector<Damage> out;
  for (const auto& pin : pins) {
    Damage d{pin, {}, "is not there"};
    const auto [from, to] = there.equal_range(normal(pin.name));
    for (auto it = from; it != to && !d.why.empty(); ++it) {
      d.info = it->second.second;
      d.why = it->second.first == pin.version ? fault_of(site, d.info, least) : "has version " + it->second.first;
    }
    if (!d.why.empty()) out.push_back(std::move(d));
  }
  return out;
}

}  // namespace kvcliff::process
