// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/file.h"
#include "base/hash.h"
#include "plan/plan.h"
#include "support/data.h"

namespace kvcliff::plan {
namespace {

using ::testing::HasSubstr;

Json reference() { return *parse_json(*read_file(KVCLIFF_SOURCE_DIR "/resources/plans/reference.json"), "reference.json"); }

std::vector<std::string> fields(const Parsed& p) {
  std::vector<std::string> out;
  for (const auto& f : p.faults) out.push_back(f.field);
  return out;
}

std::string all(const std::vector<Fault>& faults) {
  std::string out;
  for (const auto& f : faults) out += f.field + ": " + f.what + " | " + f.next + "\n";
  return out;
}

const Fault* at(const Parsed& p, const std::string& field) {
  for (const auto& f : p.faults)
    if (f.field == field) return &f;
  return nullptr;
}

TEST(PlanFile, ReferenceIsValidAndComplete) {
  const auto json = reference();
  const auto parsed = parse(json);
  EXPECT_TRUE(parsed.valid()) << all(parsed.faults);
  EXPECT_EQ(to_json(parsed.plan), json) << "the file names every field, so that nothing rests on a default";
  EXPECT_EQ(hash(parsed.plan), sha256_hex(canonical_json(json)));
}

TEST(PlanFile, EveryShippedPlanIsValid) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(KVCLIFF_SOURCE_DIR "/resources/plans")) {
    if (entry.path().extension() != ".json") continue;
    ++files;
    const auto parsed = parse_file(entry.path());
    EXPECT_TRUE(parsed.valid()) << entry.path() << "\n" << all(parsed.faults);
    EXPECT_EQ(parsed.plan.name, entry.path().stem());
    EXPECT_EQ(parse(to_json(parsed.plan)).plan, parsed.plan);
  }
  EXPECT_GE(files, 1);
}

TEST(PlanFile, FiveFaultsAreNamedAtOnce) {
  auto json = reference();
  json["capacity"]["gpu_blcks"] = 3;               // unknown name
  json["workload"]["order"] = "cylic";             // unknown word
  json["workload"]["rounds"] = "three";            // wrong type
  json["smallest_effect"] = 5;                     // range
  json["arms"][2]["overrides"] = Json::object();   // contradiction: the control does not fit
  const auto parsed = parse(json);
  EXPECT_THAT(fields(parsed), ::testing::UnorderedElementsAre("capacity.gpu_blcks", "workload.order", "workload.rounds",
                                                              "smallest_effect", "arms[2].overrides"))
      << all(parsed.faults);
  ASSERT_EQ(parsed.faults.size(), 5u);
  EXPECT_THAT(at(parsed, "capacity.gpu_blcks")->next, HasSubstr("\"gpu_blocks\""));
  EXPECT_THAT(at(parsed, "workload.order")->next, HasSubstr("\"cyclic\""));
  EXPECT_THAT(at(parsed, "workload.rounds")->what, HasSubstr("the text \"three\""));
  EXPECT_THAT(at(parsed, "arms[2].overrides")->what, HasSubstr("384"));
}

TEST(PlanFile, AValueThatCannotBeReadGivesNoSecondFault) {
  auto json = reference();
  json["capacity"]["gpu_blocks"] = "385 blocks";
  EXPECT_THAT(fields(parse(json)), ::testing::ElementsAre("capacity.gpu_blocks"));
  json = reference();
  json["capacity"]["host_bytes"] = "10GiB";
  const auto parsed = parse(json);
  ASSERT_EQ(parsed.faults.size(), 1u) << all(parsed.faults);
  EXPECT_THAT(parsed.faults[0].next, HasSubstr("10737418240"));
}

TEST(PlanFile, SchemaMustBeKnown) {
  auto json = reference();
  json.erase("schema");
  EXPECT_THAT(fields(parse(json)), ::testing::ElementsAre("schema"));
  json["schema"] = "kvcliff.plan/2";
  EXPECT_THAT(at(parse(json), "schema")->what, HasSubstr("another version"));
  json["schema"] = 1;
  EXPECT_THAT(fields(parse(json)), ::testing::ElementsAre("schema"));
}

