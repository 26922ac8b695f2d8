// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/reconcile_timeline.h"

#include <QKeyEvent>
#include <QMouseEvent>

#include "ui/theme/numbers.h"

namespace kvcliff::ui {
namespace {
constexpr double side = 12;
}

EventTimeline::EventTimeline(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
  setObjectName(QStringLiteral("evidence.timeline"));
  setAccessibleName(tr("Events on a time axis"));
  setToolTip(tr("Events of the answer since t0, ms. Left and right move to the next event."));
  setFocusPolicy(Qt::StrongFocus);
  setFixedHeight(theme.px(74));
  connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void EventTimeline::set_stream(const StreamRecord& s) {
  events_ = s.events;
  times_ = s.times;
  low_ = times_.t0;
  high_ = std::max({times_.end, times_.last_token, events_.empty() ? low_ : events_.back().at, low_ + 1});
  current_ = -1;
  update();
}

void EventTimeline::set_current(int event) {
  if (event == current_) return;
  current_ = event;
  update();
}

double EventTimeline::x_of(MonoNs at) const { return side + (width() - 2 * side) * double(at - low_) / double(high_ - low_); }

void EventTimeline::paintEvent(QPaintEvent*) {
  QPainter p(this);
  p.setFont(theme_.font(TextSize::Caption));
  const QFontMetricsF m(p.font());
  const double axis = height() - m.height() - 6;
  p.setPen(QPen(theme_.color("text3"), 1));
  p.drawLine(QPointF(side, axis + 0.5), QPointF(width() - side, axis + 0.5));
  if (times_.t0 == 0) {
    p.drawText(QRectF(rect()), Qt::AlignCenter, tr("no times were recorded"));
    return;
  }
  // Nice steps in ms.
  const double total = double(high_ - low_) * 1e-6;
  double step = std::pow(10, std::floor(std::log10(std::max(1e-3, total / 4))));
  for (const double f : {1.0, 2.0, 5.0, 10.0})
    if (total / (step * f) <= 7) {
      step *= f;
      break;
    }
  for (int i = 0; i * step <= total * 1.0001; ++i) {
    const double x = std::floor(x_of(low_ + MonoNs(i * step * 1e6))) + 0.5;
    p.drawLine(QPointF(x, axis), QPointF(x, axis + 4));
    const QString text = QLocale().toString(i * step, 'f', step < 1 ? 1 : 0) + (i == 0 ? tr(" ms") : QString());
    const double w = m.horizontalAdvance(text);
    p.drawText(QPointF(std::clamp(x - w / 2, 0.0, width() - w), height() - 3), text);
  }
  const double top = m.height() + 6;
  for (int i = 0; i < int(events_.size()); ++i) {
    const auto& e = events_[std::size_t(i)];
    const bool token = e.kind == EventKind::token, bad = e.kind == EventKind::error || e.kind == EventKind::malformed;
    const double x = std::floor(x_of(e.at)) + 0.5;
    p.setPen(QPen(theme_.color(bad ? "fail" : i == current_ ? "ink" : token ? "text2" : "line2"), i == current_ ? 3 : 1.5));
    p.drawLine(QPointF(x, token || bad ? top : top + (axis - top) * 0.45), QPointF(x, axis));
  }
  // Named times, those that would touch are left out.
  const std::pair<MonoNs, QString> names[] = {{times_.t0, tr("t0")}, {times_.first_token, tr("first token")}, {times_.last_token, tr("last token")},
                                              {times_.first_byte, tr("first byte")}, {times_.end, tr("end")}};
  std::vector<std::pair<double, double>> taken;
  for (const auto& [at, name] : names) {
    if (at == 0) continue;
    const double w = m.horizontalAdvance(name), x = std::clamp(x_of(at) - w / 2, 0.0, width() - w);
    if (std::any_of(taken.begin(), taken.end(), [&](const auto& t) { return x < t.second + 6 && x + w > t.first - 6; })) continue;
    taken.emplace_back(x, x + w);
    p.setPen(theme_.color("text2"));
    p.drawText(QPointF(x, m.ascent() + 1), name);
    p.setPen(QPen(theme_.color("text3"), 1, Qt::DotLine));
    const double line = std::floor(x_of(at)) + 0.5;
    p.drawLine(QPointF(line, m.height() + 1), QPointF(line, axis));
  }
  if (hasFocus()) {
    p.setPen(QPen(theme_.color("ink"), 2));
    p.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 4, 4);
  }
}

void EventTimeline::mousePressEvent(QMouseEvent* event) {
  int best = -1;
  double distance = 8;
  for (int i = 0; i < int(events_.size()); ++i) {
    const double d = std::fabs(x_of(events_[std::size_t(i)].at) - event->position().x());
    if (d < distance) {
      distance = d;
      best = i;
    }
  }
  if (best < 0) return;
  set_current(best);
  emit chosen(best);
}

void EventTimeline::keyPressEvent(QKeyEvent* event) {
  const int step = event->key() == Qt::Key_Left ? -1 : event->key() == Qt::Key_Right ? 1 : 0;
  if (step == 0 || events_.empty()) {
    QWidget::keyPressEvent(event);
    return;
  }
  set_current(std::clamp(current_ + step, 0, int(events_.size()) - 1));
  emit chosen(current_);
}

}  // namespace kvcliff::ui
