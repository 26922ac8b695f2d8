// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/plan_page.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTableView>
#include <QTimer>

#include "base/json.h"
#include "ui/bridge/document.h"
#include "ui/bridge/run_controller.h"
#include "ui/main_window.h"
#include "ui/models/plan_requests.h"
#include "ui/pages/plan_command.h"
#include "ui/pages/plan_sessions.h"
#include "ui/theme/numbers.h"
#include "ui/theme/plain_text.h"
#include "ui/widgets/card.h"
#include "ui/widgets/field_fault.h"
#include "ui/widgets/number_field.h"

namespace kvcliff::ui {

PlanPage::PlanPage(Services services, QWidget* parent)
    : Page(services, QStringLiteral("plan"), tr("Plan"), parent), loader_(services.resources) {
  auto* row = new QHBoxLayout(body());
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(12);
  auto* left = new QVBoxLayout;
  auto* right = new QVBoxLayout;
  right->setSpacing(12);
  row->addLayout(left);
  row->addLayout(right, 1);
  build_inputs(left);
  build_panels(right);

  simulated_chip_ = new Chip(theme(), QStringLiteral("flask"), tr("Simulated"), "simulated", this);
  hash_ = label(QString(), "secondary", this);
  hash_->setObjectName(QStringLiteral("plan.hash"));
  hash_->setFont(theme().fixed());
  hash_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  chips()->addWidget(simulated_chip_);
  chips()->addWidget(hash_);
  estimate_ = label(QString(), "secondary", this);
  estimate_->setObjectName(QStringLiteral("plan.estimate"));
  auto* open = new QPushButton(tr("Open\u2026"), this);
  auto* save = new QPushButton(tr("Save"), this);
  start_ = new QPushButton(tr("Start experiment"), this);
  start_->setProperty("primary", true);
  open->setObjectName(QStringLiteral("plan.open"));
  save->setObjectName(QStringLiteral("plan.save"));
  start_->setObjectName(QStringLiteral("plan.start"));
  open->setToolTip(tr("Opens a plan file (kvcliff.plan/1)"));
  save->setToolTip(tr("Saves the plan to its file (Ctrl+S)"));
  open->setAccessibleName(tr("Open a plan file"));
  save->setAccessibleName(tr("Save the plan"));
  start_->setAccessibleName(tr("Start the experiment"));
  theme().set_icon(open, QStringLiteral("open"));
  theme().set_icon(save, QStringLiteral("save"));
  theme().set_icon(start_, QStringLiteral("play"), "onInk");
  for (QWidget* w : std::initializer_list<QWidget*>{estimate_, open, save, start_}) actions()->addWidget(w);
  connect(open, &QPushButton::clicked, this, &PlanPage::open_plan);
  connect(save, &QPushButton::clicked, this, &PlanPage::save_plan);
  connect(start_, &QPushButton::clicked, this, &PlanPage::start);
  if (auto* window = qobject_cast<MainWindow*>(this->window())) connect(window, &MainWindow::save_plan_asked, this, &PlanPage::save_plan);

  connect(&document(), &Document::plan_changed, this, [this] {
    update_inputs();
    update_faults();
    update_file_text();
    loader_.set_journal(RunController::default_journal(QString::fromStdString(document().plan().name)));
    loader_.update(document().plan(), QFileInfo(document().plan_path()).absolutePath());
  });
  connect(&document(), &Document::plan_opened, this, [this] {
    // Entries still to be mended were of the plan before.
    for (const auto& [field, value] : numbers_) field->reset();
    file_->document()->setModified(false);
    file_rest_->stop();
    file_faulty_ = false;
    file_fault_->hide();
    mark_fault(file_, {});
    update_inputs();
    update_file_text();
    update_start();
  });
  connect(&document(), &Document::unsaved_changed, this, &PlanPage::update_unsaved);
  connect(&loader_, &PlanFactsLoader::facts_changed, this, &PlanPage::update_facts);
  connect(&loader_, &PlanFactsLoader::preflight_changed, this, &PlanPage::update_preflight);
  connect(&run(), &RunController::running_changed, this, &PlanPage::update_start);
  loader_.set_journal(RunController::default_journal(QString::fromStdString(document().plan().name)));
  update_inputs();
  update_faults();
  update_file_text();
  loader_.update(document().plan(), QFileInfo(document().plan_path()).absolutePath());
}

void PlanPage::edit(const QString& what, int merge, const Change& change) {
  if (updating_) return;
  plan::Plan p = document().plan();
  change(p);
  document().edit_plan(std::move(p), what, merge);
}

void PlanPage::open_plan() {
  const QString path = QFileDialog::getOpenFileName(this, tr("Open a plan"), {}, tr("Plans (*.json);;All files (*)"));
  if (path.isEmpty()) return;
  if (auto* window = qobject_cast<MainWindow*>(this->window())) window->open_path(path);
}

void PlanPage::save_plan() {
  QString path = document().plan_path();
  // The program's own plans are where every new user starts: they are never written over.
  const bool own = !path.isEmpty() && QFileInfo(path).absoluteFilePath().startsWith(QFileInfo(services_.resources).absoluteFilePath());
  if (path.isEmpty() || own) {
    const QString name = QString::fromStdString(document().plan().name).replace(QLatin1Char('/'), QLatin1Char('-')) + QStringLiteral(".json");
    path = QFileDialog::getSaveFileName(this, tr("Save the plan"), name, tr("Plans (*.json)"));
  }
  if (!path.isEmpty()) save_plan_to(path);
}

bool PlanPage::save_plan_to(const QString& path) {
  QString error;
  if (!document().save_plan(path, &error)) {
    strips().show_message({QStringLiteral("save"), StripMessage::Level::Fail, tr("Not saved"), error, {}, {}});
    return false;
  }
  strips().resolve(QStringLiteral("save"));
  emit status(tr("Plan saved to %1").arg(path));
  return true;
}

void PlanPage::update_unsaved() {
  const auto& kept = document().unsaved();
  if (!kept) return strips().resolve(QStringLiteral("unsaved"));
  strips().show_message({QStringLiteral("unsaved"), StripMessage::Level::Info, tr("Not saved"),
                         tr("Changes of the plan \u201c%1\u201d were not saved when another took its place.").arg(QString::fromStdString(kept->plan.name)), tr("Bring back"), [this] {
                           // After the click has ended: it removes the button.
                           QMetaObject::invokeMethod(this, [this] { document().bring_back(); }, Qt::QueuedConnection);
                         }});
}

void PlanPage::start() {
  update_start();
  if (!start_->isEnabled()) return;
  QString error;
  const QString folder = QFileInfo(document().plan_path()).absolutePath();
  const plan::Plan plan = document().plan_path().isEmpty() ? document().plan() : plan::with_paths_from(document().plan(), folder.toStdString());
  if (!run().start(plan, {}, {}, &error)) {
    strips().show_message({QStringLiteral("start"), StripMessage::Level::Fail, tr("Not started"), error, {}, {}});
    return;
  }
  strips().resolve(QStringLiteral("start"));
  emit go_to(RunIndex);
}

void PlanPage::update_start() {
  int fails = 0;
  for (const auto& item : loader_.preflight()) fails += item.state == host::PreflightItem::State::fail ? 1 : 0;
  QString field_fault;
  for (const auto& [field, value] : numbers_)
    if (field->faulty() && field->isVisibleTo(this)) field_fault = field->accessibleName();
  const auto wrong = faults().size();
  QString why;
  if (run().running()) why = tr("An experiment runs. Stop it, or wait for its end.");
  else if (wrong > 0) why = tr("The plan has %n fault(s), each beside its field.", nullptr, int(wrong));
  else if (!field_fault.isEmpty() || file_faulty_) why = tr("An entry is not understood: %1.").arg(field_fault.isEmpty() ? tr("plan file") : field_fault);
  else if (loader_.checking() || loader_.preflight().empty()) why = tr("The preflight looks at this machine.");
  else if (fails > 0) why = tr("%n preflight check(s) failed.", nullptr, fails);
  start_->setEnabled(why.isEmpty());
  start_->setToolTip(why.isEmpty() ? tr("Starts the servers one after the other (Ctrl+R). Nothing runs that is not shown here") : why);
  start_->setAccessibleDescription(why);

  const auto sessions = plan::schedule(document().plan()).size();
  if (wrong > 0) emit result_changed(tr("%n fault(s)", nullptr, int(wrong)), "fail");
  else emit result_changed(sessions == 1 ? tr("1 session") : tr("%1 sessions").arg(sessions), "text3");
  QStringList words{wrong == 0 ? tr("Plan is valid: nothing runs until you start it") : tr("Plan has %n fault(s)", nullptr, int(wrong))};
  if (!loader_.checking() && !loader_.preflight().empty()) words << tr("preflight took %1 s").arg(ratio(loader_.preflight_ms() / 1000, 1));
  if (isVisible()) emit status(words.join(QStringLiteral("   \u00b7   ")));
}

bool PlanPage::export_view() { return export_table(tr("requests"), requests_->text(QLatin1Char(','))); }

QString PlanPage::copy_text(bool csv) {
  if (!csv && command_->hasFocus()) {
    const auto* f = loader_.facts();
    if (!f || f->sessions.empty()) return {};
    if (command_->textCursor().hasSelection()) return command_->textCursor().selectedText().replace(QChar(0x2029), QLatin1Char('\n'));
    const auto arm = f->arms.find(f->sessions[std::size_t(sessions_->selected())].arm);
    return arm == f->arms.end() ? QString() : arm->second.line;
  }
  return requests_->text(csv ? QLatin1Char(',') : QLatin1Char('\t'));
}

// The Plan file tab: every field of a plan, also those without one on the left.
void PlanPage::update_file_text() {
  if (file_->hasFocus() && file_->document()->isModified()) return;
  updating_ = true;
  const QString text = QString::fromStdString(plan::to_json(document().plan()).dump(2));
  if (text != file_->toPlainText()) file_->setPlainText(text);
  file_->document()->setModified(false);
  updating_ = false;
}

void PlanPage::read_file_text() {
  const plan::Parsed parsed = plan::parse_text(file_->toPlainText().toStdString(), tr("plan file").toStdString());
  QStringList faults;
  const bool whole = std::none_of(parsed.faults.begin(), parsed.faults.end(), [](const auto& f) { return f.field.empty(); });
  // Faults of values are beside their fields already; here stand those of the text itself.
  const auto known = plan::validate(parsed.plan);
  for (const auto& f : parsed.faults)
    if (std::none_of(known.begin(), known.end(), [&](const auto& k) { return k.field == f.field && k.what == f.what; }))
      faults << shown(f.next.empty() ? f.what + "." : f.what + ". " + f.next + ".");
  file_faulty_ = !faults.isEmpty();
  file_fault_->setText(faults.join(QLatin1Char('\n')));
  file_fault_->setVisible(file_faulty_);
  mark_fault(file_, file_fault_->text());
  if (whole && !file_faulty_) document().edit_plan(parsed.plan, tr("plan file"), 40);
  update_start();
}

}  // namespace kvcliff::ui
