// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/history_rows.h"

#include <QDir>
#include <QFileInfo>
#include <QMetaObject>

#include "base/file.h"
#include "journal/file_state.h"
#include "journal/merge.h"
#include "journal/reader.h"
#include "journal/source_sums.h"
#include "reconcile/load.h"
#include "ui/models/evidence_estimates.h"
#include "ui/theme/numbers.h"
#include "ui/theme/plain_text.h"

namespace kvcliff::ui {
namespace {

constexpr int page_size = 200;
// Judging holds every request with its counters in memory; beyond this the run's own pages do it on request.
constexpr std::int64_t most_judged = 50'000;

QString words(const std::string& s) { return shown(s); }

HistoryRow row_of(const QString& journal, journal::ExperimentRecord record, bool read_only) {
  HistoryRow row;
  row.journal = journal;
  row.read_only = read_only;
  auto parsed = plan::parse_stored(record.plan_text, "stored plan");
  record.plan_text.clear();
  if (parsed.valid()) {
    if (const auto set = plan::working_set(parsed.plan); set && parsed.plan.capacity.gpu_blocks > 1)
      row.working_set = double(set->v) / double(parsed.plan.capacity.gpu_blocks - 1);
    row.plan = std::move(parsed.plan);
  } else {
    row.plan_why = words(parsed.faults.front().what);
  }
  row.record = std::move(record);
  return row;
}

void read_settings(HistorySummary& out, const SessionRecord& s) {
  for (const auto& [name, value] : s.env_set) out.settings["environment " + name] = value;
  for (const auto& name : s.env_unset) out.settings["environment " + name] = "(unset)";
}

}  // namespace

HistorySummary summary_of(const QString& journal, const journal::ExperimentRecord& record, const ModelSizes& sizes, std::int64_t most_requests,
                          const std::atomic<bool>& stop) {
  HistorySummary out;
  const auto reader = journal::Reader::open(journal.toStdString(), {.allow_newer = true});
  if (!reader) {
    out.why = words(reader.error().sentence());
    return out;
  }
  const auto sessions = reader->sessions(record.id);
  if (!sessions) {
    out.why = words(sessions.error().sentence());
    return out;
  }
  if (record.host.is_object()) {
    for (const char* key : {"system", "kernel", "cpu"})
      if (record.host.contains(key) && record.host.at(key).is_string()) out.settings[std::string("machine ") + key] = record.host.at(key).get<std::string>();
    if (const auto gpus = record.host.find("gpus"); gpus != record.host.end()) {
      const Json& list = gpus->is_object() && gpus->contains("list") ? gpus->at("list") : *gpus;
      if (list.is_array() && !list.empty() && list[0].is_object() && list[0].contains("name") && list[0].at("name").is_string()) out.gpu = list[0].at("name").get<std::string>();
    }
  }
  std::array<std::optional<std::int64_t>, 4> sums{0, 0, 0, 0};
  for (const auto& s : *sessions) {
    if (stop) return out;
    if (out.engine_version.empty()) out.engine_version = s.effective.engine_version;
    if (s.state != SessionState::finished) continue;
    if (s.arm == "on" || &s == &sessions->front()) read_settings(out, s);
    if (const auto count = reader->request_count(s.id); count && count->measured > most_requests / 4) {
      // Large sessions are summed by SQLite itself: reading them twice would hold up the chart that somebody waits for.
      if (const auto sum = journal::source_sums(journal.toStdString(), s.id)) {
        out.measured += sum->requests;
        const std::int64_t values[] = {sum->computed, sum->gpu_hit, sum->host_loaded, sum->unknown};
        for (std::size_t k = 0; k < 4; ++k) *sums[k] += values[k];
        continue;
      }
    }
    std::int64_t from = 0;
    while (!stop) {
      const auto chunk = reader->chart_rows(s.id, from, 20'000);
      if (!chunk || chunk->empty()) break;
      for (const auto& r : *chunk) {
        from = r.ordinal + 1;
        if (r.warmup) continue;
        ++out.measured;
        const std::int64_t values[] = {r.computed, r.gpu_hit, r.host_loaded, r.unknown};
        bool missing = false;
        for (int k = 0; k < 3; ++k) missing |= values[k] < 0;
        // What an engine does not report counts as unknown, never as 0.
        if (missing) *sums[3] += std::max<std::int64_t>(0, r.prompt_tokens);
        else
          for (std::size_t k = 0; k < 4; ++k) *sums[k] += std::max<std::int64_t>(0, values[k]);
      }
      if (chunk->size() < 20'000) break;
    }
  }
  out.computed = sums[0], out.gpu_hit = sums[1], out.host_loaded = sums[2], out.unknown = sums[3];
  if (out.measured == 0) {
    out.computed.reset(), out.gpu_hit.reset(), out.host_loaded.reset(), out.unknown.reset();
    out.why = record.state == "running" ? QObject::tr("not ended") : QObject::tr("no measured request");
    return out;
  }
  if (out.measured > most_requests) {
    // The sealed verdict stands in; nobody waits here for a million requests to be judged again.
    if (const auto sealed = reader->sealed_results(record.id); sealed && !sealed->empty() && sealed->front().document.is_object()) {
      const Json& d = sealed->front().document;
      if (d.contains("verdict") && d.at("verdict").is_string()) out.verdict = analysis::verdict_from(d.at("verdict").get<std::string>());
      if (d.contains("reconciled") && d.at("reconciled").is_number_integer()) out.reconciled = d.at("reconciled").get<std::int64_t>();
      out.verdict_why = "as sealed with method version " + sealed->front().method_version;
    }
    if (!out.verdict) out.why = QObject::tr("open it to judge %L1 requests").arg(out.measured);
    out.ready = true;
    return out;
  }
  reconcile::LoadOptions options;
  options.kv = [&sizes](const plan::Plan& p) { return sizes.kv_facts(p); };
  const auto input = reconcile::load(*reader, std::to_string(record.id), options);
  if (!input) {
    out.why = words(input.error().sentence());
    return out;
  }
  if (stop) return out;
  const auto judged = analysis::evaluate(*input);
  out.ready = true;
  out.measured = judged.reconciliation.measured;
  out.reconciled = judged.reconciliation.reconciled;
  out.verdict = judged.decision.verdict;
  out.verdict_why = judged.decision.why;
  out.title = verdict_title(judged.decision);
  out.sentence = verdict_sentence(judged.decision);
  out.gates = gates_sentence(judged.decision);
  if (judged.decision.effect.effect && !judged.decision.withdrawn()) out.ratio = judged.decision.effect.effect->ratio;
  if (!input->sessions.empty()) out.bytes_per_token = input->sessions.front().kv.bytes_per_token;
  return out;
}

HistoryLoader::HistoryLoader(QString resources, QObject* parent)
    : QObject(parent), sizes_(std::make_shared<ModelSizes>(std::move(resources))) {
  list_pool_.setMaxThreadCount(1);
  judge_pool_.setMaxThreadCount(1);
  qRegisterMetaType<HistorySummary>();
}

HistoryLoader::~HistoryLoader() {
  cancel_ = true;
  for (const auto& [journal, stop] : stops_) *stop = true;
  for (QThreadPool* pool : {&list_pool_, &judge_pool_}) {
    pool->clear();
    pool->waitForDone();
  }
}

void HistoryLoader::run(std::function<void()> work) {
  if (tasks_++ == 0) emit busy_changed(true);
  list_pool_.start([this, work = std::move(work)] {
    work();
    QMetaObject::invokeMethod(this, [this] {
      if (--tasks_ == 0) emit busy_changed(false);
    }, Qt::QueuedConnection);
  });
}

void HistoryLoader::forget(const QString& journal) {
  if (const auto at = stops_.find(journal); at != stops_.end()) *at->second = true;
}

void HistoryLoader::load(const QString& journal, bool allow_newer) {
  forget(journal);
  auto stop = std::make_shared<std::atomic<bool>>(false);
  stops_[journal] = stop;
  run([this, journal, allow_newer, stop] {
    const std::string path = journal.toStdString();
    // Everything about the file is asked here: a slow disk or share must not stop the window.
    const auto state = journal::inspect_file(path);
    HistoryOpened found{journal, words(journal::to_words(state)), {}, false, false, false};
    found.read_only = !QFileInfo(journal).isWritable();
    using Kind = journal::FileState::Kind;
    found.newer = state.kind == Kind::newer;
    found.empty = state.kind == Kind::empty;
    const bool readable = state.kind == Kind::current || state.kind == Kind::older || (found.newer && allow_newer);
    if (!readable) found.sentence = found.empty ? tr("%1 is a new journal: nothing has run into it yet.").arg(QFileInfo(journal).fileName()) : words(journal::state_error(state, path).sentence());
    std::optional<journal::Reader> reader;
    if (readable) {
      auto r = journal::Reader::open(path, {.allow_newer = allow_newer});
      if (r) reader.emplace(std::move(*r));
      else found.sentence = words(r.error().sentence());
    }
    QMetaObject::invokeMethod(this, [this, found] { emit opened(found); }, Qt::QueuedConnection);
    if (!reader) return;
    std::vector<HistoryRow> all;
    journal::Reader::Filter filter;
    filter.limit = page_size;
    while (!*stop) {
      auto page = reader->experiments(filter);
      if (!page) {
        found.sentence = words(page.error().sentence());
        QMetaObject::invokeMethod(this, [this, found] { emit opened(found); }, Qt::QueuedConnection);
        return;
      }
      const bool last = int(page->size()) < page_size;
      std::vector<HistoryRow> rows_now;
      for (auto& e : *page) {
        filter.created_before = e.created;
        rows_now.push_back(row_of(journal, std::move(e), found.read_only || found.newer));
      }
      all.insert(all.end(), rows_now.begin(), rows_now.end());
      QMetaObject::invokeMethod(this, [this, journal, rows_now, last, stop] {
        if (!*stop) emit rows(journal, rows_now, last);
      }, Qt::QueuedConnection);
      if (last) break;
    }
    summarise(journal, std::move(all), stop);
  });
}

void HistoryLoader::summarise(const QString& journal, std::vector<HistoryRow> all, std::shared_ptr<std::atomic<bool>> stop) {
  judge_pool_.start([this, journal, all = std::move(all), stop, sizes = sizes_] {
    for (const HistoryRow& row : all) {
      if (*stop) return;
      const auto summary = summary_of(journal, row.record, *sizes, most_judged, *stop);
      if (*stop) return;
      QMetaObject::invokeMethod(this, [this, journal, uid = words(row.record.uid), summary, stop] {
        if (!*stop) emit summarised(journal, uid, summary);
      }, Qt::QueuedConnection);
    }
  });
}

void HistoryLoader::finish(const QString& task, const QString& journal, const Result<void>& result, const QString& note) {
  const QString error = result ? QString() : words(result.error().sentence());
  QMetaObject::invokeMethod(this, [this, task, journal, error, note] { emit task_done(task, journal, error, note); }, Qt::QueuedConnection);
}

void HistoryLoader::set_tags(const QString& journal, std::int64_t experiment, const QStringList& tags) {
  run([this, journal, experiment, tags] {
    std::vector<std::string> list;
    for (const auto& t : tags) list.push_back(t.toStdString());
    finish(QStringLiteral("tags"), journal, journal::set_tags(journal.toStdString(), experiment, list));
  });
}

void HistoryLoader::remove(const QString& journal, const std::vector<std::int64_t>& experiments, const QString& trash) {
  forget(journal);  // its readers must not hold up the change
  cancel_ = false;
  run([this, journal, experiments, trash] {
    const auto go_on = [this](double) { return !cancel_.load(); };
    const auto kept = journal::merge_experiments(journal.toStdString(), experiments, trash.toStdString(), go_on);
    Result<void> done;
    if (!kept) done = fail(kept.error());
    else done = journal::delete_experiments(journal.toStdString(), experiments, go_on);
    finish(QStringLiteral("remove"), journal, done, experiments.size() == 1 ? tr("1 experiment") : tr("%1 experiments").arg(experiments.size()));
  });
}

void HistoryLoader::restore(const QString& trash, const QString& journal) {
  run([this, trash, journal] {
    const auto back = journal::merge_experiments(trash.toStdString(), {}, journal.toStdString(), {});
    finish(QStringLiteral("restore"), journal, back ? Result<void>() : fail(back.error()));
  });
}

void HistoryLoader::import(const QString& file, const QString& journal) {
  cancel_ = false;
  run([this, file, journal] {
    const auto state = journal::inspect_file(file.toStdString());
    using Kind = journal::FileState::Kind;
    if (state.kind == Kind::not_a_journal) return read_result(file, journal);
    if (state.kind == Kind::empty) return finish(QStringLiteral("import"), journal, fail(ErrorCode::bad_usage, "The file to import is empty", file.toStdString(), {}, "Copy it again from where it was written"));
    if (state.kind != Kind::current && state.kind != Kind::older) return finish(QStringLiteral("import"), journal, fail(journal::state_error(state, file.toStdString())));
    const auto in = journal::merge_experiments(file.toStdString(), {}, journal.toStdString(), [this](double) { return !cancel_.load(); });
    QString note;
    if (in) {
      note = in->added.size() == 1 ? tr("1 experiment was added") : tr("%1 experiments were added").arg(in->added.size());
      if (!in->already_there.empty()) note += tr(", %1 were there already").arg(in->already_there.size());
    }
    finish(QStringLiteral("import"), journal, in ? Result<void>() : fail(in.error()), note);
  });
}

// On the worker: such a file may hold a hundred thousand requests.
void HistoryLoader::read_result(const QString& file, const QString& journal) {
  auto content = read_maybe_compressed(file.toStdString());
  if (!content) return finish(QStringLiteral("import"), journal, fail(content.error()));
  auto result = exchange::read_foreign(*content, file.toStdString());
  if (!result) return finish(QStringLiteral("import"), journal, fail(result.error()));
  const ForeignFile read{file, journal, std::make_shared<const std::string>(std::move(*content)), std::make_shared<const exchange::ForeignResult>(std::move(*result))};
  QMetaObject::invokeMethod(this, [this, read] { emit result_read(read); }, Qt::QueuedConnection);
}

void HistoryLoader::import_result(const ForeignFile& file, const exchange::ImportOptions& options) {
  forget(file.journal);  // its readers must not hold up the change
  run([this, file, options] {
    const QDir folder = QFileInfo(file.journal).absoluteDir();
    if (!folder.exists() && !folder.mkpath(QStringLiteral(".")))
      return finish(QStringLiteral("import"), file.journal, fail(ErrorCode::io, "The folder of the journal cannot be made", folder.absolutePath().toStdString(), {}, "Open a journal in a folder that can be written"));
    const auto done = exchange::import_foreign(*file.result, *file.content, file.journal.toStdString(), options);
    QString note;
    if (done && done->already_there) note = tr("This file is there already");
    else if (done) note = tr("%1 requests of %2 (%3 complete) were added").arg(exact(done->requests), words(file.result->tool), exact(done->complete));
    finish(QStringLiteral("import"), file.journal, done ? Result<void>() : fail(done.error()), note);
  });
}

void HistoryLoader::export_bundle(const QString& journal, std::int64_t experiment, const QString& target) {
  run([this, journal, experiment, target] {
    const auto out = journal::export_bundle(journal.toStdString(), experiment, target.toStdString());
    finish(QStringLiteral("export"), journal, out ? Result<void>() : fail(out.error()), out ? tr("%1, SHA-256 %2").arg(target, words(out->file_sha256)) : QString());
  });
}

}  // namespace kvcliff::ui
