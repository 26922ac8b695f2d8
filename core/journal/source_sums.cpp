// SPDX-License-Identifier: GPL-3.0-or-later
#include "journal/source_sums.h"

#include "journal/database.h"

namespace kvcliff::journal {

Result<SourceSums> source_sums(const std::string& path, std::int64_t session) {
  auto db = Database::open(path, Database::Mode::read_only);
  if (!db) return fail(db.error());
  auto query = db->prepare(
      "SELECT count(*), coalesce(sum(known * computed), 0), coalesce(sum(known * gpu_hit), 0), coalesce(sum(known * host_loaded), 0), "
      "coalesce(sum(CASE WHEN known THEN max(0, coalesce(unknown, 0)) ELSE max(0, coalesce(prompt_tokens, 0)) END), 0) FROM "
      "(SELECT computed, gpu_hit, host_loaded, unknown, prompt_tokens, coalesce(computed >= 0 AND gpu_hit >= 0 AND host_loaded >= 0, 0) AS known "
      "FROM requests WHERE session_id = ?1 AND warmup = 0)");
  if (!query) return fail(query.error());
  query->bind(session);
  if (query->step() != SQLITE_ROW) return fail(db->error("The journal cannot be read"));
  return SourceSums{query->integer(0), query->integer(1), query->integer(2), query->integer(3), query->integer(4)};
}

}  // namespace kvcliff::journal
