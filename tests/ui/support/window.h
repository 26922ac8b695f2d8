// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <gtest/gtest.h>

#include <QApplication>
#include <QTemporaryDir>
#include <QTest>

#include "ui/main_window.h"

namespace kvcliff::ui::test {

inline QString resources() { return QStringLiteral(KVCLIFF_SOURCE_DIR "/resources"); }

/// Runs the event loop until `done` or the time is up.
template <class Done>
bool wait(Done done, int milliseconds = 30'000) {
  return QTest::qWaitFor([&] { return bool(done()); }, milliseconds);
}

/// The real window with widgets by object name, and a folder for files.
struct Window {
  QTemporaryDir folder;
  MainWindow window{resources()};

  Window() {
    window.resize(1280, 800);
    window.show();
    (void)QTest::qWaitForWindowExposed(&window, 5000);
  }
  template <class T>
  T* find(const char* name) {
    T* w = window.findChild<T*>(QString::fromLatin1(name));
    EXPECT_NE(w, nullptr) << "no widget " << name;
    return w;
  }
  /// Keeps a picture of the window in $KVCLIFF_PICTURES, for people to look at.
  void picture(const char* name) {
    for (int i = 0; i < 5; ++i) QCoreApplication::processEvents();  // layouts and queued replots
    if (qEnvironmentVariableIsSet("KVCLIFF_PICTURES")) window.grab().save(qEnvironmentVariable("KVCLIFF_PICTURES") + QLatin1Char('/') + QLatin1String(name) + QStringLiteral(".png"));
  }
  QString file(const char* name) const { return folder.filePath(QString::fromLatin1(name)); }
};

/// Replaces the text of a field as a user does.
inline void type(QWidget* field, const QString& text) {
  field->setFocus();
  QTest::keyClick(field, Qt::Key_A, Qt::ControlModifier);
  QTest::keyClicks(field, text);
}

/// Names of interactive widgets below `top` that a screen reader could not announce.
inline QStringList without_name(QWidget* top) {
  QStringList out;
  for (QWidget* w : top->findChildren<QWidget*>()) {
    if (w->focusPolicy() == Qt::NoFocus || !w->isVisibleTo(top) || w->inherits("QScrollArea") || w->inherits("QTabBar") || w->objectName().startsWith(QStringLiteral("qt_"))) continue;
    if (w->accessibleName().isEmpty() && w->property("text").toString().isEmpty()) out << QString::fromLatin1(w->metaObject()->className()) + QLatin1Char(' ') + w->objectName();
  }
  return out;
}

}  // namespace kvcliff::ui::test
