// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/run_controller.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>
#include <QStandardPaths>

#include "reconcile/reconcile.h"
#include "ui/bridge/run_job.h"

namespace kvcliff::ui {

RunController::RunController(QObject* parent) : QObject(parent) {
  qRegisterMetaType<std::vector<kvcliff::LogLine>>("std::vector<kvcliff::LogLine>");
  tick_.setInterval(25);  // with the chart's own rest of 40 ms: a dot within 100 ms, drawing included
  tick_.setTimerType(Qt::PreciseTimer);
  connect(&tick_, &QTimer::timeout, this, &RunController::drain);
}

RunController::~RunController() {
  if (job_) job_->control.stop();
  if (worker_.joinable()) worker_.join();
  if (checker_.joinable()) checker_.join();
}

QString RunController::default_journal(const QString& plan_name) {
  const QString folder = QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) + QStringLiteral("/kvcliff");
  QString name = plan_name.toLower();
  name.replace(QRegularExpression(QStringLiteral("[^a-z0-9._-]+")), QStringLiteral("-"));
  if (name.isEmpty()) name = QStringLiteral("run");
  const QString stem = folder + QLatin1Char('/') + name.left(60) + QLatin1Char('-') +
                       QDateTime::currentDateTime().toString(QStringLiteral("yyyy-MM-dd-HHmmss"));
  QString path = stem + QStringLiteral(".kvcliff");
  for (int n = 2; QFileInfo::exists(path); ++n) path = stem + QStringLiteral("-%1.kvcliff").arg(n);
  return path;
}

bool RunController::start(const plan::Plan& plan, const QString& journal, const StartOptions& options, QString* error) {
  const auto refuse = [&](const QString& sentence) {
    if (error) *error = sentence;
    return false;
  };
  if (running_) return refuse(tr("An experiment is running. Stop it, or wait for its end."));
  if (const auto faults = plan::validate(plan); !faults.empty())
    return refuse(tr("The plan has %n fault(s). First: %1 %2", nullptr, int(faults.size()))
                      .arg(QString::fromStdString(faults.front().what), QString::fromStdString(faults.front().next)));
  if (worker_.joinable()) worker_.join();
  job_ = std::make_shared<Job>(resources_);
  job_->as_written = plan;
  job_->plan = options.plan_folder.isEmpty() ? plan : plan::with_paths_from(plan, options.plan_folder.toStdString());
  job_->journal = journal.isEmpty() ? default_journal(QString::fromStdString(plan.name)) : journal;
  job_->options = options;
  if (options.time_scale == 1.0 && plan.engine.adapter == "emulator") job_->options.time_scale = time_scale_;
  data_.reset();
  server_ = {};
  stream_ = {};
  progress_ = {};
  progress_.doing = tr("preparing");
  checks_ = checks_before_ = {};
  worst_age_ = 0;
  running_ = true;
  stopping_ = false;
  worker_ = std::jthread([job = job_] { job->run(); });
  tick_.start();
  emit running_changed(true);
  return true;
}

bool RunController::paused() const { return job_ && running_ && job_->control.paused(); }

void RunController::pause() {
  if (running_) job_->control.pause();
  emit updated();
}

void RunController::resume() {
  if (running_) job_->control.resume();
  emit updated();
}

void RunController::stop() {
  if (!running_) return;
  stopping_ = true;
  job_->control.stop();
  emit updated();
}

void RunController::drain() {
  const auto job = job_;
  if (!job) return;
  RunTap::Batch batch = job->take();
  if (batch.oldest != 0) worst_age_ = std::max<qint64>(worst_age_, mono_now() - batch.oldest);
  for (auto& call : batch.calls) call(*this);
  for (auto& lines : batch.lines) emit log_lines(lines.session, lines.lines, lines.dropped);
  if (!batch.calls.empty() || !batch.lines.empty()) emit updated();
  check_live();
  if (job->result) over();
}

// The checks of the running session's requests, on a thread of their own and seldom enough to cost a tenth of a core.
void RunController::check_live() {
  constexpr std::size_t most = 2000;  // longer sessions are judged when they are over
  const auto job = job_;
  if (checking_ || !data_ || job->records.size() == job->judged || job->records.size() > most) return;
  const MonoNs now = mono_now();
  if (now - job->checked_at < std::max<MonoNs>(500'000'000, 10 * job->check_took)) return;
  reconcile::ExperimentInput input;
  input.simulated = data_->simulated;
  input.attached = !job->options.attach_url.isEmpty();
  input.plan = job->plan;
  input.schedule = plan::schedule(job->plan);
  reconcile::SessionInput s;
  s.record = job->session;
  if (auto arm = plan::for_arm(job->plan, s.record.arm)) s.plan = std::move(*arm);
  if (const auto* arm = plan::find_arm(job->plan, s.record.arm)) s.offload = arm->offload;
  s.identity = job->identity;
  const auto records = job->records;
  job->judged = records.size();
  job->checked_at = now;
  checking_ = true;
  if (checker_.joinable()) checker_.join();
  checker_ = std::jthread([this, job, records, input = std::move(input), s = std::move(s)]() mutable {
    const MonoNs began = mono_now();
    for (const auto& r : records) s.requests.push_back(*r);
    if (auto kv = job->sizes.kv_facts(s.plan)) s.kv = std::move(*kv);
    const std::int64_t row = s.record.id;
    input.sessions.push_back(std::move(s));
    const reconcile::Reconciliation result = reconcile::reconcile(input);
    struct Mark {
      int ordinal;
      bool missed;
      std::int64_t residual;
    };
    std::vector<Mark> marks;
    LiveChecks counts;
    for (const auto& r : result.requests) {
      if (r.warmup) continue;
      ++counts.judged;
      counts.reconciled += r.reconciled;
      const CheckResult* p = r.find("R13");
      marks.push_back({records[r.request]->plan.ordinal, p && p->state == CheckState::fail, p ? std::int64_t(p->residual) : 0});
    }
    const MonoNs took = mono_now() - began;
    QMetaObject::invokeMethod(this, [this, job, row, counts, marks = std::move(marks), took] {
      checking_ = false;
      if (job != job_ || !data_) return;
      job->check_took = took;
      for (const Mark& m : marks) {
        const std::int64_t i = data_->index_of(row, m.ordinal);
        if (i < 0) continue;
        RunRequest& r = data_->requests[std::size_t(i)];
        if (r.missed == m.missed && r.residual == m.residual) continue;
        r.missed = m.missed;
        r.residual = m.residual;
        data_->touch(std::size_t(i));
      }
      if (job->session.id == row) {
        checks_.judged = checks_before_.judged + counts.judged;
        checks_.reconciled = checks_before_.reconciled + counts.reconciled;
      }
      emit checks_changed();
    }, Qt::QueuedConnection);
  });
}

void RunController::over() {
  const auto job = job_;
  tick_.stop();
  if (worker_.joinable()) worker_.join();
  running_ = false;
  stopping_ = false;
  const experiment::RunResult& r = *job->result;
  const QString end = r.end == experiment::RunResult::End::finished  ? QStringLiteral("finished")
                      : r.end == experiment::RunResult::End::stopped ? QStringLiteral("stopped")
                                                                     : QStringLiteral("failed");
  if (data_) {
    data_->live = false;
    data_->state = end;
    data_->why = QString::fromStdString(r.why);
  }
  progress_.paused = false;
  const QString journal = job->journal;
  const QString why = QString::fromStdString(r.why);
  const qint64 experiment = r.experiment;
  job_.reset();
  emit running_changed(false);
  emit updated();
  emit finished(end, why, journal, experiment);
}

}  // namespace kvcliff::ui
