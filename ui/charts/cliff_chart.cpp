// SPDX-License-Identifier: GPL-3.0-or-later
// Structure, mouse and keys of the cliff chart; the drawing is in cliff_paint.cpp.
#include "ui/charts/cliff_chart.h"

#include <cmath>

#include "ui/theme/numbers.h"

namespace kvcliff::ui {

CliffChart::CliffChart(const Theme& theme, QWidget* parent)
    : Plot(theme, QStringLiteral("cliffChart"), tr("Where the prompt tokens come from, by size of the working set"), parent) {
  setMinimumHeight(300);
  setMouseTracking(true);
  plotLayout()->clear();
  plotLayout()->setRowSpacing(0);
  areas_ = new QCPAxisRect(this);
  histogram_ = new QCPAxisRect(this);
  plotLayout()->addElement(0, 0, areas_);
  plotLayout()->addElement(1, 0, histogram_);
  auto* margins = new QCPMarginGroup(this);
  for (QCPAxisRect* rect : {areas_, histogram_}) {
    rect->setMarginGroup(QCP::msLeft | QCP::msRight, margins);
    rect->setupFullAxesBox(false);
    rect->axis(QCPAxis::atTop)->setVisible(false);
    rect->axis(QCPAxis::atRight)->setVisible(false);
    rect->setBackground(Qt::NoBrush);
  }
  areas_->setMinimumMargins(QMargins(66, theme.px(76), 28, theme.px(42)));
  histogram_->setMinimumMargins(QMargins(66, 4, 28, theme.px(40)));
  histogram_->setMinimumSize(0, theme.px(62));
  histogram_->setMaximumSize(QWIDGETSIZE_MAX, theme.px(62));
  histogram_->setSizeConstraintRect(QCPLayoutElement::scrInnerRect);
  areas_->axis(QCPAxis::atLeft)->setRange(0, 1);
  areas_->axis(QCPAxis::atLeft)->grid()->setVisible(false);
  // Linked both ways: zooming either moves the other.
  QCPAxis* top = areas_->axis(QCPAxis::atBottom);
  QCPAxis* bottom = histogram_->axis(QCPAxis::atBottom);
  connect(top, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), bottom, qOverload<const QCPRange&>(&QCPAxis::setRange));
  connect(bottom, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), top, qOverload<const QCPRange&>(&QCPAxis::setRange));

  new PaintLayer(this, QStringLiteral("data"), [this](QPainter& p) {
    paint_zones(p);
    paint_areas(p);
    paint_histogram(p);
  });
  new PaintLayer(this, QStringLiteral("overgrid"), [this](QPainter& p) { paint_over_grid(p); });
  new PaintLayer(this, QStringLiteral("axes"), [this](QPainter& p) { paint_axis_titles(p); });
  new PaintLayer(this, QStringLiteral("caps"), [this](QPainter& p) { paint_capacities(p); });
  auto* marker = new PaintLayer(this, QStringLiteral("marker"), [this](QPainter& p) {
    paint_labels(p);
    paint_measured(p);
    paint_marker(p);
    draw_watermark(p, area(), QRectF(area().left(), area().bottom() + this->theme().px(22), area().width(), this->theme().px(16)));
  });
  marker->grab_distance = [this](const QPointF& pos) {
    double distance = -1;
    return grabbed_at(pos, &distance) == Grab::None ? -1.0 : distance;
  };
  marker->pressed = [this](QMouseEvent* e) {
    double distance = -1;
    grab_ = grabbed_at(e->position(), &distance);
  };
  marker->moved = [this](QMouseEvent* e) {
    const double raw = areas_->axis(QCPAxis::atBottom)->pixelToCoord(e->position().x());
    const double blocks = std::max(1.0, raw);
    if (grab_ == Grab::Marker) emit marker_moved(snapped(blocks, e->modifiers()));
    if (grab_ == Grab::Gpu) emit gpu_moved(std::round(blocks));
    if (grab_ == Grab::Host) emit host_moved(std::round(blocks));
  };
  marker->released = [this](QMouseEvent*) { grab_ = Grab::None; };
}

void CliffChart::set_shape(const CliffShape& shape) {
  shape_ = shape;
  update_axes();
  refresh();
}

