// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <QStringList>

#include "base/result.h"
#include "ui/bridge/evidence.h"
#include "ui/theme/theme.h"

namespace kvcliff::ui {

/// Writes the whole report into `folder` (made when absent): report.html, report.md, report.json and the tables as core
/// writes them, report.pdf, and under charts/ every chart as PNG (2x) and SVG. Returns the paths. Errors: io.
Result<QStringList> export_report(const Judged& judged, const QString& folder, const QString& resources, const Theme& theme);

/// report.pdf alone.
Result<QString> write_report_pdf(const Judged& judged, const QString& path);

/// `kvcliff --export report DIR JOURNAL`: words go to stdout, errors to stderr. Exit code as of kvcliff-cli report:
/// 0 done, 1 done but a gate failed, 2 bad input.
int export_from_command_line(const QString& folder, const QString& journal, const QString& resources);

}  // namespace kvcliff::ui
