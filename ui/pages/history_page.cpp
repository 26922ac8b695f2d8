// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/history_page.h"

#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QItemSelectionModel>
#include <QLineEdit>
#include <QPushButton>
#include <QStackedWidget>

#include "ui/bridge/document.h"
#include "ui/bridge/run_controller.h"
#include "ui/main_window.h"
#include "ui/models/history_diff.h"
#include "ui/models/history_model.h"
#include "ui/models/table_text.h"
#include "ui/pages/history_effect.h"
#include "ui/pages/history_table.h"
#include "ui/pages/history_verdict.h"
#include "ui/pages/import_dialog.h"
#include "ui/pages/start_page.h"
#include "ui/theme/numbers.h"
#include "ui/widgets/card.h"
#include "ui/widgets/segments.h"

namespace kvcliff::ui {
namespace {

QString import_filter() { return HistoryPage::tr("Journals and results (*.kvcliff *.db *.sqlite *.json *.jsonl *.gz *.zst);;All files (*)"); }
QString journals_filter() { return HistoryPage::tr("Journals (*.kvcliff *.db *.sqlite);;All files (*)"); }

}  // namespace

HistoryPage::HistoryPage(Services services, QWidget* parent)
    : Page(services, QStringLiteral("history"), tr("History"), parent), loader_(services.resources),
      model_(new HistoryModel(this)), filter_(new HistoryFilter(this)), diff_(new HistoryDiff(this)) {
  filter_->setSourceModel(model_);
  filter_->setDynamicSortFilter(true);
  auto* column = new QVBoxLayout(body());
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(12);
  column->addWidget(build_table(), 5);
  comparison_ = build_comparison();
  column->addWidget(comparison_, 4);
  verdict_ = new HistoryVerdict(theme());
  column->addWidget(verdict_);
  connect(verdict_, &HistoryVerdict::open_asked, this, [this] {
    if (const int row = verdict_row(); row >= 0) open_row(filter_->mapFromSource(model_->index(row, 0)));
  });
  build_header();

  connect(&document(), &Document::journal_opened, this, [this](const QString& path) {
    show_newest_of_ = QFileInfo(path).absoluteFilePath();
    open_journal(path);
  });
  connect(&document(), &Document::experiment_changed, this, [this] {
    // A run that ended, or one shown from elsewhere: its journal belongs into the notebook.
    const QString journal = document().journal().isEmpty() ? QString() : QFileInfo(document().journal()).absoluteFilePath();
    if (document().experiment() == 0 || journal.isEmpty()) return;
    for (const auto& r : model_->rows())
      if (r.journal == journal && r.record.id == document().experiment() && r.record.state != "running") return;
    open_journal(journal);
  });
  connect(&document(), &Document::result_opened, this, &HistoryPage::import_file);
  connect(&loader_, &HistoryLoader::result_read, this, &HistoryPage::ask_result);
  connect(&loader_, &HistoryLoader::opened, this, &HistoryPage::show_opened);
  connect(&loader_, &HistoryLoader::rows, this, [this](const QString& journal, std::vector<HistoryRow> rows, bool last) {
    // Read before tags that were given meanwhile came into the file: the list shows the new ones.
    for (HistoryRow& r : rows)
      if (const auto given = tags_given_.find({journal, r.record.id}); given != tags_given_.end()) r.record.tags = given->second;
    const bool first = !journals_[journal];
    journals_[journal] = true;
    model_->put(journal, rows, first, last);
    if (journal == show_newest_of_ && !rows.empty()) {
      show_newest_of_.clear();
      StartPage::remember(journal);
      document().show_experiment(journal, rows.front().record.id);
    }
    update_state();
  });
  connect(&loader_, &HistoryLoader::summarised, this, [this](const QString& journal, const QString& uid, const HistorySummary& s) {
    model_->summarise(journal, uid, s);
    update_comparison();
  });
  connect(&loader_, &HistoryLoader::task_done, this, &HistoryPage::task_done);
  connect(&loader_, &HistoryLoader::busy_changed, this, [this](bool busy) { cancel_->setVisible(busy); });
  connect(model_, &HistoryModel::tags_edited, this, [this](const QString& journal, std::int64_t experiment, const QStringList& tags) {
    std::vector<std::string> list;
    for (const QString& t : tags) list.push_back(t.toStdString());
    tags_given_[{journal, experiment}] = list;
    ++tags_waiting_;
    loader_.set_tags(journal, experiment, tags);
  });
  connect(model_, &HistoryModel::checks_changed, this, [this] {
    update_state();
    update_comparison();
  });
  connect(&theme(), &Theme::changed, table_, [this] {
    table_->viewport()->update();
    update_verdict();
  });
  update_state();
  update_comparison();
}

void HistoryPage::build_header() {
  const auto add = [this](const QString& text, const QString& icon, const char* name, const QString& tip) {
    auto* b = new QPushButton(text, this);
    b->setObjectName(QLatin1String(name));
    b->setAccessibleName(tip);
    b->setToolTip(tip);
    if (!icon.isEmpty()) theme().set_icon(b, icon);
    actions()->addWidget(b);
    return b;
  };
  cancel_ = add(tr("Cancel"), {}, "history.cancel", tr("Stops the copy or the deletion after the present part"));
  cancel_->setProperty("flat", true);
  cancel_->setVisible(false);
  connect(cancel_, &QPushButton::clicked, &loader_, &HistoryLoader::cancel);
  auto* import = add(tr("Import\u2026"), QStringLiteral("drop"), "history.import", tr("Copies into this journal: the experiments of a bundle, or a result of vllm bench serve, AIPerf, GuideLLM or inference-perf"));
  auto* open = add(tr("Open journal\u2026"), QStringLiteral("open"), "history.open", tr("Adds another journal to the list (Ctrl+O)"));
  export_ = add(tr("Export\u2026"), QStringLiteral("exp"), "history.export", tr("Writes each chosen run as one journal file that opens on another machine"));
  delete_ = add(tr("Delete"), QStringLiteral("trash"), "history.delete", tr("Deletes the chosen runs; can be undone until the window closes"));
  compare_ = add(tr("Compare"), QStringLiteral("diff"), "history.compare", tr("Compares the chosen runs, differing settings first"));
  compare_->setProperty("primary", true);
  theme().set_icon(compare_, QStringLiteral("diff"), "onInk");
  connect(import, &QPushButton::clicked, this, &HistoryPage::ask_import);
  connect(open, &QPushButton::clicked, this, &HistoryPage::ask_open);
  connect(export_, &QPushButton::clicked, this, &HistoryPage::ask_export);
  connect(delete_, &QPushButton::clicked, this, [this] { delete_rows(chosen()); });
  connect(compare_, &QPushButton::clicked, this, [this] {
    for (const int row : chosen()) model_->setData(model_->index(row, HistoryModel::Run), Qt::Checked, Qt::CheckStateRole);
    diff_table_->setFocus();
  });
}

void HistoryPage::open_journal(const QString& path, bool allow_newer) {
  const QString journal = QFileInfo(path).absoluteFilePath();
  journals_[journal] = false;
  update_state();
  loader_.load(journal, allow_newer);
}

void HistoryPage::show_opened(const HistoryOpened& s) {
  const QString id = QStringLiteral("journal.") + s.journal;
  const QString name = QFileInfo(s.journal).fileName();
  if (!s.sentence.isEmpty()) {
    model_->remove_journal(s.journal);
    journals_.erase(s.journal);
    StripMessage m{id, s.empty ? StripMessage::Level::Info : StripMessage::Level::Fail, s.newer ? tr("Newer") : s.empty ? tr("New") : tr("Not opened"), s.sentence, {}, {}};
    if (s.newer) {
      m.action = tr("Show what is known");
      m.run = [this, journal = s.journal] { open_journal(journal, true); };
    } else if (!s.empty) {
      m.action = tr("Open another");
      m.run = [this] { ask_open(); };
    }
    strips().show_message(std::move(m));
  } else if (s.newer) {
    strips().show_message({id, StripMessage::Level::Caution, tr("Newer"), tr("%1 is of a newer schema: what is known of it is shown, and nothing is written.").arg(name), {}, {}});
  } else if (s.read_only) {
    strips().show_message({id, StripMessage::Level::Info, tr("Read only"), tr("%1 cannot be written: it can be compared and exported, but not tagged or deleted from.").arg(name), {}, {}});
  } else {
    strips().resolve(id);
  }
  if (s.sentence.isEmpty()) StartPage::remember(s.journal);
  update_state();
}

void HistoryPage::open_row(const QModelIndex& index) {
  if (!index.isValid()) return;
  const HistoryRow& r = model_->row(index.data(HistoryModel::RowRole).toInt());
  document().show_experiment(r.journal, r.record.id);
  emit go_to(r.record.state == "finished" ? DecideIndex : RunIndex);
}

std::vector<int> HistoryPage::chosen() const {
  auto rows = model_->checked();
  if (!rows.empty()) return rows;
  for (const QModelIndex& i : table_->selectionModel()->selectedRows()) rows.push_back(i.data(HistoryModel::RowRole).toInt());
  return rows;
}

void HistoryPage::delete_rows(const std::vector<int>& rows) {
  if (rows.empty()) return;
  // One journal at a time: its lock is taken once, and one undo brings all of it back.
  const QString journal = model_->row(rows.front()).journal;
  std::vector<std::int64_t> ids;
  for (const int row : rows) {
    const HistoryRow& r = model_->row(row);
    if (r.journal != journal) continue;
    if (r.read_only) {
      strips().show_message({QStringLiteral("delete"), StripMessage::Level::Fail, tr("Not deleted"), tr("%1 is read only. Change its permissions, or delete from a copy.").arg(QFileInfo(journal).fileName()), {}, {}});
      return;
    }
    if (r.record.state == "running" && run().running()) {
      strips().show_message({QStringLiteral("delete"), StripMessage::Level::Fail, tr("Not deleted"), tr("%1 is being written by a run. Stop it, or wait for its end.").arg(r.number()), {}, {}});
      return;
    }
    ids.push_back(r.record.id);
    if (document().journal() == r.journal && document().experiment() == r.record.id) document().show_experiment({}, 0);
  }
  const QString trash = trash_.filePath(QStringLiteral("deleted-%1.kvcliff").arg(++deletions_));
  last_trash_ = {trash, journal};
  strips().show_message({QStringLiteral("delete"), StripMessage::Level::Info, tr("Deleting"), ids.size() == 1 ? tr("1 experiment of %1. A copy is kept until the window closes.").arg(QFileInfo(journal).fileName())
                                                                                                              : tr("%1 experiments of %2. A copy is kept until the window closes.").arg(ids.size()).arg(QFileInfo(journal).fileName()), {}, {}});
  loader_.remove(journal, ids, trash);
}

void HistoryPage::task_done(const QString& task, const QString& journal, const QString& error, const QString& note) {
  // Tasks and readings follow each other on one worker: what is read from now on holds the tags.
  if (task == QLatin1String("tags") && --tags_waiting_ == 0) tags_given_.clear();
  if (!error.isEmpty()) {
    const QString word = task == QLatin1String("tags") ? tr("Tags not saved") : task == QLatin1String("remove") ? tr("Not deleted") : task == QLatin1String("restore") ? tr("Not restored")
                         : task == QLatin1String("import") ? tr("Not imported") : tr("Not exported");
    strips().show_message({task == QLatin1String("remove") ? QStringLiteral("delete") : task, StripMessage::Level::Fail, word, error, {}, {}});
    // The list shows what the file holds, not what was hoped for.
    if (task != QLatin1String("export") && journals_.count(journal) > 0) open_journal(journal);
    return;
  }
  if (task == QLatin1String("remove")) {
    const auto [trash, of] = last_trash_;
    strips().show_message({QStringLiteral("delete"), StripMessage::Level::Info, tr("Deleted"), tr("%1 of %2.").arg(note, QFileInfo(journal).fileName()), tr("Undo"), [this, trash = trash, of = of] {
                             strips().resolve(QStringLiteral("delete"));
                             loader_.restore(trash, of);
                           }});
    model_->clear_checks();
    open_journal(journal);
  } else if (task == QLatin1String("restore")) {
    strips().show_message({QStringLiteral("restore"), StripMessage::Level::Info, tr("Restored"), tr("The deleted experiments are back in %1.").arg(QFileInfo(journal).fileName()), {}, {}});
    open_journal(journal);
  } else if (task == QLatin1String("import")) {
    strips().show_message({task, StripMessage::Level::Info, tr("Imported"), tr("%1 in %2.").arg(note, QFileInfo(journal).fileName()), {}, {}});
    open_journal(journal);
  } else if (task == QLatin1String("export")) {
    strips().show_message({task, StripMessage::Level::Info, tr("Exported"), note, {}, {}});
  }
}

void HistoryPage::import_file(const QString& path) {
  // Into the journal whose run is shown, else the first that can be written. Without one a journal is simply opened, and
  // the result of another tool gets a journal of its own.
  QString target = document().journal().isEmpty() ? QString() : QFileInfo(document().journal()).absoluteFilePath();
  if (target.isEmpty() || !QFileInfo(target).isWritable()) {
    target.clear();
    for (const auto& [journal, begun] : journals_)
      if (QFileInfo(journal).isWritable()) target = journal;
  }
  const QString source = QFileInfo(path).absoluteFilePath();
  QFile file(source);
  const bool journal = file.open(QIODevice::ReadOnly) && file.read(15) == "SQLite format 3";
  if (journal && (target.isEmpty() || target == source)) {
    show_newest_of_ = source;
    open_journal(source);
    return;
  }
  if (target.isEmpty()) target = RunController::default_journal(tr("imported"));
  loader_.import(source, target);
}

void HistoryPage::ask_result(const ForeignFile& file) {
  strips().resolve(QStringLiteral("import"));
  auto* dialog = new ImportDialog(theme(), file, this);
  connect(dialog, &ImportDialog::confirmed, this, [this](const ForeignFile& f, const QString& name, bool offload) {
    exchange::ImportOptions options;
    options.name = name.toStdString();
    options.arm = offload ? "on" : "off";
    options.offload = offload;
    options.program_version = KVCLIFF_VERSION;
    options.source = f.file.toStdString();
    if (document().experiment() == 0) show_newest_of_ = f.journal;
    loader_.import_result(f, options);
  });
  dialog->open();
}

void HistoryPage::export_to(const std::vector<int>& rows, const QString& path) {
  for (const int row : rows) {
    const HistoryRow& r = model_->row(row);
    loader_.export_bundle(r.journal, r.record.id, rows.size() == 1 && !QFileInfo(path).isDir() ? path : path + QLatin1Char('/') + QString::fromStdString(r.record.uid) + QStringLiteral(".kvcliff"));
  }
}

void HistoryPage::ask_open() {
  const QString path = QFileDialog::getOpenFileName(this, tr("Open a journal"), {}, journals_filter());
  if (path.isEmpty()) return;
  show_newest_of_ = QFileInfo(path).absoluteFilePath();
  open_journal(path);
}

void HistoryPage::ask_import() {
  const QString path = QFileDialog::getOpenFileName(this, tr("Import a bundle or a result"), {}, import_filter());
  if (!path.isEmpty()) import_file(path);
}

void HistoryPage::ask_export() {
  const auto rows = chosen();
  if (rows.empty()) return;
  const QString path = rows.size() == 1
                           ? QFileDialog::getSaveFileName(this, tr("Export the run"), QString::fromStdString(model_->row(rows.front()).record.uid) + QStringLiteral(".kvcliff"), journals_filter())
                           : QFileDialog::getExistingDirectory(this, tr("Export the runs into a folder"));
  if (!path.isEmpty()) export_to(rows, path);
}

bool HistoryPage::export_view() { return export_table(diff_table_->hasFocus() ? tr("comparison") : tr("runs"), copy_text(true)); }

QString HistoryPage::copy_text(bool csv) {
  const QChar sep = csv ? QLatin1Char(',') : QLatin1Char('\t');
  if (diff_table_->hasFocus()) return diff_->text(sep);
  QString out;
  for (int c = 0; c < HistoryModel::ColumnCount; ++c) out += (c ? QString(sep) : QString()) + table_cell(model_->headerData(c, Qt::Horizontal, Qt::DisplayRole).toString(), sep);
  out += QLatin1Char('\n');
  for (int i = 0; i < filter_->rowCount(); ++i) {
    const int row = filter_->index(i, 0).data(HistoryModel::RowRole).toInt();
    for (int c = 0; c < HistoryModel::ColumnCount; ++c) out += (c ? QString(sep) : QString()) + table_cell(model_->plain(row, c), sep);
    out += QLatin1Char('\n');
  }
  return out;
}

bool HistoryPage::focus_filter() {
  search_->setFocus();
  search_->selectAll();
  return true;
}

}  // namespace kvcliff::ui
