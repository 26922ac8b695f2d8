// SPDX-License-Identifier: GPL-3.0-or-later
// Measures the window: bench_ui [frames|log|open [REQUESTS]|dots|launch]; without a word all of them. One JSON line per
// case; goals stand in CONTRIBUTING.md. Offscreen unless QT_QPA_PLATFORM says otherwise.
#include <QApplication>
#include <QFileInfo>
#include <QTemporaryDir>

#include "ui/bench.h"

using namespace kvcliff::ui;

int main(int argc, char** argv) {
  static QTemporaryDir home;
  for (const char* name : {"HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"}) qputenv(name, home.path().toUtf8());
  if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication::setStyle(QStringLiteral("Fusion"));
  QApplication app(argc, argv);
  const QString what = argc > 1 ? QString::fromLocal8Bit(argv[1]) : QString();
  if (what == QLatin1String("launched")) return bench::launched(QString::fromLatin1(argv[2]).toLongLong());
  const auto asked = [&](const char* name) { return what.isEmpty() || what == QLatin1String(name); };
  if (asked("launch")) bench::launches(QFileInfo(QCoreApplication::applicationFilePath()).absoluteFilePath());
  if (asked("frames")) bench::frames();
  if (asked("log")) bench::log_panel();
  if (asked("open")) bench::open_large(argc > 2 ? QString::fromLatin1(argv[2]).toLongLong() : 1'000'000);
  if (asked("dots")) bench::live_dots(QStringLiteral(KVCLIFF_BINARY_DIR "/bin/kvcliff-emulator"));
  return 0;
}
