// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/hash.h"
#include "workload/trace_reader.h"
#include "workload/trace_scan.h"

namespace kvcliff::workload {
namespace {

constexpr std::size_t lines_judged = 200;  // of the head, to settle the tokens of one id

bool fits(std::size_t ids, std::int64_t input, std::int64_t block) {
  const auto n = static_cast<std::int64_t>(ids);
  return n == input / block || n == (input + block - 1) / block;
}

/// Tokens of one id: what the lines say, what the caller says, or what the format has: whichever fits most lines, the
/// earlier on a tie. `hint` names a usual size when none fits them.
std::int64_t settle_block(std::string_view text, TraceFormat format, std::int64_t asked, std::string& hint) {
  std::vector<std::int64_t> candidates;
  const std::int64_t native = format == TraceFormat::mooncake ? 512 : 16;
  constexpr std::array<std::int64_t, 8> usual{16, 32, 64, 128, 256, 512, 1024, 2048};
  std::array<std::size_t, usual.size()> usual_fits{};
  std::vector<std::size_t> good;
  std::size_t lines = 0;
  TraceLine line;
  std::string fault;
  for_lines(text, [&](std::string_view l, std::size_t) {
    if (!line.read(l, fault) || !line.has_hashes || !line.input || *line.input < 1) return true;
    if (candidates.empty()) {
      if (format == TraceFormat::kvcache_simulator && line.block_size && *line.block_size > 0) candidates.push_back(*line.block_size);
      else {
        if (asked > 0) candidates.push_back(asked);
        if (native != asked) candidates.push_back(native);
      }
      good.assign(candidates.size(), 0);
    }
    ++lines;
    for (std::size_t c = 0; c < candidates.size(); ++c) good[c] += fits(line.hashes.size(), *line.input, candidates[c]);
    for (std::size_t u = 0; u < usual.size(); ++u) usual_fits[u] += fits(line.hashes.size(), *line.input, usual[u]);
    return lines < lines_judged;
  });
  if (candidates.empty()) return asked > 0 ? asked : native;
  const auto best = static_cast<std::size_t>(std::max_element(good.begin(), good.end()) - good.begin());
  if (2 * good[best] < lines)
    for (std::size_t u = 0; u < usual.size(); ++u)
      if (usual_fits[u] == lines) {
        hint = fmt::format("Every line fits ids of {0} tokens: give --block-size {0}", usual[u]);
        break;
      }
  return candidates[best];
}

/// What a line of hash ids must satisfy; empty: nothing is wrong.
std::string check_hashes(const TraceLine& l, std::int64_t block, std::optional<std::int64_t> declared) {
  if (!l.has_hashes) return "it has no hash_ids";
  if (!l.input) return "it has no input_length";
  if (*l.input < 1 || *l.input > longest_prompt) return fmt::format("input_length {} is not a prompt's length", *l.input);
  if (l.output && *l.output < 0) return fmt::format("output_length {} is negative", *l.output);
  if (l.block_size && *l.block_size < 1) return fmt::format("block_size {} holds nothing", *l.block_size);
  if (declared && l.block_size && *l.block_size != *declared)
    return fmt::format("block_size {} differs from {} of the lines before", *l.block_size, *declared);
  if (l.has_sizes) {
    if (l.sizes.size() != l.hashes.size()) return fmt::format("{} block_tokens for {} hash_ids", l.sizes.size(), l.hashes.size());
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < l.sizes.size(); ++i) {
      if (l.sizes[i] < 1 || l.sizes[i] > block) return fmt::format("block_tokens entry {} is {}, a block has {}", i, l.sizes[i], block);
      if (l.sizes[i] < block && i + 1 < l.sizes.size())
        return fmt::format("block_tokens entry {} is {} of {}: only the last block of a prompt may be partial", i, l.sizes[i], block);
      sum += l.sizes[i];
    }
    if (sum > *l.input || *l.input - sum >= block) return fmt::format("block_tokens add up to {}, input_length is {}", sum, *l.input);
  }
  if (!fits(l.hashes.size(), *l.input, block)) {
    const std::int64_t low = *l.input / block, high = (*l.input + block - 1) / block;
    return low == high ? fmt::format("{} hash_ids, but {} tokens in blocks of {} have {}", l.hashes.size(), *l.input, block, low)
                       : fmt::format("{} hash_ids, but {} tokens in blocks of {} have {} or {}", l.hashes.size(), *l.input, block, low, high);
  }
  return {};
}

std::size_t repeated(const std::vector<std::uint64_t>& raws) {
  std::uint64_t largest = 0;
  for (const auto r : raws) largest = std::max(largest, r);
  std::size_t n = 0;
  if (largest / 8 < raws.size() + 1024) {
    std::vector<bool> seen(largest + 1);
    for (const auto r : raws) {
      n += seen[r];
      seen[r] = true;
    }
    return n;
  }
  auto sorted = raws;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 1; i < sorted.size(); ++i) n += sorted[i] == sorted[i - 1];
  return n;
}

double seconds_of(const TraceLine& l, TraceFormat format) {
  if (!l.timestamp) return -1;
  if (l.seconds) return *l.timestamp;
  if (l.nanoseconds) return *l.timestamp * 1e-9;
  return format == TraceFormat::mooncake ? *l.timestamp * 1e-3 : *l.timestamp;
}

}  // namespace

