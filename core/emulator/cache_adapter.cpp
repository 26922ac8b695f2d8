// SPDX-License-Identifier: GPL-3.0-or-later
#include "emulator/cache_adapter.h"

#include <utility>

#include "cache/simulator.h"

namespace kvcliff::emulator {
namespace {

class SimulatedCache final : public CacheModel {
 public:
  SimulatedCache(const cache::Config& config, std::uint64_t seed) : simulator_(config, seed) {}

  Admission admit(Id id, std::span<const Key> keys, std::int64_t tokens, std::int64_t prompt_tokens, bool read) override {
    const auto a = simulator_.admit(id, keys, tokens, prompt_tokens, read);
    Admission out;
    using V = cache::Simulator::Admission::Verdict;
    out.verdict = a.verdict == V::admitted   ? Admission::Verdict::admitted
                  : a.verdict == V::deferred ? Admission::Verdict::deferred
                                             : Admission::Verdict::no_room;
    out.gpu_tokens = a.gpu_tokens;
    out.host_tokens = a.host_tokens;
    if (a.load) out.load = Transfer{a.load->job, a.load->chunks};
    return out;
  }
  void load_done(std::uint64_t job) override { simulator_.load_done(job); }
  Step step(Id id, std::int64_t tokens, std::span<const Key> keys) override { return convert(simulator_.step(id, tokens, keys)); }
  void store_done(std::uint64_t job) override { simulator_.store_done(job); }
  Step finish(Id id, std::span<const Key> keys, std::int64_t known_tokens) override {
    return convert(simulator_.finish(id, keys, known_tokens));
  }
  void preempt(Id id) override { simulator_.preempt(id); }
  bool reset(bool host_too) override {
    if (!simulator_.reset_gpu()) return false;
    if (host_too) simulator_.reset_host();
    return true;
  }
  void record_changes() override {
    const auto note = [this](bool host, bool stored) {
      return [this, host, stored](cache::KeyTable::Id id) { changes_.push_back({host, stored, id}); };
    };
    events_ = {note(false, false), note(true, false), note(true, true), note(false, true)};
    simulator_.listen(&events_);
  }
  std::vector<Change> take_changes() override { return std::exchange(changes_, {}); }
  Gauges gauges() const override { return {simulator_.gpu_used(), simulator_.host_reading(), simulator_.host_writing()}; }

 private:
  static Step convert(const cache::Simulator::Step& s) {
    Step out;
    out.scheduled = s.scheduled;
    if (s.store) out.store = Transfer{s.store->job, s.store->chunks};
    out.skipped = s.skipped;
    out.store_failed = s.store_failed;
    return out;
  }
  cache::Simulator simulator_;
  cache::Events events_;
  std::vector<Change> changes_;
};

}  // namespace

std::unique_ptr<CacheModel> make_simulated_cache(const cache::Config& config, std::uint64_t seed) {
  return std::make_unique<SimulatedCache>(config, seed);
}

}  // namespace kvcliff::emulator
