// SPDX-License-Identifier: GPL-3.0-or-later
// What leaves the window: charts, tables and the report, with run id, gates and "simulated" on each.
#include <QDir>
#include <QFile>
#include <QImage>
#include <QProcess>
#include <QRegularExpression>

#include "ui/bridge/evidence.h"
#include "ui/charts/pairs_chart.h"
#include "ui/export/report_export.h"
#include "ui/models/evidence_estimates.h"
#include "ui/support/measured.h"
#include "ui/support/window.h"

namespace kvcliff::ui::test {
namespace {

QByteArray bytes(const QString& path) {
  QFile f(path);
  EXPECT_TRUE(f.open(QIODevice::ReadOnly)) << qPrintable(path);
  return f.readAll();
}

JudgedPtr judged(const QString& journal) {
  const ModelSizes sizes(resources());
  auto j = judge(journal.toStdString(), std::string(), sizes, journal::Depth::events);
  EXPECT_TRUE(j) << j.error().sentence();
  return j ? *j : nullptr;
}

TEST(Export, TheReportHoldsEveryPartAndSaysWhatItIs) {
  QTemporaryDir folder;
  const auto j = judged(journals().honest);
  ASSERT_TRUE(j);
  const Theme theme;
  const auto files = export_report(*j, folder.path(), resources(), theme);
  ASSERT_TRUE(files) << files.error().sentence();
  const QString run = QString::fromStdString(j->input.run_id);
  for (const char* name : {"report.html", "report.md", "report.json", "report.pdf", "requests.csv", "checks.csv", "ledger.csv", "charts/pairs.png", "charts/pairs.svg",
                           "charts/ecdf.svg", "charts/ttft-by-computed.svg", "charts/predicted.svg", "charts/split.svg", "charts/requests.svg", "charts/requests.png"})
    EXPECT_GT(QFileInfo(folder.filePath(QString::fromLatin1(name))).size(), 200) << name;
  EXPECT_TRUE(bytes(folder.filePath(QStringLiteral("report.pdf"))).startsWith("%PDF"));
  for (const char* name : {"charts/pairs.svg", "charts/ecdf.svg", "charts/split.svg"}) {
    const QByteArray svg = bytes(folder.filePath(QString::fromLatin1(name)));
    EXPECT_TRUE(svg.contains(run.toUtf8())) << name;
    EXPECT_TRUE(svg.contains("SIMULATED")) << name;
    EXPECT_FALSE(svg.contains("<image")) << name << ": no raster in a drawing";
  }
  const QImage picture(folder.filePath(QStringLiteral("charts/pairs.png")));
  EXPECT_TRUE(picture.text(QStringLiteral("Description")).contains(run));
  EXPECT_TRUE(picture.text(QStringLiteral("Description")).contains(QStringLiteral("SIMULATED")));
}

// Nothing in the report on paper is cut: the flags of the tier stand at the end of long commands.
TEST(Export, ThePdfHoldsWholeCommandsAndValues) {
  QTemporaryDir folder;
  const auto j = judged(journals().honest);
  ASSERT_TRUE(j);
  const auto pdf = write_report_pdf(*j, folder.filePath(QStringLiteral("report.pdf")));
  ASSERT_TRUE(pdf) << pdf.error().sentence();
  QProcess p;
  p.start(QStringLiteral("pdftotext"), {QStringLiteral("-layout"), *pdf, QStringLiteral("-")});
  ASSERT_TRUE(p.waitForFinished(120'000)) << "pdftotext is missing: ./dev deps installs it";
  QString text = QString::fromUtf8(p.readAllStandardOutput());
  EXPECT_FALSE(text.contains(QChar(0x2026))) << "something was shortened";
  EXPECT_TRUE(text.contains(QStringLiteral("Why was there no reuse")));
  text.remove(QRegularExpression(QStringLiteral("\\s")));
  for (const auto& s : j->input.sessions) {
    QString last = QString::fromStdString(s.record.argv.back());
    EXPECT_TRUE(text.contains(last.remove(QLatin1Char(' ')))) << s.record.argv.back();
    if (s.offload) {
      EXPECT_TRUE(text.contains(QStringLiteral("cpu_bytes_to_use")));
    }
  }
}

// The picture of a chart is what its drawing shows: white around the plot, the plot not covered, and the mark in it.
TEST(Export, EveryPictureOfASimulatedRunIsReadableAndCarriesTheMark) {
  QTemporaryDir folder, real_folder;
  const auto j = judged(journals().honest);
  ASSERT_TRUE(j);
  ASSERT_TRUE(j->input.simulated);
  Judged measured = *j;
  measured.input.simulated = false;
  const Theme theme;
  ASSERT_TRUE(export_report(*j, folder.path(), resources(), theme));
  ASSERT_TRUE(export_report(measured, real_folder.path(), resources(), theme));
  const QStringList pictures = QDir(folder.filePath(QStringLiteral("charts"))).entryList({QStringLiteral("*.png")});
  EXPECT_GE(pictures.size(), 8);
  for (const QString& name : pictures) {
    const QImage image(folder.filePath(QStringLiteral("charts/") + name)), other(real_folder.filePath(QStringLiteral("charts/") + name));
    ASSERT_EQ(image.size(), other.size()) << qPrintable(name);
    EXPECT_EQ(image.pixelColor(3, 3), QColor(Qt::white)) << qPrintable(name);
    qint64 dark = 0, marked = 0;
    for (int y = 0; y < image.height(); ++y)
      for (int x = 0; x < image.width(); ++x) {
        dark += qGray(image.pixel(x, y)) < 40;
        marked += y > image.height() * 9 / 10 && image.pixel(x, y) != other.pixel(x, y);
      }
    EXPECT_LT(dark, qint64(image.width()) * image.height() / 10) << qPrintable(name) << ": the plot is covered";
    EXPECT_GT(marked, 100) << qPrintable(name) << ": the footer does not say that the run is simulated";
  }
}

TEST(Export, AWithdrawnReportCarriesNoEstimate) {
  QTemporaryDir folder;
  const auto j = judged(journals().lying);
  ASSERT_TRUE(j);
  ASSERT_TRUE(j->evaluation.decision.withdrawn());
  const Theme theme;
  ASSERT_TRUE(export_report(*j, folder.path(), resources(), theme));
  EXPECT_TRUE(bytes(folder.filePath(QStringLiteral("charts/pairs.svg"))).contains("WITHDRAWN"));
  EXPECT_TRUE(bytes(folder.filePath(QStringLiteral("report.md"))).contains("Withdrawn"));
  for (const auto& row : estimate_rows(*j))
    if (row[0].text.startsWith(QStringLiteral("Revisits"))) {
      EXPECT_EQ(row[1].text, QStringLiteral("withheld"));
    }
}

TEST(Export, APictureHasTheSizeAskedForAndIsWhiteInTheDark) {
  Window w;
  const auto j = judged(journals().honest);
  w.window.theme().set_mode(ThemeMode::Dark);
  PairsChart chart(w.window.theme());
  chart.set_judged(j);
  const QImage one = chart.image(QSize(800, 450), 2);
  EXPECT_EQ(one.size(), QSize(1600, 900));
  EXPECT_EQ(one.pixelColor(3, 3), QColor(Qt::white));
  EXPECT_TRUE(w.window.theme().dark()) << "the window stays dark";
  // Whatever size the widget has on screen.
  chart.resize(300, 200);
  EXPECT_EQ(chart.image(QSize(800, 450), 2), one);
}

TEST(Export, WorksWithoutADisplayFromTheCommandLine) {
  QTemporaryDir folder;
  QProcess p;
  QProcessEnvironment env = QProcessEnvironment::systemEnvironment();
  for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}) env.remove(QString::fromLatin1(name));
  env.insert(QStringLiteral("KVCLIFF_RESOURCES"), resources());
  p.setProcessEnvironment(env);
  p.start(QStringLiteral(KVCLIFF_GUI), {QStringLiteral("--export"), QStringLiteral("report"), folder.filePath(QStringLiteral("out")), journals().honest});
  ASSERT_TRUE(p.waitForFinished(120'000));
  EXPECT_LE(p.exitCode(), 1) << p.readAllStandardError().toStdString();
  EXPECT_TRUE(QFile::exists(folder.filePath(QStringLiteral("out/report.pdf"))));
  EXPECT_TRUE(QFile::exists(folder.filePath(QStringLiteral("out/charts/pairs.png"))));
}

// Before any display is asked for: a command line that cannot be followed ends with code 2 and its reason.
TEST(CommandLine, WhatCannotBeFollowedEndsWithItsReason) {
  QTemporaryDir folder;
  const std::pair<QStringList, const char*> wrong[] = {{{QStringLiteral("--page"), QStringLiteral("9")}, "--page takes 1 to 6"},
                                                       {{QStringLiteral("--page"), QStringLiteral("two")}, "--page takes 1 to 6"},
                                                       {{QStringLiteral("--page")}, "--page needs a value"},
                                                       {{QStringLiteral("--theme"), QStringLiteral("pink")}, "--theme takes system, light or dark"},
                                                       {{folder.path()}, "is a folder"},
                                                       {{QStringLiteral("--no-such")}, "unknown option --no-such"}};
  for (const auto& [arguments, reason] : wrong) {
    QProcess p;
    QProcessEnvironment env = QProcessEnvironment::systemEnvironment();
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}) env.remove(QString::fromLatin1(name));
    p.setProcessEnvironment(env);
    p.start(QStringLiteral(KVCLIFF_GUI), arguments);
    ASSERT_TRUE(p.waitForFinished(120'000));
    EXPECT_EQ(p.exitCode(), 2) << reason;
    EXPECT_TRUE(p.readAllStandardError().contains(reason)) << reason;
  }
}

TEST(Export, AMissingJournalAndAForbiddenFolderAreSaidSo) {
  QTemporaryDir folder;
  EXPECT_EQ(export_from_command_line(folder.path(), folder.filePath(QStringLiteral("none.kvcliff")), resources()), 2);
  const auto j = judged(journals().honest);
  const QString file = folder.filePath(QStringLiteral("file"));
  ASSERT_TRUE(write_file(file.toStdString(), "a file, not a folder"));
  const Theme theme;
  const auto result = export_report(*j, file, resources(), theme);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().sentence().find("file"), std::string::npos);
}

}  // namespace
}  // namespace kvcliff::ui::test
