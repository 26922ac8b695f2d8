// SPDX-License-Identifier: GPL-3.0-or-later
// Mouse and keys of the cliff chart: crosshair with a pin to compare with, wheel, rubber band, a stack of views.
#include <cmath>

#include "ui/charts/cliff_chart.h"
#include "ui/theme/numbers.h"

namespace kvcliff::ui {
namespace {

constexpr double least_blocks = 4;        // a view of fewer blocks shows nothing more
constexpr std::size_t most_views = 50;
constexpr qint64 one_turn_ms = 600;       // wheel turns closer together than this are one step of the stack

}  // namespace

void CliffChart::push_view() {
  if (views_.empty() || views_.back() != view()) views_.push_back(view());
  if (views_.size() > most_views) views_.erase(views_.begin());
}

void CliffChart::set_view(QCPRange range) {
  const QCPRange all = whole();
  const double width = std::clamp(range.size(), std::min(least_blocks, all.size()), all.size());
  const double from = std::clamp(range.center() - width / 2, all.lower, all.upper - width);
  areas_->axis(QCPAxis::atBottom)->setRange(from, from + width);
  if (width >= all.size() * 0.9999) views_.clear();  // everything is in view again: nothing to step back to
  update_ticks();
  refresh();
}

void CliffChart::step_back() {
  if (views_.empty()) return;
  const QCPRange before = views_.back();
  views_.pop_back();
  set_view(before);
}

void CliffChart::show_all() {
  views_.clear();
  pinned_.reset();
  set_view(whole());
}

void CliffChart::zoom(double factor, double around) {
  if (factor > 1 && !zoomed()) return;
  push_view();
  const QCPRange now = view();
  set_view({around - (around - now.lower) * factor, around + (now.upper - around) * factor});
}

void CliffChart::update_ticks() {
  const QCPRange now = view();
  QCPAxis* x = areas_->axis(QCPAxis::atBottom);
  if (shape_.document_blocks > 0) {
    const auto ticks = QSharedPointer<QCPAxisTickerText>::create();
    const double documents = now.size() / shape_.document_blocks;
    double step = std::max(1.0, std::ceil(documents / 16));
    for (const double part : {0.5, 0.25, 0.1, 0.05})
      if (documents / part <= 12) step = part;
    const int decimals = step >= 1 ? 0 : step == 0.5 || step == 0.1 ? 1 : 2;
    for (double d = std::max(step, std::ceil(now.lower / shape_.document_blocks / step - 1e-9) * step); d * shape_.document_blocks <= now.upper + 1e-6; d += step)
      ticks->addTick(d * shape_.document_blocks, QLocale().toString(d, 'f', decimals));
    x->setTicker(ticks);
  } else {
    x->setTicker(QSharedPointer<QCPAxisTicker>::create());
  }
  const auto distances = QSharedPointer<QCPAxisTickerText>::create();
  double step = std::max(1.0, std::pow(10, std::floor(std::log10(std::max(1.0, now.size() / 4)))));
  while (now.size() / step > 8) step *= 2;
  for (double d = std::ceil(now.lower / step) * step; d <= now.upper; d += step) distances->addTick(d, exact(qint64(std::llround(d))));
  histogram_->axis(QCPAxis::atBottom)->setTicker(distances);
}

QString CliffChart::words_at(double blocks) const {
  const CliffPoint at = shape_.at(blocks);
  QString text = tr("%1: %2 GPU hit, %3 host loaded, %4 computed").arg(size_words(blocks), share_percent(at.gpu), share_percent(at.host), share_percent(std::max(0.0, 1 - at.gpu - at.host)));
  if (at.host_high - at.host_low > 1e-9) text += tr(" (host %1 to %2)").arg(share_percent(at.host_low), share_percent(at.host_high));
  if (!pinned_) return text;
  const CliffPoint pin = shape_.at(*pinned_);
  const auto points = [](double difference) {
    const QString n = QLocale().toString(std::fabs(difference) * 100, 'f', 1);
    return (difference > 0 ? QStringLiteral("+") : difference < 0 ? QStringLiteral("\u2212") : QString()) + n;
  };
  return text + tr("; from the pin %1 blocks, %2 points GPU hit, %3 host loaded")
                    .arg(signed_exact(qint64(std::llround(blocks)) - qint64(std::llround(*pinned_))), points(at.gpu - pin.gpu), points(at.host - pin.host));
}

void CliffChart::keyPressEvent(QKeyEvent* event) {
  const double document = shape_.document_blocks > 0 ? shape_.document_blocks : shape_.over_capacity ? std::max(1.0, std::round(shape_.max_blocks / 100)) : 1;
  const double step = event->modifiers().testFlag(Qt::ShiftModifier) ? 1 : document;
  const double around = in_view(marker_) && marker_ > 0 ? marker_ : view().center();
  switch (event->key()) {
    case Qt::Key_Left: emit marker_moved(std::max(1.0, marker_ - step)); break;
    case Qt::Key_Right: emit marker_moved(marker_ + step); break;
    case Qt::Key_Plus: zoom(0.8, around); break;
    case Qt::Key_Minus: zoom(1.25, around); break;
    case Qt::Key_Escape:
      if (pinned_) pinned_.reset();
      else if (zoomed()) step_back();
      else return Plot::keyPressEvent(event);
      refresh();
      break;
    case Qt::Key_Home:
      if (zoomed() || pinned_) show_all();
      else emit marker_reset();
      break;
    default: Plot::keyPressEvent(event); return;
  }
  event->accept();
}

void CliffChart::mousePressEvent(QMouseEvent* event) {
  setFocus(Qt::MouseFocusReason);
  Plot::mousePressEvent(event);  // a handle under the pointer is grabbed
  if (event->button() == Qt::LeftButton && grab_ == Grab::None && area().contains(event->position())) pressed_ = event->position();
}

void CliffChart::mouseMoveEvent(QMouseEvent* event) {
  Plot::mouseMoveEvent(event);
  if (grab_ != Grab::None) return;
  double distance = -1;
  if (!pressed_) setCursor(grabbed_at(event->position(), &distance) == Grab::None ? Qt::ArrowCursor : Qt::SizeHorCursor);
  dragged_ = pressed_ ? std::optional(event->position()) : std::nullopt;
  const bool inside = area().contains(event->position()) || (histogram_->visible() && histogram_->rect().contains(event->position().toPoint()));
  cross_ = inside ? std::optional(areas_->axis(QCPAxis::atBottom)->pixelToCoord(event->position().x())) : std::nullopt;
  emit crosshair_moved(inside ? words_at(*cross_) : QString());
  layer(QStringLiteral("marker"))->replot();
}

void CliffChart::mouseReleaseEvent(QMouseEvent* event) {
  Plot::mouseReleaseEvent(event);
  if (!pressed_) return;
  const double from = std::clamp(pressed_->x(), area().left(), area().right()), to = std::clamp(event->position().x(), area().left(), area().right());
  pressed_.reset();
  dragged_.reset();
  QCPAxis* x = areas_->axis(QCPAxis::atBottom);
  if (std::fabs(from - to) > 8) {
    push_view();
    set_view({x->pixelToCoord(std::min(from, to)), x->pixelToCoord(std::max(from, to))});
  } else if (event->modifiers().testFlag(Qt::ShiftModifier)) {
    pinned_ = x->pixelToCoord(to);
  }
  refresh();
}

void CliffChart::wheelEvent(QWheelEvent* event) {
  if (!area().contains(event->position()) || event->angleDelta().y() == 0) return event->ignore();
  const bool follows = wheel_.isValid() && wheel_.elapsed() < one_turn_ms && zoomed();
  wheel_.start();
  const double factor = std::pow(0.85, event->angleDelta().y() / 120.0);
  if (factor < 1 || zoomed()) {
    if (!follows) push_view();
    const double around = areas_->axis(QCPAxis::atBottom)->pixelToCoord(event->position().x());
    const QCPRange now = view();
    set_view({around - (around - now.lower) * factor, around + (now.upper - around) * factor});
  }
  event->accept();
}

void CliffChart::leaveEvent(QEvent* event) {
  cross_.reset();
  emit crosshair_moved(QString());
  layer(QStringLiteral("marker"))->replot();
  Plot::leaveEvent(event);
}

void CliffChart::paint_zoom(QPainter& p) {
  const QRectF r = area();
  if (pinned_ && in_view(*pinned_)) {
    const double x = std::floor(x_pixel(*pinned_)) + 0.5;
    p.setPen(QPen(theme().color("ink"), 1, Qt::DashLine));
    p.drawLine(QPointF(x, r.top()), QPointF(x, r.bottom()));
  }
  if (!pressed_ || !dragged_ || std::fabs(pressed_->x() - dragged_->x()) <= 8) return;
  QColor ground = theme().color("select");
  ground.setAlphaF(0.5f);
  p.setPen(QPen(theme().color("text3"), 1));
  p.setBrush(ground);
  p.drawRect(QRectF(QPointF(pressed_->x(), r.top()), QPointF(dragged_->x(), r.bottom())).normalized().intersected(r));
}

}  // namespace kvcliff::ui
