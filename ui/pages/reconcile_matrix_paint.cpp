// SPDX-License-Identifier: GPL-3.0-or-later
// The drawing of the matrix: plain QPainter code, only what is in view.
#include <QPaintEvent>
#include <QPainterPath>
#include <QScrollBar>

#include "ui/pages/reconcile_matrix.h"
#include "ui/theme/numbers.h"

namespace kvcliff::ui {

bool MatrixView::separates(int row) const { return row > 0 && model_.row(row).scope != model_.row(row - 1).scope && model_.row(row - 1).scope == CheckScope::request; }

void MatrixView::paintEvent(QPaintEvent*) {
  QPainter p(viewport());
  p.fillRect(viewport()->rect(), theme_.color("surface"));
  if (model_.rowCount() == 0 || model_.columnCount() == 0) {
    p.setFont(theme_.font(TextSize::Body));
    p.setPen(theme_.color("text3"));
    p.drawText(viewport()->rect(), Qt::AlignCenter, model_.only_open() ? tr("Every check that is possible passed.") : tr("No measured request."));
    return;
  }
  const double left = horizontalScrollBar()->value();
  const int first = column_at(left), last = column_at(left + viewport()->width() - labels_);
  p.setFont(theme_.font(TextSize::Chart));

  // Bands of the selection lie below the cells.
  const double bottom = std::min(double(viewport()->height()), double(header_ + model_.rowCount() * row_height_ + 2 - verticalScrollBar()->value()));
  if (row_ >= 0) {
    const double y = header_ + row_ * row_height_ - verticalScrollBar()->value();
    p.save();
    p.setClipRect(QRectF(0, header_, viewport()->width(), viewport()->height() - header_));
    p.fillRect(QRectF(0, y, viewport()->width(), row_height_), theme_.color("select"));
    p.restore();
  }
  if (column_ >= 0) {
    const double x = labels_ + x_of(column_) - left;
    if (x >= labels_ - slot_) {
      p.save();
      p.setClipRect(QRectF(labels_, 0, viewport()->width() - labels_, viewport()->height()));
      p.fillRect(QRectF(x, header_ - theme_.px(17), slot_, bottom - header_ + theme_.px(17)), theme_.color("select"));
      p.restore();
    }
  }
  p.save();
  p.setClipRect(QRectF(labels_, header_, viewport()->width() - labels_, viewport()->height() - header_));
  paint_cells(p, first, last);
  p.restore();
  p.save();
  p.setClipRect(QRectF(0, header_, labels_, viewport()->height() - header_));
  paint_labels(p);
  p.restore();
  paint_header(p, first, last);
  p.setPen(QPen(theme_.color("line2"), 1));
  for (int r = 1; r < model_.rowCount(); ++r)
    if (separates(r)) {
      const double y = header_ + r * row_height_ - verticalScrollBar()->value() - 0.5;
      if (y > header_) p.drawLine(QPointF(0, y), QPointF(std::min(double(viewport()->width()), labels_ + content_width()), y));
    }
}

void MatrixView::paint_cells(QPainter& p, int first, int last) {
  const bool glyphs = slot_ >= 6;
  const double left = labels_ - horizontalScrollBar()->value();
  for (int r = 0; r < model_.rowCount(); ++r) {
    const double y = header_ + r * row_height_ - verticalScrollBar()->value();
    if (y + row_height_ < header_ || y > viewport()->height()) continue;
    const QRectF band(0, y + 1.5, 0, row_height_ - 3);
    for (int c = first; c <= last;) {
      MatrixCell cell = model_.cell(r, c);
      int to = cell.to;
      const bool request = model_.row(r).scope == CheckScope::request;
      if (request && !glyphs) {
        // A run of equal cells of one session is one rectangle.
        const int end = model_.groups()[std::size_t(model_.group_of(c))].last;
        while (to < std::min(end, last) && model_.cell(r, to + 1).state == cell.state) ++to;
      }
      if (cell.result && cell.state != CheckState::not_applicable) {
        const double inset = request && !glyphs ? 0 : 0.75;
        const QRectF rect(left + x_of(cell.from) + inset, band.top(), x_of(to) + slot_ - x_of(cell.from) - 2 * inset, band.height());
        paint_cell(p, rect, cell.state, glyphs || !request);
      }
      c = to + 1;
    }
  }
  if (hasFocus() && row_ >= 0 && column_ >= 0) {
    p.setRenderHint(QPainter::Antialiasing);
    p.setPen(QPen(theme_.color("ink"), 2));
    p.setBrush(Qt::NoBrush);
    p.drawRoundedRect(cell_rect(row_, column_).adjusted(0.5, 0.5, -0.5, -0.5), 2, 2);
    p.setRenderHint(QPainter::Antialiasing, false);
  }
}

void MatrixView::paint_cell(QPainter& p, const QRectF& rect, CheckState state, bool glyph) const {
  const QPointF c = rect.center();
  p.setPen(Qt::NoPen);
  switch (state) {
    case CheckState::pass:
      p.fillRect(rect, theme_.color("pass_bg"));
      if (!glyph) return;
      p.setRenderHint(QPainter::Antialiasing);
      p.setBrush(theme_.color("pass"));
      p.drawEllipse(c, 2, 2);
      break;
    case CheckState::fail: {
      p.fillRect(rect, theme_.color("fail"));
      if (!glyph) return;
      p.setRenderHint(QPainter::Antialiasing);
      p.setPen(QPen(theme_.dark() ? theme_.color("window") : theme_.color("surface"), 1.8, Qt::SolidLine, Qt::RoundCap));
      const double d = std::min({3.2, rect.width() / 2 - 1.5, rect.height() / 2 - 2});
      p.drawLine(c + QPointF(-d, -d), c + QPointF(d, d));
      p.drawLine(c + QPointF(-d, d), c + QPointF(d, -d));
      break;
    }
    case CheckState::not_possible:
      p.fillRect(rect, theme_.color("notpossible_bg"));
      if (!glyph) return;
      p.setPen(QPen(theme_.color("notpossible"), 1.6));
      p.drawLine(QPointF(c.x() - 3, std::floor(c.y()) + 0.5), QPointF(c.x() + 3, std::floor(c.y()) + 0.5));
      break;
    case CheckState::not_settled: {
      p.fillRect(rect, glyph ? theme_.color("notsettled_bg") : theme_.color("notsettled_fill"));
      if (!glyph) return;
      p.setRenderHint(QPainter::Antialiasing);
      p.setBrush(Qt::NoBrush);
      p.setPen(QPen(theme_.color("notsettled_fill"), 1));
      p.drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5));
      QPainterPath wave(c + QPointF(-4, 1));
      wave.quadTo(c + QPointF(-2, -3.5), c);
      wave.quadTo(c + QPointF(2, 3.5), c + QPointF(4, -1));
      p.setPen(QPen(theme_.color("notsettled"), 1.5));
      p.drawPath(wave);
      break;
    }
    case CheckState::not_applicable: return;
  }
  p.setRenderHint(QPainter::Antialiasing, false);
}