Result<Trace> parse_json_trace(std::string_view text, const std::string& where, TraceFormat format, const TraceOptions& options) {
  TraceBuilder builder(format, options);
  Trace& trace = builder.trace();
  TraceLine line;
  std::string why, hint;
  std::unordered_map<std::int64_t, std::int64_t> conversation;  // chat -> its conversation
  std::int64_t conversations = 0;
  const auto conversation_of = [&](const TraceLine& l) -> std::int64_t {
    if (!l.chat) return -1;
    std::int64_t number = -1;
    if (l.parent_chat && *l.parent_chat >= 0)
      if (const auto it = conversation.find(*l.parent_chat); it != conversation.end()) number = it->second;
    if (const auto it = conversation.find(*l.chat); number < 0 && it != conversation.end()) number = it->second;
    if (number < 0) number = conversations++;
    conversation[*l.chat] = number;
    return number;
  };
  double start = -1;
  const auto request = [&](std::size_t number, std::int64_t input) {
    TraceRequest r;
    r.line = number;
    r.input_tokens = input;
    r.output_tokens = line.output.value_or(-1);
    r.seconds = seconds_of(line, format);
    if (format == TraceFormat::llmservingsim && r.seconds >= 0) {  // wall clock: counted from the first request
      if (start < 0) start = r.seconds;
      r.seconds = std::max(0.0, r.seconds - start);
    }
    r.conversation = conversation_of(line);
    return r;
  };

  if (format != TraceFormat::llmservingsim) {
    trace.block_tokens = settle_block(text, format, options.block_tokens, hint);
    ChainTable chain;
    std::optional<std::int64_t> declared;
    // Ids take about ten characters; a trace of more than a few million blocks grows its table as it needs.
    trace.ids.reserve(text.size() / 8);
    chain.reserve(std::min<std::size_t>(text.size() / 16, 1 << 22));
    for_lines(text, [&](std::string_view l, std::size_t number) {
      if (!line.read(l, why)) {
        builder.fault(number, why);
        return true;
      }
      if (auto bad = check_hashes(line, trace.block_tokens, declared); !bad.empty()) {
        builder.fault(number, std::move(bad));
        return true;
      }
      if (!declared) declared = line.block_size;
      const std::size_t first = trace.ids.size();
      std::uint32_t parent = ChainTable::none;
      for (const auto raw : line.hashes) trace.ids.push_back(parent = chain.next(parent, raw));
      builder.add(request(number, *line.input), first);
      return !builder.full();
    });
    trace.unchained = repeated(chain.raws());
    trace.parents = chain.take_parents();
    return builder.finish(where, hint);
  }

  // Token ids are hashed exactly; lines without them are lengths only, by the prefix model.
  trace.block_tokens = options.block_tokens > 0 ? options.block_tokens : 16;
  ChainTable chain;
  LengthBlocks lengths(trace, options.prefix_model);
  std::optional<bool> with_tokens;
  std::vector<std::int32_t> block;
  for_lines(text, [&](std::string_view l, std::size_t number) {
    if (!line.read(l, why)) {
      builder.fault(number, why);
      return true;
    }
    const std::int64_t input = line.input.value_or(static_cast<std::int64_t>(line.tokens.size()));
    std::string bad;
    if (!line.input && !line.has_tokens) bad = "it has neither input_toks nor input_tok_ids";
    else if (input < 1 || input > longest_prompt) bad = fmt::format("input_toks {} is not a prompt's length", input);
    else if (line.has_tokens && static_cast<std::int64_t>(line.tokens.size()) != input)
      bad = fmt::format("{} input_tok_ids, but input_toks is {}", line.tokens.size(), input);
    else if (line.output && *line.output < 0) bad = fmt::format("output_toks {} is negative", *line.output);
    else if (with_tokens && *with_tokens != line.has_tokens)
      bad = line.has_tokens ? "it has input_tok_ids, the lines before have lengths only" : "it has no input_tok_ids, the lines before have them";
    else
      for (const auto t : line.tokens)
        if (t < 0 || t > 0x7fffffff) bad = fmt::format("{} is not a token id", t);
    if (!bad.empty()) {
      builder.fault(number, std::move(bad));
      return true;
    }
    with_tokens = line.has_tokens;
    const std::size_t first = trace.ids.size();
    if (line.has_tokens) {
      std::uint32_t parent = ChainTable::none;
      for (std::int64_t b = 0; (b + 1) * trace.block_tokens <= input; ++b) {
        block.assign(line.tokens.begin() + b * trace.block_tokens, line.tokens.begin() + (b + 1) * trace.block_tokens);
        trace.ids.push_back(parent = chain.next(parent, hash64(block.data(), block.size() * sizeof(std::int32_t))));
      }
    } else {
      lengths.append(input, line.output.value_or(0), -1);
    }
    builder.add(request(number, input), first);
    return !builder.full();
  });
  if (with_tokens.value_or(false)) trace.parents = chain.take_parents();
  else trace.prefix_model = describe(options.prefix_model);
  return builder.finish(where, {});
}

}  // namespace kvcliff::workload
