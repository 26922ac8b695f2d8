// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of History: search and table, comparison, empty states.
#include <QFileInfo>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLineEdit>
#include <QPainter>
#include <QPushButton>
#include <QStackedWidget>

#include "ui/bridge/document.h"
#include "ui/main_window.h"
#include "ui/models/history_diff.h"
#include "ui/models/history_model.h"
#include "ui/pages/history_effect.h"
#include "ui/pages/history_page.h"
#include "ui/pages/history_table.h"
#include "ui/pages/history_verdict.h"
#include "ui/theme/numbers.h"
#include "ui/widgets/card.h"
#include "ui/widgets/segments.h"

namespace kvcliff::ui {
namespace {

// Cells of the comparison: values in the fixed font as they stand in files, equal ones quiet.
class DiffCells : public QStyledItemDelegate {
 public:
  DiffCells(const Theme& theme, QObject* parent) : QStyledItemDelegate(parent), theme_(theme) {}
  void paint(QPainter* p, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    if (option.state.testFlag(QStyle::State_Selected)) p->fillRect(option.rect, theme_.color("select"));
    const bool differs = index.data(HistoryDiff::DiffersRole).toBool();
    const bool unset = index.column() > 0 && index.data(Qt::ToolTipRole).toString().isEmpty();
    QFont f = theme_.font(TextSize::Chart);
    if (differs && index.column() > 0) f.setWeight(QFont::Medium);
    p->setFont(f);
    p->setPen(theme_.color(unset || !differs ? "text3" : index.column() == 0 ? "text2" : "text"));
    const QRect r = option.rect.adjusted(8, 0, -8, 0);
    p->drawText(r, Qt::AlignLeft | Qt::AlignVCenter, QFontMetrics(f).elidedText(index.data().toString(), Qt::ElideMiddle, r.width()));
    p->setPen(theme_.color("line"));
    p->drawLine(option.rect.bottomLeft(), option.rect.bottomRight());
  }

 private:
  const Theme& theme_;
};

}  // namespace

QWidget* HistoryPage::build_table() {
  auto* card = new QFrame;
  card->setProperty("card", true);
  card->setProperty("help", QStringLiteral("history.table"));
  auto* in = new QVBoxLayout(card);
  in->setContentsMargins(1, 9, 1, 4);
  in->setSpacing(8);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(12, 0, 12, 0);
  row->setSpacing(10);
  search_ = new QLineEdit;
  search_->setObjectName(QStringLiteral("history.search"));
  search_->setAccessibleName(tr("Search"));
  search_->setToolTip(tr("All words must occur, in any of: name, model, engine, tags, verdict, run id, plan hash (Ctrl+F)"));
  search_->setPlaceholderText(tr("Search name, model, tag, plan hash"));
  search_->setClearButtonEnabled(true);
  search_->setMinimumWidth(theme().px(290));
  auto* glass = search_->addAction(theme().icon(QStringLiteral("search"), "text3", 16), QLineEdit::LeadingPosition);
  connect(&theme(), &Theme::changed, glass, [this, glass] { glass->setIcon(theme().icon(QStringLiteral("search"), "text3", 16)); });
  kinds_ = new Segments(QStringLiteral("history.kind"), {tr("All"), tr("Reconciled"), tr("Withdrawn"), tr("Imported")});
  kinds_->setAccessibleName(tr("Which runs are listed"));
  row->addWidget(search_);
  row->addWidget(kinds_);
  row->addStretch(1);
  auto* hint = label(tr("Space checks a run, Enter opens it"), "caption");
  hint->setFont(theme().font(TextSize::Caption));
  row->addWidget(hint);
  in->addLayout(row);
  table_ = new HistoryTable(theme());
  table_->setModel(filter_);
  filter_->setSortRole(HistoryModel::SortRole);
  table_->sortByColumn(HistoryModel::Started, Qt::DescendingOrder);
  table_stack_ = new QStackedWidget;
  table_stack_->addWidget(table_);
  auto* none = new QWidget;
  auto* none_column = new QVBoxLayout(none);
  nothing_ = label(QString(), "secondary");
  nothing_->setObjectName(QStringLiteral("history.nothing"));
  nothing_->setAlignment(Qt::AlignCenter);
  auto* clear = new QPushButton(tr("Clear filter"));
  clear->setObjectName(QStringLiteral("history.clear"));
  clear->setAccessibleName(clear->text());
  clear->setToolTip(tr("Lists all runs again"));
  none_column->addStretch(1);
  none_column->addWidget(nothing_);
  none_column->addWidget(clear, 0, Qt::AlignHCenter);
  none_column->addStretch(2);
  table_stack_->addWidget(none);
  in->addWidget(table_stack_, 1);
  connect(clear, &QPushButton::clicked, this, [this] {
    search_->clear();
    kinds_->set_current(0);
    filter_->set_kind(0);
    update_state();
  });
  connect(search_, &QLineEdit::textChanged, this, [this](const QString& text) {
    filter_->set_text(text);
    update_state();
  });
  connect(kinds_, &Segments::chosen, this, [this](int kind) {
    filter_->set_kind(kind);
    update_state();
  });
  connect(table_, &HistoryTable::open_asked, this, &HistoryPage::open_row);
  connect(table_, &HistoryTable::delete_asked, this, [this] { delete_rows(chosen()); });
  connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
    update_state();
    update_verdict();
  });
  return card;
}

