// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"
#include "base/json.h"
#include "reconcile/check_table.h"

namespace kvcliff {
namespace {

Json definitions() {
  return *parse_json(*read_file(std::filesystem::path(KVCLIFF_SOURCE_DIR) / "resources/help/definitions.json"), "definitions.json");
}

TEST(Definitions, EveryEntryHasATextAndAUnitField) {
  const auto all = definitions();
  for (const auto& [term, d] : all.items()) {
    EXPECT_GT(d.at("text").get<std::string>().size(), 20u) << term;
    EXPECT_TRUE(d.at("unit").is_string()) << term;
  }
}

TEST(Definitions, CoverTheWordsOfTheProductAndEveryCheck) {
  const auto all = definitions();
  for (const char* term : {"block", "document", "round", "working set", "revisit distance", "GPU cache", "host tier", "token source", "arm",
                           "session", "experiment", "journal", "scrape", "settled", "reconciled", "TTFT", "sweep", "cliff", "sealed verdict"})
    EXPECT_TRUE(all.contains(term)) << term;
  for (const auto& c : reconcile::check_table()) EXPECT_TRUE(all.contains(std::string(c.id))) << c.id;
}

}  // namespace
}  // namespace kvcliff
