// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/opener.h"

#include <QFile>
#include <QFileInfo>
#include <QObject>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "ui/bridge/document.h"
#include "ui/main_window.h"

namespace kvcliff::ui {

FileKind kind_of(const QString& path, QString* error) {
  const QFileInfo info(path);
  if (!info.exists()) {
    *error = QObject::tr("%1 does not exist. Check the path.").arg(path);
    return FileKind::Unknown;
  }
  if (info.isDir()) {
    // A model folder is as good as its config.json.
    if (QFileInfo::exists(path + QStringLiteral("/config.json"))) return FileKind::ModelConfig;
    *error = QObject::tr("%1 is a folder without a config.json. Drop a file.").arg(path);
    return FileKind::Unknown;
  }
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) {
    *error = QObject::tr("%1 cannot be read: %2. Check its permissions.").arg(path, file.errorString());
    return FileKind::Unknown;
  }
  QByteArray head = file.read(64 * 1024);
  if (head.startsWith("SQLite format 3")) return FileKind::Journal;
  if (head.startsWith("\x1f\x8b") || head.startsWith("\x28\xb5\x2f\xfd")) {
    const auto text = read_maybe_compressed(path.toStdString());
    if (!text) {
      *error = QString::fromStdString(text.error().sentence());
      return FileKind::Unknown;
    }
    head = QByteArray::fromStdString(text->substr(0, 64 * 1024));
  }
  if (head.contains("\"kvcliff.plan/")) return FileKind::Plan;
  const QByteArray line = head.left(head.indexOf('\n')).trimmed();
  if (line.contains("\"hash_ids\"") || line.contains("\"input_length\"") || line.contains("\"input_toks\"") ||
      line.contains("ContextTokens") || line.contains("Request tokens"))
    return FileKind::Trace;
  if (head.contains("\"model_type\"") || head.contains("\"architectures\"") || head.contains("\"num_hidden_layers\"") ||
      head.contains("\"text_config\""))
    return FileKind::ModelConfig;
  if (head.contains("KV cache size") || head.contains("vLLM API server") || head.contains("EngineCore") ||
      head.contains("INFO "))
    return FileKind::ServerLog;
  *error = QObject::tr("%1 is not a journal, plan, trace, model config or server log that is known here. "
                       "A journal ends in .kvcliff; a plan has \"schema\": \"kvcliff.plan/1\".")
               .arg(path);
  return FileKind::Unknown;
}

Opened open_any(const QString& path, Document& document) {
  Opened out;
  switch (kind_of(path, &out.error)) {
    case FileKind::Plan:
      out.page = PlanIndex;
      document.open_plan(path, &out.error);
      break;
    case FileKind::ModelConfig: {
      plan::Plan p = document.plan();
      p.model.config = (QFileInfo(path).isDir() ? path + QStringLiteral("/config.json") : path).toStdString();
      p.model.id.clear();
      document.edit_plan(p, QObject::tr("model from %1").arg(QFileInfo(path).fileName()));
      out.page = PredictIndex;
      break;
    }
    case FileKind::Trace: {
      plan::Plan p = document.plan();
      p.workload.kind = workload::Spec::Kind::trace;
      p.workload.trace = path.toStdString();
      document.edit_plan(p, QObject::tr("trace %1").arg(QFileInfo(path).fileName()));
      out.page = PredictIndex;
      break;
    }
    case FileKind::ServerLog:
      out.page = PredictIndex;
      emit document.server_log_opened(path);
      break;
    case FileKind::Journal:
      out.page = HistoryIndex;
      emit document.journal_opened(path);
      break;
    case FileKind::Unknown: break;
  }
  return out;
}

}  // namespace kvcliff::ui
