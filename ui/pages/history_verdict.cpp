// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/history_verdict.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/models/history_model.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"

namespace kvcliff::ui {

HistoryVerdict::HistoryVerdict(const Theme& theme, QWidget* parent) : Card(theme, tr("Verdict"), parent), theme_(theme) {
  setObjectName(QStringLiteral("history.verdict"));
  run_ = label(QString(), "secondary");
  header()->insertWidget(1, run_);
  simulated_ = new Chip(theme, QStringLiteral("flask"), tr("Simulated"), "simulated", this);
  header()->addWidget(simulated_);
  open_ = new QPushButton(tr("Open on Decide"));
  open_->setObjectName(QStringLiteral("history.verdict.open"));
  open_->setAccessibleName(tr("Open this run on Decide"));
  open_->setToolTip(tr("Shows this run on Run, Reconcile and Decide (Enter in the table)"));
  header()->addWidget(open_);
  connect(open_, &QPushButton::clicked, this, &HistoryVerdict::open_asked);
  title_ = label(QString());
  title_->setFont(theme.font(TextSize::PageTitle));
  sentence_ = label(QString());
  gates_ = label(QString(), "secondary");
  const std::pair<QLabel*, const char*> named[] = {{title_, "title"}, {sentence_, "sentence"}, {gates_, "gates"}};
  for (const auto& [l, name] : named) {
    l->setObjectName(QStringLiteral("history.verdict.") + QLatin1String(name));
    l->setWordWrap(true);
    l->setTextInteractionFlags(Qt::TextSelectableByMouse);
    body()->addWidget(l);
  }
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
  show_run(nullptr);
}

void HistoryVerdict::show_run(const HistoryRow* row) {
  setVisible(row != nullptr);
  if (!row) return;
  const HistorySummary& s = row->summary;
  run_->setText(row->number() + QStringLiteral(" \u00b7 ") + shown(row->record.name) + QStringLiteral(" \u00b7 ") +
                tr("run %1").arg(shown(row->record.uid)));
  simulated_->setVisible(row->record.simulated);
  const bool whole = !s.title.isEmpty();
  const bool pending = !s.ready && s.why.isEmpty();
  // A run too large to be judged for a list shows what was sealed with it, and says that it is that.
  title_->setText(whole ? s.title : pending ? tr("Judging this run\u2026") : s.verdict ? tr("Sealed: %1.").arg(HistoryModel::verdict_word(s)) : tr("No verdict."));
  title_->setStyleSheet(s.verdict == analysis::Verdict::withdrawn ? QStringLiteral("color: %1;").arg(theme_.color("withdrawn").name()) : QString());
  sentence_->setText(whole ? s.sentence : !s.why.isEmpty() ? s.why : shown(s.verdict_why));
  gates_->setText(s.gates);
  sentence_->setVisible(!sentence_->text().isEmpty());
  gates_->setVisible(!s.gates.isEmpty());
  setAccessibleDescription(QStringList{title_->text(), sentence_->text(), gates_->text()}.join(QLatin1Char(' ')));
}

}  // namespace kvcliff::ui
