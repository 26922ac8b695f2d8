// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace kvcliff::plan {
namespace {

// Edit distance with neighbours swapped counting once (optimal string alignment).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t cost = a[i - 1] == b[j - 1] ? 0 : 1;
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + cost});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

std::string plain(std::string_view s) {
  std::string out;
  for (const char c : s)
    if (c != '_' && c != '-' && c != ' ') out += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return out;
}

}  // namespace

std::string nearest(std::string_view name, std::span<const std::string> known) {
  if (name.size() > 64) return {};
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, name.size() / 3) + 1;
  const std::string wanted = plain(name);
  for (const auto& candidate : known) {
    const std::size_t d = distance(wanted, plain(candidate));
    if (d < best_distance) {
      best_distance = d;
      best = candidate;
    }
  }
  return best;
}

std::string describe(const Json& value) {
  switch (value.type()) {
    case Json::value_t::null: return "null";
    case Json::value_t::boolean: return value.get<bool>() ? "true" : "false";
    case Json::value_t::object: return "an object";
    case Json::value_t::array: return "a list";
    case Json::value_t::string: {
      const auto text = to_valid_utf8(value.get_ref<const std::string&>());
      return "the text \"" + (text.size() > 60 ? text.substr(0, 57) + "..." : text) + "\"";
    }
    default: return "the number " + value.dump();
  }
}

Reader::Reader(const Json& object, std::string path, std::vector<Fault>& faults)
    : object_(object), path_(std::move(path)), faults_(faults) {}

void Reader::fault(const std::string& name, std::string what, std::string next) {
  faults_.push_back({place(name), std::move(what), std::move(next)});
}

const Json* Reader::find(const std::string& name) {
  asked_.push_back(name);
  const auto it = object_.find(name);
  return it == object_.end() ? nullptr : &*it;
}

bool Reader::has(const std::string& name) { return object_.contains(name); }
const Json* Reader::raw(const std::string& name) { return find(name); }

void Reader::text(const std::string& name, std::string& target) {
  const Json* v = find(name);
  if (!v) return;
  if (!v->is_string()) return fault(name, fmt::format("{} must be a text, and is {}", place(name), describe(*v)));
  target = v->get<std::string>();
}

void Reader::boolean(const std::string& name, bool& target) {
  const Json* v = find(name);
  if (!v) return;
  if (!v->is_boolean())
    return fault(name, fmt::format("{} must be true or false, and is {}", place(name), describe(*v)));
  target = v->get<bool>();
}

std::optional<std::int64_t> Reader::whole(const std::string& name, const Json& v) {
  if (v.is_number_unsigned() && v.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX)) {
    fault(name, fmt::format("{} is {}, which is too large", place(name), v.dump()));
    return std::nullopt;
  }
  if (v.is_number_integer()) return v.get<std::int64_t>();
  if (v.is_number_float()) {  // 3.0 is the same JSON number as 3
    const double d = v.get<double>();
    if (d == std::floor(d) && std::abs(d) <= 9007199254740992.0) return static_cast<std::int64_t>(d);
  }
  std::string next;
  if (v.is_string())
    if (const auto bytes = parse_bytes(v.get_ref<const std::string&>())) next = fmt::format("Write {} without quotes", bytes->v);
  fault(name, fmt::format("{} must be a whole number, and is {}", place(name), describe(v)), next);
  return std::nullopt;
}

void Reader::integer(const std::string& name, std::int64_t& target) {
  if (const Json* v = find(name))
    if (const auto n = whole(name, *v)) target = *n;
}

void Reader::integer(const std::string& name, int& target) {
  const Json* v = find(name);
  if (!v) return;
  const auto n = whole(name, *v);
  if (!n) return;
  if (*n > INT32_MAX || *n < INT32_MIN) return fault(name, fmt::format("{} is {}, which is too large", place(name), *n));
  target = static_cast<int>(*n);
}

