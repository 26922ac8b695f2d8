// SPDX-License-Identifier: GPL-3.0-or-later
// The listener for KV events against publishers that are whole, broken, late and mortal. A publisher waits for our
// subscription as an engine's start does; nothing is measured in time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <msgpack.hpp>
#include <zmq.hpp>

#include "net/subscriber.h"
#include "wire/kv_tally.h"

namespace kvcliff::net {
namespace {
using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::StartsWith;

/// What came, in order of arrival.
class Heard {
 public:
  Subscriber::OnMessage sink() {
    return [this](Instant, std::uint64_t sequence, std::string payload) {
      const std::lock_guard hold(mutex_);
      messages_.emplace_back(sequence, std::move(payload));
      came_.notify_all();
    };
  }
  /// Waits for so many; what came by then.
  std::vector<std::pair<std::uint64_t, std::string>> wait_for(std::size_t n) {
    std::unique_lock hold(mutex_);
    came_.wait_for(hold, 30s, [&] { return messages_.size() >= n; });
    return messages_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  std::vector<std::pair<std::uint64_t, std::string>> messages_;
};

std::string number(std::uint64_t n) {
  std::string out(8, '\0');
  for (int i = 0; i < 8; ++i) out[static_cast<std::size_t>(i)] = static_cast<char>(n >> (56 - 8 * i));
  return out;
}

/// Connects as an engine does, and knows when we listen: an XPUB socket is told of each subscription.
class Publisher {
 public:
  explicit Publisher(const std::string& endpoint) : socket_(context_, zmq::socket_type::xpub) {
    socket_.set(zmq::sockopt::linger, 10'000);
    socket_.set(zmq::sockopt::rcvtimeo, 30'000);
    socket_.set(zmq::sockopt::sndhwm, 0);
    socket_.connect(endpoint);
    zmq::message_t subscription;
    if (!socket_.recv(subscription)) throw std::runtime_error("nobody subscribed");
  }
  void send(const std::vector<std::string>& parts) {
    for (std::size_t i = 0; i < parts.size(); ++i)
      socket_.send(zmq::buffer(parts[i]), i + 1 < parts.size() ? zmq::send_flags::sndmore : zmq::send_flags::none);
  }
  void say(std::uint64_t sequence, const std::string& payload) { send({"", number(sequence), payload}); }

 private:
  zmq::context_t context_;
  zmq::socket_t socket_;
};

/// The payload of one block that was stored on the GPU.
std::string stored(std::uint64_t block) {
  msgpack::sbuffer buffer;
  msgpack::packer<msgpack::sbuffer> p(buffer);
  p.pack_array(2);
  p.pack_double(1.5);
  p.pack_array(1);
  p.pack_map(2);
  p.pack(std::string("type"));
  p.pack(std::string("BlockStored"));
  p.pack(std::string("block_hashes"));
  p.pack(std::vector<std::uint64_t>{block});
  return {buffer.data(), buffer.size()};
}

class Listening : public ::testing::Test {
 protected:
  Listening() {
    auto s = Subscriber::listen(heard_.sink());
    if (!s) throw std::runtime_error(s.error().sentence());
    subscriber_ = std::move(*s);
  }
  Heard heard_;
  std::unique_ptr<Subscriber> subscriber_;
};

TEST_F(Listening, MessagesComeWholeAndInOrder) {
  EXPECT_THAT(subscriber_->endpoint(), StartsWith("tcp://127.0.0.1:"));
  Publisher p(subscriber_->endpoint());
  p.say(0, "first");
  p.say(1, std::string(3'000'000, 'x'));
  p.say(0x0102030405060708u, std::string("a\0b", 3));
  const auto came = heard_.wait_for(3);
  ASSERT_EQ(came.size(), 3u);
  EXPECT_EQ(came[0], std::pair(std::uint64_t{0}, std::string("first")));
  EXPECT_EQ(came[1].second.size(), 3'000'000u);
  EXPECT_EQ(came[2], std::pair(std::uint64_t{0x0102030405060708u}, std::string("a\0b", 3)));
  EXPECT_EQ(subscriber_->malformed(), 0);
}

TEST_F(Listening, ABurstIsKeptAndDrainedToItsEnd) {
  constexpr std::uint64_t many = 20'000;
  {
    Publisher p(subscriber_->endpoint());
    for (std::uint64_t i = 0; i < many; ++i) p.say(i, "x");
  }
  subscriber_->drain(500ms, 60s);
  const auto came = heard_.wait_for(many);
  ASSERT_EQ(came.size(), many);
  for (std::uint64_t i = 0; i < many; ++i) ASSERT_EQ(came[i].first, i);
}

TEST_F(Listening, WhatIsNoMessageOfThreePartsIsCountedAndTheNextStillComes) {
  Publisher p(subscriber_->endpoint());
  p.send({"alone"});
  p.send({"", number(0)});
  p.send({"", "1234", "a short number"});
  p.send({"", "123456789", "a long number"});
  p.send({"", number(1), "payload", "one more"});
  p.send({"", number(2), "payload", "two", "more"});
  p.say(3, "good");
  const auto came = heard_.wait_for(1);
  ASSERT_EQ(came.size(), 1u);
  EXPECT_EQ(came[0], std::pair(std::uint64_t{3}, std::string("good")));
  EXPECT_EQ(subscriber_->malformed(), 6);
}

TEST_F(Listening, OneThatComesLateAndOneThatDiesLoseOnlyTheirOwn) {
  subscriber_->endpoint();
  {
    Publisher first(subscriber_->endpoint());
    first.say(0, "from the first");
    ASSERT_EQ(heard_.wait_for(1).size(), 1u);
  }  // its sockets are gone in the middle of its life
  Publisher late(subscriber_->endpoint());
  late.say(0, "from the second");
  const auto came = heard_.wait_for(2);
  ASSERT_EQ(came.size(), 2u);
  EXPECT_EQ(came[1].second, "from the second");
  EXPECT_EQ(subscriber_->malformed(), 0);
}

TEST_F(Listening, NobodyEverComesAndTheDrainEnds) {
  subscriber_->drain(10ms, 1s);
  EXPECT_TRUE(heard_.wait_for(0).empty());
}

TEST_F(Listening, OneThatNeverFallsSilentEndsAtTheLimit) {
  std::atomic<bool> stop{false};
  std::thread talker([&] {
    Publisher p(subscriber_->endpoint());
    for (std::uint64_t i = 0; !stop; ++i) {
      p.say(i, "more");
      std::this_thread::sleep_for(1ms);
    }
  });
  heard_.wait_for(1);
  subscriber_->drain(10min, 50ms);
  const auto at_the_end = heard_.wait_for(0).size();
  stop = true;
  talker.join();
  EXPECT_GT(at_the_end, 0u);
  EXPECT_EQ(heard_.wait_for(0).size(), at_the_end) << "no call after a drain";
}

// What the tally makes of what the wire did: lost is told from unreadable.
TEST_F(Listening, ALostNumberAndBrokenMsgpackAreToldApart) {
  {
    Publisher p(subscriber_->endpoint());
    p.say(0, stored(7));
    p.say(1, stored(8).substr(0, 12));
    p.say(2, "\xc1 no msgpack at all");
    p.say(4, stored(9));
    p.say(4, stored(9));  // replayed
  }
  const auto came = heard_.wait_for(5);
  ASSERT_EQ(came.size(), 5u);
  wire::KvTally tally;
  for (const auto& [sequence, payload] : came) {
    if (const auto batch = wire::parse_kv_events(payload, "test")) tally.add(sequence, *batch);
    else tally.add_unreadable(sequence);
  }
  EXPECT_EQ(tally.messages(), 4);
  EXPECT_EQ(tally.unreadable(), 2);
  EXPECT_EQ(tally.lost(), 1);
  EXPECT_EQ(tally.of("GPU").stored, 2);
}

TEST(Listener, EachHasAPortOfItsOwn) {
  Heard a, b;
  const auto first = Subscriber::listen(a.sink()), second = Subscriber::listen(b.sink());
  ASSERT_TRUE(first && second);
  EXPECT_NE((*first)->endpoint(), (*second)->endpoint());
  Publisher p((*second)->endpoint());
  p.say(5, "for the second");
  EXPECT_EQ(b.wait_for(1).size(), 1u);
  EXPECT_TRUE(a.wait_for(0).empty());
}

}  // namespace
}  // namespace kvcliff::net
