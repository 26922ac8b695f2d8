// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/split_chart.h"

#include "ui/theme/numbers.h"

namespace kvcliff::ui {

SplitChart::SplitChart(const Theme& theme, QWidget* parent) : Plot(theme, QStringLiteral("splitChart"), tr("Where the difference went"), parent) {
  setMinimumSize(220, 110);
  plotLayout()->clear();
  rect_ = new QCPAxisRect(this, false);
  rect_->setAutoMargins(QCP::msNone);
  rect_->setMargins(QMargins(4, theme.px(13), 4, 2));
  rect_->setBackground(Qt::NoBrush);
  plotLayout()->addElement(0, 0, rect_);
  new PaintLayer(this, QStringLiteral("data"), [this](QPainter& p) { paint(p); });
  new PaintLayer(this, QStringLiteral("marker"), [this](QPainter& p) { draw_watermark(p, rect_->rect()); });
}

void SplitChart::set_judged(const JudgedPtr& j) {
  split_.reset();
  note_.clear();
  if (j) {
    const auto& d = j->evaluation.decision;
    if (d.withdrawn()) {
      note_ = tr("Withheld: the claim of this run is withdrawn.");
    } else if (d.gain) {
      split_ = d.gain;
      note_ = tr("Split by the control: a GPU hit takes %1 ms%2.")
                  .arg(QLocale().toString(d.gain->gpu_hit_ms, 'f', 1), d.control && !d.control->note.empty() ? QStringLiteral(" (") + QString::fromStdString(d.control->note) + QLatin1Char(')') : QString());
    } else {
      note_ = tr("Not split: %1").arg(QString::fromStdString(d.gain_why));
    }
  }
  setAccessibleDescription(note_);
  refresh();
}

void SplitChart::paint(QPainter& p) {
  const QRectF r = rect_->rect();
  p.setFont(theme().font(TextSize::Chart));
  const QFontMetricsF m(p.font());
  if (!split_) {
    p.setPen(theme().color("text3"));
    p.drawText(r.adjusted(8, 0, -8, 0), Qt::AlignCenter | Qt::TextWordWrap, note_);
    return;
  }
  const auto& g = *split_;
  struct Row {
    QString name;
    double from, to;
    QString value;
    int kind;  ///< 0 off, 1 difference, 2 on
  };
  const auto ms = [](double v, bool sign) {
    const QString n = QLocale().toString(std::fabs(v), 'f', std::fabs(v) < 1000 ? 1 : 0) + QObject::tr(" ms");
    return !sign ? n : (v < 0 ? QChar(0x2212) : QLatin1Char('+')) + n;
  };
  const Row rows[] = {{tr("off, revisit"), 0, g.off_ms, ms(g.off_ms, false), 0},
                      {tr("not computed"), g.gpu_hit_ms, g.off_ms, ms(-g.not_computing_ms, true), 1},
                      {tr("loaded"), g.gpu_hit_ms, g.on_ms, ms(g.loading_ms, true), 1},
                      {tr("on, revisit"), 0, g.on_ms, ms(g.on_ms, false), 2}};
  QFont bold = p.font();
  bold.setWeight(QFont::DemiBold);
  const QFontMetricsF mb(bold);  // of names; numbers are drawn with digits of one width
  double names = 0, values = 0, high = 1e-9;
  for (const Row& row : rows) {
    names = std::max(names, mb.horizontalAdvance(row.name));
    values = std::max(values, number_width(bold, row.value));
    high = std::max({high, row.from, row.to});
  }
  const double left = r.left() + names + 12, width = std::max(20.0, r.right() - values - 12 - left);
  const auto x = [&](double v) { return snap(p, left + width * std::max(0.0, v) / high); };
  const double pitch = std::min(r.height() / 4, double(theme().px(30))), top = r.top() + (r.height() - 4 * pitch) / 2;
  const double thick = std::min(pitch - 8, double(theme().px(16)));
  p.setRenderHint(QPainter::Antialiasing, false);
  for (int i = 0; i < 4; ++i) {
    const Row& row = rows[i];
    const double y = snap(p, top + i * pitch + (pitch - thick) / 2);
    const double a = x(std::min(row.from, row.to)), b = std::max(a + 1.5, x(std::max(row.from, row.to)));
    const QRectF bar(a, y, b - a, thick);
    const Source source = row.kind == 0 ? Source::computed : Source::host_loaded;
    p.setPen(Qt::NoPen);
    p.fillRect(bar, row.kind == 1 ? theme().color("select") : theme().fill(source));
    p.setPen(QPen(row.kind == 1 ? theme().color("control") : theme().edge(source), 1));
    p.setBrush(Qt::NoBrush);
    p.drawRect(bar.adjusted(0.5, 0.5, -0.5, -0.5));
    p.setFont(row.kind == 1 ? theme().font(TextSize::Chart) : bold);
    p.setPen(theme().color(row.kind == 1 ? "text2" : "text"));
    p.drawText(QRectF(r.left(), y, names, thick), Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine, row.name);
    p.setFont(bold);
    p.setPen(theme().color("text"));
    draw_number(p, QRectF(b + 7, y, values + 4, thick), Qt::AlignLeft | Qt::AlignVCenter, row.value);
    // A dotted line leads from the end of one bar to the beginning of the next.
    if (i < 3) {
      const double end = i == 0 ? g.off_ms : i == 1 ? g.gpu_hit_ms : g.on_ms;
      p.setPen(QPen(theme().color("text3"), 1, Qt::DotLine));
      p.drawLine(QPointF(x(end) - 0.5, y + thick), QPointF(x(end) - 0.5, y + pitch));
    }
  }
}

}  // namespace kvcliff::ui
