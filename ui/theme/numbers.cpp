// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/numbers.h"

#include <QFontMetricsF>
#include <QGlyphRun>
#include <QPainter>
#include <QRawFont>
#include <cmath>

namespace kvcliff::ui {
namespace {

// Glyphs and their advances with equal digits; empty when the font lacks one of them.
struct Run {
  QRawFont font;
  QVector<quint32> glyphs;
  QVector<QPointF> positions;
  double width = 0;
};

Run tabular(const QFont& font, const QString& text) {
  Run r;
  r.font = QRawFont::fromFont(font);
  r.glyphs = r.font.glyphIndexesForString(text);
  if (r.glyphs.size() != text.size() || r.glyphs.contains(0)) {
    r.glyphs.clear();
    return r;
  }
  const auto advances = r.font.advancesForGlyphIndexes(r.glyphs);
  const auto zero = r.font.advancesForGlyphIndexes(r.font.glyphIndexesForString(QStringLiteral("0")));
  const double digit = zero.isEmpty() ? 0 : zero.first().x();
  for (int i = 0; i < text.size(); ++i) {
    const bool is_digit = text[i].isDigit() && digit > 0;
    const double advance = is_digit ? digit : advances[i].x();
    r.positions.append(QPointF(r.width + (is_digit ? (digit - advances[i].x()) / 2 : 0), 0));
    r.width += advance;
  }
  return r;
}

}  // namespace

QString exact(qint64 n) {
  QString s = QLocale().toString(n < 0 ? -n : n);
  return n < 0 ? QChar(0x2212) + s : s;
}

QString gib(qint64 bytes) {
  const double g = double(bytes) / 1073741824.0;
  return QLocale().toString(g, 'f', std::fabs(g) < 10 ? 3 : 1);
}

QString ttft_ms(qint64 ns) {
  const double ms = double(ns) * 1e-6;
  return QLocale().toString(ms, 'f', ms >= 1000 ? 0 : 1);
}

QString signed_exact(qint64 n) { return n > 0 ? QLatin1Char('+') + exact(n) : exact(n); }

QString share_percent(double share) {
  const double percent = share * 100;
  const bool inside = percent >= 1 && percent <= 99;
  double shown = percent;
  int decimals = inside ? 0 : 2;
  if (percent == 0 || percent == 100) decimals = 0;
  if (decimals == 2) {
    if (percent > 0 && percent < 0.005) return QStringLiteral("< 0.01 %");
    if (percent < 100 && percent > 99.995) return QStringLiteral("> 99.99 %");
  }
  return QLocale().toString(shown, 'f', decimals) + QStringLiteral(" %");
}

QString ratio(double r, int decimals) { return QLocale().toString(r, 'f', decimals); }

QString clock_left(qint64 ns) {
  const qint64 s = (ns + 999'999'999) / 1'000'000'000;
  if (s >= 3600)
    return QStringLiteral("%1:%2:%3").arg(s / 3600).arg(s / 60 % 60, 2, 10, QLatin1Char('0')).arg(s % 60, 2, 10, QLatin1Char('0'));
  return QStringLiteral("%1:%2").arg(s / 60).arg(s % 60, 2, 10, QLatin1Char('0'));
}

double number_width(const QFont& font, const QString& text) {
  const Run r = tabular(font, text);
  return r.glyphs.isEmpty() ? QFontMetricsF(font).horizontalAdvance(text) : r.width;
}

void draw_number(QPainter& p, const QRectF& rect, Qt::Alignment alignment, const QString& text) {
  const Run r = tabular(p.font(), text);
  if (r.glyphs.isEmpty()) {
    p.drawText(rect, int(alignment) | Qt::TextSingleLine, text);
    return;
  }
  const QFontMetricsF m(p.font());
  double x = rect.left();
  if (alignment & Qt::AlignRight) x = rect.right() - r.width;
  if (alignment & Qt::AlignHCenter) x = rect.center().x() - r.width / 2;
  double y = rect.top() + m.ascent();
  if (alignment & Qt::AlignVCenter) y = rect.center().y() + (m.ascent() - m.descent()) / 2;
  if (alignment & Qt::AlignBottom) y = rect.bottom() - m.descent();
  QGlyphRun run;
  run.setRawFont(r.font);
  run.setGlyphIndexes(r.glyphs);
  run.setPositions(r.positions);
  p.drawGlyphRun(QPointF(x, y), run);
}

}  // namespace kvcliff::ui
