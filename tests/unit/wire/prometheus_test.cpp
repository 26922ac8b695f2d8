// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/prometheus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <filesystem>

#include "support/data.h"

namespace kvcliff::wire {
namespace {
using testing::ElementsAre;

double only(const MetricsPage& page, std::string_view name) {
  const auto found = page.named(name);
  return found.size() == 1 ? found[0]->value : std::nan("");
}

TEST(Prometheus, LabelsAreASetWhateverTheirOrder) {
  const auto page = parse_prometheus("a{x=\"1\",b=\"2\"} 3\na{b=\"9\" , x = \"1\",} 4\n");
  ASSERT_EQ(page.samples().size(), 2u);
  EXPECT_EQ(page.samples()[0].labels.items[0].first, "b");
  EXPECT_EQ(page.samples()[1].labels.value("x"), "1");
  EXPECT_EQ(page.samples()[1].labels.get("none"), std::nullopt);
  EXPECT_EQ(page.samples()[0].line, 1);
}

TEST(Prometheus, OnlyThreeEscapesAreUndone) {
  const auto page = parse_prometheus(R"(a{p="C:\\m \"8b\", {v2} a=b\n\x"} 1)" "\n");
  ASSERT_EQ(page.samples().size(), 1u);
  EXPECT_EQ(page.samples()[0].labels.value("p"), "C:\\m \"8b\", {v2} a=b\n\\x");
}

TEST(Prometheus, EscapedLabelCase) {
  const auto page = parse_prometheus(test::read("cases/023-label-escapes/after.prom"));
  EXPECT_EQ(page.parse_errors(), 0);
  const auto series = page.counter("vllm:prompt_tokens");
  ASSERT_EQ(series.size(), 3u);
  EXPECT_EQ(series[0]->labels.value("model_name"), "C:\\models\\new \"8b\", {v2} a=b");
  EXPECT_EQ(series[1]->labels.value("model_name"), "line1\nline2, x=\"1\"} 77");
  EXPECT_EQ(series[2]->labels.value("model_name"), "ends-with-backslash\\");
  EXPECT_EQ(page.family_of("vllm:prompt_tokens_total")->help, "tokens, with a back\\slash and a \n line feed in the help");
}

TEST(Prometheus, NumbersOfEveryLegalForm) {
  const auto page = parse_prometheus(test::read("cases/026-nan-inf-exponent/after.prom"));
  EXPECT_EQ(page.parse_errors(), 0);
  EXPECT_EQ(only(page, "vllm:kv_offload_load_bytes_total"), 13421772801.0);
  EXPECT_TRUE(std::isnan(page.named("vllm:kv_cache_usage_perc")[0]->value));
  std::map<std::string, double> odd;
  for (const auto* s : page.named("odd_gauge")) odd[std::string(s->labels.value("k"))] = s->value;
  EXPECT_EQ(odd["plus"], std::numeric_limits<double>::infinity());
  EXPECT_EQ(odd["minus"], -std::numeric_limits<double>::infinity());
  EXPECT_EQ(odd["neg"], -0.0015);
  EXPECT_EQ(page.family_of("vllm:time_to_first_token_seconds_bucket")->type, "histogram");
}

TEST(Prometheus, OddButLegalLinesAreRead) {
  const auto page = parse_prometheus(test::read("cases/032-odd-but-legal-lines/page.prom"));
  EXPECT_EQ(page.parse_errors(), 0);
  double prompt = 0;
  for (const auto* s : page.counter("vllm:prompt_tokens"))
    if (s->labels.value("model_name") == "Big Model v2 (test)") prompt += s->value;
  EXPECT_EQ(prompt, 500);
  EXPECT_EQ(only(page, "up"), 1);
  EXPECT_EQ(only(page, "bare_gauge"), 4);
}

TEST(Prometheus, TotalWinsOverTheBareNameForEqualLabels) {
  const auto page = parse_prometheus("a{e=\"0\"} 5\na_total{e=\"0\"} 6\na{e=\"1\"} 7\na_created{e=\"0\"} 1.7e9\n");
  double sum = 0;
  for (const auto* s : page.counter("a")) sum += s->value;
  EXPECT_EQ(sum, 13);
}

TEST(Prometheus, BirthTimesBelongToTheFamilyOfTheirCounter) {
  const auto page = parse_prometheus("# TYPE a_total counter\na_total 1\n# TYPE a_created gauge\na_created 2\n# TYPE b counter\nb_total 1\nb_created 2\n");
  EXPECT_EQ(page.family_of("a_created")->type, "gauge");
  EXPECT_EQ(page.family_of("b_created")->name, "b");
  EXPECT_TRUE(page.declared("a"));
  EXPECT_TRUE(page.declared("b"));
  EXPECT_FALSE(page.declared("c"));
}

TEST(Prometheus, NumbersDoNotDependOnTheLocale) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* name : {"C", "de_DE.UTF-8", "fr_FR.UTF-8"}) {
    std::setlocale(LC_ALL, name);  // where it is not installed the C locale stays
    const auto page = parse_prometheus(test::read("cases/031-decimal-comma-locale/page.prom"));
    EXPECT_EQ(only(page, "vllm:kv_cache_usage_perc"), 0.8125) << name;
    EXPECT_EQ(only(page, "vllm:prompt_tokens_total"), 15005) << name;
    EXPECT_EQ(only(page, "vllm:kv_offload_load_time_total"), 0.0625) << name;
  }
  std::setlocale(LC_ALL, before.c_str());
}

