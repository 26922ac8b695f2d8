// SPDX-License-Identifier: GPL-3.0-or-later
// The Run page of an experiment that is in a journal: read on a worker, shown by the same widgets as a live one.
#include <QFileInfo>

#include "journal/reader.h"
#include "plan/plan.h"
#include "reconcile/load.h"
#include "reconcile/reconcile.h"
#include "ui/bridge/document.h"
#include "ui/bridge/model_sizes.h"
#include "ui/bridge/time_prediction.h"
#include "ui/charts/request_chart.h"
#include "ui/main_window.h"
#include "ui/pages/run_page.h"
#include "ui/pages/run_panels.h"
#include "ui/theme/numbers.h"
#include "ui/theme/plain_text.h"
#include "ui/widgets/session_strip.h"

namespace kvcliff::ui {
namespace {

constexpr std::size_t judged_at_most = 50'000;  ///< requests whose prediction misses are marked in the chart
constexpr std::int64_t log_shown = 20'000;

struct Miss {
  std::size_t index;
  std::int64_t residual;
};

std::int64_t block_bytes(const reconcile::LoadOptions& options, const plan::Plan& plan, const Json& host) {
  const auto kv = reconcile::recorded_kv(host, plan.arms.empty() ? std::string() : plan.arms.front().name, plan, options);
  return kv.bytes_per_token ? *kv.bytes_per_token * plan.capacity.block_size : 0;
}

ServerReading reading_of(const CounterSnapshot& page, std::int64_t session) {
  ServerReading r{.session = session};
  r.error = shown(page.error);
  r.gpu_usage = page.value("kv_cache_usage_perc");
  r.running = page.value("num_requests_running");
  r.waiting = page.value("num_requests_waiting");
  r.loaded_bytes = page.value("kv_offload_load_bytes");
  r.stored_bytes = page.value("kv_offload_store_bytes");
  r.readings = 1;
  return r;
}

}  // namespace

void RunPage::load() {
  const std::uint64_t generation = ++generation_;
  chosen_ = -1;
  if (document().experiment() == 0) {
    if (run().running()) return;
    shown_.reset();
    chart_->set_data(nullptr);
    return show_nothing();
  }
  if (run().running()) return;  // what runs is shown until it is over
  const std::string path = document().journal().toStdString();
  const std::int64_t experiment = document().experiment();
  const QString resources = services_.resources;
  pool_.start([this, generation, path, experiment, resources] {
    auto read = read_run(path, experiment);
    auto run_data = read ? std::make_shared<RunData>(std::move(*read)) : nullptr;
    const QString why = read ? QString() : ui::shown(read.error().sentence());
    const ModelSizes sizes(resources);
    reconcile::LoadOptions options;
    options.kv = [&sizes](const plan::Plan& p) { return sizes.kv_facts(p); };
    auto readings = std::make_shared<std::vector<std::optional<ServerReading>>>();
    const auto reader = journal::Reader::open(path);
    if (run_data && reader) {
      if (const auto e = reader->experiment(std::to_string(experiment)))
        if (const auto json = parse_json(e->plan_text, path)) {
          const plan::Plan plan = plan::parse(*json).plan;
          run_data->block_bytes = block_bytes(options, plan, e->host);
          const auto launched = reader->sessions(experiment);
          double scale = emulated_scale(plan.engine.extra_args);
          if (launched)
            for (const SessionRecord& record : *launched)
              if (!record.argv.empty()) scale = emulated_scale(record.argv);
          predict_times(*run_data, plan, sizes, e->host, scale);
        }
      if (const auto sessions = reader->sessions(experiment))
        for (const RunSession& s : run_data->sessions) {
          readings->emplace_back();
          for (const SessionRecord& record : *sessions)
            if (record.id == s.row && record.last_scrape != 0)
              if (const auto page = reader->scrape(record.last_scrape)) readings->back() = reading_of(*page, s.row);
        }
    }
    if (generation != generation_) return;
    QMetaObject::invokeMethod(this, [this, generation, run_data, why, readings] {
      if (generation != generation_) return;
      if (!run_data) {
        strips().show_message({QStringLiteral("run"), StripMessage::Level::Fail, tr("Not opened"), why, {}, {}});
        return;
      }
      last_readings_ = readings;
      show_data(run_data);
      update_failure();
      std::int64_t session = -1;
      for (std::size_t i = 0; i < run_data->sessions.size(); ++i)
        if (run_data->sessions[i].state != SessionState::planned) session = std::int64_t(i);
      server_->show_session(*run_data, session, session >= 0 && std::size_t(session) < readings->size() ? (*readings)[std::size_t(session)] : std::nullopt);
      load_log(session);
    }, Qt::QueuedConnection);
    // Marks of prediction misses follow: the chart is there before all checks are.
    if (!run_data || !reader || run_data->requests.size() > judged_at_most) return;
    const auto input = reconcile::load(*reader, std::to_string(experiment), options);
    if (!input || generation != generation_) return;
    std::vector<Miss> misses;
    for (const auto& r : reconcile::reconcile(*input).requests) {
      const CheckResult* check = r.find("R13");
      if (r.warmup || !check || check->state != CheckState::fail) continue;
      const auto& s = input->sessions[r.session];
      const std::int64_t i = run_data->index_of(s.record.id, s.requests[r.request].plan.ordinal);
      if (i >= 0) misses.push_back({std::size_t(i), std::int64_t(check->residual)});
    }
    if (misses.empty()) return;
    QMetaObject::invokeMethod(this, [this, generation, run_data, misses = std::move(misses)] {
      if (generation != generation_) return;
      for (const Miss& m : misses) {
        run_data->requests[m.index].missed = true;
        run_data->requests[m.index].residual = m.residual;
        run_data->touch(m.index);
      }
      chart_->data_changed();
    }, Qt::QueuedConnection);
  });
}

void RunPage::load_request(std::int64_t index) {
  const std::uint64_t generation = ++detail_generation_;
  if (!shown_ || index < 0 || std::size_t(index) >= shown_->requests.size()) {
    if (!live()) request_->show_nothing(tr("Choose a request in the chart."));
    return;
  }
  request_->show_request(*shown_, index, nullptr);
  const RunRequest& r = shown_->requests[std::size_t(index)];
  if (r.ordinal < 0) return;
  const std::string path = shown_->journal.toStdString();
  const std::int64_t session = shown_->sessions[std::size_t(r.session)].row;
  pool_.start([this, generation, path, session, ordinal = r.ordinal, index, run_data = shown_] {
    const auto reader = journal::Reader::open(path);
    if (!reader) return;
    auto record = reader->request(session, ordinal, journal::Depth::events);
    if (!record) return;
    auto whole = std::make_shared<const RequestRecord>(std::move(*record));
    QMetaObject::invokeMethod(this, [this, generation, index, run_data, whole] {
      if (generation == detail_generation_ && run_data == shown_) request_->show_request(*run_data, index, whole.get());
    }, Qt::QueuedConnection);
  });
}

void RunPage::load_log(std::int64_t session) {
  if (!shown_ || session < 0 || std::size_t(session) >= shown_->sessions.size()) return;
  const RunSession& s = shown_->sessions[std::size_t(session)];
  const std::uint64_t generation = generation_;
  const std::string path = shown_->journal.toStdString();
  QString source = tr("session %1").arg(s.ordinal + 1);
  if (s.pid > 0) source += tr(", process %1").arg(exact(s.pid));
  if (!s.url.isEmpty()) source += tr(", port %1").arg(s.url.section(QLatin1Char(':'), -1));
  emit log_cleared();
  emit log_kept_in(shown_->journal, s.row);
  pool_.start([this, generation, path, row = s.row, source] {
    const auto reader = journal::Reader::open(path);
    if (!reader) return;
    auto lines = reader->log(row);
    if (!lines) return;
    qint64 dropped = 0;
    if (std::int64_t(lines->size()) > log_shown) {
      dropped = qint64(lines->size()) - log_shown;
      lines->erase(lines->begin(), lines->end() - log_shown);
    }
    QMetaObject::invokeMethod(this, [this, generation, source, lines = std::move(*lines), dropped] {
      if (generation == generation_) emit log_loaded(source, lines, dropped);
    }, Qt::QueuedConnection);
  });
}

// A server that did not start, or fell: its cause, its own lines, what to try.
void RunPage::update_failure() {
  strips().resolve(QStringLiteral("run"));
  if (!shown_) return;
  const RunSession* bad = nullptr;
  for (const RunSession& s : shown_->sessions)
    if (s.state == SessionState::failed) bad = &s;
  if (!bad && shown_->state != QLatin1String("failed")) {
    if (chosen_ < 0 && !live()) request_->show_nothing(tr("Choose a request in the chart."));
    if (shown_->state == QLatin1String("running"))
      strips().show_message({QStringLiteral("run"), StripMessage::Level::Caution, tr("Interrupted"),
                             tr("This run has no end: the program that measured it was ended. What was measured is whole; resume repeats the open session."), tr("Resume"), [this] { resume_run(); }});
    return;
  }
  const QString why = bad && !bad->why.isEmpty() ? bad->why : shown_->why;
  const QString title = bad ? tr("Session %1 failed").arg(bad->ordinal + 1) : tr("The run failed");
  strips().show_message({QStringLiteral("run"), StripMessage::Level::Fail, tr("Failed"), why, tr("Show log"), [this] { emit log_wanted(); }});
  request_->show_failure(title, why, {});
  if (!bad) return;
  const std::uint64_t generation = generation_;
  const std::string path = shown_->journal.toStdString();
  const std::uint64_t detail = ++detail_generation_;
  pool_.start([this, generation, detail, path, row = bad->row, title, why] {
    const auto reader = journal::Reader::open(path);
    if (!reader) return;
    const auto lines = reader->log(row);
    if (!lines) return;
    QStringList last;
    const std::size_t n = lines->size();
    for (std::size_t i = n > 12 ? n - 12 : 0; i < n; ++i) last << ui::shown((*lines)[i].text.substr(0, 300));
    QMetaObject::invokeMethod(this, [this, generation, detail, title, why, last] {
      if (generation == generation_ && detail == detail_generation_) request_->show_failure(title, why, last);
    }, Qt::QueuedConnection);
  });
}

bool RunPage::resumable() const {
  if (!shown_ || services_.run.running() || shown_->plan_text.empty()) return false;
  const bool open = std::any_of(shown_->sessions.begin(), shown_->sessions.end(), [](const RunSession& s) { return s.state != SessionState::finished; });
  return open && shown_->state != QLatin1String("finished") && shown_->engine != QLatin1String("attach") && !shown_->engine.startsWith(QLatin1String("import"));
}

void RunPage::resume_run() {
  if (!resumable()) return;
  const auto parsed = plan::parse_text(shown_->plan_text, shown_->journal.toStdString());
  QString error = parsed.valid() ? QString() : ui::shown(parsed.faults.front().what);
  if (error.isEmpty()) {
    StartOptions options;
    options.resume = shown_->experiment;
    // Relative paths start from the plan file where it is the open one, else from where the journal lies.
    const QString plan_file = document().plan_path();
    const bool same = !plan_file.isEmpty() && QString::fromStdString(plan::hash(document().plan())) == shown_->plan_hash;
    options.plan_folder = QFileInfo(same ? plan_file : shown_->journal).absolutePath();
    run().start(parsed.plan, shown_->journal, options, &error);
  }
  if (!error.isEmpty()) strips().show_message({QStringLiteral("run"), StripMessage::Level::Fail, tr("Not resumed"), error, {}, {}});
}

void RunPage::ended(const QString& end, const QString& why, const QString& journal, qint64 experiment) {
  update_header();
  if (experiment == 0) {
    // Nothing was journalled: the plan stays as it is, and the reason stands on both pages.
    strips().show_message({QStringLiteral("run"), StripMessage::Level::Fail, tr("Not started"), why, tr("Go to plan"), [this] { emit go_to(PlanIndex); }});
    if (!shown_) show_nothing();
    emit status(why);
    return;
  }
  if (end == QLatin1String("finished")) emit status(tr("Finished. Journal %1").arg(QFileInfo(journal).fileName()));
  else emit status(why.isEmpty() ? end : why);
}

}  // namespace kvcliff::ui
