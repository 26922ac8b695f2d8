// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/trace_walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "base/hash.h"
#include "workload/length_blocks.h"
#include "workload/trace_reader.h"

namespace kvcliff::workload {
namespace {

std::uint64_t mixed(std::uint64_t x) {
  x ^= x >> 32;
  x *= 0x9e3779b97f4a7c15ULL;
  x ^= x >> 29;
  return x * 0xbf58476d1ce4e5b9ULL;
}
// Not symmetric: a block after another is not that one after it.
std::uint64_t chained(std::uint64_t before, std::uint64_t next) { return mixed(mixed(before + 0x94d049bb133111ebULL) + next); }

class Walker final : public TraceSink {
 public:
  Walker(const TraceOptions& options, std::int64_t block_tokens, const EachRequest& each) : options_(options), size_(block_tokens), each_(each), faults_(options) {}

  void begin(TraceFormat format, std::int64_t block_tokens, std::size_t) override {
    walk_.format = format;
    from_ = block_tokens;
    if (size_ == 0) size_ = from_;
    if (size_ < 1 || (from_ % size_ != 0 && size_ % from_ != 0)) refused_ = cannot_cut(from_, size_);
    walk_.block_tokens = size_;
  }
  void fault(std::size_t line, std::string why) override { faults_.add(line, std::move(why)); }

  bool add(const TraceItem& item) override {
    if (refused_) return false;
    const TraceRequest& r = item.request;
    keys_.clear();
    const std::int64_t full = r.input_tokens / size_;
    if (item.lengths_only) {
      by_lengths_ = true;
      of_lengths(item, full);
    } else {
      const std::int64_t parts = std::max<std::int64_t>(1, from_ / size_), group = std::max<std::int64_t>(1, size_ / from_);
      const std::int64_t count = std::min(full, static_cast<std::int64_t>(item.raws.size()) * parts / group);
      std::uint64_t key = 0;
      std::size_t done = 0;
      for (std::int64_t b = 0; b < count; ++b) {
        for (const auto end = static_cast<std::size_t>((b + 1) * group + parts - 1) / static_cast<std::size_t>(parts); done < end; ++done) key = chained(key, item.raws[done]);
        keys_.push_back(parts == 1 ? key : chained(key, static_cast<std::uint64_t>(b % parts) + 1));
      }
    }
    if (r.seconds >= 0 && r.seconds < last_) ++walk_.backwards;
    last_ = r.seconds;
    walk_.prompt_tokens += r.input_tokens;
    ++walk_.requests;
    if (!each_(r, keys_, size_)) return false;
    return options_.first_requests <= 0 || walk_.requests < options_.first_requests;
  }

  Result<TraceWalk> finish(const std::string& where, const std::string& hint) {
    if (refused_) return fail(std::move(*refused_));
    if (auto e = faults_.error(static_cast<std::size_t>(walk_.requests), where, hint)) return fail(std::move(*e));
    if (by_lengths_) walk_.prefix_model = describe(options_.prefix_model);
    walk_.faults = std::move(faults_.first);
    walk_.fault_count = faults_.count;
    return std::move(walk_);
  }

 private:
  // A prompt's blocks are those of a thread that it begins or continues; a block is its thread and its place.
  void of_lengths(const TraceItem& item, std::int64_t full) {
    std::uint64_t thread = threads_ + 1;
    std::int64_t shared = 0;
    if (options_.prefix_model.kind == PrefixModel::Kind::shared) shared = std::min(full, options_.prefix_model.tokens / size_);
    std::optional<OpenPrompts::Prompt> before;
    std::int64_t session = -1;
    if (options_.prefix_model.kind == PrefixModel::Kind::continued) {
      if (!item.session.empty()) session = sessions_.try_emplace(std::string(item.session), static_cast<std::int64_t>(sessions_.size())).first->second;
      before = open_.take(item.request.input_tokens, session);
    }
    if (before) thread = before->first;
    else ++threads_;
    for (std::int64_t b = 0; b < full; ++b) keys_.push_back(chained(b < shared ? 0 : thread, static_cast<std::uint64_t>(b)));
    if (options_.prefix_model.kind == PrefixModel::Kind::continued)
      open_.add(item.request.input_tokens + std::max<std::int64_t>(0, item.request.output_tokens), session, {static_cast<std::size_t>(thread), full});
  }

  const TraceOptions& options_;
  std::int64_t size_, from_ = 0;
  const EachRequest& each_;
  TraceFaults faults_;
  TraceWalk walk_;
  std::optional<Error> refused_;
  std::vector<std::uint64_t> keys_;
  double last_ = -1;
  bool by_lengths_ = false;
  std::uint64_t threads_ = 0;
  OpenPrompts open_;
  std::unordered_map<std::string, std::int64_t> sessions_;
};

}  // namespace

Result<TraceWalk> walk_trace(const std::string& path, const TraceOptions& options, std::int64_t block_tokens, const EachRequest& each) {
  auto blocks = TextBlocks::open(path);
  if (!blocks) return fail(blocks.error());
  Walker walker(options, block_tokens, each);
  const auto hint = read_lines(*blocks, path, options, walker);
  if (!hint) return fail(hint.error());
  return walker.finish(path, *hint);
}

}  // namespace kvcliff::workload
