// SPDX-License-Identifier: GPL-3.0-or-later
// What follows from the plan: sessions, commands, preflight, request list, power.
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QStyledItemDelegate>
#include <QTabWidget>
#include <QTableView>
#include <QTimer>
#include <QApplication>
#include <QClipboard>

#include "ui/bridge/document.h"
#include "ui/models/plan_requests.h"
#include "ui/pages/plan_command.h"
#include "ui/pages/plan_fields.h"
#include "ui/pages/plan_page.h"
#include "ui/pages/plan_sessions.h"
#include "ui/theme/numbers.h"
#include "ui/widgets/card.h"
#include "ui/widgets/number_field.h"

namespace kvcliff::ui {
namespace {

// Numbers whose digits do not dance, and predicted reuse in the colour of its source.
class NumberCells : public QStyledItemDelegate {
 public:
  NumberCells(const Theme& theme, QObject* parent) : QStyledItemDelegate(parent), theme_(theme) {}
  void paint(QPainter* p, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    if (option.state.testFlag(QStyle::State_Selected)) p->fillRect(option.rect, theme_.color("select"));
    const QVariant source = index.data(PlanRequests::SourceRole);
    const QString text = index.data().toString();
    const int column = index.column();
    const bool quiet = column == PlanRequests::Why || column == PlanRequests::Number || (column == PlanRequests::Distance && !text.isEmpty() && !text[0].isDigit());
    p->setPen(source.isValid() ? theme_.text(Source(source.toInt())) : theme_.color(quiet ? "text2" : "text"));
    QFont f = theme_.font(TextSize::Chart);
    if (source.isValid()) f.setWeight(QFont::DemiBold);
    p->setFont(f);
    const QRect r = option.rect.adjusted(8, 0, -8, 0);
    if (column == PlanRequests::Why) p->drawText(r, Qt::AlignLeft | Qt::AlignVCenter, QFontMetrics(f).elidedText(text, Qt::ElideRight, r.width()));
    else draw_number(*p, r, Qt::AlignRight | Qt::AlignVCenter, text);
    p->setPen(theme_.color("line"));
    p->drawLine(option.rect.bottomLeft(), option.rect.bottomRight());
  }

 private:
  const Theme& theme_;
};

class SourceKey : public QWidget {
 public:
  SourceKey(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
    setAccessibleName(QObject::tr("Colours of the token sources"));
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
  }
  QSize sizeHint() const override { return {theme_.px(250), theme_.px(18)}; }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter p(this);
    p.setFont(theme_.font(TextSize::Chart));
    const QFontMetrics m(p.font());
    int x = width();
    for (const auto& [source, name] : {std::pair(Source::gpu_hit, tr_("GPU hit")), std::pair(Source::host_loaded, tr_("host loaded")), std::pair(Source::computed, tr_("computed"))}) {
      const int w = m.horizontalAdvance(name);
      x -= w;
      p.setPen(theme_.color("text2"));
      p.drawText(QRect(x, 0, w + 2, height()), Qt::AlignVCenter, name);
      x -= 16;
      p.setPen(theme_.edge(source));
      p.setBrush(theme_.fill(source));
      p.drawRect(QRect(x, (height() - 10) / 2, 10, 10));
      x -= 14;
    }
  }

 private:
  static QString tr_(const char* text) { return QCoreApplication::translate("kvcliff::ui::PlanPage", text); }
  const Theme& theme_;
};

}  // namespace

void PlanPage::build_panels(QVBoxLayout* column) {
  sessions_card_ = new Card(theme(), tr("Sessions"));
  sessions_card_->setProperty("help", QStringLiteral("plan.sessions"));
  sessions_card_->header()->addWidget(new SourceKey(theme(), this));
  sessions_ = new PlanSessions(theme(), this);
  sessions_->setToolTip(tr("Select a session to see its command and its requests"));
  sessions_card_->body()->addWidget(sessions_);
  column->addWidget(sessions_card_);
  connect(sessions_, &PlanSessions::chosen, this, &PlanPage::update_session);
  auto* middle = new QHBoxLayout;
  middle->setSpacing(12);
  middle->addWidget(build_commands(), 1);
  middle->addWidget(build_preflight());
  column->addLayout(middle, 5);
  column->addWidget(build_requests(), 4);
}

