// SPDX-License-Identifier: GPL-3.0-or-later
// Journals that are read again, and what History takes from a journal rather than from other files.
#include <QLineEdit>
#include <QPointer>

#include "base/file.h"
#include "journal/bundle.h"
#include "journal/reader.h"
#include "journal/writer.h"
#include "ui/bridge/evidence.h"
#include "ui/pages/history_table.h"
#include "ui/pages/run_page.h"
#include "ui/support/history.h"

namespace kvcliff::ui::test {
namespace {

using HistoryReload = HistoryTest;

TEST_F(HistoryReload, ARunKeepsTheModelThatItsJournalHoldsWhateverLiesAtThePathOfItsPlan) {
  const auto config = [](int layers) {
    return Json{{"architectures", {"Qwen3ForCausalLM"}}, {"model_type", "qwen3"}, {"num_hidden_layers", layers}, {"num_attention_heads", 16}, {"num_key_value_heads", 8},
                {"head_dim", 128}, {"hidden_size", 1024}, {"torch_dtype", "bfloat16"}};
  };
  constexpr std::int64_t bytes_then = 114'688;  // 28 layers x 2 x 8 heads x 128 x 2 bytes
  kvcliff::test::HonestRun run;
  run.in.plan.model.config = w.file("config.json").toStdString();
  run.in.plan.model.id.clear();
  ASSERT_TRUE(write_file(run.in.plan.model.config, config(36).dump()));  // another model came to lie there
  kvcliff::test::write_run(journal.toStdString(), run.in, "aaaaaaaaaaaaaaaa", start);
  {
    auto e = *journal::Reader::open(journal.toStdString())->experiment("1");
    e.host["model"] = {{"kv_bytes_per_token", {{"off", bytes_then}, {"on", bytes_then}, {"control", bytes_then}}}, {"config", config(28)}};
    auto writer = journal::Writer::open(journal.toStdString());
    ASSERT_TRUE(writer);
    (*writer)->put(e);
    ASSERT_TRUE((*writer)->flush());
  }
  const plan::Plan before = w.window.document().plan();
  open(journal);
  EXPECT_EQ(model.row(0).summary.bytes_per_token, bytes_then);
  ASSERT_TRUE(wait([&] { return w.window.evidence().judged() != nullptr; })) << w.window.evidence().error().toStdString();
  EXPECT_EQ(w.window.evidence().judged()->input.sessions.front().kv.bytes_per_token, bytes_then);
  auto* run_page = static_cast<RunPage*>(w.window.page(RunIndex));
  ASSERT_TRUE(wait([&] { return run_page->shown() != nullptr; }));
  EXPECT_EQ(run_page->shown()->block_bytes, bytes_then * 16);
  EXPECT_GT(run_page->shown()->requests.front().predicted_ttft_ns, 0) << run_page->shown()->ttft_origin.toStdString();
  EXPECT_EQ(w.window.document().plan(), before) << "Predict and Plan stay with the plan of their own";
  // Nor does the file have to be there.
  ASSERT_TRUE(QFile::remove(w.file("config.json")));
  page->open_journal(journal);
  w.window.evidence().reload();
  ASSERT_TRUE(wait([&] { return !w.window.evidence().loading() && w.window.evidence().judged(); }));
  EXPECT_EQ(w.window.evidence().judged()->input.sessions.front().kv.bytes_per_token, bytes_then);
}

TEST_F(HistoryReload, AnOpenTagEditorKeepsItsTextWhileTheJournalIsReadAgain) {
  fill();
  open(journal);
  auto* table = w.find<HistoryTable>("history.table");
  const QModelIndex cell = page->filter().index(1, HistoryModel::Tags);
  const std::string uid = model.row(cell.data(HistoryModel::RowRole).toInt()).record.uid;
  table->setCurrentIndex(cell);
  table->edit(cell);
  auto* editor = w.find<QLineEdit>("history.tags.editor");
  ASSERT_NE(editor, nullptr);
  QTest::keyClicks(editor, QStringLiteral(", half"));
  const QString typed = editor->text();
  // Read again while it is open: a run was added, and another one is judged anew.
  kvcliff::test::HonestRun more({.ratio = 0.5});
  kvcliff::test::write_run(journal.toStdString(), more.in, "eeeeeeeeeeeeeeee", start + 3 * day);
  page->open_journal(journal);
  ASSERT_TRUE(wait([&] { return model.rowCount() == 3 && std::all_of(model.rows().begin(), model.rows().end(), [](const auto& r) { return r.summary.ready; }); }));
  QPointer<QLineEdit> still = table->findChild<QLineEdit*>(QStringLiteral("history.tags.editor"));
  ASSERT_FALSE(still.isNull()) << "the editor was closed";
  EXPECT_EQ(still, editor);
  EXPECT_EQ(still->text(), typed);
  QTest::keyClicks(still, QStringLiteral("way"));
  QTest::keyClick(still, Qt::Key_Return);
  EXPECT_TRUE(wait([&] { return journal::Reader::open(journal.toStdString())->experiment(uid)->tags.back() == "halfway"; })) << "and is about the run it was opened on";
}

TEST_F(HistoryReload, ARunThatIsGoneFromTheFileIsGoneFromTheList) {
  fill();
  open(journal);
  ASSERT_TRUE(journal::delete_experiments(journal.toStdString(), {1}, {}));
  page->open_journal(journal);
  ASSERT_TRUE(wait([&] { return model.rowCount() == 1; }));
  EXPECT_EQ(model.row(0).record.uid, "bbbbbbbbbbbbbbbb");
}

}  // namespace
}  // namespace kvcliff::ui::test
