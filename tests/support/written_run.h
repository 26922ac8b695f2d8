// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A journal with a whole run in it, made without an engine.
#include <gtest/gtest.h>

#include "base/json.h"
#include "journal/writer.h"
#include "reconcile/input.h"
#include "support/honest_run.h"

namespace kvcliff::test {

/// Writes the run as the runner would have; returns its row.
inline std::int64_t write_run(const std::string& path, reconcile::ExperimentInput in, const std::string& uid, WallNs created,
                              const std::string& engine = "emulator") {
  auto w = journal::Writer::open(path);
  EXPECT_TRUE(w) << (w ? "" : w.error().sentence());
  if (!w) return 0;
  journal::ExperimentRecord e;
  e.uid = uid;
  e.name = in.name;
  e.plan_text = canonical_json(plan::to_json(in.plan));
  e.plan_hash = plan::hash(in.plan);
  e.schedule = Json::array();
  for (const auto& s : plan::schedule(in.plan)) e.schedule.push_back({{"ordinal", s.ordinal}, {"arm", s.arm}, {"conditioning", s.conditioning}, {"pair", s.pair}});
  e.method_version = in.method_version;
  e.program_version = in.program_version;
  e.host = Json{{"cpus", 8}, {"system", "Debian"}};
  e.simulated = in.simulated;
  e.engine = engine;
  e.model = in.plan.model.id;
  e.created = created;
  e.ended = created + 1;
  e.state = "finished";
  e.tags = {"demo"};
  const auto row = (*w)->put(e);
  for (auto& s : in.sessions) {
    SessionRecord record = s.record;
    record.id = 0;
    const auto session = (*w)->put(row, record);
    record.id = session;
    if (s.identity) record.identity_scrape = (*w)->put_scrape(session, *s.identity);
    if (s.last) record.last_scrape = (*w)->put_scrape(session, *s.last);
    for (const auto& change : record.changes) (*w)->change_state(row, record, change);
    (*w)->put(row, record);
    for (auto r : s.requests) {
      r.session = session;
      r.id = journal::request_id(session, r.plan.ordinal);
      (*w)->put(r);
    }
  }
  const auto flushed = (*w)->flush();
  EXPECT_TRUE(flushed) << (flushed ? "" : flushed.error().sentence());
  return row;
}

}  // namespace kvcliff::test
