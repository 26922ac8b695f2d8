// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kvcliff::workload {

/// Public trace formats, recognised by content.
enum class TraceFormat {
  mooncake,            ///< JSON lines: timestamp (ms), input_length, output_length, hash_ids of 512 tokens, or of block_size
  bailian,             ///< JSON lines: as Mooncake with chat_id, parent_chat_id, turn, type; hash_ids of 16 tokens
  kvcache_simulator,   ///< JSON lines: block_size, hash_ids (numbers or words), input_length, optional block_tokens; no timestamp
  llmservingsim,       ///< JSON lines: input_toks, output_toks and input_tok_ids where they are given
  azure,               ///< CSV: TIMESTAMP,ContextTokens,GeneratedTokens
  burstgpt,            ///< CSV: Timestamp,[Session ID,]Model,Request tokens,Response tokens,Total tokens,Log Type
};
std::string_view to_string(TraceFormat format);

/// What is taken as shared between prompts when a file states lengths only.
struct PrefixModel {
  enum class Kind {
    unique,      ///< nothing: no prompt shares a block with another (the lower bound)
    shared,      ///< the first `tokens` tokens are the same in every prompt (a system prompt)
    continued,   ///< a prompt at least as long as an earlier prompt with its answer continues it: the longest such, each
                 ///< continued once, within its session where the file names sessions (much reuse, not measured)
  };
  Kind kind = Kind::unique;
  std::int64_t tokens = 0;
  bool operator==(const PrefixModel&) const = default;
};
/// "unique", "shared:TOKENS", "continued". Errors: bad_usage.
Result<PrefixModel> parse_prefix_model(std::string_view words);
/// The model as a finished sentence, for whoever reads a result made with it.
std::string describe(const PrefixModel& model);

/// One request of a trace. `count` ids from `first` in Trace::ids, prompt order, the partial last one included.
struct TraceRequest {
  std::size_t first = 0;
  std::uint32_t count = 0;
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = -1;      ///< -1: the file does not say
  double seconds = -1;                  ///< arrival after the start of the trace, seconds; -1: the file does not say
  std::int64_t conversation = -1;       ///< number of the conversation, dense; -1: the file names none
  std::size_t line = 0;                 ///< of the file, from 1
};

/// A line that cannot be used, and why.
struct TraceFault {
  std::size_t line = 0;                 ///< from 1
  std::string why;
};

struct Trace {
  TraceFormat format = TraceFormat::mooncake;
  std::int64_t block_tokens = 512;      ///< tokens of one id
  /// Dense ids in order of first use. Ids are chained: equal ids mean equal prompts up to and with this block, as engines
  /// hash blocks. `parents[id]` is the id before it, or `none`.
  std::vector<std::uint32_t> ids;
  std::vector<std::uint32_t> parents;
  std::vector<TraceRequest> requests;
  std::vector<TraceFault> faults;       ///< the first ones, up to TraceOptions::faults_kept
  std::size_t fault_count = 0;
  std::string prefix_model;             ///< sentence; empty when the file itself says which blocks are shared
  /// Raw ids that follow different ids in different prompts. Engines tell such blocks apart, and so does `ids`.
  std::size_t unchained = 0;
  std::size_t backwards = 0;            ///< requests that arrive before the one above them; replayed in file order

  static constexpr std::uint32_t none = ~std::uint32_t{0};
  std::uint32_t distinct() const { return static_cast<std::uint32_t>(parents.size()); }
  std::span<const std::uint32_t> blocks(const TraceRequest& r) const { return {ids.data() + r.first, r.count}; }
};

struct TraceOptions {
  /// Tokens of one id, where the file does not say or says it wrongly; for files of lengths or token ids, the blocks to
  /// cut. 0: what the format has (512, 16; 16 for lengths and token ids).
  std::int64_t block_tokens = 0;
  PrefixModel prefix_model;             ///< files of lengths only
  std::size_t faults_kept = 20;
  bool skip_bad_lines = false;          ///< false: a single bad line is an error
  std::int64_t first_requests = 0;      ///< only so many; 0 = all. Later lines are not read
  int threads = 0;                      ///< that read a long file's lines; 0 = as many as there are cores, up to 8
};

/// Reads a whole trace file (.gz and .zst are unpacked). Errors: not_found, io, bad_usage (no known format, an empty
/// file, bad lines: the first ones with number and reason).
Result<Trace> read_trace(const std::string& path, const TraceOptions& options = {});
/// As read_trace, from memory. `where` names the source in errors.
Result<Trace> parse_trace(std::string_view text, const std::string& where, const TraceOptions& options = {});
/// Format of the content; errors: bad_usage with what was seen.
Result<TraceFormat> recognise(std::string_view text, const std::string& where);

/// The same requests in blocks of another size: smaller (each id becomes block_tokens / `size` ids, the last of a prompt
/// as many as it fills) or a multiple (the id of its last part stands for the whole). Partial last blocks are left out:
/// only full blocks are cached. Errors: bad_usage when neither size divides the other.
Result<Trace> in_blocks(const Trace& trace, std::int64_t size);

}  // namespace kvcliff::workload
