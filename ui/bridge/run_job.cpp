// SPDX-License-Identifier: GPL-3.0-or-later
// The runner's side of a live run: services, and the observer that turns its calls into values for the window.
#include "ui/bridge/run_job.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

#include "analysis/judge.h"
#include "experiment/run_plan.h"
#include "host/facts.h"

namespace kvcliff::ui {
namespace {

// The emulator lies beside this program, or where $KVCLIFF_EMULATOR says.
Result<std::string> emulator_path() {
  const QString given = qEnvironmentVariable("KVCLIFF_EMULATOR");
  const QString path = given.isEmpty() ? QCoreApplication::applicationDirPath() + QStringLiteral("/kvcliff-emulator") : given;
  if (QFileInfo(path).isExecutable()) return path.toStdString();
  return fail(ErrorCode::not_found, "The emulator is not there", path.toStdString(),
              given.isEmpty() ? "it belongs beside this program" : "$KVCLIFF_EMULATOR names it",
              "Install it, or set $KVCLIFF_EMULATOR to its path");
}

}  // namespace

void RunTap::post(Call call) {
  const std::lock_guard guard(mutex_);
  if (batch_.calls.empty()) batch_.oldest = mono_now();
  batch_.calls.push_back(std::move(call));
}

RunTap::Batch RunTap::take() {
  const std::lock_guard guard(mutex_);
  Batch out = std::move(batch_);
  batch_ = {};
  held_ = 0;
  return out;
}

void RunTap::log_lines(std::int64_t session, const std::vector<LogLine>& lines) {
  const std::lock_guard guard(mutex_);
  if (batch_.lines.empty() || batch_.lines.back().session != session) batch_.lines.push_back({session, {}, 0});
  Lines& to = batch_.lines.back();
  to.lines.insert(to.lines.end(), lines.begin(), lines.end());
  held_ += lines.size();
  // The journal has every line; the window shows the newest.
  while (held_ > lines_kept && !batch_.lines.empty()) {
    Lines& oldest = batch_.lines.front();
    const std::size_t n = std::min(oldest.lines.size(), held_ - lines_kept);
    oldest.lines.erase(oldest.lines.begin(), oldest.lines.begin() + std::ptrdiff_t(n));
    oldest.dropped += std::int64_t(n);
    held_ -= n;
    if (!oldest.lines.empty() || batch_.lines.size() == 1) break;
    batch_.lines.pop_front();
  }
}

Result<std::int64_t> RunController::Job::kv_bytes(const plan::Plan& p) const {
  const auto layout = sizes.layout(p);
  if (!layout) return fail(layout.error());
  return layout->bytes_per_token_all_ranks;
}

void RunController::Job::failed(const Error& e) {
  experiment::RunResult r;
  r.error = e;
  r.why = e.sentence();
  post([this, r](RunController&) { result = r; });
}

void RunController::Job::prepare_outlines() {
  for (const plan::SessionPlan& s : plan::schedule(plan)) {
    if (outlines_.count(s.arm)) continue;
    auto job = experiment::prepare(plan, s, 1, [this](const plan::Plan& p) { return kv_bytes(p); });
    if (!job) continue;  // the runner says why
    (void)experiment::predict(*job, plan.engine.version, {}, job->requests);
    block_bytes_ = job->kv_bytes_per_token * job->arm_plan.capacity.block_size;
    auto& list = outlines_[s.arm];
    for (const PlannedRequest& p : job->requests) {
      RunRequest r;
      r.document = p.document;
      r.round = p.round;
      r.prompt_tokens = p.prompt_tokens;
      r.predicted = {p.predicted.gpu_hit.mean, p.predicted.host_loaded.mean, p.predicted.computed.mean};
      list.push_back(r);
    }
  }
}

void RunController::Job::run() {
  experiment::RunOrder order;
  order.plan = plan;
  order.as_written = as_written;
  order.journal = journal.toStdString();
  order.resources = resources.toStdString();
  order.options.program_version = KVCLIFF_VERSION;
  order.options.time_scale = options.time_scale;
  order.options.resume = options.resume;
  order.options.attach_url = options.attach_url.toStdString();
  order.kv_bytes = [this](const plan::Plan& p) { return kv_bytes(p); };
  order.layers = [this](const plan::Plan& p) {
    const auto layout = sizes.layout(p);
    return layout ? layout->dimensions.layers : std::nullopt;
  };
  if (plan.engine.adapter == "emulator" && options.attach_url.isEmpty() && plan.launcher.kind == "local") {
    const auto path = emulator_path();
    if (!path) return failed(path.error());
    order.emulator = *path;
  }
  order.journal_notice = [this](const std::string& words) {
    const QString text = QString::fromStdString(words);
    post([text](RunController& c) { emit c.noticed(QStringLiteral("journal"), text); });
  };
  order.doing = [this](const std::string& words) { tell_doing(QString::fromStdString(words)); };
  QDir().mkpath(QFileInfo(journal).absolutePath());
  prepare_outlines();
  const experiment::RunResult ended = experiment::run_plan(order, control, {this});
  if (ended.end == experiment::RunResult::End::finished) seal(ended.experiment);
  // Only now is the journal closed whole; readers may take it from here.
  post([this, ended](RunController&) { result = ended; });
}

void RunController::Job::tell_doing(const QString& words) {
  post([words](RunController& c) { c.progress_.doing = words; });
}

// As the command line does: the verdict goes into the journal with the method that made it.
void RunController::Job::seal(std::int64_t experiment) {
  tell_doing(QCoreApplication::translate("kvcliff::ui::RunController", "judging the run"));
  reconcile::LoadOptions reading;
  reading.kv = [this](const plan::Plan& p) { return sizes.kv_facts(p); };
  const auto judgement = analysis::judge(journal.toStdString(), std::to_string(experiment), reading);
  const auto sealed = judgement ? analysis::seal(journal.toStdString(), experiment, *judgement) : Result<void>(fail(judgement.error()));
  if (!sealed) noticed({experiment, 0, {}, "warning", "The verdict was not sealed into the journal. " + sealed.error().sentence()});
}

}  // namespace kvcliff::ui
