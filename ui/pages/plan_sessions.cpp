// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/plan_sessions.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include "ui/theme/numbers.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"

namespace kvcliff::ui {
namespace {

Source largest(const PredictedSources& p) {
  if (p.gpu_hit.mean >= p.host_loaded.mean && p.gpu_hit.mean >= p.computed.mean) return Source::gpu_hit;
  return p.host_loaded.mean >= p.computed.mean ? Source::host_loaded : Source::computed;
}

QString seconds_text(double s) {
  return s < 60 ? PlanSessions::tr("%1 s").arg(qRound(s)) : PlanSessions::tr("%1 min").arg(clock_left(qint64(s * 1e9)));
}

}  // namespace

PlanSessions::PlanSessions(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
  setObjectName(QStringLiteral("plan.sessions"));
  setAccessibleName(tr("Sessions of the plan"));
  setFocusPolicy(Qt::StrongFocus);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

QSize PlanSessions::sizeHint() const { return {600, theme_.px(88)}; }

void PlanSessions::show_facts(const PlanFacts* facts) {
  facts_ = facts;
  const int n = facts ? int(facts->sessions.size()) : 0;
  std::vector<std::string> arms;
  for (int i = 0; i < n; ++i) arms.push_back(facts->sessions[std::size_t(i)].arm);
  if (arms != arms_) {
    arms_ = std::move(arms);
    chosen_by_hand_ = false;
  }
  if (!chosen_by_hand_) {
    // The arm under test is what people come to check: its command has the lines that differ.
    const auto with_tier = std::find_if(arms_.begin(), arms_.end(), [&](const std::string& arm) {
      const auto at = facts->arms.find(arm);
      return at != facts->arms.end() && at->second.offload;
    });
    selected_ = with_tier == arms_.end() ? 0 : int(with_tier - arms_.begin());
  }
  selected_ = std::clamp(selected_, 0, std::max(0, n - 1));
  update();
}

void PlanSessions::select(int session) {
  if (!facts_ || session < 0 || session >= int(facts_->sessions.size())) return;
  const bool changed = session != selected_;
  chosen_by_hand_ = true;
  selected_ = session;
  const auto& s = facts_->sessions[std::size_t(session)];
  setAccessibleDescription(tr("Session %1 of %2, %3").arg(session + 1).arg(facts_->sessions.size()).arg(QString::fromStdString(s.arm)));
  update();
  if (changed) emit chosen(session);
}

std::vector<QRectF> PlanSessions::cards() const {
  std::vector<QRectF> out;
  if (!facts_ || facts_->sessions.empty()) return out;
  const auto& sessions = facts_->sessions;
  const double gap = sessions.size() > 12 ? 3 : 8;
  // Widths follow the number of requests, but no card gets narrower than its words where there is room.
  const double room = width() - 2 - gap * double(sessions.size() - 1);
  const double least = std::min(theme_.px(100) * 1.0, room / double(sessions.size()));
  double weight = 0;
  std::vector<double> w;
  for (const auto& s : sessions) {
    const auto arm = facts_->arms.find(s.arm);
    w.push_back(arm != facts_->arms.end() ? std::sqrt(double(std::max<std::int64_t>(1, arm->second.count.value_or(1)))) : 1);
    weight += w.back();
  }
  double x = 1;
  for (const double one : w) {
    const double width_of = least + (room - least * double(w.size())) * one / weight;
    out.emplace_back(x, theme_.px(17), width_of, theme_.px(44));
    x += width_of + gap;
  }
  return out;
}

void PlanSessions::paintEvent(QPaintEvent*) {
  QPainter p(this);
  p.setRenderHint(QPainter::Antialiasing);
  const auto all = cards();
  if (all.empty()) {
    p.setPen(theme_.color("text3"));
    p.drawText(rect(), Qt::AlignCenter, tr("No session: the schedule has no pair and no control."));
    return;
  }
  paint_brackets(p, all);
  const QFontMetricsF m(theme_.font(TextSize::Chart));
  QFont bold = theme_.font(TextSize::Body);
  bold.setWeight(QFont::DemiBold);
  const QFontMetricsF mb(bold);
  words_fit_ = names_fit_ = true;
  for (std::size_t i = 0; i < all.size(); ++i) names_fit_ &= mb.horizontalAdvance(name_of(facts_->sessions[i].arm)) <= all[i].width() - 16 - m.horizontalAdvance(QString::number(i + 1)) - 7;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto arm = facts_->arms.find(facts_->sessions[i].arm);
    if (arm == facts_->arms.end() || !arm->second.count) continue;
    const QString time = arm->second.seconds ? seconds_text(*arm->second.seconds) : QString();
    words_fit_ &= m.horizontalAdvance(tr("%L1 requests").arg(*arm->second.count)) + m.horizontalAdvance(time) + 8 <= all[i].width() - 16;
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    paint_card(p, all[i], int(i));
    const auto arm = facts_->arms.find(facts_->sessions[i].arm);
    if (arm != facts_->arms.end()) paint_requests(p, all[i], arm->second);
  }
}

void PlanSessions::paint_brackets(QPainter& p, const std::vector<QRectF>& all) const {
  p.setFont(theme_.font(TextSize::Caption));
  const QFontMetricsF m(p.font());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& s = facts_->sessions[i];
    const double y = theme_.px(7);
    if (s.conditioning) {
      p.setPen(theme_.color("text3"));
      p.drawText(QRectF(all[i].left(), 0, all[i].width(), y * 2), Qt::AlignCenter, m.elidedText(tr("conditioning, discarded"), Qt::ElideRight, all[i].width()));
    }
    if (s.pair < 0 || (i > 0 && facts_->sessions[i - 1].pair == s.pair) || i + 1 >= all.size()) continue;
    const double x1 = all[i].left() + 1, x2 = all[i + 1].right() - 1;
    QString text = tr("pair %1: %2 first").arg(s.pair + 1).arg(QString::fromStdString(s.arm));
    if (m.horizontalAdvance(text) > x2 - x1 - 20) text = QString::number(s.pair + 1);
    const double half = m.horizontalAdvance(text) / 2 + 8, middle = (x1 + x2) / 2;
    p.setPen(QPen(theme_.color("line2"), 1));
    p.drawPolyline(QPolygonF{{x1, y + 6}, {x1, y}, {middle - half, y}});
    p.drawPolyline(QPolygonF{{middle + half, y}, {x2, y}, {x2, y + 6}});
    p.setPen(theme_.color("text2"));
    p.drawText(QRectF(middle - half, 0, half * 2, y * 2), Qt::AlignCenter, text);
  }
}

