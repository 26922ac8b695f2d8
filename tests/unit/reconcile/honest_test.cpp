// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "reconcile/reconcile.h"
#include "support/honest_run.h"

namespace kvcliff::reconcile {
namespace {

TEST(HonestRun, RaisesNothingAndEveryRequestIsReconciled) {
  const test::HonestRun run;
  const auto r = reconcile(run.in);
  EXPECT_EQ(r.measured, 78);
  EXPECT_EQ(r.reconciled, 78);
  EXPECT_EQ(r.unexplained_tokens, 0);
  EXPECT_EQ(r.unexplained_bytes, 0);
  EXPECT_TRUE(r.run_reconciled());
  EXPECT_TRUE(r.gates_pass());
  for (const auto& t : r.totals) {
    EXPECT_EQ(t.fail, 0) << t.id << ": " << first_failure(run.in, r, t.id);
    EXPECT_EQ(t.not_settled, 0) << t.id;
  }
  for (const auto& g : r.gates) {
    const bool impossible_here = g.id == "R19" || g.id == "R20";
    EXPECT_EQ(g.state == CheckState::pass, !impossible_here) << g.id << ": " << g.why;
  }
}

TEST(HonestRun, CountsEveryCheckOverItsOwnSubjects) {
  const test::HonestRun run;
  const auto r = reconcile(run.in);
  ASSERT_EQ(r.totals.size(), 21u);
  const auto& t = r.totals;
  const auto subjects = [&](int i) {
    const auto& x = t[static_cast<std::size_t>(i - 1)];
    return x.pass + x.fail + x.not_possible + x.not_settled + x.not_applicable;
  };
  EXPECT_EQ(subjects(1), 78);
  EXPECT_EQ(subjects(7), 78 + 5) << "stored bytes: each request and each session";
  EXPECT_EQ(subjects(11), 5);
  EXPECT_EQ(subjects(15), 5 + 1);
  EXPECT_EQ(subjects(17), 78 + 5);
  EXPECT_EQ(subjects(18), 2);
  EXPECT_EQ(subjects(19), 5);
  EXPECT_EQ(t[2].pass, 36) << "R3 has a meaning in the on arm only";
  EXPECT_EQ(t[2].not_applicable, 42);
  EXPECT_EQ(t[18].not_possible, 5) << "no KV events: never a pass";
  EXPECT_EQ(t[18].pass, 0);
}

TEST(HonestRun, LedgerNamesTheWarmUpAndLeavesNothing) {
  const test::HonestRun run;
  const auto r = reconcile(run.in);
  ASSERT_EQ(r.sessions.size(), 5u);
  const auto& on = r.sessions[1].ledger;
  ASSERT_EQ(on.size(), 7u);
  for (const auto& line : on) {
    ASSERT_TRUE(line.unexplained) << line.quantity << ": " << line.why;
    EXPECT_EQ(*line.unexplained, 0) << line.quantity;
  }
  EXPECT_EQ(*on[0].expected, 18 * 2003);
  EXPECT_EQ(*on[0].measured, 19 * 2003);
  ASSERT_EQ(on[0].explained.size(), 1u);
  EXPECT_EQ(on[0].explained[0].name, "warm-up");
  EXPECT_EQ(on[0].explained[0].amount, 2003);
  EXPECT_EQ(on[5].quantity, "kv_offload_load_bytes");
  EXPECT_EQ(*on[5].measured, 12.0 * 2000 * 114'688);
  const auto& all = r.ledger;
  const auto loaded = std::find_if(all.begin(), all.end(), [](const LedgerLine& l) { return l.quantity == "kv_offload_load_bytes"; });
  ASSERT_NE(loaded, all.end());
  EXPECT_EQ(*loaded->measured, 5'505'024'000.0);
}

TEST(Table, HasTwentyOneChecksInOrderAndOneFlag) {
  const auto table = check_table();
  ASSERT_EQ(table.size(), 21u);
  for (std::size_t i = 0; i < table.size(); ++i) {
    EXPECT_EQ(table[i].id, "R" + std::to_string(i + 1));
    EXPECT_EQ(table[i].flag, table[i].id == "R21");
    EXPECT_TRUE(table[i].request || table[i].session || table[i].pairs || table[i].experiment) << table[i].id;
  }
  EXPECT_EQ(find_check("R99"), nullptr);
}

}  // namespace
}  // namespace kvcliff::reconcile
