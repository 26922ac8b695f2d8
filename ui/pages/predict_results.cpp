// SPDX-License-Identifier: GPL-3.0-or-later
// The right side of Predict: the sentence, the cliff chart, the exact numbers, and what explains them.
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <cmath>

#include "analysis/priors.h"
#include "base/text.h"
#include "cache/predict.h"
#include "model/capacity.h"
#include "ui/bridge/document.h"
#include "ui/bridge/model_sizes.h"
#include "ui/charts/cliff_chart.h"
#include "ui/pages/predict_fields.h"
#include "ui/pages/predict_page.h"
#include "ui/theme/numbers.h"
#include "ui/widgets/card.h"
#include "ui/widgets/segments.h"

namespace kvcliff::ui {
void PredictPage::build_chart(QVBoxLayout* column) {
  auto* sentence_card = new Card(theme());
  auto* row = new QHBoxLayout;
  sentence_bar_ = new QFrame;
  sentence_bar_->setFixedWidth(5);
  row->addWidget(sentence_bar_);
  auto* texts = new QVBoxLayout;
  texts->setSpacing(2);
  sentence_ = new QLabel;
  sentence_->setObjectName(QStringLiteral("predict.sentence"));
  sentence_->setFont(theme().font(TextSize::Sentence));
  sentence_->setWordWrap(true);
  sentence_detail_ = label(QString(), "secondary");
  sentence_detail_->setObjectName(QStringLiteral("predict.sentence.detail"));
  sentence_detail_->setWordWrap(true);
  texts->addWidget(sentence_);
  texts->addWidget(sentence_detail_);
  row->addLayout(texts, 1);
  auto* explain = new QPushButton(tr("Explain"));
  theme().set_icon(explain, QStringLiteral("fx"));
  explain->setObjectName(QStringLiteral("predict.explain"));
  connect(explain, &QPushButton::clicked, this, &PredictPage::show_explanation);
  row->addWidget(explain);
  sentence_card->body()->addLayout(row);
  sentence_card->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
  column->addWidget(sentence_card);

  auto* chart_card = new Card(theme(), tr("Where the prompt tokens come from, by size of the working set"));
  chart_card->setProperty("help", QStringLiteral("predict.chart"));
  chart_card->body()->setSpacing(0);
  reading_ = label(QString(), "secondary");
  reading_->setFont(theme().font(TextSize::Chart));
  reading_->setObjectName(QStringLiteral("predict.reading"));
  rule_note_ = label(QString(), "caption");
  visits_ = new Segments(QStringLiteral("predict.visits"), {tr("Revisits"), tr("All visits")});
  tier_ = new Segments(QStringLiteral("predict.tier"), {tr("Tier on"), tr("Tier off")});
  connect(visits_, &Segments::chosen, this, &PredictPage::recompute);
  connect(tier_, &Segments::chosen, this, &PredictPage::update_results);
  auto* save = new QPushButton;
  theme().set_icon(save, QStringLiteral("exp"));
  save->setObjectName(QStringLiteral("predict.export"));
  save->setProperty("flat", true);
  save->setToolTip(tr("Export this chart (Ctrl+E)"));
  save->setAccessibleName(tr("Export chart"));
  connect(save, &QPushButton::clicked, this, &PredictPage::export_view);
  chart_card->header()->addWidget(visits_);
  chart_card->header()->addWidget(tier_);
  chart_card->header()->addWidget(save);
  chart_ = new CliffChart(theme());
  connect(chart_, &Plot::export_failed, this, [this](const QString& s) {
    strips().show_message({QStringLiteral("export"), StripMessage::Level::Fail, tr("Not exported"), s, {}, {}});
  });
  connect(chart_, &CliffChart::crosshair_moved, this, [this](const QString& text) {
    reading_->setText(text);
    rule_note_->setVisible(text.isEmpty());
  });
  connect(chart_, &CliffChart::marker_moved, this, [this](double blocks) {
    if (chart_->shape().over_capacity) return set_gpu_blocks(std::round(blocks));
    const double f = document_blocks();
    const double documents = f > 0 ? blocks / f : 1;
    if (f > 0 && std::fabs(documents - std::round(documents)) < 1e-6 && documents >= 1) {
      dragged_ = -1;
      edit(tr("working set"), 15, [&](plan::Plan& p) { p.workload.documents = std::llround(documents); });
    } else {
      dragged_ = blocks;  // between whole documents: shown, but no plan's value
      update_results();
    }
  });
  connect(chart_, &CliffChart::marker_reset, this, [this] {
    dragged_ = -1;
    update_results();
  });
  connect(chart_, &CliffChart::gpu_moved, this, &PredictPage::set_gpu_blocks);
  connect(chart_, &CliffChart::host_moved, this, &PredictPage::set_host_blocks);
  chart_card->body()->addWidget(chart_, 1);
  auto* foot = new QHBoxLayout;
  foot->addWidget(reading_);
  foot->addWidget(rule_note_);
  foot->addStretch(1);
  chart_card->body()->addLayout(foot);
  column->addWidget(chart_card, 1);
}

void PredictPage::build_cells(QVBoxLayout* column) {
  auto* row = new QHBoxLayout;
  row->setSpacing(12);
  const auto cell = [&](Card** card, QVBoxLayout** rows, const QString& title, const char* name, int stretch) {
    *card = new Card(theme(), title);
    (*card)->setObjectName(QLatin1String(name));
    *rows = (*card)->body();
    (*rows)->setSpacing(3);
    row->addWidget(*card, stretch);
  };
  cell(&revisit_cell_, &revisit_rows_, tr("One revisit"), "predict.cell.revisit", 10);
  cell(&edges_cell_, &edges_rows_, tr("The cliff"), "predict.cell.edges", 12);
  cell(&times_cell_, &times_rows_, tr("TTFT, a guess"), "predict.cell.times", 10);
  times_cell_->setProperty("help", QStringLiteral("predict.times"));
  gpu_class_ = new QComboBox;
  gpu_class_->setObjectName(QStringLiteral("predict.gpuClass"));
  gpu_class_->setAccessibleName(tr("GPU class"));
  gpu_class_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  gpu_class_->setMinimumContentsLength(4);
  gpu_class_->setToolTip(tr("The guess rests on public or recorded figures of this GPU. A calibration arm replaces it by a fit."));
  for (const analysis::GpuClass& g : analysis::gpu_classes()) gpu_class_->addItem(QString::fromUtf8(g.name.data(), int(g.name.size())));
  connect(gpu_class_, &QComboBox::activated, this, &PredictPage::update_times);
  times_cell_->header()->addWidget(gpu_class_);
  cell(&kept_cell_, &kept_rows_, tr("Kept scenarios"), "predict.cell.kept", 10);
  kept_cell_->setVisible(false);
  column->addLayout(row);
}

void PredictPage::update_sentence() {
  const PredictionState& s = prediction_.state();
  const plan::Plan& p = document().plan();
  const double w = working_set();
  const double gpu = double(s.config.gpu_blocks), host = double(s.config.host_chunks * s.config.blocks_per_chunk);
  if (chart_->shape().over_capacity) set_subtitle(tr("the cliff for %1, %2").arg(model_words(p.model), trace_name_->text()));
  else
    set_subtitle(tr("the cliff for %1, %2 documents, %3")
                   .arg(model_words(p.model), exact(p.workload.documents), order_->currentText().toLower()));
  QString title, detail, result;
  const char* color = "text3";
  if (s.sizes_why.isEmpty() && chart_->shape().over_capacity) return update_stream();
  if (!s.sizes_why.isEmpty()) {
    title = tr("This workload cannot be predicted.");
    detail = s.sizes_why;
    result = tr("not possible");
    color = "notpossible";
  } else if (s.sizes && s.points.empty()) {
    title = tr("Documents shorter than one block: nothing is ever cached.");
    detail = tr("Only full blocks of %1 tokens are cached, and a document has %2.").arg(exact(p.capacity.block_size), exact(p.workload.tokens));
    result = tr("no reuse");
  } else {
    const CliffPoint at = chart_->shape().at(w);
    const bool tier_useless = host > 0 && host <= gpu;
    const double reach = std::max(1e-9, 1.0);
    const QString shares = tr("Of the prompt tokens of a revisit %1 are hit on the GPU, %2 loaded from the host, %3 computed.")
                               .arg(share_percent(at.gpu), share_percent(at.host), share_percent(std::max(0.0, reach - at.gpu - at.host)));
    if (w + 1 <= gpu) {
      title = tr("Fits the GPU cache: the tier cannot help.");
      detail = shares;
      result = tr("fits GPU");
      color = "gpu_hit_text";
    } else if (host <= 0) {
      title = tr("Does not fit the GPU cache, and there is no host tier.");
      detail = shares + QLatin1Char(' ') + tr("A tier of %1 blocks would hold the working set.").arg(exact(qint64(std::ceil(w))));
      result = tr("no tier");
      color = "computed_text";
    } else if (tier_useless) {
      title = tr("Host tier not larger than the GPU cache: it gives nothing.");
      detail = tr("It is inclusive: what it holds, the GPU holds too. It begins to help above %1 blocks; %2 would hold the working set.")
                   .arg(exact(qint64(gpu)), exact(qint64(std::ceil(w))));
      result = tr("gives nothing");
      color = "computed_text";
    } else if (w <= host) {
      title = tr("Fits the host tier, not the GPU cache: the tier can serve every revisit.");
      detail = shares + QLatin1Char(' ') + tr("Without the tier, what it loads is computed again.");
      result = tr("fits host");
      color = "host_loaded_text";
    } else {
      title = at.gpu + at.host > 0.005 ? tr("Larger than the host tier: part of the reuse is lost.") : tr("Fits neither: the tier gives nothing and only costs.");
      detail = shares + QLatin1Char(' ') + tr("%1 blocks of host tier would hold the working set.").arg(exact(qint64(std::ceil(w))));
      result = tr("fits neither");
      color = "computed_text";
    }
  }
  sentence_->setText(title);
  sentence_detail_->setText(detail);
  sentence_bar_->setStyleSheet(QStringLiteral("background: %1; border: 0; border-radius: 2px;").arg(theme().color(color).name()));
  emit result_changed(result, color);
  QString note;
  if (host > 0) {
    note = rule_->currentIndex() == 0   ? tr("Host rule: recency set once, when a request finishes (vLLM 0.31 on): a steep edge")
           : rule_->currentIndex() == 1 ? tr("Host rule: random order inside a transfer (vLLM 0.26): a step; the band holds every order")
                                        : tr("Host rule: every look-up touches (vLLM up to 0.25): a ramp one document wide");
    if (!s.exact) note += tr(". One-pass bound shown, exact points follow");
  }
  rule_note_->setText(note);
}

void PredictPage::update_cells() {
  const PredictionState& s = prediction_.state();
  const plan::Plan& p = document().plan();
  if (chart_->shape().over_capacity) {  // written with its sentence
    if (!s.sizes_why.isEmpty())
      for (QVBoxLayout* rows : {revisit_rows_, edges_rows_}) clear_layout(rows);
    return;
  }
  const CliffPoint at = chart_->shape().at(working_set());
  const double n = double(p.workload.tokens);
  clear_layout(revisit_rows_);
  revisit_cell_->set_title(tr("One revisit, %1 tokens, on average").arg(exact(p.workload.tokens)));
  const auto row = [&](const QString& name, double share) {
    revisit_rows_->addLayout(value_row(theme(), name, QLocale().toString(share * n, 'f', std::fabs(share * n - std::round(share * n)) < 0.05 ? 0 : 1), tr("tokens")));
  };
  row(tr("GPU hit"), at.gpu);
  row(tr("host loaded"), at.host);
  row(tr("computed"), std::max(0.0, 1 - at.gpu - at.host));
  if (s.layout)
    revisit_rows_->addLayout(value_row(theme(), tr("moved"), exact(qint64(std::llround(at.host * n * double(s.layout->bytes_per_token_all_ranks)))), tr("bytes")));

  align_units(revisit_rows_);
  update_times();
  edges_cell_->set_title(tr("The cliff"));
  clear_layout(edges_rows_);
  const double bytes = double(block_bytes());
  const double f = std::max(1.0, document_blocks());
  const auto edge_row = [&](const QString& name, std::int64_t blocks) {
    if (blocks <= 0) {
      edges_rows_->addLayout(value_row(theme(), name, tr("not in view"), {}));
      return;
    }
    QString unit = tr("blocks");
    if (bytes > 0) unit += tr(" \u00b7 %1 GiB").arg(gib(qint64(double(blocks) * bytes)));
    edges_rows_->addLayout(value_row(theme(), name, exact(blocks), unit, tr("%1 documents").arg(ratio(double(blocks) / f, 1))));
  };
  const auto gpu_edge = cache::find_edge(s.points, false);
  const auto host_edge = cache::find_edge(s.points, true);
  const bool tier = s.config.host_chunks > 0;
  if (gpu_edge) {
    edge_row(tr("all on the GPU to"), gpu_edge->last_full);
    edge_row(tr("half gone at"), gpu_edge->half);
  }
  if (tier && host_edge) {
    edge_row(tr("tier: all reused to"), host_edge->last_full);
    edge_row(tr("tier: half gone at"), host_edge->half);
  }
  align_units(edges_rows_);
  // A document shorter than one block has no size to be found at.
  if (s.sizes && s.sizes->sizes().empty()) chart_->set_histogram({}, {});
  if (s.sizes && !s.sizes->sizes().empty()) {
    const auto sizes = s.sizes->sizes();
    std::size_t index = 0;
    while (index + 1 < sizes.size() && double(sizes[index]) < working_set() - 0.5) ++index;
    const auto& counts = s.sizes->curve(index).revisits();
    std::vector<DistanceBin> bins;
    std::int64_t total = 0, low = 0, high = 0;
    const std::int64_t width = std::max<std::int64_t>(1, std::int64_t(chart_->shape().max_blocks / 160));
    for (std::size_t d = 0; d < counts.size(); ++d) {
      if (counts[d] == 0) continue;
      const std::int64_t distance = std::int64_t(d) + 1;
      if (low == 0) low = distance;
      high = distance;
      total += counts[d];
      const std::int64_t from = (distance - 1) / width * width + 1;
      if (bins.empty() || bins.back().from != from) bins.push_back({from, from + width - 1, 0});
      bins.back().count += counts[d];
    }
    chart_->set_histogram(std::move(bins), total > 0 ? tr("all %1 block revisits: %2 to %3").arg(exact(total), exact(low), exact(high)) : QString());
  }
}

void PredictPage::update_times() {
  clear_layout(times_rows_);
  const PredictionState& s = prediction_.state();
  const plan::Plan& p = document().plan();
  const auto sentence = [&](const QString& text) {
    auto* l = label(text, "secondary");
    l->setWordWrap(true);
    times_rows_->addWidget(l);
  };
  if (chart_->shape().over_capacity) return sentence(tr("Its prompts have many lengths: a guess needs one."));
  if (!s.layout || !s.layout->dimensions.active_linear_parameters || !s.layout->dimensions.heads || !s.layout->dimensions.head_dim) {
    sentence(s.layout ? QString::fromStdString(s.layout->dimensions.why.empty() ? "The model's config does not say how many weights a token passes." : s.layout->dimensions.why)
                      : s.layout_why);
    return;
  }
  const auto& d = s.layout->dimensions;
  const double ranks = std::max(1, p.model.tp);
  const analysis::PrefillShape shape{double(*d.active_linear_parameters) / ranks, double(d.layers.value_or(0)), double(*d.heads) / ranks,
                                     double(*d.head_dim), 0};
  const analysis::GpuClass& gpu = analysis::gpu_classes()[std::size_t(std::max(0, gpu_class_->currentIndex()))];
  const analysis::TtftModel guess = analysis::a_priori(shape, gpu);
  const double n = double(p.workload.tokens), tail = std::max(1.0, double(p.workload.tokens % p.capacity.block_size));
  const double bytes = (n - tail) * double(s.layout->bytes_per_token_per_rank);
  const auto row = [&](Source source, const QString& name, double ms) {
    auto* line = value_row(theme(), name, ttft_ms(qint64(ms * 1e6)), tr("ms"), QString::fromStdString(guess.origin));
    auto* mark = new QLabel;
    mark->setFixedSize(11, 11);
    mark->setStyleSheet(QStringLiteral("background: %1; border: 1px solid %2; border-radius: 2px").arg(theme().fill(source).name(), theme().edge(source).name()));
    line->insertWidget(0, mark);
    times_rows_->addLayout(line);
  };
  row(Source::gpu_hit, tr("GPU hit"), guess.at(tail, n - tail, 0));
  row(Source::host_loaded, tr("host loaded"), guess.at(tail, n - tail, bytes));
  row(Source::computed, tr("computed"), guess.at(n, 0, 0));
  const auto even = analysis::break_even(guess, double(s.layout->bytes_per_token_per_rank));
  if (even.value) times_rows_->addLayout(value_row(theme(), tr("loading wins from"), tr("about %1").arg(exact(qint64(std::ceil(even.value->tokens)))), tr("tokens")));
  align_units(times_rows_);
}

}  // namespace kvcliff::ui
