// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/trace.h"

#include <fmt/format.h>

#include "base/text.h"
#include "workload/trace_reader.h"
#include "workload/trace_scan.h"

namespace kvcliff::workload {
namespace {
constexpr const char* formats =
    "Known are Mooncake, Bailian, kvcache-simulator and LLMServingSim JSON lines, and Azure and BurstGPT CSV";
constexpr std::size_t lines_tried = 50;  // a damaged head does not hide the format of the rest
}  // namespace

std::string_view to_string(TraceFormat f) {
  switch (f) {
    case TraceFormat::mooncake: return "mooncake";
    case TraceFormat::bailian: return "bailian";
    case TraceFormat::kvcache_simulator: return "kvcache-simulator";
    case TraceFormat::llmservingsim: return "llmservingsim";
    case TraceFormat::azure: return "azure";
    case TraceFormat::burstgpt: return "burstgpt";
  }
  return "unknown";
}

Result<PrefixModel> parse_prefix_model(std::string_view words) {
  if (words == "unique") return PrefixModel{};
  if (words == "continued") return PrefixModel{PrefixModel::Kind::continued, 0};
  if (words.substr(0, 7) == "shared:") {
    const auto n = parse_int(words.substr(7));
    if (n && *n >= 0 && *n <= longest_prompt) return PrefixModel{PrefixModel::Kind::shared, *n};
  }
  return fail(ErrorCode::bad_usage, "The prefix model is not known", "--prefix-model", fmt::format("\"{}\"", words),
              "Give unique, shared:TOKENS (for example shared:1024) or continued");
}

std::string describe(const PrefixModel& m) {
  switch (m.kind) {
    case PrefixModel::Kind::unique:
      return "The file states lengths only; taken here: no two prompts share a block, so nothing is ever reused (the lower bound)";
    case PrefixModel::Kind::shared:
      return fmt::format("The file states lengths only; taken here: the first {} tokens are the same in every prompt, the rest is its own", m.tokens);
    case PrefixModel::Kind::continued:
      return "The file states lengths only; taken here: a prompt continues the longest earlier prompt with its answer that fits into it, "
             "each continued once (much reuse; not measured)";
  }
  return {};
}

void TraceFaults::add(std::size_t line, std::string why) {
  ++count;
  if (first.size() < options->faults_kept) first.push_back({line, std::move(why)});
}

std::optional<Error> TraceFaults::error(std::size_t requests, const std::string& where, const std::string& hint) const {
  if (count > 0 && !options->skip_bad_lines) {
    std::string why;
    for (const auto& f : first) why += fmt::format("{}line {}: {}", why.empty() ? "" : "; ", f.line, f.why);
    if (count > first.size()) why += fmt::format("; and {} more", count - first.size());
    return Error{ErrorCode::bad_usage, fmt::format("{} line{} of the trace cannot be used", count, count == 1 ? "" : "s"), where, std::move(why),
                 hint.empty() ? "Correct the lines, or leave them out with --skip-bad-lines" : hint};
  }
  if (requests == 0)
    return Error{ErrorCode::bad_usage, "The trace holds no request", where,
                 count > 0 ? fmt::format("none of its {} lines can be used", count) : "it has no line of data", formats};
  return std::nullopt;
}

Result<TraceFormat> recognise(std::string_view text, const std::string& where) {
  if (text.substr(0, 3) == "\xef\xbb\xbf") text.remove_prefix(3);
  std::optional<TraceFormat> found;
  std::string seen;
  std::size_t tried = 0;
  TraceLine line;
  for_lines(text, [&](std::string_view l, std::size_t number) {
    l = trim(l);
    if (tried++ == 0) {
      found = csv_format(l);
      if (found) return false;
      seen = l.substr(0, 1) == "[" ? "the file is one JSON list; one object a line is needed"
                                   : fmt::format("line {} begins with \"{}\"", number, to_valid_utf8(l.substr(0, 60)));
    }
    std::string fault;
    if (l.substr(0, 1) != "{" || !line.read(l, fault)) {
      if (l.substr(0, 1) == "{" && tried == 1) seen = fmt::format("line {}: {}", number, fault);
      return tried < lines_tried;
    }
    // Lines with Mooncake's own three fields stay Mooncake's where they also state the tokens of an id.
    const bool three_fields = line.timestamp && !line.seconds && !line.nanoseconds && line.output && !line.has_sizes;
    if (line.has_hashes)
      found = line.block_size && !three_fields ? TraceFormat::kvcache_simulator
              : line.chat || line.parent_chat  ? TraceFormat::bailian
                                               : TraceFormat::mooncake;
    else if (line.servingsim || line.has_tokens)
      found = TraceFormat::llmservingsim;
    else if (tried == 1)
      seen = fmt::format("line {} is an object without hash_ids, input_toks and input_tok_ids", number);
    return !found && tried < lines_tried;
  });
  if (found) return *found;
  return fail(ErrorCode::bad_usage, "The file is not a known trace", where, tried == 0 ? "it is empty" : seen, formats);
}

Result<std::string> read_lines(TextBlocks& blocks, const std::string& where, const TraceOptions& options, TraceSink& sink) {
  if (options.block_tokens < 0 || options.block_tokens > longest_prompt)
    return fail(ErrorCode::bad_usage, "The block size is out of range", "--block-size", fmt::format("{} tokens", options.block_tokens), "Give 1 or more, usually 16");
  const auto head = blocks.head();
  if (!head) return fail(head.error());
  const auto format = recognise(*head, where);
  if (!format) return fail(format.error());
  if (*format == TraceFormat::azure || *format == TraceFormat::burstgpt) return read_csv_lines(blocks, *format, options, sink);
  return read_json_lines(blocks, *format, options, sink);
}

}  // namespace kvcliff::workload