TEST(PlanFile, UnknownFieldsAreFaultsAtEveryLevel) {
  for (const std::string place : {"", "/engine", "/launcher", "/model", "/capacity", "/capacity/offload", "/workload", "/arms/0",
                                  "/schedule", "/load", "/warmup", "/limits", "/limits/settle"}) {
    auto json = reference();
    json[Json::json_pointer(place)]["zzz_unknown"] = 1;
    const auto parsed = parse(json);
    ASSERT_EQ(parsed.faults.size(), 1u) << place << "\n" << all(parsed.faults);
    EXPECT_THAT(parsed.faults[0].field, HasSubstr("zzz_unknown"));
  }
}

// Each value of the file, given another type, is exactly one fault at its own place.
void every_leaf(const Json& node, const Json::json_pointer& at, std::vector<Json::json_pointer>& out) {
  if (node.is_object() && !node.empty())
    for (const auto& [k, v] : node.items()) every_leaf(v, at / k, out);
  else if (!node.is_array())
    out.push_back(at);
}

TEST(PlanFile, EveryFieldRefusesAnotherType) {
  std::vector<Json::json_pointer> leaves;
  every_leaf(reference(), Json::json_pointer(), leaves);
  ASSERT_GT(leaves.size(), 40u);
  for (const auto& leaf : leaves) {
    auto json = reference();
    json[leaf] = Json::array({true});
    const auto parsed = parse(json);
    EXPECT_EQ(parsed.faults.size(), 1u) << leaf.to_string() << "\n" << all(parsed.faults);
  }
}

TEST(PlanFile, NumbersOutOfRangeAreNamed) {
  const std::vector<std::pair<std::string, Json>> wrong{
      {"/capacity/block_size", 0},      {"/capacity/gpu_blocks", 1},        {"/capacity/host_bytes", -1},
      {"/workload/documents", 0},       {"/workload/tokens", -5},           {"/workload/rounds", 0},
      {"/workload/output_tokens", 0},   {"/workload/seed", -1},             {"/model/tp", 0},
      {"/schedule/pairs", -1},          {"/schedule/conditioning", -1},     {"/limits/start_s", 0},
      {"/limits/settle/quiet_ms", 0},   {"/warmup/steady_ratio", 0},        {"/warmup/max_requests", -1},
      {"/smallest_effect", 0},          {"/capacity/offload/blocks_per_chunk", 0}, {"/workload/shared_prefix_tokens", -1},
      {"/workload/seed", 1e300},        {"/capacity/gpu_blocks", 12.5},     {"/capacity/offload/policy", "mru"},
      {"/engine/adapter", "vlm"},       {"/launcher/kind", "docker"},       {"/schedule/first", "of"},
      {"/capacity/gpu_blocks", 18446744073709551615ull}};
  for (const auto& [pointer, value] : wrong) {
    auto json = reference();
    json[Json::json_pointer(pointer)] = value;
    std::string field = pointer.substr(1);
    std::replace(field.begin(), field.end(), '/', '.');
    const auto parsed = parse(json);
    EXPECT_TRUE(at(parsed, field)) << pointer << " = " << value << "\n" << all(parsed.faults);
  }
}

