// SPDX-License-Identifier: GPL-3.0-or-later
// `vllm bench serve`: parallel arrays over the requests in the order of their prompts. Times are seconds; a request that
// failed has a TTFT of 0 and its words in `errors`.
#include <fmt/format.h>
#include <time.h>

#include "exchange/fields.h"
#include "exchange/foreign_result.h"

namespace kvcliff::exchange {
namespace {

/// "20261201-101500", the tool's local time: taken as UTC, which is said.
std::optional<WallNs> date_of(const std::string& text) {
  tm parts{};
  const char* end = strptime(text.c_str(), "%Y%m%d-%H%M%S", &parts);
  if (!end || *end) return std::nullopt;
  return std::int64_t{timegm(&parts)} * 1'000'000'000;
}

const Json* list(const Json& j, const char* name) {
  const Json* v = member(j, name);
  return v && v->is_array() ? v : nullptr;
}
const Json* at(const Json* values, std::size_t i) { return values && i < values->size() ? &(*values)[i] : nullptr; }

}  // namespace

Result<ForeignResult> read_vllm_bench(const Json& j, const std::string& where) {
  const Json* ttfts = list(j, "ttfts");
  if (!ttfts)
    return fail(ErrorCode::bad_usage, "The result holds no single requests", where, "it was saved without its details",
                "Run vllm bench serve with --save-result --save-detailed");
  ForeignResult out;
  out.tool = "vllm bench serve";
  out.model = text(j, {"model_id", "model"});
  out.concurrency = count(j, {"max_concurrency"});
  out.when = date_of(text(j, {"date"}));
  if (out.when) out.notes.push_back("the date of the file has no time zone; it is taken as UTC");
  const Json *inputs = list(j, "input_lens"), *outputs = list(j, "output_lens"), *itls = list(j, "itls"), *errors = list(j, "errors"),
             *starts = list(j, "start_times");
  for (const auto& [name, values] : {std::pair("input_lens", inputs), std::pair("output_lens", outputs), std::pair("itls", itls)})
    if (values && values->size() != ttfts->size())
      return fail(ErrorCode::bad_usage, "The lists of the result differ in length", where,
                  fmt::format("{} has {} entries, ttfts {}", name, values->size(), ttfts->size()), "The file may be put together from several: import them one by one");
  for (std::size_t i = 0; i < ttfts->size(); ++i) {
    ForeignRequest r;
    const auto whole = [&](const Json* values) {
      const auto v = number(at(values, i));
      return v && *v >= 0 ? std::optional(static_cast<std::int64_t>(*v)) : std::nullopt;
    };
    r.prompt_tokens = whole(inputs);
    r.output_tokens = whole(outputs);
    r.sent_s = number(at(starts, i));
    if (const Json* e = at(errors, i); e && e->is_string()) r.error = e->get<std::string>();
    const auto ttft = number(at(ttfts, i));
    if (ttft && *ttft > 0) r.ttft_s = *ttft;
    if (const Json* gaps = at(itls, i); gaps && gaps->is_array()) {
      double total = r.ttft_s.value_or(0);
      for (const auto& g : *gaps)
        if (const auto v = number(&g)) {
          r.gaps_s.push_back(*v);
          total += *v;
        }
      if (r.ttft_s) r.total_s = total;
    }
    if (!r.error.empty()) r.outcome = Outcome::error;
    else if (!r.ttft_s) r.outcome = Outcome::truncated;
    out.requests.push_back(std::move(r));
  }
  return out;
}

}  // namespace kvcliff::exchange
