// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/run_data.h"

#include <QObject>
#include <cmath>

#include "base/json.h"
#include "journal/reader.h"
#include "plan/plan.h"
#include "ui/theme/numbers.h"
#include "ui/theme/plain_text.h"

namespace kvcliff::ui {
namespace {

// The largest share names the request; a tie goes to the one that cost more.
template <class Array>
std::optional<Source> largest(const Array& values) {
  static constexpr Source order[] = {Source::computed, Source::host_loaded, Source::gpu_hit, Source::unknown};
  std::optional<Source> best;
  double most = 0;
  for (const Source s : order) {
    const auto i = static_cast<std::size_t>(s);
    if (i >= values.size() || double(values[i]) <= most) continue;
    most = double(values[i]);
    best = s;
  }
  return best;
}

std::int64_t count_of(const MeasuredTokens& m) { return m.value ? m.value->v : -1; }

}  // namespace

Source RunRequest::main_source() const { return largest(tokens).value_or(Source::unknown); }
Source RunRequest::predicted_source() const { return largest(predicted).value_or(Source::unknown); }

void RunData::touch(std::size_t i) {
  ++version;
  if (dirty_high <= dirty_low) {
    dirty_low = i;
    dirty_high = i + 1;
    return;
  }
  dirty_low = std::min(dirty_low, i);
  dirty_high = std::max(dirty_high, i + 1);
}

void RunData::touch_all() {
  ++version;
  dirty_low = 0;
  dirty_high = std::max<std::size_t>(1, requests.size());
}

RunSession* RunData::session_of(std::int64_t row) {
  for (RunSession& s : sessions)
    if (s.row == row) return &s;
  return nullptr;
}

std::int64_t RunData::index_of(std::int64_t row, int ordinal) const {
  for (const RunSession& s : sessions) {
    if (s.row != row) continue;
    // Measured requests follow the warm-up, so ordinals run on from the first one that was sent.
    for (std::size_t i = s.first; i < s.first + s.count; ++i) {
      if (requests[i].ordinal == ordinal) return std::int64_t(i);
      if (requests[i].ordinal >= 0) {
        const std::int64_t at = std::int64_t(i) + ordinal - requests[i].ordinal;
        return at >= std::int64_t(s.first) && at < std::int64_t(s.first + s.count) ? at : -1;
      }
      break;
    }
  }
  return -1;
}

void RunData::put(const SessionRecord& r) {
  RunSession* s = session_of(r.id);
  if (!s) {
    // Another attempt of the same place in the schedule.
    for (RunSession& other : sessions)
      if (other.ordinal == r.ordinal) s = &other;
    if (!s) return;
    s->row = r.id;
  }
  s->attempt = r.attempt;
  s->arm = shown(r.arm);
  s->conditioning = r.conditioning;
  s->state = r.state;
  s->why = shown(r.why);
  s->url = shown(r.url);
  s->pid = r.pid;
  if (!r.effective.engine_version.empty()) s->version = shown(r.effective.engine_version);
  if (r.effective.gpu_blocks) s->gpu_blocks = r.effective.gpu_blocks;
  if (r.effective.host_bytes) s->host_bytes = r.effective.host_bytes;
  for (const StateChange& c : r.changes) {
    if (c.state == SessionState::planned) continue;
    if (s->began == 0) s->began = c.at.mono;
    s->ended = c.at.mono;
  }
}

void RunData::begin_request(std::int64_t row, const PlannedRequest& p) {
  if (p.warmup) return;
  RunSession* s = session_of(row);
  if (!s || s->count == 0) return;
  std::int64_t i = index_of(row, p.ordinal);
  if (i < 0) i = std::int64_t(s->first);
  RunRequest& r = requests[std::size_t(i)];
  r.ordinal = p.ordinal;
  r.document = p.document;
  r.round = p.round;
  r.prompt_tokens = p.prompt_tokens;
  r.state = RequestState::Running;
  r.predicted = {p.predicted.gpu_hit.mean, p.predicted.host_loaded.mean, p.predicted.computed.mean};
  newest = i;
  touch(std::size_t(i));
}

void RunData::stream_ended(std::int64_t row, int ordinal, const StreamRecord& stream) {
  const std::int64_t i = index_of(row, ordinal);
  if (i < 0) return;
  RunRequest& r = requests[std::size_t(i)];
  r.state = RequestState::Streamed;
  r.outcome = stream.outcome;
  if (const auto ttft = stream.ttft()) r.ttft_ns = *ttft;
  touch(std::size_t(i));
}

void RunData::put(const RequestRecord& record) {
  if (record.plan.warmup) return;
  const std::int64_t i = index_of(record.session, record.plan.ordinal);
  if (i < 0) return;
  RunRequest& r = requests[std::size_t(i)];
  if (r.state != RequestState::Done) {
    ++done;
    if (RunSession* s = session_of(record.session)) ++s->done;
  }
  r.state = RequestState::Done;
  r.outcome = record.stream.outcome;
  r.document = record.plan.document;
  r.round = record.plan.round;
  r.prompt_tokens = record.plan.prompt_tokens;
  r.tokens = {count_of(record.sources.gpu_hit), count_of(record.sources.host_loaded), count_of(record.sources.computed),
              count_of(record.sources.unknown)};
  if (const auto ttft = record.stream.ttft()) r.ttft_ns = *ttft;
  if (record.stream.times.end > record.stream.times.t0 && record.stream.times.t0 > 0)
    r.total_ns = record.stream.times.end - record.stream.times.t0;
  touch(std::size_t(i));
}

void RunData::append(std::size_t session, const journal::ChartRow& row) {
  if (row.warmup) return;
  RunSession& s = sessions[session];
  RunRequest r;
  r.session = std::int32_t(session);
  r.ordinal = row.ordinal;
  r.document = row.document;
  r.round = row.round;
  r.state = RequestState::Done;
  r.outcome = row.outcome;
  r.prompt_tokens = row.prompt_tokens;
  r.tokens = {row.gpu_hit, row.host_loaded, row.computed, row.unknown};
  r.predicted = {row.predicted_gpu_hit, row.predicted_host_loaded, row.predicted_computed};
  r.ttft_ns = row.ttft_ns;
  r.total_ns = row.total_ns;
  requests.push_back(r);
  newest = std::int64_t(requests.size()) - 1;
  ++s.count;
  ++s.done;
  ++done;
}

QString RunData::done_words() const {
  return QObject::tr("%1 of %2").arg(exact(qint64(done)), exact(qint64(requests.size())));
}

QString RunData::caption() const {
  QStringList parts;
  if (!uid.isEmpty()) parts << QObject::tr("run %1").arg(uid);
  if (!plan_hash.isEmpty()) parts << QObject::tr("plan %1").arg(plan_hash.left(12));
  if (!model.isEmpty()) parts << model;
  if (!engine.isEmpty()) parts << engine;
  if (simulated) parts << QObject::tr("simulated");
  return parts.join(QStringLiteral(" \u00b7 "));
}

QString words_of(SessionState state) {
  switch (state) {
    case SessionState::planned: return QObject::tr("planned");
    case SessionState::preflight: return QObject::tr("preflight");
    case SessionState::launching: return QObject::tr("launching");
    case SessionState::ready: return QObject::tr("ready");
    case SessionState::warming: return QObject::tr("warming");
    case SessionState::measuring: return QObject::tr("measuring");
    case SessionState::settling: return QObject::tr("settling");
    case SessionState::stopping: return QObject::tr("stopping");
    case SessionState::finished: return QObject::tr("finished");
    case SessionState::failed: return QObject::tr("failed");
    case SessionState::stopped_by_user: return QObject::tr("stopped by user");
    case SessionState::superseded: return QObject::tr("superseded");
  }
  return {};
}

Result<RunData> read_run(const std::string& path, std::int64_t experiment) {
  const auto reader = journal::Reader::open(path);
  if (!reader) return fail(reader.error());
  const auto e = reader->experiment(std::to_string(experiment));
  if (!e) return fail(e.error());
  RunData d;
  d.journal = QString::fromStdString(path);
  d.experiment = e->id;
  d.name = shown(e->name);
  d.model = shown(e->model);
  d.engine = shown(e->engine);
  d.uid = shown(e->uid);
  d.plan_hash = shown(e->plan_hash);
  d.state = shown(e->state);
  d.why = shown(e->why);
  d.simulated = e->simulated;
  d.plan_text = e->plan_text;
  d.host = e->host;
  plan::Plan plan;
  if (const auto json = parse_json(e->plan_text, path)) plan = plan::parse(*json).plan;
  auto sessions = reader->sessions(e->id);
  if (!sessions) return fail(sessions.error());
  for (const SessionRecord& record : *sessions) {
    // Earlier attempts stay in the journal; totals and charts are about the newest of each place.
    if (!d.sessions.empty() && d.sessions.back().ordinal == record.ordinal) {
      d.requests.resize(d.sessions.back().first);
      d.done -= d.sessions.back().done;
      d.sessions.pop_back();
    }
    RunSession s;
    s.row = record.id;
    s.ordinal = record.ordinal;
    s.first = d.requests.size();
    if (const auto* arm = plan::find_arm(plan, record.arm)) s.offload = arm->offload;
    s.gpu_blocks = plan.capacity.gpu_blocks;
    if (s.offload) s.host_bytes = plan.capacity.host_bytes;
    d.sessions.push_back(std::move(s));
    d.put(record);
    auto rows = reader->chart_rows(record.id);
    if (!rows) return fail(rows.error());
    d.requests.reserve(d.requests.size() + rows->size());
    for (const auto& row : *rows) d.append(d.sessions.size() - 1, row);
    // What was planned and never sent: places without numbers, so that a stopped run shows what is missing.
    const auto arm_plan = plan::for_arm(plan, record.arm);
    const auto planned = arm_plan ? plan::request_count(*arm_plan) : std::nullopt;
    RunSession& back = d.sessions.back();
    while (planned && std::int64_t(back.count) < *planned && back.count < 100'000) {
      RunRequest r;
      r.session = std::int32_t(d.sessions.size() - 1);
      d.requests.push_back(r);
      ++back.count;
    }
  }
  d.touch_all();
  return d;
}

}  // namespace kvcliff::ui
