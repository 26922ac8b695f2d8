// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/ecdf_chart.h"

#include <map>

#include "chart/series.h"
#include "ui/charts/clip.h"
#include "ui/charts/cliff_shape.h"

namespace kvcliff::ui {
namespace {
QString name_of(Source s) {
  switch (s) {
    case Source::gpu_hit: return QObject::tr("GPU hit");
    case Source::host_loaded: return QObject::tr("host loaded");
    case Source::computed: return QObject::tr("computed");
    case Source::unknown: return QObject::tr("unknown");
  }
  return {};
}
}  // namespace

EcdfChart::EcdfChart(const Theme& theme, QWidget* parent)
    : PointPlot(theme, QStringLiteral("ecdfChart"), tr("TTFT of revisits (log), share of requests at or below"), parent) {
  x_title_ = tr("TTFT of revisits, ms (log)");
  x_axis()->setScaleType(QCPAxis::stLogarithmic);
  const auto share = QSharedPointer<QCPAxisTickerText>::create();
  for (const int percent : {0, 25, 50, 75, 100}) share->addTick(percent / 100.0, percent == 100 ? QStringLiteral("100 %") : QString::number(percent));
  y_axis()->setTicker(share);
}

void EcdfChart::set_judged(const JudgedPtr& j) {
  curves_.clear();
  left_out_ = 0;
  std::map<Source, std::vector<double>> values;
  double low = 1e300, high = 0;
  if (j)
    for (int q = 0; q < int(j->measured.size()); ++q) {
      const RequestRecord& r = j->record(q);
      if (r.plan.round < 2 || j->input.sessions[j->measured[std::size_t(q)]->session].record.conditioning) continue;
      const auto t = r.stream.ttft();
      // A log axis has no place for a missing or impossible time: left out, and counted where it is shown.
      if (r.stream.outcome != Outcome::complete || !t || *t <= 0) {
        ++left_out_;
        continue;
      }
      const double ms = double(*t) * 1e-6;
      values[TokenSourcesView::main_source(r.sources)].push_back(ms);
      low = std::min(low, ms);
      high = std::max(high, ms);
    }
  for (auto& [source, v] : values) {
    Curve c;
    c.source = source;
    c.count = int(v.size());
    c.median = chart::median(v).value_or(0);
    c.steps = chart::ecdf(v);
    curves_.push_back(std::move(c));
  }
  if (high <= 0) low = 1, high = 10;
  low /= 1.6;
  high *= 1.6;
  // Ticks at 1, 2 and 5 of each decade.
  const auto ticks = QSharedPointer<QCPAxisTickerText>::create();
  for (double decade = std::pow(10, std::floor(std::log10(low))); decade <= high; decade *= 10)
    for (const double f : {1.0, 2.0, 5.0})
      if (decade * f >= low && decade * f <= high) ticks->addTick(decade * f, QLocale().toString(decade * f, 'g', 6));
  x_axis()->setTicker(ticks);
  set_home(QCPRange(low, high), QCPRange(0, 1));
  set_marks({});
  refresh();
}

void EcdfChart::paint_below(QPainter& p) {
  p.setRenderHint(QPainter::Antialiasing);
  p.setBrush(Qt::NoBrush);
  for (const Curve& c : curves_) {
    QPolygonF line;
    for (const auto& s : c.steps)
      if (s.y) line << pixel(s.x, *s.y);
    if (line.size() == 1) line.prepend(QPointF(line.first().x(), pixel(1, 0).y()));
    // The edge colour around the fill: a pale line is not lost on white.
    p.setPen(QPen(theme().edge(c.source), 4, c.source == Source::unknown ? Qt::DashLine : Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin));
    const auto parts = line_inside(line, rect()->rect().adjusted(0, 0, 0, 1));
    for (const QPolygonF& part : parts) p.drawPolyline(part);
    if (c.source != Source::unknown) {
      p.setPen(QPen(theme().fill(c.source), 2.2, Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin));
      for (const QPolygonF& part : parts) p.drawPolyline(part);
    }
  }
}

void EcdfChart::paint_above(QPainter& p) {
  const QRectF r = rect()->rect();
  const QFont plain = theme().font(TextSize::Chart);
  QFont bold = plain;
  bold.setWeight(QFont::DemiBold);
  const QFontMetricsF m(plain), mb(bold);
  // Names beside their lines, where neither a line nor another name is: each at a height of its own if it can be.
  const double heights[] = {0.82, 0.60, 0.36, 0.14};
  // Where a line runs between two shares, pixels.
  const auto extent = [&](const Curve& c, double low, double high) {
    double from = r.right(), to = r.left();
    for (std::size_t k = 0; k < c.steps.size(); ++k) {
      const double y = c.steps[k].y.value_or(0), before = k == 0 ? 0 : c.steps[k - 1].y.value_or(0);
      if (y < low || before > high) continue;
      const double x = pixel(c.steps[k].x, 0).x();
      from = std::min(from, x);
      to = std::max(to, x);
      if (y > high) break;
    }
    return Span{from, to};
  };
  std::vector<QRectF> taken;
  for (int i = 0; i < int(curves_.size()); ++i) {
    const Curve& c = curves_[std::size_t(i)];
    const QString name = name_of(c.source), text = tr("median %1, n %2").arg(QLocale().toString(c.median, 'f', 1)).arg(c.count);
    const double w = std::max(mb.horizontalAdvance(name), m.horizontalAdvance(text));
    const double x = pixel(c.median, 0).x();
    if (x < r.left() || x > r.right()) continue;
    QRectF place;
    bool right = true;
    for (int k = 0; k < 4 && place.isNull(); ++k) {
      const double y = pixel(1, heights[(std::min(i, 3) + k) % 4]).y();
      const double high = y_axis()->pixelToCoord(y - mb.height()), low = y_axis()->pixelToCoord(y + m.height());
      const Span own = extent(c, low, high);
      for (const bool side : {true, false}) {
        const QRectF box(side ? own.to + 8 : own.from - 8 - w, y - mb.height(), w, mb.height() + m.height());
        bool free = box.left() >= r.left() + 2 && box.right() <= r.right() - 2;
        for (const QRectF& t : taken) free &= !t.intersects(box);
        for (const Curve& o : curves_)
          if (&o != &c) {
            const Span there = extent(o, low, high);
            free &= there.to < box.left() - 4 || there.from > box.right() + 4;
          }
        if (!free) continue;
        place = box;
        right = side;
        break;
      }
    }
    if (place.isNull()) {
      const double y = pixel(1, heights[std::min(i, 3)]).y();
      right = x + 10 + w < r.right();
      place = QRectF(right ? x + 10 : std::max(r.left() + 2, x - 10 - w), y - mb.height(), w, mb.height() + m.height());
    }
    taken.push_back(place);
    QColor surface = theme().color("surface");
    surface.setAlphaF(0.85f);
    p.fillRect(place.adjusted(-3, 0, 3, 0), surface);
    const int side = right ? Qt::AlignLeft : Qt::AlignRight;
    p.setFont(bold);
    p.setPen(theme().text(c.source));
    p.drawText(QRectF(place.left(), place.top(), w, mb.height()), side | Qt::TextSingleLine, name);
    p.setFont(plain);
    p.setPen(theme().color("text2"));
    p.drawText(QRectF(place.left(), place.top() + mb.height(), w, m.height()), side | Qt::TextSingleLine, text);
  }
  if (left_out_ > 0) {
    p.setFont(theme().font(TextSize::Caption));
    p.setPen(theme().color("text3"));
    p.drawText(QRectF(r.left(), r.bottom() + theme().px(21), r.width(), m.height()), Qt::AlignLeft, tr("%1 without a TTFT left out").arg(left_out_));
  }
}

QString EcdfChart::words_at(double x, double) const {
  QStringList parts;
  for (const Curve& c : curves_) {
    double share = 0;
    for (const auto& s : c.steps)
      if (s.x <= x && s.y) share = *s.y;
    parts << tr("%1 % of %2").arg(QLocale().toString(share * 100, 'f', 0), name_of(c.source));
  }
  return tr("%1 ms: %2").arg(QLocale().toString(x, 'f', 1), parts.join(QStringLiteral(", ")));
}

}  // namespace kvcliff::ui
