// SPDX-License-Identifier: GPL-3.0-or-later
// The Plan page, driven by object names.
#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTabWidget>
#include <QTableView>

#include "base/file.h"
#include "ui/models/plan_requests.h"
#include "ui/pages/plan_command.h"
#include "ui/pages/plan_page.h"
#include "ui/pages/plan_sessions.h"
#include "ui/support/window.h"
#include "ui/widgets/number_field.h"

namespace kvcliff::ui::test {
namespace {

struct PlanTest : ::testing::Test {
  Window w;
  PlanPage* page = static_cast<PlanPage*>(w.window.page(PlanIndex));

  void SetUp() override {
    w.window.show_page(PlanIndex);
    ASSERT_TRUE(wait([&] { return page->facts().facts() != nullptr; }));
  }
  QString fault(const char* name) {
    auto* l = w.find<QLabel>(name);
    return l && l->isVisibleTo(page) ? l->text() : QString();
  }
  const PlanFacts& facts() { return *page->facts().facts(); }
};

TEST_F(PlanTest, ReferencePlanShowsFiveSessionsAnd78Requests) {
  EXPECT_EQ(facts().sessions.size(), 5u);
  EXPECT_EQ(facts().requests, 78);
  auto* table = w.find<QTableView>("plan.requests");
  w.find<PlanSessions>("plan.sessions")->select(1);
  // One warm-up request, then 6 documents x 3 rounds with the tier on.
  ASSERT_EQ(table->model()->rowCount(), 19);
  const auto cell = [&](int row, int column) { return table->model()->index(row, column).data().toString(); };
  EXPECT_EQ(cell(0, PlanRequests::Number), QStringLiteral("warm-up"));
  EXPECT_EQ(cell(1, PlanRequests::Computed), QStringLiteral("2,003"));
  EXPECT_EQ(cell(1, PlanRequests::Distance), QStringLiteral("first visit"));
  EXPECT_EQ(cell(7, PlanRequests::HostLoaded), QStringLiteral("2,000"));
  EXPECT_EQ(cell(7, PlanRequests::Computed), QStringLiteral("3"));
  EXPECT_EQ(cell(7, PlanRequests::Distance), QStringLiteral("750"));
  w.find<PlanSessions>("plan.sessions")->select(0);
  EXPECT_EQ(cell(7, PlanRequests::HostLoaded), QStringLiteral("0"));
  w.find<PlanSessions>("plan.sessions")->select(4);
  EXPECT_EQ(table->model()->rowCount(), 7);
  EXPECT_EQ(cell(3, PlanRequests::GpuHit), QStringLiteral("2,000"));
}

TEST_F(PlanTest, OpensOnTheArmUnderTestUntilAnotherOneIsChosen) {
  auto* sessions = w.find<PlanSessions>("plan.sessions");
  EXPECT_EQ(sessions->selected(), 1) << "the first session with the tier";
  EXPECT_TRUE(w.find<CommandView>("plan.command")->toPlainText().contains(QStringLiteral("--kv-transfer-config")));
  sessions->select(4);
  plan::Plan p = w.window.document().plan();
  p.workload.rounds = 4;  // the same sessions: the choice stays
  w.window.document().edit_plan(p, QStringLiteral("rounds"));
  ASSERT_TRUE(wait([&] { return facts().plan.workload.rounds == 4; }));
  EXPECT_EQ(sessions->selected(), 4);
  p.schedule.first = "on";  // other sessions: the choice is of another plan
  w.window.document().edit_plan(p, QStringLiteral("first"));
  ASSERT_TRUE(wait([&] { return facts().sessions.front().arm == "on"; }));
  EXPECT_EQ(sessions->selected(), 0);
}

TEST_F(PlanTest, RequestModelKeepsTheRulesOfModels) {
  QAbstractItemModelTester tester(&page->requests(), QAbstractItemModelTester::FailureReportingMode::Fatal);
  w.find<PlanSessions>("plan.sessions")->select(4);
  w.find<PlanSessions>("plan.sessions")->select(1);
  EXPECT_GT(page->requests().rowCount(), 0);
}

TEST_F(PlanTest, OnlyTheOffloadLineIsMarkedBetweenTheArms) {
  w.find<PlanSessions>("plan.sessions")->select(1);
  auto* command = w.find<CommandView>("plan.command");
  EXPECT_EQ(command->marked(), 1);
  EXPECT_TRUE(command->toPlainText().contains(QStringLiteral("+   --kv-transfer-config")));
  EXPECT_TRUE(facts().only_offload_differs) << facts().compared_difference.toStdString();
  w.find<PlanSessions>("plan.sessions")->select(0);
  EXPECT_EQ(command->marked(), 0);
}

TEST_F(PlanTest, TypedPairsChangeTheScheduleAndUndoBringsThemBack) {
  auto* pairs = w.find<NumberField>("plan.pairs");
  type(pairs, QStringLiteral("3"));
  EXPECT_EQ(w.window.document().plan().schedule.pairs, 3);
  EXPECT_TRUE(wait([&] { return facts().sessions.size() == 7; }));
  w.window.document().undo().undo();
  EXPECT_EQ(w.window.document().plan().schedule.pairs, 2);
  EXPECT_TRUE(wait([&] { return facts().sessions.size() == 5; }));
}

TEST_F(PlanTest, EveryFaultStandsBesideItsFieldAndStartIsOff) {
  ASSERT_TRUE(wait([&] { return !page->facts().preflight().empty() && !page->facts().checking(); }));
  plan::Plan p = w.window.document().plan();
  p.workload.tokens = 200'000;      // larger than the GPU cache
  p.capacity.offload.policy = "mru";
  p.name.clear();
  p.smallest_effect = 2;
  w.window.document().edit_plan(p, QStringLiteral("four faults"));
  ASSERT_EQ(w.window.document().faults().size(), 4u);
  EXPECT_TRUE(fault("plan.tokens.fault").contains(QStringLiteral("needs")));
  EXPECT_TRUE(fault("plan.workload.fault").contains(QStringLiteral("mru")));
  EXPECT_TRUE(fault("plan.name.fault").contains(QStringLiteral("no name")));
  EXPECT_TRUE(fault("plan.effect.fault").contains(QStringLiteral("between 0 and 1")));
  EXPECT_FALSE(w.find<QPushButton>("plan.start")->isEnabled());
  EXPECT_TRUE(w.find<QPushButton>("plan.start")->toolTip().contains(QStringLiteral("4 fault")));
  EXPECT_EQ(facts().requests, 78) << "the last valid plan stays";
  w.picture("plan-faults-light");
  w.window.document().undo().undo();
  EXPECT_TRUE(fault("plan.tokens.fault").isEmpty());
  EXPECT_TRUE(fault("plan.effect.fault").isEmpty());
}

TEST_F(PlanTest, AnEntryThatIsNoNumberIsKeptAndSaid) {
  auto* rounds = w.find<NumberField>("plan.rounds");
  type(rounds, QStringLiteral("many"));
  EXPECT_TRUE(fault("plan.rounds.fault").contains(QStringLiteral("is not a number")));
  EXPECT_EQ(rounds->text(), QStringLiteral("many"));
  EXPECT_EQ(w.window.document().plan().workload.rounds, 3);
  EXPECT_FALSE(w.find<QPushButton>("plan.start")->isEnabled());
  type(rounds, QStringLiteral("4"));
  EXPECT_EQ(w.window.document().plan().workload.rounds, 4);
  EXPECT_TRUE(fault("plan.rounds.fault").isEmpty());
}

TEST_F(PlanTest, ArmsCanBeAddedAndRemoved) {
  w.find<QCheckBox>("plan.arm.no-reuse")->click();
  const plan::Arm* arm = plan::find_arm(w.window.document().plan(), "no-reuse");
  ASSERT_NE(arm, nullptr);
  EXPECT_TRUE(w.window.document().faults().empty()) << w.window.document().faults().front().what;
  EXPECT_TRUE(wait([&] { return facts().sessions.size() == 6; }));
  EXPECT_EQ(facts().arms.at("no-reuse").count, 18);
  w.find<QCheckBox>("plan.arm.a/a")->click();
  EXPECT_TRUE(w.window.document().faults().empty()) << w.window.document().faults().front().what;
  EXPECT_TRUE(wait([&] { return facts().sessions.size() == 10; }));
  w.find<QCheckBox>("plan.arm.equal-memory")->click();
  EXPECT_TRUE(wait([&] { return facts().arms.count("equal-memory") == 1; }));
  EXPECT_EQ(facts().arms.at("equal-memory").gpu_blocks, 384 + 1250);
  w.find<QCheckBox>("plan.arm.no-reuse")->click();
  EXPECT_EQ(plan::find_arm(w.window.document().plan(), "no-reuse"), nullptr);
  w.find<QCheckBox>("plan.arm.on")->click();
  EXPECT_FALSE(fault("plan.arms.fault").isEmpty()) << "pairs need both arms";
}

TEST_F(PlanTest, ThePlanFileCanBeEditedAndSaysItsFaults) {
  w.find<QTabWidget>("plan.tabs")->setCurrentIndex(3);
  auto* file = w.find<QPlainTextEdit>("plan.file");
  const QString text = file->toPlainText();
  file->setFocus();
  file->setPlainText(QString(text).replace(QStringLiteral("\"rounds\": 3"), QStringLiteral("\"rounds\": 5")));
  EXPECT_TRUE(wait([&] { return w.window.document().plan().workload.rounds == 5; }));
  file->setPlainText(QStringLiteral("{ \"schema\": "));
  EXPECT_TRUE(wait([&] { return !fault("plan.file.fault").isEmpty(); }));
  EXPECT_EQ(w.window.document().plan().workload.rounds, 5) << "an unreadable text changes nothing";
  EXPECT_FALSE(w.find<QPushButton>("plan.start")->isEnabled());
  file->setPlainText(QString(text).replace(QStringLiteral("\"rounds\""), QStringLiteral("\"runds\"")));
  EXPECT_TRUE(wait([&] { return fault("plan.file.fault").contains(QStringLiteral("runds")); }));
  EXPECT_FALSE(w.find<QPushButton>("plan.start")->isEnabled());
}

TEST_F(PlanTest, PreflightShowsEachCheckAndAFreePortLetsStart) {
  ASSERT_TRUE(wait([&] { return !page->facts().preflight().empty() && !page->facts().checking(); }));
  bool fails = false;
  for (const auto& item : page->facts().preflight()) {
    EXPECT_NE(page->findChild<QWidget*>(QStringLiteral("plan.check.") + QString::fromStdString(item.id)), nullptr) << item.id;
    fails |= item.state == host::PreflightItem::State::fail;
  }
  EXPECT_EQ(w.find<QPushButton>("plan.start")->isEnabled(), !fails);
}

// The place that the launcher names is asked here as it is before a run: by the program that would carry the command there.
TEST_F(PlanTest, PreflightAsksTheMachineThatTheLauncherNames) {
  const QByteArray path = qgetenv("PATH");
  const auto stand_in = [&](const char* script) {
    const QString ssh = w.file("bin/ssh");
    QDir().mkpath(w.file("bin"));
    ASSERT_TRUE(write_file(ssh.toStdString(), script));
    QFile::setPermissions(ssh, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
  };
  qputenv("PATH", (w.file("bin") + QLatin1Char(':')).toUtf8() + path);
  stand_in("#!/bin/sh\necho 'u@gpu7: Permission denied (publickey).' >&2\nexit 255\n");
  auto* launcher = w.find<QComboBox>("plan.launcher");
  launcher->setCurrentIndex(1);
  emit launcher->activated(1);
  type(w.find<QLineEdit>("plan.launcher.host"), QStringLiteral("gpu7"));
  EXPECT_TRUE(page->facts().checking()) << "what was known is of another launcher";
  EXPECT_FALSE(w.find<QPushButton>("plan.start")->isEnabled());
  const auto row = [&] { return page->findChild<QWidget*>(QStringLiteral("plan.check.launcher")); };
  ASSERT_TRUE(wait([&] { return !page->facts().checking() && row() != nullptr; }));
  EXPECT_EQ(row()->property("state").toString(), QStringLiteral("fail"));
  EXPECT_TRUE(row()->accessibleName().contains(QStringLiteral("gpu7 cannot be reached by ssh"))) << row()->accessibleName().toStdString();
  EXPECT_TRUE(row()->toolTip().contains(QStringLiteral("Permission denied")));
  EXPECT_FALSE(w.find<QPushButton>("plan.start")->isEnabled());
  EXPECT_TRUE(w.find<QPushButton>("plan.start")->toolTip().contains(QStringLiteral("preflight")));
  stand_in("#!/bin/sh\nexit 0\n");
  w.find<QPushButton>("plan.preflight.again")->click();
  EXPECT_TRUE(wait([&] { return !page->facts().checking() && row() && row()->property("state").toString() == QStringLiteral("pass"); }));
  qputenv("PATH", path);
}

TEST_F(PlanTest, UnsavedChangesComeBackAfterAnotherPlanWasOpened) {
  type(w.find<NumberField>("plan.documents"), QStringLiteral("7"));
  const plan::Plan mine = w.window.document().plan();
  ASSERT_TRUE(w.window.open_path(resources() + QStringLiteral("/plans/demo.json")));
  EXPECT_NE(w.window.document().plan(), mine);
  EXPECT_FALSE(w.window.document().plan_modified());
  auto* back = w.find<QPushButton>("strip.unsaved.action");
  ASSERT_TRUE(back);
  back->click();
  ASSERT_TRUE(wait([&] { return w.window.document().plan() == mine; }));
  EXPECT_TRUE(w.window.document().plan_modified()) << "it still is not saved";
  EXPECT_TRUE(page->strips().sentence(QStringLiteral("unsaved")).isEmpty());
  // Nor are they lost with the window.
  EXPECT_TRUE(w.window.close());
  Window later;
  ASSERT_TRUE(later.window.document().unsaved());
  EXPECT_EQ(later.window.document().unsaved()->plan, mine);
  Window last;
  EXPECT_FALSE(last.window.document().unsaved()) << "offered once";
}

TEST_F(PlanTest, SavedPlansReadBackEqualAndAFolderThatIsNotThereIsSaid) {
  type(w.find<NumberField>("plan.documents"), QStringLiteral("7"));
  ASSERT_TRUE(page->save_plan_to(w.file("mine.json")));
  EXPECT_FALSE(w.window.document().plan_modified());
  const auto back = plan::parse_file(w.file("mine.json").toStdString());
  ASSERT_TRUE(back.valid());
  EXPECT_EQ(back.plan, w.window.document().plan());
  EXPECT_EQ(back.plan.workload.documents, 7);
  EXPECT_FALSE(page->save_plan_to(w.file("absent/mine.json")));
  EXPECT_TRUE(page->strips().sentence(QStringLiteral("save")).contains(QStringLiteral("absent")));
}

TEST_F(PlanTest, FaultsOfAnOpenedFileAreAllShown) {
  const QString path = w.file("bad.json");
  ASSERT_TRUE(write_file(path.toStdString(), R"({"schema":"kvcliff.plan/1","name":"x","capacity":{"gpu_bloks":3,"block_size":"big"},"load":{"mode":"fast"}})"));
  w.window.open_path(path);
  EXPECT_GE(w.window.document().faults().size(), 3u);
  QString all;
  for (QLabel* l : page->findChildren<QLabel*>())
    if (l->objectName().endsWith(QStringLiteral(".fault")) && l->isVisibleTo(page)) all += l->text();
  for (const auto& f : w.window.document().faults()) EXPECT_TRUE(all.contains(QString::fromStdString(f.what))) << f.what << "\nshown: " << all.toStdString();
}

TEST_F(PlanTest, LauncherOptionsAppearWithTheirFaults) {
  auto* launcher = w.find<QComboBox>("plan.launcher");
  launcher->setCurrentIndex(1);
  emit launcher->activated(1);
  EXPECT_EQ(w.window.document().plan().launcher.kind, "ssh");
  EXPECT_TRUE(fault("plan.launcher.fault").contains(QStringLiteral("host")));
  type(w.find<QLineEdit>("plan.launcher.host"), QStringLiteral("gpu7"));
  EXPECT_EQ(w.window.document().plan().launcher.options.at("host"), "gpu7");
  EXPECT_FALSE(fault("plan.launcher.fault").contains(QStringLiteral("launcher.host is missing")));
}

TEST_F(PlanTest, EveryWidgetHasAName) { EXPECT_EQ(without_name(page).join(QStringLiteral(", ")).toStdString(), ""); }

TEST_F(PlanTest, TheRequestListIsCopiedAsCsvWithPlainNumbers) {
  w.find<PlanSessions>("plan.sessions")->select(1);
  const QString csv = page->copy_text(true);
  EXPECT_EQ(csv.count(QLatin1Char('\n')), 20);
  EXPECT_TRUE(csv.contains(QStringLiteral(",2003,125,")));
}

TEST_F(PlanTest, ATooLongListIsCountedAndNotMade) {
  plan::Plan p = w.window.document().plan();
  p.workload.rounds = 100'000;
  w.window.document().edit_plan(p, QStringLiteral("long"));
  EXPECT_TRUE(wait([&] { return facts().arms.at("on").count == 600'000; }));
  EXPECT_TRUE(facts().arms.at("on").requests.empty());
  EXPECT_TRUE(w.find<QLabel>("plan.requestsNote")->text().contains(QStringLiteral("600,000")));
}

}  // namespace
}  // namespace kvcliff::ui::test
