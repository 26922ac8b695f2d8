// SPDX-License-Identifier: GPL-3.0-or-later
// `export J --out FILE`: one experiment as one closed journal file. `export J --trace FILE`: which blocks its requests
// shared, and nothing else of them.
#include <fmt/format.h>

#include <ostream>

#include "base/text.h"
#include "cli/context.h"
#include "exchange/trace_export.h"
#include "journal/bundle.h"
#include "journal/reader.h"

namespace kvcliff::cli {
namespace {

struct ExportArgs {
  std::string journal, experiment, out, trace, salt;
  int session = 0;   ///< as people count, from 1; 0: not said
  bool measured_only = false;
};

int export_as_bundle(Context& context, const ExportArgs& a, const journal::ExperimentRecord& e) {
  const auto bundle = journal::export_bundle(a.journal, e.id, a.out.empty() ? e.uid + ".kvcliff" : a.out,
                                             [&context](double) { return !context.stop; });
  if (!bundle) return context.report(bundle.error());
  if (context.json) {
    context.print(OrderedJson{{"experiment", bundle->uid},
                              {"path", bundle->path},
                              {"bytes", bundle->bytes},
                              {"sha256", bundle->file_sha256},
                              {"plan_hash", bundle->plan_hash}});
  } else {
    context.out << fmt::format("{}: {}, SHA-256 {}\n", bundle->path, human_bytes(Bytes(bundle->bytes)), bundle->file_sha256)
                << fmt::format("To run its plan elsewhere: --trust {}\n", bundle->plan_hash);
  }
  return Exit::done;
}

int export_as_trace(Context& context, const ExportArgs& a, const journal::ExperimentRecord& e) {
  exchange::TraceOrder order;
  order.salt = a.salt;
  order.measured_only = a.measured_only;
  if (a.session > 0) order.session = a.session - 1;
  const auto trace = exchange::export_trace(a.journal, std::to_string(e.id), a.trace, order);
  if (!trace) return context.report(trace.error());
  if (context.json) {
    context.print(OrderedJson{{"experiment", e.uid},
                              {"path", a.trace},
                              {"format", "mooncake"},
                              {"block_size", trace->block_size},
                              {"session", trace->session + 1},
                              {"arm", trace->arm},
                              {"requests", trace->requests},
                              {"warmup", trace->warmup},
                              {"distinct_blocks", trace->distinct_blocks},
                              {"salt", a.salt.empty() ? "random" : "given"}});
  } else {
    context.out << fmt::format("{}: {} requests of session {} ({}), {} of them warm-up; {} blocks of {} tokens\n", a.trace, grouped(trace->requests),
                               trace->session + 1, trace->arm, trace->warmup, grouped(trace->distinct_blocks), trace->block_size)
                << "Lengths, times of sending, and which blocks were shared; no text and no token ids.\n";
  }
  return Exit::done;
}

int run_export(Context& context, const ExportArgs& a) {
  if (a.trace.empty() && (a.session > 0 || a.measured_only || !a.salt.empty()))
    return context.report({ErrorCode::bad_usage, "Only a trace is made of one session", a.session > 0 ? "--session" : a.measured_only ? "--measured-only" : "--salt",
                           "a bundle holds the whole experiment as it is", "Add --trace FILE, or leave it out"});
  if (!a.trace.empty() && !a.out.empty())
    return context.report({ErrorCode::bad_usage, "A bundle and a trace are two exports", "--out and --trace", {}, "Give one of them"});
  std::optional<journal::ExperimentRecord> e;
  {
    const auto reader = journal::Reader::open(a.journal);
    if (!reader) return context.report(reader.error());
    auto found = reader->experiment(a.experiment);
    if (!found) return context.report(found.error());
    e = std::move(*found);
  }
  return a.trace.empty() ? export_as_bundle(context, a, *e) : export_as_trace(context, a, *e);
}

}  // namespace

void add_export(CLI::App& app, Context& context) {
  auto a = std::make_shared<ExportArgs>();
  CLI::App* sub = add_command(app, context, "export", "Write one experiment as one journal file that opens elsewhere, or its requests as a trace",
                              [&context, a] { return run_export(context, *a); });
  sub->add_option("journal", a->journal, "The journal")->required();
  sub->add_option("--experiment", a->experiment, "Its id or the beginning of it (default: the newest)");
  sub->add_option("--out", a->out, "The file to write (default: ID.kvcliff here)");
  sub->add_option("--trace", a->trace, "Instead: the requests of one session as JSON lines in Mooncake's form, anonymised (block ids salted, no text, no token ids)");
  sub->add_option("--session", a->session, "Of the trace: which session of the schedule, from 1 (default: the first finished one)")->check(CLI::Range(1, 1'000'000));
  sub->add_option("--salt", a->salt, "Of the trace: words mixed into the ids, so that several exports name the same blocks alike (default: random, kept nowhere)");
  sub->add_flag("--measured-only", a->measured_only, "Of the trace: leave warm-up out (the caches of a replay then start empty)");
}

}  // namespace kvcliff::cli