void MatrixView::paint_labels(QPainter& p) {
  QFont plain = theme_.font(TextSize::Chart), bold = plain;
  bold.setWeight(QFont::DemiBold);
  const QFontMetrics m(plain);
  for (int r = 0; r < model_.rowCount(); ++r) {
    const QRectF line(0, header_ + r * row_height_ - verticalScrollBar()->value(), labels_, row_height_);
    if (line.bottom() < header_ || line.top() > viewport()->height()) continue;
    const MatrixRow& row = model_.row(r);
    const bool fails = row.fail > 0, late = row.not_settled > 0, none = row.subjects > 0 && row.not_possible == row.subjects;
    const char* ink = fails ? "fail" : late ? "notsettled" : none ? "text3" : "text2";
    p.setFont(bold);
    p.setPen(theme_.color(fails ? "fail" : late ? "notsettled" : "text"));
    p.drawText(line.adjusted(4, 0, 0, 0), Qt::AlignVCenter | Qt::TextSingleLine | Qt::TextDontClip, row.id);
    QString note;
    if (fails) {
      const QString one[] = {tr("1 request"), tr("1 session"), tr("1 pair"), tr("fails")};
      const QString more[] = {tr("%1 requests"), tr("%1 sessions"), tr("%1 pairs"), tr("fails")};
      const auto k = std::size_t(row.scope);
      note = row.fail == 1 ? one[k] : more[k].contains(QLatin1String("%1")) ? more[k].arg(exact(row.fail)) : more[k];
    } else if (late) {
      note = tr("%1 not settled").arg(exact(row.not_settled));
    } else if (none) {
      note = tr("not possible");
    } else if (row.not_possible > 0) {
      note = tr("%1 not possible").arg(exact(row.not_possible));
    }
    const double note_width = note.isEmpty() ? 0 : m.horizontalAdvance(note) + 8;
    p.setFont(fails ? bold : plain);
    p.setPen(theme_.color(ink));
    const QRectF name = line.adjusted(id_width_, 0, -note_width - 10, 0);
    p.drawText(name, Qt::AlignVCenter | Qt::TextSingleLine | Qt::TextDontClip, QFontMetrics(p.font()).elidedText(row.name, Qt::ElideRight, int(name.width())));
    p.setFont(plain);
    p.setPen(theme_.color(fails ? "fail" : late ? "notsettled" : "text3"));
    p.drawText(line.adjusted(0, 0, -10, 0), Qt::AlignVCenter | Qt::AlignRight | Qt::TextSingleLine | Qt::TextDontClip, note);
  }
}

