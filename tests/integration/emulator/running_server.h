// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "support/child.h"

namespace kvcliff::test {

enum class Which { shipped, naive };
inline void PrintTo(Which w, std::ostream* out) { *out << (w == Which::shipped ? "shipped" : "naive"); }  // what ctest shows
std::string emulator_path(Which which);

/// What one streamed completion showed.
struct Streamed {
  RawAnswer raw;
  int events = 0;                        ///< events with a token
  std::vector<std::int32_t> ids;
  std::string finish;
  bool done = false;
  Json error, usage;
  int usages = 0;
};

/// The real binary on a port of its own choice.
class RunningServer {
 public:
  /// `flags` follow "serve MODEL --port 0 --served-model-name m"; fast and silent unless they say otherwise.
  explicit RunningServer(std::vector<std::string> flags, Which which = Which::shipped, const std::string& model = "tiny");
  Child& child() { return *child_; }
  int port() const { return port_; }
  bool ready() const { return port_ > 0; }

  Streamed complete(const std::vector<std::int32_t>& prompt, int max_tokens, const Json& more = Json::object());
  std::map<std::string, double> metrics();
  /// Scrapes until nothing runs, waits or is pinned and two pages agree.
  std::map<std::string, double> settled();

 private:
  std::unique_ptr<Child> child_;
  int port_ = 0;
};

Streamed read_stream(const RawAnswer& raw);
/// Tokens of a document: the same for the same name and position.
std::vector<std::int32_t> document(int name, int tokens);
inline std::string base_label() { return "engine=\"0\",model_name=\"m\""; }
double value(const std::map<std::string, double>& page, const std::string& name, const std::string& extra = {});
/// Computed, GPU, host, stored blocks (block of the tiny model: 16,384 B) between two pages.
std::vector<std::int64_t> sources(const std::map<std::string, double>& before, const std::map<std::string, double>& after);

}  // namespace kvcliff::test
