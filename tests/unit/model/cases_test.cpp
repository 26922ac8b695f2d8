// SPDX-License-Identifier: GPL-3.0-or-later
// Failures seen in the field: configurations (073 to 080), host sizes (053), number formats (031).
#include <gtest/gtest.h>

#include <clocale>

#include "base/text.h"
#include "model/config_text.h"
#include "model/derive.h"
#include "model/host_options.h"
#include "support/data.h"
#include "support/expect_file.h"

namespace kvcliff::model {
namespace {

struct Loaded {
  Result<ConfigText> text;
  Result<KvLayout> layout;
};

Loaded load(const std::string& slug, const std::string& file, const Options& o = {}) {
  auto text = parse_config_text(test::read("cases/" + slug + "/" + file), file);
  auto layout = text ? derive(text->value, o) : Result<KvLayout>(fail(text.error()));
  return {std::move(text), std::move(layout)};
}

const Json& factor(const KvLayout& l, const std::string& name) {
  for (const auto& f : l.derivation)
    if (f.factor == name) return f.value;
  static const Json none;
  return none;
}

// The options that a part's title names: "config.json, option kv-cache-dtype fp8", "config.json, tensor parallel 8".
std::pair<std::string, Options> titled(const std::string& part, const std::string& only_file) {
  Options o;
  std::string file = only_file;
  for (const auto piece : split(part, ',')) {
    const auto words = split(trim(piece), ' ');
    if (trim(piece).ends_with(".json")) file = std::string(trim(piece));
    else if (words[0] == "tensor") o.tp = static_cast<int>(*parse_int(words.back()));
    else if (words[0] == "option") o.kv_dtype = std::string(words.back());
  }
  return {file, o};
}

class ConfigCases : public testing::TestWithParam<const char*> {};

TEST_P(ConfigCases, GiveTheExpectedNumbers) {
  const std::string slug = GetParam();
  int checked = 0;
  for (const auto& e : test::read_expectations(slug)) {
    const auto [file, options] = titled(e.part, "config.json");
    const auto loaded = load(slug, file, options);
    SCOPED_TRACE(slug + ", [" + e.part + "] " + e.key + " = " + e.value);
    ++checked;
    if (e.value == "unknown") {
      EXPECT_FALSE(loaded.layout);
      continue;
    }
    if (e.key == "reason") {
      ASSERT_FALSE(loaded.layout);
      EXPECT_NE(loaded.layout.error().sentence().find(e.value), std::string::npos) << loaded.layout.error().sentence();
      continue;
    }
    if (e.key == "error_line") {
      ASSERT_FALSE(loaded.layout);
      EXPECT_NE(loaded.layout.error().where.find("line " + e.value), std::string::npos) << loaded.layout.error().where;
      continue;
    }
    if (e.key == "strict_json") {
      EXPECT_EQ(loaded.text->strict, e.value != "no");
      continue;
    }
    if (e.key == "note") {
      EXPECT_EQ(Json(loaded.text->value.at("note")).dump(), e.value);
      continue;
    }
    ASSERT_TRUE(loaded.layout) << loaded.layout.error().sentence();
    const auto& l = *loaded.layout;
    if (e.key == "kv_bytes_per_token") EXPECT_EQ(std::to_string(l.bytes_per_token), e.value);
    else if (e.key == "kv_bytes_per_token_per_rank" || e.key == "per_rank") EXPECT_EQ(std::to_string(l.bytes_per_token_per_rank), e.value);
    else if (e.key == "kv_bytes_per_token_all_ranks" || e.key == "all_ranks") EXPECT_EQ(std::to_string(l.bytes_per_token_all_ranks), e.value);
    else if (e.key == "head_dim") EXPECT_EQ(factor(l, "head_dim").dump(), e.value);
    else if (e.key == "config_part") EXPECT_EQ(l.config_part, e.value);
    else if (e.key == "kv_dtype") EXPECT_EQ(l.kv_dtype, e.value);
    else ADD_FAILURE() << "a key that this test does not know: " << e.key;
  }
  EXPECT_GT(checked, 0);
}

INSTANTIATE_TEST_SUITE_P(GroupF, ConfigCases,
                         testing::Values("073-head-dim-not-hidden-over-heads", "074-latent-attention", "076-nested-text-config", "077-config-not-strict-json",
                                         "079-missing-kv-heads-and-old-names", "080-quantised-kv-and-head-copies"));

TEST(HostSizeCase, EachOptionMeansWhatItsEngineMeans) {
  const std::string table = test::read("cases/053-size-per-worker-or-total/options.tsv");
  const auto lines = split(table, '\n');
  std::map<std::string, std::string> expected;
  for (const auto& e : test::read_expectations("053-size-per-worker-or-total")) expected[e.key] = e.value;
  int rows = 0;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (trim(lines[i]).empty()) continue;
    const auto f = split(trim(lines[i]), '\t');
    ASSERT_EQ(f.size(), 6u);
    Bytes block(0);
    if (f[3].starts_with("blocks of")) {  // "blocks of 64 tokens, 32768 bytes per token and rank"
      const auto words = split(f[3], ' ');
      block = Bytes(*parse_int(words[2]) * *parse_int(words[4]));
    }
    const auto total = host_total_bytes(f[0], f[1], *parse_double(f[2]), static_cast<int>(*parse_int(f[4])), static_cast<int>(*parse_int(f[5])), block);
    ASSERT_TRUE(total) << total.error().sentence();
    EXPECT_EQ(std::to_string(total->v), expected["row" + std::to_string(++rows) + ".total_bytes"]) << lines[i];
  }
  EXPECT_EQ(rows, 6);
  EXPECT_EQ(host_total_bytes("vllm", "swap_space", 4, 1, 1).error().code, ErrorCode::not_found);
  EXPECT_EQ(host_total_bytes("vllm-old", "num_cpu_blocks", 4, 1, 1).error().code, ErrorCode::bad_usage);
  EXPECT_EQ(host_total_bytes("vllm", "kv_offloading_size", -1, 1, 1).error().code, ErrorCode::bad_usage);
}

TEST(LocaleCase, NumbersDoNotDependOnTheLocale) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* name : {"C", "de_DE.UTF-8", "fr_FR.UTF-8"}) {
    std::setlocale(LC_ALL, name);  // a locale that is not installed leaves the old one, which must work as well
    EXPECT_EQ(load("031-decimal-comma-locale", "config.json").layout->bytes_per_token, 256) << name;
  }
  std::setlocale(LC_ALL, before.c_str());
}

}  // namespace
}  // namespace kvcliff::model
