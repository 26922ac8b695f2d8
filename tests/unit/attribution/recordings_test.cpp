// SPDX-License-Identifier: GPL-3.0-or-later
// Every request of every recording goes through parser -> meaning -> difference -> attribution and must give the numbers
// that stand beside it.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>

#include "attribution/attribute.h"
#include "attribution/conversion.h"
#include "attribution/window_report.h"
#include "base/text.h"
#include "engine/tables/interpret.h"
#include "support/data.h"
#include "wire/prometheus.h"
#include "wire/recording.h"

namespace kvcliff::attribution {
namespace {

CounterSnapshot snapshot_of(const std::string& text) {
  return engine::tables::interpret(wire::parse_prometheus(text, true), {});
}

std::string two_digits(int n) { return (n < 10 ? "0" : "") + std::to_string(n); }

// The keys of record.json's deltas: meaning, or meaning.label.
std::optional<double> by_key(const CounterDelta& d, const std::string& key) {
  const auto dot = key.rfind('.');
  return dot == std::string::npos ? d.value(key) : d.value(key.substr(0, dot), key.substr(dot + 1));
}

TEST(CpuRecordings, EveryRequestOfNative16GivesItsRecord) {
  const std::string folder = "vllm-cpu/native16/";
  const Json record = test::read_json(folder + "record.json.zst");
  CounterSnapshot before = snapshot_of(test::read(folder + "metrics-baseline.txt.zst"));
  int requests = 0;
  for (const auto& r : record.at("requests")) {
    const std::string name = two_digits(r.at("i")) + "-" + r.at("doc").get<std::string>();
    SCOPED_TRACE(name);
    const auto answer = wire::read_stream_recording(test::read(folder + name + ".http.zst"), nullptr, name);
    ASSERT_TRUE(answer) << answer.error().sentence();
    const CounterSnapshot after = snapshot_of(test::read(folder + name + ".metrics-after.txt.zst"));
    AttributionOptions options;
    options.kv_bytes_per_token = record.at("kv_bytes_per_token").get<std::int64_t>();
    options.prompt_tokens = r.at("n").get<std::int64_t>();
    const auto a = attribute(before, after, &answer->record, options);
    const auto& got = r.at("got");
    ASSERT_TRUE(a.reconciled()) << a.reason << (a.flags.empty() ? "" : a.flags.front());
    EXPECT_EQ(a.sources.computed.value->v, got[0].get<double>());
    EXPECT_EQ(a.sources.gpu_hit.value->v, got[1].get<double>());
    EXPECT_EQ(a.sources.host_loaded.value->v, got[2].get<double>());
    EXPECT_EQ(a.sources.sum(), Tokens(r.at("n").get<std::int64_t>()));
    EXPECT_EQ(a.stored_bytes->v, got[3].get<double>() * 16 * 1024);
    EXPECT_EQ(a.loaded_bytes->v, got[2].get<double>() * 1024);
    EXPECT_EQ(a.prompt_from, "usage.prompt_tokens");
    EXPECT_EQ(a.engines_moved, std::vector<std::string>{"0"});
    EXPECT_TRUE(a.flags.empty()) << a.flags.front();
    EXPECT_FALSE(a.lookup_excess);
    for (const auto& [key, value] : r.at("delta").items()) EXPECT_EQ(by_key(a.delta, key), value.get<double>()) << key;
    // And nothing moved that the record does not name, times and histograms apart.
    for (const auto& [meaning, value] : a.delta.values) {
      if (value == 0 || meaning.find("_time") != std::string::npos || meaning.find("_seconds") != std::string::npos ||
          meaning.find("_sum") != std::string::npos || meaning.find("_count") != std::string::npos)
        continue;
      bool named = false;
      for (const auto& [key, v] : r.at("delta").items()) named = named || key.substr(0, key.rfind('.')) == meaning || key == meaning;
      EXPECT_TRUE(named) << meaning << " moved by " << value;
    }
    // Both byte generations, never added.
    EXPECT_EQ(a.delta.value("kv_offload_total_bytes", "CPU_to_GPU"), a.delta.value("kv_offload_load_bytes"));
    EXPECT_EQ(a.delta.value("kv_offload_total_bytes", "GPU_to_CPU"), a.delta.value("kv_offload_store_bytes"));
    before = after;
    ++requests;
  }
  EXPECT_EQ(requests, 25);
  EXPECT_EQ(before.generation, "0.32+");
  EXPECT_EQ(before.value("kv_offload_allocation_failure"), 0.0);  // declared only
}

// The other recordings keep the first and the last page: their difference is the sum of the records.
class CpuTotals : public testing::TestWithParam<const char*> {};

TEST_P(CpuTotals, TheWindowOverAllRequestsIsTheSumOfTheRecords) {
  const std::string folder = std::string("vllm-cpu/") + GetParam() + "/";
  const Json record = test::read_json(folder + "record.json.zst");
  std::int64_t prompt = 0, computed = 0, gpu = 0, host = 0, stored = 0;
  int n = 0;
  for (const auto& r : record.at("requests")) {
    prompt += r.at("n").get<std::int64_t>();
    computed += std::llround(r.at("got")[0].get<double>());
    gpu += std::llround(r.at("got")[1].get<double>());
    host += std::llround(r.at("got")[2].get<double>());
    if (!r.at("got")[3].is_null()) stored += std::llround(r.at("got")[3].get<double>());
    ++n;
  }
  AttributionOptions options;
  options.requests = n;
  options.prompt_tokens = prompt;
  const auto a = attribute(snapshot_of(test::read(folder + "metrics-baseline.txt.zst")),
                           snapshot_of(test::read(folder + "metrics-final.txt.zst")), nullptr, options);
  ASSERT_TRUE(a.reconciled()) << a.reason << (a.flags.empty() ? "" : a.flags.front());
  EXPECT_EQ(a.sources.computed.value, Tokens(computed));
  EXPECT_EQ(a.sources.gpu_hit.value, Tokens(gpu));
  EXPECT_EQ(a.sources.host_loaded.value, Tokens(host));
  if (std::string(GetParam()) == "vanilla32") {
    // Without a tier the engine still exports the host source at 0: measured, not missing.
    EXPECT_EQ(host, 0);
    EXPECT_FALSE(a.loaded_bytes);
    EXPECT_FALSE(a.loaded_from.empty());
  } else {
    const auto block = record.at("config").at("block").get<std::int64_t>() * record.at("kv_bytes_per_token").get<std::int64_t>();
    EXPECT_EQ(a.loaded_bytes, Bytes(host * record.at("kv_bytes_per_token").get<std::int64_t>()));
    EXPECT_EQ(a.stored_bytes, Bytes(stored * block));
  }
}
INSTANTIATE_TEST_SUITE_P(All, CpuTotals, testing::Values("native16", "native16-out1", "native16-slow", "samples16", "vanilla32"));

TEST(CpuRecordings, AFullHostHitBooksNothingComputed) {
  PredictedSources p{PredictedCount::exact(1), PredictedCount::exact(304), PredictedCount::exact(16), {}};
  const auto now = in_engine_counting(p, 320, {.by_source = true});
  EXPECT_EQ(now.computed.min, 0);
  EXPECT_EQ(now.gpu_hit.min, 304);
  const auto old = in_engine_counting(p, 320, {.by_source = true, .recomputed_term = true});
  EXPECT_EQ(old.computed.min, 1);
  EXPECT_EQ(old.gpu_hit.min, 303);
  EXPECT_EQ(old.host_loaded.min, 16);
  const auto plain = in_engine_counting({PredictedCount::exact(5), PredictedCount::exact(16), PredictedCount::exact(304), {}}, 325, {});
  EXPECT_EQ(plain.computed.min, 5);
}

// GPU captures hold the first page and, per event, the lines that changed. A page is rebuilt from them.
class Page {
 public:
  explicit Page(const std::string& text) {
    for (const auto line : split(text, '\n')) {
      if (line.empty()) continue;
      const auto space = line.rfind(' ');
      if (line.front() == '#' || space == std::string_view::npos)
        lines_.push_back(std::string(line));
      else
        set(std::string(line.substr(0, space)), std::string(line.substr(space + 1)));
    }
  }
  void apply(const Json& changed) {
    for (const auto& [series, value] : changed.items()) set(series, value.get<std::string>());
  }
  std::string text() const {
    std::string out;
    for (const auto& l : lines_) out += l + "\n";
    for (const auto& [series, value] : samples_) out += series + " " + value + "\n";
    return out;
  }

