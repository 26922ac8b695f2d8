// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/evidence.h"

#include <limits>

#include "analysis/advice.h"
#include "base/text.h"
#include "experiment/prepare.h"
#include "reconcile/load.h"
#include "report/report.h"
#include "ui/bridge/document.h"
#include "ui/theme/numbers.h"
#include "ui/theme/plain_text.h"

namespace kvcliff::ui {
namespace {

// Log lines within this time of a request belong to its evidence.
constexpr MonoNs log_margin = 250'000'000;

// A larger run is judged when somebody asks for it: every request with its counters is held in memory.
constexpr std::int64_t judged_unasked = 200'000;
constexpr double judged_bytes = 4096;  // of one request with its checks, as measured with the bench of the window

std::int64_t measured_requests(const std::string& journal, std::int64_t experiment) {
  const auto reader = journal::Reader::open(journal);
  const auto sessions = reader ? reader->sessions(experiment) : Result<std::vector<SessionRecord>>(fail(reader.error()));
  std::int64_t n = 0;
  for (const auto& s : sessions ? *sessions : std::vector<SessionRecord>{})
    if (const auto count = reader->request_count(s.id)) n += count->measured;
  return n;
}

// What a host tier would have to hold for this workload, by the rules of the engine that was measured.
void size_tier(Judged& j) {
  auto sized = analysis::size_tier(j.input);
  j.sizing = std::move(sized.sizing);
  j.sizing_why = std::move(sized.why);
  j.host_chunk_bytes = sized.chunk_bytes;
}

// The predicted curve that a sweep's points are drawn over.
void predict_sweep(Judged& j) {
  auto points = analysis::sweep_points(j.input);
  if (!analysis::is_sweep(points)) return;
  const reconcile::SessionInput* tier = nullptr;
  std::int64_t most = 0;
  for (const auto& s : j.input.sessions)
    if (s.offload && s.plan.workload.documents > most) {
      most = s.plan.workload.documents;
      tier = &s;
    }
  if (!tier || most > cache::most_sized_documents) return;
  experiment::SessionJob job;
  job.arm_plan = tier->plan;
  job.offload = true;
  job.kv_bytes_per_token = tier->kv.bytes_per_token.value_or(0);
  j.sweep_config = experiment::cache_config(job, tier->record.effective.engine_version);
  const auto set = cache::WorkingSet::prepare(tier->plan.workload, j.sweep_config.block_size, j.sweep_config.free_order, int(most), true);
  if (!set) return;
  j.sweep_curve = set->simulate(j.sweep_config, 2);
  j.sweep_document_blocks = set->document_blocks();
  j.sweep = std::move(points);
}

}  // namespace

QString Judged::session_name(std::size_t session) const {
  const auto& r = input.sessions[session].record;
  return QStringLiteral("%1 %2").arg(r.ordinal + 1).arg(shown(r.arm));
}

QString Judged::request_words(int request) const {
  const auto& q = *measured[std::size_t(request)];
  const auto& s = input.sessions[q.session].record;
  const auto& p = record(q).plan;
  QString out = QObject::tr("Request %1: session %2 (%3)").arg(request + 1).arg(s.ordinal + 1).arg(shown(s.arm));
  if (p.round >= 0) out += QObject::tr(", round %1").arg(p.round);
  if (p.document >= 0) out += QObject::tr(", document %1").arg(p.document + 1);
  return out;
}

QString Judged::gates_word() const { return shown(report::gates_word(evaluation)); }
QString Judged::watermark() const { return shown(report::watermark(input, evaluation)); }

QString Judged::caption() const {
  std::string version;
  for (const auto& s : input.sessions)
    if (version.empty()) version = s.record.effective.engine_version;
  return QStringLiteral("run %1 \u00b7 plan %2 \u00b7 %3 %4 \u00b7 kvcliff %5 \u00b7 gates %6")
      .arg(shown(input.run_id), shown(input.plan_hash.substr(0, 12)),
           shown(input.plan.engine.adapter), shown(version),
           shown(input.program_version), gates_word());
}

Result<JudgedPtr> judge(const std::string& journal, const std::string& experiment, const ModelSizes& sizes, journal::Depth depth) {
  reconcile::LoadOptions options;
  options.depth = depth;
  options.kv = [&sizes](const plan::Plan& p) { return sizes.kv_facts(p); };
  auto judgement = analysis::judge(journal, experiment, options);
  if (!judgement) return fail(judgement.error());
  auto out = std::make_shared<Judged>();
  static_cast<analysis::Judgement&>(*out) = std::move(*judgement);
  for (const auto& q : out->evaluation.reconciliation.requests)
    if (!q.warmup) out->measured.push_back(&q);
  size_tier(*out);
  predict_sweep(*out);
  return JudgedPtr(std::move(out));
}

Evidence::Evidence(Document& document, const QString& resources, QObject* parent)
    : QObject(parent), document_(document), sizes_(std::make_shared<ModelSizes>(resources)) {
  pool_.setMaxThreadCount(2);
  connect(&document, &Document::experiment_changed, this, &Evidence::reload);
  connect(&document, &Document::request_selected, this, &Evidence::load_detail);
}

Evidence::~Evidence() {
  pool_.clear();
  pool_.waitForDone();
}

void Evidence::reload() { load(judged_unasked); }
void Evidence::judge_all() { load(std::numeric_limits<std::int64_t>::max()); }

void Evidence::load(std::int64_t most_requests) {
  const std::uint64_t generation = ++generation_;
  ++detail_generation_;
  detail_.reset();
  if (document_.experiment() == 0) {
    judged_.reset();
    error_.clear();
    loading_ = asks_ = false;
    emit changed();
    return;
  }
  loading_ = true;
  asks_ = false;
  emit changed();
  pool_.start([this, generation, most_requests, sizes = sizes_, journal = document_.journal().toStdString(), experiment = document_.experiment()] {
    const std::int64_t requests = measured_requests(journal, experiment);
    const bool asks = requests > most_requests;
    auto result = asks ? Result<JudgedPtr>(JudgedPtr()) : judge(journal, std::to_string(experiment), *sizes);
    QString error = result ? QString() : shown(result.error().sentence());
    if (asks)
      error = tr("This run has %1 requests. Judging them all takes memory of about %2 GiB and some time; Run shows them as they are.")
                  .arg(exact(requests), QLocale().toString(double(requests) * judged_bytes / (1 << 30), 'f', 1));
    QMetaObject::invokeMethod(
        this,
        [this, generation, asks, error = std::move(error), value = result ? *result : JudgedPtr()] {
          if (generation != generation_) return;
          asks_ = asks;
          judged_ = value;
          error_ = error;
          loading_ = false;
          emit changed();
          if (judged_ && document_.selected_request() >= 0) load_detail(document_.selected_request());
        },
        Qt::QueuedConnection);
  });
}

void Evidence::load_detail(int request) {
  const std::uint64_t generation = ++detail_generation_;
  if (!judged_ || request < 0 || std::size_t(request) >= judged_->measured.size()) {
    detail_.reset();
    emit detail_changed();
    return;
  }
  const RequestRecord& known = judged_->record(request);
  pool_.start([this, generation, request, session = known.session, ordinal = known.plan.ordinal, journal = document_.journal().toStdString()] {
    auto d = std::make_shared<RequestDetail>();
    d->request = request;
    auto reader = journal::Reader::open(journal);
    if (reader) {
      auto record = reader->request(session, ordinal, journal::Depth::raw);
      if (record) d->record = std::move(*record);
      else d->error = shown(record.error().sentence());
      const auto scrape = [&](std::int64_t row, std::optional<CounterSnapshot>& into) {
        if (row == 0) {
          d->scrapes_why = tr("no scrape was made around this request");
          return;
        }
        auto s = reader->scrape(row, true);
        if (s) into = std::move(*s);
        else d->scrapes_why = shown(s.error().sentence());
      };
      scrape(d->record.scrape_before, d->before);
      scrape(d->record.scrape_after, d->after);
      if (auto log = reader->log(session)) {
        d->log_lines = log->size();
        const MonoNs from = d->record.sent.mono - log_margin;
        const MonoNs to = std::max(d->record.stream.times.end, d->record.sent.mono) + log_margin;
        for (auto& line : *log)
          if (line.at.mono >= from && line.at.mono <= to) d->log.push_back(std::move(line));
      }
    } else {
      d->error = shown(reader.error().sentence());
    }
    QMetaObject::invokeMethod(
        this,
        [this, generation, d] {
          if (generation != detail_generation_) return;
          detail_ = d;
          emit detail_changed();
        },
        Qt::QueuedConnection);
  });
}

}  // namespace kvcliff::ui
