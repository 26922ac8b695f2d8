// SPDX-License-Identifier: GPL-3.0-or-later
// Windows that look whole and are not: units that do not fit, other models, restarts, cut answers. Small pages inline.
#include <gtest/gtest.h>

#include "attribution/window_report.h"

namespace kvcliff::attribution {
namespace {

std::string sample(const std::string& name, double value, const std::string& labels = R"(engine="0",model_name="m")") {
  return "vllm:" + name + "{" + labels + "} " + std::to_string(value) + "\n";
}

/// A page of the first generation: prompt tokens, look-ups, hits.
std::string old_page(double prompt, double lookups, double hits, const std::string& help = {}) {
  return sample("prompt_tokens_total", prompt) + help + sample("gpu_prefix_cache_queries_total", lookups) +
         sample("gpu_prefix_cache_hits_total", hits);
}

const char* const in_blocks = "# HELP vllm:gpu_prefix_cache_hits_total in blocks\n";

Json report_of(const std::vector<std::string>& pages, std::optional<std::int64_t> prompt = {}, std::optional<std::int64_t> block = {}) {
  std::vector<NamedSnapshot> scrapes;
  for (std::size_t i = 0; i < pages.size(); ++i) scrapes.push_back(scrape_from("page " + std::to_string(i), pages[i], {}));
  AttributionOptions options;
  options.prompt_tokens = prompt;
  options.block_size = block;
  return window_report(scrapes, options);
}

bool has_flag(const Json& j, const std::string& part) {
  for (const auto& f : j.at("flags"))
    if (f.get<std::string>().find(part) != std::string::npos) return true;
  return false;
}

TEST(LookupUnit, FewerLookupsThanThePromptHasTokensAreNoTokens) {
  const Json j = report_of({old_page(0, 0, 0), old_page(1024, 64, 63)}, 1024);
  EXPECT_EQ(j.at("lookup_unit"), "blocks");
  EXPECT_EQ(j.at("sources").at("gpu_hit"), "unknown");
  EXPECT_EQ(j.at("sources").at("computed"), "unknown");
  EXPECT_NEAR(j.at("gpu_hit_share").get<double>(), 0.984, 0.001);
  EXPECT_EQ(j.at("reconciled"), false);
  EXPECT_EQ(j.at("reason"), "the hits count blocks, and the block size is not known");
  const Json known = report_of({old_page(0, 0, 0), old_page(1024, 64, 63)}, 1024, 16);
  EXPECT_EQ(known.at("sources").at("gpu_hit"), 1008);
  EXPECT_EQ(known.at("reconciled"), true);
}

TEST(LookupUnit, LookupsThatAreNeitherTokensNorTheFullBlocksLeaveTheHitsOpen) {
  for (const double lookups : {65.0, 63.0, 700.0}) {
    const Json j = report_of({old_page(0, 0, 0), old_page(1030, lookups, 60)}, 1030, 16);
    EXPECT_EQ(j.at("sources").at("gpu_hit"), "unknown") << lookups;
    EXPECT_EQ(j.at("reconciled"), false) << lookups;
    EXPECT_EQ(j.at("lookup_unit"), lookups < 515 ? "blocks" : "unknown");
    EXPECT_NE(j.at("reason").get<std::string>().find("neither the 1030 tokens"), std::string::npos) << j.at("reason");
  }
  const Json none = report_of({old_page(0, 0, 0), old_page(1030, 65, 0)}, 1030);
  EXPECT_EQ(none.at("sources").at("gpu_hit"), 0) << "no hit is no hit in any unit";
  EXPECT_EQ(none.at("sources").at("computed"), 1030);
}

TEST(LookupUnit, RepeatedLookupsOfBlocksAreAFactorAndNoSource) {
  const Json j = report_of({old_page(0, 0, 0, in_blocks), old_page(1024, 128, 20, in_blocks)}, 1024, 16);
  EXPECT_EQ(j.at("lookup_unit"), "blocks");
  EXPECT_EQ(j.at("sources").at("gpu_hit"), "unknown");
  EXPECT_EQ(j.at("sources").at("computed"), "unknown");
  EXPECT_TRUE(j.at("gpu_hit_share").is_null());
  EXPECT_EQ(j.at("lookup_excess"), 2.0);
  EXPECT_TRUE(has_flag(j, "lookups repeated"));
  EXPECT_EQ(j.at("reconciled"), false);
  const Json partial = report_of({old_page(0, 0, 0, in_blocks), old_page(1030, 65, 64, in_blocks)}, 1030, 16);
  EXPECT_EQ(partial.at("sources").at("gpu_hit"), 1024) << "a partial last block that is looked up as well is no repeat";
  EXPECT_FALSE(partial.contains("lookup_excess"));
}

std::string two_models(double ours, double theirs, double running = 0, const std::string& extra = {}) {
  const std::string lora = R"(engine="0",model_name="lora")";
  return sample("prompt_tokens_total", ours) + sample("prefix_cache_queries_total", ours) +
         sample("prefix_cache_hits_total", 0) + sample("prompt_tokens_total", theirs, lora) +
         sample("num_requests_running", running, lora) + extra;
}

TEST(OtherModels, TheirTrafficMakesTheWindowNotExclusiveAndIsNotMixedIn) {
  const Json j = report_of({two_models(0, 100), two_models(1024, 800)}, 1024);
  EXPECT_EQ(j.at("model"), "m");
  EXPECT_EQ(j.at("exclusive"), false);
  EXPECT_EQ(j.at("reconciled"), false);
  EXPECT_EQ(j.at("reason"), "requests of another model in the window");
  EXPECT_TRUE(has_flag(j, R"("lora": prompt_tokens 700)")) << j.at("flags");
  EXPECT_EQ(j.at("delta").at("prompt_tokens"), 1024);
  EXPECT_EQ(j.at("sources").at("computed"), 1024) << "counted apart, so ours are known";
  EXPECT_FALSE(j.at("delta").contains("other_models.prompt_tokens"));
  EXPECT_FALSE(j.at("counters").contains("other_models.prompt_tokens"));
}

TEST(OtherModels, OneThatRunsCountsBeforeItsTokensDo) {
  EXPECT_EQ(report_of({two_models(0, 100, 1), two_models(1024, 100, 0)}, 1024).at("exclusive"), false);
  EXPECT_EQ(report_of({two_models(0, 100, 0), two_models(1024, 100, 1)}, 1024).at("exclusive"), false);
  const Json idle = report_of({two_models(0, 100), two_models(1024, 100)}, 1024);
  EXPECT_EQ(idle.at("exclusive"), true);
  EXPECT_EQ(idle.at("reconciled"), true);
}

TEST(OtherModels, AModelThatComesOrGoesWasUsedAndIsNoReset) {
  const std::string ours = sample("prompt_tokens_total", 1024) + sample("prefix_cache_queries_total", 1024) + sample("prefix_cache_hits_total", 0);
  const Json gone = report_of({two_models(0, 100), ours}, 1024);
  EXPECT_EQ(gone.at("valid"), true) << gone.value("reason", "");
  EXPECT_EQ(gone.at("exclusive"), false);
  const std::string fresh = sample("prompt_tokens_total", 0) + sample("prefix_cache_queries_total", 0) + sample("prefix_cache_hits_total", 0);
  EXPECT_EQ(report_of({fresh, two_models(1024, 50)}, 1024).at("exclusive"), false);
}

TEST(OtherModels, PagesReadForDifferentModelsAreNotSubtracted) {
  const std::string lora = R"(engine="0",model_name="lora")";
  const Json j = report_of({sample("prompt_tokens_total", 10), sample("prompt_tokens_total", 500, lora)});
  EXPECT_EQ(j.at("valid"), false);
  EXPECT_NE(j.at("reason").get<std::string>().find("different models"), std::string::npos);
}

std::string two_engines(double second, double born) {
  const std::string one = R"(engine="1",model_name="m")";
  return sample("prompt_tokens_total", 1000) + sample("prompt_tokens_total", second, one) +
         sample("prompt_tokens_created", 1.76e9) + sample("prompt_tokens_created", born, one);
}

TEST(BirthTimes, ARestartOfOneEngineIsSeenThoughItsCountsEndAboveTheOldOnes) {
  const Json j = report_of({two_engines(100, 1.7600001e9), two_engines(612, 1.7609001e9)});
  EXPECT_EQ(j.at("valid"), false);
  EXPECT_EQ(j.at("reason"), "process restarted");
  EXPECT_EQ(report_of({two_engines(100, 1.7600001e9), two_engines(612, 1.7600001e9)}).at("valid"), true);
}

TEST(BirthTimes, AnEarlierOneIsAnotherProcessToo) {
  EXPECT_EQ(report_of({two_engines(100, 1.7600005e9), two_engines(612, 1.7600001e9)}).at("reason"), "process restarted");
}

TEST(BirthTimes, AHistogramAndOneOfSeveralProcessesTellAsWell) {
  const auto page = [](double prompt, double histogram_born, double older_start) {
    return sample("prompt_tokens_total", prompt) + sample("time_to_first_token_seconds_sum", 1) + sample("time_to_first_token_seconds_count", 1) +
           sample("time_to_first_token_seconds_created", histogram_born) + "process_start_time_seconds{pid=\"1\"} " +
           std::to_string(older_start) + "\nprocess_start_time_seconds{pid=\"2\"} 9000\n";
  };
  EXPECT_EQ(report_of({page(1, 50, 1000), page(2, 50, 1000)}).at("valid"), true);
  EXPECT_EQ(report_of({page(1, 50, 1000), page(2, 60, 1000)}).at("valid"), false);
  EXPECT_EQ(report_of({page(1, 50, 1000), page(2, 50, 2000)}).at("valid"), false);
}

std::string started(double start, double prompt) {
  return "process_start_time_seconds " + std::to_string(start) + "\n" + sample("prompt_tokens_total", prompt) +
         sample("prefix_cache_queries_total", prompt) + sample("prefix_cache_hits_total", 0);
}

TEST(Processes, APairAfterAKnownRestartIsGood) {
  const Json j = report_of({started(1000, 500), started(2000, 10), started(2000, 700)});
  EXPECT_EQ(j.at("pairs")[0].at("reason"), "process restarted");
  EXPECT_EQ(j.at("pairs")[1].at("valid"), true) << j.at("pairs")[1].dump();
  EXPECT_EQ(j.at("pairs")[1].at("delta").at("prompt_tokens"), 690);
  EXPECT_EQ(j.at("valid"), false);
  EXPECT_EQ(j.at("reason"), "process restarted");
}

TEST(Processes, OnesThatAnswerInTurnAreToldByStartByBirthOrByCounts) {
  const Json by_start = report_of({started(1000, 500), started(2000, 10), started(1000, 700), started(1000, 900)});
  EXPECT_EQ(by_start.at("reason"), "different processes answer");
  EXPECT_EQ(by_start.at("pairs")[1].at("valid"), false);
  EXPECT_EQ(by_start.at("pairs")[2].at("valid"), true) << "both pages name one process";
  const Json by_birth = report_of({two_engines(100, 1.7600001e9), two_engines(300, 1.7600005e9), two_engines(700, 1.7600001e9)});
  EXPECT_EQ(by_birth.at("reason"), "different processes answer");
  const Json by_counts = report_of({old_page(500, 0, 0), old_page(10, 0, 0), old_page(700, 0, 0)});
  EXPECT_EQ(by_counts.at("reason"), "different processes answer");
  EXPECT_EQ(by_counts.at("pairs")[1].at("valid"), false);
}

TEST(Answers, ACutBodyIsNoPage) {
  const std::string page = old_page(1024, 1024, 512);
  const auto with = [&](const std::string& head, const std::string& body) {
    return scrape_from("answer", "HTTP/1.1 200 OK\r\n" + head + "\r\n" + body, {}).snapshot;
  };
  EXPECT_TRUE(with("content-length: " + std::to_string(page.size()) + "\r\n", page).good());
  EXPECT_NE(with("content-length: 999\r\n", page).error.find("not whole"), std::string::npos);
  EXPECT_NE(with("transfer-encoding: chunked\r\n", "7\r\nvllm:pr\r\n").error.find("last chunk"), std::string::npos);
  EXPECT_TRUE(with("", page).good()) << "delimited by the connection: nothing says that it was cut";
  // gzip of "up 1\n", without its last bytes.
  const std::string packed("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x2b\x2d\x50\x30\xe4\x02\x00", 17);
  const auto cut = with("content-encoding: gzip\r\ncontent-length: 17\r\n", packed);
  EXPECT_NE(cut.error.find("compressed body is cut"), std::string::npos) << cut.error;
  const Json j = report_of({old_page(0, 0, 0), "HTTP/1.1 200 OK\r\ncontent-length: 999\r\n\r\n" + page});
  EXPECT_EQ(j.at("valid"), false);
  EXPECT_EQ(j.at("reconciled"), false);
}

TEST(Answers, APageOfQuotedNamesIsAPageAndJsonIsNone) {
  const auto s = scrape_from("page", "{\"vllm:prompt_tokens_total\",engine=\"0\",model_name=\"m\"} 1024\n", {}).snapshot;
  ASSERT_TRUE(s.good()) << s.error;
  EXPECT_EQ(s.value("prompt_tokens"), 1024.0);
  EXPECT_EQ(s.model, "m");
  for (const char* json : {R"({"detail":"Not Found"})", "{}", "{\"detail\":\"Not Fo"})
    EXPECT_EQ(scrape_from("page", json, {}).snapshot.error, "not a metrics page") << json;
}

}  // namespace
}  // namespace kvcliff::attribution
