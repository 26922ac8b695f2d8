// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/session_strip.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>

#include "ui/theme/numbers.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"

namespace kvcliff::ui {
namespace {

bool running(SessionState s) { return s != SessionState::planned && !is_end(s); }

struct Look {
  const char* icon;   ///< empty: an open circle
  const char* color;
};
Look look_of(SessionState s) {
  switch (s) {
    case SessionState::planned: return {"", "text3"};
    case SessionState::finished: return {"check", "pass"};
    case SessionState::failed: return {"cross", "fail"};
    case SessionState::stopped_by_user: return {"stop", "text2"};
    case SessionState::superseded: return {"dash", "text3"};
    default: return {"play", "text"};
  }
}

}  // namespace

SessionStrip::SessionStrip(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
  setObjectName(QStringLiteral("run.sessions"));
  setAccessibleName(tr("Sessions"));
  setFocusPolicy(Qt::StrongFocus);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

QSize SessionStrip::sizeHint() const { return {600, theme_.px(60)}; }

void SessionStrip::set_data(const RunData* run_data) {
  std::vector<Cell> cells;
  if (run_data) {
    for (const RunSession& s : run_data->sessions) {
      Cell c;
      c.number = s.ordinal + 1;
      c.attempt = s.attempt;
      c.arm = s.arm;
      c.offload = s.offload;
      c.why = s.why;
      c.conditioning = s.conditioning;
      c.state = s.state;
      c.done = s.done;
      c.count = s.count;
      c.took_ns = s.ended > s.began ? s.ended - s.began : 0;
      if (running(s.state) && run_data->newest >= std::int64_t(s.first) && run_data->newest < std::int64_t(s.first + s.count))
        c.round = run_data->requests[std::size_t(run_data->newest)].round;
      cells.push_back(std::move(c));
    }
  }
  cells_ = std::move(cells);
  QStringList all;
  for (int i = 0; i < this->cells(); ++i) all << words(i);
  setAccessibleDescription(all.join(QStringLiteral("; ")));
  update();
}

QString SessionStrip::words(int i) const {
  if (i < 0 || i >= cells()) return {};
  const Cell& c = cells_[std::size_t(i)];
  QString text = tr("session %1, %2, %3").arg(c.number).arg(c.arm, words_of(c.state));
  if (c.round > 0) text += tr(", round %1").arg(c.round);
  text += c.done > 0 || running(c.state) ? tr(", %1 of %2 requests").arg(exact(qint64(c.done)), exact(qint64(c.count)))
                                         : tr(", %1 requests").arg(exact(qint64(c.count)));
  if (c.attempt > 1) text += tr(", attempt %1").arg(c.attempt);
  if (c.conditioning) text += tr(", conditioning: left out of statistics");
  if (!c.why.isEmpty()) text += QStringLiteral(": ") + c.why;
  return text;
}

std::vector<QRectF> SessionStrip::places() const {
  std::vector<QRectF> out;
  if (cells_.empty()) return out;
  double total = 0;
  std::size_t most = 1;
  for (const Cell& c : cells_) most = std::max(most, c.count);
  std::vector<double> weights;
  for (const Cell& c : cells_) {
    // A short session still has room for its words.
    weights.push_back(std::max(0.66, double(c.count) / double(most)));
    total += weights.back();
  }
  const double narrowest = theme_.px(96);
  double whole = std::max(double(width()), narrowest * double(cells_.size()));
  double x = 0;
  for (const double w : weights) {
    const double width_of = whole * w / total;
    out.emplace_back(x, 0, width_of, height());
    x += width_of;
  }
  if (whole > width()) {
    std::size_t now = std::size_t(focus_cell_);
    for (std::size_t i = 0; i < cells_.size(); ++i)
      if (running(cells_[i].state)) now = i;
    const QRectF seen = out[std::min(now, out.size() - 1)];
    const double shift = std::clamp(seen.center().x() - width() / 2.0, 0.0, whole - width());
    for (QRectF& r : out) r.translate(-shift, 0);
  }
  return out;
}

void SessionStrip::paintEvent(QPaintEvent*) {
  QPainter p(this);
  p.setRenderHint(QPainter::Antialiasing);
  const QRectF frame = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
  QPainterPath path;
  path.addRoundedRect(frame, 6, 6);
  p.fillPath(path, theme_.color("surface"));
  p.setClipPath(path);
  const auto all = places();
  for (std::size_t i = 0; i < cells_.size(); ++i) paint_cell(p, all[i], cells_[i], hasFocus() && int(i) == focus_cell_);
  p.setClipping(false);
  p.setBrush(Qt::NoBrush);
  p.setPen(QPen(theme_.color("line"), 1));
  p.drawPath(path);
}

void SessionStrip::paint_cell(QPainter& p, const QRectF& r, const Cell& c, bool focused) const {
  const bool now = running(c.state);
  if (now) p.fillRect(r, theme_.color("raised"));
  p.setPen(QPen(theme_.color("line"), 1));
  p.drawLine(QPointF(r.right(), r.top()), QPointF(r.right(), r.bottom()));
  const double pad = theme_.px(12), line = theme_.px(18);
  const QRectF top(r.left() + pad, r.top() + theme_.px(9), r.width() - 2 * pad, line);
  const QFont body = theme_.font(TextSize::Body), small = theme_.font(TextSize::Chart);
  QFont bold = body;
  bold.setWeight(QFont::DemiBold);
  // Right: how many requests. What is narrow loses its words before its numbers.
  const bool narrow = r.width() < theme_.px(170);
  const QString count = c.done > 0 || now || is_end(c.state)
                            ? (narrow ? QStringLiteral("%1/%2").arg(c.done).arg(c.count) : tr("%1 of %2").arg(exact(qint64(c.done)), exact(qint64(c.count))))
                            : exact(qint64(c.count));
  p.setFont(small);
  p.setPen(theme_.color("text2"));
  const double count_width = number_width(small, count);
  draw_number(p, top, Qt::AlignRight | Qt::AlignVCenter, count);
  p.setFont(body);
  p.setPen(theme_.color("text3"));
  const QString number = QString::number(c.number);
  const double number_w = number_width(body, number);
  draw_number(p, top, Qt::AlignLeft | Qt::AlignVCenter, number);
  p.setFont(bold);
  p.setPen(theme_.color("text"));
  const QRectF name_box = top.adjusted(number_w + theme_.px(8), 0, -count_width - 6, 0);
  QString name = c.arm;
  const bool offload_arm = c.arm == QLatin1String("off") || c.arm == QLatin1String("on");
  if (offload_arm && QFontMetricsF(bold).horizontalAdvance(tr("offload %1").arg(c.arm)) < name_box.width()) name = tr("offload %1").arg(c.arm);
  p.drawText(name_box, Qt::AlignLeft | Qt::AlignVCenter, QFontMetricsF(bold).elidedText(name, Qt::ElideMiddle, name_box.width()));

  const Look look = look_of(c.state);
  const QRectF second(r.left() + pad, r.top() + theme_.px(30), r.width() - 2 * pad, line);
  const QColor ink = theme_.color(look.color);
  const double g = theme_.px(12);
  if (*look.icon) {
    p.drawPixmap(QPointF(second.left(), second.center().y() - g / 2), theme_.pixmap(QLatin1String(look.icon), ink, int(g), devicePixelRatioF()));
  } else {
    p.setPen(QPen(ink, 1.4));
    p.setBrush(Qt::NoBrush);
    p.drawEllipse(QPointF(second.left() + g / 2, second.center().y()), g / 2 - 2, g / 2 - 2);
  }
  p.setFont(small);
  QString state = words_of(c.state);
  if (!narrow && c.round > 0 && c.state == SessionState::measuring) state += tr(" \u00b7 round %1").arg(c.round);
  if (!narrow && c.state == SessionState::finished && c.took_ns > 0)
    state += QStringLiteral(" \u00b7 %1 s").arg(QLocale().toString(double(c.took_ns) * 1e-9, 'f', 1));
  if (c.attempt > 1) state += tr(" \u00b7 attempt %1").arg(c.attempt);
  p.setPen(c.state == SessionState::failed ? theme_.color("fail") : theme_.color("text2"));
  const QRectF state_box = second.adjusted(g + 6, 0, 0, 0);
  p.drawText(state_box, Qt::AlignLeft | Qt::AlignVCenter, QFontMetricsF(small).elidedText(state, Qt::ElideRight, state_box.width()));

  const QRectF track(r.left(), r.bottom() - 3, r.width(), 3);
  if (now) {
    p.fillRect(track, theme_.color("line"));
    p.fillRect(QRectF(track.left(), track.top(), track.width() * (c.count ? double(c.done) / double(c.count) : 0), 3), theme_.color("ink"));
  } else if (c.state == SessionState::finished) {
    p.fillRect(track, theme_.color("pass"));
  } else if (c.state == SessionState::failed) {
    p.fillRect(track, theme_.color("fail"));
  }
  if (focused) {
    p.setPen(QPen(theme_.color("ink"), 2));
    p.setBrush(Qt::NoBrush);
    p.drawRect(r.adjusted(1, 1, -2, -2));
  }
}

int SessionStrip::cell_at(const QPointF& pos) const {
  const auto all = places();
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].contains(pos)) return int(i);
  return -1;
}

void SessionStrip::mousePressEvent(QMouseEvent* event) {
  const int i = cell_at(event->position());
  if (i < 0) return;
  focus_cell_ = i;
  update();
  emit chosen(i);
}

void SessionStrip::keyPressEvent(QKeyEvent* event) {
  const int n = cells();
  if (n == 0) return QWidget::keyPressEvent(event);
  switch (event->key()) {
    case Qt::Key_Left: focus_cell_ = std::max(0, focus_cell_ - 1); break;
    case Qt::Key_Right: focus_cell_ = std::min(n - 1, focus_cell_ + 1); break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space: emit chosen(std::min(focus_cell_, n - 1)); break;
    default: QWidget::keyPressEvent(event); return;
  }
  update();
}

bool SessionStrip::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    show_tip(help->globalPos(), words(cell_at(help->pos())), this);
    return true;
  }
  if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut) update();
  return QWidget::event(event);
}

}  // namespace kvcliff::ui