QWidget* PlanPage::build_commands() {
  auto* card = new QFrame;
  card->setProperty("card", true);
  auto* in = new QVBoxLayout(card);
  in->setContentsMargins(1, 2, 1, 0);
  in->setSpacing(0);
  tabs_ = new QTabWidget;
  card->setProperty("help", QStringLiteral("plan.command"));
  tabs_->setObjectName(QStringLiteral("plan.tabs"));
  tabs_->setAccessibleName(tr("Command, environment, difference, plan file"));
  tabs_->tabBar()->setDrawBase(false);
  tabs_->tabBar()->setExpanding(false);
  tabs_->setUsesScrollButtons(false);  // all four are seen; a large font shortens their words
  tabs_->setElideMode(Qt::ElideRight);
  command_ = new CommandView(theme(), QStringLiteral("plan.command"), tr("Command of the selected session"));
  environment_view_ = new CommandView(theme(), QStringLiteral("plan.environmentView"), tr("Environment of the selected session"));
  difference_ = new CommandView(theme(), QStringLiteral("plan.difference"), tr("Difference of the arms off and on"));
  auto* file_box = new QWidget;
  auto* file_column = new QVBoxLayout(file_box);
  file_column->setContentsMargins(0, 0, 0, 0);
  file_column->setSpacing(0);
  file_ = new QPlainTextEdit;
  file_->setObjectName(QStringLiteral("plan.file"));
  file_->setAccessibleName(tr("Plan file"));
  file_->setToolTip(tr("Every field of the plan (kvcliff.plan/1). Changes apply as soon as the text is a whole plan"));
  file_->setFont(theme().fixed());
  file_->setTabChangesFocus(true);
  file_->setFrameShape(QFrame::NoFrame);
  file_->setStyleSheet(QStringLiteral("QPlainTextEdit { border: 0; border-radius: 0; padding: 4px 12px; }"));
  file_fault_ = label(QString(), "error");
  file_fault_->setObjectName(QStringLiteral("plan.file.fault"));
  file_fault_->setWordWrap(true);
  file_fault_->setContentsMargins(14, 4, 14, 4);
  file_fault_->setVisible(false);
  file_column->addWidget(file_, 1);
  file_column->addWidget(file_fault_);
  file_rest_ = new QTimer(this);
  file_rest_->setSingleShot(true);
  file_rest_->setInterval(200);
  connect(file_rest_, &QTimer::timeout, this, &PlanPage::read_file_text);
  connect(file_, &QPlainTextEdit::textChanged, this, [this] {
    if (!updating_) file_rest_->start();
  });
  tabs_->addTab(command_, tr("Command"));
  tabs_->addTab(environment_view_, tr("Environment"));
  tabs_->addTab(difference_, tr("Difference"));
  tabs_->setTabToolTip(2, tr("What differs between the arms off and on"));
  tabs_->addTab(file_box, tr("Plan file"));
  auto* copy = new QPushButton;
  copy->setProperty("flat", true);
  copy->setObjectName(QStringLiteral("plan.copy"));
  copy->setAccessibleName(tr("Copy the command"));
  copy->setToolTip(tr("Copies the command of the selected session, ready for a shell"));
  theme().set_icon(copy, QStringLiteral("copy"));
  connect(copy, &QPushButton::clicked, this, [this] {
    if (tabs_->currentIndex() == 3) {
      QApplication::clipboard()->setText(file_->toPlainText());
      return;
    }
    const auto* f = loader_.facts();
    if (!f || f->sessions.empty()) return;
    const auto arm = f->arms.find(f->sessions[std::size_t(sessions_->selected())].arm);
    if (arm != f->arms.end()) QApplication::clipboard()->setText(arm->second.line);
  });
  tabs_->setCornerWidget(copy);
  in->addWidget(tabs_, 1);
  in->addWidget(separator());
  auto* foot = new QHBoxLayout;
  foot->setContentsMargins(14, 7, 14, 8);
  foot->setSpacing(8);
  difference_glyph_ = new QLabel;
  difference_note_ = label(QString(), "secondary");
  difference_note_->setObjectName(QStringLiteral("plan.differenceNote"));
  difference_note_->setWordWrap(true);
  foot->addWidget(difference_glyph_);
  foot->addWidget(difference_note_, 1);
  in->addLayout(foot);
  return card;
}

QWidget* PlanPage::build_requests() {
  auto* card = new Card(theme(), tr("Requests"));
  card->setProperty("help", QStringLiteral("plan.requests"));
  requests_card_ = card;
  requests_note_ = label(QString(), "secondary");
  requests_note_->setObjectName(QStringLiteral("plan.requestsNote"));
  card->header()->insertWidget(1, requests_note_);
  auto* csv = new QPushButton;
  csv->setProperty("flat", true);
  csv->setObjectName(QStringLiteral("plan.requests.export"));
  csv->setAccessibleName(tr("Export the request list"));
  csv->setToolTip(tr("Exports the request list as CSV (Ctrl+E)"));
  theme().set_icon(csv, QStringLiteral("exp"));
  connect(csv, &QPushButton::clicked, this, [this] { export_view(); });
  card->header()->addWidget(csv);
  requests_ = new PlanRequests(this);
  table_ = new QTableView;
  table_->setObjectName(QStringLiteral("plan.requests"));
  table_->setAccessibleName(tr("Requests of the selected session"));
  table_->setModel(requests_);
  table_->setItemDelegate(new NumberCells(theme(), table_));
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setShowGrid(false);
  table_->setWordWrap(false);
  table_->setFrameShape(QFrame::NoFrame);
  table_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  table_->verticalHeader()->hide();
  table_->verticalHeader()->setDefaultSectionSize(theme().px(26));
  table_->horizontalHeader()->setStretchLastSection(true);
  table_->horizontalHeader()->setHighlightSections(false);
  table_->horizontalHeader()->setFont(theme().font(TextSize::Chart));
  const int widths[] = {64, 54, 78, 58, 80, 124, 66, 92, 84};
  for (int c = 0; c < int(std::size(widths)); ++c) table_->setColumnWidth(c, theme().px(widths[c]));
  card->body()->addWidget(table_, 1);
  card->layout()->setContentsMargins(14, 9, 14, 4);
  return card;
}

