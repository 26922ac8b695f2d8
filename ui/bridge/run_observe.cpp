// SPDX-License-Identifier: GPL-3.0-or-later
// Observer calls of a run, on its thread: each becomes a call with whole values for the GUI thread.
#include "ui/bridge/run_job.h"

#include "ui/bridge/time_prediction.h"
#include "ui/theme/plain_text.h"

namespace kvcliff::ui {

void RunController::Job::started(const journal::ExperimentRecord& e, const std::vector<SessionRecord>& attempts) {
  auto d = std::make_shared<RunData>();
  if (options.resume != 0) {
    if (auto read = read_run(journal.toStdString(), e.id)) *d = std::move(*read);
  }
  d->live = true;
  d->journal = journal;
  d->experiment = e.id;
  d->name = shown(e.name);
  d->model = shown(e.model);
  d->engine = shown(e.engine);
  d->uid = shown(e.uid);
  d->plan_hash = shown(e.plan_hash);
  d->simulated = e.simulated;
  d->state = QStringLiteral("running");
  d->block_bytes = block_bytes_;
  std::vector<RunSession> sessions;
  std::vector<RunRequest> requests;
  std::size_t done = 0;
  for (const SessionRecord& record : attempts) {
    RunSession s;
    s.row = record.id;
    s.ordinal = record.ordinal;
    s.first = requests.size();
    if (const auto* arm = plan::find_arm(plan, record.arm)) s.offload = arm->offload;
    s.gpu_blocks = plan.capacity.gpu_blocks;
    if (s.offload) s.host_bytes = plan.capacity.host_bytes;
    const RunSession* kept = record.state == SessionState::finished ? d->session_of(record.id) : nullptr;
    if (kept) {
      for (std::size_t i = kept->first; i < kept->first + kept->count; ++i) requests.push_back(d->requests[i]);
      s.count = kept->count;
      s.done = kept->done;
      done += s.done;
    } else {
      const auto& list = outlines_[record.arm];
      requests.insert(requests.end(), list.begin(), list.end());
      s.count = list.size();
    }
    for (std::size_t i = s.first; i < requests.size(); ++i) requests[i].session = std::int32_t(sessions.size());
    sessions.push_back(std::move(s));
  }
  d->sessions = std::move(sessions);
  d->requests = std::move(requests);
  d->done = done;
  d->newest = -1;
  for (const SessionRecord& record : attempts) d->put(record);
  const double scale = options.time_scale != 1.0 ? options.time_scale : emulated_scale(plan.engine.extra_args);
  predict_times(*d, plan, sizes, e.host, scale);
  d->touch_all();
  post([d](RunController& c) {
    c.data_ = d;
    emit c.started();
  });
}

void RunController::Job::session_changed(const SessionRecord& record) {
  post([this, record](RunController& c) {
    if (!c.data_) return;
    if (session.id != record.id) {
      records.clear();
      identity.reset();
      judged = 0;
      c.checks_before_ = c.checks_;
      c.server_ = {};
      c.server_.session = record.id;
    }
    session = record;
    c.data_->put(record);
    if (record.effective.simulated) c.data_->simulated = true;
  });
}

void RunController::Job::request_started(std::int64_t row, const PlannedRequest& planned) {
  PlannedRequest p = planned;
  p.prompt.clear();
  p.block_hashes.clear();
  post([row, p = std::move(p), now = mono_now()](RunController& c) {
    if (!c.data_) return;
    c.data_->begin_request(row, p);
    c.stream_ = {};
    c.stream_.session = row;
    c.stream_.index = p.warmup ? -1 : c.data_->index_of(row, p.ordinal);
    c.stream_.ordinal = p.ordinal;
    c.stream_.warmup = p.warmup;
    c.stream_.began = now;
  });
}

void RunController::Job::stream_events(std::int64_t row, int ordinal, const std::vector<StreamEvent>& events) {
  post([row, ordinal, events](RunController& c) {
    if (c.stream_.session != row || c.stream_.ordinal != ordinal) return;
    auto& kept = c.stream_.events;
    kept.insert(kept.end(), events.begin(), events.end());
    if (kept.size() > 4096) kept.erase(kept.begin() + 1, kept.end() - 2048);  // the first one has the TTFT
  });
}

void RunController::Job::stream_ended(std::int64_t row, int ordinal, const StreamRecord& stream) {
  StreamRecord lean = stream;
  lean.raw.clear();
  lean.events.clear();
  post([row, ordinal, lean = std::move(lean)](RunController& c) {
    if (!c.data_) return;
    c.data_->stream_ended(row, ordinal, lean);
    if (c.stream_.session != row || c.stream_.ordinal != ordinal) return;
    c.stream_.ended = true;
    c.stream_.times = lean.times;
    c.stream_.text = lean.text;
  });
}

void RunController::Job::request_finished(const RequestRecord& record) {
  auto copy = std::make_shared<RequestRecord>(record);
  copy->stream.raw.clear();
  post([this, copy](RunController& c) {
    if (!c.data_) return;
    c.data_->put(*copy);
    records.push_back(copy);
    if (copy->loaded_bytes) {
      const auto bytes = double(copy->loaded_bytes->v);
      const auto took = copy->delta.value("kv_offload_load_time");
      if (!copy->plan.warmup) c.server_.rates.push_back(took && *took > 0 ? bytes / *took : 0);
      if (c.server_.rates.size() > 24) c.server_.rates.erase(c.server_.rates.begin());
    }
    if (c.stream_.session == copy->session && c.stream_.ordinal == copy->plan.ordinal) {
      c.stream_.ended = true;
      c.stream_.settled = copy->settled;
      c.stream_.times = copy->stream.times;
      c.stream_.text = copy->stream.text;
    }
  });
}

void RunController::Job::scraped(std::int64_t row, const CounterSnapshot& page) {
  CounterSnapshot lean = page;
  lean.raw.reset();
  post([this, row, lean = std::move(lean)](RunController& c) {
    ServerReading& s = c.server_;
    if (s.session != row) s = ServerReading{.session = row};
    ++s.readings;
    s.error = shown(lean.error);
    if (!lean.good()) return;
    s.gpu_usage = lean.value("kv_cache_usage_perc");
    s.running = lean.value("num_requests_running");
    s.waiting = lean.value("num_requests_waiting");
    s.loaded_bytes = lean.value("kv_offload_load_bytes");
    s.stored_bytes = lean.value("kv_offload_store_bytes");
    if (!identity && session.id == row) identity = lean;
  });
}

void RunController::Job::progress(const experiment::Progress& p) {
  RunProgress out;
  out.sessions = p.sessions;
  out.sessions_done = p.sessions_done;
  out.session = p.session;
  out.requests = p.requests;
  out.requests_done = p.requests_done;
  if (p.left) out.left_ns = p.left->count();
  out.paused = p.paused;
  out.doing = shown(p.doing);
  post([out](RunController& c) { c.progress_ = out; });
}

void RunController::Job::noticed(const journal::Notice& n) {
  const QString severity = shown(n.severity), text = shown(n.text);
  post([severity, text](RunController& c) { emit c.noticed(severity, text); });
}

}  // namespace kvcliff::ui
