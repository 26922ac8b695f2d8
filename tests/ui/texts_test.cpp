// SPDX-License-Identifier: GPL-3.0-or-later
// Every text of the window can be translated: lupdate finds it under the name that Qt looks it up by, and the plural forms
// of English are there.
#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QSet>
#include <QTemporaryDir>

#include <gtest/gtest.h>

#include "ui/theme/texts.h"

namespace kvcliff::ui::test {
namespace {

QString text_of(const QString& path) {
  QFile f(path);
  EXPECT_TRUE(f.open(QIODevice::ReadOnly)) << qPrintable(path);
  return QString::fromUtf8(f.readAll());
}

// context + source of every message, as lupdate writes them.
QSet<QString> messages(const QString& ts) {
  QSet<QString> out;
  static const QRegularExpression context(QStringLiteral("<context>.*?<name>(.*?)</name>(.*?)</context>"), QRegularExpression::DotMatchesEverythingOption);
  static const QRegularExpression source(QStringLiteral("<source>(.*?)</source>"), QRegularExpression::DotMatchesEverythingOption);
  for (auto c = context.globalMatch(ts); c.hasNext();) {
    const auto m = c.next();
    for (auto s = source.globalMatch(m.captured(2)); s.hasNext();) out.insert(m.captured(1) + QLatin1Char('|') + s.next().captured(1));
  }
  return out;
}

QString found_by_lupdate(QString* warnings) {
  QTemporaryDir folder;
  const QString ts = folder.filePath(QStringLiteral("found.ts"));
  QProcess p;
  p.setWorkingDirectory(QStringLiteral(KVCLIFF_SOURCE_DIR));
  p.setProcessChannelMode(QProcess::MergedChannels);
  p.start(QStringLiteral(KVCLIFF_LUPDATE), {QStringLiteral("-I"), QStringLiteral("."), QStringLiteral("-I"), QStringLiteral("core"), QStringLiteral("-silent"), QStringLiteral("-no-obsolete"),
                                            QStringLiteral("-locations"), QStringLiteral("none"), QStringLiteral("ui"), QStringLiteral("app/gui"), QStringLiteral("-ts"), ts});
  EXPECT_TRUE(p.waitForFinished(120'000));
  *warnings = QString::fromUtf8(p.readAll());
  return text_of(ts);
}

TEST(Texts, AllAreFoundUnderTheNamesThatQtLooksThemUpBy) {
  ASSERT_TRUE(QFile::exists(QStringLiteral(KVCLIFF_LUPDATE))) << "lupdate is missing: ./dev deps installs it";
  QString warnings;
  const QSet<QString> found = messages(found_by_lupdate(&warnings));
  EXPECT_GT(found.size(), 1200);
  EXPECT_FALSE(warnings.contains(QStringLiteral("lacks Q_OBJECT"))) << warnings.toStdString();
  for (const QString& m : found)
    EXPECT_TRUE(m.startsWith(QStringLiteral("kvcliff::ui::")) || m.startsWith(QStringLiteral("QObject|"))) << m.toStdString() << ": would never be looked up";
  // The template for translators may be a little behind, not more.
  const QSet<QString> known = messages(text_of(QStringLiteral(KVCLIFF_SOURCE_DIR "/resources/translations/kvcliff.ts")));
  QSet<QString> missing = found;
  missing.subtract(known);
  EXPECT_LE(missing.size() * 100, found.size() * 5) << missing.size() << " texts are not in resources/translations: run ./dev texts";
}

TEST(Texts, EnglishHasEveryPluralForm) {
  const QString ts = text_of(QStringLiteral(KVCLIFF_SOURCE_DIR "/resources/translations/kvcliff_en.ts"));
  EXPECT_FALSE(ts.contains(QStringLiteral("unfinished")));
  if (QFile::exists(QStringLiteral(KVCLIFF_LUPDATE))) {
    QString warnings;
    const QString all = found_by_lupdate(&warnings);
    static const QRegularExpression plural(QStringLiteral("<message numerus=\"yes\">\\s*<source>(.*?)</source>"), QRegularExpression::DotMatchesEverythingOption);
    int n = 0;
    for (auto m = plural.globalMatch(all); m.hasNext(); ++n) {
      const QString source = m.next().captured(1);
      EXPECT_TRUE(ts.contains(QStringLiteral("<source>%1</source>").arg(source))) << source.toStdString() << " has no plural forms";
    }
    EXPECT_GE(n, 7);
  }
  EXPECT_EQ(QCoreApplication::translate("kvcliff::ui::PlanPage", "%n fault(s)", nullptr, 1), QStringLiteral("1 fault"));
  EXPECT_EQ(QCoreApplication::translate("kvcliff::ui::PlanPage", "%n fault(s)", nullptr, 5), QStringLiteral("5 faults"));
}

}  // namespace
}  // namespace kvcliff::ui::test
