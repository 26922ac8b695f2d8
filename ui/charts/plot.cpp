// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/plot.h"

#include <QBuffer>
#include <QEvent>
#include <QPdfWriter>
#include <QSvgGenerator>
#include <QWindow>
#include <cmath>

namespace kvcliff::ui {

PaintLayer::PaintLayer(QCustomPlot* plot, const QString& layer, std::function<void(QPainter&)> draw)
    : QCPLayerable(plot, layer), draw_(std::move(draw)) {}

void PaintLayer::draw(QCPPainter* painter) {
  painter->save();
  draw_(*painter);
  painter->restore();
}
void PaintLayer::applyDefaultAntialiasingHint(QCPPainter* painter) const { painter->setAntialiasing(false); }
double PaintLayer::selectTest(const QPointF& pos, bool, QVariant*) const { return grab_distance ? grab_distance(pos) : -1; }
void PaintLayer::mousePressEvent(QMouseEvent* event, const QVariant&) {
  if (pressed) pressed(event);
}
void PaintLayer::mouseMoveEvent(QMouseEvent* event, const QPointF&) {
  if (moved) moved(event);
}
void PaintLayer::mouseReleaseEvent(QMouseEvent* event, const QPointF&) {
  if (released) released(event);
}

Plot::Plot(const Theme& theme, const QString& object_name, const QString& title, QWidget* parent)
    : QCustomPlot(parent), theme_(theme), title_(title) {
  setObjectName(object_name);
  setAccessibleName(title);
  setFocusPolicy(Qt::StrongFocus);
  setNoAntialiasingOnDrag(false);
  setPlottingHints(QCP::phCacheLabels);
  addLayer(QStringLiteral("data"), layer(QStringLiteral("main")), QCustomPlot::limAbove);
  addLayer(QStringLiteral("overgrid"), layer(QStringLiteral("data")), QCustomPlot::limAbove);
  addLayer(QStringLiteral("caps"), layer(QStringLiteral("legend")), QCustomPlot::limAbove);
  addLayer(QStringLiteral("marker"), layer(QStringLiteral("caps")), QCustomPlot::limAbove);
  // One buffered layer on top, so that crosshair and marker repaint without the data.
  layer(QStringLiteral("overlay"))->setMode(QCPLayer::lmLogical);
  layer(QStringLiteral("marker"))->setMode(QCPLayer::lmBuffered);
  connect(&theme, &Theme::changed, this, [this] {
    restyle();
    refresh();
  });
}

void Plot::refresh() {
  if (!isVisible()) {
    dirty_ = true;
    return;
  }
  dirty_ = false;
  replot(QCustomPlot::rpQueuedReplot);
}

void Plot::set_watermark(const QString& words) {
  watermark_ = words;
  refresh();
}

void Plot::showEvent(QShowEvent* event) {
  QCustomPlot::showEvent(event);
  setBufferDevicePixelRatio(devicePixelRatioF());  // QCustomPlot reads it in the constructor only
  if (QWindow* w = window()->windowHandle())
    connect(w, &QWindow::screenChanged, this, &Plot::screen_changed, Qt::UniqueConnection);
  restyle();
  if (dirty_) refresh();
}

void Plot::screen_changed() {
  setBufferDevicePixelRatio(devicePixelRatioF());
  refresh();
}

bool Plot::event(QEvent* event) {
  const bool handled = QCustomPlot::event(event);
  if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut) update();
  return handled;
}

void Plot::style_axis(QCPAxis* axis) const {
  const QColor line = theme_.color("text3");
  axis->setBasePen(QPen(line, 1));
  axis->setTickPen(QPen(line, 1));
  axis->setSubTickPen(Qt::NoPen);
  axis->setSubTicks(false);
  axis->setTickLength(0, 4);
  axis->setTickLabelColor(theme_.color("text3"));
  axis->setTickLabelFont(theme_.font(TextSize::Chart));
  axis->setSelectableParts(QCPAxis::spNone);
  axis->setLayer(QStringLiteral("axes"));
  axis->grid()->setLayer(QStringLiteral("grid"));
  axis->grid()->setPen(QPen(theme_.color("grid"), 1));
  axis->grid()->setZeroLinePen(Qt::NoPen);
  axis->grid()->setVisible(axis->orientation() == Qt::Vertical);
}

void Plot::restyle() {
  setBackground(QBrush(theme_.color("surface")));
  for (QCPAxisRect* rect : axisRects())
    for (QCPAxis* axis : rect->axes()) style_axis(axis);
}

double Plot::snap(const QPainter& p, double v) {
  const double s = p.deviceTransform().m11();
  return s > 0 ? std::round(v * s) / s : std::round(v);
}

