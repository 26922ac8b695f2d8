// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QLocale>
#include <QString>
#include <optional>

class QPainter;
class QRectF;

namespace kvcliff::ui {

/// The forms of numbers of the look (tokens exact with separators, TTFT in ms, signed residuals, ...).
QString exact(qint64 n);                       ///< 2,293,760,000
QString gib(qint64 bytes);                     ///< "0.656", "62.5" (2^30)
QString ttft_ms(qint64 ns);                    ///< "14.1"; no decimals from 1,000 ms
QString signed_exact(qint64 n);                ///< "+12", "−3", "0"
QString share_percent(double share);           ///< "52 %", "99.85 %"; never rounds to 0 or 100 when it is neither
QString ratio(double r, int decimals = 2);
QString clock_left(qint64 ns);                 ///< "0:29", "1:10:05"
/// Draws text so that every digit has the advance of "0": digits in columns do not dance.
void draw_number(QPainter& p, const QRectF& rect, Qt::Alignment alignment, const QString& text);
double number_width(const QFont& font, const QString& text);

}  // namespace kvcliff::ui
