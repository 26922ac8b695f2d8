// SPDX-License-Identifier: GPL-3.0-or-later
// What Decide does; its parts are built in decide_build.cpp.
#include "ui/pages/decide_page.h"

#include <QApplication>
#include <QClipboard>
#include <QDialog>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QSettings>
#include <QStackedWidget>
#include <QTableView>

#include "ui/bridge/document.h"
#include "ui/bridge/model_sizes.h"
#include "ui/charts/cliff_chart.h"
#include "ui/charts/ecdf_chart.h"
#include "ui/charts/pairs_chart.h"
#include "ui/charts/scatter_chart.h"
#include "ui/charts/split_chart.h"
#include "ui/export/report_export.h"
#include "ui/main_window.h"
#include "ui/models/evidence_estimates.h"
#include "ui/pages/decide_interval.h"
#include "ui/theme/numbers.h"
#include "ui/theme/plain_text.h"
#include "ui/widgets/card.h"
#include "ui/widgets/segments.h"

namespace kvcliff::ui {

DecidePage::DecidePage(Services services, QWidget* parent)
    : Page(services, QStringLiteral("decide"), tr("Decide"), parent),
      estimates_({{tr("quantity"), false}, {tr("estimate"), true}, {tr("95 % interval"), true}, {tr("basis"), false}}),
      sizing_({{tr("loaded or hit"), true, tr("Share of the revisits' prompt tokens")}, {tr("blocks"), true}, {tr("GiB"), true, tr("2^30 bytes, all ranks")}}) {
  setProperty("leastHeight", theme().px(660));  // verdict, two charts with their axes, and a few rows below
  auto* row = new QHBoxLayout(body());
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(12);
  auto* left = left_ = new QVBoxLayout;
  auto* right = new QVBoxLayout;
  left->setSpacing(12);
  right->setSpacing(12);
  row->addLayout(left, 1);
  row->addLayout(right);
  build_actions();
  build_verdict(left);
  build_charts(left);
  build_below(left);
  build_limits(right);
  connect(services_.evidence, &Evidence::changed, this, &DecidePage::update_all);
  connect(&services_.theme, &Theme::changed, this, &DecidePage::update_all);
  connect(&document(), &Document::request_selected, this, [this](int request) {
    for (PointPlot* c : std::initializer_list<PointPlot*>{pairs_, ecdf_, computed_, predicted_}) c->set_selected(request);
  });
  update_all();
}

void DecidePage::update_all() {
  const Evidence& e = *services_.evidence;
  const auto judged = e.judged();
  strips().resolve(QStringLiteral("decide"));
  copy_->setEnabled(false);
  report_->setEnabled(judged != nullptr && !e.loading());
  simulated_->setVisible(judged && judged->input.simulated);
  if (!e.error().isEmpty())
    strips().show_message({QStringLiteral("decide"), e.asks() ? StripMessage::Level::Caution : StripMessage::Level::Fail, e.asks() ? tr("Not judged") : tr("Not read"), e.error(),
                           e.asks() ? tr("Judge it all") : tr("Read again"), [this] { services_.evidence->asks() ? services_.evidence->judge_all() : services_.evidence->reload(); }});
  if (!judged) {
    if (e.asks()) {
      show_empty(tr("The run is judged when you ask for it."), tr("Judge it all"), [this] { services_.evidence->judge_all(); });
    } else if (!e.error().isEmpty()) {
      show_empty(tr("The run could not be judged."), QString(), [] {});
    } else if (e.loading()) {
      show_empty(tr("Reading the journal and checking every counter\u2026"), QString(), [] {});
    } else {
      show_empty(tr("No verdict before every session has ended."), tr("Go to run"), [this] { emit go_to(RunIndex); });
    }
    emit result_changed(QString(), "text3");
    return;
  }
  if (e.loading()) return;
  if (judged->measured.empty()) {
    show_empty(tr("No verdict before every session has ended. %1 of %2 have.").arg(judged->input.sessions.size()).arg(judged->input.schedule.size()), tr("Go to run"),
               [this] { emit go_to(RunIndex); });
    emit result_changed(QString(), "text3");
    return;
  }
  show_body();
  set_subtitle(QStringLiteral("%1, %2").arg(shown(judged->input.name), model_words(judged->input.plan.model)));
  update_verdict(*judged);
  update_limits(*judged);
  for (Plot* p : std::initializer_list<Plot*>{pairs_, ecdf_, computed_, predicted_, split_, cliff_}) {
    p->set_watermark(judged->watermark());
    p->set_caption(judged->caption());
  }
  pairs_->set_judged(judged);
  ecdf_->set_judged(judged);
  computed_->set_judged(judged);
  predicted_->set_judged(judged);
  split_->set_judged(judged);
  update_sweep(*judged);
  split_card_->set_title(split_->split() ? tr("Where the %1 ms went").arg(QLocale().toString(std::fabs(split_->split()->off_ms - split_->split()->on_ms), 'f', 1)) : tr("Where the difference went"));
  split_note_->setText(split_->split() ? split_->note() : QString());
  split_note_->setVisible(split_->split().has_value());
  estimates_.set_rows(estimate_rows(*judged));
  sizing_.set_rows(sizing_rows(*judged));
  sizing_view_->setVisible(sizing_.rowCount() > 0);
  sizing_why_->setVisible(sizing_.rowCount() == 0);
  sizing_why_->setText(shown(judged->sizing_why));

  const auto& d = judged->evaluation.decision;
  copy_->setEnabled(!claim_text(*judged).isEmpty());
  copy_->setToolTip(copy_->isEnabled() ? tr("Puts verdict, estimate, limits and run id on the clipboard") : tr("There is no claim to copy"));
  if (d.withdrawn())
    strips().show_message({QStringLiteral("decide"), StripMessage::Level::Withdrawn, tr("Withdrawn"), tr("Gates that fail: %1.").arg(judged->gates_word().section(QStringLiteral(": "), 1).replace(QLatin1Char(' '), QStringLiteral(", "))), tr("Show evidence"),
                           [this] { emit go_to(ReconcileIndex); }});
  if (d.only_locates()) {
    const bool foretold = std::all_of(d.cliff->edges.begin(), d.cliff->edges.end(), [](const auto& edge) { return edge.as_predicted == true; });
    emit result_changed(foretold ? tr("as predicted") : tr("cliff found"), foretold ? "pass" : "text3");
    return;
  }
  const QString results[] = {tr("helps"), tr("no effect"), tr("hurts"), tr("cannot tell"), tr("withdrawn")};
  const char* colors[] = {"pass", "text3", "fail", "notsettled", "withdrawn"};
  const auto at = d.verdict == analysis::Verdict::helps ? 0 : d.verdict == analysis::Verdict::no_effect ? 1 : d.verdict == analysis::Verdict::hurts ? 2 : d.verdict == analysis::Verdict::cannot_tell ? 3 : 4;
  emit result_changed(results[at], colors[at]);
}

void DecidePage::update_verdict(const Judged& j) {
  const auto& d = j.evaluation.decision;
  const char *icon = "tilde", *color = "notsettled";
  switch (d.verdict) {
    case analysis::Verdict::helps: icon = "check", color = "pass"; break;
    case analysis::Verdict::no_effect: icon = "dash", color = "notpossible"; break;
    case analysis::Verdict::hurts: icon = "cross", color = "fail"; break;
    case analysis::Verdict::cannot_tell: break;
    case analysis::Verdict::withdrawn: icon = "warn", color = "withdrawn"; break;
  }
  if (d.only_locates() && std::all_of(d.cliff->edges.begin(), d.cliff->edges.end(), [](const auto& edge) { return edge.as_predicted == true; }))
    icon = "check", color = "pass";
  const int size = theme().px(28);
  const qreal dpr = devicePixelRatioF();
  QPixmap disc(int(size * dpr), int(size * dpr));
  disc.setDevicePixelRatio(dpr);
  disc.fill(Qt::transparent);
  QPainter p(&disc);
  p.setRenderHint(QPainter::Antialiasing);
  p.setPen(Qt::NoPen);
  p.setBrush(theme().color(color));
  p.drawEllipse(QRectF(0, 0, size, size));
  p.drawPixmap(QPointF(size * 0.2, size * 0.2), theme().pixmap(QLatin1String(icon), theme().color("surface"), int(size * 0.6), dpr));
  p.end();
  glyph_->setPixmap(disc);
  interval_->setVisible(!d.only_locates());
  title_->setText(verdict_title(d));
  title_->setStyleSheet(d.withdrawn() ? QStringLiteral("color: %1;").arg(theme().color("withdrawn").name()) : QString());
  sentence_->setText(verdict_sentence(d));
  sentence_->setToolTip(shown(d.why));
  QStringList notes;
  if (!d.withdrawn() && !d.first_visit_caution.empty()) notes << tr("Caution: %1").arg(shown(d.first_visit_caution));
  for (const auto& w : d.warnings) notes << shown(w);
  for (const auto& n : j.notes) notes << shown(n);
  for (QString& n : notes)
    if (!n.isEmpty()) n[0] = n[0].toUpper();
  notes_->setText(notes.isEmpty() ? QString() : notes.size() == 1 ? notes.first() : notes.size() == 2 ? tr("%1 (and 1 more note)").arg(notes.first()) : tr("%1 (and %2 more notes)").arg(notes.first(), exact(notes.size() - 1)));
  notes_->setToolTip(notes.join(QLatin1Char('\n')));
  notes_->setVisible(!notes.isEmpty());
  if (d.withdrawn()) interval_->set(std::nullopt, j.input.plan.smallest_effect, tr("Estimate withheld.\nIt returns when every gate passes."));
  else interval_->set(d.effect.effect ? std::optional(d.effect.effect->ratio) : std::nullopt, j.input.plan.smallest_effect, shown(d.effect.why));

  // Four gates that people ask for first; the others are counted.
  delete gates_holder_;
  gates_holder_ = new QWidget;
  auto* row = new QHBoxLayout(gates_holder_);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(16);
  const auto add = [&](bool good, const QString& words, const QString& tip) {
    auto* one = new QWidget;
    auto* line = new QHBoxLayout(one);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(5);
    auto* mark = new QLabel;
    mark->setPixmap(theme().pixmap(good ? QStringLiteral("check") : QStringLiteral("cross"), theme().color(good ? "pass" : "fail"), 13, dpr));
    auto* label = new QLabel(words);
    label->setFont(theme().font(TextSize::Chart));
    label->setStyleSheet(QStringLiteral("color: %1;%2").arg(theme().color(good ? "text2" : "fail").name(), good ? QString() : QStringLiteral(" font-weight: 600;")));
    one->setToolTip(tip);
    line->addWidget(mark);
    line->addWidget(label);
    row->addWidget(one);
  };
  const auto& r = j.evaluation.reconciliation;
  add(r.reconciled == r.measured, tr("%1 of %2 reconciled").arg(exact(r.reconciled), exact(r.measured)), tr("Every check that applies and is possible passed, R17 and R21 apart"));
  const std::pair<const char*, QString> wanted[] = {{"control", tr("control hits the GPU")}, {"R15", tr("only the tier differs")}, {"R18", tr("outputs equal")}};
  int failed = 0;
  QStringList others;
  for (const auto& g : d.gates) {
    const bool bad = g.state == CheckState::fail || g.state == CheckState::not_settled;
    const auto* named = std::find_if(std::begin(wanted), std::end(wanted), [&](const auto& w) { return g.id == w.first; });
    if (named != std::end(wanted)) {
      if (bad || (g.state == CheckState::pass && !d.withdrawn())) add(!bad, named->second, shown(g.why));
    } else if (bad) {
      ++failed;
      others << shown(g.id + ": " + g.why);
    }
  }
  if (failed > 0) add(false, failed == 1 ? tr("gate %1 fails").arg(others.first().section(QLatin1Char(':'), 0, 0)) : tr("%1 more gates fail").arg(failed), others.join(QLatin1Char('\n')));
  row->addStretch(1);
  gates_box_->addWidget(gates_holder_);
  int all = 0, bad = 0;
  for (const auto& g : d.gates) {
    all += g.state != CheckState::not_applicable;
    bad += g.state == CheckState::fail || g.state == CheckState::not_settled;
  }
  emit status(bad == 0 ? tr("All gates pass \u00b7 run %1").arg(shown(j.input.run_id)) : tr("%1 of %2 gates fail \u00b7 run %3").arg(bad).arg(all).arg(shown(j.input.run_id)));
}

void DecidePage::show_definition(const QModelIndex& index) {
  const QModelIndex cell = index.siblingAtColumn(1);
  const QString definition = cell.data(EvidenceTable::DefinitionRole).toString();
  if (definition.isEmpty()) return;
  auto* dialog = new QDialog(this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setObjectName(QStringLiteral("decide.definition"));
  dialog->setWindowTitle(index.siblingAtColumn(0).data().toString());
  auto* column = new QVBoxLayout(dialog);
  const QString value = cell.data().toString(), interval = index.siblingAtColumn(2).data().toString();
  auto* head = new QLabel(interval.isEmpty() ? value : QStringLiteral("%1   (%2)").arg(value, interval));
  head->setFont(theme().font(TextSize::PageTitle));
  auto* text = new QLabel(definition);
  auto* basis = label(tr("Here: %1").arg(index.siblingAtColumn(3).data().toString()), "secondary");
  for (QLabel* l : {head, text, basis}) {
    l->setWordWrap(true);
    l->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(l);
  }
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
  connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::close);
  column->addWidget(buttons);
  dialog->resize(520, 220);
  dialog->show();
}

bool DecidePage::export_view() {
  if (!services_.evidence->judged()) return false;
  if (sizing_view_->hasFocus()) return export_table(tr("host tier by target"), sizing_.text(true));
  if (estimate_view_->hasFocus()) return export_table(tr("estimates"), estimates_.text(true));
  for (Plot* p : std::initializer_list<Plot*>{pairs_, computed_, predicted_, split_, ecdf_, cliff_})
    if (p->hasFocus()) return p->export_dialog();
  return pairs_->export_dialog();
}

QString DecidePage::copy_text(bool csv) {
  const auto judged = services_.evidence->judged();
  if (!judged) return {};
  if (sizing_view_->hasFocus()) return sizing_.text(csv);
  if (csv || estimate_view_->hasFocus()) return estimates_.text(csv);
  return claim_text(*judged);
}

void DecidePage::export_report() {
  QSettings settings;
  const QString folder = QFileDialog::getExistingDirectory(this, tr("Folder for the report"), settings.value(QStringLiteral("export/folder")).toString());
  if (folder.isEmpty()) return;
  settings.setValue(QStringLiteral("export/folder"), folder);
  export_report_to(folder);
}

bool DecidePage::export_report_to(const QString& folder) {
  const auto judged = services_.evidence->judged();
  if (!judged) return false;
  QApplication::setOverrideCursor(Qt::WaitCursor);
  const auto files = kvcliff::ui::export_report(*judged, folder, services_.resources, theme());
  QApplication::restoreOverrideCursor();
  if (!files) {
    strips().show_message({QStringLiteral("export"), StripMessage::Level::Fail, tr("Not exported"), shown(files.error().sentence()), {}, {}});
    return false;
  }
  strips().show_message({QStringLiteral("export"), StripMessage::Level::Info, tr("Exported"), tr("%1 files in %2").arg(files->size()).arg(folder), {}, {}});
  return true;
}

}  // namespace kvcliff::ui
