// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/pairs_chart.h"

#include <map>

#include "ui/theme/numbers.h"

namespace kvcliff::ui {

PairsChart::PairsChart(const Theme& theme, QWidget* parent)
    : PointPlot(theme, QStringLiteral("pairsChart"), tr("Every revisit, off and on"), parent) {
  y_title_ = tr("TTFT, ms");
  x_axis()->setTicks(false);
  x_axis()->setTickLabels(false);
}

void PairsChart::set_judged(const JudgedPtr& j) {
  groups_.clear();
  joins_.clear();
  std::vector<ChartMark> marks;
  double highest = 1, x = 0;
  if (j) {
    struct Visit {
      std::optional<double> off, on;
      int off_request = -1, on_request = -1;
    };
    // Pair, then round and document: the order in which a reader looks for "the same visit".
    std::map<int, std::map<std::pair<int, int>, Visit>> pairs;
    std::vector<int> control;
    const auto ms_of = [&](int request) -> std::optional<double> {
      const RequestRecord& r = j->record(request);
      const auto t = r.stream.ttft();
      if (r.stream.outcome != Outcome::complete || !t || *t <= 0) return std::nullopt;
      return double(*t) * 1e-6;
    };
    for (int q = 0; q < int(j->measured.size()); ++q) {
      const auto& s = j->input.sessions[j->measured[std::size_t(q)]->session];
      const RequestRecord& r = j->record(q);
      if (r.plan.round < 2 || s.record.conditioning) continue;
      if (s.compared()) {
        Visit& v = pairs[s.record.pair][{r.plan.round, r.plan.document}];
        (s.offload ? v.on : v.off) = ms_of(q);
        (s.offload ? v.on_request : v.off_request) = q;
      } else if (s.record.arm == "control") {
        control.push_back(q);
      }
    }
    const auto put = [&](double at, double ms, int request) {
      const Source source = TokenSourcesView::main_source(j->record(request).sources);
      highest = std::max(highest, ms);
      marks.push_back({at, ms, source, request,
                       tr("%1: %2 ms").arg(j->request_words(request), QLocale().toString(ms, 'f', 3))});
    };
    for (const auto& [pair, visits] : pairs) {
      const double from = x;
      int low = 1 << 30, high = 0;
      for (const auto& [key, v] : visits) {
        low = std::min(low, key.first);
        high = std::max(high, key.first);
        if (v.off) put(x, *v.off, v.off_request);
        if (v.on) put(x, *v.on, v.on_request);
        if (v.off && v.on) joins_.push_back({x, *v.off, *v.on});
        x += 1;
      }
      groups_.push_back({from - 0.3, x - 0.7, low == high ? tr("pair %1, round %2").arg(pair + 1).arg(low) : tr("pair %1, rounds %2 to %3").arg(pair + 1).arg(low).arg(high), tr("pair %1").arg(pair + 1)});
      x += 0.8;
    }
    const double from = x;
    for (const int q : control)
      if (const auto ms = ms_of(q)) {
        put(x, *ms, q);
        x += 1;
      }
    if (x > from) groups_.push_back({from - 0.3, x - 0.7, tr("control"), tr("control")});
  }
  set_home(QCPRange(-0.9, std::max(1.0, x - 0.1)), QCPRange(0, highest * 1.12));
  set_marks(std::move(marks));
  setAccessibleDescription(tr("%1 points, %2 joined pairs of visits").arg(this->marks().size()).arg(joins_.size()));
}

void PairsChart::paint_below(QPainter& p) {
  p.setRenderHint(QPainter::Antialiasing);
  p.setPen(QPen(theme().color("line2"), 1.5));
  // Cut by hand: drawings for SVG know no clipping.
  const QCPRange x = x_axis()->range(), y = y_axis()->range();
  for (const auto& j : joins_) {
    const double a = std::clamp(j[1], y.lower, y.upper), b = std::clamp(j[2], y.lower, y.upper);
    if (x.contains(j[0]) && a != b) p.drawLine(pixel(j[0], a), pixel(j[0], b));
  }
}

void PairsChart::paint_above(QPainter& p) {
  const QRectF r = rect()->rect();
  p.setRenderHint(QPainter::Antialiasing, false);
  p.setFont(theme().font(TextSize::Chart));
  const QFontMetricsF m(p.font());
  // All names are short where one of the long ones would not fit.
  const bool whole = std::all_of(groups_.begin(), groups_.end(), [&](const Group& g) { return g.name == g.brief || m.horizontalAdvance(g.name) <= pixel(g.to, 0).x() - pixel(g.from, 0).x() + 10; });
  double taken = -1e9;
  for (const Group& g : groups_) {
    const double a = std::max(r.left(), pixel(g.from, 0).x()), b = std::min(r.right(), pixel(g.to, 0).x());
    if (b < r.left() || a > r.right()) continue;
    const double y = std::floor(r.bottom() + theme().px(7)) + 0.5;
    p.setPen(QPen(theme().color("line2"), 1.5));
    p.drawLine(QPointF(a, y), QPointF(std::max(a + 4, b), y));
    const QString& name = whole ? g.name : g.brief;
    const double w = m.horizontalAdvance(name), left = std::clamp((a + b - w) / 2, 4.0, double(viewport().width()) - w - 4);
    if (left < taken + 6) continue;
    p.setPen(theme().color("text2"));
    p.drawText(QPointF(left, y + m.ascent() + 6), name);
    taken = left + w;
  }
}

QString PairsChart::words_at(double, double y) const { return tr("%1 ms").arg(QLocale().toString(y, 'f', 1)); }

}  // namespace kvcliff::ui
