// SPDX-License-Identifier: GPL-3.0-or-later
// The path from bytes to a time stamp allocates nothing per event once it is warm. Counted, not timed: what grows with
// the record (its event list, its text) grows by doubling, so that twice the events cost a few allocations more.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "net/client.h"
#include "support/raw_server.h"
#include "wire/openai_stream.h"

namespace {
// Of this thread: the test's server allocates on threads of its own.
thread_local std::int64_t allocated = 0;

void* counted(std::size_t size) {
  ++allocated;
  if (void* p = std::malloc(size ? size : 1)) return p;
  throw std::bad_alloc();
}
void* counted(std::size_t size, std::align_val_t align) {
  ++allocated;
  if (void* p = std::aligned_alloc(static_cast<std::size_t>(align), (size + static_cast<std::size_t>(align) - 1) / static_cast<std::size_t>(align) * static_cast<std::size_t>(align))) return p;
  throw std::bad_alloc();
}
}  // namespace

void* operator new(std::size_t n) { return counted(n); }
void* operator new[](std::size_t n) { return counted(n); }
void* operator new(std::size_t n, std::align_val_t a) { return counted(n, a); }
void* operator new[](std::size_t n, std::align_val_t a) { return counted(n, a); }
void* operator new(std::size_t n, const std::nothrow_t&) noexcept { ++allocated; return std::malloc(n ? n : 1); }
void* operator new[](std::size_t n, const std::nothrow_t&) noexcept { ++allocated; return std::malloc(n ? n : 1); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace kvcliff {
namespace {

constexpr int warm = 1000, more = 8000;
// Doublings between 1,000 and 9,000 of the lists and texts of a record, with room to spare; one per event would be 8,000.
constexpr std::int64_t few = 64;

/// A token event in vLLM's words; the id and the text change, as they do in a real stream.
std::string token(int i) {
  return "data: {\"id\":\"cmpl-8cbbc192f02f34d2\",\"object\":\"text_completion\",\"created\":1796119291,\"model\":\"m\",\"choices\":[{\"index\":0,\"text\":\" w" +
         std::to_string(i) + "\",\"logprobs\":null,\"finish_reason\":null,\"stop_reason\":null,\"prompt_token_ids\":null,\"token_ids\":[" + std::to_string(1000 + i) + "]}]}\n\n";
}
/// Events whose shape changes from one to the next, so that no template of the last one fits.
std::string odd_token(int i) {
  return i % 2 ? "data: {\"choices\":[{\"text\":\"\\u00e9" + std::to_string(i) + "\",\"token_ids\":[" + std::to_string(1000 + i) + "],\"index\":0,\"finish_reason\":null}]}\n\n" : token(i);
}

TEST(Counting, SeesAnAllocation) {
  const auto before = allocated;
  const auto p = std::make_unique<std::string>(100, 'x');
  EXPECT_GE(allocated - before, 2);
}

TEST(Parser, AllocatesNothingPerEventOnceWarm) {
  for (const auto& make : {token, odd_token}) {
    std::vector<std::string> events;
    for (int i = 0; i < warm + more; ++i) events.push_back(make(i));
    wire::JsonScratch scratch;
    wire::OpenAiStream reader(scratch);
    wire::OpenAiStream::Options options;
    options.expect_token_ids = true;
    reader.begin(options);
    reader.status(200, "text/event-stream");
    MonoNs at = 1'000'000'000;
    for (int i = 0; i < warm; ++i) reader.body(events[static_cast<std::size_t>(i)], at += 1000);
    const auto before = allocated;
    for (int i = warm; i < warm + more; ++i) reader.body(events[static_cast<std::size_t>(i)], at += 1000);
    EXPECT_LE(allocated - before, few) << more << " events";
    const auto r = reader.finish(wire::StreamEnd::cut, at, "");
    EXPECT_EQ(r.content_events, warm + more) << "and it did read them";
  }
}

TEST(Client, AllocatesNothingPerEventOnItsThreadOnceWarm) {
  test::RawServer server([](test::RawServer::Connection& c) {
    while (!c.read_request().empty()) {
      c.write(test::sse_head);
      for (int i = 0; i < warm + more; ++i)
        if (!c.write(test::http_chunk(token(i)))) return;
      c.write(test::http_chunk("data: {\"choices\":[{\"index\":0,\"text\":\"\",\"finish_reason\":\"length\"}]}\n\ndata: [DONE]\n\n"));
      c.write(test::last_chunk);
    }
  });
  int seen = 0;
  std::int64_t at_warm = 0, at_end = 0;
  net::Client::Options options;
  options.observer.event = [&](net::RequestId, const StreamEvent& e) {
    if (e.kind != EventKind::token) return;
    ++seen;
    if (seen == warm) at_warm = allocated;
    if (seen == warm + more) at_end = allocated;
  };
  net::Client client(std::move(options));
  net::StreamRequest request;
  request.url = server.url("/v1/completions");
  request.body = "{}";
  request.expect_token_ids = true;
  const auto r = client.stream_wait(std::move(request));
  EXPECT_EQ(r.outcome, Outcome::complete) << r.why;
  ASSERT_EQ(seen, warm + more);
  EXPECT_LE(at_end - at_warm, few) << more << " events, parsed and stamped on the I/O thread";
}

}  // namespace
}  // namespace kvcliff
