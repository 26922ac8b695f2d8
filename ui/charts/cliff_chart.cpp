// SPDX-License-Identifier: GPL-3.0-or-later
// Structure of the cliff chart; mouse and keys are in cliff_zoom.cpp, the drawing in cliff_paint.cpp.
#include "ui/charts/cliff_chart.h"

#include <cmath>

#include "ui/theme/numbers.h"

namespace kvcliff::ui {

CliffChart::CliffChart(const Theme& theme, QWidget* parent)
    : Plot(theme, QStringLiteral("cliffChart"), tr("Where the prompt tokens come from, by size of the working set"), parent) {
  setMinimumHeight(286);
  setMouseTracking(true);
  setToolTip(tr("Drag the marker or a capacity line; wheel zooms, drag over the areas selects a range, Esc steps back, Home resets; Shift+click pins a size to compare with"));
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
    paint_zoom(p);
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
  marker->released = [this](QMouseEvent*) {
    grab_ = Grab::None;
    update_axes();
    refresh();
  };
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
  // A zoomed view stays where it is while values change under it; and so does any while a handle is dragged, or the line
  // would run from the pointer.
  if (grab_ != Grab::None) refresh();
  else if (zoomed()) set_view(view());
  else areas_->axis(QCPAxis::atBottom)->setRange(whole());
  update_ticks();
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
    if (gpu_blocks_ > 0) consider(Grab::Gpu, gpu_blocks_, 6);
    if (tier()) consider(Grab::Host, host_blocks_, 6);
  }
  return best;
}

double CliffChart::snapped(double blocks, Qt::KeyboardModifiers modifiers) const {
  if (shape_.document_blocks <= 0 || modifiers.testFlag(Qt::AltModifier)) return std::max(1.0, std::round(blocks));
  return std::max(1.0, std::round(blocks / shape_.document_blocks)) * shape_.document_blocks;
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
