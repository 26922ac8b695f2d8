// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/sources.h"

namespace kvcliff {

std::string_view to_string(Source s) {
  switch (s) {
    case Source::gpu_hit: return "gpu_hit";
    case Source::host_loaded: return "host_loaded";
    case Source::computed: return "computed";
    case Source::unknown: return "unknown";
  }
  return "unknown";
}

std::string_view to_string(Provenance p) {
  switch (p) {
    case Provenance::counter: return "counter";
    case Provenance::body: return "body";
    case Provenance::derived: return "derived";
    case Provenance::none: return "none";
  }
  return "none";
}

std::optional<Tokens> TokenSources::sum() const {
  if (!computed.value || !gpu_hit.value || !host_loaded.value) return std::nullopt;
  return *computed.value + *gpu_hit.value + *host_loaded.value + unknown.value.value_or(Tokens(0));
}

namespace {
Provenance provenance_from(const std::string& s) {
  if (s == "counter") return Provenance::counter;
  if (s == "body") return Provenance::body;
  if (s == "derived") return Provenance::derived;
  return Provenance::none;
}
}  // namespace

void to_json(Json& j, const MeasuredTokens& m) {
  j = Json{{"value", m.value ? Json(m.value->v) : Json(nullptr)}, {"provenance", to_string(m.provenance)}, {"from", m.from}};
  if (!m.value && m.reported) j["reported"] = true;
}
void from_json(const Json& j, MeasuredTokens& m) {
  m.reported = j.value("reported", false);
  m.value = j.at("value").is_null() ? std::nullopt : std::optional(Tokens(j.at("value").get<std::int64_t>()));
  m.provenance = provenance_from(j.at("provenance").get<std::string>());
  m.from = j.at("from").get<std::string>();
}
void to_json(Json& j, const TokenSources& s) {
  j = Json{{"computed", s.computed}, {"gpu_hit", s.gpu_hit}, {"host_loaded", s.host_loaded}, {"unknown", s.unknown}};
}
void from_json(const Json& j, TokenSources& s) {
  j.at("computed").get_to(s.computed);
  j.at("gpu_hit").get_to(s.gpu_hit);
  j.at("host_loaded").get_to(s.host_loaded);
  j.at("unknown").get_to(s.unknown);
}

void to_json(Json& j, const PredictedCount& c) {
  if (c.is_exact())
    j = c.min;
  else
    j = Json{{"min", c.min}, {"max", c.max}, {"mean", c.mean}, {"why", c.why}};
}
void from_json(const Json& j, PredictedCount& c) {
  if (j.is_number()) {
    c = PredictedCount::exact(j.get<std::int64_t>());
  } else {
    c = {j.at("min").get<std::int64_t>(), j.at("max").get<std::int64_t>(), j.at("mean").get<double>(),
         j.value("why", std::string())};
  }
}
void to_json(Json& j, const PredictedSources& s) {
  j = Json{{"computed", s.computed},
           {"gpu_hit", s.gpu_hit},
           {"host_loaded", s.host_loaded},
           {"stored_blocks", s.stored_blocks}};
}
void from_json(const Json& j, PredictedSources& s) {
  j.at("computed").get_to(s.computed);
  j.at("gpu_hit").get_to(s.gpu_hit);
  j.at("host_loaded").get_to(s.host_loaded);
  j.at("stored_blocks").get_to(s.stored_blocks);
}

}  // namespace kvcliff
