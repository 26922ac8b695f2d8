// SPDX-License-Identifier: GPL-3.0-or-later
// The History page over journals of its own, driven by object names.
#include <QAbstractItemModelTester>
#include <QDialog>
#include <QDropEvent>
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QRadioButton>
#include <QTableView>

#include "base/file.h"
#include "journal/reader.h"
#include "support/data.h"
#include "ui/bridge/evidence.h"
#include "ui/models/history_diff.h"
#include "ui/pages/history_effect.h"
#include "ui/pages/history_table.h"
#include "ui/support/history.h"

namespace kvcliff::ui::test {
namespace {

TEST_F(HistoryTest, ListsRunsNewestFirstWithWhatCoreConcludes) {
  fill();
  open(journal);
  ASSERT_EQ(page->filter().rowCount(), 2);
  EXPECT_EQ(shown(0, HistoryModel::Run), QStringLiteral("E-0002"));
  EXPECT_EQ(shown(1, HistoryModel::Name), QStringLiteral("reference"));
  EXPECT_EQ(shown(1, HistoryModel::Reconciled), QStringLiteral("78 / 78"));
  EXPECT_EQ(shown(1, HistoryModel::VerdictColumn), QStringLiteral("helps"));
  EXPECT_TRUE(shown(1, HistoryModel::Ratio).startsWith(QStringLiteral("0.35"))) << shown(1, HistoryModel::Ratio).toStdString();
  EXPECT_EQ(shown(1, HistoryModel::WorkingSet), QStringLiteral("1.97 \u00d7")) << "6 documents of 126 blocks over 384";
  EXPECT_EQ(w.window.document().experiment(), 2) << "the newest run is shown on the other pages";
  // Tokens: 5 sessions, first visits computed, revisits loaded, hit or computed.
  const auto& s = model.row(page->filter().index(1, 0).data(HistoryModel::RowRole).toInt()).summary;
  EXPECT_EQ(*s.computed + *s.gpu_hit + *s.host_loaded + *s.unknown, 78 * 2003);
  EXPECT_EQ(s.unknown, 0);
}

TEST_F(HistoryTest, TheWholeVerdictOfARunIsWrittenOut) {
  fill();
  open(journal);
  const auto text = [&](const char* name) { return w.find<QLabel>(name)->text(); };
  EXPECT_EQ(text("history.verdict.title"), QStringLiteral("The host tier makes no difference.")) << "the run that the other pages show";
  auto* table = w.find<HistoryTable>("history.table");
  table->selectRow(1);
  EXPECT_EQ(text("history.verdict.title"), QStringLiteral("The host tier helps."));
  EXPECT_TRUE(text("history.verdict.sentence").contains(QStringLiteral("95 % interval 0.3"))) << text("history.verdict.sentence").toStdString();
  EXPECT_TRUE(text("history.verdict.gates").endsWith(QStringLiteral("all pass."))) << text("history.verdict.gates").toStdString();
  table->selectAll();
  EXPECT_FALSE(w.find<QWidget>("history.verdict")->isVisibleTo(page)) << "two runs have no one verdict";
  table->selectRow(1);
  w.find<QPushButton>("history.verdict.open")->click();
  EXPECT_EQ(w.window.current_page(), int(DecideIndex));
  EXPECT_EQ(w.window.document().experiment(), 1);
}

TEST_F(HistoryTest, AWithdrawnRunNamesItsGates) {
  kvcliff::test::HonestRun lying;
  lying.request(1, 0, 2).loaded_bytes = Bytes(7);
  kvcliff::test::write_run(journal.toStdString(), lying.in, "dddddddddddddddd", start);
  open(journal);
  EXPECT_EQ(w.find<QLabel>("history.verdict.title")->text(), QStringLiteral("Withdrawn: no claim from this run."));
  EXPECT_TRUE(w.find<QLabel>("history.verdict.gates")->text().contains(QStringLiteral("R3: "))) << w.find<QLabel>("history.verdict.gates")->text().toStdString();
}

TEST_F(HistoryTest, ModelsKeepTheRulesOfModels) {
  QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  QAbstractItemModelTester filtered(&page->filter(), QAbstractItemModelTester::FailureReportingMode::Fatal);
  QAbstractItemModelTester differences(&page->difference(), QAbstractItemModelTester::FailureReportingMode::Fatal);
  fill();
  open(journal);
  model.setData(model.index(0, HistoryModel::Run), Qt::Checked, Qt::CheckStateRole);
  model.setData(model.index(1, HistoryModel::Run), Qt::Checked, Qt::CheckStateRole);
  page->open_journal(journal);
  EXPECT_TRUE(wait([&] { return model.rowCount() == 2; }));
  page->filter().set_text(QStringLiteral("1.7b"));
  page->filter().set_text({});
  model.remove_journal(journal);
  EXPECT_EQ(model.rowCount(), 0);
}

TEST_F(HistoryTest, SearchNeedsAllWordsAndSaysWhenNothingMatches) {
  fill();
  open(journal);
  auto* search = w.find<QLineEdit>("history.search");
  type(search, QStringLiteral("helps demo"));
  ASSERT_EQ(page->filter().rowCount(), 1);
  EXPECT_EQ(shown(0, HistoryModel::Name), QStringLiteral("reference"));
  type(search, QStringLiteral("bbbbbb"));
  EXPECT_EQ(page->filter().rowCount(), 1);
  type(search, QStringLiteral("h200"));
  EXPECT_EQ(page->filter().rowCount(), 0);
  EXPECT_EQ(w.find<QLabel>("history.nothing")->text(), QStringLiteral("No run matches \u201ch200\u201d."));
  w.find<QPushButton>("history.clear")->click();
  EXPECT_EQ(page->filter().rowCount(), 2);
}

TEST_F(HistoryTest, SortsByNumbersAndPutsUnknownLast) {
  fill();
  kvcliff::test::HonestRun running;
  running.in.sessions.clear();
  kvcliff::test::write_run(journal.toStdString(), running.in, "cccccccccccccccc", start + 2 * day);
  open(journal);
  auto* table = w.find<QTableView>("history.table");
  table->sortByColumn(HistoryModel::Ratio, Qt::AscendingOrder);
  EXPECT_EQ(shown(0, HistoryModel::VerdictColumn), QStringLiteral("helps"));
  EXPECT_EQ(shown(2, HistoryModel::Run), QStringLiteral("E-0003"));
  table->sortByColumn(HistoryModel::Ratio, Qt::DescendingOrder);
  EXPECT_EQ(shown(0, HistoryModel::VerdictColumn), QStringLiteral("no effect"));
  EXPECT_EQ(shown(2, HistoryModel::Run), QStringLiteral("E-0003"));
}

TEST_F(HistoryTest, ComparesTwoWithTheDifferingSettingsFirst) {
  fill();
  open(journal);
  auto* table = w.find<QTableView>("history.table");
  EXPECT_FALSE(w.find<QPushButton>("history.compare")->isEnabled());
  for (int row = 0; row < 2; ++row) {
    table->setCurrentIndex(page->filter().index(row, 0));
    QTest::keyClick(table, Qt::Key_Space);
  }
  EXPECT_EQ(w.find<QPushButton>("history.compare")->text(), QStringLiteral("Compare 2"));
  EXPECT_TRUE(w.find<QWidget>("history.comparison")->isVisible());
  HistoryDiff& d = page->difference();
  EXPECT_EQ(d.columnCount(), 3);
  EXPECT_TRUE(d.other_model());
  EXPECT_TRUE(w.find<QWidget>("history.other")->isVisible());
  EXPECT_GT(d.differing(), 0);
  EXPECT_GT(d.settings(), d.differing());
  for (int i = 0; i < d.rowCount(); ++i) EXPECT_EQ(d.index(i, 0).data(HistoryDiff::DiffersRole).toBool(), i < d.differing()) << i;
  EXPECT_TRUE(d.text(QLatin1Char(',')).contains(QStringLiteral("model.id,")));
  EXPECT_TRUE(w.find<HistoryEffect>("history.effect")->accessibleDescription().contains(QStringLiteral("E-0001 0.35")));
  w.picture("history-compare-light");
  w.window.theme().set_mode(ThemeMode::Dark);
  w.picture("history-compare-dark");
  w.window.theme().set_mode(ThemeMode::System);
}

TEST_F(HistoryTest, DeletedRunsComeBackWithEverything) {
  fill();
  open(journal);
  const auto before = journal::Reader::open(journal.toStdString())->requests(1, journal::Depth::details);
  int row = model.row(0).record.uid == "aaaaaaaaaaaaaaaa" ? 0 : 1;
  page->delete_rows({row});
  ASSERT_TRUE(wait([&] { return model.rowCount() == 1 && page->strips().sentence(QStringLiteral("delete")).contains(QStringLiteral("1 experiment")); }));
  EXPECT_EQ(journal::Reader::open(journal.toStdString())->experiments()->size(), 1u);
  QPushButton* undo = nullptr;
  ASSERT_TRUE(wait([&] {
    for (QPushButton* b : page->strips().findChildren<QPushButton*>())
      if (b->text() == QStringLiteral("Undo") && b->isVisible()) undo = b;
    return undo != nullptr;
  }));
  undo->click();
  ASSERT_TRUE(wait([&] { return model.rowCount() == 2; }));
  const auto reader = journal::Reader::open(journal.toStdString());
  const auto back = reader->experiment("aaaaaaaaaaaaaaaa");
  ASSERT_TRUE(back);
  const auto sessions = reader->sessions(back->id);
  ASSERT_EQ(sessions->size(), 5u);
  const auto after = reader->requests(sessions->front().id, journal::Depth::details);
  ASSERT_EQ(after->size(), before->size());
  EXPECT_EQ((*after)[3].stream, (*before)[3].stream);
}

TEST_F(HistoryTest, TagsAreWrittenIntoTheJournal) {
  fill();
  open(journal);
  ASSERT_TRUE(model.setData(model.index(0, HistoryModel::Tags), QStringLiteral("h200, review, h200"), Qt::EditRole));
  const std::string uid = model.row(0).record.uid;
  EXPECT_TRUE(wait([&] { return journal::Reader::open(journal.toStdString())->experiment(uid)->tags == std::vector<std::string>{"h200", "review"}; }));
}

TEST_F(HistoryTest, ABundleIsExportedAndImportedElsewhere) {
  fill();
  open(journal);
  int row = model.row(0).record.uid == "aaaaaaaaaaaaaaaa" ? 0 : 1;
  const QString bundle = w.file("one.kvcliff");
  page->export_to({row}, bundle);
  ASSERT_TRUE(wait([&] { return page->strips().sentence(QStringLiteral("export")).contains(QStringLiteral("SHA-256")); }));
  page->import_file(bundle);
  EXPECT_TRUE(wait([&] { return page->strips().sentence(QStringLiteral("import")).contains(QStringLiteral("were there already")); }));
  page->delete_rows({row});
  ASSERT_TRUE(wait([&] { return model.rowCount() == 1; }));
  page->import_file(bundle);
  EXPECT_TRUE(wait([&] { return model.rowCount() == 2; }));
}

TEST_F(HistoryTest, FilesThatAreNoJournalAreSaidAndLeftAlone) {
  const std::pair<const char*, const char*> cases[] = {{"085-journal-file-damaged/notadb.db", "not a journal"},
                                                       {"085-journal-file-damaged/half.db", "damaged"},
                                                       {"086-journal-from-newer-version/foreign.db", "not a journal of this program"}};
  for (const auto& [file, words] : cases) {
    const QString path = w.file(QFileInfo(QString::fromLatin1(file)).fileName().toLatin1().constData());
    ASSERT_TRUE(write_file(path.toStdString(), kvcliff::test::read_file_bytes(std::string("cases/") + file)));
    const QString before = bytes(path);
    page->open_journal(path);
    ASSERT_TRUE(wait([&] { return !page->strips().sentence(QStringLiteral("journal.") + path).isEmpty(); })) << file;
    const QString said = page->strips().sentence(QStringLiteral("journal.") + path);
    EXPECT_TRUE(said.contains(QString::fromLatin1(words)) || said.contains(QStringLiteral("not a journal of this program"))) << said.toStdString();
    EXPECT_EQ(bytes(path), before) << file;
    EXPECT_EQ(model.rowCount(), 0);
  }
  const QString zero = w.file("zero.db");
  ASSERT_TRUE(write_file(zero.toStdString(), ""));
  page->open_journal(zero);
  EXPECT_TRUE(wait([&] { return page->strips().sentence(QStringLiteral("journal.") + zero).contains(QStringLiteral("new journal")); }));
}

TEST_F(HistoryTest, AJournalOfANewerSchemaIsShownOnRequestOnly) {
  fill();
  // user_version: bytes 60 to 63 of the file's head.
  auto text = *read_file(journal.toStdString());
  text[62] = 0x27, text[63] = 0x0F;
  const QString newer = w.file("newer.kvcliff");
  ASSERT_TRUE(write_file(newer.toStdString(), text));
  const QString before = bytes(newer);
  page->open_journal(newer);
  ASSERT_TRUE(wait([&] { return page->strips().sentence(QStringLiteral("journal.") + newer).contains(QStringLiteral("9999")); }));
  EXPECT_EQ(model.rowCount(), 0);
  page->open_journal(newer, true);
  ASSERT_TRUE(wait([&] { return model.rowCount() == 2; }));
  EXPECT_FALSE(model.flags(model.index(0, HistoryModel::Tags)).testFlag(Qt::ItemIsEditable));
  EXPECT_EQ(bytes(newer), before);
}

// In the shape that each tool writes.
const std::pair<const char*, const char*> foreign[] = {
    {"vllm.json", R"({"date":"20261130-101500","model_id":"/models/Qwen3-0.6B","max_concurrency":2,"input_lens":[2003,2003],"output_lens":[3,2],"ttfts":[0.083,0.031],"itls":[[0.003,0.004],[0.005]],"errors":["",""]})"},
    {"profile_export.jsonl",
     R"({"metadata":{"x_request_id":"r1","request_start_ns":1796119291000000000},"metrics":{"time_to_first_token":{"value":120.5,"unit":"ms"},"input_sequence_length":{"value":1024,"unit":"tokens"}},"error":null})" "\n"
     R"({"metadata":{"x_request_id":"r2","request_start_ns":1796119292000000000},"metrics":{"time_to_first_token":250.0},"error":null})" "\n"},
    {"benchmarks.json", R"({"benchmarks":[{"args":{"model":"m"},"requests":{"successful":[{"request_id":"b","prompt_tokens":256,"output_tokens":128,"start_time":1796119292.0,"end_time":1796119293.5,"time_to_first_token_ms":55.5},{"request_id":"a","prompt_tokens":256,"output_tokens":128,"start_time":1796119291.0,"end_time":1796119292.5,"time_to_first_token_ms":50.5}],"incomplete":[],"errored":[]}}]})"},
    {"per_request.json", R"([{"start_time":100.0,"end_time":101.5,"info":{"input_tokens":591,"output_tokens":3,"output_token_times":[100.25,100.5,101.0]},"error":null},{"start_time":100.5,"end_time":102.0,"info":{"input_tokens":320,"output_tokens":2,"output_token_times":[101.0,101.5]},"error":null}])"}};

TEST_F(HistoryTest, ResultsOfOtherToolsAreDroppedIntoTheJournal) {
  fill();
  open(journal);
  int rows = 2;
  for (const auto& [name, text] : foreign) {
    ASSERT_TRUE(write_file(w.file(name).toStdString(), text));
    // As a drop does it, from another page.
    w.window.show_page(PredictIndex);
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(w.file(name))});
    QDragEnterEvent enter(QPoint(200, 200), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&w.window, &enter);
    ASSERT_TRUE(enter.isAccepted());
    QDropEvent drop(QPointF(200, 200), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&w.window, &drop);
    EXPECT_EQ(w.window.current_page(), int(HistoryIndex)) << name;
    QDialog* dialog = nullptr;
    ASSERT_TRUE(wait([&] { return (dialog = page->findChild<QDialog*>(QStringLiteral("import"))) != nullptr; })) << name << ": " << page->strips().sentence(QStringLiteral("import")).toStdString();
    EXPECT_TRUE(dialog->findChild<QLabel*>(QStringLiteral("import.title"))->text().startsWith(QStringLiteral("2 requests measured by")));
    dialog->findChild<QRadioButton*>(QStringLiteral("import.on"))->click();
    dialog->findChild<QLineEdit*>(QStringLiteral("import.name"))->setText(QString::fromLatin1(name));
    dialog->findChild<QPushButton*>(QStringLiteral("import.accept"))->click();
    ++rows;
    ASSERT_TRUE(wait([&] { return model.rowCount() == rows; })) << name << ": " << page->strips().sentence(QStringLiteral("import")).toStdString();
    EXPECT_TRUE(page->strips().sentence(QStringLiteral("import")).contains(QStringLiteral("2 requests of")));
    ASSERT_TRUE(wait([&] { return page->findChild<QDialog*>(QStringLiteral("import")) == nullptr; }));
  }
  const auto reader = journal::Reader::open(journal.toStdString());
  const auto all = reader->experiments();
  ASSERT_EQ(all->size(), 6u);
  int imported = 0;
  for (const auto& e : *all) {
    if (e.tags != std::vector<std::string>{"imported"}) continue;
    ++imported;
    EXPECT_EQ(reader->sessions(e.id)->front().arm, "on");
    EXPECT_EQ(reader->request_count(reader->sessions(e.id)->front().id)->measured, 2);
  }
  EXPECT_EQ(imported, 4);
  // A path is no name for a reader: the list shows its end, the tooltip and the copied table all of it.
  for (int i = 0; i < page->filter().rowCount(); ++i) {
    const QModelIndex cell = page->filter().index(i, HistoryModel::Model);
    if (cell.data().toString() != QStringLiteral("Qwen3-0.6B")) continue;
    EXPECT_EQ(cell.data(Qt::ToolTipRole).toString(), QStringLiteral("/models/Qwen3-0.6B"));
    EXPECT_TRUE(page->copy_text(true).contains(QStringLiteral("/models/Qwen3-0.6B")));
    ++imported;
  }
  EXPECT_EQ(imported, 5);
}

