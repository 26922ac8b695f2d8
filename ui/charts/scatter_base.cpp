// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/scatter_base.h"

#include <cmath>

namespace kvcliff::ui {

Source TokenSourcesView::main_source(const TokenSources& s) {
  if (!s.computed.value || !s.gpu_hit.value || !s.host_loaded.value) return Source::unknown;
  const auto c = s.computed.value->v, g = s.gpu_hit.value->v, h = s.host_loaded.value->v;
  return h >= g && h >= c ? Source::host_loaded : g >= c ? Source::gpu_hit : Source::computed;
}

void draw_mark(QPainter& p, const Theme& theme, Source source, QPointF at, double size, bool hollow) {
  const double h = size / 2;
  p.setRenderHint(QPainter::Antialiasing);
  p.setPen(QPen(theme.edge(source), 1));
  p.setBrush(hollow ? QBrush(theme.color("surface")) : QBrush(theme.fill(source)));
  switch (source) {
    case Source::computed: p.drawEllipse(at, h, h); break;
    case Source::host_loaded: p.drawRect(QRectF(at.x() - h * 0.9, at.y() - h * 0.9, size * 0.9, size * 0.9)); break;
    case Source::gpu_hit: p.drawPolygon(QPolygonF({at + QPointF(0, -h * 1.2), at + QPointF(h * 1.2, 0), at + QPointF(0, h * 1.2), at + QPointF(-h * 1.2, 0)})); break;
    case Source::unknown:
      p.setPen(QPen(theme.edge(source), 2));
      p.drawLine(at + QPointF(-h, -h), at + QPointF(h, h));
      p.drawLine(at + QPointF(-h, h), at + QPointF(h, -h));
      break;
  }
}

PointPlot::PointPlot(const Theme& theme, const QString& object_name, const QString& title, QWidget* parent) : Plot(theme, object_name, title, parent) {
  setMinimumSize(220, 150);
  setMouseTracking(true);
  plotLayout()->clear();
  rect_ = new QCPAxisRect(this);
  plotLayout()->addElement(0, 0, rect_);
  rect_->setupFullAxesBox(false);
  rect_->axis(QCPAxis::atTop)->setVisible(false);
  rect_->axis(QCPAxis::atRight)->setVisible(false);
  rect_->setBackground(Qt::NoBrush);
  rect_->setAutoMargins(QCP::msNone);
  rect_->setMargins(QMargins(theme.px(54), theme.px(12), theme.px(16), theme.px(40)));
  setToolTip(tr("Wheel zooms, drag selects a range, Esc steps back, Home resets; Shift+click pins a point to compare with"));
  new PaintLayer(this, QStringLiteral("data"), [this](QPainter& p) { paint_data(p); });
  new PaintLayer(this, QStringLiteral("axes"), [this](QPainter& p) { paint_titles(p); });
  new PaintLayer(this, QStringLiteral("marker"), [this](QPainter& p) {
    draw_watermark(p, rect_->rect());
    paint_cross(p);
  });
}

void PointPlot::set_home(QCPRange x, QCPRange y) {
  home_ = {x, y};
  stack_.clear();
  x_axis()->setRange(x);
  y_axis()->setRange(y);
}

void PointPlot::set_marks(std::vector<ChartMark> marks) {
  marks_ = std::move(marks);
  hovered_ = -1;
  refresh();
}

void PointPlot::set_selected(int request) {
  if (request == selected_) return;
  selected_ = request;
  refresh();
}

void PointPlot::paint_data(QPainter& p) {
  const QRectF r = rect_->rect();
  p.save();
  p.setClipRect(r.adjusted(-6, -6, 6, 7));
  paint_below(p);
  if (connects_marks()) {
    const double size = marks_.size() > 400 ? 4 : marks_.size() > 120 ? 6 : 8;
    for (const ChartMark& m : marks_) {
      const QPointF at = pixel(m.x, m.y);
      if (!r.adjusted(-2, -2, 2, 2).contains(at)) continue;
      draw_mark(p, theme(), m.source, at, m.request >= 0 && m.request == selected_ ? size + 3 : size);
      if (m.request >= 0 && m.request == selected_) {
        p.setBrush(Qt::NoBrush);
        p.setPen(QPen(theme().color("ink"), 2));
        p.drawEllipse(at, size, size);
      }
    }
  }
  p.restore();
  paint_above(p);
}

void PointPlot::paint_titles(QPainter& p) {
  const QRectF r = rect_->rect();
  p.setFont(theme().font(TextSize::Chart));
  p.setPen(theme().color("text2"));
  const QFontMetricsF m(p.font());
  if (!x_title_.isEmpty()) p.drawText(QRectF(r.left(), r.bottom() + theme().px(21), r.width(), m.height()), Qt::AlignRight | Qt::TextSingleLine, x_title_);
  if (!y_title_.isEmpty()) {
    p.save();
    p.translate(m.height() / 2 + 2, r.center().y());
    p.rotate(-90);
    p.drawText(QRectF(-r.height() / 2 - 20, -m.height() / 2, r.height() + 40, m.height()), Qt::AlignCenter | Qt::TextSingleLine, y_title_);
    p.restore();
  }
}

void PointPlot::paint_cross(QPainter& p) {
  const QRectF r = rect_->rect();
  p.setPen(QPen(theme().color("text3"), 1));
  if (cross_ && r.contains(*cross_)) {
    p.drawLine(QPointF(std::floor(cross_->x()) + 0.5, r.top()), QPointF(std::floor(cross_->x()) + 0.5, r.bottom()));
    p.drawLine(QPointF(r.left(), std::floor(cross_->y()) + 0.5), QPointF(r.right(), std::floor(cross_->y()) + 0.5));
  }
  if (pinned_) {
    const QPointF at = pixel(pinned_->x(), pinned_->y());
    p.setPen(QPen(theme().color("ink"), 1, Qt::DashLine));
    p.drawLine(QPointF(at.x(), r.top()), QPointF(at.x(), r.bottom()));
    p.drawLine(QPointF(r.left(), at.y()), QPointF(r.right(), at.y()));
  }
  if (pressed_ && cross_ && (*pressed_ - *cross_).manhattanLength() > 6) {
    QColor ground = theme().color("select");
    ground.setAlphaF(0.5f);
    p.setPen(QPen(theme().color("text3"), 1));
    p.setBrush(ground);
    p.drawRect(QRectF(*pressed_, *cross_).normalized().intersected(r));
  }
  if (hovered_ >= 0 && hovered_ < int(marks_.size())) {
    p.setRenderHint(QPainter::Antialiasing);
    p.setBrush(Qt::NoBrush);
    p.setPen(QPen(theme().color("ink"), 1.5));
    const auto& m = marks_[std::size_t(hovered_)];
    p.drawEllipse(pixel(m.x, m.y), 7, 7);
  }
  if (hasFocus()) {
    p.setRenderHint(QPainter::Antialiasing);
    p.setBrush(Qt::NoBrush);
    p.setPen(QPen(theme().color("ink"), 2));
    p.drawRoundedRect(QRectF(viewport()).adjusted(1, 1, -1, -1), 4, 4);
  }
}

int PointPlot::nearest(const QPointF& pos, double reach) const {
  int best = -1;
  double distance = reach;
  for (int i = 0; i < int(marks_.size()); ++i) {
    const QPointF d = pixel(marks_[std::size_t(i)].x, marks_[std::size_t(i)].y) - pos;
    const double length = std::hypot(d.x(), d.y());
    if (length < distance) {
      distance = length;
      best = i;
    }
  }
  return best;
}

void PointPlot::push_view() {
  stack_.push_back({x_axis()->range(), y_axis()->range()});
  if (stack_.size() > 50) stack_.erase(stack_.begin());
}

void PointPlot::step_back() {
  if (stack_.empty()) return;
  x_axis()->setRange(stack_.back().x);
  y_axis()->setRange(stack_.back().y);
  stack_.pop_back();
  refresh();
}

void PointPlot::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Escape:
      if (pinned_) {
        pinned_.reset();
        refresh();
      } else if (!stack_.empty()) {
        step_back();
      } else {
        Plot::keyPressEvent(event);
        return;
      }
      break;
    case Qt::Key_Home:
      set_home(home_.x, home_.y);
      refresh();
      break;
    case Qt::Key_Left:
    case Qt::Key_Right: {
      // Through the points in their order, as through the rows of a table.
      if (marks_.empty()) return;
      int at = -1;
      for (int i = 0; i < int(marks_.size()); ++i)
        if (marks_[std::size_t(i)].request == selected_) at = i;
      at = std::clamp(at + (event->key() == Qt::Key_Right ? 1 : -1), 0, int(marks_.size()) - 1);
      emit reading_changed(marks_[std::size_t(at)].words);
      emit request_chosen(marks_[std::size_t(at)].request);
      break;
    }
    case Qt::Key_Plus:
    case Qt::Key_Minus: {
      push_view();
      const double f = event->key() == Qt::Key_Plus ? 0.8 : 1.25;
      x_axis()->scaleRange(f);
      y_axis()->scaleRange(f);
      refresh();
      break;
    }
    default: Plot::keyPressEvent(event); return;
  }
  event->accept();
}

