// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <thread>

#include "base/hash.h"
#include "base/in_order.h"
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
std::int64_t settle_block(std::string_view head, TraceFormat format, std::int64_t asked, std::string& hint) {
  std::vector<std::int64_t> candidates;
  const std::int64_t native = format == TraceFormat::mooncake ? 512 : 16;
  constexpr std::array<std::int64_t, 8> usual{16, 32, 64, 128, 256, 512, 1024, 2048};
  std::array<std::size_t, usual.size()> usual_fits{};
  std::vector<std::size_t> good;
  std::size_t lines = 0;
  TraceLine line;
  std::string fault;
  for_lines(head, [&](std::string_view l, std::size_t) {
    if (!line.read(l, fault) || !line.has_hashes || !line.input || *line.input < 1) return true;
    if (candidates.empty()) {
      if (line.block_size && *line.block_size > 0) candidates.push_back(*line.block_size);
      else {
        if (asked > 0) candidates.push_back(asked);
        if (native != asked) candidates.push_back(native);
      }
      good.assign(candidates.size(), 0);
    }
    ++lines;
    for (std::size_t c = 0; c < candidates.size(); ++c) good[c] += fits(line.hashes().size(), *line.input, candidates[c]);
    for (std::size_t u = 0; u < usual.size(); ++u) usual_fits[u] += fits(line.hashes().size(), *line.input, usual[u]);
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
std::string check_hashes(const TraceLine& l, std::int64_t block) {
  if (!l.has_hashes) return "it has no hash_ids";
  if (!l.input) return "it has no input_length";
  if (*l.input < 1 || *l.input > longest_prompt) return fmt::format("input_length {} is not a prompt's length", *l.input);
  if (l.output && *l.output < 0) return fmt::format("output_length {} is negative", *l.output);
  if (l.block_size && *l.block_size < 1) return fmt::format("block_size {} holds nothing", *l.block_size);
  if (l.has_sizes) {
    if (l.sizes.size() != l.hashes().size()) return fmt::format("{} block_tokens for {} hash_ids", l.sizes.size(), l.hashes().size());
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < l.sizes.size(); ++i) {
      if (l.sizes[i] < 1 || l.sizes[i] > block) return fmt::format("block_tokens entry {} is {}, a block has {}", i, l.sizes[i], block);
      if (l.sizes[i] < block && i + 1 < l.sizes.size())
        return fmt::format("block_tokens entry {} is {} of {}: only the last block of a prompt may be partial", i, l.sizes[i], block);
      sum += l.sizes[i];
    }
    if (sum > *l.input || *l.input - sum >= block) return fmt::format("block_tokens add up to {}, input_length is {}", sum, *l.input);
  }
  if (!fits(l.hashes().size(), *l.input, block)) {
    const std::int64_t low = *l.input / block, high = (*l.input + block - 1) / block;
    return low == high ? fmt::format("{} hash_ids, but {} tokens in blocks of {} have {}", l.hashes().size(), *l.input, block, low)
                       : fmt::format("{} hash_ids, but {} tokens in blocks of {} have {} or {}", l.hashes().size(), *l.input, block, low, high);
  }
  return {};
}

/// What a line of LLMServingSim must satisfy; empty: nothing is wrong.
std::string check_tokens(const TraceLine& l, std::int64_t input) {
  if (!l.input && !l.has_tokens) return "it has neither input_toks nor input_tok_ids";
  if (input < 1 || input > longest_prompt) return fmt::format("input_toks {} is not a prompt's length", input);
  if (l.has_tokens && static_cast<std::int64_t>(l.tokens.size()) != input) return fmt::format("{} input_tok_ids, but input_toks is {}", l.tokens.size(), input);
  if (l.output && *l.output < 0) return fmt::format("output_toks {} is negative", *l.output);
  for (const auto t : l.tokens)
    if (t < 0 || t > 0x7fffffff) return fmt::format("{} is not a token id", t);
  return {};
}

double seconds_of(const TraceLine& l, TraceFormat format) {
  if (!l.timestamp) return -1;
  if (l.seconds) return *l.timestamp;
  if (l.nanoseconds) return *l.timestamp * 1e-9;
  return format == TraceFormat::mooncake ? *l.timestamp * 1e-3 : *l.timestamp;
}

/// Lines that one thread has read, before what depends on the lines before them.
struct Piece {
  struct Line {
    std::size_t number = 0;                  // within the piece, from 1
    TraceItem item;
    std::size_t first = 0, count = 0;        // of `raws`
    std::optional<std::int64_t> block_size;
    std::size_t fault = no_fault;            // of `faults`
  };
  static constexpr std::size_t no_fault = ~std::size_t{0};

  std::string buffer;
  std::string_view text;
  std::vector<Line> lines;
  std::vector<std::uint64_t> raws;
  std::vector<std::string> faults;
  std::size_t line_count = 0;
  TraceLine line;                            // reused, so that nothing is allocated per line
  std::vector<std::int32_t> block;

  void clear() {
    lines.clear();
    raws.clear();
    faults.clear();
  }
};

void scan(Piece& p, TraceFormat format, std::int64_t block_tokens) {
  p.clear();
  TraceLine& l = p.line;
  std::string why;
  p.line_count = for_lines(p.text, [&](std::string_view text, std::size_t number) {
    Piece::Line& out = p.lines.emplace_back();
    out.number = number;
    std::string bad;
    std::int64_t input = 0;
    if (!l.read(text, why)) {
      bad = why;
    } else if (format == TraceFormat::llmservingsim) {
      input = l.input.value_or(static_cast<std::int64_t>(l.tokens.size()));
      if (!l.has_tokens) l.tokens.clear();
      bad = check_tokens(l, input);
    } else {
      bad = check_hashes(l, block_tokens);
      input = l.input.value_or(0);
    }
    if (!bad.empty()) {
      out.fault = p.faults.size();
      p.faults.push_back(std::move(bad));
      return true;
    }
    TraceRequest& r = out.item.request;
    r.input_tokens = input;
    r.output_tokens = l.output.value_or(-1);
    r.seconds = seconds_of(l, format);
    out.item.chat = l.chat;
    out.item.parent_chat = l.parent_chat;
    out.block_size = l.block_size;
    out.first = p.raws.size();
    if (format != TraceFormat::llmservingsim) {
      p.raws.insert(p.raws.end(), l.hashes().begin(), l.hashes().end());
    } else if (l.has_tokens) {  // token ids are hashed exactly
      for (std::int64_t b = 0; (b + 1) * block_tokens <= input; ++b) {
        p.block.assign(l.tokens.begin() + b * block_tokens, l.tokens.begin() + (b + 1) * block_tokens);
        p.raws.push_back(hash64(p.block.data(), p.block.size() * sizeof(std::int32_t)));
      }
    }
    out.item.lengths_only = format == TraceFormat::llmservingsim && !l.has_tokens;
    out.count = p.raws.size() - out.first;
    return true;
  });
}

}  // namespace

Result<std::string> read_json_lines(TextBlocks& blocks, TraceFormat format, const TraceOptions& options, TraceSink& sink) {
  const auto head = blocks.head();
  if (!head) return fail(head.error());
  std::string hint;
  const bool servingsim = format == TraceFormat::llmservingsim;
  const std::int64_t block_tokens = !servingsim ? settle_block(*head, format, options.block_tokens, hint) : options.block_tokens > 0 ? options.block_tokens : 16;
  sink.begin(format, block_tokens, servingsim ? 0 : blocks.size_hint() / 8);  // ids take about ten characters

  const bool large = blocks.size_hint() == 0 || blocks.size_hint() > 16 * TextBlocks::piece;
  const int most = options.threads > 0 ? options.threads : static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, 8u));
  std::optional<Error> trouble;
  std::optional<std::int64_t> declared;
  std::optional<bool> with_tokens;
  std::size_t lines = 0;
  double start = -1;
  in_order<Piece>(
      large ? most : 1,
      [&](Piece& p) {
        const auto text = blocks.next(p.buffer);
        if (!text) trouble = text.error();
        if (!text || text->empty()) return false;
        p.text = *text;
        return true;
      },
      [&](Piece& p) { scan(p, format, block_tokens); },
      [&](Piece& p) {
        for (Piece::Line& l : p.lines) {
          const std::size_t number = lines + l.number;
          if (l.fault != Piece::no_fault) {
            sink.fault(number, std::move(p.faults[l.fault]));
            continue;
          }
          if (servingsim) {
            if (with_tokens && *with_tokens == l.item.lengths_only) {
              sink.fault(number, l.item.lengths_only ? "it has no input_tok_ids, the lines before have them" : "it has input_tok_ids, the lines before have lengths only");
              continue;
            }
            with_tokens = !l.item.lengths_only;
            double& seconds = l.item.request.seconds;
            if (seconds >= 0) {  // wall clock: counted from the first request
              if (start < 0) start = seconds;
              seconds = std::max(0.0, seconds - start);
            }
          } else {
            if (declared && l.block_size && *l.block_size != *declared) {
              sink.fault(number, fmt::format("block_size {} differs from {} of the lines before", *l.block_size, *declared));
              continue;
            }
            if (!declared) declared = l.block_size;
          }
          l.item.request.line = number;
          l.item.raws = {p.raws.data() + l.first, l.count};
          if (!sink.add(l.item)) return false;
        }
        lines += p.line_count;
        return true;
      });
  if (trouble) return fail(*trouble);
  return hint;
}

}  // namespace kvcliff::workload