TEST(PlanFile, ContradictionsAreNamed) {
  auto json = reference();
  json["load"]["concurrency"] = 4;
  EXPECT_THAT(fields(parse(json)), ::testing::ElementsAre("load.concurrency"));
  json = reference();
  json["load"]["mode"] = "open";
  EXPECT_THAT(fields(parse(json)), ::testing::ElementsAre("load.rate"));
  json = reference();
  json["capacity"]["host_bytes"] = 0;
  EXPECT_THAT(fields(parse(json)), ::testing::ElementsAre("capacity.host_bytes"));
  json = reference();
  json["workload"]["trace"] = "t.jsonl";
  EXPECT_THAT(fields(parse(json)), ::testing::ElementsAre("workload.trace"));
  json = reference();
  json["model"]["config"] = "config.json";
  EXPECT_THAT(fields(parse(json)), ::testing::ElementsAre("model.config"));
  json = reference();
  json["workload"]["tokens"] = 6200;
  const auto parsed = parse(json);
  ASSERT_TRUE(at(parsed, "workload.tokens")) << all(parsed.faults);
  EXPECT_THAT(at(parsed, "workload.tokens")->what, HasSubstr("389 blocks"));
  json = reference();
  json["launcher"]["kind"] = "ssh";
  EXPECT_THAT(fields(parse(json)), ::testing::ElementsAre("launcher.host"));
  json = reference();
  json["cost_ceiling"] = {{"money", 10.0}};
  EXPECT_THAT(fields(parse(json)), ::testing::ElementsAre("cost_ceiling.money_per_hour"));
  json = reference();
  json["gates"] = {{"R22", false}};
  EXPECT_THAT(fields(parse(json)), ::testing::ElementsAre("gates.R22"));
}

// What the adapter sets from the plan may not be set a second time beside it.
TEST(PlanFile, ArgumentsThatContradictThePlanAreFaults) {
  for (const std::vector<std::string>& given :
       {std::vector<std::string>{"--port", "9000"}, {"--host=0.0.0.0"}, {"--block-size", "32"}, {"--block_size=32"}, {"--kv-transfer-config", "{}"},
        {"--kv-transfer-config.kv_role", "kv_both"}, {"--kv-offloading-size=4"}, {"--no-enable-prefix-caching"}, {"--enable-prefix-caching"},
        {"--served-model-name", "x"}, {"--model", "x"}, {"--num-gpu-blocks-override", "9"}, {"--num-gpu-blocks", "9"}, {"--kv-cache-dtype", "fp8"},
        {"-tp", "2"}, {"--tensor-parallel-size=2"}, {"--config", "more.yaml"}, {"--emulate-generation", "0.20.0"}}) {
    auto json = reference();
    json["engine"]["extra_args"] = given;
    const auto parsed = parse(json);
    ASSERT_EQ(fields(parsed), std::vector<std::string>{"engine.extra_args"}) << given[0];
    EXPECT_THAT(parsed.faults[0].what, HasSubstr("which is set by")) << given[0];
    EXPECT_TRUE(parse_stored(json.dump(), "journal").valid()) << "a run that is over can be read";
  }
  auto json = reference();
  json["engine"]["extra_args"] = {"--port", "1", "--host", "h", "--port", "2"};
  EXPECT_EQ(parse(json).faults.size(), 2u) << "each flag once";
  json["engine"]["extra_args"] = {"--seed", "7", "--enforce-eager", "--max-num-seqs", "16", "--kv-events-config", "{}", "--no-enable-prompt-tokens-details",
                                  "--max-model-len", "9000", "--emulate-preset", "h200-0.6b", "--hf-overrides", "--port-is-no-flag"};
  EXPECT_TRUE(parse(json).valid()) << all(parse(json).faults);
  json["arms"][1]["overrides"]["engine.extra_args"] = {"--block-size", "8"};
  EXPECT_THAT(all(parse(json).faults), HasSubstr("Arm \"on\": engine.extra_args holds --block-size")) << "an arm's own, too";
}