void CliffChart::set_capacities(double gpu_blocks, double host_blocks, double block_bytes) {
  gpu_blocks_ = gpu_blocks;
  host_blocks_ = host_blocks;
  block_bytes_ = block_bytes;
  refresh();
}

void CliffChart::set_marker(double blocks) {
  marker_ = blocks;
  setAccessibleDescription(reading());
  refresh();
}

void CliffChart::set_histogram(std::vector<DistanceBin> bins, const QString& sentence) {
  bins_ = std::move(bins);
  histogram_sentence_ = sentence;
  update_axes();
  refresh();
}

void CliffChart::set_measured(std::vector<Measured> points, std::vector<Edge> edges) {
  measured_ = std::move(points);
  edges_ = std::move(edges);
  refresh();
}

void CliffChart::show_histogram(bool shown) {
  if (shown == histogram_->visible()) return;
  // It stays in the layout, without height: a rect that was taken out would outlive the plot that it speaks to.
  const int height = shown ? theme().px(62) : 0;
  histogram_->setVisible(shown);
  histogram_->setAutoMargins(shown ? QCP::MarginSides(QCP::msAll) : QCP::msLeft | QCP::msRight);
  histogram_->setMinimumMargins(shown ? QMargins(66, 4, 28, theme().px(40)) : QMargins(66, 0, 28, 0));
  if (!shown) histogram_->setMargins(QMargins(histogram_->margins().left(), 0, histogram_->margins().right(), 0));
  histogram_->setMinimumSize(0, height);
  histogram_->setMaximumSize(QWIDGETSIZE_MAX, height);
  refresh();
}

void CliffChart::update_axes() {
  QCPAxis* x = areas_->axis(QCPAxis::atBottom);
  x->setRange(0, std::max(1.0, shape_.max_blocks));
  const auto text_ticker = QSharedPointer<QCPAxisTickerText>::create();
  if (shape_.document_blocks > 0) {
    const double documents = shape_.max_blocks / shape_.document_blocks;
    const int step = std::max(1, int(std::ceil(documents / 16)));
    for (int d = step; d <= documents + 1e-9; d += step)
      text_ticker->addTick(d * shape_.document_blocks, QLocale().toString(d));
    x->setTicker(text_ticker);
  } else {
    x->setTicker(QSharedPointer<QCPAxisTicker>::create());
  }
  const auto share = QSharedPointer<QCPAxisTickerText>::create();
  for (const int percent : {0, 25, 50, 75, 100})
    share->addTick(percent / 100.0, percent == 100 ? QStringLiteral("100 %") : QString::number(percent));
  areas_->axis(QCPAxis::atLeft)->setTicker(share);
  std::int64_t most = 1;
  for (const auto& b : bins_) most = std::max(most, b.count);
  histogram_->axis(QCPAxis::atLeft)->setRange(0, double(most) * 1.15);
  const auto counts = QSharedPointer<QCPAxisTickerText>::create();
  counts->addTick(0, QStringLiteral("0"));
  if (!bins_.empty()) counts->addTick(double(most), exact(most));
  histogram_->axis(QCPAxis::atLeft)->setTicker(counts);
  const auto distances = QSharedPointer<QCPAxisTickerText>::create();
  double step = std::pow(10, std::floor(std::log10(std::max(1.0, shape_.max_blocks / 4))));
  while (shape_.max_blocks / step > 8) step *= 2;
  for (double d = 0; d <= shape_.max_blocks; d += step) distances->addTick(d, exact(qint64(std::llround(d))));
  histogram_->axis(QCPAxis::atBottom)->setTicker(distances);
}

void CliffChart::restyle() {
  Plot::restyle();
  areas_->axis(QCPAxis::atLeft)->grid()->setVisible(false);
  areas_->axis(QCPAxis::atLeft)->setBasePen(Qt::NoPen);
  areas_->axis(QCPAxis::atLeft)->setTickPen(Qt::NoPen);
  histogram_->axis(QCPAxis::atLeft)->setBasePen(Qt::NoPen);
  histogram_->axis(QCPAxis::atLeft)->setTickPen(Qt::NoPen);
}

double CliffChart::x_pixel(double blocks) const { return areas_->axis(QCPAxis::atBottom)->coordToPixel(blocks); }
double CliffChart::y_pixel(double share) const { return areas_->axis(QCPAxis::atLeft)->coordToPixel(share); }
QRectF CliffChart::area() const { return areas_->rect(); }

