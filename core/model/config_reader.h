// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "model/layout.h"

namespace kvcliff::model {

/// The object of a config that describes the text model, and what encloses it.
struct ConfigPart {
  std::string path;                  ///< "thinker_config.text_config"; empty = top level
  std::vector<const Json*> scopes;   ///< innermost first
};
/// Looks into the nested objects that multimodal models use (text_config, llm_config, language_config, thinker_config, ...);
/// numbers of vision, audio and talker parts are never used. Errors: bad_usage when no part names a layer count.
Result<ConfigPart> find_text_part(const Json& config);

/// Reads counts by their many spellings. The first mistake is kept and every later read yields nothing, so that a caller
/// reads everything and asks once. A key that is null counts as absent; zero, a text, a fraction is a mistake that names the key.
class ConfigReader {
 public:
  explicit ConfigReader(ConfigPart part);

  const std::optional<Error>& error() const { return error_; }
  void refuse(ErrorCode code, std::string what, std::string where, std::string why, std::string next = {});
  bool ok() const { return !error_; }

  /// The first of the keys that is present and not null, or nullptr.
  const Json* find(std::initializer_list<const char*> keys, std::string* found = nullptr) const;
  /// A count in [1, limit]. `zero_ok` lets 0 through (a model without attention heads).
  std::optional<std::int64_t> count(std::initializer_list<const char*> keys, std::string* found = nullptr,
                                    std::int64_t limit = 1 << 24, bool zero_ok = false);
  /// As count, inside an object.
  std::optional<std::int64_t> count_in(const Json& object, const char* key, const std::string& where, std::int64_t limit = 1 << 24);
  std::optional<bool> flag(const char* key);
  std::string text(const char* key) const;
  /// "num_key_value_heads in text_config".
  std::string from(const std::string& key) const;
  const Json& object() const { return *part_.scopes.front(); }
  const ConfigPart& part() const { return part_; }

 private:
  std::optional<std::int64_t> checked(const Json& v, const std::string& key, std::int64_t limit, bool zero_ok);
  ConfigPart part_;
  std::optional<Error> error_;
};

}  // namespace kvcliff::model
