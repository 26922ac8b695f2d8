// SPDX-License-Identifier: GPL-3.0-or-later
// `import FILE --journal J`: a bundle of this program, or the result of another tool, into a journal.
#include <fmt/format.h>

#include <ostream>

#include "base/file.h"
#include "cli/context.h"
#include "exchange/import.h"
#include "journal/file_state.h"
#include "journal/merge.h"
#include "journal/reader.h"

namespace kvcliff::cli {
namespace {

struct ImportArgs {
  std::string file, journal, arm = "off", name;
  bool offload = false;
};

int import_bundle(Context& context, const ImportArgs& a) {
  const auto merged = journal::merge_experiments(a.file, {}, a.journal, [&context](double) { return !context.stop; });
  if (!merged) return context.report(merged.error());
  const auto reader = journal::Reader::open(a.journal);
  if (!reader) return context.report(reader.error());
  OrderedJson added = OrderedJson::array();
  for (const auto id : merged->added)
    if (const auto e = reader->experiment(std::to_string(id))) added.push_back({{"experiment", e->uid}, {"name", e->name}, {"plan_hash", e->plan_hash}});
  if (context.json) {
    context.print(OrderedJson{{"kind", "journal"}, {"journal", a.journal}, {"added", added}, {"already_there", merged->already_there}});
    return Exit::done;
  }
  for (const auto& e : added) context.out << fmt::format("{}  {}: added to {}\n", e.at("experiment").get<std::string>(), e.at("name").get<std::string>(), a.journal);
  for (const auto& uid : merged->already_there) context.out << fmt::format("{}: is there already, left as it is\n", uid);
  return Exit::done;
}

int import_result(Context& context, const ImportArgs& a) {
  const auto content = read_maybe_compressed(a.file);
  if (!content) return context.report(content.error());
  const auto result = exchange::read_foreign(*content, a.file);
  if (!result) return context.report(result.error());
  const auto done = exchange::import_foreign(*result, *content, a.journal, {a.name, a.arm, a.offload, context.version, a.file});
  if (!done) return context.report(done.error());
  if (context.json) {
    OrderedJson j{{"kind", result->tool}, {"journal", a.journal}, {"added", OrderedJson::array()}, {"already_there", OrderedJson::array()}};
    if (done->already_there) j["already_there"].push_back(done->uid);
    else j["added"].push_back({{"experiment", done->uid}, {"requests", done->requests}, {"complete", done->complete}});
    j["notes"] = result->notes;
    context.print(j);
    return Exit::done;
  }
  if (done->already_there) {
    context.out << fmt::format("{}: this file is in {} already\n", done->uid, a.journal);
    return Exit::done;
  }
  context.out << fmt::format("{}  {}: {} requests ({} complete) added to {}\n", done->uid, result->tool, done->requests, done->complete, a.journal)
              << "Token sources and counters are not in it: their checks are not possible, and one session is no comparison.\n";
  for (const auto& n : result->notes) context.out << "Note: " << n << "\n";
  return Exit::done;
}

int run_import(Context& context, const ImportArgs& a) {
  using Kind = journal::FileState::Kind;
  const auto state = journal::inspect_file(a.file);
  switch (state.kind) {
    case Kind::current:
    case Kind::older: return import_bundle(context, a);
    case Kind::not_a_journal: return import_result(context, a);
    case Kind::absent: return context.report({ErrorCode::not_found, "The file to import is not there", a.file, {}, "Check the path"});
    case Kind::empty: return context.report({ErrorCode::bad_usage, "The file to import is empty", a.file, {}, "Copy it again from where it was written"});
    default: return context.report(journal::state_error(state, a.file));
  }
}

}  // namespace

void add_import(CLI::App& app, Context& context) {
  auto a = std::make_shared<ImportArgs>();
  CLI::App* sub = add_command(app, context, "import", "Copy a bundle, or the result of another tool, into a journal", [&context, a] { return run_import(context, *a); });
  sub->add_option("file", a->file,
                  "A journal or bundle; the JSON of vllm bench serve (--save-detailed), AIPerf profile_export.jsonl, GuideLLM benchmarks.json, "
                  "inference-perf per_request_lifecycle_metrics.json; .gz is unpacked")->required();
  sub->add_option("--journal", a->journal, "The journal to write")->required();
  sub->add_option("--arm", a->arm, "Name of the arm that the measured server stands for")->capture_default_str();
  sub->add_flag("--with-tier", a->offload, "The measured server had a host tier");
  sub->add_option("--name", a->name, "Name of the experiment (default: the tool and its model)");
}

}  // namespace kvcliff::cli
