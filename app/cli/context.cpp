// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/context.h"

#include <fmt/format.h>

#include <ostream>

#include "base/text.h"
#include "cli/printable_stream.h"

namespace kvcliff::cli {

int exit_code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::bad_usage:
    case ErrorCode::not_found:
    case ErrorCode::unsupported:
    case ErrorCode::corrupt:
    case ErrorCode::newer_schema: return Exit::bad_input;
    case ErrorCode::interrupted: return Exit::interrupted;
    case ErrorCode::io:
    case ErrorCode::busy:
    case ErrorCode::engine:
    case ErrorCode::timeout:
    case ErrorCode::internal: return Exit::engine_failed;
  }
  return Exit::engine_failed;
}

void Context::print(const Json& document) const { write_raw(out, document.dump(2) + '\n'); }
void Context::print(const OrderedJson& document) const { write_raw(out, document.dump(2) + '\n'); }

int Context::report(const Error& error) const {
  if (json) {
    print(OrderedJson{{"error",
                       {{"code", to_string(error.code)},
                        {"what", error.what},
                        {"where", error.where},
                        {"why", error.why},
                        {"next", error.next}}}});
  } else {
    err << "kvcliff-cli: " << error.sentence() << '\n';
  }
  return exit_code_of(error.code);
}

CLI::Validator above_zero() {
  return CLI::Validator(
      [](const std::string& text) {
        const auto value = parse_double(text);
        return value && *value > 0 ? std::string() : fmt::format("\"{}\" is not a number above 0", text);
      },
      "POSITIVE");
}

CLI::App* add_command(CLI::App& app, Context& context, const std::string& name, const std::string& help,
                      std::function<int()> body) {
  CLI::App* sub = app.add_subcommand(name, help);
  sub->add_flag("--json", context.json, "One JSON document on stdout; words go to stderr");
  sub->add_flag("--quiet", context.quiet, "No progress");
  sub->callback([&context, body = std::move(body)] { context.run = body; });
  return sub;
}

}  // namespace kvcliff::cli
