// SPDX-License-Identifier: GPL-3.0-or-later
// The input column of Predict: model, GPU cache, host tier, workload.
#include <QComboBox>
#include <QCompleter>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSlider>
#include <cmath>

#include "model/capacity.h"
#include "ui/bridge/document.h"
#include "ui/charts/cliff_chart.h"
#include "ui/pages/predict_page.h"
#include "ui/theme/numbers.h"
#include "ui/widgets/card.h"
#include "ui/widgets/number_field.h"
#include "ui/widgets/segments.h"

namespace kvcliff::ui {
namespace {

constexpr double most_blocks = 1e8;

QHBoxLayout* field_row(const Theme& theme, const QString& name, QWidget* field) {
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  auto* l = label(name, "secondary");
  l->setFixedWidth(theme.px(84));
  l->setBuddy(field);
  row->addWidget(l);
  row->addWidget(field, 1);
  return row;
}

QLabel* title(const Theme& theme, const QString& text) {
  auto* l = new QLabel(text);
  l->setFont(theme.font(TextSize::CardTitle));
  return l;
}

QLabel* fault_label(const char* name) {
  auto* l = label(QString(), "error");
  l->setObjectName(QLatin1String(name));
  l->setWordWrap(true);
  l->setVisible(false);
  return l;
}

void show_text(QLabel* l, const QString& text) {
  l->setText(text);
  l->setVisible(!text.isEmpty());
}

}  // namespace

QWidget* PredictPage::capacity_group(const QString& name, const QString& key, NumberField** blocks, NumberField** tokens,
                                     NumberField** gib_field, QLabel** note) {
  auto* box = new QWidget;
  auto* column = new QVBoxLayout(box);
  column->setContentsMargins(14, 10, 14, 8);
  column->setSpacing(4);
  column->addWidget(title(theme(), name));
  auto* grid = new QGridLayout;
  grid->setHorizontalSpacing(8);
  grid->setVerticalSpacing(2);
  *blocks = new NumberField(QStringLiteral("predict.%1.blocks").arg(key), tr("%1, blocks").arg(name), 0, most_blocks, 0, box);
  *tokens = new NumberField(QStringLiteral("predict.%1.tokens").arg(key), tr("%1, tokens").arg(name), 0, most_blocks * 64, 0, box);
  *gib_field = new NumberField(QStringLiteral("predict.%1.gib").arg(key), tr("%1, GiB").arg(name), 0, 1e6, 3, box);
  int c = 0;
  for (const auto& [text, field] : {std::pair(tr("blocks"), *blocks), std::pair(tr("tokens"), *tokens), std::pair(tr("GiB"), *gib_field)}) {
    grid->addWidget(label(text, "caption"), 0, c);
    grid->addWidget(field, 1, c++);
    field->setToolTip(tr("Blocks, tokens and GiB are three views of one value"));
  }
  column->addLayout(grid);
  *note = label(QString(), "caption");
  (*note)->setWordWrap(true);
  column->addWidget(*note);
  return box;
}

void PredictPage::build_inputs(QVBoxLayout* column) {
  auto* scroll = new QScrollArea;
  scroll->setFixedWidth(theme().px(304));
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* card = new QFrame;
  card->setProperty("card", true);
  auto* groups = new QVBoxLayout(card);
  groups->setContentsMargins(0, 0, 0, 4);
  groups->setSpacing(0);
  scroll->setWidget(card);
  column->addWidget(scroll);

  // Model
  auto* model_box = new QWidget;
  auto* model_column = new QVBoxLayout(model_box);
  model_column->setContentsMargins(14, 10, 14, 8);
  model_column->setSpacing(5);
  model_column->addWidget(title(theme(), tr("Model")));
  model_ = new QComboBox;
  model_->setObjectName(QStringLiteral("predict.model"));
  model_->setAccessibleName(tr("Model"));
  model_->setEditable(true);
  model_->setInsertPolicy(QComboBox::NoInsert);
  model_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  model_->setMinimumContentsLength(6);
  for (const auto& e : prediction_.catalogue()) model_->addItem(QString::fromStdString(e.id), QString::fromStdString(e.id));
  model_->completer()->setFilterMode(Qt::MatchContains);
  model_->completer()->setCompletionMode(QCompleter::PopupCompletion);
  model_->setToolTip(tr("Model of the catalogue (type to search), or drop a config.json onto the window"));
  connect(model_, &QComboBox::textActivated, this, [this](const QString& id) {
    edit(tr("model"), 0, [&](plan::Plan& p) {
      p.model.id = id.toStdString();
      p.model.config.clear();
    });
  });
  model_column->addLayout(field_row(theme(), tr("Model"), model_));
  dtype_ = new QComboBox;
  dtype_->setObjectName(QStringLiteral("predict.dtype"));
  dtype_->setAccessibleName(tr("KV dtype"));
  dtype_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  dtype_->setMinimumContentsLength(3);
  for (const char* d : {"auto", "bfloat16", "fp8", "fp8_e5m2"}) dtype_->addItem(QLatin1String(d));
  connect(dtype_, &QComboBox::textActivated, this, [this](const QString& d) {
    edit(tr("KV dtype"), 0, [&](plan::Plan& p) { p.model.kv_dtype = d.toStdString(); });
  });
  tp_ = new NumberField(QStringLiteral("predict.tp"), tr("Tensor parallel size"), 1, 1024);
  pp_ = new NumberField(QStringLiteral("predict.pp"), tr("Pipeline parallel size"), 1, 1024);
  tp_->set_unit(QStringLiteral("TP"));
  pp_->set_unit(QStringLiteral("PP"));
  connect(tp_, &NumberField::edited, this, [this](double v) { edit(tr("tensor parallel size"), 13, [&](plan::Plan& p) { p.model.tp = int(v); }); });
  connect(pp_, &NumberField::edited, this, [this](double v) { edit(tr("pipeline parallel size"), 14, [&](plan::Plan& p) { p.model.pp = int(v); }); });
  auto* dtype_row = field_row(theme(), tr("KV dtype"), dtype_);
  dtype_row->addWidget(tp_, 1);
  dtype_row->addWidget(pp_, 1);
  model_column->addLayout(dtype_row);
  auto* bytes_row = new QHBoxLayout;
  bytes_per_token_ = new QLabel;
  bytes_per_token_->setObjectName(QStringLiteral("predict.bytesPerToken"));
  bytes_per_token_->setFont(theme().font(TextSize::PageTitle));
  bytes_row->addWidget(bytes_per_token_);
  bytes_row->addWidget(label(tr("bytes per token"), "secondary"));
  bytes_row->addStretch(1);
  auto* why = new QPushButton;
  theme().set_icon(why, QStringLiteral("fx"));
  why->setObjectName(QStringLiteral("predict.why"));
  why->setProperty("flat", true);
  why->setToolTip(tr("Where this number comes from, factor by factor"));
  why->setAccessibleName(tr("Derivation of bytes per token"));
  connect(why, &QPushButton::clicked, this, &PredictPage::show_derivation);
  bytes_row->addWidget(why);
  model_column->addLayout(bytes_row);
  bytes_note_ = label(QString(), "caption");
  bytes_note_->setWordWrap(true);
  model_column->addWidget(bytes_note_);
  model_fault_ = fault_label("predict.model.fault");
  model_column->addWidget(model_fault_);
  groups->addWidget(model_box);
  groups->addWidget(separator());

  // Capacities
  groups->addWidget(capacity_group(tr("GPU cache"), QStringLiteral("gpu"), &gpu_blocks_, &gpu_tokens_, &gpu_gib_, &gpu_note_));
  groups->addWidget(separator());
  auto* host_box = capacity_group(tr("Host tier"), QStringLiteral("host"), &host_blocks_, &host_tokens_, &host_gib_, &host_note_);
  rule_ = new QComboBox;
  rule_->setObjectName(QStringLiteral("predict.rule"));
  rule_->setAccessibleName(tr("Host rule"));
  rule_->addItems({tr("vLLM 0.31 and later"), tr("vLLM 0.26"), tr("vLLM up to 0.25")});
  rule_->setToolTip(tr("When a host entry becomes recent: at the end of a request (steep edge), in random order inside a transfer (a step, "
                       "shown as a band), or at every look-up (a ramp)"));
  connect(rule_, &QComboBox::activated, this, [this] { recompute(); });
  static_cast<QVBoxLayout*>(host_box->layout())->addLayout(field_row(theme(), tr("Host rule"), rule_));
  groups->addWidget(host_box);
  groups->addWidget(separator());
  connect(gpu_blocks_, &NumberField::edited, this, &PredictPage::set_gpu_blocks);
  connect(gpu_tokens_, &NumberField::edited, this, [this](double v) { set_gpu_blocks(std::floor(v / double(document().plan().capacity.block_size))); });
  connect(gpu_gib_, &NumberField::edited, this, [this](double v) {
    if (block_bytes() > 0) set_gpu_blocks(std::floor(v * 1073741824.0 / double(block_bytes())));
  });
  connect(host_blocks_, &NumberField::edited, this, &PredictPage::set_host_blocks);
  connect(host_tokens_, &NumberField::edited, this, [this](double v) { set_host_blocks(std::floor(v / double(document().plan().capacity.block_size))); });
  connect(host_gib_, &NumberField::edited, this, [this](double v) {
    if (block_bytes() > 0) set_host_blocks(std::floor(v * 1073741824.0 / double(block_bytes())));
  });

  // Workload
  auto* work_box = new QWidget;
  auto* work = new QVBoxLayout(work_box);
  work->setContentsMargins(14, 10, 14, 8);
  work->setSpacing(5);
  work->addWidget(title(theme(), tr("Workload")));
  documents_ = new NumberField(QStringLiteral("predict.documents"), tr("Documents"), 1, 100'000);
  rounds_ = new NumberField(QStringLiteral("predict.rounds"), tr("Rounds"), 1, 100'000);
  tokens_ = new NumberField(QStringLiteral("predict.tokens"), tr("Tokens of a document"), 1, 10'000'000);
  shared_ = new NumberField(QStringLiteral("predict.shared"), tr("Shared prefix, tokens"), 0, 10'000'000);
  auto* first = field_row(theme(), tr("Documents"), documents_);
  first->addWidget(label(tr("rounds"), "secondary"));
  first->addWidget(rounds_, 1);
  work->addLayout(first);
  work->addLayout(field_row(theme(), tr("Tokens each"), tokens_));
  tokens_note_ = label(QString(), "caption");
  tokens_note_->setAlignment(Qt::AlignRight);
  work->addWidget(tokens_note_);
  work->addLayout(field_row(theme(), tr("Shared prefix"), shared_));
  order_ = new QComboBox;
  order_->setObjectName(QStringLiteral("predict.order"));
  order_->setAccessibleName(tr("Revisit order"));
  order_->addItems({tr("Cyclic"), tr("Random"), tr("Zipf"), tr("Reverse")});
  work->addLayout(field_row(theme(), tr("Revisit order"), order_));
  auto* slider_row = new QHBoxLayout;
  slider_row->addWidget(label(tr("Working set"), "secondary"));
  slider_row->addStretch(1);
  slider_value_ = new QLabel;
  slider_value_->setFont(theme().font(TextSize::CardTitle));
  slider_row->addWidget(slider_value_);
  work->addLayout(slider_row);
  slider_ = new QSlider(Qt::Horizontal);
  slider_->setObjectName(QStringLiteral("predict.slider"));
  slider_->setAccessibleName(tr("Working set in multiples of the GPU cache"));
  slider_->setRange(1, 400);
  slider_->setToolTip(tr("Working set as a multiple of the GPU cache"));
  work->addWidget(slider_);
  workload_fault_ = fault_label("predict.workload.fault");
  work->addWidget(workload_fault_);
  groups->addWidget(work_box);
  groups->addStretch(1);
  connect(documents_, &NumberField::edited, this, [this](double v) { edit(tr("documents"), 15, [&](plan::Plan& p) { p.workload.documents = std::int64_t(v); }); });
  connect(rounds_, &NumberField::edited, this, [this](double v) { edit(tr("rounds"), 16, [&](plan::Plan& p) { p.workload.rounds = std::int64_t(v); }); });
  connect(tokens_, &NumberField::edited, this, [this](double v) { edit(tr("tokens of a document"), 17, [&](plan::Plan& p) { p.workload.tokens = std::int64_t(v); }); });
  connect(shared_, &NumberField::edited, this, [this](double v) { edit(tr("shared prefix"), 18, [&](plan::Plan& p) { p.workload.shared_prefix_tokens = std::int64_t(v); }); });
  connect(order_, &QComboBox::activated, this, [this](int i) { edit(tr("revisit order"), 0, [&](plan::Plan& p) { p.workload.order = workload::Spec::Order(i); }); });
  connect(slider_, &QSlider::valueChanged, this, [this](int v) {
    const double blocks = v / 100.0 * double(document().plan().capacity.gpu_blocks - 1);
    const auto documents = std::max<std::int64_t>(1, std::llround(blocks / std::max(1.0, document_blocks())));
    edit(tr("working set"), 15, [&](plan::Plan& p) { p.workload.documents = documents; });
  });
  for (NumberField* f : {tp_, pp_})
    connect(f, &NumberField::fault_changed, model_fault_, [this](const QString& s) { show_text(model_fault_, s); });
  for (NumberField* f : {documents_, rounds_, tokens_, shared_})
    connect(f, &NumberField::fault_changed, workload_fault_, [this](const QString& s) { show_text(workload_fault_, s); });
}

void PredictPage::update_inputs() {
  updating_ = true;
  const plan::Plan& p = document().plan();
  const QString name = p.model.config.empty() ? QString::fromStdString(p.model.id) : QString::fromStdString(p.model.config);
  const auto entry = model::find(prediction_.catalogue(), p.model.id);
  const int at = entry && p.model.config.empty() ? model_->findData(QString::fromStdString((*entry)->id)) : -1;
  if (at >= 0) model_->setCurrentIndex(at);
  else model_->setEditText(name);
  dtype_->setCurrentText(QString::fromStdString(p.model.kv_dtype));
  tp_->set_value(p.model.tp);
  pp_->set_value(p.model.pp);
  documents_->set_value(double(p.workload.documents));
  rounds_->set_value(double(p.workload.rounds));
  tokens_->set_value(double(p.workload.tokens));
  shared_->set_value(double(p.workload.shared_prefix_tokens));
  order_->setCurrentIndex(int(p.workload.order));
  const std::int64_t block = std::max<std::int64_t>(1, p.capacity.block_size);
  tokens_note_->setText(tr("%1 blocks + %2 tokens").arg(exact(p.workload.tokens / block)).arg(exact(p.workload.tokens % block)));
  QString fault;
  for (const auto& f : document().faults())
    if (f.field.rfind("workload", 0) == 0) fault = QString::fromStdString(f.what);
  show_text(workload_fault_, fault);
  updating_ = false;
}

void PredictPage::update_results() {
  updating_ = true;
  const PredictionState& s = prediction_.state();
  const plan::Plan& p = document().plan();
  const double block = double(p.capacity.block_size), bytes = double(block_bytes());
  show_text(model_fault_, s.layout_why);
  bytes_per_token_->setText(s.layout ? exact(s.layout->bytes_per_token) : tr("unknown"));
  QStringList words;
  if (s.layout)
    for (const auto& g : s.layout->groups)
      words << tr("%1 %2 layers").arg(g.layers).arg(QString::fromStdString(std::string(model::to_string(g.kind))).replace(QLatin1Char('_'), QLatin1Char(' ')));
  if (s.layout) words << QString::fromStdString(s.layout->kv_dtype);
  bytes_note_->setText(words.join(QStringLiteral(" \u00b7 ")));
  const auto capacity = [&](NumberField* blocks, NumberField* tokens, NumberField* gib_field, double n) {
    blocks->set_value(n);
    tokens->set_value(n * block);
    gib_field->set_value(n * bytes / 1073741824.0);
    gib_field->setEnabled(bytes > 0);
  };
  const double gpu = double(s.config.gpu_blocks), host = double(s.config.host_chunks * s.config.blocks_per_chunk);
  capacity(gpu_blocks_, gpu_tokens_, gpu_gib_, gpu);
  capacity(host_blocks_, host_tokens_, host_gib_, host);
  const double f = std::max(1.0, document_blocks());
  gpu_note_->setText(tr("%1 allocated less 1 null block \u00b7 %2 documents").arg(exact(p.capacity.gpu_blocks)).arg(ratio(gpu / f)));
  host_note_->setText(p.capacity.host_bytes > 0 ? tr("%1 bytes \u00b7 %2 documents \u00b7 inclusive").arg(exact(p.capacity.host_bytes)).arg(ratio(host / f))
                                                : tr("no tier"));
  {
    const QSignalBlocker quiet(slider_);
    slider_->setValue(gpu > 0 ? int(std::lround(working_set() / gpu * 100)) : 0);
  }
  slider_value_->setText(gpu > 0 ? tr("%1 \u00d7 GPU cache").arg(ratio(working_set() / gpu)) : QString());
  updating_ = false;

  const bool tier = tier_->current() == 0 && s.config.host_chunks > 0;
  CliffShape shape;
  shape.document_blocks = p.workload.shared_prefix_tokens < p.capacity.block_size ? f : 0;
  shape.max_blocks = s.points.empty() ? std::max(1.0, f * 4) : double(s.points.back().blocks);
  shape.bound_only = !s.exact;
  for (const auto& pt : s.points)
    shape.points.push_back({double(pt.blocks), pt.gpu, tier ? pt.host : 0, tier ? pt.host_low : 0, tier ? pt.host_high : 0});
  chart_->set_capacities(gpu, tier ? host : 0, bytes);
  chart_->set_shape(shape);
  chart_->set_marker(working_set());
  update_sentence();
  update_cells();
  emit status(tr("Curve: %1 sizes, %2, %3 ms").arg(s.points.size()).arg(s.exact ? tr("exact") : tr("one-pass bound")).arg(ratio(s.milliseconds, 1)));
}

}  // namespace kvcliff::ui
