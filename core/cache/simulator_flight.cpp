// SPDX-License-Identifier: GPL-3.0-or-later
// Several requests in flight: the caller schedules and says when transfers end.
#include <algorithm>
#include <utility>

#include "cache/simulator.h"

namespace kvcliff::cache {

Simulator::Admission Simulator::admit(Id id, std::span<const Key> keys, std::int64_t tokens, std::int64_t prompt_tokens,
                                      bool read) {
  Running& r = requests_[id];
  if (r.jobs > 0) return {Admission::Verdict::deferred, 0, 0, std::nullopt};  // its stores from before a preemption
  r.blocks.clear();
  r.prompt = prompt_tokens;
  r.tokens = tokens;
  r.computed = r.hashed = 0;
  learn(r, keys.first(std::min(keys.size(), static_cast<std::size_t>(tokens / config_.block_size))));
  std::vector<KeyTable::Id> load;
  Admission out = admit(r, read, load);
  if (out.verdict != Admission::Verdict::admitted || load.empty()) return out;
  out.load = Transfer{next_job_, static_cast<std::int64_t>(load.size())};
  ++r.jobs;
  jobs_[next_job_++] = {id, true, std::move(load)};
  return out;
}

void Simulator::load_done(std::uint64_t job) {
  auto node = jobs_.extract(job);
  if (node.empty()) return;
  Running& r = requests_.at(node.mapped().id);
  --r.jobs;
  end_load(r, node.mapped().chunks);
}

std::optional<Simulator::Transfer> Simulator::keep_store(Id id, Running& r, std::vector<KeyTable::Id>& stored) {
  if (stored.empty()) return std::nullopt;
  const Transfer t{next_job_, static_cast<std::int64_t>(stored.size())};
  ++r.jobs;
  jobs_[next_job_++] = {id, false, std::move(stored)};
  return t;
}

Simulator::Step Simulator::step(Id id, std::int64_t tokens, std::span<const Key> keys) {
  Step out;
  Running& r = requests_.at(id);
  learn(r, keys);
  if (!advance(r, tokens)) return out;
  out.scheduled = true;
  std::vector<KeyTable::Id> stored;
  offer(r, r.computed, false, stored, out);
  out.store = keep_store(id, r, stored);
  return out;
}

void Simulator::store_done(std::uint64_t job) {
  auto node = jobs_.extract(job);
  if (node.empty()) return;
  const auto it = requests_.find(node.mapped().id);
  if (it != requests_.end()) --it->second.jobs;
  host_.end_store(node.mapped().chunks);
}

Simulator::Step Simulator::finish(Id id, std::span<const Key> keys, std::int64_t known_tokens) {
  Step out;
  auto node = requests_.extract(id);
  if (node.empty()) return out;
  Running& r = node.mapped();
  out.scheduled = true;
  learn(r, keys);
  std::vector<KeyTable::Id> stored;
  offer(r, std::min(last_offer_tokens(r, known_tokens), std::max(known_tokens, r.prompt)), true, stored, out);
  out.store = keep_store(id, r, stored);
  host_.finish(r.chunks, r.flags);
  gpu_.release(r.blocks);
  return out;
}

void Simulator::preempt(Id id) {
  Running& r = requests_.at(id);
  gpu_.release(r.blocks);
  r.blocks.clear();
  r.computed = r.hashed = 0;
  r.prefilling = false;
}

bool Simulator::reset_gpu() { return gpu_.reset(); }

void Simulator::reset_host() {
  host_.reset();
  for (auto& [id, r] : requests_) {
    r.next_chunk = 0;
    r.jobs = 0;
    std::fill(r.flags.begin(), r.flags.end(), std::uint8_t{0});
  }
  std::erase_if(jobs_, [](const auto& entry) { return !entry.second.is_load; });
  for (const auto& [job, load] : jobs_) ++requests_.at(load.id).jobs;  // their blocks are still being filled
}

}  // namespace kvcliff::cache
