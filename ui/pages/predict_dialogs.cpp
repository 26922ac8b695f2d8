// SPDX-License-Identifier: GPL-3.0-or-later
// What stands behind a number of Predict: factors and rules in tables of their own, and scenarios kept beside.
#include <QApplication>
#include <QClipboard>
#include <QDialog>
#include <QDialogButtonBox>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>

#include "cache/predict.h"
#include "ui/bridge/document.h"
#include "ui/bridge/model_sizes.h"
#include "ui/charts/cliff_chart.h"
#include "ui/models/table_text.h"
#include "ui/pages/predict_page.h"
#include "ui/theme/numbers.h"
#include "ui/theme/plain_text.h"
#include "ui/widgets/card.h"

namespace kvcliff::ui {
namespace {

// A read-only table of text in a window of its own that does not block; it can be copied and saved.
void show_table(PredictPage* parent, const char* name, const QString& title, const QString& sentence, const QStringList& head,
                const QVector<QStringList>& rows) {
  auto* dialog = new QDialog(parent);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setObjectName(QLatin1String(name));
  dialog->setWindowTitle(title);
  dialog->resize(680, 420);
  auto* column = new QVBoxLayout(dialog);
  auto* words = new QLabel(sentence, dialog);
  words->setWordWrap(true);
  words->setTextInteractionFlags(Qt::TextSelectableByMouse);
  column->addWidget(words);
  auto* table = new QTableWidget(int(rows.size()), int(head.size()), dialog);
  table->setHorizontalHeaderLabels(head);
  table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table->setSelectionBehavior(QAbstractItemView::SelectRows);
  table->setWordWrap(true);
  table->verticalHeader()->setVisible(false);
  table->setShowGrid(false);
  table->setAccessibleName(title);
  for (int r = 0; r < rows.size(); ++r)
    for (int c = 0; c < head.size(); ++c) {
      auto* item = new QTableWidgetItem(shown(rows[r].value(c)));
      if (c == 1) item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
      table->setItem(r, c, item);
    }
  table->horizontalHeader()->setStretchLastSection(true);
  table->resizeColumnsToContents();
  column->addWidget(table, 1);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, dialog);
  QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::close);
  const auto add = [&](const QString& text, const char* part, const QString& tip) {
    QPushButton* b = buttons->addButton(text, QDialogButtonBox::ActionRole);
    b->setObjectName(QLatin1String(name) + QLatin1Char('.') + QLatin1String(part));
    b->setToolTip(tip);
    return b;
  };
  QObject::connect(add(PredictPage::tr("Copy"), "copy", PredictPage::tr("The table as text")), &QPushButton::clicked, table,
                   [table] { QApplication::clipboard()->setText(table_text(*table->model(), QLatin1Char('\t'))); });
  QObject::connect(add(PredictPage::tr("Copy as CSV"), "csv", PredictPage::tr("The table with commas, for a spreadsheet")), &QPushButton::clicked, table,
                   [table] { QApplication::clipboard()->setText(table_text(*table->model(), QLatin1Char(','))); });
  QObject::connect(add(PredictPage::tr("Export\u2026"), "export", PredictPage::tr("Writes the table as a CSV file")), &QPushButton::clicked, parent, [parent, table, title] { parent->export_table(title, table_text(*table->model(), QLatin1Char(','))); });
  column->addWidget(buttons);
  dialog->show();
}

QString json_text(const Json& j) {
  if (j.is_number_integer()) return exact(j.get<qint64>());
  if (j.is_string()) return QString::fromStdString(j.get<std::string>());
  return QString::fromStdString(j.dump());
}

}  // namespace

void PredictPage::show_derivation() {
  const PredictionState& s = prediction_.state();
  if (!s.layout) {
    strips().show_message({QStringLiteral("derivation"), StripMessage::Level::Caution, tr("Unknown"), s.layout_why, {}, {}});
    return;
  }
  QVector<QStringList> rows;
  for (const auto& f : s.layout->derivation)
    rows.append(QStringList{QString::fromStdString(f.factor), json_text(f.value), QString::fromStdString(f.from)});
  show_table(this, "predict.derivation", tr("KV bytes per token of %1").arg(QString::fromStdString(s.layout->model)),
             tr("%1 bytes per token, whole model; %2 per rank; %3 over all ranks, copies counted. One block of %4 tokens takes %5 bytes.")
                 .arg(exact(s.layout->bytes_per_token), exact(s.layout->bytes_per_token_per_rank), exact(s.layout->bytes_per_token_all_ranks))
                 .arg(s.layout->block_size)
                 .arg(exact(block_bytes())),
             {tr("factor"), tr("value"), tr("where it comes from")}, rows);
}

