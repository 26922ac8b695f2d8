// SPDX-License-Identifier: GPL-3.0-or-later
// Bad input on every field that takes any: said beside the field, nothing lost, the rest of the page usable. The widget
// tree is walked, so that a new field without a case here fails.
#include <QAction>
#include <QComboBox>
#include <QDialog>
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSlider>
#include <QSpinBox>
#include <QTabWidget>
#include <QTextEdit>
#include <set>

#include "base/file.h"
#include "support/written_run.h"
#include "ui/models/history_model.h"
#include "ui/pages/history_page.h"
#include "ui/pages/history_table.h"
#include "ui/pages/plan_page.h"
#include "ui/pages/predict_page.h"
#include "ui/support/window.h"
#include "ui/widgets/log_dock.h"
#include "ui/widgets/number_field.h"

namespace kvcliff::ui::test {
namespace {

// ---- The fields ----

struct NumberCase {
  const char* name;
  int page;
  const char* fault;     // the label that says what is wrong
  double low, high;
  bool whole;
  double good;           // a valid value that differs from the reference plan's
};
const NumberCase numbers[] = {
    {"predict.tp", PredictIndex, "predict.parallel.fault", 1, 4096, true, 2},
    {"predict.pp", PredictIndex, "predict.parallel.fault", 1, 4096, true, 2},
    {"predict.gpu.blocks", PredictIndex, "predict.gpu.fault", 0, 999'999'999, true, 500},
    {"predict.gpu.tokens", PredictIndex, "predict.gpu.fault", 0, 63'999'999'936.0, true, 8000},
    {"predict.gpu.gib", PredictIndex, "predict.gpu.fault", 0, 1e6, false, 1.5},
    {"predict.host.blocks", PredictIndex, "predict.host.fault", 0, 999'999'999, true, 500},
    {"predict.host.tokens", PredictIndex, "predict.host.fault", 0, 63'999'999'936.0, true, 8000},
    {"predict.host.gib", PredictIndex, "predict.host.fault", 0, 1e6, false, 1.5},
    {"predict.documents", PredictIndex, "predict.documents.fault", 1, 1e7, true, 7},
    {"predict.rounds", PredictIndex, "predict.documents.fault", 1, 1e7, true, 4},
    {"predict.tokens", PredictIndex, "predict.tokens.fault", 1, 1e8, true, 1800},
    {"predict.shared", PredictIndex, "predict.shared.fault", 0, 1e8, true, 160},
    {"predict.traceRequests", PredictIndex, "predict.trace.fault", 0, 1e9, true, 20},
    {"plan.pairs", PlanIndex, "plan.pairs.fault", 0, 1000, true, 3},
    {"plan.conditioning", PlanIndex, "plan.conditioning.fault", 0, 100, true, 1},
    {"plan.concurrency", PlanIndex, "plan.concurrency.fault", 1, 4096, true, 8},
    {"plan.rate", PlanIndex, "plan.rate.fault", 0, 1e6, false, 2.5},
    {"plan.documents", PlanIndex, "plan.documents.fault", 1, 1e7, true, 7},
    {"plan.tokens", PlanIndex, "plan.tokens.fault", 1, 1e8, true, 1800},
    {"plan.rounds", PlanIndex, "plan.rounds.fault", 1, 1e7, true, 4},
    {"plan.output", PlanIndex, "plan.output.fault", 1, 1e7, true, 32},
    {"plan.seed", PlanIndex, "plan.seed.fault", 0, 9007199254740991.0, true, 99},
    {"plan.effect", PlanIndex, "plan.effect.fault", 0.1, 99, false, 7.5},
    {"plan.start_s", PlanIndex, "plan.start_s.fault", 1, 1e6, true, 77},
    {"plan.ceiling", PlanIndex, "plan.ceiling.fault", 0, 1e8, true, 600},
};
void PrintTo(const NumberCase& c, std::ostream* os) { *os << QString::fromLatin1(c.name).replace(QLatin1Char('.'), QLatin1Char('_')).toStdString(); }

// Fields that take words. Each has a test below.
const char* const words[] = {"predict.model",   "predict.slider",        "plan.name",       "plan.version",         "plan.environment",      "plan.arguments",
                             "plan.file",       "history.search",        "history.tags.editor", "log.filter",       "help.search",           "import.name"};
// Options of launchers: made of the plan's table, so that a new option comes with a case.
const std::map<std::string, std::vector<QString>>& bad_options() {
  static const std::map<std::string, std::vector<QString>> all{
      {"ssh.host", {{}, QStringLiteral("-oProxyCommand=x"), QStringLiteral("two words")}}, {"ssh.user", {QStringLiteral("-x"), QStringLiteral("a b")}}, {"ssh.port", {QStringLiteral("0"), QStringLiteral("ssh"), QStringLiteral("70000")}},
      {"ssh.identity", {}}, {"ssh.config", {}}, {"ssh.directory", {}}, {"ssh.options", {}},
      {"container.image", {{}, QStringLiteral("--privileged"), QStringLiteral("a b")}}, {"container.runtime", {}}, {"container.gpus", {}}, {"container.shm_size", {}}, {"container.network", {}},
      {"container.memory", {}}, {"container.volumes", {}}, {"container.name", {}}, {"container.options", {}},
      {"slurm.partition", {}}, {"slurm.account", {}}, {"slurm.gres", {}}, {"slurm.nodes", {}}, {"slurm.cpus", {QStringLiteral("0"), QStringLiteral("many"), QStringLiteral("-4")}}, {"slurm.memory", {}},
      {"slurm.time", {}}, {"slurm.qos", {}}, {"slurm.nodelist", {}}, {"slurm.options", {}}};
  return all;
}

// As from the clipboard: in one step, however long.
void paste(QLineEdit* field, const QString& text) {
  field->setFocus();
  field->selectAll();
  field->insert(text);
  emit field->textEdited(field->text());
}

// A result file of another tool: its import dialog has a field as well.
void write_result(const QString& path) {
  ASSERT_TRUE(write_file(path.toStdString(), R"({"date":"20261130-101500","model_id":"/models/Qwen3-0.6B","max_concurrency":1,"input_lens":[2003,2003],)"
                                             R"("output_lens":[2,2],"ttfts":[0.083,0.031],"itls":[[0.003],[0.005]],"errors":["",""]})"));
}

// Everything that text can be typed into, or that a value can be dragged on.
std::set<std::string> editable(QWidget* top) {
  std::set<std::string> out;
  for (QWidget* w : top->findChildren<QWidget*>()) {
    const auto* line = qobject_cast<QLineEdit*>(w);
    const auto* plain = qobject_cast<QPlainTextEdit*>(w);
    const auto* rich = qobject_cast<QTextEdit*>(w);
    const auto* combo = qobject_cast<QComboBox*>(w);
    bool takes = (line && !line->isReadOnly()) || (plain && !plain->isReadOnly()) || (rich && !rich->isReadOnly()) || (combo && combo->isEditable()) ||
                 qobject_cast<QSlider*>(w) || qobject_cast<QAbstractSpinBox*>(w);
    if (line && (qobject_cast<QComboBox*>(w->parentWidget()) || qobject_cast<QAbstractSpinBox*>(w->parentWidget()))) takes = false;  // counted with its owner
    if (takes) out.insert(w->objectName().toStdString());
  }
  return out;
}

struct FieldTest : ::testing::Test {
  Window w;
  PlanPage* plan_page = static_cast<PlanPage*>(w.window.page(PlanIndex));
  HistoryPage* history = static_cast<HistoryPage*>(w.window.page(HistoryIndex));
  const plan::Plan& plan() { return w.window.document().plan(); }
  QString fault(const char* name) {
    auto* l = w.find<QLabel>(name);
    return l && l->isVisibleTo(&w.window) ? l->text() : QString();
  }
  void choose(const char* combo, int index) {
    auto* c = w.find<QComboBox>(combo);
    c->setCurrentIndex(index);
    emit c->activated(index);
  }
  void expect_said(QWidget* field, const char* label, const std::string& typed) {
    const QString text = fault(label);
    EXPECT_FALSE(text.isEmpty()) << field->objectName().toStdString() << " \"" << typed << "\": nothing is said";
    EXPECT_TRUE(field->property("fault").toBool()) << field->objectName().toStdString() << " \"" << typed << '"';
    EXPECT_FALSE(field->accessibleDescription().isEmpty()) << field->objectName().toStdString() << " \"" << typed << '"';
    EXPECT_TRUE(field->toolTip().contains(field->accessibleDescription()));
  }
  void open_history() {
    const QString journal = w.file("lab.kvcliff");
    kvcliff::test::HonestRun run;
    kvcliff::test::write_run(journal.toStdString(), run.in, "aaaaaaaaaaaaaaaa", 1'790'000'000'000'000'000);
    ASSERT_TRUE(w.window.open_path(journal));
    // Until it is read and judged: a list that arrives takes an editor away.
    ASSERT_TRUE(wait([&] { return history->model().rowCount() == 1 && (history->model().row(0).summary.ready || !history->model().row(0).summary.why.isEmpty()); }));
  }
  QLineEdit* open_tags() {
    auto* table = w.find<HistoryTable>("history.table");
    w.window.show_page(HistoryIndex);
    table->setCurrentIndex(history->filter().index(0, 0));
    QTest::keyClick(table, Qt::Key_F2);
    return table->findChild<QLineEdit*>(QStringLiteral("history.tags.editor"));
  }
  QDialog* open_import() {
    write_result(w.file("bench.json"));
    history->import_file(w.file("bench.json"));
    QDialog* dialog = nullptr;
    EXPECT_TRUE(wait([&] { return (dialog = w.window.findChild<QDialog*>(QStringLiteral("import"))) != nullptr; }));
    return dialog;
  }
};

TEST_F(FieldTest, EveryFieldThatTakesInputHasACase) {
  std::set<std::string> found = editable(&w.window);
  for (const int launcher : {1, 2, 3}) {
    choose("plan.launcher", launcher);
    const auto more = editable(&w.window);
    found.insert(more.begin(), more.end());
  }
  open_history();
  ASSERT_NE(open_tags(), nullptr);
  const auto tags = editable(&w.window);
  found.insert(tags.begin(), tags.end());
  ASSERT_NE(open_import(), nullptr);
  QMetaObject::invokeMethod(w.find<QAction>("action.help"), "trigger");
  const auto dialogs = editable(&w.window);
  found.insert(dialogs.begin(), dialogs.end());

  std::set<std::string> known(std::begin(words), std::end(words));
  for (const NumberCase& c : numbers) known.insert(c.name);
  for (const auto& [option, bad] : bad_options()) known.insert("plan.launcher." + option.substr(option.find('.') + 1));
  for (const auto& name : found) EXPECT_EQ(known.count(name), 1u) << "the field \"" << name << "\" has no case of bad input";
  for (const auto& name : known) EXPECT_EQ(found.count(name), 1u) << "no field is called \"" << name << '"';
}

// ---- Numbers ----

class NumberFields : public FieldTest, public ::testing::WithParamInterface<NumberCase> {
 protected:
  void SetUp() override {
    const NumberCase& c = GetParam();
    w.window.show_page(c.page);
    if (std::string_view(c.name) == "predict.traceRequests") {
      ASSERT_TRUE(w.window.open_path(QStringLiteral(KVCLIFF_TEST_DATA "/traces/mooncake_synthetic_trace.jsonl.zst")));
    }
    if (std::string_view(c.name) == "plan.concurrency") choose("plan.load", 1);
    if (std::string_view(c.name) == "plan.rate") choose("plan.load", 2);
    field = w.find<NumberField>(c.name);
    ASSERT_TRUE(field && field->isVisibleTo(&w.window));
    before = plan();
  }
  NumberField* field = nullptr;
  plan::Plan before;
};

TEST_P(NumberFields, WhatIsNoNumberIsSaidAndKeptAndChangesNothing) {
  const NumberCase& c = GetParam();
  const QString shown = field->text();
  std::vector<QString> bad{QString(), QStringLiteral("  "), QStringLiteral("many"), QStringLiteral("NaN"), QStringLiteral("inf"), QStringLiteral("-inf"), QStringLiteral("12 GiB"), QStringLiteral("5k"),
                           QStringLiteral("1,5"), QStringLiteral("--3"), QStringLiteral("0x10"), QStringLiteral("1e400"), QStringLiteral("1;2"), QString(300, QLatin1Char('9')), QString(4000, QLatin1Char('x')),
                           QLocale().toString(c.low - (c.whole ? 1 : 0.1), 'f', c.whole ? 0 : 1), QStringLiteral("-1000000000000"), QLocale().toString(c.high * 2 + 1, 'f', 0)};
  if (c.whole) bad.push_back(QStringLiteral("1.5"));
  for (const QString& text : bad) {
    paste(field, text);
    const std::string typed = text.left(30).toStdString();
    expect_said(field, c.fault, typed);
    EXPECT_TRUE(field->faulty()) << c.name << " \"" << typed << '"';
    EXPECT_EQ(plan(), before) << c.name << " \"" << typed << "\" changed the plan";
    EXPECT_LT(fault(c.fault).size(), 220) << "the sentence is one line or two, whatever was typed";
  }
  // The entry waits while something else is edited, and the rest of the page works.
  type(field, QStringLiteral("many"));
  auto* other = w.find<NumberField>(c.page == PredictIndex ? (std::string_view(c.name) == "predict.documents" ? "predict.rounds" : std::string_view(c.name) == "predict.traceRequests" ? "predict.tp" : "predict.documents")
                                                           : (std::string_view(c.name) == "plan.start_s" ? "plan.rounds" : "plan.start_s"));
  type(other, QStringLiteral("55"));
  EXPECT_NE(plan(), before) << "the rest of the page is usable";
  EXPECT_EQ(field->text(), QStringLiteral("many"));
  expect_said(field, c.fault, "many, and left");
  if (c.page == PlanIndex) {
    EXPECT_FALSE(w.find<QPushButton>("plan.start")->isEnabled());
  }
  w.window.document().undo().undo();
  EXPECT_EQ(field->text(), QStringLiteral("many"));
  // Esc takes it back; a number mends it.
  field->setFocus();
  QTest::keyClick(field, Qt::Key_Escape);
  EXPECT_EQ(field->text(), shown);
  EXPECT_FALSE(field->faulty());
  EXPECT_TRUE(fault(c.fault).isEmpty()) << fault(c.fault).toStdString();
  type(field, QStringLiteral("many"));
  type(field, QLocale().toString(c.good, 'f', c.whole ? 0 : 1));
  EXPECT_FALSE(field->faulty());
  EXPECT_FALSE(field->property("fault").toBool()) << field->accessibleDescription().toStdString();
  EXPECT_NE(plan(), before);
}

TEST_P(NumberFields, ItsLimitsAreTakenOrSaidAndTheWindowGoesOn) {
  const NumberCase& c = GetParam();
  for (const double value : {c.low, c.high}) {
    const QString text = QLocale().toString(value, 'f', c.whole ? 0 : 3);
    type(field, text);
    EXPECT_FALSE(field->faulty()) << text.toStdString() << ": " << field->fault().toStdString();
    for (int i = 0; i < 20; ++i) QCoreApplication::processEvents();
    if (!w.window.document().faults().empty() && c.page == PlanIndex) {
      EXPECT_FALSE(w.find<QPushButton>("plan.start")->isEnabled());
    }
    // Whatever was made of it, one step leads back.
    type(field, QLocale().toString(c.good, 'f', c.whole ? 0 : 1));
    EXPECT_TRUE(w.window.document().faults().empty()) << w.window.document().faults().front().what;
    while (w.window.document().undo().canUndo() && !(plan() == before)) w.window.document().undo().undo();
    EXPECT_EQ(plan(), before);
  }
}

TEST_P(NumberFields, AnotherPlanTakesTheEntryAway) {
  w.window.document().undo().setClean();
  type(field, QStringLiteral("many"));
  ASSERT_TRUE(w.window.open_path(resources() + QStringLiteral("/plans/reference.json")));
  EXPECT_FALSE(field->faulty());
  EXPECT_NE(field->text(), QStringLiteral("many"));
}

INSTANTIATE_TEST_SUITE_P(Each, NumberFields, ::testing::ValuesIn(numbers), [](const auto& c) { return ::testing::PrintToString(c.param); });

// ---- Words ----

TEST_F(FieldTest, AModelThatIsNotKnownIsSaidAndTheOldOneStays) {
  w.window.show_page(PredictIndex);
  auto* model = w.find<QComboBox>("predict.model");
  const plan::Plan before = plan();
  const QString shown = model->currentText();
  for (const QString& text : {QString(), QStringLiteral("no-such-model"), QStringLiteral("/no/such/config.json"), QString(3000, QLatin1Char('m')), QStringLiteral("llama; rm"), QStringLiteral("42")}) {
    paste(model->lineEdit(), text);
    QTest::keyClick(model->lineEdit(), Qt::Key_Return);
    expect_said(model, "predict.model.fault", text.left(20).toStdString());
    EXPECT_EQ(plan(), before);
    EXPECT_EQ(model->currentText(), text);
    type(w.find<NumberField>("predict.rounds"), QStringLiteral("9"));
    EXPECT_EQ(model->currentText(), text) << "the entry waits";
    expect_said(model, "predict.model.fault", text.left(20).toStdString());
    w.window.document().undo().undo();
  }
  type(model->lineEdit(), QStringLiteral("qwen3-1.7b"));
  QTest::keyClick(model->lineEdit(), Qt::Key_Return);
  EXPECT_EQ(plan().model.id, "Qwen/Qwen3-1.7B");
  EXPECT_TRUE(fault("predict.model.fault").isEmpty()) << fault("predict.model.fault").toStdString();
  // A folder with a config.json that is none: the file is named where the number would stand.
  ASSERT_TRUE(write_file(w.file("config.json").toStdString(), "{\"model_type\": 7"));
  type(model->lineEdit(), w.file("config.json"));
  QTest::keyClick(model->lineEdit(), Qt::Key_Return);
  EXPECT_TRUE(fault("predict.layout.fault").contains(QStringLiteral("config.json"))) << fault("predict.layout.fault").toStdString();
  w.window.document().undo().undo();
  w.window.document().undo().undo();
  EXPECT_EQ(model->currentText(), shown);
}

TEST_F(FieldTest, TheSliderStaysWithinWhatAPlanCanHave) {
  w.window.show_page(PredictIndex);
  auto* slider = w.find<QSlider>("predict.slider");
  for (const int value : {-100'000, 0, 1, 1'000'000}) {
    slider->setValue(value);
    EXPECT_GE(plan().workload.documents, 1);
    EXPECT_TRUE(w.window.document().faults().empty());
  }
}

TEST_F(FieldTest, TextsOfThePlanSayWhatIsWrong) {
  w.window.show_page(PlanIndex);
  ASSERT_TRUE(wait([&] { return plan_page->facts().facts() != nullptr; }));
  auto* name = w.find<QLineEdit>("plan.name");
  type(name, QStringLiteral("x"));
  QTest::keyClick(name, Qt::Key_Backspace);
  expect_said(name, "plan.name.fault", "");
  paste(name, QString(5000, QLatin1Char('n')));
  EXPECT_TRUE(fault("plan.name.fault").contains(QStringLiteral("200"))) << fault("plan.name.fault").toStdString();
  for (const QString& text : {QString(200, QLatin1Char('n')), QStringLiteral("../../etc/passwd"), QStringLiteral("a\tb \u202e \u00e4")}) {
    paste(name, text);
    EXPECT_TRUE(fault("plan.name.fault").isEmpty());
    const QString journal = RunController::default_journal(name->text());
    EXPECT_LT(QFileInfo(journal).fileName().size(), 120) << "a name is no path";
    EXPECT_FALSE(journal.contains(QStringLiteral("..")) && journal.contains(QStringLiteral("etc/passwd")));
  }
  type(name, QStringLiteral("fields"));

  auto* version = w.find<QLineEdit>("plan.version");
  for (const char* text : {"latest", "v", "0..1", "-1", "nan"}) {
    type(version, QString::fromLatin1(text));
    expect_said(version, "plan.version.fault", text);
    EXPECT_FALSE(w.find<QPushButton>("plan.start")->isEnabled());
  }
  for (const char* text : {"0.31.0", "v0.19.1rc2", ""}) {
    type(version, QString::fromLatin1(text));
    if (*text == 0) QTest::keyClick(version, Qt::Key_Backspace);
    EXPECT_TRUE(fault("plan.version.fault").isEmpty()) << text << ": " << fault("plan.version.fault").toStdString();
  }

  auto* environment = w.find<QLineEdit>("plan.environment");
  for (const QString& text : {QStringLiteral("/no/such/folder"), QStringLiteral("never-installed"), w.file("x")}) {
    type(environment, text);
    ASSERT_TRUE(wait([&] { return !fault("plan.environment.fault").isEmpty(); })) << text.toStdString();
    expect_said(environment, "plan.environment.fault", text.toStdString());
    EXPECT_EQ(environment->text(), text);
    EXPECT_FALSE(w.find<QPushButton>("plan.start")->isEnabled());
  }
  environment->clear();
  emit environment->textEdited(QString());
  EXPECT_TRUE(wait([&] { return fault("plan.environment.fault").isEmpty(); })) << fault("plan.environment.fault").toStdString();

  auto* arguments = w.find<QPlainTextEdit>("plan.arguments");
  arguments->setFocus();
  arguments->setPlainText(QStringLiteral("\n\n  --enforce-eager  \n\t\n--seed=3\n"));
  EXPECT_EQ(plan().engine.extra_args, (std::vector<std::string>{"--enforce-eager", "--seed=3"}));
  EXPECT_TRUE(arguments->toPlainText().startsWith(QStringLiteral("\n\n  --enforce-eager"))) << "what is typed stays as it was typed";
  arguments->setPlainText(QString());
  EXPECT_TRUE(plan().engine.extra_args.empty());
}

TEST_F(FieldTest, ThePlanFileSaysWhatIsNoPlanAndKeepsTheLastOne) {
  w.window.show_page(PlanIndex);
  w.find<QTabWidget>("plan.tabs")->setCurrentIndex(3);
  auto* file = w.find<QPlainTextEdit>("plan.file");
  const plan::Plan before = plan();
  file->setFocus();
  for (const char* text : {"", "{", "[]", "null", "3", "\"plan\"", "{\"schema\": 7}", "{\"schema\": \"kvcliff.plan/9\"}", "{\"schema\": \"kvcliff.plan/1\", \"workload\": {\"documents\": 1e99}}",
                           "{\"schema\": \"kvcliff.plan/1\", \"workload\": {\"documents\": \"six\"}}"}) {
    file->setPlainText(QString::fromLatin1(text));
    ASSERT_TRUE(wait([&] { return !fault("plan.file.fault").isEmpty(); }, 5000)) << text;
    expect_said(file, "plan.file.fault", text);
    EXPECT_EQ(plan(), before) << text;
    EXPECT_EQ(file->toPlainText(), QString::fromLatin1(text));
    EXPECT_FALSE(w.find<QPushButton>("plan.start")->isEnabled());
    file->setPlainText(QString::fromStdString(plan::to_json(before).dump(2)));
    ASSERT_TRUE(wait([&] { return fault("plan.file.fault").isEmpty(); }, 5000)) << fault("plan.file.fault").toStdString();
  }
}

TEST_F(FieldTest, OptionsOfLaunchersSayWhatIsWrongAndKeepTheRest) {
  w.window.show_page(PlanIndex);
  const char* const kinds[] = {"", "ssh", "container", "slurm"};
  for (int k = 1; k <= 3; ++k) {
    choose("plan.launcher", k);
    if (k == 1) type(w.find<QLineEdit>("plan.launcher.host"), QStringLiteral("gpu7"));
    if (k == 2) type(w.find<QLineEdit>("plan.launcher.image"), QStringLiteral("vllm:latest"));
    ASSERT_TRUE(w.window.document().faults().empty());
    for (const auto& [key, bad] : bad_options()) {
      if (key.rfind(std::string(kinds[k]) + '.', 0) != 0) continue;
      const std::string option = key.substr(key.find('.') + 1);
      auto* field = w.find<QLineEdit>(("plan.launcher." + option).c_str());
      const QString good = field->text();
      for (const QString& text : bad) {
        paste(field, text);
        expect_said(field, "plan.launcher.fault", key + " " + text.toStdString());
        EXPECT_EQ(field->text(), text);
        EXPECT_FALSE(w.find<QPushButton>("plan.start")->isEnabled());
        paste(field, good);
        EXPECT_TRUE(w.window.document().faults().empty()) << key;
        EXPECT_FALSE(field->property("fault").toBool());
      }
      // Blanks around a word are typing, not content.
      paste(field, QStringLiteral("  1  "));
      EXPECT_EQ(field->text(), QStringLiteral("  1  "));
      EXPECT_EQ(plan().launcher.options.at(option), "1");
      paste(field, good);
    }
  }
}

TEST_F(FieldTest, SearchesTakeAnythingAndSayThatNothingMatches) {
  open_history();
  w.window.show_page(HistoryIndex);
  auto* log = w.find<LogDock>("logDock");
  log->show();
  QMetaObject::invokeMethod(w.find<QAction>("action.help"), "trigger");
  for (const QString& text : {QStringLiteral("zzz-nothing"), QStringLiteral("[*(\\"), QStringLiteral("%_'\"; DROP TABLE"), QString(5000, QLatin1Char('q')), QStringLiteral("<b>x</b>")}) {
    const auto enter = [&](const char* name) {
      auto* f = w.find<QLineEdit>(name);
      f->setText(text);
    };
    enter("history.search");
    EXPECT_EQ(history->filter().rowCount(), 0);
    EXPECT_TRUE(w.find<QLabel>("history.nothing")->isVisibleTo(&w.window));
    EXPECT_TRUE(w.find<QLabel>("history.nothing")->text().contains(text.left(20)));
    enter("log.filter");
    EXPECT_TRUE(wait([&] { return w.find<QLabel>("log.count")->text().startsWith(QStringLiteral("0 of ")); }, 5000)) << w.find<QLabel>("log.count")->text().toStdString();
    enter("help.search");
    EXPECT_TRUE(w.find<QTextEdit>("help.text")->toPlainText().contains(QStringLiteral("Nothing matches")));
  }
  for (const QString& text : {QString(), QStringLiteral("   ")})
    for (const char* name : {"history.search", "log.filter", "help.search"}) w.find<QLineEdit>(name)->setText(text);
  EXPECT_EQ(history->filter().rowCount(), 1) << "blanks search for nothing";
  EXPECT_FALSE(w.find<QTextEdit>("help.text")->toPlainText().contains(QStringLiteral("Nothing matches")));
}

TEST_F(FieldTest, TagsTakeAnythingAndKeepWhatIsATag) {
  open_history();
  const std::pair<const char*, std::vector<std::string>> cases[] = {{" , ,, ", {}}, {"one,one, two ", {"one", "two"}}, {"<b>;'--", {"<b>;'--"}}, {"", {}}};
  for (const auto& c : cases) {
    const char* text = c.first;
    const std::vector<std::string> tags = c.second;
    QLineEdit* editor = open_tags();
    ASSERT_NE(editor, nullptr);
    editor->setText(QString::fromLatin1(text));
    QTest::keyClick(editor, Qt::Key_Return);
    ASSERT_TRUE(wait([&] { return w.find<HistoryTable>("history.table")->findChild<QLineEdit*>(QStringLiteral("history.tags.editor")) == nullptr; }));
    EXPECT_TRUE(wait([&] { return history->model().row(0).record.tags == tags; }, 10'000)) << text;
  }
  EXPECT_TRUE(history->strips().sentence(QStringLiteral("tags")).isEmpty());
}

TEST_F(FieldTest, AnImportNeedsAName) {
  open_history();
  QDialog* dialog = open_import();
  ASSERT_NE(dialog, nullptr);
  auto* name = dialog->findChild<QLineEdit*>(QStringLiteral("import.name"));
  EXPECT_EQ(name->text(), QStringLiteral("vllm bench serve, Qwen3-0.6B"));
  for (const QString& text : {QString(), QStringLiteral("   "), QString(1000, QLatin1Char('n'))}) {
    name->setText(text);
    expect_said(name, "import.name.fault", text.left(10).toStdString());
    EXPECT_FALSE(dialog->findChild<QPushButton*>(QStringLiteral("import.accept"))->isEnabled());
    EXPECT_EQ(name->text(), text);
  }
  name->setText(QStringLiteral("mine"));
  EXPECT_TRUE(fault("import.name.fault").isEmpty());
  EXPECT_TRUE(dialog->findChild<QPushButton*>(QStringLiteral("import.accept"))->isEnabled());
}

}  // namespace
}  // namespace kvcliff::ui::test
