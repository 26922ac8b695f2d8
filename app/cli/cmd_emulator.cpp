// SPDX-License-Identifier: GPL-3.0-or-later
#include <ostream>

#include "cli/context.h"
#include "emulator/cache_adapter.h"
#include "emulator/run.h"

namespace kvcliff::cli {

/// `emulator ...`: the same as the program kvcliff-emulator; every word after it belongs to the emulator.
void add_emulator(CLI::App& app, Context& context) {
  CLI::App* sub = app.add_subcommand("emulator", "A simulated vLLM server; the flags of `vllm serve` and --emulate-*");
  sub->prefix_command();
  sub->set_help_flag();
  sub->callback([&context, sub] {
    context.run = [&context, words = sub->remaining()] {
      return emulator::run(words, context.out, context.err, emulator::make_simulated_cache);
    };
  });
}

}  // namespace kvcliff::cli
