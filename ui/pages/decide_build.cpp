// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of Decide: verdict, charts, tables, limits.
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QScrollArea>
#include <QShortcut>
#include <QStackedWidget>
#include <QTableView>

#include "ui/bridge/document.h"
#include "ui/charts/cliff_chart.h"
#include "ui/charts/ecdf_chart.h"
#include "ui/charts/pairs_chart.h"
#include "ui/charts/scatter_chart.h"
#include "ui/charts/split_chart.h"
#include "ui/models/evidence_estimates.h"
#include "ui/pages/decide_interval.h"
#include "ui/pages/decide_legend.h"
#include "ui/pages/decide_page.h"
#include "ui/pages/reconcile_evidence.h"
#include "ui/theme/plain_text.h"
#include "ui/widgets/card.h"
#include "ui/widgets/segments.h"

namespace kvcliff::ui {

void DecidePage::build_actions() {
  simulated_ = new Chip(theme(), QStringLiteral("flask"), tr("Simulated"), "simulated", this);
  chips()->addWidget(simulated_);
  copy_ = new QPushButton(tr("Copy claim"), this);
  copy_->setObjectName(QStringLiteral("decide.copy"));
  theme().set_icon(copy_, QStringLiteral("copy"));
  connect(copy_, &QPushButton::clicked, this, [this] {
    const auto judged = services_.evidence->judged();
    if (!judged) return;
    QApplication::clipboard()->setText(claim_text(*judged));
    emit status(tr("The claim is on the clipboard, with its limits."));
  });
  report_ = new QPushButton(tr("Export report\u2026"), this);
  report_->setObjectName(QStringLiteral("decide.report"));
  report_->setProperty("primary", true);
  report_->setToolTip(tr("HTML, PDF, Markdown, JSON, tables and every chart into a folder (Ctrl+Shift+E)"));
  theme().set_icon(report_, QStringLiteral("exp"), "onInk");
  connect(report_, &QPushButton::clicked, this, &DecidePage::export_report);
  actions()->addWidget(copy_);
  actions()->addWidget(report_);
}

void DecidePage::build_verdict(QVBoxLayout* column) {
  auto* card = new Card(theme());
  card->setObjectName(QStringLiteral("decide.verdict"));
  auto* row = new QHBoxLayout;
  row->setSpacing(20);
  auto* words = new QVBoxLayout;
  words->setSpacing(6);
  auto* head = new QHBoxLayout;
  head->setSpacing(10);
  glyph_ = new QLabel;
  title_ = new QLabel;
  title_->setObjectName(QStringLiteral("decide.title"));
  title_->setFont(theme().font(TextSize::Verdict));
  title_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  head->addWidget(glyph_);
  head->addWidget(title_, 1);
  sentence_ = new QLabel;
  sentence_->setObjectName(QStringLiteral("decide.sentence"));
  sentence_->setWordWrap(true);
  sentence_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  notes_ = label(QString(), "caption");
  notes_->setObjectName(QStringLiteral("decide.notes"));
  notes_->setWordWrap(true);
  gates_box_ = new QVBoxLayout;
  words->addLayout(head);
  words->addWidget(sentence_);
  words->addWidget(notes_);
  words->addStretch(1);
  interval_ = new IntervalStrip(theme());
  row->addLayout(words, 5);
  row->addWidget(interval_, 3, Qt::AlignVCenter);
  card->body()->addLayout(row);
  card->body()->addLayout(gates_box_);  // as wide as the card: four in a row also in a small window
  card->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
  column->addWidget(card);
}

void DecidePage::link(PointPlot* chart) {
  connect(chart, &PointPlot::reading_changed, reading_, &QLabel::setText);
  connect(chart, &PointPlot::request_chosen, this, [this](int request) { document().select_request(request); });
}

Card* DecidePage::chart_card(Plot* chart, const QString& title) {
  auto* card = new Card(theme(), title);
  card->setProperty("help", QStringLiteral("decide.charts"));
  card->body()->setSpacing(0);
  auto* save = new QPushButton;
  theme().set_icon(save, QStringLiteral("exp"));
  save->setObjectName(chart->objectName() + QStringLiteral(".export"));
  save->setProperty("flat", true);
  save->setToolTip(tr("Export this chart: PNG, SVG or PDF"));
  save->setAccessibleName(tr("Export chart %1").arg(title));
  connect(save, &QPushButton::clicked, chart, [chart] { chart->export_dialog(); });
  connect(chart, &Plot::export_failed, this, [this](const QString& s) {
    strips().show_message({QStringLiteral("export"), StripMessage::Level::Fail, tr("Not exported"), s, {}, {}});
  });
  card->header()->addWidget(save);
  return card;
}

void DecidePage::build_charts(QVBoxLayout* column) {
  auto* row = new QHBoxLayout;
  row->setSpacing(12);
  reading_ = label(QString(), "secondary");
  reading_->setObjectName(QStringLiteral("decide.reading"));
  reading_->setFont(theme().font(TextSize::Chart));
  reading_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  pairs_ = new PairsChart(theme());
  auto* pairs_card = pairs_card_ = chart_card(pairs_, pairs_->title());
  pairs_card->body()->addWidget(pairs_, 1);
  auto* foot = new QHBoxLayout;
  foot->addWidget(reading_, 1);
  foot->addWidget(new SourceLegend(theme()));
  pairs_card->body()->addLayout(foot);
  link(pairs_);
  row->addWidget(pairs_card, 14);

  ecdf_ = new EcdfChart(theme());
  computed_ = new ComputedChart(theme());
  predicted_ = new PredictedChart(theme());
  distributions_ = new QStackedWidget;
  distributions_->setObjectName(QStringLiteral("decide.distributions"));
  for (PointPlot* c : std::initializer_list<PointPlot*>{ecdf_, computed_, predicted_}) {
    distributions_->addWidget(c);
    link(c);
  }
  cliff_ = new CliffChart(theme());
  cliff_->setObjectName(QStringLiteral("sweepChart"));
  cliff_->setMinimumHeight(150);
  cliff_->show_histogram(false);
  connect(cliff_, &CliffChart::crosshair_moved, this, [this](const QString& text) { cliff_reading_->setText(text.isEmpty() ? cliff_legend() : text); });
  distributions_->addWidget(cliff_);
  distribution_card_ = new Card(theme(), tr("TTFT"));
  distribution_card_->setProperty("help", QStringLiteral("decide.charts"));
  distribution_card_->body()->setSpacing(0);
  which_ = new Segments(QStringLiteral("decide.which"), {tr("Distribution"), tr("By computed"), tr("Predicted"), tr("Cliff")});
  connect(which_, &Segments::chosen, this, &DecidePage::show_chart);
  auto* save = new QPushButton;
  theme().set_icon(save, QStringLiteral("exp"));
  save->setObjectName(QStringLiteral("decide.distributions.export"));
  save->setProperty("flat", true);
  save->setToolTip(tr("Export this chart: PNG, SVG or PDF"));
  save->setAccessibleName(tr("Export chart"));
  connect(save, &QPushButton::clicked, this, [this] { static_cast<Plot*>(distributions_->currentWidget())->export_dialog(); });
  distribution_card_->header()->addWidget(which_);
  distribution_card_->header()->addWidget(save);
  distribution_card_->body()->addWidget(distributions_, 1);
  cliff_reading_ = label(QString(), "secondary");
  cliff_reading_->setObjectName(QStringLiteral("decide.cliff.reading"));
  cliff_reading_->setFont(theme().font(TextSize::Chart));
  cliff_reading_->setWordWrap(true);
  distribution_card_->body()->addWidget(cliff_reading_);
  row->addWidget(distribution_card_, 11);
  column->addLayout(row, 3);
}

void DecidePage::show_chart(int i) {
  if (which_->current() != i) which_->set_current(i);
  distributions_->setCurrentIndex(i);
  const QString titles[] = {tr("TTFT"), tr("TTFT"), tr("Tokens"), tr("Measured cliff over the predicted one")};
  distribution_card_->set_title(titles[std::clamp(i, 0, 3)]);
  cliff_reading_->setVisible(i == 3);
}

void DecidePage::build_below(QVBoxLayout* column) {
  auto* row = new QHBoxLayout;
  row->setSpacing(12);
  split_ = new SplitChart(theme());
  split_card_ = chart_card(split_, split_->title());
  split_card_->setProperty("help", QStringLiteral("decide.split"));
  split_card_->body()->addWidget(split_, 1);
  split_note_ = label(QString(), "caption");
  split_note_->setWordWrap(true);
  split_note_->setObjectName(QStringLiteral("decide.split.note"));
  split_card_->body()->addWidget(split_note_);
  row->addWidget(split_card_, 9);

  auto* estimates = new Card(theme(), tr("Estimates"));
  estimates->setProperty("help", QStringLiteral("decide.estimates"));
  estimates->layout()->setContentsMargins(0, 11, 0, 4);
  estimates->header()->setContentsMargins(14, 0, 14, 0);
  estimate_view_ = make_table(theme(), estimates_, QStringLiteral("decide.estimates"), tr("Estimates"), estimates, 3);
  estimate_view_->setToolTip(tr("Enter, F1 or a double click opens the definition of a number"));
  connect(estimate_view_, &QTableView::activated, this, &DecidePage::show_definition);
  connect(estimate_view_, &QTableView::doubleClicked, this, &DecidePage::show_definition);
  auto* help = new QShortcut(QKeySequence(Qt::Key_F1), estimate_view_, nullptr, nullptr, Qt::WidgetShortcut);
  connect(help, &QShortcut::activated, this, [this] { show_definition(estimate_view_->currentIndex()); });
  estimates->body()->addWidget(estimate_view_, 1);
  row->addWidget(estimates, 14);
  column->addLayout(row, 2);
}

void DecidePage::build_limits(QVBoxLayout* column) {
  const int width = theme().px(308);
  auto* limits = new Card(theme(), tr("What this run does not establish"));
  limits->setProperty("help", QStringLiteral("decide.limits"));
  limits->setObjectName(QStringLiteral("decide.limits"));
  limits->setFixedWidth(width);
  limits->layout()->setContentsMargins(14, 11, 4, 8);
  auto* scroll = new QScrollArea;
  scroll->setObjectName(QStringLiteral("decide.limits.scroll"));
  scroll->setAccessibleName(tr("What this run does not establish"));
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* list = new QWidget;
  list->setObjectName(QStringLiteral("scrollBody"));
  limits_box_ = new QVBoxLayout(list);
  limits_box_->setContentsMargins(0, 0, 10, 0);
  limits_box_->setSpacing(0);
  scroll->setWidget(list);
  limits->body()->addWidget(scroll, 1);
  column->addWidget(limits, 1);

  auto* sizing = new Card(theme(), tr("Host tier for a target share of revisits"));
  sizing->setProperty("help", QStringLiteral("decide.sizing"));
  sizing->setFixedWidth(width);
  sizing->layout()->setContentsMargins(0, 11, 0, 4);
  sizing->header()->setContentsMargins(14, 0, 14, 0);
  sizing_view_ = make_table(theme(), sizing_, QStringLiteral("decide.sizing"), tr("Host tier for a target share of revisits"), sizing, 0);
  sizing_view_->setFixedHeight(theme().px(25) * 4 + theme().px(34));
  sizing_view_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  sizing_why_ = label(QString(), "caption");
  sizing_why_->setWordWrap(true);
  sizing_why_->setContentsMargins(14, 0, 14, 8);
  sizing->body()->addWidget(sizing_view_);
  sizing->body()->addWidget(sizing_why_);
  sizing->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
  column->addWidget(sizing);
}

// The measured cliff over the predicted one: points of the sessions with the tier, with the range of their requests.
void DecidePage::update_sweep(const Judged& j) {
  const bool sweep = !j.sweep.empty();
  if (auto* button = findChild<QPushButton*>(QStringLiteral("decide.which.3"))) button->setVisible(sweep);
  // A sweep without pairs has no revisit to set beside another: its cliff takes the room.
  const bool alone = sweep && j.evaluation.decision.sessions == 0;
  pairs_card_->setVisible(!alone);
  split_card_->setVisible(!alone);
  left_->setStretch(1, alone ? 5 : 3);
  const bool another = swept_run_ != j.input.run_id;
  swept_run_ = j.input.run_id;
  if (!sweep) {
    if (which_->current() == 3) show_chart(0);
    else cliff_reading_->setVisible(false);
    return;
  }
  if (another) show_chart(3);
  CliffShape shape;
  shape.document_blocks = double(j.sweep_document_blocks);
  shape.max_blocks = j.sweep_curve.empty() ? 1 : double(j.sweep_curve.back().blocks);
  for (const auto& p : j.sweep_curve) shape.points.push_back({double(p.blocks), p.gpu, p.host, p.host_low, p.host_high});
  std::vector<CliffChart::Measured> points;
  for (const auto& p : j.sweep) points.push_back({double(p.blocks), p.gpu, p.host, p.low, p.high, p.offload});
  std::vector<CliffChart::Edge> edges;
  if (j.evaluation.decision.cliff && !j.evaluation.decision.withdrawn())
    for (const auto& e : j.evaluation.decision.cliff->edges)
      if (e.located()) edges.push_back({double(*e.last_served), double(*e.first_lost)});
  const double per_chunk = double(std::max<std::int64_t>(1, j.sweep_config.blocks_per_chunk));
  cliff_->set_capacities(double(j.sweep_config.gpu_blocks), double(j.sweep_config.host_chunks) * per_chunk, double(j.host_chunk_bytes) / per_chunk);
  cliff_->set_shape(shape);
  cliff_->set_measured(std::move(points), std::move(edges));
  cliff_->setAccessibleDescription(sentence_->text());
  cliff_reading_->setText(cliff_legend());
}

QString DecidePage::cliff_legend() const {
  return tr("Areas: predicted, with the tier. Dots: measured with the tier (filled) and without (hollow). Bars: the measured cliff lies between their ends.");
}

void DecidePage::update_limits(const Judged& j) {
  while (QLayoutItem* item = limits_box_->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  QFont medium = theme().font(TextSize::Chart);
  medium.setWeight(QFont::Medium);
  for (const auto& l : j.evaluation.decision.not_established) {
    auto* what = new QLabel(shown(l.what));
    what->setObjectName(QStringLiteral("decide.limit"));
    what->setFont(medium);
    what->setWordWrap(true);
    what->setContentsMargins(0, 5, 0, 0);
    auto* why = label(shown(l.why), "secondary");
    why->setFont(theme().font(TextSize::Chart));
    why->setWordWrap(true);
    why->setContentsMargins(0, 0, 0, 5);
    limits_box_->addWidget(what);
    limits_box_->addWidget(why);
    limits_box_->addWidget(separator());
  }
  limits_box_->addStretch(1);
}

}  // namespace kvcliff::ui
