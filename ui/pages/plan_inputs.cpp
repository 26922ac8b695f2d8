// SPDX-License-Identifier: GPL-3.0-or-later
// The input column of Plan: arms, order and load, workload, engine and launcher, limits.
#include <QCheckBox>
#include <QComboBox>
#include <QCoreApplication>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QScrollArea>
#include <QSignalBlocker>

#include "cache/rules.h"
#include "model/capacity.h"
#include "plan/words.h"
#include "ui/bridge/document.h"
#include "ui/bridge/model_sizes.h"
#include "ui/pages/plan_fields.h"
#include "ui/pages/plan_page.h"
#include "ui/theme/numbers.h"
#include "ui/theme/plain_text.h"
#include "ui/widgets/card.h"
#include "ui/widgets/field_fault.h"
#include "ui/widgets/number_field.h"
#include "ui/widgets/segments.h"

namespace kvcliff::ui {
namespace {

// Arms that the page knows how to make, in the order of the notes on experiments.
struct KnownArm {
  const char *name, *title, *note, *tip;
};
constexpr KnownArm known_arms[] = {
    {"off", QT_TRANSLATE_NOOP("kvcliff::ui::PlanPage", "Offload off"), QT_TRANSLATE_NOOP("kvcliff::ui::PlanPage", "baseline"), QT_TRANSLATE_NOOP("kvcliff::ui::PlanPage", "GPU prefix cache alone")},
    {"on", QT_TRANSLATE_NOOP("kvcliff::ui::PlanPage", "Offload on"), QT_TRANSLATE_NOOP("kvcliff::ui::PlanPage", "under test"), QT_TRANSLATE_NOOP("kvcliff::ui::PlanPage", "The same plus the host tier")},
    {"control", QT_TRANSLATE_NOOP("kvcliff::ui::PlanPage", "Control, fits the GPU"), "", QT_TRANSLATE_NOOP("kvcliff::ui::PlanPage", "The working set fits the GPU, offload off: what a GPU hit costs")},
    {"no-reuse", QT_TRANSLATE_NOOP("kvcliff::ui::PlanPage", "No reuse"), QT_TRANSLATE_NOOP("kvcliff::ui::PlanPage", "must show no gain"), QT_TRANSLATE_NOOP("kvcliff::ui::PlanPage", "All prompts distinct, tier on: nothing may be served from a cache")},
    {"a/a", QT_TRANSLATE_NOOP("kvcliff::ui::PlanPage", "A/A"), QT_TRANSLATE_NOOP("kvcliff::ui::PlanPage", "must show no effect"), QT_TRANSLATE_NOOP("kvcliff::ui::PlanPage", "Equal sessions compared with each other: the effect must be none. Four sessions")},
    {"equal-memory", QT_TRANSLATE_NOOP("kvcliff::ui::PlanPage", "Equal memory"), QT_TRANSLATE_NOOP("kvcliff::ui::PlanPage", "GPU + host as GPU"), QT_TRANSLATE_NOOP("kvcliff::ui::PlanPage", "A GPU cache as large as GPU and host together, where the card has room")},
};

}  // namespace

QLabel* PlanPage::fault_line(QVBoxLayout* column, const QString& name, const QStringList& places, QWidget* field) {
  auto* l = label(QString(), "error");
  l->setObjectName(name + QStringLiteral(".fault"));
  l->setWordWrap(true);
  l->setVisible(false);
  column->addWidget(l);
  fault_lines_.push_back({places, l, field});
  return l;
}

NumberField* PlanPage::number(QVBoxLayout* column, const QString& name, const QString& text, const QString& tip, double low, double high,
                              int decimals, const QString& place, int merge, const std::function<void(plan::Plan&, double)>& set) {
  auto* f = new NumberField(QStringLiteral("plan.") + name, text, low, high, decimals);
  f->setToolTip(tip);
  field_row(theme(), column, text, f);
  QLabel* line = fault_line(column, QStringLiteral("plan.") + name, {place}, f);
  connect(f, &NumberField::edited, this, [this, text, merge, set](double v) { edit(text, merge, [&](plan::Plan& p) { set(p, v); }); });
  connect(f, &NumberField::fault_changed, this, [this, line](const QString& fault) {
    line->setText(fault);
    line->setVisible(!fault.isEmpty());
    update_start();
  });
  return f;
}

void PlanPage::build_inputs(QVBoxLayout* column) {
  auto* scroll = new QScrollArea;
  scroll->setFixedWidth(theme().px(304));
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setFocusPolicy(Qt::NoFocus);
  auto* card = new QFrame;
  card->setProperty("card", true);
  auto* groups = new QVBoxLayout(card);
  groups->setContentsMargins(0, 0, 0, 4);
  groups->setSpacing(0);
  card->setMaximumWidth(theme().px(304) - theme().px(12));  // room for the scroll bar
  scroll->setWidget(card);
  column->addWidget(scroll);
  build_arms(groups);
  build_schedule(groups);
  build_power(groups);
  build_workload(groups);
  build_engine(groups);
  build_limits(groups);
  groups->addStretch(1);
}

void PlanPage::build_arms(QVBoxLayout* column) {
  auto* in = group(theme(), column, tr("Arms"));
  for (const KnownArm& a : known_arms) {
    auto* box = new QCheckBox(QCoreApplication::translate("kvcliff::ui::PlanPage", a.title));
    box->setObjectName(QStringLiteral("plan.arm.") + QLatin1String(a.name));
    box->setAccessibleName(box->text());
    box->setToolTip(QCoreApplication::translate("kvcliff::ui::PlanPage", a.tip));
    arm_boxes_[a.name] = box;
    auto* row = new QHBoxLayout;
    auto* note = label(QCoreApplication::translate("kvcliff::ui::PlanPage", a.note), "caption");
    note->setObjectName(QStringLiteral("plan.arm.") + QLatin1String(a.name) + QStringLiteral(".note"));
    note->setFont(theme().font(TextSize::Caption));
    row->addWidget(box);
    row->addStretch(1);
    row->addWidget(note);
    in->addLayout(row);
    connect(box, &QCheckBox::clicked, this, [this, name = std::string(a.name)](bool on) { toggle_arm(name, on); });
  }
  other_arms_ = new QVBoxLayout;
  in->addLayout(other_arms_);
  fault_line(in, QStringLiteral("plan.arms"), {QStringLiteral("arms")});
}

void PlanPage::toggle_arm(const std::string& name, bool on) {
  edit(on ? tr("add arm %1").arg(button_text(QString::fromStdString(name))) : tr("remove arm %1").arg(button_text(QString::fromStdString(name))), 0, [&](plan::Plan& p) {
    auto& controls = p.schedule.controls;
    std::erase(controls, name);
    std::erase_if(p.arms, [&](const plan::Arm& a) { return a.name == name; });
    if (!on) return;
    plan::Arm arm;
    arm.name = name;
    arm.offload = name == "on" || name == "no-reuse";
    if (name == "control") arm.overrides["workload.documents"] = std::max<std::int64_t>(1, std::min<std::int64_t>(2, p.workload.documents));
    if (name == "no-reuse") {
      arm.overrides["workload.documents"] = p.workload.documents * p.workload.rounds;
      arm.overrides["workload.rounds"] = 1;
    }
    if (name == "equal-memory") {
      const auto layout = ModelSizes(services_.resources).layout(p);
      const auto chunks = layout ? model::host_chunks(*layout, Bytes(p.capacity.host_bytes), p.capacity.offload.blocks_per_chunk) : Result<Blocks>(Blocks(0));
      arm.overrides["capacity.gpu_blocks"] = p.capacity.gpu_blocks + (chunks ? chunks->v * p.capacity.offload.blocks_per_chunk : 0);
    }
    const auto at = name == "off" ? p.arms.begin() : name == "on" ? p.arms.begin() + std::min<std::ptrdiff_t>(1, std::ssize(p.arms)) : p.arms.end();
    p.arms.insert(at, arm);
    // Equal sessions are compared by the same rule as the arms, which needs two on either side.
    if (name != "off" && name != "on") controls.insert(controls.end(), name == "a/a" ? 4 : 1, name);
  });
}

void PlanPage::build_schedule(QVBoxLayout* column) {
  auto* in = group(theme(), column, tr("Order and load"));
  pairs_ = number(in, QStringLiteral("pairs"), tr("Pairs"), tr("Pairs of sessions off and on, in the order off on, on off, on off, off on"), 0, 1000, 0,
                  QStringLiteral("schedule.pairs"), 51, [](plan::Plan& p, double v) { p.schedule.pairs = int(v); });
  numbers_.push_back({pairs_, [](const plan::Plan& p) { return double(p.schedule.pairs); }});
  first_ = new Segments(QStringLiteral("plan.first"), {tr("off"), tr("on")});
  first_->setAccessibleName(tr("Arm that comes first"));
  first_->setToolTip(tr("Which arm comes first"));
  order_ = label(QString(), "caption");
  order_->setObjectName(QStringLiteral("plan.order"));
  order_->setFont(theme().font(TextSize::Caption));
  order_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  field_row(theme(), in, tr("First"), first_);
  in->addWidget(order_);
  fault_line(in, QStringLiteral("plan.first"), {QStringLiteral("schedule.first"), QStringLiteral("schedule.controls"), QStringLiteral("schedule.calibration")}, nullptr);
  connect(first_, &Segments::chosen, this, [this](int i) { edit(tr("first arm"), 0, [&](plan::Plan& p) { p.schedule.first = i == 0 ? "off" : "on"; }); });
  auto* conditioning = number(in, QStringLiteral("conditioning"), tr("Conditioning"), tr("Sessions before the pairs that are measured and discarded: a first server on a cold disk is slower"), 0, 100, 0,
                              QStringLiteral("schedule.conditioning"), 52, [](plan::Plan& p, double v) { p.schedule.conditioning = int(v); });
  numbers_.push_back({conditioning, [](const plan::Plan& p) { return double(p.schedule.conditioning); }});
  load_ = choice(QStringLiteral("plan.load"), tr("Load"), tr("How requests follow each other, and what that means for attribution"),
                 {tr("Serial"), tr("Streams side by side"), tr("Open loop")});
  field_row(theme(), in, tr("Load"), load_);
  connect(load_, &QComboBox::activated, this, [this](int i) {
    edit(tr("load"), 0, [&](plan::Plan& p) {
      p.load.mode = plan::LoadSpec::Mode(i);
      p.load.concurrency = i == 1 ? std::max(2, p.load.concurrency) : 1;
      p.load.rate = i == 2 ? (p.load.rate > 0 ? p.load.rate : 1) : 0;
    });
  });
  concurrency_row_ = new QWidget;
  rate_row_ = new QWidget;
  for (QWidget* w : {concurrency_row_, rate_row_}) {
    auto* rows = new QVBoxLayout(w);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(4);
    in->addWidget(w);
  }
  concurrency_ = number(static_cast<QVBoxLayout*>(concurrency_row_->layout()), QStringLiteral("concurrency"), tr("Streams"), tr("Requests in flight together"), 1, 4096, 0,
                        QStringLiteral("load.concurrency"), 53, [](plan::Plan& p, double v) { p.load.concurrency = int(v); });
  numbers_.push_back({concurrency_, [](const plan::Plan& p) { return double(p.load.concurrency); }});
  rate_ = number(static_cast<QVBoxLayout*>(rate_row_->layout()), QStringLiteral("rate"), tr("Rate, 1/s"), tr("Requests per second, Poisson unless the plan file says constant"), 0, 1e6, 3,
                 QStringLiteral("load.rate"), 54, [](plan::Plan& p, double v) { p.load.rate = v; });
  numbers_.push_back({rate_, [](const plan::Plan& p) { return p.load.rate; }});
  load_note_ = label(QString(), "caption");
  load_note_->setFont(theme().font(TextSize::Caption));
  load_note_->setWordWrap(true);
  in->addWidget(load_note_);
  fault_line(in, QStringLiteral("plan.load"), {QStringLiteral("load")});
}

void PlanPage::build_workload(QVBoxLayout* column) {
  auto* in = group(theme(), column, tr("Workload"));
  name_ = text_field(QStringLiteral("plan.name"), tr("Name of the experiment"), tr("Exports are named after it"), tr("name"));
  field_row(theme(), in, tr("Name"), name_);
  fault_line(in, QStringLiteral("plan.name"), {QStringLiteral("name")}, name_);
  connect(name_, &QLineEdit::textEdited, this, [this](const QString& t) { edit(tr("name"), 55, [&](plan::Plan& p) { p.name = t.toStdString(); }); });
  const auto add = [&](const QString& name, const QString& text, const QString& tip, double low, double high, const QString& place, int merge, std::int64_t workload::Spec::*member) {
    auto* f = number(in, name, text, tip, low, high, 0, place, merge, [member](plan::Plan& p, double v) { p.workload.*member = std::int64_t(v); });
    numbers_.push_back({f, [member](const plan::Plan& p) { return double(p.workload.*member); }});
  };
  add(QStringLiteral("documents"), tr("Documents"), tr("Shared prompts that are visited again"), 1, 1e7, QStringLiteral("workload.documents"), 56, &workload::Spec::documents);
  add(QStringLiteral("tokens"), tr("Tokens each"), tr("Prompt tokens of a document"), 1, 1e8, QStringLiteral("workload.tokens"), 57, &workload::Spec::tokens);
  add(QStringLiteral("rounds"), tr("Rounds"), tr("Passes over all documents"), 1, 1e7, QStringLiteral("workload.rounds"), 58, &workload::Spec::rounds);
  add(QStringLiteral("output"), tr("Output tokens"), tr("Tokens asked for, exactly, at temperature 0"), 1, 1e7, QStringLiteral("workload.output_tokens"), 59, &workload::Spec::output_tokens);
  auto* seed = number(in, QStringLiteral("seed"), tr("Seed"), tr("The prompts follow from it"), 0, 9007199254740991.0, 0, QStringLiteral("workload.seed"), 60,
                      [](plan::Plan& p, double v) { p.workload.seed = std::uint64_t(v); });
  numbers_.push_back({seed, [](const plan::Plan& p) { return double(p.workload.seed); }});
  fault_line(in, QStringLiteral("plan.workload"), {QStringLiteral("workload"), QStringLiteral("capacity"), QStringLiteral("model")});
}

void PlanPage::update_inputs() {
  updating_ = true;
  const plan::Plan& p = document().plan();
  for (const auto& [name, box] : arm_boxes_) box->setChecked(plan::find_arm(p, name) != nullptr);
  while (QLayoutItem* item = other_arms_->takeAt(0)) {
    item->widget()->deleteLater();
    delete item;
  }
  for (const auto& arm : p.arms) {
    if (arm_boxes_.count(arm.name) > 0) continue;
    auto* box = new QCheckBox(button_text(QString::fromStdString(arm.name)));
    box->setObjectName(QStringLiteral("plan.arm.") + box->text());
    box->setAccessibleName(box->text());
    box->setToolTip(tr("An arm of the plan file. Unchecking removes it"));
    box->setChecked(true);
    other_arms_->addWidget(box);
    connect(box, &QCheckBox::clicked, this, [this, name = arm.name](bool on) { toggle_arm(name, on); });
  }
  if (auto* note = findChild<QLabel*>(QStringLiteral("plan.arm.control.note"))) {
    const auto seen = plan::for_arm(p, "control");
    note->setText(!seen ? QString() : seen->workload.documents == 1 ? tr("1 document") : tr("%1 documents").arg(exact(seen->workload.documents)));
  }
  for (const auto& [field, value] : numbers_) {
    // An undo is shown at once also in the field that has the focus; an entry that is no number stays to be mended.
    const double v = value(p);
    if (!field->faulty() && std::abs(v - field->value()) > 1e-9 * std::max(1.0, std::abs(v))) field->setModified(false);
    field->set_value(v);
  }
  // What is being typed says the same already, but for blanks at its ends: only another value replaces it.
  if (name_->text() != QString::fromStdString(p.name)) name_->setText(QString::fromStdString(p.name));
  for (const auto& [field, value] : {std::pair(version_, &p.engine.version), std::pair(environment_, &p.engine.environment)})
    if (field->text().trimmed() != QString::fromStdString(*value)) field->setText(QString::fromStdString(*value));
  first_->set_current(p.schedule.first == "on" ? 1 : 0);
  QStringList order;
  for (const auto& s : plan::schedule(p))
    if (s.pair >= 0 && order.size() < 8) order << shown(s.arm);
  order_->setText(order.join(QLatin1Char(' ')) + (p.schedule.pairs > 4 ? QStringLiteral(" \u2026") : QString()));
  load_->setCurrentIndex(int(p.load.mode));
  concurrency_row_->setVisible(p.load.mode == plan::LoadSpec::Mode::closed);
  rate_row_->setVisible(p.load.mode == plan::LoadSpec::Mode::open);
  load_note_->setText(p.load.mode == plan::LoadSpec::Mode::serial ? tr("One request at a time: its counters are the difference of two settled scrapes, exact per request.")
                                                                  : tr("Requests overlap: tokens are attributed by window, not per request, unless the engine reports them in the body."));
  const auto at = std::find(plan::adapters.begin(), plan::adapters.end(), p.engine.adapter);
  engine_->setCurrentIndex(at == plan::adapters.end() ? -1 : int(at - plan::adapters.begin()));
  launcher_->setCurrentIndex(p.launcher.kind == "ssh" ? 1 : p.launcher.kind == "container" ? 2 : p.launcher.kind == "slurm" ? 3 : p.launcher.kind == "local" ? 0 : -1);
  if (arguments_of(arguments_->toPlainText()) != p.engine.extra_args) {
    QStringList arguments;
    for (const auto& a : p.engine.extra_args) arguments << QString::fromStdString(a);
    const QSignalBlocker quiet(arguments_);
    arguments_->setPlainText(arguments.join(QLatin1Char('\n')));
  }
  dummy_->setChecked(p.model.dummy_weights);
  keep_raw_->setChecked(p.keep_raw);
  update_launcher_options();
  set_subtitle(QStringLiteral("%1, %2").arg(QString::fromStdString(p.name), model_words(p.model)));
  simulated_chip_->setVisible(p.engine.adapter == "emulator");
  updating_ = false;
}

// Those of the plan itself, and what this machine says of its engine.
std::vector<plan::Fault> PlanPage::faults() {
  std::vector<plan::Fault> all = document().faults();
  const plan::Plan& p = document().plan();
  if (const auto rules = cache::with_rules_of({}, p.engine.version); !rules)
    all.push_back({"engine.version", "\"" + p.engine.version + "\" is no version", "Write it as the server reports it, such as 0.31.0, or leave it empty"});
  if (const PlanFacts* f = loader_.facts(); f && f->plan.engine == p.engine && f->plan.launcher == p.launcher)
    if (f->engine_fault) all.push_back(*f->engine_fault);
  return all;
}

void PlanPage::update_faults() {
  // Each fault goes to the line with the longest place that begins it, so that it is shown once, and nothing is lost.
  std::map<const FaultLine*, QStringList> texts;
  const auto all = faults();
  for (const auto& f : all) {
    const QString field = QString::fromStdString(f.field);
    const FaultLine* best = nullptr;
    int longest = -1;
    for (const auto& line : fault_lines_) {
      if (line.field && !line.field->isVisibleTo(this)) continue;  // a field that this kind of load does not show
      for (const QString& place : line.places)
        if ((place.isEmpty() || field == place || field.startsWith(place + QLatin1Char('.')) || field.startsWith(place + QLatin1Char('['))) && int(place.size()) > longest) {
          best = &line;
          longest = int(place.size());
        }
    }
    if (best) texts[best] << shown(f.next.empty() ? f.what + "." : f.what + ". " + f.next + ".");
  }
  for (const auto& line : fault_lines_) {
    const QString text = texts[&line].join(QLatin1Char('\n'));
    if (auto* number_field = qobject_cast<NumberField*>(line.field)) {
      number_field->set_outer_fault(text);  // shows the line, unless an entry that is not a number says its own
      continue;
    }
    line.label->setText(text);
    line.label->setVisible(!text.isEmpty());
    if (line.field) mark_fault(line.field, text);
  }
  // Options of a launcher share one line; the option at fault is marked.
  for (QLineEdit* option : launcher_options_->findChildren<QLineEdit*>()) {
    QStringList texts_here;
    for (const auto& f : all)
      if (QStringLiteral("plan.") + QString::fromStdString(f.field) == option->objectName()) texts_here << shown(f.what) + QLatin1Char('.');
    mark_fault(option, texts_here.join(QLatin1Char('\n')));
  }
  const int n = int(all.size());
  if (n > 0)
    strips().show_message({QStringLiteral("faults"), StripMessage::Level::Fail, n == 1 ? tr("1 fault") : tr("%1 faults").arg(n),
                           tr("%1.%2 Commands and requests show the last valid plan.").arg(shown(all.front().what), n > 1 ? tr(" The others stand beside their fields.") : QString()), {}, {}});
  else
    strips().resolve(QStringLiteral("faults"));
  update_start();
}

}  // namespace kvcliff::ui