TEST(Prometheus, CrLfTimestampsAndExemplarsAreRead) {
  const auto page = parse_prometheus("# TYPE a counter\r\na_total 5 1700000000000\r\nb_bucket{le=\"1\"} 2 # {trace=\"x\"} 0.5 1.0\r\n# EOF\r\n");
  EXPECT_EQ(page.parse_errors(), 0);
  EXPECT_EQ(page.samples()[0].timestamp, 1.7e12);
  EXPECT_EQ(only(page, "b_bucket"), 2);
  EXPECT_TRUE(page.saw_eof());
  EXPECT_FALSE(page.cut());
}

TEST(Prometheus, ALineWithoutItsEndIsNotANumber) {
  const auto page = parse_prometheus("a 1\nb 12");
  EXPECT_TRUE(page.cut());
  EXPECT_EQ(page.cut_line(), "b 12");
  EXPECT_TRUE(page.named("b").empty());
  EXPECT_EQ(page.parse_errors(), 0);
  EXPECT_EQ(only(parse_prometheus("a 1\nb 12", true), "b"), 12);
  EXPECT_FALSE(parse_prometheus("a 1\n# EOF").cut());
}

TEST(Prometheus, EveryCutOfAPageKeepsOnlyWholeLines) {
  const std::string text = test::read("cases/022-several-engines/after.prom");
  const auto whole = parse_prometheus(text);
  for (std::size_t n = 0; n <= text.size(); ++n) {
    const auto page = parse_prometheus(text.substr(0, n));
    EXPECT_EQ(page.parse_errors(), 0) << n;
    ASSERT_LE(page.samples().size(), whole.samples().size());
    for (std::size_t i = 0; i < page.samples().size(); ++i)
      ASSERT_EQ(page.samples()[i].value, whole.samples()[i].value) << n;
  }
}

TEST(Prometheus, BadLinesAreCountedWithTheirNumberAndSkipped) {
  const auto page = parse_prometheus(
      "good 1\n1bad 2\nx\nx y\nx{a=1} 2\nx{a=\"1} 2\nx{a=\"1\" b=\"2\"} 3\nx{a=\"1\",a=\"2\"} 3\nx 1 2 3\nx 0x10\nx 1e999\nx nan(1)\n"
      "# TYPE\n# TYPE x\ngood2 2\n");
  std::vector<int> lines;
  for (const auto& f : page.faults()) lines.push_back(f.line);
  EXPECT_THAT(lines, ElementsAre(2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14));
  EXPECT_EQ(page.samples().size(), 2u);
}

TEST(Prometheus, ARepeatedSeriesIsAFaultAndNotSummed) {
  const auto page = parse_prometheus("a{x=\"1\",y=\"2\"} 5\na{y=\"2\",x=\"1\"} 6\na{x=\"1\"} 7\n");
  EXPECT_EQ(page.samples().size(), 2u);
  EXPECT_EQ(page.named("a")[0]->value, 5);
  ASSERT_EQ(page.parse_errors(), 1);
  EXPECT_EQ(page.faults()[0].line, 2);
}

TEST(Prometheus, QuotedNamesOfNewerServersAreRead) {
  const auto page = parse_prometheus("{\"kv.cache.hits\",\"my.label\"=\"v\"} 4\n# TYPE \"kv.cache.hits\" counter\n");
  EXPECT_EQ(page.parse_errors(), 0);
  EXPECT_EQ(only(page, "kv.cache.hits"), 4);
  EXPECT_EQ(page.samples()[0].labels.value("my.label"), "v");
}

TEST(Prometheus, WhatIsNoMetricsPageIsSaid) {
  EXPECT_FALSE(parse_prometheus("").recognised());
  EXPECT_FALSE(parse_prometheus("<html>\n<body>Not here</body>\n</html>\n").recognised());
  EXPECT_TRUE(parse_prometheus("# TYPE a counter\n").recognised());
}

TEST(Prometheus, ViewsLiveAsLongAsACopyOfThePage) {
  std::vector<MetricsPage> kept;
  {
    auto page = parse_prometheus("a{m=\"x\\ny\"} 1\n");
    kept.push_back(page);
  }
  EXPECT_EQ(kept[0].samples()[0].labels.value("m"), "x\ny");
}

TEST(Prometheus, EveryRecordedPageParsesWithoutAFault) {
  namespace fs = std::filesystem;
  int pages = 0;
  for (const char* folder : {"vllm-cpu", "vllm-gpu", "engine-samples"}) {
    for (const auto& entry : fs::recursive_directory_iterator(test::data(folder))) {
      const std::string name = entry.path().filename().string();
      if (!entry.is_regular_file() || name.find("metrics") == std::string::npos) continue;
      if (name.find(".txt") == std::string::npos && name.find(".prom") == std::string::npos) continue;
      const auto page = parse_prometheus(test::read(fs::relative(entry.path(), test::data("")).string()), true);
      EXPECT_EQ(page.parse_errors(), 0) << entry.path() << (page.faults().empty() ? "" : page.faults()[0].why);
      EXPECT_TRUE(page.recognised()) << entry.path();
      ++pages;
    }
  }
  EXPECT_GT(pages, 30);
}

}  // namespace
}  // namespace kvcliff::wire
