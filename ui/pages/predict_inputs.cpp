// SPDX-License-Identifier: GPL-3.0-or-later
// The input column of Predict: model, GPU cache, host tier. The workload: predict_workload.cpp.
#include <QComboBox>
#include <QCompleter>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSlider>
#include <cmath>

#include "cache/rules.h"
#include "model/capacity.h"
#include "ui/bridge/document.h"
#include "ui/bridge/model_sizes.h"
#include "ui/charts/cliff_chart.h"
#include "ui/pages/predict_fields.h"
#include "ui/pages/predict_page.h"
#include "ui/theme/numbers.h"
#include "ui/theme/plain_text.h"
#include "ui/widgets/card.h"
#include "ui/widgets/number_field.h"
#include "ui/widgets/segments.h"

namespace kvcliff::ui {
namespace {

constexpr double most_blocks = 999'999'999;  // a plan may have 10^9, the null block included

}  // namespace

QWidget* PredictPage::capacity_group(const QString& name, const QString& key, const QString& place, const QString& rest, NumberField** blocks, NumberField** tokens,
                                     NumberField** gib_field, QLabel** note) {
  auto* box = new QWidget;
  auto* column = new QVBoxLayout(box);
  column->setContentsMargins(14, 10, 14, 8);
  column->setSpacing(4);
  column->addWidget(group_title(theme(), name));
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
  fault_row(column, QStringLiteral("predict.%1").arg(key), {{rest, nullptr}, {place, *blocks}, {place, *tokens}, {place, *gib_field}});
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
  model_column->addWidget(group_title(theme(), tr("Model")));
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
  connect(model_, &QComboBox::textActivated, this, [this](const QString& id) { read_model(id, true); });
  connect(model_->lineEdit(), &QLineEdit::textEdited, this, [this](const QString& text) { read_model(text, false); });
  connect(model_->lineEdit(), &QLineEdit::editingFinished, this, [this] { read_model(model_->lineEdit()->text(), true); });
  model_column->addLayout(input_row(theme(), tr("Model"), model_));
  fault_row(model_column, QStringLiteral("predict.model"), {{QStringLiteral("model"), model_}});
  dtype_ = new QComboBox;
  dtype_->setObjectName(QStringLiteral("predict.dtype"));
  dtype_->setAccessibleName(tr("KV dtype"));
  dtype_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  dtype_->setMinimumContentsLength(3);
  for (const char* d : {"auto", "bfloat16", "fp8", "fp8_e5m2"}) dtype_->addItem(QLatin1String(d));
  connect(dtype_, &QComboBox::textActivated, this, [this](const QString& d) {
    edit(tr("KV dtype"), 0, [&](plan::Plan& p) { p.model.kv_dtype = d.toStdString(); });
  });
  tp_ = new NumberField(QStringLiteral("predict.tp"), tr("Tensor parallel size"), 1, 4096);
  pp_ = new NumberField(QStringLiteral("predict.pp"), tr("Pipeline parallel size"), 1, 4096);
  tp_->set_unit(QStringLiteral("TP"));
  pp_->set_unit(QStringLiteral("PP"));
  connect(tp_, &NumberField::edited, this, [this](double v) { edit(tr("tensor parallel size"), 13, [&](plan::Plan& p) { p.model.tp = int(v); }); });
  connect(pp_, &NumberField::edited, this, [this](double v) { edit(tr("pipeline parallel size"), 14, [&](plan::Plan& p) { p.model.pp = int(v); }); });
  model_column->addLayout(input_row(theme(), tr("KV dtype"), dtype_));
  auto* ranks_row = input_row(theme(), tr("Parallel"), tp_);
  ranks_row->addWidget(pp_, 1);
  model_column->addLayout(ranks_row);
  fault_row(model_column, QStringLiteral("predict.parallel"), {{QStringLiteral("model.kv_dtype"), dtype_}, {QStringLiteral("model.tp"), tp_}, {QStringLiteral("model.pp"), pp_}});
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
  layout_fault_ = label(QString(), "error");
  layout_fault_->setObjectName(QStringLiteral("predict.layout.fault"));
  layout_fault_->setWordWrap(true);
  layout_fault_->hide();
  model_column->addWidget(layout_fault_);
  groups->addWidget(model_box);
  groups->addWidget(separator());

  // Capacities
  groups->addWidget(capacity_group(tr("GPU cache"), QStringLiteral("gpu"), QStringLiteral("capacity.gpu_blocks"), QStringLiteral("capacity"), &gpu_blocks_, &gpu_tokens_, &gpu_gib_, &gpu_note_));
  groups->addWidget(separator());
  auto* host_box = capacity_group(tr("Host tier"), QStringLiteral("host"), QStringLiteral("capacity.host_bytes"), QStringLiteral("capacity.offload"), &host_blocks_, &host_tokens_, &host_gib_, &host_note_);
  rule_ = new QComboBox;
  rule_->setObjectName(QStringLiteral("predict.rule"));
  rule_->setAccessibleName(tr("Host rule"));
  rule_->addItems({tr("vLLM 0.31 and later"), tr("vLLM 0.26"), tr("vLLM up to 0.25")});
  rule_->setToolTip(tr("When a host entry becomes recent: at the end of a request (steep edge), in random order inside a transfer (a step, "
                       "shown as a band), or at every look-up (a ramp)"));
  connect(rule_, &QComboBox::activated, this, [this] { recompute(); });
  static_cast<QVBoxLayout*>(host_box->layout())->addLayout(input_row(theme(), tr("Host rule"), rule_));
  gpu_note_->setToolTip(tr("Blocks that are allocated, less the null block, which holds no tokens"));
  host_note_->setToolTip(tr("The tier is inclusive: what the GPU holds, it holds too"));
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

  build_workload(groups);
  groups->addStretch(1);
}

void PredictPage::update_inputs() {
  updating_ = true;
  const plan::Plan& p = document().plan();
  const QString whole = QString::fromStdString(p.model.config.empty() ? p.model.id : p.model.config);
  // A name that is to be mended stays until another model is in force.
  if (whole != shown_model_ || (model_fault_.isEmpty() && !model_->lineEdit()->isModified())) {
    shown_model_ = whole;
    model_fault_.clear();
    const auto entry = model::find(prediction_.catalogue(), p.model.id);
    const int at = entry && p.model.config.empty() ? model_->findData(QString::fromStdString((*entry)->id)) : -1;
    if (at >= 0) model_->setCurrentIndex(at);
    else model_->setEditText(model_words(p.model));
  }
  model_->setProperty("tip", (p.model.config.empty() ? QString() : shown(whole) + QLatin1Char('\n')) + tr("Model of the catalogue (type to search), the path of a config.json, or drop one onto the window"));
  // A word of the plan file that is not in the list is shown all the same.
  const QString dtype = QString::fromStdString(p.model.kv_dtype);
  if (dtype_->findText(dtype) < 0) dtype_->addItem(dtype);
  dtype_->setCurrentText(dtype);
  tp_->set_value(p.model.tp);
  pp_->set_value(p.model.pp);
  documents_->set_value(double(p.workload.documents));
  rounds_->set_value(double(p.workload.rounds));
  tokens_->set_value(double(p.workload.tokens));
  shared_->set_value(double(p.workload.shared_prefix_tokens));
  order_->setCurrentIndex(int(p.workload.order));
  if (p.engine.version != shown_version_) {
    // A version that the plan asks for has its rule; choosing another one here is a question, and changes no plan.
    shown_version_ = p.engine.version;
    if (const auto rules = cache::with_rules_of({}, shown_version_)) rule_->setCurrentIndex(rules->host_touch == cache::HostTouch::finish ? 0 : rules->host_touch == cache::HostTouch::unordered ? 1 : 2);
  }
  const std::int64_t block = std::max<std::int64_t>(1, p.capacity.block_size);
  tokens_note_->setText(tr("%1 blocks + %2 tokens").arg(exact(p.workload.tokens / block)).arg(exact(p.workload.tokens % block)));
  update_trace();
  updating_ = false;
  update_faults();
}

void PredictPage::update_results() {
  updating_ = true;
  const PredictionState& s = prediction_.state();
  const plan::Plan& p = document().plan();
  const double block = double(p.capacity.block_size), bytes = double(block_bytes());
  layout_fault_->setText(s.layout_why);
  layout_fault_->setVisible(!s.layout_why.isEmpty());
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
  const bool stream = p.workload.kind != workload::Spec::Kind::documents;
  gpu_note_->setText(stream ? tr("%1 less 1 null block").arg(exact(p.capacity.gpu_blocks)) : tr("%1 less 1 null block \u00b7 %2 documents").arg(exact(p.capacity.gpu_blocks)).arg(ratio(gpu / f)));
  host_note_->setText(p.capacity.host_bytes > 0 && stream ? tr("%1 bytes").arg(exact(p.capacity.host_bytes)) : p.capacity.host_bytes > 0 ? tr("%1 bytes \u00b7 %2 documents").arg(exact(p.capacity.host_bytes)).arg(ratio(host / f))
                                                : tr("no tier"));
  {
    const QSignalBlocker quiet(slider_);
    slider_->setValue(gpu > 0 ? int(std::lround(working_set() / gpu * 100)) : 0);
  }
  slider_value_->setText(gpu > 0 ? tr("%1 \u00d7 GPU cache").arg(ratio(working_set() / gpu)) : QString());
  updating_ = false;

  const bool tier = tier_->current() == 0 && s.config.host_chunks > 0;
  CliffShape shape;
  shape.over_capacity = stream;
  shape.document_blocks = stream ? 0 : p.workload.shared_prefix_tokens < p.capacity.block_size ? f : 0;
  shape.max_blocks = s.points.empty() ? std::max(1.0, f * 4) : double(s.points.back().blocks);
  shape.bound_only = !s.exact;
  for (const auto& pt : s.points)
    shape.points.push_back({double(pt.blocks), pt.gpu, tier ? pt.host : 0, tier ? pt.host_low : 0, tier ? pt.host_high : 0});
  chart_->set_capacities(stream ? 0 : gpu, tier ? host : 0, bytes);
  chart_->set_shape(shape);
  chart_->set_marker(stream ? gpu : working_set());
  update_sentence();
  update_cells();
  emit status(tr("Curve: %1 sizes, %2, %3 ms").arg(s.points.size()).arg(s.exact ? tr("exact") : tr("one-pass bound")).arg(ratio(s.milliseconds, 1)));
}

}  // namespace kvcliff::ui
