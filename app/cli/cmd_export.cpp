// SPDX-License-Identifier: GPL-3.0-or-later
// `export J --out FILE`: one experiment as one closed journal file.
#include <fmt/format.h>

#include <ostream>

#include "base/text.h"
#include "cli/context.h"
#include "journal/bundle.h"
#include "journal/reader.h"

namespace kvcliff::cli {
namespace {

struct ExportArgs {
  std::string journal, experiment, out;
};

int run_export(Context& context, const ExportArgs& a) {
  std::int64_t id = 0;
  std::string uid;
  {
    const auto reader = journal::Reader::open(a.journal);
    if (!reader) return context.report(reader.error());
    const auto e = reader->experiment(a.experiment);
    if (!e) return context.report(e.error());
    id = e->id;
    uid = e->uid;
  }
  const auto bundle = journal::export_bundle(a.journal, id, a.out.empty() ? uid + ".kvcliff" : a.out);
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

}  // namespace

void add_export(CLI::App& app, Context& context) {
  auto a = std::make_shared<ExportArgs>();
  CLI::App* sub = add_command(app, context, "export", "Write one experiment as one journal file that opens elsewhere",
                              [&context, a] { return run_export(context, *a); });
  sub->add_option("journal", a->journal, "The journal")->required();
  sub->add_option("--experiment", a->experiment, "Its id or the beginning of it (default: the newest)");
  sub->add_option("--out", a->out, "The file to write (default: ID.kvcliff here)");
}

}  // namespace kvcliff::cli