void Plot::draw_watermark(QPainter& p, const QRectF& plot, const QRectF& low_place) {
  if (watermark_.isEmpty()) return;
  if (plot.height() < 200) {
    QFont small = theme_.font(TextSize::Step);
    small.setWeight(QFont::Bold);
    small.setLetterSpacing(QFont::PercentageSpacing, 108);
    const bool given = !low_place.isNull();
    p.setFont(small);
    p.setPen(theme_.color(watermark_.contains(QStringLiteral("WITHDRAWN")) ? "withdrawn" : "simulated"));
    const double h = QFontMetricsF(small).height();
    p.drawText(given ? low_place : QRectF(plot.left(), plot.top() - h, plot.width(), h), (given ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter | Qt::TextSingleLine, watermark_);
    return;
  }
  QFont f = theme_.font(TextSize::Verdict);
  f.setWeight(QFont::Bold);
  f.setLetterSpacing(QFont::PercentageSpacing, 108);
  const double natural = QFontMetricsF(f).horizontalAdvance(watermark_);
  f.setPointSizeF(f.pointSizeF() * plot.width() * 0.55 / natural);
  QColor ink = theme_.dark() ? QColor(Qt::white) : theme_.color("simulated");
  ink.setAlphaF(theme_.dark() ? 0.13f : 0.15f);
  QPainterPath path;
  const QFontMetricsF m(f);
  path.addText(-m.horizontalAdvance(watermark_) / 2, m.capHeight() / 2, f, watermark_);
  p.save();
  p.setRenderHint(QPainter::Antialiasing);
  p.translate(plot.center());
  p.rotate(-12);
  p.setPen(Qt::NoPen);
  p.setBrush(ink);
  p.drawPath(path);
  p.restore();
}

void Plot::render(QPainter& p, QSize size, double scale) {
  const int head = theme_.px(30);
  const int foot = caption_.isEmpty() ? 8 : theme_.px(24);
  p.fillRect(QRectF(0, 0, size.width() * scale, size.height() * scale), theme_.color("surface"));
  p.save();
  p.scale(scale, scale);
  p.setPen(theme_.color("text"));
  p.setFont(theme_.font(TextSize::CardTitle));
  p.drawText(QPointF(14, head - 10), title_);
  p.setPen(theme_.color("text3"));
  p.setFont(theme_.font(TextSize::Caption));
  const QString words = watermark_.isEmpty() ? caption_ : watermark_ + QStringLiteral("   ") + caption_;
  p.drawText(QPointF(14, size.height() - 9), words);
  p.restore();

  const QRect old = viewport();
  QPixmap pixels = toPixmap(size.width(), size.height() - head - foot, scale);
  pixels.setDevicePixelRatio(1);
  p.drawPixmap(QPointF(0, head * scale), pixels);
  setViewport(old);
}

// Colours of paper while a picture is drawn; afterwards those of the window again.
class Plot::AsPaper {
 public:
  explicit AsPaper(Plot& plot) : plot_(plot), paper_(std::make_unique<Theme::Paper>(plot.theme())) { plot_.restyle(); }
  ~AsPaper() {
    paper_.reset();
    plot_.restyle();
    plot_.refresh();
  }

 private:
  Plot& plot_;
  std::unique_ptr<Theme::Paper> paper_;
};

void Plot::paint_on(QCPPainter& p, const QRectF& where) {
  const AsPaper paper(*this);
  p.save();
  p.translate(where.topLeft());
  toPainter(&p, int(where.width()), int(where.height()));
  p.restore();
}

QImage Plot::image(QSize size, double scale) {
  const AsPaper paper(*this);
  QImage out(size * scale, QImage::Format_ARGB32_Premultiplied);
  out.fill(theme_.color("surface"));
  QPainter p(&out);
  render(p, size, scale);
  p.end();
  out.setDotsPerMeterX(qRound(96 * scale / 0.0254));
  out.setDotsPerMeterY(qRound(96 * scale / 0.0254));
  return out;
}

QByteArray Plot::svg(QSize size) {
  const AsPaper paper(*this);
  QBuffer buffer;
  QSvgGenerator generator;
  generator.setOutputDevice(&buffer);
  generator.setResolution(96);
  generator.setSize(size);
  generator.setViewBox(QRect(QPoint(0, 0), size));
  generator.setTitle(title_);
  generator.setDescription(caption_);
  QCPPainter p;
  p.begin(&generator);
  p.setMode(QCPPainter::pmVectorized);
  p.setMode(QCPPainter::pmNoCaching);
  const int foot = theme_.px(24);
  p.fillRect(QRect(QPoint(0, 0), size), theme_.color("surface"));
  toPainter(&p, size.width(), size.height() - foot);
  p.setPen(theme_.color("text3"));
  p.setFont(theme_.font(TextSize::Caption));
  p.drawText(QPointF(14, size.height() - 9), title_ + QStringLiteral(". ") + watermark_ + QStringLiteral(" ") + caption_);
  p.end();
  return buffer.data();
}

QByteArray Plot::pdf(QSize size) {
  const AsPaper paper(*this);
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  QPdfWriter writer(&buffer);
  writer.setResolution(96);
  writer.setPageSize(QPageSize(QSizeF(size.width() * 0.75, size.height() * 0.75), QPageSize::Point));
  writer.setPageMargins(QMarginsF());
  writer.setTitle(title_);
  QCPPainter p;
  p.begin(&writer);
  p.setMode(QCPPainter::pmVectorized);
  p.setMode(QCPPainter::pmNoCaching);
  const int foot = theme_.px(24);
  p.fillRect(QRect(QPoint(0, 0), size), theme_.color("surface"));
  toPainter(&p, size.width(), size.height() - foot);
  p.setPen(theme_.color("text3"));
  p.setFont(theme_.font(TextSize::Caption));
  p.drawText(QPointF(14, size.height() - 9), title_ + QStringLiteral(". ") + watermark_ + QStringLiteral(" ") + caption_);
  p.end();
  return bytes;
}

}  // namespace kvcliff::ui
