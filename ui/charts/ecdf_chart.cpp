// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/ecdf_chart.h"

#include <map>

#include "chart/series.h"
#include "ui/charts/clip.h"
#include "ui/charts/label_place.h"
#include "ui/theme/numbers.h"

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
  low /= 3.2;  // room for the name of the fastest source
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

QPolygonF EcdfChart::line_of(const Curve& c) const {
  QPolygonF line;
  for (const auto& s : c.steps)
    if (s.y) line << pixel(s.x, *s.y);
  if (line.size() == 1) line.prepend(QPointF(line.first().x(), pixel(1, 0).y()));
  return line;
}

void EcdfChart::paint_below(QPainter& p) {
  p.setRenderHint(QPainter::Antialiasing);
  p.setBrush(Qt::NoBrush);
  for (const Curve& c : curves_) {
    const QPolygonF line = line_of(c);
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

// Lines that leave no room: the names stand in one column, where the fewest lines are.
void EcdfChart::put_in_column(std::vector<Name>& all, const std::vector<QPolygonF>& lines) const {
  const QRectF r = rect()->rect();
  double wide = 0, high = 0;
  for (const Name& w : all) {
    if (w.name.isEmpty()) continue;
    wide = std::max(wide, w.size.width());
    high += w.size.height() + 3;
  }
  QRectF best;
  std::size_t fewest = std::size_t(-1);
  for (const double x : {r.left() + 6, r.right() - wide - 6, r.center().x() - wide / 2})
    for (const double y : {r.top() + 4, std::max(r.top() + 4, r.bottom() - high - 4)}) {
      const QRectF column(x, y, wide, high);
      const auto crossed = std::size_t(std::count_if(lines.begin(), lines.end(), [&](const QPolygonF& l) { return !line_inside(l, column).empty(); }));
      if (crossed >= fewest) continue;
      fewest = crossed;
      best = column;
    }
  double y = best.top();
  for (Name& w : all) {
    if (w.name.isEmpty()) continue;
    w.box = QRectF(best.left(), y, wide, w.size.height());
    w.right = true;
    y += w.size.height() + 3;
  }
}

std::vector<EcdfChart::Name> EcdfChart::placed_names() const {
  const QRectF r = rect()->rect();
  const QFont plain = theme().font(TextSize::Chart);
  QFont bold = plain;
  bold.setWeight(QFont::DemiBold);
  const QFontMetricsF m(plain), mb(bold);
  // Names beside their own line, where neither a line nor another name is.
  Obstacles taken;
  std::vector<QPolygonF> lines;
  for (const Curve& c : curves_) {
    lines.push_back(thinned(line_of(c)));
    taken.lines.push_back(lines.back());
  }
  const double shares[] = {0.80, 0.55, 0.34, 0.18, 0.70, 0.45, 0.25, 0.86};
  const auto place_of = [&](std::size_t i, double w, double h, bool* right) -> std::optional<QRectF> {
    for (std::size_t k = 0; k < std::size(shares); ++k) {
      const double y = pixel(1, shares[(std::min<std::size_t>(i, 3) + k) % std::size(shares)]).y();
      // Where its own line runs at the height of the words.
      const auto parts = line_inside(lines[i], QRectF(r.left(), y - h / 2, r.width(), h));
      if (parts.empty()) continue;
      double from = r.right(), to = r.left();
      for (const QPolygonF& part : parts) {
        from = std::min(from, part.boundingRect().left());
        to = std::max(to, part.boundingRect().right());
      }
      for (const bool side : {true, false}) {
        const QRectF box(side ? to + 8 : from - 8 - w, y - h / 2, w, h);
        if (box.left() < r.left() + 2 || box.right() > r.right() - 2 || box.top() < r.top() || box.bottom() > r.bottom()) continue;
        if (!is_clear(box, taken)) continue;
        *right = side;
        return box;
      }
    }
    return std::nullopt;
  };
  std::vector<Name> all;
  bool beside = false;
  // With the word "median" where it has room in each of them.
  for (const bool whole : {true, false}) {
    if (beside) break;
    beside = true;
    all.clear();
    taken.boxes.clear();
    for (std::size_t i = 0; i < curves_.size(); ++i) {
      const Curve& c = curves_[i];
      all.emplace_back();
      if (line_inside(lines[i], r).empty()) continue;  // not in view
      const QString median = QLocale().toString(c.median, 'f', 1);
      Name& w = all.back();
      w.name = name_of(c.source);
      w.numbers = whole ? tr("median %1, n %2").arg(median, exact(c.count)) : tr("%1 ms, n %2").arg(median, exact(c.count));
      w.size = {std::max(mb.horizontalAdvance(w.name), m.horizontalAdvance(w.numbers)) + 2, mb.height() + m.height()};
      const auto place = place_of(i, w.size.width(), w.size.height(), &w.right);
      if (place) taken.boxes.push_back(*place);
      w.box = place.value_or(QRectF());
      beside &= place.has_value();
    }
  }
  if (!beside) put_in_column(all, lines);
  return all;
}

void EcdfChart::paint_above(QPainter& p) {
  const QRectF r = rect()->rect();
  const QFont plain = theme().font(TextSize::Chart);
  QFont bold = plain;
  bold.setWeight(QFont::DemiBold);
  const QFontMetricsF m(plain), mb(bold);
  const std::vector<Name> all = placed_names();
  names_.clear();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Name& w = all[i];
    if (w.name.isEmpty()) continue;
    names_.push_back(w.box);
    QColor surface = theme().color("surface");
    surface.setAlphaF(0.85f);
    p.fillRect(w.box.adjusted(-3, 0, 3, 0), surface);
    const int side = w.right ? Qt::AlignLeft : Qt::AlignRight;
    p.setFont(bold);
    p.setPen(theme().text(curves_[i].source));
    p.drawText(QRectF(w.box.left(), w.box.top(), w.box.width(), mb.height()), side | Qt::TextSingleLine, w.name);
    p.setFont(plain);
    p.setPen(theme().color("text2"));
    p.drawText(QRectF(w.box.left(), w.box.top() + mb.height(), w.box.width(), m.height()), side | Qt::TextSingleLine, w.numbers);
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