TEST(PlanFile, AVersionThatIsNoneOrThatTheEmulatorCannotSpeakIsAFault) {
  const auto faults = [](const std::string& adapter, const std::string& version) {
    return all(parse_text(R"({"schema":"kvcliff.plan/1","model":{"id":"m"},"engine":{"adapter":")" + adapter + R"(","version":")" + version + R"("}})", "p").faults);
  };
  for (const char* good : {"0.32.0", "v0.26.0", "0.19", "0.10.2"}) EXPECT_THAT(faults("emulator", good), ::testing::Not(HasSubstr("engine.version"))) << good;
  for (const char* good : {"0.26.0rc1", "0.33.0", "1.2.0", "0.26rc1"}) EXPECT_THAT(faults("vllm", good), ::testing::Not(HasSubstr("engine.version"))) << good;
  for (const char* bad : {"0.9.0", "0.33.0", "1.2.0"}) EXPECT_THAT(faults("emulator", bad), HasSubstr("speaks as vLLM 0.10 to 0.32")) << bad;
  for (const char* bad : {"abc", "latest", "32", "0.", "v"}) EXPECT_THAT(faults("vllm", bad), HasSubstr("is no version")) << bad;
  auto json = reference();
  json["engine"]["version"] = "newest";
  EXPECT_FALSE(parse(json).valid());
  EXPECT_TRUE(parse_stored(json.dump(), "journal").valid()) << "a run that is over can be read";
}

TEST(PlanFile, ALimitBelowTheLongestPromptIsAFault) {
  const auto faults = [](const std::string& args) {
    return all(parse_text(R"({"schema":"kvcliff.plan/1","model":{"id":"m"},"workload":{"tokens":2003,"output_tokens":16},"engine":{"extra_args":[)" + args + "]}}", "p").faults);
  };
  for (const char* bad : {R"("--max-model-len","100")", R"("--max-model-len=2018")", R"("--max_model_len","2k")"}) EXPECT_THAT(faults(bad), HasSubstr("2,019 tokens")) << bad;
  for (const char* good : {R"("--max-model-len","2019")", R"("--max-model-len=2K")", R"("--max-model-len","auto")", R"("--max-model-len")", R"("--max-num-seqs","8")"})
    EXPECT_THAT(faults(good), ::testing::Not(HasSubstr("max-model-len"))) << good;
}

