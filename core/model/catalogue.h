// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "model/derive.h"

namespace kvcliff::model {

/// One model of resources/models: the fields of its configuration that decide the size of its cache.
struct CatalogueEntry {
  std::string id;                    ///< "Qwen/Qwen3-0.6B"
  Json config;                       ///< as a config.json, nested where the original is
  std::string note;                  ///< what deserves attention
  std::vector<std::string> assumed;  ///< fields that are not from the model's own file, with the reason
  std::string origin;                ///< where the fields were read
};

/// Reads one catalogue file (`{"schema": "kvcliff.models/1", "models": [...]}`). Errors name the entry.
Result<std::vector<CatalogueEntry>> parse_catalogue(std::string_view text, const std::string& where);
/// All *.json of a folder, by id. Errors: not_found, bad_usage (two entries of one id).
Result<std::vector<CatalogueEntry>> catalogue(const std::string& folder);
/// By id without regard to case; the part after the last "/" is enough when only one model has it.
/// Errors: not_found with the nearest ids, bad_usage when several fit.
Result<const CatalogueEntry*> find(const std::vector<CatalogueEntry>& entries, std::string_view id);
/// derive of the entry's config; assumed fields become warnings.
Result<KvLayout> derive(const CatalogueEntry& entry, const Options& options = {});

}  // namespace kvcliff::model
