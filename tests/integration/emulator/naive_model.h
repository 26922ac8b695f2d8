// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>

#include "emulator/cache_model.h"
#include "support/naive_cache.h"

namespace kvcliff::test {

/// The emulator's cache interface over the naive cache.
class NaiveModel final : public emulator::CacheModel {
 public:
  NaiveModel(const cache::Config& config, std::uint64_t seed) : cache_(config, seed) {}

  Admission admit(Id id, std::span<const Key> keys, std::int64_t tokens, std::int64_t prompt_tokens, bool read) override {
    const auto a = cache_.admit(id, keys, tokens, prompt_tokens, read);
    Admission out;
    using V = NaiveCache::Admission::Verdict;
    out.verdict = a.verdict == V::admitted   ? Admission::Verdict::admitted
                  : a.verdict == V::deferred ? Admission::Verdict::deferred
                                             : Admission::Verdict::no_room;
    out.gpu_tokens = a.gpu_tokens;
    out.host_tokens = a.host_tokens;
    if (a.load) out.load = Transfer{a.load->job, a.load->chunks};
    return out;
  }
  void load_done(std::uint64_t job) override { cache_.load_done(job); }
  Step step(Id id, std::int64_t tokens, std::span<const Key> keys) override { return convert(cache_.step(id, tokens, keys)); }
  void store_done(std::uint64_t job) override { cache_.store_done(job); }
  Step finish(Id id, std::span<const Key> keys, std::int64_t known_tokens) override { return convert(cache_.finish(id, keys, known_tokens)); }
  void preempt(Id id) override { cache_.preempt(id); }
  bool reset(bool host_too) override {
    if (!cache_.reset_gpu()) return false;
    if (host_too) cache_.reset_host();
    return true;
  }
  Gauges gauges() const override { return {cache_.gpu_used(), cache_.host_reading(), cache_.host_writing()}; }

 private:
  static Step convert(const NaiveCache::Step& s) {
    Step out;
    out.scheduled = s.scheduled;
    if (s.store) out.store = Transfer{s.store->job, s.store->chunks};
    out.skipped = s.skipped;
    out.store_failed = s.store_failed;
    return out;
  }
  NaiveCache cache_;
};

inline std::unique_ptr<emulator::CacheModel> make_naive(const cache::Config& config, std::uint64_t seed) {
  return std::make_unique<NaiveModel>(config, seed);
}

}  // namespace kvcliff::test
