// SPDX-License-Identifier: GPL-3.0-or-later
#include "attribution/attribute.h"

#include <algorithm>
#include <cmath>

#include "attribution/split.h"
#include "base/text.h"

namespace kvcliff::attribution {
namespace {

/// cached_tokens of the answer; a negative number (-1) is the engine's way to say that it does not know.
std::optional<std::int64_t> cached_tokens(const StreamRecord* stream) {
  if (stream == nullptr || !stream->usage.cached_tokens || *stream->usage.cached_tokens < 0) return std::nullopt;
  return stream->usage.cached_tokens;
}

void choose_prompt(Attribution& out, const StreamRecord* stream, const AttributionOptions& options) {
  const auto counted = out.delta.value("prompt_tokens");
  if (stream != nullptr && stream->usage.prompt_tokens && options.requests == 1) {
    out.prompt_tokens = stream->usage.prompt_tokens;
    out.prompt_from = "usage.prompt_tokens";
  } else if (options.prompt_tokens) {
    out.prompt_tokens = options.prompt_tokens;
    out.prompt_from = "as sent";
  } else if (counted) {
    out.prompt_tokens = std::llround(*counted);
    out.prompt_from = "prompt_tokens";
  }
}

void not_exclusive(Attribution& out, const std::string& why) {
  out.exclusive = false;
  if (out.reason.empty()) out.reason = "other requests in the window";
  out.flags.push_back(why);
}

std::string whole(double v) { return std::to_string(std::llround(v)); }

/// Everything that betrays a foreign request in the window.
void check_exclusive(Attribution& out, const CounterSnapshot& before, const CounterSnapshot& after,
                     const AttributionOptions& options) {
  if (!options.window_is_ours) not_exclusive(out, "the server is shared: nothing proves that the window was ours alone");
  if (const auto counted = out.delta.value("prompt_tokens");
      counted && out.prompt_tokens && out.prompt_from != "prompt_tokens" &&
      std::llround(*counted) != *out.prompt_tokens)
    not_exclusive(out, "the prompt counter moved by " + whole(*counted) + " tokens, our prompts have " +
                           std::to_string(*out.prompt_tokens));
  if (const auto finished = out.delta.value("request_success")) {
    const auto n = std::llround(*finished);
    // A request that we cancelled may be counted (as aborted) or not; a finished one always is, sooner or later.
    if (n > options.requests)
      not_exclusive(out, std::to_string(n) + " requests finished, " + std::to_string(options.requests) + " of them ours");
  }
  for (const auto* page : {&before, &after}) {
    const auto running = page->value("num_requests_running");
    const auto waiting = page->value("num_requests_waiting");
    if (running.value_or(0) + waiting.value_or(0) > 0)
      not_exclusive(out, std::string(page == &before ? "before" : "after") + " the window " +
                             whole(running.value_or(0)) + " requests ran and " + whole(waiting.value_or(0)) + " waited");
  }
  if (out.engines_moved.size() > 1 && options.requests == 1)
    not_exclusive(out, std::to_string(out.engines_moved.size()) +
                           " engines counted prompt tokens, and one request is served by one engine");
}

/// Another model's requests share the GPU with ours: its tokens are counted apart, but the times are not ours alone.
void check_other_models(Attribution& out) {
  const auto moved = other_models_moved(out.delta);
  if (moved.empty()) return;
  out.exclusive = false;
  if (out.reason.empty()) out.reason = "requests of another model in the window";
  out.flags.push_back("another model was served in the window: " + moved);
}

void read_bytes(const CounterSnapshot& after, const char* name, const CounterDelta& d, std::optional<Bytes>& bytes,
                std::string& from) {
  if (const auto moved = d.value(name)) {
    bytes = Bytes(std::llround(*moved));
    const auto it = after.readings.find(name);
    from = it != after.readings.end() ? it->second.series : "declared without a sample: nothing was moved yet";
  } else if (const auto it = after.unavailable.find(name); it != after.unavailable.end()) {
    from = it->second;
  } else {
    from = "this engine does not export bytes between the tiers (no tier, or a connector without counters)";
  }
}

void check_bytes(Attribution& out, const AttributionOptions& options) {
  if (!options.kv_bytes_per_token || !out.loaded_bytes || !out.host_transferred) return;
  const std::int64_t expected = *out.host_transferred * *options.kv_bytes_per_token;
  if (expected == out.loaded_bytes->v) return;
  if (out.delta.value("num_preemptions").value_or(0) > 0) {
    out.flags.push_back("a request was preempted: bytes loaded back for it are in no token source");
    return;
  }
  out.flags.push_back("loaded bytes differ from host tokens x bytes per token by " +
                      std::to_string(out.loaded_bytes->v - expected));
}

/// All three sources absent, because of `reason`; reported tells "unknown" from "not reported".
void unknown_sources(Attribution& out, const std::string& reason, bool reported) {
  for (auto* m : {&out.sources.computed, &out.sources.gpu_hit, &out.sources.host_loaded})
    *m = {std::nullopt, Provenance::none, reason, reported};
  if (out.prompt_tokens && reported && out.valid)
    out.sources.unknown = {Tokens(*out.prompt_tokens), Provenance::derived, out.prompt_from, false};
  else
    out.sources.unknown = {std::nullopt, Provenance::none, reason, reported};
}

void check_identity(Attribution& out) {
  const auto& s = out.sources;
  // A tier that is not reported has no tokens to add; a source that is reported but unknown leaves the sum open.
  for (const auto* m : {&s.computed, &s.gpu_hit, &s.host_loaded})
    if (!m->value && (m->reported || m == &s.computed || m == &s.gpu_hit)) return;
  if (!out.prompt_tokens) return;
  std::int64_t sum = s.unknown.value.value_or(Tokens(0)).v;
  for (const auto* m : {&s.computed, &s.gpu_hit, &s.host_loaded}) sum += m->value.value_or(Tokens(0)).v;
  out.identity = sum == *out.prompt_tokens && !s.unknown.value;
  if (sum != *out.prompt_tokens)
    out.flags.push_back("the sources sum to " + std::to_string(sum) + " tokens, the prompt has " +
                        std::to_string(*out.prompt_tokens));
}

void check_blocks(Attribution& out, std::optional<std::int64_t> block_size) {
  if (!block_size || *block_size <= 0) return;
  const auto b = *block_size;
  const auto& gpu = out.sources.gpu_hit.value;
  if (gpu && gpu->v == 0 && out.prompt_tokens && *out.prompt_tokens < b)
    out.flags.push_back("shorter than one block (" + std::to_string(b) + ")");
  // The token taken off for the last-token rule makes one source end inside a block: add it back before checking.
  const auto ragged = [&](const std::optional<Tokens>& t) {
    return t && t->v % b != 0 && !(out.recomputed > 0 && (t->v + out.recomputed) % b == 0);
  };
  if (ragged(gpu)) out.flags.push_back("the GPU hit is not a multiple of the block size (" + std::to_string(b) + ")");
  if (ragged(out.sources.host_loaded.value))
    out.flags.push_back("the host load is not a multiple of the block size (" + std::to_string(b) + ")");
}

}  // namespace

Attribution attribute_body(const StreamRecord& stream, const AttributionOptions& options) {
  Attribution out;
  choose_prompt(out, &stream, options);
  const auto cached = cached_tokens(&stream);
  if (!out.prompt_tokens || !cached) {
    unknown_sources(out, out.prompt_tokens ? "the answer states no cached_tokens" : "the answer states no usage", false);
    out.reason = out.sources.computed.from;
    return out;
  }
  const std::string field = "usage.prompt_tokens_details.cached_tokens";
  out.sources.computed = {Tokens(*out.prompt_tokens - *cached), Provenance::derived, "usage.prompt_tokens - cached_tokens"};
  const auto device = stream.usage.cached_by_tier.find("device");
  const auto host = stream.usage.cached_by_tier.find("host");
  if (device != stream.usage.cached_by_tier.end() && host != stream.usage.cached_by_tier.end()) {
    out.sources.gpu_hit = {Tokens(device->second), Provenance::body, "usage, cached tokens of the device"};
    out.sources.host_loaded = {Tokens(host->second), Provenance::body, "usage, cached tokens of the host"};
    const auto rest = *cached - device->second - host->second;
    if (rest > 0) out.sources.unknown = {Tokens(rest), Provenance::derived, "cached tokens of other tiers"};
  } else if (*cached == 0 || options.tier == false) {
    out.sources.gpu_hit = {Tokens(*cached), Provenance::body, field};
    out.sources.host_loaded = {Tokens(0), Provenance::derived,
                               *cached == 0 ? "nothing was cached" : "this server has no host tier"};
  } else {
    out.reason = "the answer does not split cached tokens between the tiers";
    out.sources.gpu_hit = out.sources.host_loaded = {std::nullopt, Provenance::none, out.reason, true};
    out.sources.unknown = {Tokens(*cached), Provenance::body, field};
  }
  if (out.sources.computed.value->v < 0) {
    unknown_sources(out, "more cached tokens than the prompt has", true);
    out.reason = out.sources.computed.from;
  }
  check_identity(out);
  return out;
}

Attribution attribute(const CounterSnapshot& before, const CounterSnapshot& after, const StreamRecord* stream,
                      const AttributionOptions& options) {
  Attribution out;
  out.delta = delta(before, after);
  out.reason = why_not_subtractable(before, after, out.delta);
  out.valid = out.reason.empty();
  choose_prompt(out, stream, options);
  if (!out.valid) {
    out.exclusive = false;
    unknown_sources(out, out.reason, true);
    out.loaded_from = out.stored_from = out.reason;
    return out;
  }
  out.engines_moved = engines_moved(before, after);
  read_bytes(after, "kv_offload_load_bytes", out.delta, out.loaded_bytes, out.loaded_from);
  read_bytes(after, "kv_offload_store_bytes", out.delta, out.stored_bytes, out.stored_from);
  check_exclusive(out, before, after, options);
  const bool mixed = !out.exclusive;  // foreign tokens in our own model's counters
  check_other_models(out);

  SplitInput in;
  in.prompt_tokens = out.prompt_tokens;
  in.requests = options.requests;
  in.block_size = options.block_size ? options.block_size : block_size_of(after);
  split_counters(in, after, out);
  if (mixed) {
    // Never scaled by share: what others did in the same window cannot be told apart.
    unknown_sources(out, out.reason, true);
    out.gpu_hit_share.reset();
    return out;
  }
  if (!out.sources.computed.value && !out.sources.computed.reported && stream != nullptr && cached_tokens(stream)) {
    const auto body = attribute_body(*stream, options);
    out.sources = body.sources;
    out.reason = body.reason;
  }
  check_identity(out);
  check_blocks(out, in.block_size);
  check_bytes(out, options);
  if (const auto finished = out.delta.value("request_success"); finished && *finished == 0 && options.cancelled == 0 &&
                                                                 out.prompt_tokens.value_or(0) > 0)
    out.flags.push_back("no request is counted as finished in this window (a cancelled one may never be)");
  for (const auto& name : out.delta.vanished) out.flags.push_back(name + " was exported before and is not any more");
  return out;
}

}  // namespace kvcliff::attribution