 private:
  void set(const std::string& series, const std::string& value) { samples_[series] = value; }
  std::vector<std::string> lines_;
  std::map<std::string, std::string> samples_;
};

struct Row {
  std::int64_t n, computed, gpu, host, load_bytes, store_bytes;
  std::string cached;
};

std::vector<std::string> fields(std::string_view line) {
  std::vector<std::string> out{""};
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    else if (c == ',' && !quoted) out.emplace_back();
    else out.back() += c;
  }
  return out;
}

std::map<std::string, std::map<int, Row>> csv_rows() {
  std::map<std::string, std::map<int, Row>> rows;
  const std::string text = test::read("vllm-gpu/requests.csv.zst");
  bool head = true;
  for (const auto line : split(text, '\n')) {
    if (head || line.empty()) {
      head = false;
      continue;
    }
    const auto f = fields(trim(line));
    const auto at = [&](std::size_t i) { return parse_int(f[i]).value_or(-1); };
    rows[std::string(f[0])][static_cast<int>(at(1))] = {at(6), at(9), at(10), at(11), at(13), at(14), std::string(f[12])};
  }
  return rows;
}

TEST(GpuRecordings, EveryRequestOfEveryCaptureGivesItsRow) {
  const auto rows = csv_rows();
  int checked = 0, sessions = 0;
  for (const auto& entry : std::filesystem::directory_iterator(test::data("vllm-gpu/captures"))) {
    const std::string file = entry.path().filename().string();
    if (file.size() < 10 || file.substr(file.size() - 10) != ".jsonl.zst") continue;
    const std::string session = file.substr(0, file.size() - 10);
    const auto known = rows.find(session);
    std::optional<Page> page;
    CounterSnapshot before;
    bool aborted = false;
    int ordinal = 0;  // rows are numbered by request; events of a capture count resets as well
    const std::string capture = test::read("vllm-gpu/captures/" + file);
    for (const auto line : split(capture, '\n')) {
      if (line.empty()) continue;
      const Json e = Json::parse(line);
      const std::string ev = e.at("ev");
      if (ev == "scrape_full" && !page) {
        page.emplace(e.at("text").get<std::string>());
        before = snapshot_of(page->text());
        continue;
      }
      if (!page || !e.contains("changed") || !e.at("changed").is_object()) continue;
      page->apply(e.at("changed"));
      const CounterSnapshot after = snapshot_of(page->text());
      if (ev == "abort") {
        aborted = true;
        continue;
      }
      if (ev == "req" && known != rows.end() && known->second.count(ordinal)) {
        const Row& row = known->second.at(ordinal);
        SCOPED_TRACE(session + " request " + std::to_string(ordinal));
        ++ordinal;
        StreamRecord stream;
        const Json& usage = e.contains("usage") && e.at("usage").is_object() ? e.at("usage") : Json::object();
        if (usage.contains("prompt_tokens")) stream.usage.prompt_tokens = usage.at("prompt_tokens").get<std::int64_t>();
        AttributionOptions options;
        options.prompt_tokens = row.n;
        const bool spans = aborted;
        if (aborted) {  // this row of the file spans the request that its client left, and the next one
          options.requests = 2;
          options.cancelled = 1;
          options.prompt_tokens = 2 * row.n;
          aborted = false;
        }
        const auto a = attribute(before, after, &stream, options);
        ASSERT_TRUE(a.valid) << a.reason;
        ASSERT_TRUE(a.sources.computed.value && a.sources.gpu_hit.value && a.sources.host_loaded.value)
            << a.reason << (a.flags.empty() ? "" : " " + a.flags.front());
        EXPECT_EQ(a.sources.computed.value->v, row.computed);
        EXPECT_EQ(a.sources.gpu_hit.value->v, row.gpu);
        EXPECT_EQ(a.sources.host_loaded.value->v, row.host);
        EXPECT_TRUE(a.identity);
        if (a.loaded_bytes) {
          EXPECT_EQ(a.loaded_bytes->v, row.load_bytes);
          // The request that was left stored its 125 blocks all the same; the row has the next one's only.
          EXPECT_EQ(a.stored_bytes->v, spans ? 125 * std::int64_t{1835008} : row.store_bytes);
        } else {
          EXPECT_FALSE(a.loaded_from.empty());
        }
        ++checked;
      } else if (ev == "conc") {
        std::int64_t prompt = 0;
        int n = 0;
        for (const auto& r : e.at("results")) {
          prompt += r.at("n").get<std::int64_t>();
          ++n;
        }
        SCOPED_TRACE(session + " under load");
        AttributionOptions options;
        options.requests = n;
        options.prompt_tokens = prompt;
        const auto a = attribute(before, after, nullptr, options);
        EXPECT_TRUE(a.reconciled()) << a.reason << (a.flags.empty() ? "" : a.flags.front());
        if (session == "k16on") {
          EXPECT_EQ(a.sources.computed.value, Tokens(46480));
          EXPECT_EQ(a.sources.gpu_hit.value, Tokens(223104));
          EXPECT_EQ(a.sources.host_loaded.value, Tokens(50896));
          EXPECT_EQ(a.loaded_bytes, Bytes(std::int64_t{50896} * 147456));
        } else if (session == "k4on") {
          EXPECT_EQ(a.sources.host_loaded.value, Tokens(50688));
          EXPECT_EQ(a.loaded_bytes, Bytes(std::int64_t{50688} * 147456));
        } else if (session == "k16off") {
          EXPECT_EQ(a.sources.computed.value, Tokens(97408));
          EXPECT_EQ(a.sources.host_loaded.value, Tokens(0));
        }
      }
      before = after;
    }
    ++sessions;
  }
  EXPECT_GE(sessions, 35);
  EXPECT_EQ(checked, 1117);  // all rows of the sessions whose capture is here
  RecordProperty("requests", checked);
}

}  // namespace
}  // namespace kvcliff::attribution
