// SPDX-License-Identifier: GPL-3.0-or-later
// Stored UTC in the zone of the reader, also on days of 23 and 25 hours (field case 089).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <optional>

#include "base/text.h"
#include "journal/local_time.h"
#include "support/data.h"
#include "support/expect_file.h"

namespace kvcliff::journal {
namespace {
using ::testing::HasSubstr;

class Zone {
 public:
  explicit Zone(const char* name) {
    if (const char* old = std::getenv("TZ")) before_ = old;
    ::setenv("TZ", name, 1);
  }
  ~Zone() {
    if (before_)
      ::setenv("TZ", before_->c_str(), 1);
    else
      ::unsetenv("TZ");
  }

 private:
  std::optional<std::string> before_;
};

TEST(JournalCase089, StoredUtcIsShownInTheZoneOfTheReader) {
  std::map<std::string, WallNs> times;
  const std::string table = test::read("cases/089-local-time-in-the-journal/times.tsv");
  for (const auto line : split(table, '\n')) {
    const auto parts = split(line, '\t');
    if (parts.size() == 2)
      if (const auto t = parse_utc(trim(parts[1]))) times[std::string(parts[0])] = *t;
  }
  ASSERT_EQ(times.size(), 5u);
  int checked = 0;
  for (const auto& e : test::read_expectations("089-local-time-in-the-journal")) {
    const Zone zone(e.part.find("Tokyo") != std::string::npos ? "Asia/Tokyo" : "Europe/Berlin");
    if (const auto it = times.find(e.key); it != times.end()) {
      EXPECT_EQ(local_text(it->second), e.value) << e.part;
    } else if (e.key == "order") {
      std::vector<std::pair<WallNs, std::string>> sorted;
      for (const auto& [id, t] : times) sorted.emplace_back(t, id);
      std::sort(sorted.begin(), sorted.end());
      std::string order;
      for (const auto& [t, id] : sorted) order += (order.empty() ? "" : " ") + id;
      EXPECT_EQ(order, e.value);
    } else if (e.key.rfind("day_filter(", 0) == 0) {
      const auto day = local_day(e.key.substr(11, 10));
      ASSERT_TRUE(day);
      std::string inside;
      for (const auto& [id, t] : times)
        if (t >= day->first && t < day->second) inside += (inside.empty() ? "" : " ") + id;
      EXPECT_EQ(inside, e.value) << e.part;
    } else {
      ADD_FAILURE() << "unknown key " << e.key;
    }
    ++checked;
  }
  EXPECT_GE(checked, 9);
}

TEST(LocalTime, ADayMayHave25HoursAndNonsenseIsNoDay) {
  const Zone zone("Europe/Berlin");
  const auto day = local_day("2030-10-27");
  EXPECT_EQ((day->second - day->first) / 3'600'000'000'000, 25);
  for (const char* bad : {"", "2030-13-01", "2030-02-29", "2030-1-1", "20301027", "2030-10-27x"}) EXPECT_FALSE(local_day(bad)) << bad;
  for (const char* bad : {"2030-10-27T00:00:00", "2030-10-27T00:00:00+01:00", "2030-10-27 00:00:00Z", "2030-10-27T24:00:00Z", "2030-10-27T00:00:00.Z"})
    EXPECT_FALSE(parse_utc(bad)) << bad;
  EXPECT_EQ(*parse_utc("1970-01-01T00:00:01.5Z"), 1'500'000'000);
}

}  // namespace
}  // namespace kvcliff::journal
