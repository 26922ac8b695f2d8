// SPDX-License-Identifier: GPL-3.0-or-later
// `stream` as a program, against a server of plain sockets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace kvcliff