QWidget* HistoryPage::build_comparison() {
  auto* box = new QWidget;
  box->setObjectName(QStringLiteral("history.comparison"));
  auto* row = new QHBoxLayout(box);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(12);
  auto* settings = new Card(theme(), tr("Configuration, first what differs"));
  settings->setProperty("help", QStringLiteral("history.compare"));
  differing_ = label(QString(), "secondary");
  differing_->setObjectName(QStringLiteral("history.differing"));
  settings->header()->addWidget(differing_);
  diff_table_ = new QTableView;
  diff_table_->setObjectName(QStringLiteral("history.diff"));
  diff_table_->setAccessibleName(tr("Settings of the compared runs"));
  diff_table_->setModel(diff_);
  diff_table_->setItemDelegate(new DiffCells(theme(), diff_table_));
  diff_table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  diff_table_->setShowGrid(false);
  diff_table_->setWordWrap(false);
  diff_table_->setFrameShape(QFrame::NoFrame);
  diff_table_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  diff_table_->verticalHeader()->hide();
  diff_table_->verticalHeader()->setDefaultSectionSize(theme().px(26));
  diff_table_->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
  diff_table_->horizontalHeader()->setHighlightSections(false);
  diff_table_->horizontalHeader()->setFont(theme().font(TextSize::Chart));
  settings->body()->addWidget(diff_table_, 1);
  auto* effect = new Card(theme(), tr("Effect, side by side"));
  effect->setProperty("help", QStringLiteral("history.compare"));
  other_chip_ = new Chip(theme(), QStringLiteral("warn"), tr("different models: do not subtract"), "notsettled", this);
  other_chip_->setObjectName(QStringLiteral("history.other"));
  effect->header()->addWidget(other_chip_);
  auto* picture = new QPushButton;
  picture->setProperty("flat", true);
  picture->setObjectName(QStringLiteral("history.effect.export"));
  picture->setAccessibleName(tr("Export this chart"));
  picture->setToolTip(tr("Exports the chart as PNG, SVG or PDF"));
  theme().set_icon(picture, QStringLiteral("exp"));
  effect->header()->addWidget(picture);
  effect_ = new HistoryEffect(theme());
  effect->body()->addWidget(effect_, 1);
  connect(picture, &QPushButton::clicked, effect_, [this] { effect_->export_dialog(); });
  connect(effect_, &Plot::export_failed, this, [this](const QString& sentence) {
    strips().show_message({QStringLiteral("export"), StripMessage::Level::Fail, tr("Not exported"), sentence, {}, {}});
  });
  row->addWidget(settings, 1);
  row->addWidget(effect, 1);
  return box;
}

