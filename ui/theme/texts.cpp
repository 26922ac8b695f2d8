// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/texts.h"

#include <QCoreApplication>
#include <QLocale>
#include <QTranslator>

namespace kvcliff::ui {

void install_texts(QCoreApplication& app) {
  auto* english = new QTranslator(&app);
  if (english->load(QStringLiteral(":/i18n/kvcliff_en.qm"))) app.installTranslator(english);
  if (QLocale().language() == QLocale::English) return;
  auto* own = new QTranslator(&app);
  if (own->load(QLocale(), QStringLiteral("kvcliff"), QStringLiteral("_"), QStringLiteral(":/i18n"))) app.installTranslator(own);
}

}  // namespace kvcliff::ui