void PlanPage::update_facts() {
  const PlanFacts& f = *loader_.facts();
  sessions_->show_facts(&f);
  const QString servers = f.sessions.size() == 1 ? tr("One fresh server") : tr("%1 fresh servers").arg(counted_word(f.sessions.size()));
  sessions_card_->set_title(f.requests ? tr("%1, %2 requests, with the sources predicted").arg(servers, exact(*f.requests)) : servers);
  hash_->setText(tr("plan %1").arg(f.hash.left(12)));
  hash_->setToolTip(tr("SHA-256 of the plan, on every export: %1").arg(f.hash));
  if (f.seconds) {
    estimate_->setText(tr("at most about %1 min").arg(clock_left(qint64(*f.seconds * 1e9))));
    estimate_->setToolTip(tr("As if every prompt were computed in full, by the emulator's preset"));
  } else {
    estimate_->setText(tr("time unknown"));
    estimate_->setToolTip(f.seconds_why);
  }
  difference_note_->setText(f.compared_difference);
  difference_glyph_->setPixmap(theme().pixmap(f.only_offload_differs ? QStringLiteral("check") : QStringLiteral("warn"),
                                              theme().color(f.only_offload_differs ? "pass" : "notsettled"), theme().px(15), devicePixelRatioF()));
  std::vector<ShownLine> lines;
  const auto off = f.arms.find("off"), on = f.arms.find("on");
  if (off != f.arms.end() && on != f.arms.end()) {
    const auto add = [&](const std::vector<ShownLine>& a, const std::vector<ShownLine>& b) {
      for (const auto& l : a) lines.push_back({l.differs ? QStringLiteral("\u2212") : QStringLiteral(" "), l.text, l.differs});
      for (const auto& l : b)
        if (l.differs) lines.push_back({QStringLiteral("+"), l.text, true});
    };
    add(off->second.command, on->second.command);
    lines.push_back({QString(), QString(), false});
    add(off->second.environment, on->second.environment);
  }
  difference_->show_lines(lines, false, true);
  for (const auto& w : f.warnings) {
    strips().show_message({QStringLiteral("warning.") + QString::fromStdString(w.field), StripMessage::Level::Caution, tr("Likely not meant"),
                           QString::fromStdString(w.next.empty() ? w.what + "." : w.what + ". " + w.next + "."), {}, {}});
  }
  for (const QString& id : property("warnings").toStringList()) {
    const bool still = std::any_of(f.warnings.begin(), f.warnings.end(), [&](const auto& w) { return QString::fromStdString(w.field) == id; });
    if (!still) strips().resolve(QStringLiteral("warning.") + id);
  }
  QStringList ids;
  for (const auto& w : f.warnings) ids << QString::fromStdString(w.field);
  setProperty("warnings", ids);
  update_session();
  update_power();
  update_faults();
}

void PlanPage::update_session() {
  const PlanFacts* f = loader_.facts();
  if (!f || f->sessions.empty()) {
    command_->show_lines({}, false);
    requests_->show({}, 16);
    return;
  }
  const int at = std::clamp(sessions_->selected(), 0, int(f->sessions.size()) - 1);
  const auto arm = f->arms.find(f->sessions[std::size_t(at)].arm);
  if (arm == f->arms.end()) return;
  const ArmFacts& a = arm->second;
  tabs_->setTabText(0, tr("Command %1").arg(at + 1));
  tabs_->setTabToolTip(0, tr("Command of session %1").arg(at + 1));
  tabs_->setTabText(1, tr("Environment (%1)").arg(a.environment.size()));
  if (a.command.empty() || !a.command_why.isEmpty()) command_->show_lines({{QString(), a.command_why, false}}, false);
  else command_->show_lines(a.command, true);
  environment_view_->show_lines(a.environment.empty() ? std::vector<ShownLine>{{QString(), tr("Nothing is set beyond what this program inherits."), false}} : a.environment, false);
  requests_->show(a.requests, a.block_size);
  requests_card_->set_title(tr("Requests of session %1").arg(at + 1));
  if (!a.requests_why.isEmpty()) requests_note_->setText(a.requests_why);
  else
    requests_note_->setText(tr("%1 measured, after %2 or more salted warm-up requests").arg(exact(qint64(a.requests.size()) - a.warmups)).arg(a.warmups));
}

}  // namespace kvcliff::ui
