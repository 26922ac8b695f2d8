// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/reconcile_evidence.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QShortcut>

#include "ui/pages/reconcile_timeline.h"
#include "ui/theme/numbers.h"
#include "ui/widgets/card.h"
#include "ui/widgets/segments.h"

namespace kvcliff::ui {

QTableView* make_table(const Theme& theme, QAbstractItemModel& model, const QString& object_name, const QString& accessible_name, QWidget* parent,
                       int stretch_column) {
  auto* view = new QTableView(parent);
  view->setObjectName(object_name);
  view->setAccessibleName(accessible_name);
  view->setModel(&model);
  view->setItemDelegate(new EvidenceDelegate(theme, view));
  view->setShowGrid(false);
  view->setWordWrap(false);
  view->setFrameShape(QFrame::NoFrame);
  view->setEditTriggers(QAbstractItemView::NoEditTriggers);
  view->setSelectionBehavior(QAbstractItemView::SelectRows);
  view->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  view->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  view->setTabKeyNavigation(false);
  view->verticalHeader()->setVisible(false);
  view->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  view->verticalHeader()->setDefaultSectionSize(theme.px(25));
  view->horizontalHeader()->setHighlightSections(false);
  view->horizontalHeader()->setFont(theme.font(TextSize::Chart));
  const auto fit = [view, stretch_column] {
    QHeaderView* head = view->horizontalHeader();
    for (int c = 0; c < view->model()->columnCount(); ++c)
      head->setSectionResizeMode(c, c == stretch_column ? QHeaderView::Stretch : QHeaderView::Interactive);
    for (int c = 0; c < view->model()->columnCount(); ++c) {
      if (c == stretch_column) continue;
      // Only the first rows are asked: a table of thousands of events must not be measured whole.
      int width = head->sectionSizeHint(c) + 6;
      for (int r = 0; r < std::min(60, view->model()->rowCount()); ++r) width = std::max(width, view->sizeHintForIndex(view->model()->index(r, c)).width());
      view->setColumnWidth(c, std::min(width, 420));
    }
  };
  QObject::connect(&model, &QAbstractItemModel::modelReset, view, fit);
  fit();
  auto* copy = new QShortcut(QKeySequence::Copy, view, nullptr, nullptr, Qt::WidgetShortcut);
  QObject::connect(copy, &QShortcut::activated, view, [view] {
    QStringList lines;
    for (const QModelIndex& row : view->selectionModel()->selectedRows()) {
      QStringList cells;
      for (int c = 0; c < view->model()->columnCount(); ++c) cells << row.siblingAtColumn(c).data().toString();
      lines << cells.join(QLatin1Char('\t'));
    }
    if (!lines.isEmpty()) QApplication::clipboard()->setText(lines.join(QLatin1Char('\n')));
  });
  return view;
}

EvidencePanel::EvidencePanel(const Theme& theme, Evidence& evidence, QWidget* parent)
    : QTabWidget(parent),
      theme_(theme),
      evidence_(evidence),
      checks_({{tr("check"), false}, {tr("what"), false}, {tr("state"), false}, {tr("residual"), true, tr("measured \u2212 expected")}, {tr("reason"), false}}),
      scrapes_({{tr("counter"), false}, {tr("before"), true}, {tr("after"), true}, {tr("difference"), true}}),
      events_({{tr("event"), true}, {tr("since t0, ms"), true}, {tr("kind"), false}, {tr("bytes"), true}, {tr("tokens"), true}, {tr("raw"), false}}),
      log_({{tr("since t0, ms"), true}, {tr("output"), false}, {tr("line"), false}}),
      prompt_({{tr("what"), false}, {tr("value"), false}, {tr("from"), false}}) {
  setObjectName(QStringLiteral("evidence.tabs"));
  setAccessibleName(tr("Evidence of the selected request"));
  setDocumentMode(true);
  tabBar()->setDrawBase(false);
  tabBar()->setFont(theme.font(TextSize::Chart));

  auto* bar = new QWidget(this);
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(8, 4, 8, 2);
  form_ = new Segments(QStringLiteral("evidence.form"), {tr("By meaning"), tr("As exported")}, bar);
  moved_ = new QPushButton(tr("Only what moved"), bar);
  moved_->setCheckable(true);
  for (const char* p : {"segment", "first", "last"}) moved_->setProperty(p, true);
  moved_->setObjectName(QStringLiteral("evidence.moved"));
  moved_->setToolTip(tr("Leaves out counters with the same value on both pages"));
  scrape_note_ = label(QString(), "caption", bar);
  row->addWidget(form_);
  row->addWidget(moved_);
  row->addWidget(scrape_note_, 1);
  connect(form_, &Segments::chosen, this, &EvidencePanel::update_scrapes);
  connect(moved_, &QPushButton::toggled, this, &EvidencePanel::update_scrapes);
  timeline_ = new EventTimeline(theme, this);
  log_note_ = label(QString(), "caption", this);
  log_note_->setContentsMargins(8, 4, 8, 2);

  check_view_ = add_tab(checks_, tr("Checks"), "evidence.checks", 4);
  scrape_view_ = add_tab(scrapes_, tr("Scrapes"), "evidence.scrapes", 0, bar);
  event_view_ = add_tab(events_, tr("Stream"), "evidence.events", 5, timeline_);
  log_view_ = add_tab(log_, tr("Log"), "evidence.log", 2, log_note_);
  prompt_view_ = add_tab(prompt_, tr("Prompt"), "evidence.prompt", 2);
  connect(timeline_, &EventTimeline::chosen, this, [this](int e) { event_view_->selectRow(e); });
  connect(event_view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& i) { timeline_->set_current(i.row()); });
  connect(&evidence, &Evidence::detail_changed, this, &EvidencePanel::update_detail);
  setCurrentIndex(1);
}