TEST_F(HistoryTest, AnImportedResultIsOpenedInEveryPageAndClaimsNothing) {
  ASSERT_TRUE(write_file(w.file("vllm.json").toStdString(), foreign[0].second));
  page->import_file(w.file("vllm.json"));  // no journal is open: it gets one of its own
  QDialog* dialog = nullptr;
  ASSERT_TRUE(wait([&] { return (dialog = page->findChild<QDialog*>(QStringLiteral("import"))) != nullptr; }));
  dialog->findChild<QPushButton*>(QStringLiteral("import.accept"))->click();
  ASSERT_TRUE(wait([&] { return w.window.document().experiment() != 0; })) << page->strips().sentence(QStringLiteral("import")).toStdString();
  EXPECT_TRUE(w.window.document().journal().contains(QStringLiteral("imported-")));
  ASSERT_TRUE(wait([&] { return w.window.evidence().judged() != nullptr; })) << w.window.evidence().error().toStdString();
  EXPECT_NE(w.window.evidence().judged()->evaluation.decision.verdict, analysis::Verdict::helps);
  for (const int i : {RunIndex, ReconcileIndex, DecideIndex}) {
    w.window.show_page(i);
    EXPECT_EQ(w.window.current_page(), i);
    QCoreApplication::processEvents();
  }
}

