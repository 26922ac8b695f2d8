// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/predict_page.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSlider>
#include <cmath>

#include "model/capacity.h"
#include "ui/bridge/document.h"
#include "ui/charts/cliff_chart.h"
#include "ui/main_window.h"
#include "ui/theme/numbers.h"
#include "ui/widgets/card.h"
#include "ui/widgets/number_field.h"
#include "ui/widgets/segments.h"

namespace kvcliff::ui {

PredictPage::PredictPage(Services services, const QString& resources, QWidget* parent)
    : Page(services, QStringLiteral("predict"), tr("Predict"), parent), prediction_(resources) {
  setProperty("leastHeight", theme().px(660));  // chart and histogram with their axes, and the three cells
  auto* row = new QHBoxLayout(body());
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(12);
  auto* left = new QVBoxLayout;
  auto* right = new QVBoxLayout;
  left->setSpacing(0);
  right->setSpacing(12);
  row->addLayout(left);
  row->addLayout(right, 1);
  build_inputs(left);
  build_chart(right);
  build_cells(right);

  auto* use = new QPushButton(tr("Use in plan"), this);
  use->setObjectName(QStringLiteral("predict.useInPlan"));
  use->setProperty("primary", true);
  connect(use, &QPushButton::clicked, this, [this] { emit go_to(PlanIndex); });
  auto* keep = new QPushButton(tr("Keep this scenario"), this);
  theme().set_icon(keep, QStringLiteral("diff"));
  keep->setObjectName(QStringLiteral("predict.keep"));
  keep->setProperty("flat", true);
  keep->setToolTip(tr("Puts this scenario beside the others, to compare"));
  connect(keep, &QPushButton::clicked, this, &PredictPage::keep_scenario);
  actions()->addWidget(keep);
  actions()->addWidget(use);

  connect(&prediction_, &Prediction::changed, this, &PredictPage::update_results);
  connect(&document(), &Document::plan_changed, this, [this] {
    dragged_ = -1;
    update_inputs();
    recompute();
  });
  connect(&document(), &Document::plan_opened, this, [this] {
    // Entries still to be mended were of the plan before.
    for (NumberField* f : findChildren<NumberField*>()) f->reset();
    model_fault_.clear();
    shown_model_.clear();
    chart_->show_all();
    update_inputs();
  });
  connect(&document(), &Document::server_log_opened, &logs_, &ServerLogLoader::load);
  connect(&logs_, &ServerLogLoader::loaded, this, &PredictPage::show_log);
  update_inputs();
  recompute();
}

// A field that loses the focus while the page goes tells of its end: nobody is there to hear it any more.
PredictPage::~PredictPage() {
  for (QObject* child : findChildren<QObject*>()) child->disconnect(this);
}

cache::HostTouch PredictPage::rule() const {
  static constexpr cache::HostTouch rules[] = {cache::HostTouch::finish, cache::HostTouch::unordered, cache::HostTouch::lookup};
  return rules[std::clamp(rule_->currentIndex(), 0, 2)];
}

double PredictPage::document_blocks() const {
  const auto& p = services_.document.plan();
  return p.capacity.block_size > 0 ? double(p.workload.tokens / p.capacity.block_size) : 0;
}

double PredictPage::working_set() const {
  if (dragged_ >= 0) return dragged_;
  const auto& w = services_.document.plan().workload;
  const double shared = double(w.shared_prefix_tokens / std::max<std::int64_t>(1, services_.document.plan().capacity.block_size));
  return shared + double(w.documents) * (document_blocks() - shared);
}

std::int64_t PredictPage::block_bytes() const {
  return prediction_.state().layout ? model::block_bytes_all_ranks(*prediction_.state().layout) : 0;
}

void PredictPage::edit(const QString& what, int merge, const std::function<void(plan::Plan&)>& change) {
  if (updating_) return;
  plan::Plan p = document().plan();
  change(p);
  document().edit_plan(std::move(p), what, merge);
}

void PredictPage::set_gpu_blocks(double blocks) {
  edit(tr("GPU cache"), 11, [&](plan::Plan& p) { p.capacity.gpu_blocks = std::int64_t(blocks) + 1; });
}

void PredictPage::set_host_blocks(double blocks) {
  const std::int64_t bytes = std::max<std::int64_t>(1, block_bytes());
  blocks = std::min(blocks, std::floor(4e18 / double(bytes + 4096)));  // bytes are counted in 64 bits
  edit(tr("host tier"), 12, [&](plan::Plan& p) { p.capacity.host_bytes = std::int64_t(blocks) * ((bytes + 4095) / 4096 * 4096); });
}

void PredictPage::recompute() {
  // Paths of a plan file are relative to it.
  const QString file = document().plan_path();
  const plan::Plan p = file.isEmpty() ? document().plan() : plan::with_paths_from(document().plan(), QFileInfo(file).absolutePath().toStdString());
  prediction_.size(p, rule());
  const double f = std::max(1.0, document_blocks());
  const double host = prediction_.state().config.host_chunks > 0 ? double(prediction_.state().config.host_chunks * prediction_.state().config.blocks_per_chunk) : 0;
  // Both edges and the workload stay in view, with a plateau on either side of them.
  const double right = std::max({double(p.capacity.gpu_blocks) * 1.6, host * 1.25 + 2 * f, double(p.workload.documents) * f * 1.15});
  documents_max_ = std::clamp(int(std::ceil(right / f)) + 1, 4, 60);
  if (p.workload.kind != workload::Spec::Kind::documents) documents_max_ = 4;
  prediction_.update(p, rule(), visits_->current() == 0, documents_max_);
  update_results();
}

bool PredictPage::export_view() { return chart_->export_dialog(); }

QString PredictPage::copy_text(bool csv) {
  const QString sep = csv ? QStringLiteral(",") : QStringLiteral("\t");
  QString out = QStringList({QStringLiteral("working_set_blocks"), QStringLiteral("gpu_hit_share"), QStringLiteral("host_loaded_share"),
                             QStringLiteral("host_loaded_share_low"), QStringLiteral("host_loaded_share_high"),
                             QStringLiteral("computed_share")}).join(sep) + QLatin1Char('\n');
  for (const auto& p : prediction_.state().points) {
    QStringList cells{QString::number(p.blocks)};
    for (const double v : {p.gpu, p.host, p.host_low, p.host_high, 1 - p.gpu - p.host}) cells << QString::number(v, 'g', 9);
    out += cells.join(sep) + QLatin1Char('\n');
  }
  return out;
}

}  // namespace kvcliff::ui
