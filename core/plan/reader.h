// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plan/plan.h"

namespace kvcliff::plan {

/// The known name closest to `name` (edit distance at most a third of its length, at least 1); empty when none is close.
std::string nearest(std::string_view name, std::span<const std::string> known);

/// Reads the members of one JSON object and collects every fault instead of ending at the first. A member that is
/// absent keeps the target's value. `finish` names the members nobody asked for.
class Reader {
 public:
  /// `path` is the object's place ("capacity"), empty at the top.
  Reader(const Json& object, std::string path, std::vector<Fault>& faults);

  bool has(const std::string& name);
  void text(const std::string& name, std::string& target);
  void boolean(const std::string& name, bool& target);
  void integer(const std::string& name, std::int64_t& target);
  void integer(const std::string& name, int& target);
  void seed(const std::string& name, std::uint64_t& target);
  void number(const std::string& name, double& target);
  void number(const std::string& name, std::optional<double>& target);
  void text_list(const std::string& name, std::vector<std::string>& target);
  void text_map(const std::string& name, std::map<std::string, std::string>& target);
  void bool_map(const std::string& name, std::map<std::string, bool>& target);
  /// One of `words`; `target` becomes its index.
  void choice(const std::string& name, std::span<const std::string> words, int& target);
  /// The member as an object; nullptr when absent or of another type (a fault then).
  const Json* object(const std::string& name);
  /// The member as it is; nullptr when absent.
  const Json* raw(const std::string& name);

  std::string place(const std::string& name) const { return path_.empty() ? name : path_ + "." + name; }
  void fault(const std::string& name, std::string what, std::string next = {});
  void finish();

 private:
  const Json* find(const std::string& name);
  std::optional<std::int64_t> whole(const std::string& name, const Json& value);

  const Json& object_;
  std::string path_;
  std::vector<Fault>& faults_;
  std::vector<std::string> asked_;
};

/// "the text \"x\"", "the number 3", "a list": what a JSON value is, for messages; long values are cut.
std::string describe(const Json& value);

}  // namespace kvcliff::plan
