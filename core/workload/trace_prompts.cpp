// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/trace_prompts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "workload/distance.h"
#include "workload/token_draw.h"

namespace kvcliff::workload {
namespace {

constexpr std::uint64_t most_attempts = 1000;

/// Tokens of each id, made when first needed.
class Contents {
 public:
  Contents(const Trace& trace, const Spec& spec, std::size_t size, std::size_t told_apart)
      : trace_(trace), spec_(spec), size_(size), told_apart_(std::min(size, told_apart)), at_(trace.distinct(), unmade) {}

  /// Appends `count` tokens of the id; false when they cannot be told from those of another id after the same block.
  bool append(std::uint32_t id, std::size_t count, std::vector<std::int32_t>& to) {
    if (at_[id] == unmade && !make(id)) return false;
    const auto from = tokens_.begin() + static_cast<std::ptrdiff_t>(at_[id]);
    to.insert(to.end(), from, from + static_cast<std::ptrdiff_t>(count));
    return true;
  }

 private:
  static constexpr std::size_t unmade = ~std::size_t{0};

  bool make(std::uint32_t id) {
    const std::uint32_t parent = trace_.parents[id];
    std::vector<std::int32_t> made(size_);
    for (std::uint64_t attempt = 0; attempt < most_attempts; ++attempt) {
      Rng rng(stream(spec_.seed, trace_stream + (attempt << 8), id));
      for (std::size_t i = 0; i < size_; ++i) made[i] = i == 0 && parent == Trace::none ? first_id(rng, false) : any_id(rng);
      if (!taken_.insert(hash64(made.data(), told_apart_ * sizeof(std::int32_t), std::uint64_t{parent} + 1)).second) continue;
      at_[id] = tokens_.size();
      tokens_.insert(tokens_.end(), made.begin(), made.end());
      return true;
    }
    return false;
  }

  const Trace& trace_;
  const Spec& spec_;
  std::size_t size_, told_apart_;
  std::vector<std::size_t> at_;
  std::vector<std::int32_t> tokens_;
  std::unordered_set<std::uint64_t> taken_;
};

}  // namespace

Result<std::vector<Prompt>> prompts_of(const Trace& trace, const Spec& spec, std::int64_t block_size) {
  const auto bad = [&](const std::string& field, const std::string& why, const std::string& next) {
    return fail(ErrorCode::bad_usage, "The workload cannot be built", "workload." + field, why, next);
  };
  if (block_size < 1) return fail(ErrorCode::bad_usage, "The workload cannot be built", "capacity.block_size",
                                  fmt::format("a block of {} tokens holds nothing", block_size), "Give at least 1, usually 16");
  if (!(spec.trace_scale > 0) || spec.trace_scale > 1000)
    return bad("trace_scale", fmt::format("{} is outside 0 to 1000", spec.trace_scale), "Give for example 1, or 0.125");
  if (spec.trace_requests < 0) return bad("trace_requests", fmt::format("{} requests", spec.trace_requests), "Give 0 for all, or a number");
  const auto scaled = [&](std::int64_t n) { return static_cast<std::int64_t>(std::llround(static_cast<double>(n) * spec.trace_scale)); };
  const std::int64_t per_id = std::max<std::int64_t>(1, scaled(trace.block_tokens));
  const std::size_t count = spec.trace_requests > 0 ? std::min(trace.requests.size(), static_cast<std::size_t>(spec.trace_requests)) : trace.requests.size();

  const auto full_of = [&](const TraceRequest& r) { return std::min<std::int64_t>(r.count, r.input_tokens / trace.block_tokens); };
  double total = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const TraceRequest& r = trace.requests[i];
    total += static_cast<double>(full_of(r) * per_id + scaled(r.input_tokens - full_of(r) * trace.block_tokens));
  }
  if (total > most_total_tokens)
    return bad("trace_scale", fmt::format("the first {} prompts have {:.3g} tokens; this program builds {:.3g}", count, total, most_total_tokens),
               "Set workload.trace_requests, or a smaller workload.trace_scale");

  Contents contents(trace, spec, static_cast<std::size_t>(per_id), static_cast<std::size_t>(block_size));
  DistanceMeter meter;
  std::vector<Prompt> out;
  std::vector<std::uint32_t> last_user(trace.distinct(), Trace::none);   // request that used the id last
  std::vector<int> document, visits;
  out.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const TraceRequest& r = trace.requests[i];
    const auto ids = trace.blocks(r);
    const std::int64_t full = full_of(r);
    Prompt p;
    p.ordinal = static_cast<int>(i);
    p.output_tokens = r.output_tokens < 0 ? std::max<std::int64_t>(1, spec.output_tokens) : std::max<std::int64_t>(1, scaled(r.output_tokens));
    bool apart = true;
    for (std::int64_t b = 0; b < full && apart; ++b) apart = contents.append(ids[static_cast<std::size_t>(b)], static_cast<std::size_t>(per_id), p.tokens);
    // What is less than an id stays less, so that the full blocks shared are those of the trace.
    std::int64_t rest = scaled(r.input_tokens - full * trace.block_tokens);
    if (r.input_tokens - full * trace.block_tokens < trace.block_tokens) rest = std::min(rest, per_id - 1);
    if (rest == 0 && p.tokens.empty()) rest = 1;  // a prompt has at least one token
    if (rest > 0 && static_cast<std::int64_t>(ids.size()) > full) {
      apart = apart && contents.append(ids[static_cast<std::size_t>(full)], static_cast<std::size_t>(rest), p.tokens);
    } else if (rest > 0) {  // the trace names no block for it: it is this request's own
      Rng rng(stream(spec.seed, trace_stream + (std::uint64_t{1} << 63), i));
      for (std::int64_t k = 0; k < rest; ++k) p.tokens.push_back(p.tokens.empty() ? first_id(rng, false) : any_id(rng));
    }
    if (!apart)
      return bad("trace_scale", fmt::format("at {} tokens an id the blocks of the trace cannot be told apart (line {})", per_id, r.line),
                 "Give a larger workload.trace_scale");
    // Whose continuation it is.
    std::uint32_t from = Trace::none;
    std::int64_t known = 0;
    while (known < full && last_user[ids[static_cast<std::size_t>(known)]] != Trace::none) from = last_user[ids[static_cast<std::size_t>(known++)]];
    const bool continues = from != Trace::none && known >= full_of(trace.requests[from]);
    if (!continues) visits.push_back(0);
    document.push_back(continues ? document[from] : static_cast<int>(visits.size()) - 1);
    for (std::int64_t b = 0; b < full; ++b) last_user[ids[static_cast<std::size_t>(b)]] = static_cast<std::uint32_t>(i);
    p.document = document.back();
    p.round = ++visits[static_cast<std::size_t>(p.document)];
    p.hash = prompt_hash(p.tokens);
    p.keys = block_keys(p.tokens, block_size);
    p.revisit_distance = meter.request(p.keys);
    out.push_back(std::move(p));
  }
  return out;
}

Result<std::vector<Prompt>> realise_trace(const Spec& spec, std::int64_t block_size) {
  if (spec.trace.empty())
    return fail(ErrorCode::bad_usage, "The workload cannot be built", "workload.trace", "a trace workload names no file", "Give the path of a trace");
  TraceOptions options;
  options.first_requests = spec.trace_requests;
  const auto trace = read_trace(spec.trace, options);
  if (!trace) {
    Error e = trace.error();
    e.where = "workload.trace, " + e.where;
    return fail(std::move(e));
  }
  return prompts_of(*trace, spec, block_size);
}

}  // namespace kvcliff::workload
