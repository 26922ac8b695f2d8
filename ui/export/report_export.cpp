// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/export/report_export.h"

#include <QDir>
#include <QPainter>
#include <QSaveFile>
#include <QSvgRenderer>
#include <cstdio>

#include "base/file.h"
#include "base/printable.h"
#include "chart/svg.h"
#include "chart/theme.h"
#include "report/report.h"
#include "ui/charts/ecdf_chart.h"
#include "ui/charts/pairs_chart.h"
#include "ui/charts/scatter_chart.h"
#include "ui/charts/split_chart.h"

namespace kvcliff::ui {
namespace {

Result<Json> read_json(const QString& path) {
  const auto text = read_file(path.toStdString());
  if (!text) return fail(text.error());
  return parse_json(*text, path.toStdString());
}

// A chart of core is an SVG of its own; its picture is that SVG, drawn.
Result<void> write_core_chart(const chart::Chart& c, const chart::Theme& theme, const QString& base, QStringList& out) {
  const std::string svg = chart::svg(c, theme);
  if (auto done = write_file((base + QStringLiteral(".svg")).toStdString(), svg); !done) return fail(done.error());
  out << base + QStringLiteral(".svg");
  QSvgRenderer renderer(QByteArray::fromStdString(svg));
  QImage image(QSize(int(c.width), int(c.height)) * 2, QImage::Format_ARGB32_Premultiplied);
  image.fill(Qt::white);
  QPainter p(&image);
  renderer.render(&p);
  p.end();
  image.setText(QStringLiteral("Title"), QString::fromStdString(c.title));
  image.setText(QStringLiteral("Description"), QString::fromStdString(c.watermark + " " + (c.caption.empty() ? std::string() : c.caption.front())));
  const QString png = base + QStringLiteral(".png");
  if (!image.save(png, "PNG"))
    return fail(ErrorCode::io, "A chart cannot be written", png.toStdString(), "the disk refused it", "choose another folder or free some space");
  out << png;
  return {};
}

Result<void> write_plot(Plot& plot, const Judged& j, const QString& base, QSize size, QStringList& out) {
  plot.set_watermark(j.watermark());
  plot.set_caption(j.caption());
  for (const char* ending : {".png", ".svg"}) {
    const QString path = base + QLatin1String(ending);
    QString error;
    if (!plot.export_to(path, size, 2, &error)) return fail(ErrorCode::io, "A chart cannot be written", path.toStdString(), error.toStdString(), "choose another folder");
    out << path;
  }
  return {};
}

}  // namespace

Result<QStringList> export_report(const Judged& j, const QString& folder, const QString& resources, const Theme& theme) {
  report::Options options;
  options.program_version = KVCLIFF_VERSION;
  options.notes = j.notes;
  auto palette = read_json(resources + QStringLiteral("/palette/palette.json"));
  if (!palette) return fail(palette.error());
  options.palette = std::move(*palette);
  if (auto definitions = read_json(resources + QStringLiteral("/help/definitions.json"))) options.definitions = std::move(*definitions);
  const auto files = report::write(j.input, j.evaluation, folder.toStdString(), options);
  if (!files) return fail(files.error());
  QStringList out;
  for (const auto& f : *files) out << QString::fromStdString(f);

  const QString charts = folder + QStringLiteral("/charts");
  if (!QDir().mkpath(charts)) return fail(ErrorCode::io, "The folder for the charts cannot be made", charts.toStdString(), "the disk refused it", "choose another folder");
  const auto light = chart::load_theme(options.palette, "light");
  if (!light) return fail(light.error());
  const char* names[] = {"requests", "distributions", "sessions", "cliff"};
  std::size_t i = 0;
  for (const auto& c : report::charts(j.input, j.evaluation)) {
    const QString base = charts + QLatin1Char('/') + (i < std::size(names) ? QLatin1String(names[i]) : QLatin1String("chart"));
    if (auto done = write_core_chart(c, *light, base, out); !done) return fail(done.error());
    ++i;
  }
  const auto judged = JudgedPtr(&j, [](const Judged*) {});  // lent for the time of this call
  PairsChart pairs(theme);
  EcdfChart ecdf(theme);
  ComputedChart computed(theme);
  PredictedChart predicted(theme);
  SplitChart split(theme);
  pairs.set_judged(judged);
  ecdf.set_judged(judged);
  computed.set_judged(judged);
  predicted.set_judged(judged);
  split.set_judged(judged);
  const std::pair<Plot*, const char*> plots[] = {{&pairs, "pairs"}, {&ecdf, "ecdf"}, {&computed, "ttft-by-computed"}, {&predicted, "predicted"}, {&split, "split"}};
  for (const auto& [plot, name] : plots)
    if (auto done = write_plot(*plot, j, charts + QLatin1Char('/') + QLatin1String(name), QSize(800, 450), out); !done) return fail(done.error());

  const auto pdf = write_report_pdf(j, folder + QStringLiteral("/report.pdf"));
  if (!pdf) return fail(pdf.error());
  out << *pdf;
  return out;
}

int export_from_command_line(const QString& folder, const QString& journal, const QString& resources) {
  const ModelSizes sizes(resources);
  const auto judged = judge(journal.toStdString(), std::string(), sizes, journal::Depth::events);
  if (!judged) {
    std::fprintf(stderr, "kvcliff: %s\n", printable(judged.error().sentence()).c_str());
    return 2;
  }
  const Theme paper;
  const auto files = export_report(**judged, folder, resources, paper);
  if (!files) {
    std::fprintf(stderr, "kvcliff: %s\n", printable(files.error().sentence()).c_str());
    return 2;
  }
  for (const QString& f : *files) std::printf("%s\n", printable(f.toStdString()).c_str());
  return (*judged)->evaluation.gates_pass() ? 0 : 1;
}

}  // namespace kvcliff::ui
