// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "journal/database.h"

namespace kvcliff::journal {

/// Bytes 68-71 of the file: "KVCL".
inline constexpr std::int32_t application_id = 0x4B56434C;
/// PRAGMA user_version of the journals this program writes.
inline constexpr int schema_version = 1;
/// Rules by which verdicts are computed from a journal; a stored verdict names the one it was made with.
inline constexpr const char* method_version = "3";

/// One step of the schema: from the version before to `to`.
struct Upgrade {
  int to = 0;
  std::string sql;
};
/// All steps in order; the first makes a journal out of an empty file.
const std::vector<Upgrade>& upgrades();

/// Applies the steps above the file's version, all in one transaction. Before it changes a journal that holds data, a
/// copy is made beside it (PATH.vN-backup); its path is returned, empty when none was needed.
Result<std::string> bring_up_to_date(Database& db, const std::vector<Upgrade>& steps);

/// Reads the first page of every table and index, and the content of the info table: damage to the file's head is seen
/// without reading all of it.
Result<void> look_over(Database& db);

}  // namespace kvcliff::journal
