// SPDX-License-Identifier: GPL-3.0-or-later
// The workload of Predict's input column, and what is said beside its fields.
#include <QComboBox>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSlider>
#include <cmath>

#include "ui/bridge/document.h"
#include "ui/bridge/model_sizes.h"
#include "ui/pages/predict_fields.h"
#include "ui/pages/predict_page.h"
#include "ui/theme/numbers.h"
#include "ui/theme/plain_text.h"
#include "ui/widgets/card.h"
#include "ui/widgets/field_fault.h"
#include "ui/widgets/number_field.h"
#include "ui/widgets/segments.h"

namespace kvcliff::ui {

void PredictPage::build_workload(QVBoxLayout* groups) {
  auto* work_box = new QWidget;
  auto* work = new QVBoxLayout(work_box);
  work->setContentsMargins(14, 10, 14, 8);
  work->setSpacing(5);
  work->addWidget(group_title(theme(), tr("Workload")));
  build_trace(work);
  documents_box_ = new QWidget;
  auto* whole = work;
  work = new QVBoxLayout(documents_box_);
  work->setContentsMargins(0, 0, 0, 0);
  work->setSpacing(5);
  whole->addWidget(documents_box_);
  documents_ = new NumberField(QStringLiteral("predict.documents"), tr("Documents"), 1, 10'000'000);
  rounds_ = new NumberField(QStringLiteral("predict.rounds"), tr("Rounds"), 1, 10'000'000);
  tokens_ = new NumberField(QStringLiteral("predict.tokens"), tr("Tokens of a document"), 1, 100'000'000);
  shared_ = new NumberField(QStringLiteral("predict.shared"), tr("Shared prefix, tokens"), 0, 100'000'000);
  auto* first = input_row(theme(), tr("Documents"), documents_);
  first->addWidget(label(tr("rounds"), "secondary"));
  first->addWidget(rounds_, 1);
  work->addLayout(first);
  fault_row(work, QStringLiteral("predict.documents"), {{QStringLiteral("workload.documents"), documents_}, {QStringLiteral("workload.rounds"), rounds_}});
  work->addLayout(input_row(theme(), tr("Tokens each"), tokens_));
  tokens_note_ = label(QString(), "caption");
  tokens_note_->setAlignment(Qt::AlignRight);
  work->addWidget(tokens_note_);
  fault_row(work, QStringLiteral("predict.tokens"), {{QStringLiteral("workload.tokens"), tokens_}});
  work->addLayout(input_row(theme(), tr("Shared prefix"), shared_));
  fault_row(work, QStringLiteral("predict.shared"), {{QStringLiteral("workload.shared_prefix_tokens"), shared_}});
  order_ = new QComboBox;
  order_->setObjectName(QStringLiteral("predict.order"));
  order_->setAccessibleName(tr("Revisit order"));
  order_->addItems({tr("Cyclic"), tr("Random"), tr("Zipf"), tr("Reverse")});
  work->addLayout(input_row(theme(), tr("Revisit order"), order_));
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
  fault_row(whole, QStringLiteral("predict.workload"), {{QStringLiteral("workload"), nullptr}});
  groups->addWidget(work_box);
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
}

// Instead of documents: a trace file, or sessions of the plan file.
void PredictPage::build_trace(QVBoxLayout* column) {
  trace_box_ = new QWidget;
  auto* in = new QVBoxLayout(trace_box_);
  in->setContentsMargins(0, 0, 0, 0);
  in->setSpacing(5);
  trace_name_ = new QLabel;
  trace_name_->setObjectName(QStringLiteral("predict.trace"));
  trace_name_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  in->addWidget(trace_name_);
  trace_note_ = label(QString(), "caption");
  trace_note_->setObjectName(QStringLiteral("predict.trace.note"));
  trace_note_->setFont(theme().font(TextSize::Caption));
  trace_note_->setWordWrap(true);
  in->addWidget(trace_note_);
  trace_requests_ = new NumberField(QStringLiteral("predict.traceRequests"), tr("Requests of the trace, 0 = all"), 0, 1e9);
  trace_requests_->setToolTip(tr("Only the first so many requests; 0 takes all of the file"));
  auto* row_box = new QWidget;
  row_box->setObjectName(QStringLiteral("predict.traceRequests.row"));
  auto* row = input_row(theme(), tr("First"), trace_requests_);
  row->setContentsMargins(0, 0, 0, 0);
  row->addWidget(label(tr("requests"), "secondary"));
  row_box->setLayout(row);
  in->addWidget(row_box);
  fault_row(in, QStringLiteral("predict.trace"), {{QStringLiteral("workload.trace_requests"), trace_requests_}, {QStringLiteral("workload.trace"), nullptr}});
  auto* back = new QPushButton(tr("Back to documents"));
  back->setObjectName(QStringLiteral("predict.trace.back"));
  back->setToolTip(tr("Leaves the trace or the sessions; Undo brings them back"));
  in->addWidget(back, 0, Qt::AlignLeft);
  column->addWidget(trace_box_);
  connect(trace_requests_, &NumberField::edited, this, [this](double v) { edit(tr("requests of the trace"), 19, [&](plan::Plan& p) { p.workload.trace_requests = std::int64_t(v); }); });
  connect(back, &QPushButton::clicked, this, [this] {
    edit(tr("documents"), 0, [](plan::Plan& p) {
      p.workload.kind = workload::Spec::Kind::documents;
      p.workload.trace.clear();
      p.workload.trace_requests = 0;
      p.workload.turn_tokens = 0;
    });
  });
}

void PredictPage::update_trace() {
  const auto& w = document().plan().workload;
  const bool stream = w.kind != workload::Spec::Kind::documents, trace = w.kind == workload::Spec::Kind::trace;
  documents_box_->setVisible(!stream);
  trace_box_->setVisible(stream);
  visits_->setEnabled(!stream);
  if (!stream) return;
  const QFileInfo file(QString::fromStdString(w.trace));
  trace_name_->setText(trace ? tr("Trace %1").arg(shown(file.fileName())) : tr("%1 sessions of %2 turns").arg(exact(w.documents), exact(w.rounds)));
  trace_name_->setToolTip(trace ? shown(file.filePath()) : tr("A prompt grows by %1 tokens a turn").arg(exact(w.turn_tokens)));
  trace_requests_->set_value(double(w.trace_requests));
  trace_requests_->parentWidget()->setVisible(trace);
}

void PredictPage::fault_row(QVBoxLayout* column, const QString& name, std::vector<FaultPlace> places) {
  auto* l = label(QString(), "error");
  l->setObjectName(name + QStringLiteral(".fault"));
  l->setWordWrap(true);
  l->setVisible(false);
  column->addWidget(l);
  for (const auto& place : places)
    if (auto* field = qobject_cast<NumberField*>(place.field)) connect(field, &NumberField::fault_changed, this, &PredictPage::update_faults, Qt::UniqueConnection);
  fault_rows_.push_back({l, std::move(places)});
}

// What is wrong with an entry stands under its row; so does what the plan's own validation says of its value.
void PredictPage::update_faults() {
  if (saying_faults_) return;  // a field that is told of a fault reports it back
  saying_faults_ = true;
  // Each fault of the plan goes to the fields with the longest place that begins it.
  std::map<const QWidget*, QString> outer;
  std::map<const QLabel*, QStringList> texts;
  for (const auto& f : document().faults()) {
    const QString field = QString::fromStdString(f.field), sentence = QString::fromStdString(f.next.empty() ? f.what + "." : f.what + ". " + f.next + ".");
    qsizetype longest = -1;
    for (const auto& row : fault_rows_)
      for (const auto& place : row.places)
        if (field == place.name || field.startsWith(place.name + QLatin1Char('.'))) longest = std::max(longest, place.name.size());
    for (const auto& row : fault_rows_)
      for (const auto& place : row.places)
        if (longest == place.name.size() && (field == place.name || field.startsWith(place.name + QLatin1Char('.')))) {
          if (place.field) outer[place.field] = sentence;
          if (!texts[row.label].contains(sentence)) texts[row.label] << sentence;
        }
  }
  for (const auto& row : fault_rows_) {
    QStringList& lines = texts[row.label];
    int numbers = 0;
    for (const auto& place : row.places) numbers += qobject_cast<NumberField*>(place.field) ? 1 : 0;
    for (const auto& place : row.places) {
      if (!place.field) continue;
      if (auto* field = qobject_cast<NumberField*>(place.field)) {
        field->set_outer_fault(outer[field]);
        const QString own = field->fault().isEmpty() || numbers == 1 ? field->fault() : QStringLiteral("%1: %2").arg(field->accessibleName(), field->fault());
        if (!own.isEmpty() && !lines.contains(own)) lines.prepend(own);
      } else {
        const QString own = place.field == model_ ? model_fault_ : QString();
        if (!own.isEmpty()) lines.prepend(own);
        mark_fault(place.field, own.isEmpty() ? outer[place.field] : own);
      }
    }
    row.label->setText(lines.join(QLatin1Char('\n')));
    row.label->setVisible(!lines.isEmpty());
  }
  saying_faults_ = false;
}

// `finished`: Enter, a choice in the list, or the field was left. While somebody types, only what can become no model is said.
void PredictPage::read_model(const QString& typed, bool finished) {
  if (updating_) return;
  const QString text = typed.trimmed();
  const auto& catalogue = prediction_.catalogue();
  const auto& now = document().plan().model;
  QString fault;
  std::string id, config;
  if (text.isEmpty()) {
    fault = prediction_.catalogue_error().isEmpty() ? tr("Name a model of the list, or the path of a config.json.") : prediction_.catalogue_error();
  } else if (text == model_words(now)) {
    id = now.id, config = now.config;
  } else if (text.contains(QLatin1Char('/')) && (text.startsWith(QLatin1Char('/')) || text.startsWith(QLatin1Char('.')) || text.endsWith(QLatin1String(".json"), Qt::CaseInsensitive))) {
    const QFileInfo file(text);
    const QString path = file.isDir() ? text + QStringLiteral("/config.json") : text;
    if (QFileInfo(path).isFile()) config = path.toStdString();
    else if (finished) fault = tr("%1 is not there. Check the path.").arg(path);
  } else if (const auto entry = model::find(catalogue, text.toStdString())) {
    id = (*entry)->id;
  } else {
    const bool may_become = std::any_of(catalogue.begin(), catalogue.end(), [&](const auto& e) { return QString::fromStdString(e.id).contains(text, Qt::CaseInsensitive); });
    if (finished || !may_become)
      fault = !prediction_.catalogue_error().isEmpty() ? prediction_.catalogue_error()
                                                       : tr("No model \u201c%1\u201d in the catalogue. Choose one of the list, or give the path of a config.json.").arg(text.left(60));
  }
  model_fault_ = fault;
  if (fault.isEmpty() && finished) {
    model_->lineEdit()->setModified(false);
    if ((!id.empty() || !config.empty()) && (id != now.id || config != now.config))
      edit(tr("model"), 0, [&](plan::Plan& p) {
        p.model.id = id;
        p.model.config = config;
      });
    else
      update_inputs();
  }
  update_faults();
}

}  // namespace kvcliff::ui
