// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The numbers of the window against those of kvcliff-cli, which is the other witness.
#include <map>

#include "ui/bridge/evidence.h"
#include "ui/pages/reconcile_page.h"
#include "ui/pages/run_page.h"
#include "ui/support/measured.h"
#include "ui/support/window.h"

namespace kvcliff::ui::test {

// Every request cell against the check list of the command line.
inline void compare_cells(Window& w, const QString& file, int least_cells = 39 * 10) {
  auto* page = static_cast<ReconcilePage*>(w.window.page(ReconcileIndex));
  const MatrixModel& matrix = page->matrix();
  const auto row_of = [&](const QString& id, CheckScope scope) {
    for (int r = 0; r < matrix.rowCount(); ++r)
      if (matrix.row(r).id == id && matrix.row(r).scope == scope) return r;
    return -1;
  };
  const Json j = cli_json({QStringLiteral("reconcile"), file, QStringLiteral("--requests")});
  ASSERT_EQ(matrix.columnCount(), int(j["request_list"].size()));
  int compared = 0;
  for (int c = 0; c < matrix.columnCount(); ++c) {
    const Json& checks = j["request_list"][std::size_t(c)]["checks"];
    for (const auto& [id, check] : checks.items()) {
      const int r = row_of(QString::fromStdString(id), CheckScope::request);
      ASSERT_GE(r, 0) << id;
      const MatrixCell cell = matrix.cell(r, c);
      ASSERT_TRUE(cell.result) << id << " request " << c + 1;
      EXPECT_EQ(std::string(to_string(cell.state)), check["state"].get<std::string>()) << id << " request " << c + 1;
      EXPECT_EQ(cell.result->residual, (check["residual"].is_null() ? 0 : check["residual"].get<double>())) << id << " request " << c + 1;
      EXPECT_EQ(cell.result->why, check.value("why", std::string()));
      ++compared;
    }
  }
  EXPECT_GT(compared, least_cells);
  // Sessions, pairs and the experiment.
  for (const Json& s : j["session_checks"]) {
    const QString id = QString::fromStdString(s["id"].get<std::string>());
    const CheckScope scope = s.contains("session") ? CheckScope::session : s.contains("pair") ? CheckScope::pair : CheckScope::experiment;
    const int r = row_of(id, scope);
    ASSERT_GE(r, 0) << qPrintable(id);
    bool found = false;
    for (const MatrixGroup& g : matrix.groups()) {
      if (scope == CheckScope::session && g.number.toInt() - 1 != s["session"].get<int>()) continue;
      if (scope == CheckScope::pair && g.pair != s["pair"].get<int>()) continue;
      const MatrixCell cell = matrix.cell(r, g.first);
      ASSERT_TRUE(cell.result);
      EXPECT_EQ(std::string(to_string(cell.state)), s["state"].get<std::string>()) << qPrintable(id);
      EXPECT_EQ(cell.result->residual, (s["residual"].is_null() ? 0 : s["residual"].get<double>()));
      found = true;
    }
    EXPECT_TRUE(found) << qPrintable(id);
  }
  // Totals and the ledger.
  EXPECT_EQ(w.window.evidence().judged()->evaluation.reconciliation.reconciled, j["reconciled"].get<int>());
  ASSERT_EQ(page->ledger().rowCount() > 0, true);
  const auto& e = w.window.evidence().judged()->evaluation.reconciliation;
  ASSERT_EQ(e.ledger.size(), j["ledger"].size());
  for (std::size_t i = 0; i < e.ledger.size(); ++i) EXPECT_EQ(Json(e.ledger[i]), j["ledger"][i]);
}

/// Every request that the Run page shows as done, against the list of the command line. Returns how many were compared.
inline int compare_requests(const RunData& shown, const QString& file) {
  const Json j = cli_json({QStringLiteral("reconcile"), file, QStringLiteral("--requests")});
  std::map<std::pair<int, int>, const Json*> known;
  for (const Json& r : j["request_list"]) known[{r["session"].get<int>(), r["ordinal"].get<int>()}] = &r;
  const auto number = [](const Json& v) { return v.is_null() ? std::int64_t(-1) : v.get<std::int64_t>(); };
  int compared = 0;
  for (const RunRequest& r : shown.requests) {
    if (r.state != RequestState::Done) continue;
    const RunSession& s = shown.sessions[std::size_t(r.session)];
    const auto at = known.find({s.ordinal, r.ordinal});
    if (at == known.end()) {
      EXPECT_NE(s.state, SessionState::finished) << "session " << s.ordinal << " request " << r.ordinal << " is missing in the list";
      continue;
    }
    const Json& q = *at->second;
    EXPECT_EQ(r.tokens[0], number(q["gpu_hit"])) << s.ordinal << ' ' << r.ordinal;
    EXPECT_EQ(r.tokens[1], number(q["host_loaded"])) << s.ordinal << ' ' << r.ordinal;
    EXPECT_EQ(r.tokens[2], number(q["computed"])) << s.ordinal << ' ' << r.ordinal;
    EXPECT_EQ(r.ttft_ns, number(q["ttft_ns"])) << s.ordinal << ' ' << r.ordinal;
    ++compared;
  }
  return compared;
}

}  // namespace kvcliff::ui::test