TEST_F(HistoryTest, WhatCannotBeImportedIsSaidAndChangesNothing) {
  fill();
  open(journal);
  const QString before = bytes(journal);
  const std::pair<const char*, const char*> cases[] = {{"", "empty"},
                                                       {"{\"ttfts\": [0.1], \"input_lens\": [1, 2]}", "differ in length"},
                                                       {"{\"mean_ttft_ms\": 12}", "--save-detailed"},
                                                       {"{\"benchmarks\": []}", "no benchmark"},
                                                       {"[1, 2]", "can be imported"},
                                                       {"not json at all", "can be imported"},
                                                       {"\x1f\x8b\x08garbage", "unpacked"}};
  for (const auto& [text, words] : cases) {
    const QString path = w.file("result.json");
    ASSERT_TRUE(write_file(path.toStdString(), text));
    page->strips().resolve(QStringLiteral("import"));
    page->import_file(path);
    ASSERT_TRUE(wait([&] { return !page->strips().sentence(QStringLiteral("import")).isEmpty(); })) << text;
    EXPECT_TRUE(page->strips().sentence(QStringLiteral("import")).contains(QString::fromLatin1(words), Qt::CaseInsensitive)) << text << ": " << page->strips().sentence(QStringLiteral("import")).toStdString();
    EXPECT_EQ(page->findChild<QDialog*>(QStringLiteral("import")), nullptr);
  }
  for (const QString& path : {w.file("absent.json"), w.folder.path(), QStringLiteral("/dev/null")}) {
    page->strips().resolve(QStringLiteral("import"));
    page->import_file(path);
    EXPECT_TRUE(wait([&] { return !page->strips().sentence(QStringLiteral("import")).isEmpty(); })) << path.toStdString();
  }
  EXPECT_EQ(bytes(journal), before);
  EXPECT_EQ(model.rowCount(), 2);
}

TEST_F(HistoryTest, WithoutAJournalTheFirstStepIsOffered) {
  auto* sentence = page->findChild<QLabel*>(QStringLiteral("empty.sentence"));
  ASSERT_NE(sentence, nullptr);
  EXPECT_TRUE(sentence->text().contains(QStringLiteral("No journal is open")));
  EXPECT_TRUE(page->findChild<QPushButton*>(QStringLiteral("empty.action"))->isVisible());
}

TEST_F(HistoryTest, EveryWidgetHasAName) {
  fill();
  open(journal);
  EXPECT_EQ(without_name(page).join(QStringLiteral(", ")).toStdString(), "");
}

}  // namespace
}  // namespace kvcliff::ui::test
