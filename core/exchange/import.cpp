// SPDX-License-Identifier: GPL-3.0-or-later
#include "exchange/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/hash.h"
#include "journal/reader.h"
#include "journal/schema.h"
#include "journal/writer.h"
#include "plan/plan.h"

namespace kvcliff::exchange {
namespace {

MonoNs ns(double seconds) { return static_cast<MonoNs>(seconds * 1e9); }

/// The workload as far as the file tells it: a plan that describes what was measured, and starts nothing.
plan::Plan plan_of(const ForeignResult& result, const ImportOptions& o) {
  plan::Plan p;
  p.name = o.name.empty() ? result.tool + (result.model.empty() ? "" : ", " + result.model) : o.name;
  p.engine.adapter = "attach";
  if (!result.model.empty()) p.model.id = result.model;
  p.arms = {{o.arm, o.offload, {}}};
  p.schedule.pairs = 0;
  p.schedule.controls = {o.arm};
  std::int64_t longest = 1;
  for (const auto& r : result.requests) longest = std::max(longest, r.prompt_tokens.value_or(0));
  p.workload.documents = static_cast<std::int64_t>(result.requests.size());
  p.workload.rounds = 1;
  p.workload.tokens = longest;
  // How large the server's cache was is not in the file; the plan only must be able to hold one prompt.
  std::int64_t output = 1;
  for (const auto& r : result.requests) output = std::max(output, r.output_tokens.value_or(0));
  p.workload.output_tokens = output;
  p.capacity.gpu_blocks = std::max(p.capacity.gpu_blocks, (longest + output) / p.capacity.block_size + 2);
  // Counters were not read around single requests, whatever the tool's load was.
  p.load.mode = plan::LoadSpec::Mode::closed;
  p.load.concurrency = static_cast<int>(std::clamp<std::int64_t>(result.concurrency.value_or(1), 1, 4096));
  return p;
}

RequestRecord record_of(const ForeignRequest& q, const ForeignResult& result, int ordinal, MonoNs base, WallNs wall_base) {
  RequestRecord r;
  r.plan.ordinal = ordinal;
  r.plan.document = q.conversation >= 0 ? q.conversation : ordinal;
  r.plan.round = q.turn >= 0 ? q.turn + 1 : 1;
  r.plan.prompt_tokens = q.prompt_tokens.value_or(0);
  r.plan.output_tokens = q.output_tokens.value_or(0);
  StreamRecord& s = r.stream;
  s.outcome = q.outcome;
  s.why = q.outcome == Outcome::complete ? "" : q.error.empty() ? fmt::format("{} counts this request as not complete.", result.tool) : q.error;
  s.error_message = q.error;
  s.request_id = q.id;
  // The lengths are the tool's own count (its tokenizer's), not what an engine stated: usage stays absent.
  s.finish_reason = q.outcome == Outcome::complete ? "length" : "";
  s.saw_done = s.transport_clean = q.outcome == Outcome::complete;
  s.times.t0 = base;
  s.times.queued = s.times.connected = base;
  if (q.ttft_s && *q.ttft_s > 0) {
    MonoNs at = base + ns(*q.ttft_s);
    s.times.first_token = s.times.first_event = s.times.first_byte = s.times.first_content = at;
    s.events.push_back({at, 0, EventKind::token, 0});
    for (const double gap : q.gaps_s) s.events.push_back({at += ns(gap), 0, EventKind::token, 0});
    s.times.last_token = at;
    s.content_events = static_cast<std::int64_t>(s.events.size());
  }
  s.times.end = std::max(s.times.last_token, q.total_s ? base + ns(*q.total_s) : 0);
  r.sent = {base, wall_base};
  const std::string why = result.tool + " does not record the sources of prompt tokens";
  for (auto* m : {&r.sources.computed, &r.sources.gpu_hit, &r.sources.host_loaded, &r.sources.unknown}) m->from = why;
  r.bytes_from = result.tool + " does not record the bytes moved";
  r.not_settled_why = "imported: no counters were read around the request";
  return r;
}

}  // namespace

Result<ForeignExperiment> experiment_of(const ForeignResult& result, std::string_view content, const ImportOptions& o) {
  if (result.requests.empty())
    return fail(ErrorCode::bad_usage, "The result holds no request", o.source, {}, "Import the file of a run that has measured something");
  const plan::Plan p = plan_of(result, o);
  if (const auto faults = plan::validate(p); !faults.empty())
    return fail(ErrorCode::bad_usage, "The result cannot be described as an experiment", o.source, faults.front().what, faults.front().next);
  ForeignExperiment out;
  auto& e = out.experiment;
  e.plan_text = canonical_json(plan::to_json(p));
  e.plan_hash = plan::hash(p);
  e.uid = sha256_hex(std::string(content) + "/" + o.arm).substr(0, 16);
  e.name = p.name;
  e.schedule = Json::array({Json{{"ordinal", 0}, {"arm", o.arm}, {"conditioning", false}, {"pair", -1}}});
  e.method_version = journal::method_version;
  e.program_version = o.program_version;
  e.host = Json::object();
  e.engine = "imported from " + result.tool;
  e.model = result.model;
  e.tags = {"imported"};
  e.note = fmt::format("Imported from {}: times and lengths are its own; this program saw neither the requests nor the counters.", result.tool);
  e.created = result.when.value_or(SystemClock().wall());
  e.ended = e.created;
  e.state = "finished";
  auto& s = out.session;
  s.arm = o.arm;
  s.state = SessionState::finished;
  s.why = "imported from " + result.tool;
  s.effective.model = result.model;
  for (const char* name : {"sources", "load_bytes", "cached_tokens", "token_ids", "usage"}) s.capabilities[name] = {false, result.tool + " does not record it"};
  s.changes.push_back({SessionState::finished, {1, e.created}, s.why});
  double first = 0;
  bool any = false;
  for (const auto& q : result.requests)
    if (q.sent_s && (!any || *q.sent_s < first)) first = *q.sent_s, any = true;
  MonoNs next = 1'000'000'000;  // any start but 0, which means "did not happen"
  const MonoNs origin = next;
  for (const auto& q : result.requests) {
    const MonoNs base = q.sent_s ? origin + ns(*q.sent_s - first) : next;
    out.requests.push_back(record_of(q, result, static_cast<int>(out.requests.size()), base, q.sent_wall.value_or(result.when ? *result.when + (base - origin) : 0)));
    // Without send times requests are laid one after the other, so that none overlap by accident.
    next = std::max(next, out.requests.back().stream.times.end) + 1'000'000;
  }
  return out;
}

Result<Imported> import_foreign(const ForeignResult& result, std::string_view content, const std::string& path, const ImportOptions& options) {
  auto made = experiment_of(result, content, options);
  if (!made) return fail(made.error());
  Imported out;
  out.uid = made->experiment.uid;
  std::error_code ec;
  if (std::filesystem::exists(path, ec) && std::filesystem::file_size(path, ec) > 0) {
    const auto reader = journal::Reader::open(path);
    if (!reader) return fail(reader.error());
    if (const auto there = reader->experiment(out.uid)) {
      out.experiment = there->id;
      out.already_there = true;
      return out;
    }
  }
  auto writer = journal::Writer::open(path);
  if (!writer) return fail(writer.error());
  auto& w = **writer;
  out.experiment = w.put(made->experiment);
  SessionRecord session = made->session;
  session.id = w.put(out.experiment, session);
  w.change_state(out.experiment, session, session.changes.back());
  for (auto& r : made->requests) {
    r.session = session.id;
    r.id = journal::request_id(session.id, r.plan.ordinal);
    ++out.requests;
    out.complete += r.stream.outcome == Outcome::complete ? 1 : 0;
    w.put(std::move(r));
  }
  const auto note = [&](const std::string& words) { w.put(journal::Notice{out.experiment, 0, {1, made->experiment.created}, "info", words}); };
  note("imported from " + result.tool + (options.source.empty() ? "" : ": " + std::filesystem::path(options.source).filename().string()));
  for (const auto& n : result.notes) note(n);
  if (auto r = w.flush(std::chrono::minutes(5)); !r) return fail(r.error());
  return out;
}

}  // namespace kvcliff::exchange
