// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

namespace kvcliff::ui {

class Document;

enum class FileKind { Journal, Plan, ModelConfig, Trace, Result, ServerLog, Unknown };   // Result: of another tool

/// Tells what a file is by its content, not by its name; reads at most its first 64 KiB.
FileKind kind_of(const QString& path, QString* error);

/// What opening did: the page to show, or why nothing could be opened.
struct Opened {
  int page = 0;
  QString error;
};
Opened open_any(const QString& path, Document& document);

}  // namespace kvcliff::ui
