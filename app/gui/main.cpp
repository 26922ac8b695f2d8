// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QDir>
#include <QFileInfo>
#include <QTimer>
#include <cstdio>
#include <cstring>

#include "base/printable.h"
#include "ui/export/report_export.h"
#include "ui/main_window.h"
#include "ui/theme/texts.h"

namespace {

const char usage[] =
    "usage: kvcliff [--demo] [--page N] [--theme system|light|dark] [FILE]\n"
    "       kvcliff --export report DIR JOURNAL\n"
    "       kvcliff --help | --version\n"
    "FILE is a journal, plan, trace, model config.json, result of another tool or server log; N is 1 (Predict) to 6 (History).\n"
    "--export writes the report's files, report.pdf and every chart as PNG and SVG, without a display.\n";

// resources/: beside the installed binary, or up the build tree.
QString find_resources(const QString& program) {
  if (qEnvironmentVariableIsSet("KVCLIFF_RESOURCES")) return qEnvironmentVariable("KVCLIFF_RESOURCES");
  QDir dir = QFileInfo(program).absoluteDir();
  if (QFileInfo::exists(dir.filePath(QStringLiteral("../share/kvcliff/plans"))))
    return QDir::cleanPath(dir.filePath(QStringLiteral("../share/kvcliff")));
  do {
    if (QFileInfo::exists(dir.filePath(QStringLiteral("resources/plans")))) return dir.filePath(QStringLiteral("resources"));
  } while (dir.cdUp());
  return {};
}

/// Why a command line cannot be followed; empty: it can. Asked before the display is.
QString wrong_arguments(const QStringList& args) {
  static const QStringList themes{QStringLiteral("system"), QStringLiteral("light"), QStringLiteral("dark")};
  static const QStringList of_qt{QStringLiteral("--platform"), QStringLiteral("-platform"), QStringLiteral("--style"), QStringLiteral("-style"),
                                 QStringLiteral("--display"), QStringLiteral("-display")};  // taken by the toolkit, with a value
  for (int i = 0; i < args.size(); ++i) {
    const bool takes_value = args[i] == QLatin1String("--page") || args[i] == QLatin1String("--theme");
    if (takes_value && i + 1 >= args.size()) return args[i] + QStringLiteral(" needs a value");
    if (args[i] == QLatin1String("--page")) {
      bool whole = false;
      const int page = args[++i].toInt(&whole);
      if (!whole || page < 1 || page > kvcliff::ui::PageCount) return QStringLiteral("--page takes 1 to %1, not \"%2\"").arg(int(kvcliff::ui::PageCount)).arg(args[i]);
    } else if (args[i] == QLatin1String("--theme")) {
      if (!themes.contains(args[++i])) return QStringLiteral("--theme takes system, light or dark, not \"%1\"").arg(args[i]);
    } else if (of_qt.contains(args[i])) {
      ++i;
    } else if (args[i].startsWith(QLatin1Char('-')) && args[i] != QLatin1String("--demo")) {
      return QStringLiteral("unknown option ") + args[i];
    } else if (!args[i].startsWith(QLatin1Char('-'))) {
      const QFileInfo file(args[i]);
      if (file.isDir() && !QFileInfo::exists(args[i] + QStringLiteral("/config.json")))
        return args[i] + QStringLiteral(" is a folder without a config.json; give a file");
    }
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  // Answers that need no display come before QApplication.
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--help") || !std::strcmp(argv[i], "-h")) return std::fputs(usage, stdout) < 0;
    if (!std::strcmp(argv[i], "--version")) return std::puts("kvcliff " KVCLIFF_VERSION) < 0;
    if (!std::strcmp(argv[i], "--export")) qputenv("QT_QPA_PLATFORM", "offscreen");
  }
  {
    QStringList args;
    for (int i = 1; i < argc; ++i) args << QString::fromLocal8Bit(argv[i]);
    const QString wrong = args.contains(QStringLiteral("--export")) ? QString() : wrong_arguments(args);
    if (!wrong.isEmpty()) {
      std::fprintf(stderr, "kvcliff: %s\n%s", kvcliff::printable(wrong.toStdString()).c_str(), usage);
      return 2;
    }
  }
  QApplication::setStyle(QStringLiteral("Fusion"));
  QApplication app(argc, argv);
  QApplication::setApplicationName(QStringLiteral("kvcliff"));
  QApplication::setApplicationDisplayName(QStringLiteral("KV Cliff"));
  QApplication::setApplicationVersion(QStringLiteral(KVCLIFF_VERSION));
  QApplication::setOrganizationName(QStringLiteral("kvcliff"));
  kvcliff::ui::install_texts(app);

  {
    const QStringList all = app.arguments().mid(1);
    if (const int at = int(all.indexOf(QStringLiteral("--export"))); at >= 0) {
      if (all.size() != 4 || at != 0 || all[1] != QLatin1String("report")) {
        std::fprintf(stderr, "kvcliff: --export takes: report DIR JOURNAL\n%s", usage);
        return 2;
      }
      return kvcliff::ui::export_from_command_line(all[2], all[3], find_resources(QCoreApplication::applicationFilePath()));
    }
  }

  const QStringList args = app.arguments().mid(1);
  kvcliff::ui::MainWindow window(find_resources(QCoreApplication::applicationFilePath()));
  for (int i = 0; i < args.size(); ++i) {
    if (args[i] == QLatin1String("--demo")) {
      QTimer::singleShot(0, &window, &kvcliff::ui::MainWindow::start_demonstration);
    } else if (args[i] == QLatin1String("--page")) {
      window.show_page_when_ready(args[++i].toInt() - 1);
    } else if (args[i] == QLatin1String("--theme")) {
      const QString mode = args[++i];
      window.theme().set_mode(mode == QLatin1String("dark")    ? kvcliff::ui::ThemeMode::Dark
                              : mode == QLatin1String("light") ? kvcliff::ui::ThemeMode::Light
                                                               : kvcliff::ui::ThemeMode::System);
    } else {
      window.open_path(args[i]);
    }
  }
  window.show();
  return app.exec();
}