void HistoryPage::update_comparison() {
  auto rows = model_->checked();
  if (rows.size() > 4) rows.resize(4);  // more columns cannot be read side by side
  std::vector<const HistoryRow*> runs;
  for (const int row : rows) runs.push_back(&model_->row(row));
  comparison_->setVisible(runs.size() >= 2);
  update_verdict();
  if (runs.size() < 2) {
    diff_->compare({});
    effect_->show_runs({});
    return;
  }
  diff_->compare(runs);
  effect_->show_runs(runs);
  differing_->setText(tr("%1 of %2 settings differ").arg(diff_->differing()).arg(diff_->settings()));
  other_chip_->setVisible(diff_->other_model() || diff_->other_engine());
  other_chip_->set(QStringLiteral("warn"), diff_->other_model() ? tr("different models: do not subtract") : tr("different engines: do not subtract"), "notsettled");
}

// The chosen run; without a choice the one that the other pages show.
int HistoryPage::verdict_row() const {
  const auto rows = chosen();
  if (rows.size() == 1) return rows.front();
  if (!rows.empty()) return -1;
  const QString journal = services_.document.journal().isEmpty() ? QString() : QFileInfo(services_.document.journal()).absoluteFilePath();
  for (int i = 0; i < model_->rowCount(); ++i)
    if (model_->row(i).journal == journal && model_->row(i).record.id == services_.document.experiment()) return i;
  return -1;
}

void HistoryPage::update_verdict() {
  const int row = verdict_row();
  verdict_->show_run(row < 0 ? nullptr : &model_->row(row));
}

void HistoryPage::update_state() {
  const int n = model_->rowCount();
  const auto chosen_rows = chosen();
  const int k = int(chosen_rows.size());
  compare_->setText(k >= 2 ? tr("Compare %1").arg(std::min(k, 4)) : tr("Compare"));
  compare_->setEnabled(k >= 2);
  export_->setText(k > 1 ? tr("Export %1\u2026").arg(k) : tr("Export\u2026"));
  export_->setEnabled(k >= 1);
  const bool writable = std::any_of(chosen_rows.begin(), chosen_rows.end(), [this](int row) { return !model_->row(row).read_only; });
  delete_->setText(k > 1 ? tr("Delete %1").arg(k) : tr("Delete"));
  delete_->setEnabled(k >= 1 && writable);
  const QString where = journals_.size() == 1 ? QFileInfo(journals_.begin()->first).fileName() : tr("%1 journals").arg(journals_.size());
  set_subtitle(journals_.empty() ? QString() : n == 1 ? tr("1 experiment in %1").arg(where) : tr("%1 experiments in %2").arg(exact(n), where));
  emit result_changed(n == 0 ? QString() : n == 1 ? tr("1 run") : tr("%1 runs").arg(exact(n)), "text3");
  if (n == 0) {
    // After the click has ended: what it does replaces the button.
    const auto later = [this](auto&& run) { QMetaObject::invokeMethod(this, run, Qt::QueuedConnection); };
    const auto demo = [this, later] {
      later([this] {
        if (auto* w = qobject_cast<MainWindow*>(window())) w->start_demonstration();
      });
    };
    if (journals_.empty()) show_empty(tr("No journal is open. The demonstration makes the first one; a journal can also be dropped here."), tr("Open journal\u2026"), [this, later] { later([this] { ask_open(); }); });
    else if (std::all_of(journals_.begin(), journals_.end(), [](const auto& j) { return j.second; })) show_empty(tr("This journal is empty."), tr("Run the demonstration"), demo);
    else show_empty(tr("Reading %1.").arg(where), {}, {});
    return;
  }
  show_body();
  const bool none = filter_->rowCount() == 0;
  if (none) {
    const QString words = search_->text().trimmed();
    nothing_->setText(words.isEmpty() ? tr("No run of this kind.") : tr("No run matches \u201c%1\u201d.").arg(words));
  }
  table_stack_->setCurrentIndex(none ? 1 : 0);
  if (isVisible()) emit status(k > 0 ? tr("%1 of %2 selected").arg(k).arg(exact(n)) : n == 1 ? tr("1 experiment") : tr("%1 experiments").arg(exact(n)));
}

}  // namespace kvcliff::ui