void PredictPage::show_explanation() {
  const PredictionState& s = prediction_.state();
  const double f = document_blocks();
  QVector<QStringList> rows;
  const auto add = [&](const QString& what, const QString& value, const QString& why) { rows.append({what, value, why}); };
  const auto& p = document().plan();
  add(tr("full blocks of a document"), exact(qint64(f)), tr("only full blocks are cached: floor(%1 / %2)").arg(exact(p.workload.tokens)).arg(p.capacity.block_size));
  add(tr("tokens always computed"), exact(p.workload.tokens % p.capacity.block_size), tr("the partial tail block is never cached; the last token is always run"));
  add(tr("usable GPU blocks"), exact(s.config.gpu_blocks), tr("%1 allocated, one is the null block").arg(exact(p.capacity.gpu_blocks)));
  add(tr("host blocks"), exact(s.config.host_chunks * s.config.blocks_per_chunk), tr("floor(%1 bytes / bytes of a chunk over all ranks, rounded up to 4,096)").arg(exact(p.capacity.host_bytes)));
  add(tr("working set"), exact(qint64(working_set())), tr("distinct prompt blocks that are revisited"));
  add(tr("GPU edge"), tr("%1 to %2").arg(exact(s.config.gpu_blocks), exact(qint64(double(s.config.gpu_blocks) + f))),
      tr("LRU, tail of a document first: in cyclic order hits fall from all to none over one document"));
  add(tr("host edge"), tr("%1 to %2").arg(exact(s.config.host_chunks), exact(qint64(double(s.config.host_chunks) + f))), rule_note_->text());
  add(tr("rule seen live"), QString(), QString::fromStdString(cache::verified(s.config)));
  show_table(this, "predict.explanation", tr("Why the curve is what it is"), sentence_->text() + QLatin1Char(' ') + sentence_detail_->text(),
             {tr("what"), tr("blocks or tokens"), tr("rule")}, rows);
}

// The capacities that a real server stated become the scenario, as one step that can be undone.
void PredictPage::show_log(const ServerLogRead& log) {
  const QString name = QFileInfo(log.file).fileName();
  const auto say = [&](const char* id, StripMessage::Level level, const QString& word, const QString& sentence) { strips().show_message({QLatin1String(id), level, word, sentence, {}, {}}); };
  for (const char* id : {"log", "log.cause"}) strips().resolve(QLatin1String(id));
  if (!log.error.isEmpty()) return say("log", StripMessage::Level::Fail, tr("Not read"), log.error);
  if (!log.cause.isEmpty()) say("log.cause", StripMessage::Level::Fail, tr("The engine failed"), QStringLiteral("%1. %2.").arg(log.cause, log.next));
  QStringList taken, left;
  const plan::Plan seen = with_log_facts(document().plan(), log.facts, prediction_.catalogue(), &taken, &left);
  if (log.facts.engine.empty()) return say("log", StripMessage::Level::Caution, tr("Nothing taken"), tr("Nothing in %1 is of an engine that is known here. A log of vLLM's start states its capacities.").arg(name));
  if (log.cut) left << tr("only the first 64 MiB were read");
  edit(tr("server log %1").arg(button_text(name)), 0, [&](plan::Plan& p) { p = seen; });
  if (taken.isEmpty()) return say("log", StripMessage::Level::Caution, tr("Nothing taken"), tr("%1: %2.").arg(name, left.join(QStringLiteral("; "))));
  say("log", StripMessage::Level::Info, tr("From the log"), left.isEmpty() ? tr("%1: %2.").arg(name, taken.join(QStringLiteral(", "))) : tr("%1: %2. But %3.").arg(name, taken.join(QStringLiteral(", ")), left.join(QStringLiteral("; "))));
}

void PredictPage::keep_scenario() {
  kept_cell_->setVisible(true);
  const auto& p = document().plan();
  const QString name = tr("%1 \u00b7 %2 docs \u00b7 GPU %3 \u00b7 host %4")
                           .arg(model_words(p.model), exact(p.workload.documents), exact(prediction_.state().config.gpu_blocks), exact(prediction_.state().config.host_chunks));
  auto* row = new QHBoxLayout;
  auto* back = new QPushButton(button_text(name));
  back->setProperty("flat", true);
  back->setObjectName(QStringLiteral("predict.kept"));
  back->setToolTip(tr("Back to this scenario"));
  connect(back, &QPushButton::clicked, this, [this, p] { document().edit_plan(p, tr("kept scenario")); });
  row->addWidget(back, 1);
  row->addWidget(new QLabel(chart_->reading()));
  kept_rows_->addLayout(row);
}

}  // namespace kvcliff::ui