CliffChart::Grab CliffChart::grabbed_at(const QPointF& pos, double* distance) const {
  if (marker_ <= 0) return Grab::None;  // a measured cliff: nothing to drag
  const QRectF r = area();
  if (pos.y() < r.top() - theme().px(72) || pos.y() > r.bottom() + theme().px(24)) return Grab::None;
  Grab best = Grab::None;
  const auto consider = [&](Grab what, double blocks, double reach) {
    const double d = std::fabs(pos.x() - x_pixel(blocks));
    if (d > reach || (best != Grab::None && d >= *distance)) return;
    best = what;
    *distance = d;
  };
  consider(Grab::Marker, marker_, 8);
  if (best == Grab::None) {
    consider(Grab::Gpu, gpu_blocks_, 6);
    if (tier()) consider(Grab::Host, host_blocks_, 6);
  }
  return best;
}

double CliffChart::snapped(double blocks, Qt::KeyboardModifiers modifiers) const {
  if (shape_.document_blocks <= 0 || modifiers.testFlag(Qt::AltModifier)) return std::max(1.0, std::round(blocks));
  return std::max(1.0, std::round(blocks / shape_.document_blocks)) * shape_.document_blocks;
}

void CliffChart::keyPressEvent(QKeyEvent* event) {
  const double document = shape_.document_blocks > 0 ? shape_.document_blocks : 1;
  const double step = event->modifiers().testFlag(Qt::ShiftModifier) ? 1 : document;
  switch (event->key()) {
    case Qt::Key_Left: emit marker_moved(std::max(1.0, marker_ - step)); break;
    case Qt::Key_Right: emit marker_moved(marker_ + step); break;
    case Qt::Key_Home: emit marker_reset(); break;
    default: Plot::keyPressEvent(event); return;
  }
  event->accept();
}

void CliffChart::mouseMoveEvent(QMouseEvent* event) {
  Plot::mouseMoveEvent(event);
  if (grab_ != Grab::None) return;
  double distance = -1;
  setCursor(grabbed_at(event->position(), &distance) == Grab::None ? Qt::ArrowCursor : Qt::SizeHorCursor);
  const QRectF r = area();
  const bool inside = r.contains(event->position()) || (histogram_->visible() && histogram_->rect().contains(event->position().toPoint()));
  cross_ = inside ? std::optional(areas_->axis(QCPAxis::atBottom)->pixelToCoord(event->position().x())) : std::nullopt;
  if (inside) {
    const CliffPoint at = shape_.at(*cross_);
    QString text = tr("%1: %2 GPU hit, %3 host loaded, %4 computed")
                       .arg(size_words(*cross_), share_percent(at.gpu), share_percent(at.host),
                            share_percent(std::max(0.0, 1 - at.gpu - at.host)));
    if (at.host_high - at.host_low > 1e-9)
      text += tr(" (host %1 to %2)").arg(share_percent(at.host_low), share_percent(at.host_high));
    emit crosshair_moved(text);
  } else {
    emit crosshair_moved(QString());
  }
  layer(QStringLiteral("marker"))->replot();
}

void CliffChart::leaveEvent(QEvent* event) {
  cross_.reset();
  emit crosshair_moved(QString());
  layer(QStringLiteral("marker"))->replot();
  Plot::leaveEvent(event);
}

QString CliffChart::size_words(double blocks) const {
  QString s = tr("%1 blocks").arg(exact(qint64(std::llround(blocks))));
  if (block_bytes_ > 0) s += QStringLiteral(" \u00b7 %1 GiB").arg(gib(qint64(blocks * block_bytes_)));
  return s;
}

QString CliffChart::reading() const {
  const CliffPoint at = shape_.at(marker_);
  QStringList parts;
  if (at.gpu > 0) parts << tr("%1 hit").arg(share_percent(at.gpu));
  if (at.host > 0) parts << tr("%1 loaded").arg(share_percent(at.host));
  const double computed = std::max(0.0, 1 - at.gpu - at.host);
  if (computed > 0) parts << tr("%1 computed").arg(share_percent(computed));
  return parts.join(QStringLiteral(", "));
}

}  // namespace kvcliff::ui
