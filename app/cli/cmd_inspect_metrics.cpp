// SPDX-License-Identifier: GPL-3.0-or-later
#include <ostream>

#include "attribution/window_report.h"
#include "base/file.h"
#include "cli/inspect.h"

namespace kvcliff::cli {
namespace {

void print_value(std::ostream& out, const std::string& name, const Json& value) {
  out << "  " << name << ": " << (value.is_string() ? value.get<std::string>() : value.dump()) << '\n';
}

/// The document for people: what was found, then the numbers.
void print_metrics(std::ostream& out, const Json& j) {
  out << "engine: " << j.value("engine", Json()).dump() << ", generation: " << j.value("generation", Json()).dump()
      << ", model: " << j.value("model", Json()).dump() << '\n';
  for (const char* part : {"delta", "sources"}) {
    if (!j.contains(part)) continue;
    out << part << ":\n";
    for (const auto& [name, value] : j[part].items())
      if (value != 0) print_value(out, name, value);
  }
  if (!j.contains("delta")) {
    out << "counters:\n";
    for (const auto& [name, value] : j["counters"].items()) print_value(out, name, value);
  }
  for (const char* key : {"loaded_bytes", "stored_bytes", "reconciled", "valid", "exclusive", "reason", "parse_errors"})
    if (j.contains(key) && !j[key].is_null()) out << key << ": " << j[key].dump() << '\n';
  for (const char* list : {"flags", "warnings"})
    for (const auto& text : j[list]) out << (std::string(list) == "flags" ? "flag: " : "warning: ") << text.get<std::string>() << '\n';
}

}  // namespace

/// `inspect metrics FILE...`: pages by meaning; two or more, in order: differences and token sources.
void add_inspect_metrics(CLI::App& app, Context& context) {
  struct Options {
    std::vector<std::string> files;
    std::string model;
    std::optional<std::int64_t> prompt_tokens, block_size, kv_bytes;
  };
  auto o = std::make_shared<Options>();
  CLI::App* sub = add_command(*inspect_command(app), context, "metrics", "Metrics pages: counters, differences, token sources",
                              [&context, o] {
    std::vector<attribution::NamedSnapshot> scrapes;
    for (const auto& file : o->files) {
      const auto bytes = read_maybe_compressed(file);
      if (!bytes) return context.report(bytes.error());
      scrapes.push_back(attribution::scrape_from(file, *bytes, o->model));
    }
    attribution::AttributionOptions options;
    options.prompt_tokens = o->prompt_tokens;
    options.block_size = o->block_size;
    options.kv_bytes_per_token = o->kv_bytes;
    const Json j = attribution::window_report(scrapes, options);
    if (scrapes.size() == 1 && !scrapes.front().snapshot.good())
      return context.report(Error{ErrorCode::bad_usage, "This is no metrics page that can be read", o->files.front(),
                                  scrapes.front().snapshot.error, "Give the body of /metrics, or a raw HTTP answer that holds it"});
    if (context.json)
      context.print(j);
    else
      print_metrics(context.out, j);
    return static_cast<int>(Exit::done);
  });
  sub->add_option("files", o->files, "Pages in the order in which they were read (text or raw HTTP answers, plain or compressed)")
      ->required();
  sub->add_option("--prompt-tokens", o->prompt_tokens, "Prompt tokens of the one request between the pages")
      ->check(CLI::NonNegativeNumber);
  sub->add_option("--block-size", o->block_size, "Tokens per block")->check(above_zero());
  sub->add_option("--model", o->model, "model_name to read, where the page has several");
  sub->add_option("--kv-bytes-per-token", o->kv_bytes, "Compares loaded bytes with host tokens")->check(above_zero());
}

}  // namespace kvcliff::cli
