// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/judge.h"

#include <fmt/format.h>

#include "base/clock.h"
#include "journal/writer.h"

namespace kvcliff::analysis {
namespace {

// The KV size of each arm's model: the only fact of a verdict that does not lie in the journal.
Json kv_sizes(const reconcile::ExperimentInput& input) {
  Json out = Json::object();
  for (const auto& s : input.sessions) out[s.record.arm] = s.kv.bytes_per_token ? Json(*s.kv.bytes_per_token) : Json();
  return out;
}

// Why this program may conclude otherwise from an untouched journal; empty: it may not.
std::string other_facts(const Json& sealed, const reconcile::ExperimentInput& input) {
  for (const auto& s : input.sessions)
    if (!s.kv.bytes_per_token) return "the KV size of the model is not known here: " + s.kv.from;
  const auto then = sealed.find("kv_bytes_per_token");
  if (then == sealed.end()) return {};  // sealed by a version that did not write them down
  const Json now = kv_sizes(input);
  for (const auto& [arm, size] : now.items())
    if (then->is_object() && then->contains(arm) && (*then)[arm] != size)
      return fmt::format("the KV size of the model in arm {} was {} then and is {} bytes per token here", arm,
                         (*then)[arm].is_null() ? "unknown" : (*then)[arm].dump() + " bytes", size.dump());
  return {};
}

}  // namespace

Json sealed_document(const Judgement& j) {
  return Json{{"verdict", to_string(j.evaluation.decision.verdict)},
              {"reconciled", j.evaluation.reconciliation.reconciled},
              {"requests", j.evaluation.reconciliation.measured},
              {"kv_bytes_per_token", kv_sizes(j.input)}};
}

Result<Judgement> judge(const std::string& journal, const std::string& experiment, const reconcile::LoadOptions& options) {
  const auto reader = journal::Reader::open(journal);
  if (!reader) return fail(reader.error());
  auto input = reconcile::load(*reader, experiment, options);
  if (!input) return fail(input.error());
  Judgement out;
  out.input = std::move(*input);
  out.evaluation = evaluate(out.input);
  const auto record = reader->experiment(experiment);
  if (!record) return out;
  const auto sealed = reader->sealed_results(record->id);
  if (!sealed) return out;
  const std::string now(to_string(out.evaluation.decision.verdict));
  for (const auto& s : *sealed) {
    const std::string then = s.document.is_object() ? s.document.value("verdict", std::string()) : std::string();
    if (then.empty() || then == now) continue;
    if (s.method_version != reconcile::method_version) {
      out.notes.push_back(fmt::format("Method version {} gave \"{}\"; version {} gives \"{}\".", s.method_version, then,
                                      reconcile::method_version, now));
      continue;
    }
    const std::string why = other_facts(s.document, out.input);
    if (why.empty())
      return fail(ErrorCode::corrupt, fmt::format("The sealed verdict of this run is \"{}\", its events give \"{}\"", then, now),
                  journal + ", experiment " + out.input.run_id,
                  "both by method version " + s.method_version + ": the journal was changed after it was sealed",
                  "use an untouched copy of the journal");
    out.notes.push_back(fmt::format("The sealed verdict is \"{}\"; here it is \"{}\", because {}.", then, now, why));
  }
  return out;
}

Result<void> seal(const std::string& journal, std::int64_t experiment, const Judgement& j) {
  auto writer = journal::Writer::open(journal);
  if (!writer) return fail(writer.error());
  (*writer)->put(journal::SealedResult{experiment, reconcile::method_version, SystemClock().wall(), sealed_document(j)});
  return (*writer)->flush(std::chrono::seconds(60));
}

}  // namespace kvcliff::analysis