void MatrixView::paint_header(QPainter& p, int first, int last) {
  const double left = labels_ - horizontalScrollBar()->value();
  QFont plain = theme_.font(TextSize::Chart), bold = plain, small = theme_.font(TextSize::Caption);
  bold.setWeight(QFont::DemiBold);
  const QFontMetrics m(plain), ms(small), mb(bold);
  const double rule = theme_.px(19);
  p.save();
  p.setClipRect(QRectF(labels_, 0, viewport()->width() - labels_, header_));
  const double selected_x = column_ >= 0 ? left + x_of(column_) + slot_ / 2.0 : -1e9;
  for (const MatrixGroup& g : model_.groups()) {
    if (g.last < first || g.first > last) continue;
    const double x0 = left + x_of(g.first), x1 = left + x_of(g.last) + slot_ - 1.5;
    p.setPen(QPen(theme_.color("line2"), 1));
    p.drawLine(QPointF(x0, rule + 0.5), QPointF(x1, rule + 0.5));
    // Title in the middle of what is seen of the session.
    const double a = std::max(x0, double(labels_)), b = std::min(x1, double(viewport()->width()));
    const double number = m.horizontalAdvance(g.number) + 4;
    // Behind the last session there may be room that no other name needs.
    const double end = g.last == model_.columnCount() - 1 ? std::max(b, viewport()->width() - 4.0) : b;
    const QString arm = mb.elidedText(g.arm, Qt::ElideRight, int(std::max(0.0, end - a - number - 2)));
    const double at = std::max(a, (a + b - number - mb.horizontalAdvance(arm)) / 2);
    p.setFont(plain);
    p.setPen(theme_.color("text2"));
    if (number < b - a) p.drawText(QPointF(at, rule - 5), g.number);
    p.setFont(bold);
    p.setPen(theme_.color("text"));
    p.drawText(QPointF(at + number, rule - 5), arm);
    // Numbers of the first and last request seen.
    p.setFont(small);
    p.setPen(theme_.color("text3"));
    const int c0 = std::max(g.first, first), c1 = std::min(g.last, last);
    const QString n0 = exact(model_.request_of(c0) + 1), n1 = exact(model_.request_of(c1) + 1);
    const double y = header_ - 6;
    const double room = ms.horizontalAdvance(n0) + ms.horizontalAdvance(n1) + 10;
    const auto free = [&](double from, double width) { return selected_x + 16 < from || selected_x - 16 > from + width; };
    if (free(a, ms.horizontalAdvance(n0))) p.drawText(QPointF(a, y), n0);
    if (b - a > room && c1 > c0 && free(b - ms.horizontalAdvance(n1), ms.horizontalAdvance(n1))) p.drawText(QPointF(b - ms.horizontalAdvance(n1), y), n1);
  }
  if (column_ >= 0) {
    QFont f = small;
    f.setWeight(QFont::Bold);
    p.setFont(f);
    p.setPen(theme_.color("text"));
    const QString n = exact(model_.request_of(column_) + 1);
    const double w = QFontMetricsF(f).horizontalAdvance(n);
    p.drawText(QPointF(selected_x - w / 2, header_ - 6), n);
  }
  p.restore();
  // Failures out of view are counted on either side.
  if (horizontalScrollBar()->maximum() > 0) {
    p.setFont(bold);
    p.setPen(theme_.color("fail"));
    const int before = model_.open_left_of(first), after = model_.open_right_of(last);
    if (before > 0) p.drawText(QRectF(0, 0, labels_ - 10, rule), Qt::AlignVCenter | Qt::AlignRight, tr("\u2190 %1 open").arg(exact(before)));
    if (after > 0) p.drawText(QRectF(0, rule, labels_ - 10, header_ - rule - 2), Qt::AlignVCenter | Qt::AlignRight, tr("%1 open \u2192").arg(exact(after)));
  }
}

}  // namespace kvcliff::ui
