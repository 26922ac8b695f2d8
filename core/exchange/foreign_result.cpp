// SPDX-License-Identifier: GPL-3.0-or-later
#include "exchange/foreign_result.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "exchange/fields.h"

namespace kvcliff::exchange {
namespace {

Error unknown(const std::string& where, const std::string& why) {
  return Error{ErrorCode::bad_usage, "This is no result that can be imported", where, why,
               "Known: a journal or bundle of this program; vllm bench serve --save-result --save-detailed; AIPerf profile_export.jsonl; "
               "GuideLLM benchmarks.json; inference-perf per_request_lifecycle_metrics.json"};
}

bool is_aiperf_record(const Json& j) {
  const Json* metrics = member(j, "metrics");
  return metrics && metrics->is_object() && member(j, "metadata");
}

/// Python writes NaN, Infinity and -Infinity where JSON has no word; here they become null, which means unknown. Texts stay.
std::string with_nulls(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quoted && text[i] == '\\' && i + 1 < text.size()) {
      out += text[i++];
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (!quoted) {
      const auto rest = text.substr(i);
      const auto word = [&](std::string_view w) { return rest.substr(0, w.size()) == w ? w.size() : 0; };
      if (const std::size_t n = std::max({word("NaN"), word("Infinity"), word("-Infinity")}); n > 0) {
        out += "null";
        i += n - 1;
        continue;
      }
    }
    out += text[i];
  }
  return out;
}

Json parse_loosely(std::string_view text) {
  Json j = Json::parse(text.begin(), text.end(), nullptr, false);
  return j.is_discarded() ? Json::parse(with_nulls(text), nullptr, false) : j;
}

Result<ForeignResult> read_lines(std::string_view text, const std::string& where) {
  std::vector<Json> records;
  std::size_t number = 0;
  for (const auto line : split(text, '\n')) {
    ++number;
    if (trim(line).empty()) continue;
    Json j = parse_loosely(line);
    if (j.is_discarded() || !j.is_object())
      return fail(records.empty() ? unknown(where, "it is neither a JSON document nor JSON lines")
                                  : Error{ErrorCode::bad_usage, "A line of the result cannot be read", fmt::format("{}, line {}", where, number),
                                          "it is not a JSON object", "The file may be cut: copy it again from where the tool wrote it"});
    if (!is_aiperf_record(j)) return fail(unknown(where, fmt::format("line {} has no metadata and metrics", number)));
    records.push_back(std::move(j));
  }
  if (records.empty()) return fail(unknown(where, "it is empty"));
  return read_aiperf(records, where);
}

}  // namespace

Result<ForeignResult> read_foreign(std::string_view text, const std::string& where) {
  const Json document = parse_loosely(text);
  if (document.is_discarded()) return read_lines(text, where);
  if (document.is_array()) {
    if (!document.empty() && member(document.front(), "start_time") && member(document.front(), "end_time")) return read_inference_perf(document, where);
    return fail(unknown(where, document.empty() ? "it is an empty list" : "it is a list of something else"));
  }
  if (member(document, "benchmarks")) return read_guidellm(document, where);
  if (is_aiperf_record(document)) return read_aiperf({document}, where);
  if (member(document, "ttfts") || document.contains("mean_ttft_ms") || (member(document, "input_lens") && member(document, "output_lens"))) return read_vllm_bench(document, where);
  if (member(document, "time_to_first_token") && (member(document, "aiperf_version") || member(document, "input_config")))
    return fail(ErrorCode::bad_usage, "The result holds no single requests", where, "it is AIPerf's summary", "Import profile_export.jsonl, which lies beside it");
  return fail(unknown(where, "its fields are not those of a known tool"));
}

}  // namespace kvcliff::exchange