QTableView* EvidencePanel::add_tab(EvidenceTable& model, const QString& title, const char* name, int stretch, QWidget* above) {
  auto* page = new QWidget(this);
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  if (above) column->addWidget(above);
  auto* view = make_table(theme_, model, QLatin1String(name), title, page, stretch);
  column->addWidget(view, 1);
  addTab(page, title);
  return view;
}

void EvidencePanel::show_request(int request) {
  request_ = request;
  const auto judged = evidence_.judged();
  if (judged && request >= 0 && std::size_t(request) < judged->measured.size()) checks_.set_rows(check_rows(*judged, request));
  else checks_.set_rows({});
  setTabText(1, request >= 0 ? tr("Scrapes of request %1").arg(request + 1) : tr("Scrapes"));
  update_detail();
}

void EvidencePanel::open_for(const QString& id) {
  const int n = id.mid(1).toInt();
  setCurrentIndex(n == 12 || n == 17 || n == 21 ? 2 : n == 13 || n == 18 ? 4 : n == 15 || n == 11 ? 0 : 1);
  currentWidget()->findChild<QTableView*>()->setFocus(Qt::ShortcutFocusReason);
}

void EvidencePanel::update_detail() {
  const auto d = evidence_.detail();
  const bool ready = d && d->request == request_ && evidence_.judged();
  update_scrapes();
  events_.set_rows(ready ? event_rows(*d) : std::vector<std::vector<Cell>>());
  timeline_->set_stream(ready ? d->record.stream : StreamRecord());
  log_.set_rows(ready ? log_rows(*d) : std::vector<std::vector<Cell>>());
  prompt_.set_rows(ready ? prompt_rows(*evidence_.judged(), *d) : std::vector<std::vector<Cell>>());
  setTabText(2, ready ? tr("Stream (%1 events)").arg(exact(qint64(d->record.stream.events.size()))) : tr("Stream"));
  setTabText(3, ready ? tr("Log (%1 lines)").arg(exact(qint64(d->log.size()))) : tr("Log"));
  log_note_->setText(!ready ? QString()
                     : !d->error.isEmpty() ? d->error
                                           : tr("Lines from 250 ms before the request to 250 ms after it, of %1 lines of the session.").arg(exact(qint64(d->log_lines))));
}

void EvidencePanel::update_scrapes() {
  const auto d = evidence_.detail();
  const bool ready = d && d->request == request_;
  if (!ready) {
    scrapes_.set_rows({});
    scrape_note_->clear();
    return;
  }
  const bool raw = form_->current() == 1;
  scrapes_.set_rows(raw ? raw_scrape_rows(*d, moved_->isChecked()) : scrape_rows(*d, moved_->isChecked()));
  const bool no_page = raw && !(d->before && d->before->raw) && !(d->after && d->after->raw);
  scrape_note_->setText(!d->error.isEmpty()          ? d->error
                        : !d->scrapes_why.isEmpty() ? d->scrapes_why
                        : no_page                    ? tr("The pages themselves were not kept.")
                                                     : tr("scrape %1 and %2").arg(exact(d->record.scrape_before), exact(d->record.scrape_after)));
}

QString EvidencePanel::text(bool csv) const {
  const EvidenceTable* tables[] = {&checks_, &scrapes_, &events_, &log_, &prompt_};
  return tables[std::clamp(currentIndex(), 0, 4)]->text(csv);
}

}  // namespace kvcliff::ui
