// SPDX-License-Identifier: GPL-3.0-or-later
#include "exchange/trace_export.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <unordered_map>
#include <unordered_set>

#include "base/file.h"
#include "base/hash.h"
#include "journal/reader.h"
#include "plan/plan.h"

namespace kvcliff::exchange {
namespace {

Result<std::string> fresh_salt() {
  std::string salt(32, '\0');
  if (::getrandom(salt.data(), salt.size(), 0) != static_cast<ssize_t>(salt.size()))
    return fail(ErrorCode::io, "The system gave no random bytes", "getrandom", std::strerror(errno), "Give a salt of your own with --salt");
  return salt;
}

/// Names for blocks that can be told apart, and not be traced back. 52 bits, so that a program that keeps numbers as doubles
/// reads them exactly.
class Names {
 public:
  explicit Names(std::string salt) : salt_(std::move(salt)) {}

  std::uint64_t of(std::uint64_t block) {
    const auto [at, fresh] = known_.try_emplace(block, 0);
    // Two blocks with one name would share what they do not: the later one is named once more.
    for (std::uint32_t round = 0; fresh && (round == 0 || !taken_.insert(at->second).second); ++round) at->second = name(block, round);
    return at->second;
  }
  std::size_t count() const { return known_.size(); }

 private:
  std::uint64_t name(std::uint64_t block, std::uint32_t round) const {
    std::string bytes = salt_;
    for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(block >> shift & 0xff);
    for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(round >> shift & 0xff);
    const auto digest = sha256(bytes);
    std::uint64_t out = 0;
    for (std::size_t i = 0; i < 8; ++i) out = out << 8 | digest[i];
    return out >> 12;
  }

  std::string salt_;
  std::unordered_map<std::uint64_t, std::uint64_t> known_;
  std::unordered_set<std::uint64_t> taken_;
};

/// What the answer took of the cache: its tokens as counted, where the stream was whole; else as asked.
std::int64_t output_of(const RequestRecord& r) {
  if (r.stream.outcome == Outcome::complete && r.stream.usage.completion_tokens) return *r.stream.usage.completion_tokens;
  return r.plan.output_tokens;
}

Result<SessionRecord> chosen(const journal::Reader& reader, const journal::ExperimentRecord& e, const std::optional<int>& wanted) {
  const auto all = reader.sessions(e.id);
  if (!all) return fail(all.error());
  const SessionRecord* found = nullptr;
  for (const auto& s : *all) {
    if (s.state != SessionState::finished || (wanted ? s.ordinal != *wanted : s.conditioning)) continue;
    // Of several attempts the last finished one counts.
    if (!found || s.ordinal == found->ordinal) found = &s;
  }
  if (found) return *found;
  const std::string where = reader.path() + ", experiment " + e.uid;
  if (wanted) return fail(ErrorCode::not_found, fmt::format("There is no finished session {}", *wanted + 1), where, {}, "kvcliff-cli reconcile lists the sessions");
  return fail(ErrorCode::not_found, "No session finished, so there is no whole series of requests", where, {}, "Go on with --resume, or name another experiment");
}

}  // namespace

Result<ExportedTrace> trace_of(std::span<const RequestRecord> requests, std::int64_t block_size, const TraceOrder& order) {
  ExportedTrace out;
  out.block_size = block_size;
  std::vector<const RequestRecord*> sent;
  for (const auto& r : requests) {
    if (r.plan.warmup && order.measured_only) continue;
    const auto full = static_cast<std::size_t>(r.plan.prompt_tokens / std::max<std::int64_t>(1, block_size));
    if (r.plan.prompt_tokens < 1 || r.plan.block_hashes.size() != full)
      return fail(ErrorCode::bad_usage, "A request does not say which blocks its prompt has", fmt::format("request {}", r.plan.ordinal),
                  r.plan.block_hashes.empty() ? "it was measured by another tool, which keeps lengths only" : "it was cut into blocks of another size",
                  "Export an experiment that this program has run");
    sent.push_back(&r);
  }
  if (sent.empty()) return fail(ErrorCode::not_found, "The session holds no request");
  std::stable_sort(sent.begin(), sent.end(), [](const RequestRecord* a, const RequestRecord* b) { return a->sent.mono < b->sent.mono; });
  std::string salt = order.salt;
  if (salt.empty()) {
    auto fresh = fresh_salt();
    if (!fresh) return fail(fresh.error());
    salt = std::move(*fresh);
  }
  Names names(std::move(salt));
  for (const RequestRecord* r : sent) {
    const MonoNs after = std::max<MonoNs>(0, r->sent.mono - sent.front()->sent.mono);
    out.text += fmt::format("{{\"timestamp\": {}, \"input_length\": {}, \"output_length\": {}, \"hash_ids\": [", after / 1'000'000,
                            r->plan.prompt_tokens, output_of(*r));
    for (std::size_t i = 0; i < r->plan.block_hashes.size(); ++i) out.text += fmt::format("{}{}", i ? ", " : "", names.of(r->plan.block_hashes[i]));
    out.text += fmt::format("], \"block_size\": {}}}\n", block_size);
    ++out.requests;
    out.warmup += r->plan.warmup ? 1 : 0;
  }
  out.distinct_blocks = static_cast<std::int64_t>(names.count());
  return out;
}

Result<ExportedTrace> export_trace(const std::string& journal, const std::string& experiment, const std::string& target, const TraceOrder& order) {
  std::error_code ec;
  if (std::filesystem::exists(target, ec))
    return fail(ErrorCode::io, "The trace was not written", target, "there is a file of this name", "Name another file, or remove this one");
  const auto reader = journal::Reader::open(journal);
  if (!reader) return fail(reader.error());
  const auto e = reader->experiment(experiment);
  if (!e) return fail(e.error());
  const auto session = chosen(*reader, *e, order.session);
  if (!session) return fail(session.error());
  const auto parsed = plan::parse_stored(e->plan_text, "the plan stored in " + journal);
  if (!parsed.valid())
    return fail(ErrorCode::corrupt, "The stored plan cannot be read", journal + ", experiment " + e->uid, parsed.faults.front().what,
                "It may have been written by a newer version");
  const auto arm = plan::for_arm(parsed.plan, session->arm);
  if (!arm) return fail(arm.error());
  const auto requests = reader->requests(session->id, journal::Depth::details);
  if (!requests) return fail(requests.error());
  auto out = trace_of(*requests, arm->capacity.block_size, order);
  if (!out) {
    Error error = out.error();
    error.where = journal + ", experiment " + e->uid + (error.where.empty() ? "" : ", " + error.where);
    return fail(std::move(error));
  }
  out->session = session->ordinal;
  out->arm = session->arm;
  if (const auto written = write_file(target, out->text); !written) return fail(written.error());
  return out;
}

}  // namespace kvcliff::exchange
