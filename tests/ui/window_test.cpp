// SPDX-License-Identifier: GPL-3.0-or-later
// Habits of the window as a whole: files dropped on it, keys, help by panel, theme, and what it keeps for the next time.
#include <sys/stat.h>

#include <QAction>
#include <QDir>
#include <QDropEvent>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QProcess>
#include <QSettings>
#include <QTextEdit>
#include <set>

#include "base/file.h"
#include "support/written_run.h"
#include "ui/bridge/evidence.h"
#include "ui/charts/cliff_chart.h"
#include "ui/pages/history_page.h"
#include "ui/pages/predict_page.h"
#include "ui/support/window.h"
#include "ui/widgets/help_topics.h"
#include "ui/widgets/log_dock.h"

namespace kvcliff::ui::test {
namespace {

struct WindowTest : ::testing::Test {
  Window w;
  void drop(const QList<QUrl>& urls) {
    QMimeData data;
    if (!urls.isEmpty()) data.setUrls(urls);
    QDragEnterEvent enter(QPoint(200, 200), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&w.window, &enter);
    if (!enter.isAccepted()) return;
    QDropEvent e(QPointF(200, 200), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&w.window, &e);
  }
  void drop(const QString& path) { drop(QList<QUrl>{QUrl::fromLocalFile(path)}); }
  QString journal() {
    const QString path = w.file("lab.kvcliff");
    kvcliff::test::HonestRun run;
    kvcliff::test::write_run(path.toStdString(), run.in, "aaaaaaaaaaaaaaaa", 1'790'000'000'000'000'000);
    return path;
  }
  const plan::Plan& plan() { return w.window.document().plan(); }
};

TEST_F(WindowTest, EveryKindOfFileIsTakenWhereItBelongs) {
  drop(QStringLiteral(KVCLIFF_TEST_DATA "/cases/074-latent-attention/config.json"));
  EXPECT_EQ(w.window.current_page(), int(PredictIndex));
  EXPECT_TRUE(plan().model.id.empty());
  EXPECT_TRUE(QString::fromStdString(plan().model.config).endsWith(QStringLiteral("074-latent-attention/config.json")));
  drop(resources() + QStringLiteral("/plans/demo.json"));
  EXPECT_EQ(w.window.current_page(), int(PlanIndex));
  EXPECT_TRUE(w.window.document().plan_path().endsWith(QStringLiteral("demo.json")));
  drop(QStringLiteral(KVCLIFF_TEST_DATA "/traces/mooncake_synthetic_trace.jsonl.zst"));
  EXPECT_EQ(w.window.current_page(), int(PredictIndex));
  EXPECT_EQ(plan().workload.kind, workload::Spec::Kind::trace);
  drop(QStringLiteral(KVCLIFF_TEST_DATA "/vllm-gpu/captures/P1A.log.zst"));
  EXPECT_EQ(w.window.current_page(), int(PredictIndex));
  EXPECT_TRUE(wait([&] { return plan().engine.version == "0.26.0"; }));
  drop(journal());
  EXPECT_EQ(w.window.current_page(), int(HistoryIndex));
  EXPECT_TRUE(wait([&] { return w.window.document().experiment() == 1; }));
}

TEST_F(WindowTest, WhatCannotBeOpenedIsSaidAndChangesNothing) {
  w.window.show_page(PlanIndex);
  const plan::Plan before = plan();
  const auto file = [&](const char* name, const std::string& content) {
    EXPECT_TRUE(write_file(w.file(name).toStdString(), content));
    return w.file(name);
  };
  const QString pipe = w.file("pipe");
  ASSERT_EQ(::mkfifo(pipe.toUtf8().constData(), 0600), 0);
  ASSERT_TRUE(QDir().mkpath(w.file("folder")));
  const std::pair<QString, const char*> cases[] = {{w.file("absent.json"), "does not exist"},
                                                   {w.file("folder"), "folder"},
                                                   {file("empty.json", ""), "empty"},
                                                   {pipe, "no regular file"},
                                                   {QStringLiteral("/dev/zero"), "no regular file"},
                                                   {file("noise.bin", std::string("\x00\x01\xff\xfe noise", 10)), "not a journal"},
                                                   {file("picture.png", "\x89PNG\r\n\x1a\n0000"), "not a journal"},
                                                   {file("list.json", "[1, 2, 3]"), "not a journal"},
                                                   {file("cut.gz", "\x1f\x8b\x08\x00garbage"), "unpacked"},
                                                   {file("cut.zst", "\x28\xb5\x2f\xfdgarbage"), "unpacked"},
                                                   {file("plan.json", "{\"schema\": \"kvcliff.plan/1\", "), "plan.json"}};
  auto& strips = w.window.page(PlanIndex)->strips();
  for (const auto& [path, words] : cases) {
    strips.resolve(QStringLiteral("open"));
    EXPECT_FALSE(w.window.open_path(path)) << path.toStdString();
    EXPECT_TRUE(strips.sentence(QStringLiteral("open")).contains(QString::fromLatin1(words), Qt::CaseInsensitive)) << path.toStdString() << ": " << strips.sentence(QStringLiteral("open")).toStdString();
    EXPECT_EQ(plan(), before) << path.toStdString();
    EXPECT_EQ(w.window.current_page(), int(PlanIndex));
  }
  // What is no file at all, and more than one, is left alone.
  strips.resolve(QStringLiteral("open"));
  drop(QList<QUrl>{});
  drop({QUrl(QStringLiteral("https://localhost/x.json"))});
  drop({QUrl::fromLocalFile(w.file("list.json")), QUrl::fromLocalFile(w.file("empty.json"))});
  EXPECT_TRUE(strips.sentence(QStringLiteral("open")).isEmpty());
  EXPECT_EQ(plan(), before);
}

TEST_F(WindowTest, EveryPageIsReachedByItsKey) {
  ASSERT_TRUE(w.window.open_path(journal()));
  ASSERT_TRUE(wait([&] { return w.window.document().experiment() == 1; }));
  for (int i = 0; i < PageCount; ++i) {
    QTest::keyClick(&w.window, Qt::Key(Qt::Key_1 + i), Qt::ControlModifier);
    EXPECT_EQ(w.window.current_page(), i);
    EXPECT_TRUE(w.window.page(i)->isVisible());
  }
}

TEST_F(WindowTest, HelpIsOfThePanelThatHasTheFocus) {
  const auto text = [&] { return w.find<QTextEdit>("help.text")->toPlainText(); };
  w.window.show_page(PredictIndex);
  w.window.activateWindow();
  static_cast<PredictPage*>(w.window.page(PredictIndex))->chart().setFocus();
  w.find<QAction>("action.help")->trigger();
  EXPECT_TRUE(text().startsWith(QStringLiteral("The cliff"))) << text().left(60).toStdString();
  w.find<QLineEdit>("predict.documents")->setFocus();
  w.find<QAction>("action.help")->trigger();
  EXPECT_TRUE(text().startsWith(QStringLiteral("Predict")));
  // Every panel's help exists, every topic belongs to a page or panel, and every word is defined.
  QFile file(resources() + QStringLiteral("/help/definitions.json"));
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  const QJsonObject definitions = QJsonDocument::fromJson(file.readAll()).object();
  std::set<QString> used{QStringLiteral("predict"), QStringLiteral("plan"), QStringLiteral("run"), QStringLiteral("reconcile"), QStringLiteral("decide"), QStringLiteral("history")};
  for (QWidget* widget : w.window.findChildren<QWidget*>())
    if (const QString key = widget->property("help").toString(); !key.isEmpty()) {
      EXPECT_EQ(help_topics().count(key), 1u) << key.toStdString();
      used.insert(key);
    }
  for (const auto& [key, topic] : help_topics()) {
    EXPECT_EQ(used.count(key), 1u) << key.toStdString() << " is nowhere";
    for (const char* word : topic.words) EXPECT_TRUE(definitions.contains(QLatin1String(word))) << key.toStdString() << ": " << word;
  }
}

TEST_F(WindowTest, TheHelpSearchLeadsBackToThePage) {
  w.window.show_page(PredictIndex);
  w.find<QAction>("action.help.plan")->trigger();
  auto* search = w.find<QLineEdit>("help.search");
  search->setText(QStringLiteral("TTFT"));
  search->clear();
  EXPECT_TRUE(w.find<QTextEdit>("help.text")->toPlainText().startsWith(QStringLiteral("Plan")));
}

TEST_F(WindowTest, ThemeAndPlaceAreKeptAndTheThemeSwitchesLive) {
  w.window.show_page(PredictIndex);
  auto& chart = static_cast<PredictPage*>(w.window.page(PredictIndex))->chart();
  const auto ground = [&] {
    for (int i = 0; i < 5; ++i) QCoreApplication::processEvents();
    return chart.grab().toImage().pixelColor(2, 2);
  };
  w.find<QAction>("action.theme1")->trigger();
  const QColor light = ground();
  w.find<QAction>("action.theme2")->trigger();
  const QColor dark = ground();
  EXPECT_GT(light.lightness(), 200);
  EXPECT_LT(dark.lightness(), 60);
  w.window.resize(800, 745);
  EXPECT_TRUE(w.window.close());
  {
    MainWindow later(resources());
    EXPECT_EQ(later.size(), QSize(800, 745));
    EXPECT_TRUE(later.theme().dark());
    EXPECT_TRUE(later.findChild<QAction*>(QStringLiteral("action.theme2"))->isChecked());
  }
  QSettings().clear();
}

TEST(Arguments, WhatIsWrongIsSaidAndNoWindowOpens) {
  const QStringList cases[] = {{QStringLiteral("--page")}, {QStringLiteral("--page"), QStringLiteral("7")}, {QStringLiteral("--page"), QStringLiteral("two")}, {QStringLiteral("--page"), QStringLiteral("0")},
                               {QStringLiteral("--theme"), QStringLiteral("purple")}, {QStringLiteral("--theme")}, {QStringLiteral("--fast")}, {QStringLiteral("-x")}};
  for (const QStringList& arguments : cases) {
    QProcess p;
    p.start(QStringLiteral(KVCLIFF_GUI), arguments);
    ASSERT_TRUE(p.waitForFinished(30'000)) << arguments.join(QLatin1Char(' ')).toStdString();
    EXPECT_EQ(p.exitCode(), 2) << arguments.join(QLatin1Char(' ')).toStdString();
    const QByteArray said = p.readAllStandardError();
    EXPECT_TRUE(said.startsWith("kvcliff: ")) << said.toStdString();
    EXPECT_TRUE(said.contains(arguments.last().toUtf8())) << said.toStdString();
  }
}

}  // namespace
}  // namespace kvcliff::ui::test