void PointPlot::mousePressEvent(QMouseEvent* event) {
  setFocus(Qt::MouseFocusReason);
  if (event->button() == Qt::LeftButton) pressed_ = event->position();
}

void PointPlot::mouseMoveEvent(QMouseEvent* event) {
  cross_ = event->position();
  const QRectF r = rect_->rect();
  hovered_ = pressed_ ? -1 : nearest(event->position(), 10);
  QString words;
  if (hovered_ >= 0) {
    words = marks_[std::size_t(hovered_)].words;
  } else if (r.contains(*cross_)) {
    const double x = x_axis()->pixelToCoord(cross_->x()), y = y_axis()->pixelToCoord(cross_->y());
    words = words_at(x, y);
    if (pinned_) words += tr(", %1 from the pin").arg(QLocale().toString(y - pinned_->y(), 'f', 1));
  }
  emit reading_changed(words);
  layer(QStringLiteral("marker"))->replot();
}

void PointPlot::mouseReleaseEvent(QMouseEvent* event) {
  if (!pressed_) return;
  const QPointF from = *pressed_, to = event->position();
  pressed_.reset();
  if ((from - to).manhattanLength() <= 6) {
    if (event->modifiers().testFlag(Qt::ShiftModifier)) {
      pinned_ = QPointF(x_axis()->pixelToCoord(to.x()), y_axis()->pixelToCoord(to.y()));
    } else if (const int hit = nearest(to, 12); hit >= 0 && marks_[std::size_t(hit)].request >= 0) {
      emit request_chosen(marks_[std::size_t(hit)].request);
    }
  } else {
    const QRectF box = QRectF(from, to).normalized().intersected(QRectF(rect_->rect()));
    if (box.width() > 8 && box.height() > 8) {
      push_view();
      x_axis()->setRange(x_axis()->pixelToCoord(box.left()), x_axis()->pixelToCoord(box.right()));
      y_axis()->setRange(y_axis()->pixelToCoord(box.bottom()), y_axis()->pixelToCoord(box.top()));
    }
  }
  refresh();
}

void PointPlot::wheelEvent(QWheelEvent* event) {
  const QPointF at = event->position();
  if (!QRectF(rect_->rect()).contains(at)) {
    event->ignore();
    return;
  }
  push_view();
  const double f = std::pow(0.85, event->angleDelta().y() / 120.0);
  x_axis()->scaleRange(f, x_axis()->pixelToCoord(at.x()));
  y_axis()->scaleRange(f, y_axis()->pixelToCoord(at.y()));
  refresh();
  event->accept();
}

void PointPlot::leaveEvent(QEvent* event) {
  cross_.reset();
  hovered_ = -1;
  emit reading_changed(QString());
  layer(QStringLiteral("marker"))->replot();
  Plot::leaveEvent(event);
}

}  // namespace kvcliff::ui
