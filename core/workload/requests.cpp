// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "base/hash.h"
#include "workload/distance.h"
#include "workload/token_draw.h"
#include "workload/trace_prompts.h"

namespace kvcliff::workload {
namespace {

constexpr std::int64_t most_tokens = std::int64_t{1} << 31;

void draw(std::vector<std::int32_t>& to, std::size_t size, Rng& rng) {
  while (to.size() < size) to.push_back(to.empty() ? first_id(rng, false) : any_id(rng));
}

Result<void> check(const Spec& s, std::int64_t block_size) {
  const auto bad = [](const std::string& field, const std::string& why, const std::string& next) {
    return fail(ErrorCode::bad_usage, "The workload cannot be built", "workload." + field, why, next);
  };
  if (block_size < 1) return fail(ErrorCode::bad_usage, "The workload cannot be built", "capacity.block_size",
                                  fmt::format("a block of {} tokens holds nothing", block_size), "Give at least 1, usually 16");
  if (s.documents < 1) return bad("documents", fmt::format("{} documents make no request", s.documents), "Give at least 1");
  if (s.tokens < 1) return bad("tokens", fmt::format("a prompt of {} tokens cannot be sent", s.tokens), "Give at least 1");
  if (s.rounds < 1) return bad("rounds", fmt::format("{} rounds make no request", s.rounds), "Give at least 1");
  if (s.documents > 1'000'000'000 / s.rounds)
    return bad("rounds", fmt::format("{} documents x {} rounds are too many requests", s.documents, s.rounds),
               "Keep documents x rounds below a thousand million");
  if (s.output_tokens < 1)
    return bad("output_tokens", fmt::format("{} output tokens: without a first token there is no time to first token",
                                            s.output_tokens), "Give at least 1");
  if (s.turn_tokens < 0) return bad("turn_tokens", "a turn cannot take tokens away", "Give 0 or more");
  if (s.shared_prefix_tokens < 0 || s.shared_prefix_tokens > s.tokens)
    return bad("shared_prefix_tokens", fmt::format("{} shared tokens do not fit a prompt of {}", s.shared_prefix_tokens, s.tokens),
               fmt::format("Give 0 to {}", s.tokens));
  if (s.order == Spec::Order::zipf && !(s.zipf_exponent >= 0 && s.zipf_exponent <= 20))
    return bad("zipf_exponent", fmt::format("{} is outside 0 to 20", s.zipf_exponent), "Give for example 0.8");
  const std::int64_t longest = s.kind == Spec::Kind::sessions ? s.turn_tokens : 0;
  if (s.tokens > most_tokens || (longest > 0 && s.rounds > most_tokens / longest))
    return bad("tokens", "a prompt of more than 2^31 tokens cannot be sent", "Make the documents shorter");
  const std::int64_t last = s.tokens + (s.kind == Spec::Kind::sessions ? (s.rounds - 1) * s.turn_tokens : 0);
  if (static_cast<double>(last) * static_cast<double>(s.documents) * static_cast<double>(s.rounds) > most_total_tokens)
    return bad("tokens", "the prompts together are longer than this program builds (5 x 10^8 tokens)",
               "Use fewer documents or rounds, or shorter prompts");
  return {};
}

// One document's longest prompt. Its first block behind the shared prefix differs from every other document's; where
// the block cannot hold a difference (a block of few free tokens, thousands of documents) other tokens are tried.
Result<std::vector<std::int32_t>> document(const Spec& s, std::int64_t block_size, int index, std::size_t size,
                                           const std::vector<std::int32_t>& prefix,
                                           std::unordered_set<std::uint64_t>& taken) {
  const auto step = static_cast<std::size_t>(block_size);
  const std::size_t private_block = prefix.size() / step;   // index of the first block with a token of its own
  const std::size_t first_own = (private_block + 1) * step;  // tokens up to the end of that block
  for (std::uint64_t attempt = 0; attempt < 10'000; ++attempt) {
    Rng rng(stream(s.seed, document_stream + (attempt << 8), static_cast<std::uint64_t>(index)));
    std::vector<std::int32_t> tokens = prefix;
    draw(tokens, std::min(size, first_own), rng);
    if (tokens.size() == first_own && !taken.insert(block_keys(tokens, block_size).back()).second) continue;
    draw(tokens, size, rng);
    return tokens;
  }
  return fail(ErrorCode::bad_usage, "The workload cannot be built", "workload.documents",
              fmt::format("{} documents cannot all differ in their first own block of {} tokens", s.documents, block_size),
              "Use fewer documents, larger blocks, or a shared prefix that ends on a block boundary");
}

}  // namespace

std::vector<Visit> visits(const Spec& s) {
  std::vector<Visit> out;
  const auto count = static_cast<std::size_t>(s.documents);
  const auto rounds = static_cast<std::size_t>(s.rounds);
  out.reserve(count * rounds);
  std::vector<int> order(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = static_cast<int>(i);
  Rng rng(stream(s.seed, order_stream, 0));
  const auto shuffle = [&](auto& v) {
    for (std::size_t i = v.size(); i > 1; --i) std::swap(v[i - 1], v[rng.below(i)]);
  };
  switch (s.order) {
    case Spec::Order::cyclic:
    case Spec::Order::reverse:
      for (std::size_t r = 0; r < rounds; ++r)
        for (std::size_t i = 0; i < count; ++i)
          out.push_back({order[s.order == Spec::Order::reverse && r % 2 == 1 ? count - 1 - i : i], 0});
      break;
    case Spec::Order::random:
      for (std::size_t r = 0; r < rounds; ++r) {
        shuffle(order);
        for (const int d : order) out.push_back({d, 0});
      }
      break;
    case Spec::Order::zipf: {
      std::vector<double> weight(count);
      for (std::size_t d = 0; d < count; ++d) weight[d] = std::pow(static_cast<double>(d + 1), -s.zipf_exponent);
      // A conversation keeps its number of turns, so it leaves the draw when they are used up.
      std::vector<std::int64_t> left(count, s.kind == Spec::Kind::sessions ? s.rounds : s.documents * s.rounds);
      for (std::size_t i = 0; i < count * rounds; ++i) {
        double sum = 0;
        for (const double w : weight) sum += w;
        double x = rng.unit() * sum;
        std::size_t pick = count;
        for (std::size_t d = 0; d < count && (pick == count || x >= 0); ++d) {
          if (left[d] == 0) continue;
          pick = d;
          x -= weight[d];
        }
        if (--left[pick] == 0) weight[pick] = 0;
        out.push_back({static_cast<int>(pick), 0});
      }
      break;
    }
  }
  std::vector<int> seen(count, 0);
  for (Visit& v : out) v.round = ++seen[static_cast<std::size_t>(v.document)];
  return out;
}

Result<std::vector<Prompt>> realise(const Spec& s, std::int64_t block_size) {
  if (s.kind == Spec::Kind::trace) return realise_trace(s, block_size);
  if (auto ok = check(s, block_size); !ok) return fail(ok.error());
  const bool turns = s.kind == Spec::Kind::sessions;
  std::vector<std::int32_t> prefix;
  Rng prefix_rng(stream(s.seed, prefix_stream, 0));
  draw(prefix, static_cast<std::size_t>(s.shared_prefix_tokens), prefix_rng);
  const std::int64_t longest = s.tokens + (turns ? (s.rounds - 1) * s.turn_tokens : 0);

  std::unordered_set<std::uint64_t> taken;
  std::vector<std::vector<std::int32_t>> documents;
  for (int d = 0; d < static_cast<int>(s.documents); ++d) {
    auto tokens = document(s, block_size, d, static_cast<std::size_t>(longest), prefix, taken);
    if (!tokens) return fail(tokens.error());
    documents.push_back(std::move(*tokens));
  }

  std::vector<Prompt> out;
  DistanceMeter meter;
  for (const Visit& v : visits(s)) {
    Prompt p;
    p.ordinal = static_cast<int>(out.size());
    p.document = v.document;
    p.round = v.round;
    p.output_tokens = s.output_tokens;
    const auto& all = documents[static_cast<std::size_t>(v.document)];
    const std::int64_t size = s.tokens + (turns ? (v.round - 1) * s.turn_tokens : 0);
    p.tokens.assign(all.begin(), all.begin() + size);
    p.hash = prompt_hash(p.tokens);
    p.keys = block_keys(p.tokens, block_size);
    p.revisit_distance = meter.request(p.keys);
    out.push_back(std::move(p));
  }
  return out;
}

Result<Prompt> warmup_prompt(const Spec& s, std::int64_t block_size, std::int64_t tokens, int index, std::uint64_t salt) {
  // The first two tokens count the prompts, so that no two share their first block; a block of one token has room for
  // the first only.
  const std::int64_t room = block_size > 1 ? half_ids * id_count : half_ids;
  if (block_size < 1 || tokens < 1 || tokens > most_tokens || index < 0 || index >= room)
    return fail(ErrorCode::bad_usage, "The warm-up prompt cannot be built", "warmup",
                fmt::format("{} tokens, number {}, blocks of {} tokens", tokens, index, block_size),
                fmt::format("At least 1 token and at most {} warm-up prompts are possible", room));
  Prompt p;
  p.warmup = true;
  p.ordinal = index;
  p.output_tokens = s.output_tokens;
  Rng rng(stream(s.seed ^ salt, warmup_stream, static_cast<std::uint64_t>(index)));
  const auto turn = static_cast<std::int64_t>(stream(s.seed, warmup_stream, salt) % static_cast<std::uint64_t>(half_ids));
  p.tokens.push_back(first_token_id + 1 + 2 * static_cast<std::int32_t>((index + turn) % half_ids));
  if (tokens > 1) p.tokens.push_back(first_token_id + static_cast<std::int32_t>(index / half_ids));
  while (static_cast<std::int64_t>(p.tokens.size()) < tokens) p.tokens.push_back(any_id(rng));
  p.hash = prompt_hash(p.tokens);
  p.keys = block_keys(p.tokens, block_size);
  return p;
}

}  // namespace kvcliff::workload