void Reader::seed(const std::string& name, std::uint64_t& target) {
  const Json* v = find(name);
  if (!v) return;
  const auto n = whole(name, *v);
  if (!n) return;
  // Larger numbers change in readers that keep numbers as doubles, and the hash of the plan with them.
  if (*n < 0 || *n > 9007199254740991)
    return fault(name, fmt::format("{} must lie in 0 to 9,007,199,254,740,991, and is {}", place(name), *n));
  target = static_cast<std::uint64_t>(*n);
}

void Reader::number(const std::string& name, double& target) {
  const Json* v = find(name);
  if (!v) return;
  if (!v->is_number()) return fault(name, fmt::format("{} must be a number, and is {}", place(name), describe(*v)));
  target = v->get<double>();
}

void Reader::number(const std::string& name, std::optional<double>& target) {
  const Json* v = find(name);
  if (!v || v->is_null()) return;
  if (!v->is_number()) return fault(name, fmt::format("{} must be a number, and is {}", place(name), describe(*v)));
  target = v->get<double>();
}

void Reader::text_list(const std::string& name, std::vector<std::string>& target) {
  const Json* v = find(name);
  if (!v) return;
  if (!v->is_array()) return fault(name, fmt::format("{} must be a list of texts, and is {}", place(name), describe(*v)));
  std::vector<std::string> out;
  for (std::size_t i = 0; i < v->size(); ++i) {
    const Json& item = (*v)[i];
    if (item.is_string())
      out.push_back(item.get<std::string>());
    else
      fault(fmt::format("{}[{}]", name, i), fmt::format("{}[{}] must be a text, and is {}", place(name), i, describe(item)));
  }
  target = std::move(out);
}

void Reader::text_map(const std::string& name, std::map<std::string, std::string>& target) {
  const Json* v = object(name);
  if (!v) return;
  target.clear();
  for (const auto& [key, item] : v->items()) {
    if (item.is_string())
      target[key] = item.get<std::string>();
    else
      fault(name + "." + key, fmt::format("{}.{} must be a text, and is {}", place(name), key, describe(item)),
            item.is_primitive() && !item.is_null() ? "Put it into quotes" : "");
  }
}

void Reader::bool_map(const std::string& name, std::map<std::string, bool>& target) {
  const Json* v = object(name);
  if (!v) return;
  target.clear();
  for (const auto& [key, item] : v->items()) {
    if (item.is_boolean())
      target[key] = item.get<bool>();
    else
      fault(name + "." + key, fmt::format("{}.{} must be true or false, and is {}", place(name), key, describe(item)));
  }
}

void Reader::choice(const std::string& name, std::span<const std::string> words, int& target) {
  const Json* v = find(name);
  if (!v) return;
  const std::string all = fmt::format("{}", fmt::join(words, ", "));
  if (!v->is_string())
    return fault(name, fmt::format("{} must be one of {}, and is {}", place(name), all, describe(*v)));
  const auto& word = v->get_ref<const std::string&>();
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i] == word) {
      target = static_cast<int>(i);
      return;
    }
  const std::string close = nearest(word, words);
  fault(name, fmt::format("{} must be one of {}, and is {}", place(name), all, describe(*v)),
        close.empty() ? "" : fmt::format("Did you mean \"{}\"?", close));
}

const Json* Reader::object(const std::string& name) {
  const Json* v = find(name);
  if (!v) return nullptr;
  if (v->is_object()) return v;
  fault(name, fmt::format("{} must be an object in braces, and is {}", place(name), describe(*v)));
  return nullptr;
}

void Reader::finish() {
  for (const auto& [key, value] : object_.items()) {
    if (std::find(asked_.begin(), asked_.end(), key) != asked_.end()) continue;
    const std::string name = to_valid_utf8(key);
    const std::string close = nearest(name, asked_);
    fault(name, fmt::format("{} is not a field of a plan", place(name)),
          close.empty() ? fmt::format("Fields here: {}", fmt::join(asked_, ", "))
                        : fmt::format("Did you mean \"{}\"?", close));
  }
}

}  // namespace kvcliff::plan
