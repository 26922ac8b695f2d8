// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/opener.h"

#include <QFile>
#include <QFileInfo>
#include <QObject>
#include <algorithm>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "ui/bridge/document.h"
#include "ui/main_window.h"
#include "ui/theme/plain_text.h"

namespace kvcliff::ui {

namespace {

// Results of other tools by words that none of our own kinds has; what exactly it is, the reader tells from the whole.
bool is_result(const QByteArray& head) {
  const QByteArray begin = head.trimmed().left(1);
  if (begin != "{" && begin != "[") return false;
  const auto all = [&](std::initializer_list<const char*> words) {
    return std::all_of(words.begin(), words.end(), [&](const char* w) { return head.contains(QByteArray("\"") + w + "\""); });
  };
  return all({"ttfts"}) || all({"input_lens"}) || all({"mean_ttft_ms"})       // vllm bench serve
         || all({"metadata", "metrics"}) || all({"aiperf_version"})          // AIPerf
         || all({"input_config", "time_to_first_token"}) || all({"benchmarks"})   // its summary; GuideLLM
         || (begin == "[" && all({"start_time", "end_time"}));               // inference-perf
}

}  // namespace

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
  // Pipes and devices have no end, and opening one may wait for ever.
  if (!info.isFile()) {
    *error = QObject::tr("%1 is no regular file. Save its content to one first.").arg(path);
    return FileKind::Unknown;
  }
  if (info.size() == 0) {
    *error = QObject::tr("%1 is empty. Copy it again from where it was written; a journal is made by the first run.").arg(path);
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
  if (is_result(head)) return FileKind::Result;
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
  *error = QObject::tr("%1 is not a journal, plan, trace, model config, result of another tool or server log that is known here. "
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
      document.edit_plan(p, QObject::tr("model from %1").arg(button_text(QFileInfo(path).fileName())));
      out.page = PredictIndex;
      break;
    }
    case FileKind::Trace: {
      plan::Plan p = document.plan();
      p.workload.kind = workload::Spec::Kind::trace;
      p.workload.trace = path.toStdString();
      document.edit_plan(p, QObject::tr("trace %1").arg(button_text(QFileInfo(path).fileName())));
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
    case FileKind::Result:
      out.page = HistoryIndex;
      emit document.result_opened(path);
      break;
    case FileKind::Unknown: break;
  }
  return out;
}

}  // namespace kvcliff::ui
