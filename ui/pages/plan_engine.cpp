// SPDX-License-Identifier: GPL-3.0-or-later
// Engine, launcher and limits of the Plan page.
#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>

#include "plan/words.h"
#include "ui/bridge/document.h"
#include "ui/pages/plan_fields.h"
#include "ui/pages/plan_page.h"
#include "ui/theme/numbers.h"
#include "ui/widgets/card.h"
#include "ui/widgets/number_field.h"
#include "ui/widgets/segments.h"

namespace kvcliff::ui {

void PlanPage::build_engine(QVBoxLayout* column) {
  auto* in = group(theme(), column, tr("Engine"));
  engine_ = choice(QStringLiteral("plan.engine"), tr("Engine"), tr("What is launched for each session"), {tr("Emulator, as vLLM"), tr("vLLM"), tr("A server that runs already")});
  field_row(theme(), in, tr("Engine"), engine_);
  fault_line(in, QStringLiteral("plan.engine"), {QStringLiteral("engine")}, engine_);
  connect(engine_, &QComboBox::activated, this, [this](int i) {
    edit(tr("engine"), 0, [&](plan::Plan& p) { p.engine.adapter = plan::adapters[std::size_t(i)]; });
  });
  version_ = text_field(QStringLiteral("plan.version"), tr("Engine version"), tr("Version asked for; a server of another version fails the gate"), tr("any version"));
  environment_ = text_field(QStringLiteral("plan.environment"), tr("Engine environment"), tr("Name of an installed environment, or a folder; empty = the PATH"), tr("from the PATH"));
  field_row(theme(), in, tr("Version"), version_);
  fault_line(in, QStringLiteral("plan.version"), {QStringLiteral("engine.version")}, version_);
  field_row(theme(), in, tr("Environment"), environment_);
  fault_line(in, QStringLiteral("plan.environment"), {QStringLiteral("engine.environment")}, environment_);
  connect(version_, &QLineEdit::textEdited, this, [this](const QString& t) { edit(tr("engine version"), 61, [&](plan::Plan& p) { p.engine.version = t.trimmed().toStdString(); }); });
  connect(environment_, &QLineEdit::textEdited, this, [this](const QString& t) { edit(tr("environment"), 62, [&](plan::Plan& p) { p.engine.environment = t.trimmed().toStdString(); }); });
  launcher_ = choice(QStringLiteral("plan.launcher"), tr("Launcher"), tr("Where servers are started"), {tr("This machine"), tr("Over SSH"), tr("In a container"), tr("As Slurm jobs")});
  field_row(theme(), in, tr("Launcher"), launcher_);
  connect(launcher_, &QComboBox::activated, this, [this](int i) {
    static const char* const kinds[] = {"local", "ssh", "container", "slurm"};
    edit(tr("launcher"), 0, [&](plan::Plan& p) { p.launcher = {kinds[i], {}}; });
  });
  launcher_options_ = new QWidget;
  auto* form = new QFormLayout(launcher_options_);
  form->setContentsMargins(0, 0, 0, 0);
  in->addWidget(launcher_options_);
  fault_line(in, QStringLiteral("plan.launcher"), {QStringLiteral("launcher")});
  auto* arguments_title = label(tr("Further arguments, one a line, the same in every arm"), "caption");
  arguments_title->setFont(theme().font(TextSize::Caption));
  arguments_title->setWordWrap(true);
  in->addWidget(arguments_title);
  arguments_ = new QPlainTextEdit;
  arguments_->setObjectName(QStringLiteral("plan.arguments"));
  arguments_->setAccessibleName(tr("Further arguments of the engine"));
  arguments_->setToolTip(tr("One argument a line, passed on exactly as written"));
  arguments_->setTabChangesFocus(true);
  arguments_->setFont(theme().fixed());
  arguments_->setFixedHeight(theme().px(58));
  in->addWidget(arguments_);
  connect(arguments_, &QPlainTextEdit::textChanged, this, [this] {
    edit(tr("arguments"), 63, [&](plan::Plan& p) {
      p.engine.extra_args = arguments_of(arguments_->toPlainText());
    });
  });
  fault_line(in, QStringLiteral("plan.arguments"), {QStringLiteral("engine.extra_args")}, arguments_);
  dummy_ = new QCheckBox(tr("Dummy weights"));
  dummy_->setObjectName(QStringLiteral("plan.dummy"));
  dummy_->setAccessibleName(dummy_->text());
  dummy_->setToolTip(tr("Made up by the engine: times are real, answers mean nothing"));
  in->addWidget(dummy_);
  connect(dummy_, &QCheckBox::clicked, this, [this](bool on) { edit(tr("weights"), 0, [&](plan::Plan& p) { p.model.dummy_weights = on; }); });
}

void PlanPage::build_limits(QVBoxLayout* column) {
  auto* in = group(theme(), column, tr("Judgement and limits"));
  auto* effect = number(in, QStringLiteral("effect"), tr("Smallest effect"), tr("Difference of interest in percent: below it the verdict is \u201cno effect\u201d"), 0.1, 99, 1,
                        QStringLiteral("smallest_effect"), 64, [](plan::Plan& p, double v) { p.smallest_effect = std::round(v * 1000) / 100000; });
  effect->set_unit(tr("%"));
  numbers_.push_back({effect, [](const plan::Plan& p) { return p.smallest_effect * 100; }});
  auto* start = number(in, QStringLiteral("start_s"), tr("Start limit, s"), tr("Silence of a starting engine after which it is given up"), 1, 1e6, 0,
                       QStringLiteral("limits.start_s"), 65, [](plan::Plan& p, double v) { p.limits.start_s = v; });
  numbers_.push_back({start, [](const plan::Plan& p) { return p.limits.start_s; }});
  auto* ceiling = number(in, QStringLiteral("ceiling"), tr("Ceiling, s"), tr("The run ends after so many seconds; 0 = no ceiling"), 0, 1e8, 0, QStringLiteral("cost_ceiling"), 66,
                         [](plan::Plan& p, double v) {
                           if (v > 0) {
                             if (!p.cost_ceiling) p.cost_ceiling.emplace();
                             p.cost_ceiling->seconds = v;
                           } else if (p.cost_ceiling) {
                             p.cost_ceiling->seconds.reset();
                             if (!p.cost_ceiling->money) p.cost_ceiling.reset();
                           }
                         });
  numbers_.push_back({ceiling, [](const plan::Plan& p) { return p.cost_ceiling ? p.cost_ceiling->seconds.value_or(0) : 0; }});
  fault_line(in, QStringLiteral("plan.limits"), {QStringLiteral("limits"), QStringLiteral("warmup"), QStringLiteral("gates")});
  keep_raw_ = new QCheckBox(tr("Keep raw answers and scrapes"));
  keep_raw_->setObjectName(QStringLiteral("plan.keepRaw"));
  keep_raw_->setAccessibleName(keep_raw_->text());
  keep_raw_->setToolTip(tr("Compressed in the journal, as evidence"));
  in->addWidget(keep_raw_);
  connect(keep_raw_, &QCheckBox::clicked, this, [this](bool on) { edit(tr("raw answers"), 0, [&](plan::Plan& p) { p.keep_raw = on; }); });
  // Whatever no field above stands for: nothing is lost.
  fault_line(in, QStringLiteral("plan.other"), {QString()});
}

void PlanPage::update_launcher_options() {
  const auto& launcher = document().plan().launcher;
  const QString kind = QString::fromStdString(launcher.kind);
  auto* form = static_cast<QFormLayout*>(launcher_options_->layout());
  if (kind != shown_launcher_) {
    while (form->rowCount() > 0) form->removeRow(0);
    shown_launcher_ = kind;
    const auto known = plan::launcher_options.find(launcher.kind);
    if (known != plan::launcher_options.end())
      for (const auto& option : known->second) {
        const QString name = QString::fromStdString(option);
        auto* e = text_field(QStringLiteral("plan.launcher.") + name, tr("Launcher option %1").arg(name), tr("launcher.%1 of the plan file").arg(name), {});
        form->addRow(name, e);
        connect(e, &QLineEdit::textEdited, this, [this, option](const QString& t) {
          edit(tr("launcher"), 67, [&](plan::Plan& p) {
            if (t.trimmed().isEmpty()) p.launcher.options.erase(option);
            else p.launcher.options[option] = t.trimmed().toStdString();
          });
        });
      }
  }
  launcher_options_->setVisible(form->rowCount() > 0);
  for (int i = 0; i < form->rowCount(); ++i) {
    auto* e = static_cast<QLineEdit*>(form->itemAt(i, QFormLayout::FieldRole)->widget());
    const auto v = launcher.options.find(e->objectName().mid(14).toStdString());
    const QString text = v == launcher.options.end() ? QString() : QString::fromStdString(v->second);
    if (e->text().trimmed() != text) e->setText(text);
  }
}

}  // namespace kvcliff::ui
