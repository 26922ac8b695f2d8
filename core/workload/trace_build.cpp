// SPDX-License-Identifier: GPL-3.0-or-later
// A whole trace in memory, with dense ids.
#include <algorithm>
#include <string>
#include <unordered_map>

#include "workload/length_blocks.h"
#include "workload/trace.h"
#include "workload/trace_chain.h"
#include "workload/trace_reader.h"

namespace kvcliff::workload {
namespace {

constexpr std::size_t ids_ahead = std::size_t{1} << 22;  // a longer trace grows its tables as it needs

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

class Builder final : public TraceSink {
 public:
  explicit Builder(const TraceOptions& options) : options_(options), faults_(options), lengths_(trace_, options.prefix_model) {}

  void begin(TraceFormat format, std::int64_t block_tokens, std::size_t ids) override {
    trace_.format = format;
    trace_.block_tokens = block_tokens;
    trace_.ids.reserve(std::min(ids, 4 * ids_ahead));
    chain_.reserve(std::min(ids / 2, ids_ahead));
    trace_.requests.reserve(std::min<std::size_t>(ids / 16, ids_ahead));
  }
  void fault(std::size_t line, std::string why) override { faults_.add(line, std::move(why)); }

  bool add(const TraceItem& item) override {
    TraceRequest r = item.request;
    r.conversation = item.session.empty() ? conversation_of(item) : number_of(item.session);
    r.first = trace_.ids.size();
    if (item.lengths_only) {
      lengths_.append(r.input_tokens, std::max<std::int64_t>(0, r.output_tokens), r.conversation);
      by_lengths_ = true;
    } else {
      chain_.append(item.raws, trace_.ids);
    }
    r.count = static_cast<std::uint32_t>(trace_.ids.size() - r.first);
    if (!trace_.requests.empty() && r.seconds >= 0 && r.seconds < trace_.requests.back().seconds) ++trace_.backwards;
    trace_.requests.push_back(r);
    return options_.first_requests <= 0 || trace_.requests.size() < static_cast<std::size_t>(options_.first_requests);
  }

  Result<Trace> finish(const std::string& where, const std::string& hint) {
    if (auto e = faults_.error(trace_.requests.size(), where, hint)) return fail(std::move(*e));
    if (by_lengths_) {
      trace_.prefix_model = describe(options_.prefix_model);
    } else {
      const bool words = trace_.format == TraceFormat::llmservingsim;  // hashes of tokens have no order to break
      trace_.unchained = words ? 0 : repeated(chain_.raws());
      trace_.parents = chain_.take_parents();
    }
    trace_.faults = std::move(faults_.first);
    trace_.fault_count = faults_.count;
    return std::move(trace_);
  }

 private:
  std::int64_t conversation_of(const TraceItem& l) {
    if (!l.chat) return -1;
    std::int64_t number = -1;
    if (l.parent_chat && *l.parent_chat >= 0)
      if (const auto it = conversation_.find(*l.parent_chat); it != conversation_.end()) number = it->second;
    if (const auto it = conversation_.find(*l.chat); number < 0 && it != conversation_.end()) number = it->second;
    if (number < 0) number = conversations_++;
    conversation_[*l.chat] = number;
    return number;
  }
  std::int64_t number_of(std::string_view session) {
    return sessions_.try_emplace(std::string(session), static_cast<std::int64_t>(sessions_.size())).first->second;
  }

  const TraceOptions& options_;
  Trace trace_;
  TraceFaults faults_;
  LengthBlocks lengths_;
  ChainTable chain_;
  bool by_lengths_ = false;
  std::unordered_map<std::int64_t, std::int64_t> conversation_;  // chat -> its conversation
  std::int64_t conversations_ = 0;
  std::unordered_map<std::string, std::int64_t> sessions_;
};

Result<Trace> build(TextBlocks& blocks, const std::string& where, const TraceOptions& options) {
  Builder builder(options);
  const auto hint = read_lines(blocks, where, options, builder);
  if (!hint) return fail(hint.error());
  return builder.finish(where, *hint);
}

}  // namespace

Result<Trace> parse_trace(std::string_view text, const std::string& where, const TraceOptions& options) {
  TextBlocks blocks = TextBlocks::of(text);
  return build(blocks, where, options);
}

Result<Trace> read_trace(const std::string& path, const TraceOptions& options) {
  auto blocks = TextBlocks::open(path);
  if (!blocks) return fail(blocks.error());
  return build(*blocks, path, options);
}

}  // namespace kvcliff::workload
