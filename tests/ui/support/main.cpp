// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include <QApplication>
#include <QDir>
#include <QLocale>
#include <QTemporaryDir>

#include "ui/theme/texts.h"

// A home of its own, so that no setting or journal of the user is read or written, and the same words everywhere.
int main(int argc, char** argv) {
  static QTemporaryDir home;
  for (const char* name : {"HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"}) qputenv(name, home.path().toUtf8());
  if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  if (!qEnvironmentVariableIsSet("XDG_RUNTIME_DIR")) qputenv("XDG_RUNTIME_DIR", home.path().toUtf8());
  QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
  QApplication::setStyle(QStringLiteral("Fusion"));
  QApplication app(argc, argv);
  QApplication::setApplicationName(QStringLiteral("kvcliff-test"));
  QApplication::setOrganizationName(QStringLiteral("kvcliff-test"));
  kvcliff::ui::install_texts(app);
  ::testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
