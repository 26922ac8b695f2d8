// SPDX-License-Identifier: GPL-3.0-or-later
// Field cases about metrics: one driver reads expect.txt and asks what `inspect metrics` prints.
#include <gtest/gtest.h>

#include <clocale>
#include <functional>
#include <map>

#include "attribution/window_report.h"
#include "base/text.h"
#include "support/data.h"
#include "support/expect_file.h"

namespace kvcliff::attribution {
namespace {

/// Which files and options a part of a case stands for.
struct Input {
  std::vector<std::string> files;
  std::string model;
  std::optional<std::int64_t> prompt_tokens, block_size;
  bool cancelled = false;
};

Json report_of(const std::string& slug, const Input& in) {
  std::vector<NamedSnapshot> scrapes;
  for (const auto& file : in.files) scrapes.push_back(scrape_from(file, test::read("cases/" + slug + "/" + file), in.model));
  AttributionOptions options;
  options.prompt_tokens = in.prompt_tokens;
  options.block_size = in.block_size;
  options.cancelled = in.cancelled ? 1 : 0;
  return window_report(scrapes, options);
}

bool has_flag(const Json& j, const std::string& part) {
  for (const auto& f : j.at("flags"))
    if (f.get<std::string>().find(part) != std::string::npos) return true;
  return false;
}

/// Keys of expect.txt name quantities; this maps them once.
Json lookup(const Json& j, const std::string& key) {
  static const std::map<std::string, std::string> pointers{
      {"computed", "/sources/computed"}, {"gpu_hit", "/sources/gpu_hit"}, {"host_loaded", "/sources/host_loaded"},
      {"host_used", "/sources/host_loaded"}, {"host_transferred", "/host_transferred"}, {"recomputed", "/recomputed"},
      {"reconciled", "/reconciled"}, {"valid", "/valid"}, {"reason", "/reason"}, {"exclusive", "/exclusive"},
      {"loaded_bytes", "/loaded_bytes"}, {"lookup_excess", "/lookup_excess"}, {"unit", "/lookup_unit"},
      {"hit_rate", "/gpu_hit_share"}, {"gpu_hit_share", "/gpu_hit_share"}, {"host_share_of_prompt", "/host_share"},
      {"parse_errors", "/parse_errors"}, {"kv_usage", "/counters/kv_cache_usage_perc"},
      {"kv_usage_after", "/counters/kv_cache_usage_perc"}, {"kv_usage_after.headline", "/counters/kv_cache_usage_perc"},
      {"exported_json.kv_usage", "/counters/kv_cache_usage_perc"}, {"prompt_tokens", "/counters/prompt_tokens"},
      {"prefix_cache_hits", "/counters/prefix_cache_hits"}, {"kv_offload_load_time_s", "/counters/kv_offload_load_time"},
      {"ttft_sum_s", "/counters/time_to_first_token_seconds_sum"},
      {"ttft_count", "/counters/time_to_first_token_seconds_count"}, {"odd_gauge.neg", "/counters/odd_gauge/neg"},
      {"up", "/counters/up"}, {"bare_gauge", "/counters/bare_gauge"}, {"model", "/model"},
      {"other_models", "/other_models/0"}, {"finished", "/delta/request_success"}, {"block_size", "/block_size"},
      {"served_by_engine", "/engines_moved/0"}, {"attribution_from", "/sources/from/computed"},
      {"kv_usage_after.engine0", "/by_engine/kv_cache_usage_perc/0"},
      {"kv_usage_after.engine1", "/by_engine/kv_cache_usage_perc/1"}, {"load_bandwidth", "/load_bytes_per_second"}};
  std::string pointer;
  if (const auto it = pointers.find(key); it != pointers.end()) pointer = it->second;
  else if (key.rfind("delta.", 0) == 0) pointer = "/delta/" + key.substr(6);
  else throw std::runtime_error("no mapping of the key " + key);
  const Json::json_pointer p(pointer);
  return j.contains(p) ? j.at(p) : Json(nullptr);
}

double sum_of(const Json& v) {
  if (v.is_number()) return v.get<double>();
  double sum = 0;
  for (const auto& part : v) sum += part.get<double>();
  return sum;
}

void expect(const Json& j, const test::Expectation& e) {
  SCOPED_TRACE("expect.txt line " + std::to_string(e.line) + ": " + e.key + " " + e.op + " " + e.value);
  // Words that are findings, not quantities.
  if (e.key == "note") { EXPECT_TRUE(has_flag(j, e.value)) << j.at("flags"); return; }
  if (e.key == "sum_of_sources") {
    const Json& s = j.at("sources");
    EXPECT_EQ(s.at("computed").get<double>() + s.at("gpu_hit").get<double>() + s.at("host_loaded").get<double>() + j.value("recomputed_moved", 0), *parse_double(e.value));
    return;
  }
  if (e.key == "engines_moved") {
    std::string joined;
    for (const auto& x : j.at("engines_moved")) joined += (joined.empty() ? "" : ", ") + x.get<std::string>();
    EXPECT_EQ(joined, e.value);
    return;
  }
  const Json got = lookup(j, e.key);
  if (e.value == "none") { EXPECT_TRUE(got.is_null()) << got; return; }
  if (e.value == "unknown") { EXPECT_TRUE(got == "unknown" || got.is_null()) << got; return; }
  if (e.value == "yes" || e.value == "no") { EXPECT_EQ(got, Json(e.value == "yes")) << j.value("reason", "") << j.at("flags"); return; }
  std::string_view text = e.value;
  double scale = 1, slack = 0;
  if (text.size() > 2 && text.substr(text.size() - 2) == " %") { text.remove_suffix(2); scale = 0.01; slack = 0.0006; }
  if (text.size() > 5 && text.substr(text.size() - 5) == " GB/s") { text.remove_suffix(5); scale = 1e9; slack = 0.0006e9; }
  if (const auto number = parse_double(text); number && (got.is_number() || got.is_object())) {
    EXPECT_NEAR(sum_of(got), *number * scale, slack);
  } else {
    std::string want(text);
    if (want.size() > 1 && want.front() == '"') want = Json::parse(want).get<std::string>();
    ASSERT_TRUE(got.is_string()) << got;
    EXPECT_NE(got.get<std::string>().find(want), std::string::npos) << got;
  }
}

void run(const std::string& slug, const std::function<std::vector<Input>(const std::string&)>& inputs,
         const std::function<bool(const test::Expectation&)>& ours = {}) {
  int checked = 0;
  for (const auto& e : test::read_expectations(slug)) {
    if (ours && !ours(e)) continue;
    for (const auto& in : inputs(e.part)) {
      std::string names;
      for (const auto& f : in.files) names += f + " ";
      SCOPED_TRACE(slug + ": " + names);
      expect(report_of(slug, in), e);
      ++checked;
    }
  }
  EXPECT_GT(checked, 0) << slug;
}

Input pair_of(const std::string& before, const std::string& after, std::optional<std::int64_t> prompt = {},
              std::optional<std::int64_t> block = {}) {
  return {{before, after}, {}, prompt, block, false};
}

const auto before_after = [](const std::string&) { return std::vector<Input>{pair_of("before.prom", "after.prom")}; };

TEST(MetricsCases, CreatedSeriesAreNoCounts) { run("019-created-series", before_after); }

TEST(MetricsCases, BothSpellingsAreOneCounter) {
  run("020-total-suffix", [](const std::string&) {
    std::vector<Input> all;
    for (const char* kind : {"total", "bare", "both", "family"})
      all.push_back(pair_of(std::string(kind) + "-before.prom", std::string(kind) + "-after.prom"));
    all.push_back(pair_of("total-before.prom", "bare-after.prom"));
    return all;
  });
}

TEST(MetricsCases, EnginesAreSummedAndSharesAreNot) {
  run("022-several-engines", [](const std::string& part) {
    const bool both = part == "before -> after-both-moved";
    return std::vector<Input>{pair_of("before.prom", both ? "after-both-moved.prom" : "after.prom", 1100)};
  });
}

TEST(MetricsCases, TwoEnginesThatMovedMeanForeignTrafficAlsoWithoutUsage) {
  const Json j = report_of("022-several-engines", pair_of("before.prom", "after-both-moved.prom"));
  EXPECT_EQ(j.at("reconciled"), false);
  EXPECT_EQ(j.at("sources").at("gpu_hit"), "unknown");
}

TEST(MetricsCases, LabelValuesAreReadCharacterByCharacter) {
  const std::string slug = "023-label-escapes";
  const std::vector<std::pair<std::string, int>> want{
      {"C:\\models\\new \"8b\", {v2} a=b", 512}, {"line1\nline2, x=\"1\"} 77", 0}, {"ends-with-backslash\\", 0}};
  for (const auto& [model, moved] : want) {
    Input in = pair_of("before.prom", "after.prom");
    in.model = model;
    const Json j = report_of(slug, in);
    EXPECT_EQ(j.at("delta").at("prompt_tokens"), moved) << model;
    EXPECT_EQ(j.at("parse_errors"), 0);
    EXPECT_EQ(j.at("other_models").size(), 2u);
    EXPECT_EQ(j.at("model"), model);
  }
}

TEST(MetricsCases, AResetMakesThePairInvalid) {
  run("025-counter-reset", [](const std::string& part) -> std::vector<Input> {
    if (part == "before -> after") return {pair_of("before.prom", "after.prom")};
    if (part == "bounce-1 -> bounce-2") return {pair_of("bounce-1.prom", "bounce-2.prom")};
    if (part == "bounce-1 -> bounce-3") return {pair_of("bounce-1.prom", "bounce-3.prom")};
    return {};  // bounce-2 -> bounce-3 shows itself over all three only: below
  });
  const Json j = report_of("025-counter-reset", {{"bounce-1.prom", "bounce-2.prom", "bounce-3.prom"}, {}, {}, {}, false});
  EXPECT_EQ(j.at("valid"), false);
  EXPECT_EQ(j.at("reason"), "different processes answer");
  EXPECT_EQ(j.at("pairs")[0].at("reason"), "counter went down");
  EXPECT_EQ(j.at("pairs")[1].at("valid"), false);
  EXPECT_EQ(j.at("pairs")[1].at("reason"), "different processes answer");
  EXPECT_EQ(j.at("pairs")[1].at("sources").at("gpu_hit"), "unknown");
}

TEST(MetricsCases, OddNumbersAreReadOrNotAvailable) {
  run("026-nan-inf-exponent", before_after);
  const Json j = report_of("026-nan-inf-exponent", pair_of("before.prom", "after.prom"));
  EXPECT_EQ(j.dump().find(":NaN"), std::string::npos);
  EXPECT_TRUE(j.at("counters").at("odd_gauge").at("plus").is_null());
}

TEST(MetricsCases, AnAnswerThatIsNoPageIsAFailedScrape) {
  const std::string slug = "028-metrics-redirect";
  const auto read = [&](const char* file) { return scrape_from(file, test::read("cases/" + slug + "/" + file), {}).snapshot; };
  EXPECT_EQ(read("answer-2.http").value("prompt_tokens"), 77.0);
  EXPECT_EQ(read("answer-html.http").error, "not a metrics page");
  EXPECT_NE(read("answer-1.http").error.find("redirect"), std::string::npos);
  EXPECT_NE(read("answer-other-host.http").error.find("inner.example:9000"), std::string::npos);
  EXPECT_EQ(scrape_from("empty", "", {}).snapshot.error, "the metrics page is empty");
}

TEST(MetricsCases, AFailedScrapeLeavesBothItsPairsUnknown) {
  const std::string slug = "029-metrics-500-completions-fine";
  const Json j = report_of(slug, {{"scrape-1.prom", "scrape-2.http", "scrape-3.prom"}, {}, {}, {}, false});
  const auto& pairs = j.at("pairs");
  EXPECT_EQ(pairs[0].at("reason"), "scrape after: HTTP 500");
  EXPECT_EQ(pairs[1].at("reason"), "scrape before: HTTP 500");
  for (const auto& p : pairs) {
    EXPECT_EQ(p.at("sources").at("gpu_hit"), "unknown");
    EXPECT_TRUE(p.at("delta").empty());
  }
  const Json span = report_of(slug, pair_of("scrape-1.prom", "scrape-3.prom"));
  EXPECT_EQ(span.at("delta").at("prompt_tokens"), 2048);
  EXPECT_EQ(span.at("delta").at("prefix_cache_hits"), 1008);
}

TEST(MetricsCases, NumbersDoNotDependOnTheLocale) {
  const auto ours = [](const test::Expectation& e) { return e.key.rfind("config.", 0) != 0; };
  const char* const was = std::setlocale(LC_ALL, nullptr);
  const std::string saved = was ? was : "C";
  for (const char* locale : {"C", "de_DE.UTF-8", "fr_FR.UTF-8"}) {
    std::setlocale(LC_ALL, locale);  // not installed: stays as it is
    run("031-decimal-comma-locale", [](const std::string&) { return std::vector<Input>{{{"page.prom"}, {}, {}, {}, false}}; }, ours);
  }
  std::setlocale(LC_ALL, saved.c_str());
}

TEST(MetricsCases, OddButLegalLinesCount) {
  run("032-odd-but-legal-lines", [](const std::string&) { return std::vector<Input>{{{"page.prom"}, {}, {}, {}, false}}; });
}

TEST(MetricsCases, RepeatedLookupsAreAFactorNotAnError) {
  run("034-lookup-retried-while-waiting",
      [](const std::string&) { return std::vector<Input>{pair_of("before.prom", "after.prom", 1024)}; });
}

TEST(MetricsCases, ExternalLookupsAreNoSource) {
  run("035-external-lookups-old-and-new-meaning", [](const std::string&) {
    return std::vector<Input>{pair_of("before.prom", "after-old.prom"), pair_of("before.prom", "after-new.prom")};
  });
}

TEST(MetricsCases, TheLastTokenIsBookedOnce) {
  run("037-last-token-counted-in-two-sources", [](const std::string& part) {
    return std::vector<Input>{pair_of(part + "-before.prom", part + "-after.prom", 1024)};
  });
}

TEST(MetricsCases, HitsInBlocksAreConverted) {
  const std::string slug = "040-hits-in-blocks-not-tokens";
  for (const auto& e : test::read_expectations(slug)) {
    // The last two lines are for an unknown block size.
    const bool known = e.line < 7;
    expect(report_of(slug, pair_of("before.prom", "after.prom", 1024, known ? std::optional<std::int64_t>(16) : std::nullopt)), e);
  }
}

TEST(MetricsCases, AnUnnamedUnitIsFoundByCountingThePromptsBlocks) {
  const std::string page = "vllm:prompt_tokens_total{engine=\"0\",model_name=\"m\"} %P\nvllm:prefix_cache_queries_total{engine=\"0\",model_name=\"m\"} %Q\nvllm:prefix_cache_hits_total{engine=\"0\",model_name=\"m\"} %H\n";
  const auto make = [&](const char* p, const char* q, const char* h) {
    std::string s = page;
    s.replace(s.find("%P"), 2, p).replace(s.find("%Q"), 2, q).replace(s.find("%H"), 2, h);
    return scrape_from("page", s, {});
  };
  AttributionOptions options;
  options.block_size = 16;
  options.prompt_tokens = 1000;
  const auto blocks = attribute(make("0", "0", "0").snapshot, make("1000", "62", "60").snapshot, nullptr, options);
  EXPECT_EQ(blocks.lookup_unit, "blocks");
  EXPECT_EQ(blocks.sources.gpu_hit.value, Tokens(960));
  EXPECT_EQ(blocks.sources.computed.value, Tokens(40));
  const auto tokens = attribute(make("0", "0", "0").snapshot, make("1000", "1000", "960").snapshot, nullptr, options);
  EXPECT_EQ(tokens.lookup_unit, "tokens");
  EXPECT_EQ(tokens.sources.gpu_hit.value, Tokens(960));
}

TEST(MetricsCases, AZeroHitBelowOneBlockIsExplained) {
  run("041-prefix-shorter-than-one-block",
      [](const std::string& part) -> std::vector<Input> {
        if (part.empty()) return {};  // the block size comes from the log: see the engine's tests
        return {pair_of(part + "-before.prom", part + "-after.prom", {}, 1600)};
      });
}

TEST(MetricsCases, ARequestThatSkipsTheCacheIsComputed) {
  run("043-prompt-logprobs-skips-the-cache", before_after,
      [](const test::Expectation& e) { return e.key != "in_warm_statistics"; });
}

TEST(MetricsCases, AnotherSaltIsCold) {
  const Json j = report_of("044-salt-or-adapter-makes-it-cold", pair_of("before.prom", "after.prom", 1024));
  EXPECT_EQ(j.at("sources").at("computed"), 1024);
  EXPECT_EQ(j.at("sources").at("gpu_hit"), 0);
  EXPECT_EQ(j.at("reconciled"), true);
  EXPECT_TRUE(j.at("flags").empty()) << j.at("flags");
}

TEST(MetricsCases, ACancelledRequestMayOrMayNotBeCounted) {
  run("046-aborted-request-not-in-success-count",
      [](const std::string&) {
        Input abort = pair_of("before.prom", "after-abort.prom"), uncounted = pair_of("before.prom", "after-uncounted.prom");
        abort.cancelled = uncounted.cancelled = true;
        return std::vector<Input>{abort, uncounted};
      },
      [](const test::Expectation& e) { return e.key != "outcome" && e.key != "in_ttft_statistics"; });
}

TEST(MetricsCases, ForeignRequestsMakeTheWindowUnknown) {
  run("047-other-clients-in-the-window", [](const std::string& part) {
    const auto after = part.substr(part.rfind(' ') + 1) + ".prom";
    return std::vector<Input>{pair_of("before.prom", after, 1024)};
  });
}

TEST(MetricsCases, LoadsAreAttributedWithTheirBandwidth) {
  run("056-load-slower-than-compute", before_after,
      [](const test::Expectation& e) { return e.key.rfind("saving", 0) != 0; });
}

TEST(MetricsCases, AHostHitAfterAResetIsSeen) {
  run("059-reset-leaves-host-tier-full", before_after,
      [](const test::Expectation& e) { return e.key != "label" && e.key != "note"; });
}

}  // namespace
}  // namespace kvcliff::attribution
