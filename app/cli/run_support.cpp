// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/run_support.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <ostream>

#include "cli/evaluate.h"
#include "cli/plan_input.h"
#include "cli/progress_bar.h"
#include "cli/resources.h"
#include "cli/unmeasured.h"
#include "experiment/run_plan.h"
#include "journal/reader.h"
#include "plan/plan.h"

namespace kvcliff::cli {
namespace {
namespace fs = std::filesystem;

// The emulator lies beside this program, or where $KVCLIFF_EMULATOR says.
Result<std::string> emulator_path(const Context& context) {
  std::error_code ec;
  if (const char* given = std::getenv("KVCLIFF_EMULATOR"); given && *given) {
    if (fs::exists(given, ec)) return std::string(given);
    return fail(ErrorCode::engine, "The emulator is not there", given, "$KVCLIFF_EMULATOR names it", "Correct the variable, or unset it");
  }
  const fs::path beside = fs::path(context.program).parent_path() / "kvcliff-emulator";
  if (fs::exists(beside, ec)) return beside.string();
  return fail(ErrorCode::engine, "The emulator is not there", beside.string(), {}, "Install it, or set $KVCLIFF_EMULATOR to its path");
}

// The newest experiment of this plan that did not finish.
Result<std::int64_t> unfinished(const std::string& journal, const plan::Plan& plan) {
  const auto reader = journal::Reader::open(journal);
  if (!reader) return fail(reader.error());
  const auto all = reader->experiments({.limit = 100'000});
  if (!all) return fail(all.error());
  const std::string hash = plan::hash(plan);
  bool seen = false;
  for (const auto& e : *all) {
    if (e.plan_hash != hash) continue;
    seen = true;
    if (e.state != "finished") return e.id;
  }
  return fail(ErrorCode::not_found, "There is nothing to resume", journal,
              seen ? "every run of this plan in the journal is finished" : "the journal holds no run of this plan",
              "Run it without --resume");
}

Result<std::int64_t> kv_bytes_of(const Context& context, const plan::Plan& p) {
  const auto layout = layout_of_plan(context, p);
  if (!layout) return fail(layout.error());
  return layout->bytes_per_token_all_ranks;
}

}  // namespace

int run_and_report(Context& context, const RunArgs& args) {
  const auto source = plan_to_run(args.plan, args.experiment, args.trust);
  if (!source) return context.report(source.error());
  // As written, before its paths are resolved: the hash must not depend on the folder it lies in.
  const plan::Plan& as_written = source->as_written;
  const std::optional<plan::Plan> plan = plan::with_paths_from(as_written, source->folder);
  const bool attach = !args.url.empty();
  if (!(args.time_scale >= 1e-6 && args.time_scale <= 1000))  // also false for NaN
    return context.report({ErrorCode::bad_usage, "The time scale is out of range", "--time-scale", {}, "Give a number from 0.000001 to 1000, e.g. 0.01"});
  if (args.time_scale != 1.0 && (attach || plan->engine.adapter != "emulator"))
    return context.report({ErrorCode::bad_usage, "Only the emulator's time can be scaled", "--time-scale", "the plan's engine is " + plan->engine.adapter, "Leave it out"});

  experiment::RunOrder order;
  order.plan = *plan;
  order.as_written = as_written;
  order.journal = args.journal;
  order.resources = resources_folder(context);
  order.options.program_version = context.version;
  order.options.time_scale = args.time_scale;
  order.options.attach_url = args.url;
  order.options.attach_arm = args.arm;
  order.kv_bytes = [&context](const plan::Plan& p) { return kv_bytes_of(context, p); };
  order.layers = [&context](const plan::Plan& p) {
    const auto layout = layout_of_plan(context, p);
    return layout ? layout->dimensions.layers : std::nullopt;
  };
  if (plan->engine.adapter == "emulator" && !attach) {
    // Elsewhere it is found as the plan says: by engine.environment, or on the PATH there.
    if (plan->launcher.kind == "local") {
      const auto path = emulator_path(context);
      if (!path) return context.report(path.error());
      order.emulator = *path;
    }
  }
  if (args.resume) {
    const auto id = unfinished(args.journal, as_written);
    if (!id) return context.report(id.error());
    order.options.resume = *id;
  }
  order.journal_notice = [&context](const std::string& words) {
    if (!words.empty() && !context.quiet) context.err << "journal: " + words + "\n" << std::flush;
  };
  order.doing = [&context](const std::string& words) {
    if (!context.quiet) context.err << words + "\n" << std::flush;
  };
  experiment::Control control;
  control.follow(context.stop);
  ProgressBar bar(context);
  const experiment::RunResult result = experiment::run_plan(order, control, {&bar});
  if (result.experiment == 0) return context.report(result.error.value_or(Error{ErrorCode::internal, "The run did not begin"}));
  const bool finished = result.end == experiment::RunResult::End::finished;
  const bool stopped = result.end == experiment::RunResult::End::stopped;
  const Error failure = result.error.value_or(Error{ErrorCode::internal, "The run failed", {}, result.why, {}});
  const auto judged = judge(context, args.journal, std::to_string(result.experiment), {});
  if (!judged) return context.report(finished || stopped ? judged.error() : failure);
  if (finished)
    if (const auto sealed = analysis::seal(args.journal, result.experiment, *judged); !sealed) return context.report(sealed.error());
  if (context.json) {
    OrderedJson document = analysis::reconcile_json(judged->input, judged->evaluation, false);
    if (!finished && !stopped) {
      document["error"] = {{"code", to_string(failure.code)}, {"what", failure.what}, {"where", failure.where}, {"why", failure.why}, {"next", failure.next}};
      context.err << "kvcliff-cli: " << failure.sentence() << '\n';
    }
    context.print(document);
  } else {
    if (nothing_measured(*judged)) {
      print_nothing_measured(context, *judged, args.journal);
    } else {
      print_reconciliation(context, *judged);
      context.out << '\n';
      print_decision(context, *judged);
    }
    context.out << std::flush;
    if (!finished && !stopped) context.err << "kvcliff-cli: " << failure.sentence() << '\n';
    if (stopped) context.err << "kvcliff-cli: stopped; run it again with --resume to go on\n";
  }
  if (stopped) return Exit::interrupted;
  if (!finished) return exit_code_of(failure.code);
  return judged->evaluation.gates_pass() ? Exit::done : Exit::gate_failed;
}

}  // namespace kvcliff::cli
