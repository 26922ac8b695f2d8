// SPDX-License-Identifier: GPL-3.0-or-later
// Ready means: a token came. Probes as a table of values, and their answers.
#include "experiment/readiness.h"

#include <gtest/gtest.h>

#include <map>

#include "base/text.h"
#include "support/data.h"
#include "support/expect_file.h"

namespace kvcliff::experiment {
namespace {

struct Probe {
  MonoNs at = 0;
  Look look;
  MonoNs last_line = 0;
};

/// Rows of a case: second, /health, /v1/models, completion, age of the last log line.
std::vector<Probe> read_probes(const std::string& name) {
  std::vector<Probe> out;
  const std::string text = test::read(name);
  for (const auto line : split(text, '\n')) {
    const auto cell = split(line, '\t');
    if (cell.size() != 5 || cell[0] == "t_s") continue;
    Probe p;
    p.at = *parse_int(cell[0]) * 1'000'000'000;
    p.last_line = p.at - *parse_int(trim(cell[4])) * 1'000'000'000;
    p.look.health = static_cast<int>(parse_int(cell[1]).value_or(0));
    if (cell[2] == "[]") p.look.models.emplace();
    else if (cell[2] != "-") p.look.models = std::vector<std::string>{std::string(cell[2].substr(2, cell[2].size() - 4))};
    using Completion = Look::Completion;
    p.look.completion = cell[3] == "-"                      ? Completion::not_tried
                        : cell[3] == "token"                ? Completion::token
                        : cell[3].substr(0, 7) == "timeout" ? Completion::silent
                                                            : Completion::refused;
    out.push_back(std::move(p));
  }
  return out;
}

TEST(Case064, HealthIsNotReady) {
  const auto probes = read_probes("cases/064-health-is-not-ready/probe.tsv");
  ASSERT_EQ(probes.size(), 8u);
  Readiness rule("m", 120'000'000'000);
  std::map<MonoNs, ServerState> states;
  bool killed = false;
  for (const auto& p : probes) {
    states[p.at] = rule.feed(p.at, p.look);
    killed |= rule.given_up(p.at, p.last_line);
  }
  for (const auto& e : test::read_expectations("064-health-is-not-ready")) {
    if (e.key.substr(0, 6) == "state(")
      EXPECT_EQ(to_string(states.at(*parse_int(e.key.substr(6, e.key.size() - 7)) * 1'000'000'000)), e.value) << e.key;
    else if (e.key == "killed_by_us")
      EXPECT_EQ(killed ? "yes" : "no", e.value);
    else if (e.key == "startup_s")
      EXPECT_EQ(rule.ready_at().value_or(0) / 1'000'000'000, *parse_int(e.value));
    else
      ADD_FAILURE() << e.key;
  }
}

TEST(Readiness, SilenceBeyondTheLimitEndsAStartOnly) {
  Readiness rule("m", 10);
  rule.feed(0, {.health = 200, .models = {{"m"}}});
  EXPECT_FALSE(rule.given_up(10, 0));
  EXPECT_TRUE(rule.given_up(11, 0));
  EXPECT_FALSE(rule.given_up(11, 5)) << "it still talks";
  rule.feed(12, {.health = 200, .models = {{"m"}}, .completion = Look::Completion::token});
  EXPECT_FALSE(rule.given_up(1000, 5)) << "a server that generates may be silent";
  Readiness patient("m", 0);
  EXPECT_FALSE(patient.given_up(1'000'000, 0)) << "0 is no limit";
}

TEST(Readiness, AnotherModelIsSaidAndAnyModelWillDoWithoutAName) {
  Readiness named("m", 0);
  EXPECT_EQ(named.feed(1, {.health = 200, .models = {{"other"}}}), ServerState::other_model);
  Readiness any("", 0);
  EXPECT_EQ(any.feed(1, {.health = 200, .models = {{"other"}}}), ServerState::listening);
  EXPECT_TRUE(any.model_seen());
}

TEST(Readiness, SaysWhatItWaitsFor) {
  Readiness rule("m", 0);
  EXPECT_EQ(rule.waiting_for(), "/health");
  rule.feed(1, {.health = 200, .models = std::vector<std::string>{}});
  EXPECT_EQ(rule.waiting_for(), "the model in /v1/models");
  rule.feed(2, {.health = 200, .models = {{"m"}}, .completion = Look::Completion::refused});
  EXPECT_EQ(rule.waiting_for(), "a first token");
}

TEST(Readiness, AServerThatRecoversIsReadyAgain) {
  Readiness rule("m", 0);
  const Look token{.health = 200, .models = {{"m"}}, .completion = Look::Completion::token};
  rule.feed(1, token);
  EXPECT_EQ(rule.feed(2, {.health = 0}), ServerState::not_answering);
  EXPECT_EQ(rule.feed(3, token), ServerState::ready);
  EXPECT_EQ(rule.ready_at(), 1) << "the start ended once";
}

TEST(Readiness, OurOwnQuestionsAreNoSignOfProgress) {
  EXPECT_TRUE(is_echo(R"((APIServer pid=7) INFO:     127.0.0.1:52000 - "GET /health HTTP/1.1" 503 Service Unavailable)"));
  EXPECT_TRUE(is_echo(R"(INFO: "GET /v1/models HTTP/1.1" 200 OK)"));
  EXPECT_FALSE(is_echo("Loading model weights took 3.2 GB"));
}

}  // namespace
}  // namespace kvcliff::experiment
