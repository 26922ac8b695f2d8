// SPDX-License-Identifier: GPL-3.0-or-later
// What leaves a plot is cut: drawings for SVG know no clipping of their own.
#include "ui/charts/clip.h"

#include <QRegularExpression>

#include "ui/charts/cliff_chart.h"
#include "ui/charts/ecdf_chart.h"
#include "ui/support/window.h"

namespace kvcliff::ui::test {
namespace {

const QRectF box(10, 10, 100, 50);

TEST(Clip, ALineIsCutWhereItCrossesTheBorder) {
  const auto parts = line_inside(QPolygonF{{0, 30}, {60, 30}, {60, 100}, {100, 100}, {100, 20}}, box);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0], (QPolygonF{{10, 30}, {60, 30}, {60, 60}}));
  EXPECT_EQ(parts[1], (QPolygonF{{100, 60}, {100, 20}}));
}

TEST(Clip, ALineOutsideGivesNothingAndOneInsideStaysWhole) {
  EXPECT_TRUE(line_inside(QPolygonF{{0, 0}, {200, 5}}, box).empty());
  EXPECT_TRUE(line_inside(QPolygonF{{20, 20}}, box).empty());
  const QPolygonF inside{{20, 20}, {30, 40}, {50, 20}};
  ASSERT_EQ(line_inside(inside, box).size(), 1u);
  EXPECT_EQ(line_inside(inside, box).front(), inside);
}

TEST(Clip, AnAreaIsCutToTheBox) {
  const QPolygonF cut = area_inside(QPolygonF{{0, 0}, {60, 0}, {60, 40}, {0, 40}}, box);
  EXPECT_EQ(cut.boundingRect(), QRectF(10, 10, 50, 30));
  EXPECT_TRUE(area_inside(QPolygonF{{200, 200}, {220, 200}, {220, 220}}, box).isEmpty());
}

// Every x and y of the paths and polylines of a drawing that is not inside what QSvgGenerator wrote as its view.
QStringList outside(const QByteArray& svg, const QRectF& plot) {
  QStringList out;
  const QString text = QString::fromUtf8(svg);
  auto it = QRegularExpression(QStringLiteral("<polyline[^>]*points=\"([^\"]*)\"")).globalMatch(text);
  while (it.hasNext())
    for (const QString& pair : it.next().captured(1).split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
      const QStringList xy = pair.split(QLatin1Char(','));
      if (xy.size() != 2 || plot.contains(QPointF(xy[0].toDouble(), xy[1].toDouble()))) continue;
      out << pair;
    }
  return out;
}

TEST(Clip, TheCurveOfACliffStaysInsideItsAxesInTheDrawing) {
  Theme theme;
  CliffChart chart(theme);
  CliffShape shape;
  shape.document_blocks = 125;
  shape.max_blocks = 1000;
  for (const auto& [blocks, gpu] : {std::pair(125.0, 1.0), {375.0, 1.0}, {500.0, 0.0}, {2000.0, 0.0}}) shape.points.push_back({blocks, gpu, 0, 0, 0});
  chart.set_shape(shape);
  chart.set_capacities(384, 0, 0);
  const QSize size(800, 420);
  const QByteArray svg = chart.svg(size);
  EXPECT_TRUE(svg.contains("<polyline"));
  // Left of the axis stand tick labels, right of it a margin of 28: the curve used to run 2,000 blocks wide.
  EXPECT_EQ(outside(svg, QRectF(60, 0, 800 - 60 - 20, 420)).join(QLatin1Char(' ')), QString());
}

TEST(Clip, ALowPlotCarriesItsWatermarkAsSmallWords) {
  Theme theme;
  theme.set_mode(ThemeMode::Light);
  CliffChart chart(theme);
  CliffShape shape;
  shape.document_blocks = 125;
  shape.max_blocks = 1000;
  shape.points = {{125, 1, 0, 0, 0}, {1000, 0, 0, 0, 0}};
  chart.set_shape(shape);
  chart.show_histogram(false);
  const auto has_words = [&](QSize size) { return chart.svg(size).contains(">SIMULATED</text>"); };
  EXPECT_FALSE(has_words({800, 250}));
  chart.set_watermark(QStringLiteral("SIMULATED"));
  EXPECT_TRUE(has_words({800, 250})) << "under 200 px a drawn watermark could not be read";
  EXPECT_FALSE(has_words({800, 600})) << "a high plot carries it as a shape over the data";
}

}  // namespace
}  // namespace kvcliff::ui::test