QString PlanSessions::name_of(const std::string& arm) const {
  if (names_fit_ && arm == "off") return tr("offload off");
  if (names_fit_ && arm == "on") return tr("offload on");
  return shown(arm);
}

void PlanSessions::paint_card(QPainter& p, const QRectF& card, int i) const {
  const auto& s = facts_->sessions[std::size_t(i)];
  const auto arm = facts_->arms.find(s.arm);
  const bool selected = i == selected_;
  p.setPen(QPen(theme_.color(selected ? "ink" : "line2"), selected ? (hasFocus() ? 2 : 1.5) : 1));
  p.setBrush(theme_.color(selected ? "select" : "raised"));
  p.drawRoundedRect(card.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
  const QRectF in = card.adjusted(8, 4, -8, -4);
  QFont name = theme_.font(TextSize::Body), small = theme_.font(TextSize::Chart);
  p.setFont(small);
  p.setPen(theme_.color("text3"));
  const QString number = QString::number(i + 1);
  const double nx = QFontMetricsF(small).horizontalAdvance(number) + 7;
  const QRectF top(in.left(), in.top(), in.width(), in.height() / 2), low(in.left(), in.center().y(), in.width(), in.height() / 2);
  p.drawText(top, Qt::AlignLeft | Qt::AlignVCenter, number);
  name.setWeight(QFont::DemiBold);
  p.setFont(name);
  p.setPen(theme_.color("text"));
  const QString arm_name = name_of(s.arm);
  p.drawText(top.adjusted(nx, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, QFontMetricsF(name).elidedText(arm_name, Qt::ElideRight, in.width() - nx));
  if (arm == facts_->arms.end()) return;
  p.setFont(small);
  p.setPen(theme_.color("text2"));
  const QString time = arm->second.seconds ? seconds_text(*arm->second.seconds) : QString();
  const double tw = QFontMetricsF(small).horizontalAdvance(time);
  QString requests = arm->second.count ? tr("%L1 requests").arg(*arm->second.count) : tr("a trace");
  // Every card says it alike.
  if (arm->second.count && !words_fit_) requests = exact(*arm->second.count);
  p.drawText(low, Qt::AlignLeft | Qt::AlignVCenter, requests);
  if (QFontMetricsF(small).horizontalAdvance(requests) + tw + 6 <= in.width()) p.drawText(low, Qt::AlignRight | Qt::AlignVCenter, time);
}

void PlanSessions::paint_requests(QPainter& p, const QRectF& card, const ArmFacts& arm) const {
  std::vector<Source> list;
  for (const auto& r : arm.requests)
    if (!r.request.warmup) list.push_back(largest(r.request.predicted));
  if (list.empty()) return;
  p.setRenderHint(QPainter::Antialiasing, false);
  const double h = theme_.px(12), y = card.bottom() + theme_.px(6), room = card.width() - 8;
  const double slot = std::min(room / double(list.size()), h + 1.0);
  const double x0 = card.left() + 4 + (room - slot * double(list.size())) / 2;
  if (slot >= 4) {
    for (std::size_t k = 0; k < list.size(); ++k) {
      const double x = std::round(x0 + slot * double(k)), x2 = std::round(x0 + slot * double(k + 1)) - 1;
      QColor fill = theme_.fill(list[k]);
      fill.setAlphaF(0.35f);  // predicted, not measured
      p.fillRect(QRectF(x, y, x2 - x, h), fill);
      p.setPen(theme_.edge(list[k]));
      p.setBrush(Qt::NoBrush);
      p.drawRect(QRectF(x, y, x2 - x - 1, h - 1));
    }
  } else {
    // Runs of one colour: as many rectangles as there are changes.
    for (std::size_t k = 0; k < list.size();) {
      std::size_t e = k;
      while (e < list.size() && list[e] == list[k]) ++e;
      const double x = std::floor(x0 + slot * double(k));
      p.fillRect(QRectF(x, y, std::max(1.0, std::ceil(x0 + slot * double(e)) - x), h), theme_.fill(list[k]));
      k = e;
    }
  }
  p.setRenderHint(QPainter::Antialiasing, true);
}

void PlanSessions::mousePressEvent(QMouseEvent* event) {
  const auto all = cards();
  for (std::size_t i = 0; i < all.size(); ++i)
    if (event->position().x() >= all[i].left() && event->position().x() <= all[i].right()) select(int(i));
}

void PlanSessions::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Left: select(selected_ - 1); return;
    case Qt::Key_Right: select(selected_ + 1); return;
    case Qt::Key_Home: select(0); return;
    case Qt::Key_End: if (facts_) select(int(facts_->sessions.size()) - 1); return;
    default: QWidget::keyPressEvent(event);
  }
}

bool PlanSessions::event(QEvent* event) {
  if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut) update();
  if (event->type() == QEvent::ToolTip && facts_) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const auto all = cards();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (help->pos().x() < all[i].left() || help->pos().x() > all[i].right()) continue;
      const auto& s = facts_->sessions[i];
      const auto arm = facts_->arms.find(s.arm);
      if (arm == facts_->arms.end()) break;
      QString text = tr("Session %1: arm \u201c%2\u201d on a fresh server").arg(i + 1).arg(QString::fromStdString(s.arm));
      text += tr("\nGPU cache %1 blocks, host tier %2").arg(exact(arm->second.gpu_blocks), arm->second.host_blocks > 0 ? tr("%1 blocks").arg(exact(arm->second.host_blocks)) : tr("none"));
      if (arm->second.seconds) text += tr("\nAt most about %1, as if everything were computed").arg(seconds_text(*arm->second.seconds));
      show_tip(help->globalPos(), text, this);
      return true;
    }
  }
  return QWidget::event(event);
}

}  // namespace kvcliff::ui
