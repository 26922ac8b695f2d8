// SPDX-License-Identifier: GPL-3.0-or-later
// `stream` as a program, against a server of plain sockets, and `inspect sse`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/json.h"
#include "cli.h"
#include "support/raw_server.h"

namespace kvcliff {
namespace {
using ::testing::HasSubstr;
using test::RawServer;

TEST(StreamCommand, SaysWhereTheEngineCountsAnotherPromptThanWasSent) {
  for (const int counted : {1024, 1030, 1039, 1000}) {
    RawServer server([&](RawServer::Connection& c) {
      while (!c.read_request().empty()) {
        c.write(std::string(test::sse_head) +
                test::http_chunk("data: {\"choices\":[{\"index\":0,\"text\":\"a\",\"finish_reason\":\"length\"}]}\n\n"
                                 "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":" + std::to_string(counted) + ",\"completion_tokens\":1}}\n\ndata: [DONE]\n\n") +
                std::string(test::last_chunk));
      }
    });
    const test::TempDir dir;
    test::Cli cli(dir, {"stream", "--url", server.url("/v1/completions"), "--model", "m", "--prompt-tokens", "1024", "--json"});
    ASSERT_EQ(cli.wait(), 0) << cli.err();
    const auto j = parse_json(cli.out(), "stdout");
    ASSERT_TRUE(j);
    const std::string warnings = j->value("warnings", Json::array()).dump();
    if (counted == 1024 || counted == 1030) {  // within 1 %
      EXPECT_EQ(warnings.find("prompt tokens were sent"), std::string::npos) << warnings;
    } else {
      EXPECT_THAT(warnings, HasSubstr("1,024 prompt tokens were sent, and the engine counted " + std::string(counted == 1039 ? "1,039 (+1.5 %)" : "1,000 (-2.3 %)")));
    }
  }
}

TEST(InspectSse, StatesTheWindowOfThePeak) {
  const test::TempDir dir;
  std::string body, chunks;
  for (int i = 0; i < 20; ++i) {
    const std::string event = "data: {\"choices\":[{\"index\":0,\"text\":\"a\",\"token_ids\":[" + std::to_string(i) + "]}]}\n\n";
    body += event;
    chunks += std::to_string(100 * (i + 1)) + " " + std::to_string(event.size()) + "\n";
  }
  ASSERT_TRUE(write_file(dir / "a.sse", body));
  ASSERT_TRUE(write_file(dir / "a.chunks", chunks));
  test::Cli cli(dir, {"inspect", "sse", (dir / "a.sse").string(), "--chunks", (dir / "a.chunks").string(), "--json"});
  ASSERT_EQ(cli.wait(), 0) << cli.err();
  const auto j = parse_json(cli.out(), "stdout");
  ASSERT_TRUE(j);
  EXPECT_EQ(j->at("peak_tokens_per_second"), 10.0);
  EXPECT_EQ(j->at("peak_window_s"), 1.0);
}

}  // namespace
}  // namespace kvcliff
