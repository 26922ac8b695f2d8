// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"
#include "record/stream.h"

namespace kvcliff::exchange {

/// One request as another tool measured it. What its file does not say is absent.
struct ForeignRequest {
  std::string id;
  Outcome outcome = Outcome::complete;
  std::string error;                             ///< the tool's own words
  std::optional<std::int64_t> prompt_tokens, output_tokens;
  std::optional<double> sent_s;                  ///< on the tool's clock; only differences mean anything
  std::optional<WallNs> sent_wall;               ///< UTC, where the tool writes it
  std::optional<double> ttft_s, total_s;
  std::vector<double> gaps_s;                    ///< between one token event and the next
  int conversation = -1, turn = -1;              ///< where the workload has them, from 0
};

/// What a result file holds.
struct ForeignResult {
  std::string tool;                              ///< "vllm bench serve", "AIPerf", "GuideLLM", "inference-perf"
  std::string model;                             ///< empty: not stated
  std::optional<WallNs> when;                    ///< start of the run, UTC
  std::optional<std::int64_t> concurrency;       ///< as the tool was told; absent: not stated
  std::vector<ForeignRequest> requests;
  std::vector<std::string> notes;                ///< what was left out, and why
};

/// Reads a result of another tool, recognised by its content:
///   vllm bench serve  the JSON of --save-result with --save-detailed (input_lens, ttfts, itls)
///   AIPerf            profile_export.jsonl (a record per line)
///   GuideLLM          benchmarks.json with requests
///   inference-perf    per_request_lifecycle_metrics.json
/// Errors: bad_usage (unknown content; a summary without single requests, with the option that writes them; a broken
/// line with its number). `where` names the source in messages.
Result<ForeignResult> read_foreign(std::string_view text, const std::string& where);

// One per tool; each is given a document of its own kind.
Result<ForeignResult> read_vllm_bench(const Json& document, const std::string& where);
Result<ForeignResult> read_guidellm(const Json& document, const std::string& where);
Result<ForeignResult> read_inference_perf(const Json& document, const std::string& where);
Result<ForeignResult> read_aiperf(const std::vector<Json>& records, const std::string& where);

}  // namespace kvcliff::exchange
