// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/server_log.h"

#include <QFile>
#include <QFileInfo>
#include <QMetaObject>

#include "base/file.h"
#include "engine/vllm/failure.h"
#include "ui/bridge/model_sizes.h"
#include "ui/theme/numbers.h"
#include "ui/theme/plain_text.h"

namespace kvcliff::ui {
namespace {

// A server tells of itself when it starts: the rest of a log of weeks holds nothing that is looked for here.
constexpr qint64 most_read = qint64{64} << 20;

Result<std::string> beginning(const QString& file, bool* cut) {
  QFile raw(file);
  if (QFileInfo(file).size() <= most_read || !raw.open(QIODevice::ReadOnly)) return read_maybe_compressed(file.toStdString());
  const QByteArray head = raw.peek(4);
  if (head.startsWith("\x1f\x8b") || head.startsWith("\x28\xb5\x2f\xfd")) return read_maybe_compressed(file.toStdString());
  *cut = true;
  return raw.read(most_read).toStdString();
}

}  // namespace

ServerLogRead read_server_log(const QString& file) {
  ServerLogRead out;
  out.file = file;
  const auto text = beginning(file, &out.cut);
  if (!text) {
    out.error = shown(text.error().sentence());
    return out;
  }
  const auto lines = engine::vllm::lines_of(*text);
  out.facts = engine::vllm::read_log(lines);
  if (const auto cause = engine::vllm::find_failure(lines)) {
    out.cause = shown(cause->what);
    out.next = shown(cause->next);
  }
  return out;
}

plan::Plan with_log_facts(plan::Plan p, const engine::vllm::LogFacts& f, const std::vector<model::CatalogueEntry>& catalogue, QStringList* taken, QStringList* left) {
  if (!f.version.empty()) {
    p.engine.version = f.version;
    *taken << QObject::tr("vLLM %1").arg(shown(f.version));
  }
  if (!f.model.empty()) {
    const QString name = model_words(shown(f.model));
    auto entry = model::find(catalogue, f.model);
    if (!entry) entry = model::find(catalogue, name.section(QLatin1Char('/'), -1).toStdString());
    if (entry) {
      p.model.id = (*entry)->id;
      p.model.config.clear();
      *taken << name;
    } else {
      *left << QObject::tr("the model %1 is not in the catalogue: drop its config.json").arg(name);
    }
  }
  if (!f.kv_dtype.empty()) p.model.kv_dtype = f.kv_dtype;
  if (f.block_size && *f.block_size > 0) p.capacity.block_size = *f.block_size;
  if (f.gpu_blocks && *f.gpu_blocks > 1) {
    p.capacity.gpu_blocks = *f.gpu_blocks;
    *taken << QObject::tr("%1 GPU blocks of %2 tokens").arg(exact(*f.gpu_blocks)).arg(p.capacity.block_size);
  } else {
    *left << QObject::tr("it does not say how many blocks the GPU cache has");
  }
  if (f.host_bytes) {
    p.capacity.host_bytes = *f.host_bytes;
    *taken << QObject::tr("a host tier of %1 GiB").arg(gib(*f.host_bytes));
  } else if (f.connector.empty()) {
    *left << QObject::tr("it set up no host tier: the plan's stays");
  }
  return p;
}

ServerLogLoader::ServerLogLoader(QObject* parent) : QObject(parent) { pool_.setMaxThreadCount(1); }

ServerLogLoader::~ServerLogLoader() {
  pool_.clear();
  pool_.waitForDone();
}

void ServerLogLoader::load(const QString& file) {
  const std::uint64_t generation = ++generation_;
  pool_.clear();
  pool_.start([this, generation, file] {
    const ServerLogRead log = read_server_log(file);
    QMetaObject::invokeMethod(this, [this, generation, log] {
      if (generation == generation_) emit loaded(log);
    }, Qt::QueuedConnection);
  });
}

}  // namespace kvcliff::ui
