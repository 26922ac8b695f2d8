// SPDX-License-Identifier: GPL-3.0-or-later
#include <ostream>

#include "base/file.h"
#include "cli/inspect.h"

namespace kvcliff::cli {

/// `inspect sse FILE [--chunks FILE]`: what the stream parser makes of a recording.
void add_inspect_sse(CLI::App& app, Context& context) {
  struct Options {
    std::string file, chunks;
  };
  auto o = std::make_shared<Options>();
  CLI::App* sub = add_command(*inspect_command(app), context, "sse", "A recorded event stream or raw HTTP answer", [&context, o] {
    const auto bytes = read_file(o->file);
    if (!bytes) return context.report(bytes.error());
    std::vector<wire::RecordedChunk> chunks;
    if (!o->chunks.empty()) {
      const auto text = read_file(o->chunks);
      if (!text) return context.report(text.error());
      auto list = wire::parse_chunk_list(*text, o->chunks);
      if (!list) return context.report(list.error());
      chunks = *std::move(list);
    }
    const auto recording = wire::read_stream_recording(*bytes, o->chunks.empty() ? nullptr : &chunks, o->file);
    if (!recording) return context.report(recording.error());
    OrderedJson j = stream_json(recording->record, recording->timed);
    j["odd_frames"] = recording->odd_frames;
    if (context.json)
      context.print(j);
    else
      print_stream(context.out, j);
    return static_cast<int>(Exit::done);
  });
  sub->add_option("file", o->file, "Event stream (.sse) or raw HTTP answer, plain or compressed")->required();
  sub->add_option("--chunks", o->chunks, "Times of the writes: lines of \"<ms> <bytes>\"");
}

}  // namespace kvcliff::cli
