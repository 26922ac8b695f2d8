// SPDX-License-Identifier: GPL-3.0-or-later
// The runner's side of a live run: services, and the observer that turns its calls into values for the window.
#include "ui/bridge/run_job.h"

#include <fmt/format.h>

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

#include "engine/adapter.h"
#include "host/facts.h"
#include "host/preflight.h"
#include "journal/writer.h"

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

Json RunController::Job::preflight(const plan::Plan& arm) const {
  const bool real = arm.engine.adapter != "emulator";
  const bool tier = std::any_of(arm.arms.begin(), arm.arms.end(), [](const plan::Arm& a) { return a.offload; });
  host::Needs needs;
  needs.host_bytes = tier && real ? arm.capacity.host_bytes : 0;  // the emulator pins no memory
  needs.ranks = arm.model.tp * arm.model.pp;
  needs.gpus = arm.engine.adapter == "vllm" ? needs.ranks : 0;
  needs.journal = journal.toStdString();
  needs.journal_bytes = 64 << 20;
  Json out = Json::array();
  for (const auto& item : host::check_machine(needs, host::read_facts(needs.gpus > 0))) out.push_back(host::to_json(item));
  return out;
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
  const bool attach = !options.attach_url.isEmpty();
  const std::string engine_name = attach ? "attach" : plan.engine.adapter;
  auto adapter = engine::make_adapter(engine_name, engine_name == "emulator" ? std::string() : resources.toStdString());
  if (!adapter) return failed(adapter.error());
  auto launcher = process::make_launcher(plan.launcher);
  if (!launcher) return failed(launcher.error());
  experiment::RunOptions run;
  run.program_version = KVCLIFF_VERSION;
  run.plan_text = canonical_json(plan::to_json(as_written));
  run.time_scale = options.time_scale;
  run.resume = options.resume;
  run.attach_url = options.attach_url.toStdString();
  run.host = host::to_json(host::read_facts(false));
  if (engine_name == "emulator") {
    const auto path = emulator_path();
    if (!path) return failed(path.error());
    run.engine_program = *path;
    if (options.time_scale != 1.0) run.engine_args = {"--emulate-time-scale", fmt::format("{}", options.time_scale)};
  }
  QDir().mkpath(QFileInfo(journal).absolutePath());
  prepare_outlines();
  journal::Writer::Options writing;
  writing.notice = [this](const std::string& words) {
    const QString text = QString::fromStdString(words);
    post([text](RunController& c) { emit c.noticed(QStringLiteral("journal"), text); });
  };
  experiment::RunResult ended;
  {
    auto writer = journal::Writer::open(journal.toStdString(), writing);
    if (!writer) return failed(writer.error());
    for (const auto& n : (*writer)->opening_notices()) noticed({0, 0, {}, "info", n});
    const engine::Adapter& speaks = **adapter;
    const experiment::Services services{
        speaks, **launcher, **writer, [this](const plan::Plan& p) { return kv_bytes(p); },
        [&speaks](const engine::Endpoint& at, const plan::Plan& p) { return experiment::connect_http(speaks, at, p); },
        [this](const plan::Plan& arm, const engine::Endpoint&) { return preflight(arm); }};
    ended = experiment::run_experiment(plan, run, services, control, {this}, journal.toStdString());
  }
  // Only now is the journal closed whole; readers may take it from here.
  post([this, ended](RunController&) { result = ended; });
}

}  // namespace kvcliff::ui