TEST(PlanFile, NamesOfEndlessLengthAreFaults) {
  auto json = reference();
  json["name"] = std::string(200, 'n');
  EXPECT_TRUE(parse(json).valid());
  json["name"] = std::string(201, 'n');
  json["arms"].push_back({{"name", std::string(100'000, 'a')}, {"offload", false}, {"overrides", Json::object()}});
  EXPECT_THAT(fields(parse(json)), ::testing::UnorderedElementsAre("name", "arms[3].name"));
}

TEST(PlanFile, AnEnvironmentOfTheEmulatorIsAFault) {
  auto json = reference();
  json["engine"]["environment"] = "vllm-cpu";
  EXPECT_THAT(fields(parse(json)), ::testing::ElementsAre("engine.environment"));
  json["launcher"] = {{"kind", "ssh"}, {"host", "gpu7"}};
  EXPECT_TRUE(parse(json).valid()) << "elsewhere it says where the emulator lies";
  json["launcher"] = {{"kind", "local"}};
  json["engine"]["adapter"] = "vllm";
  EXPECT_TRUE(parse(json).valid()) << all(parse(json).faults);
}

// "ssh -oProxyCommand=..." would run a command on this machine.
TEST(PlanFile, LauncherWordsThatWouldBeFlagsAreFaults) {
  const auto with = [](const std::string& kind, Json options) {
    auto json = reference();
    json["launcher"] = std::move(options);
    json["launcher"]["kind"] = kind;
    return parse(json);
  };
  EXPECT_THAT(fields(with("ssh", {{"host", "-oProxyCommand=touch x"}})), ::testing::ElementsAre("launcher.host"));
  EXPECT_THAT(fields(with("ssh", {{"host", "h"}, {"user", "-x"}, {"identity", "-F"}})), ::testing::ElementsAre("launcher.identity", "launcher.user"));
  EXPECT_THAT(fields(with("ssh", {{"host", "a b"}})), ::testing::ElementsAre("launcher.host"));
  EXPECT_THAT(fields(with("ssh", {{"host", "a\nb"}})), ::testing::ElementsAre("launcher.host"));
  EXPECT_THAT(fields(with("container", {{"image", "--privileged"}})), ::testing::ElementsAre("launcher.image"));
  EXPECT_THAT(fields(with("slurm", {{"partition", "-x"}})), ::testing::ElementsAre("launcher.partition"));
  EXPECT_TRUE(with("ssh", {{"host", "gpu7.cluster"}, {"user", "me"}, {"identity", "/home/a b/key"}, {"options", "-o Compression=yes"}}).valid());
  EXPECT_TRUE(with("container", {{"image", "vllm/vllm-openai:v0.26.0"}, {"volumes", "/a b:/m"}}).valid());
  for (const char* bad : {"0", "-1", "65536", "22x", "ssh"}) EXPECT_THAT(fields(with("ssh", {{"host", "gpu7"}, {"port", bad}})), ::testing::Contains("launcher.port")) << bad;
  EXPECT_THAT(fields(with("slurm", {{"cpus", "many"}})), ::testing::ElementsAre("launcher.cpus"));
  EXPECT_TRUE(with("container", {{"image", "registry:5000/vllm/vllm-openai:v0.31.0@sha256:00"}}).valid());
  EXPECT_TRUE(with("slurm", {{"cpus", "8"}, {"nodes", "1-2"}, {"time", "1:00:00"}}).valid());
}

TEST(PlanFile, ANameThatStandsTwiceIsAFault) {
  const auto parsed = parse_text(R"({"schema":"kvcliff.plan/1","capacity":{"gpu_blocks":385,"host_bytes":1000000,"gpu_blocks":400}})", "p.json");
  ASSERT_EQ(parsed.faults.size(), 1u) << all(parsed.faults);
  EXPECT_EQ(parsed.faults[0].field, "capacity.gpu_blocks");
}

TEST(PlanFile, BrokenTextIsOneFaultWithItsPlace) {
  for (const std::string text : {"", "{", "[]", "7", "{\"schema\":\"kvcliff.plan/1\",}", "\xff\xfe"}) {
    const auto parsed = parse_text(text, "p.json");
    ASSERT_EQ(parsed.faults.size(), 1u) << text;
    EXPECT_FALSE(parsed.faults[0].what.empty());
  }
  EXPECT_EQ(parse_file("/nowhere/plan.json").faults.size(), 1u);
}

TEST(PlanFile, ShortPlanTakesDefaultsAndHashesAsTheLongOne) {
  const auto brief = parse_text(R"({"schema":"kvcliff.plan/1","capacity":{"host_bytes":2293760000}})", "p.json");
  ASSERT_TRUE(brief.valid()) << all(brief.faults);
  EXPECT_EQ(brief.plan.arms.size(), 2u);
  EXPECT_TRUE(brief.plan.schedule.controls.empty());
  EXPECT_EQ(hash(parse(to_json(brief.plan)).plan), hash(brief.plan));
}

TEST(PlanHash, DoesNotDependOnTheOrderOfNamesAndDoesOnEveryValue) {
  const auto json = reference();
  OrderedJson reversed;
  for (auto it = json.rbegin(); it != json.rend(); ++it) reversed[it.key()] = OrderedJson::parse(it->dump());
  const auto base = hash(parse(json).plan);
  EXPECT_EQ(hash(parse_text(reversed.dump(), "r").plan), base);
  EXPECT_EQ(base.size(), 64u);
  std::vector<Json::json_pointer> leaves;
  every_leaf(json, Json::json_pointer(), leaves);
  for (const auto& leaf : leaves) {
    auto other = json;
    auto& v = other[leaf];
    if (v.is_boolean()) v = !v.get<bool>();
    else if (v.is_number_integer()) v = v.get<std::int64_t>() + 1;
    else if (v.is_number_float()) v = v.get<double>() / 2;
    else continue;
    EXPECT_NE(hash(parse(other).plan), base) << leaf.to_string();
  }
}

}  // namespace
}  // namespace kvcliff::plan
