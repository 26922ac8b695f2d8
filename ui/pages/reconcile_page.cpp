// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/reconcile_page.h"

#include <QComboBox>
#include <QEvent>
#include <QFileDialog>
#include <QHeaderView>
#include <QShortcut>
#include <QSplitter>
#include <QTableView>

#include "base/file.h"
#include "report/report.h"
#include "ui/bridge/document.h"
#include "ui/bridge/evidence.h"
#include "ui/bridge/model_sizes.h"
#include "ui/main_window.h"
#include "ui/pages/reconcile_evidence.h"
#include "ui/pages/reconcile_legend.h"
#include "ui/pages/reconcile_matrix.h"
#include "ui/theme/numbers.h"
#include "ui/widgets/card.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/segments.h"

namespace kvcliff::ui {

ReconcilePage::ReconcilePage(Services services, QWidget* parent) : Page(services, QStringLiteral("reconcile"), tr("Reconcile"), parent) {
  auto* outer = new QVBoxLayout(body());
  outer->setContentsMargins(0, 0, 0, 0);
  auto* column = new QSplitter(Qt::Vertical, body());
  split_ = column;
  column->setObjectName(QStringLiteral("reconcile.split"));
  column->setHandleWidth(12);
  column->setChildrenCollapsible(false);
  outer->addWidget(column);
  build_actions();
  build_matrix(column);
  build_below(column);
  column->setStretchFactor(0, 0);
  column->setStretchFactor(1, 1);
  // A run can be judged while another page is shown: this one has its height only later.
  column->installEventFilter(this);
  connect(column, &QSplitter::splitterMoved, this, [this] { divided_by_hand_ = true; });

  connect(services_.evidence, &Evidence::changed, this, &ReconcilePage::update_all);
  connect(&document(), &Document::request_selected, this, [this](int request) {
    if (!following_) view_->show_request(request);
  });
  for (const bool forward : {true, false}) {
    auto* key = new QShortcut(forward ? QKeySequence(Qt::Key_N) : QKeySequence(Qt::SHIFT | Qt::Key_N), this);
    key->setContext(Qt::WidgetWithChildrenShortcut);
    connect(key, &QShortcut::activated, this, [this, forward] { go_open(forward); });
  }
  update_all();
}

void ReconcilePage::build_actions() {
  simulated_ = new Chip(theme(), QStringLiteral("flask"), tr("Simulated"), "simulated", this);
  simulated_->setToolTip(tr("The engine of this run was emulated"));
  reconciled_ = new Chip(theme(), QStringLiteral("check"), QString(), "pass", this);
  reconciled_->setObjectName(QStringLiteral("reconcile.chip.reconciled"));
  possible_ = new Chip(theme(), QStringLiteral("dash"), QString(), "notpossible", this);
  possible_->setObjectName(QStringLiteral("reconcile.chip.notPossible"));
  chips()->addWidget(simulated_);
  chips()->addWidget(reconciled_);
  chips()->addWidget(possible_);
  auto* save = new QPushButton(tr("Export evidence\u2026"), this);
  theme().set_icon(save, QStringLiteral("exp"));
  save->setObjectName(QStringLiteral("reconcile.export"));
  save->setToolTip(tr("Writes requests, checks, ledgers and events as CSV into a folder"));
  connect(save, &QPushButton::clicked, this, &ReconcilePage::export_evidence);
  actions()->addWidget(save);
}

void ReconcilePage::build_matrix(QSplitter* column) {
  matrix_card_ = new Card(theme(), tr("Checks by request"));
  matrix_card_->setProperty("help", QStringLiteral("reconcile.matrix"));
  reading_ = new ElidedLabel(QString(), "secondary");
  reading_->setFont(theme().font(TextSize::Chart));
  reading_->setObjectName(QStringLiteral("reconcile.reading"));
  reading_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  only_open_ = new QPushButton(tr("Only what is not green"));
  only_open_->setObjectName(QStringLiteral("reconcile.onlyOpen"));
  only_open_->setCheckable(true);
  only_open_->setProperty("segment", true);
  only_open_->setProperty("first", true);
  only_open_->setProperty("last", true);
  only_open_->setToolTip(tr("Hides checks and requests that passed (Ctrl+F)"));
  only_open_->setAccessibleName(tr("Show only what is not green"));
  connect(only_open_, &QPushButton::toggled, this, [this](bool on) {
    const int request = document().selected_request();
    matrix_.set_only_open(on);
    if (request >= 0) view_->show_request(request);
  });
  next_ = new QPushButton(tr("Next failure"));
  next_->setObjectName(QStringLiteral("reconcile.next"));
  next_->setProperty("flat", true);
  next_->setToolTip(tr("To the next check that fails or is not settled (N, back with Shift+N)"));
  theme().set_icon(next_, QStringLiteral("right"));
  connect(next_, &QPushButton::clicked, this, [this] { go_open(true); });
  matrix_card_->header()->addWidget(new MatrixLegend(theme()));
  matrix_card_->header()->addWidget(next_);
  matrix_card_->header()->addWidget(only_open_);
  view_ = new MatrixView(theme(), matrix_);
  matrix_card_->body()->addWidget(view_, 1);
  matrix_card_->body()->addWidget(reading_);
  connect(view_, &MatrixView::selected, this, &ReconcilePage::cell_selected);
  connect(view_, &MatrixView::opened, this, [this] {
    if (view_->current_row() >= 0) panel_->open_for(matrix_.row(view_->current_row()).id);
  });
  column->addWidget(matrix_card_);
}

void ReconcilePage::build_below(QSplitter* column) {
  auto* row = new QSplitter(Qt::Horizontal);
  row->setHandleWidth(12);
  row->setChildrenCollapsible(false);
  ledger_card_ = new Card(theme(), tr("Ledger"));
  ledger_card_->setProperty("help", QStringLiteral("reconcile.ledger"));
  ledger_card_->layout()->setContentsMargins(0, 8, 0, 4);
  ledger_card_->header()->setContentsMargins(14, 0, 14, 0);
  unexplained_ = new Chip(theme(), QStringLiteral("check"), QString(), "pass");
  unexplained_->setObjectName(QStringLiteral("reconcile.unexplained"));
  ledger_card_->header()->addWidget(unexplained_);
  ledger_view_ = make_table(theme(), ledger_, QStringLiteral("reconcile.ledger"), tr("Ledger"), ledger_card_, LedgerModel::Explained);
  ledger_card_->body()->addWidget(ledger_view_, 1);
  row->addWidget(ledger_card_);
  auto* evidence = new Card(theme());
  evidence->setProperty("help", QStringLiteral("reconcile.evidence"));
  evidence->layout()->setContentsMargins(0, 4, 0, 4);
  evidence->layout()->setSpacing(0);
  panel_ = new EvidencePanel(theme(), *services_.evidence, evidence);
  evidence->body()->addWidget(panel_, 1);
  row->addWidget(evidence);
  row->setStretchFactor(0, 9);
  row->setStretchFactor(1, 8);
  row->setSizes({900, 800});
  column->addWidget(row);
}

bool ReconcilePage::eventFilter(QObject* watched, QEvent* event) {
  if (watched == split_ && (event->type() == QEvent::Resize || event->type() == QEvent::Show))
    QMetaObject::invokeMethod(this, &ReconcilePage::fit_matrix, Qt::QueuedConnection);
  return Page::eventFilter(watched, event);
}

// The matrix takes what its rows need, the ledgers at least a third.
void ReconcilePage::fit_matrix() {
  if (divided_by_hand_ || matrix_.rowCount() == 0) return;
  const int all = split_->height(), wanted = view_->sizeHint().height() + theme().px(86);
  if (all > 0) split_->setSizes({std::min(wanted, all * 2 / 3), std::max(all - wanted, all / 3)});
}

void ReconcilePage::update_all() {
  const Evidence& e = *services_.evidence;
  strips().resolve(QStringLiteral("reconcile"));
  const auto judged = e.judged();
  if (!e.error().isEmpty()) {
    strips().show_message({QStringLiteral("reconcile"), e.asks() ? StripMessage::Level::Caution : StripMessage::Level::Fail, e.asks() ? tr("Not judged") : tr("Not read"), e.error(),
                           e.asks() ? tr("Judge it all") : tr("Read again"), [this] { services_.evidence->asks() ? services_.evidence->judge_all() : services_.evidence->reload(); }});
    emit result_changed(e.asks() ? tr("not judged") : tr("not read"), e.asks() ? "text3" : "fail");
  }
  if (!judged || judged->measured.empty()) {
    matrix_.set_judged(judged);
    reconciled_->setVisible(false);
    possible_->setVisible(false);
    simulated_->setVisible(false);
    if (e.asks()) show_empty(tr("The checks are made when you ask for them."), tr("Judge it all"), [this] { services_.evidence->judge_all(); });
    else if (!e.error().isEmpty()) show_empty(tr("The checks could not be made."), QString(), [] {});
    else if (e.loading()) show_empty(tr("Reading the journal and checking every counter\u2026"), QString(), [] {});
    else show_empty(tr("No measured request. Checks appear as each request settles."), tr("Go to run"), [this] { emit go_to(RunIndex); });
    if (e.error().isEmpty()) emit result_changed(QString(), "text3");
    return;
  }
  if (e.loading()) return;  // the former state stays until the new one is there
  show_body();
  const auto& r = judged->evaluation.reconciliation;
  set_subtitle(QStringLiteral("%1, %2").arg(QString::fromStdString(judged->input.name), model_words(judged->input.plan.model)));
  simulated_->setVisible(judged->input.simulated);
  const bool whole = r.reconciled == r.measured;
  const QString words = tr("%1 of %2 requests reconciled").arg(exact(r.reconciled), exact(r.measured));
  reconciled_->set(whole ? QStringLiteral("check") : QStringLiteral("cross"), words, whole ? "pass" : "fail");
  reconciled_->setVisible(true);
  int none = 0;
  for (const auto& t : r.totals) none += t.not_possible > 0 && t.pass + t.fail + t.not_settled == 0;
  possible_->set(QStringLiteral("dash"), none == 1 ? tr("1 check not possible") : tr("%1 checks not possible").arg(none), "notpossible");
  possible_->setVisible(none > 0);
  matrix_.set_judged(judged);
  fit_matrix();
  update_ledger_buttons();
  show_ledger(0);

  const int open = matrix_.open_count();
  next_->setEnabled(open > 0);
  if (judged->evaluation.decision.withdrawn()) {
    // The first cell of a check whose gate fails; a flag or an R17 that changes nothing is not what withdrew the claim.
    const auto& gates = judged->evaluation.decision.gates;
    const auto gate_fails = [&](const QString& id) {
      return std::any_of(gates.begin(), gates.end(), [&](const Gate& g) {
        return QString::fromStdString(g.id) == id && (g.state == CheckState::fail || g.state == CheckState::not_settled);
      });
    };
    auto place = matrix_.next_open(-1, -1, true);
    for (int i = 1; place && i < open && !gate_fails(matrix_.row(place->first).id); ++i) place = matrix_.next_open(place->first, place->second, true);
    QString sentence = QString::fromStdString(judged->evaluation.decision.why) + QLatin1Char('.');
    if (place && gate_fails(matrix_.row(place->first).id)) {
      const auto cell = matrix_.cell(place->first, place->second);
      sentence = matrix_.row(place->first).id + (cell.state == CheckState::fail ? tr(" fails: ") : tr(" is not settled: ")) +
                 judged->request_words(matrix_.request_of(place->second)) + QStringLiteral(": ") + QString::fromStdString(cell.result->why) + QLatin1Char('.');
      if (open > 1) sentence += tr(" %1 more cells are open.").arg(exact(open - 1));
    }
    strips().show_message({QStringLiteral("reconcile"), StripMessage::Level::Withdrawn, tr("Withdrawn"), sentence + tr(" No claim can be exported from this run."),
                           open > 0 ? tr("Show evidence") : QString(), [this, place] {
                             if (place) view_->select(place->first, place->second);
                             panel_->open_for(matrix_.row(std::max(0, view_->current_row())).id);
                           }});
  } else if (const auto first = matrix_.next_open(-1, -1, true)) {
    // Flags (R21) and late counters that no gate rests on.
    const auto cell = matrix_.cell(first->first, first->second);
    QString sentence = tr("%1, %2: %3.").arg(matrix_.row(first->first).id, judged->request_words(matrix_.request_of(first->second)), QString::fromStdString(cell.result->why));
    if (open > 1) sentence += open == 2 ? tr(" 1 more cell is not green.") : tr(" %1 more cells are not green.").arg(exact(open - 1));
    strips().show_message({QStringLiteral("reconcile"), StripMessage::Level::Caution, tr("Flagged"), sentence + tr(" No gate rests on it."), tr("Show"),
                           [this] { view_->next_open(true); }});
  }
  const QString done = tr("%1 of %2").arg(exact(r.reconciled), exact(r.measured));
  int fails = 0;
  for (const auto& g : judged->evaluation.decision.gates) fails += g.state == CheckState::fail || g.state == CheckState::not_settled;
  emit result_changed(fails > 0 ? (fails == 1 ? tr("1 fails") : tr("%1 fail").arg(fails)) : done, fails > 0 ? "fail" : "text3");
  const int request = document().selected_request() >= 0 ? document().selected_request() : 0;
  const auto first = matrix_.next_open(-1, -1, true);
  if (document().selected_request() < 0 && first) view_->select(first->first, first->second);
  else view_->select(std::max(0, view_->current_row()), std::max(0, matrix_.column_of(request)));
}

void ReconcilePage::update_ledger_buttons() {
  delete ledger_choice_;
  const auto judged = services_.evidence->judged();
  QStringList names{tr("All")};
  for (std::size_t s = 0; s < judged->input.sessions.size(); ++s) names << judged->session_name(s);
  if (names.size() <= 7 && names.join(QString()).size() <= 48) {  // longer names would push the card apart
    auto* segments = new Segments(QStringLiteral("reconcile.session"), names, ledger_card_);
    connect(segments, &Segments::chosen, this, &ReconcilePage::show_ledger);
    choose_ledger_ = [segments](int i) { segments->set_current(i); };
    ledger_choice_ = segments;
  } else {
    auto* box = new QComboBox(ledger_card_);
    box->setObjectName(QStringLiteral("reconcile.session"));
    box->addItems(names);
    connect(box, qOverload<int>(&QComboBox::activated), this, &ReconcilePage::show_ledger);
    choose_ledger_ = [box](int i) { box->setCurrentIndex(i); };
    ledger_choice_ = box;
  }
  ledger_choice_->setAccessibleName(tr("Ledger of which session"));
  ledger_card_->header()->insertWidget(1, ledger_choice_);
}

void ReconcilePage::show_ledger(int index) {
  const auto judged = services_.evidence->judged();
  if (!judged) return;
  const auto& r = judged->evaluation.reconciliation;
  std::vector<LedgerLine> lines = r.ledger;
  if (index > 0) {
    lines.clear();
    for (const auto& s : r.sessions)
      if (s.session == std::size_t(index - 1)) lines = s.ledger;
  }
  ledger_.set_lines(std::move(lines));
  choose_ledger_(index);
  const bool clean = ledger_.clean();
  const bool known = ledger_.known();
  unexplained_->set(!clean ? QStringLiteral("cross") : known ? QStringLiteral("check") : QStringLiteral("dash"),
                    tr("unexplained %1").arg(ledger_.unexplained_words()), !clean ? "fail" : known ? "pass" : "notpossible");
}

void ReconcilePage::cell_selected(int row, int column) {
  const auto judged = services_.evidence->judged();
  if (!judged) return;
  const int request = matrix_.request_of(column);
  reading_->setText(matrix_.words(row, column));
  reading_->setToolTip(reading_->text());
  following_ = true;
  document().select_request(request);
  following_ = false;
  panel_->show_request(request);
  show_ledger(matrix_.row(row).scope == CheckScope::experiment ? 0 : int(judged->measured[std::size_t(request)]->session) + 1);
  emit status(judged->request_words(request));
}

void ReconcilePage::go_open(bool forward) {
  if (!view_->next_open(forward)) emit status(tr("Nothing fails and nothing is unsettled."));
}

bool ReconcilePage::focus_filter() {
  only_open_->setFocus(Qt::ShortcutFocusReason);
  only_open_->toggle();
  return true;
}

QString ReconcilePage::copy_text(bool csv) {
  if (ledger_view_->hasFocus()) return ledger_.text(csv);
  if (panel_->isAncestorOf(focusWidget())) return panel_->text(csv);
  return matrix_.text(csv);
}

bool ReconcilePage::export_view() {
  export_evidence();
  return true;
}

void ReconcilePage::export_evidence() {
  const auto judged = services_.evidence->judged();
  if (!judged) return;
  const QString folder = QFileDialog::getExistingDirectory(this, tr("Folder for the evidence"));
  if (folder.isEmpty()) return;
  for (const auto& t : report::tables(judged->input, judged->evaluation, false))
    if (const auto done = write_file((folder + QLatin1Char('/')).toStdString() + t.name, t.text); !done) {
      strips().show_message({QStringLiteral("export"), StripMessage::Level::Fail, tr("Not exported"), QString::fromStdString(done.error().sentence()), {}, {}});
      return;
    }
  emit status(tr("Evidence written to %1").arg(folder));
}

}  // namespace kvcliff::ui
