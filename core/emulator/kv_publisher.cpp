// SPDX-License-Identifier: GPL-3.0-or-later
#include "emulator/kv_publisher.h"

#include <msgpack.hpp>
#include <zmq.hpp>

#include "base/hash.h"

namespace kvcliff::emulator {
namespace {

using Packer = msgpack::packer<msgpack::sbuffer>;

void pack_text(Packer& p, std::string_view s) {
  p.pack_str(static_cast<std::uint32_t>(s.size()));
  p.pack_str_body(s.data(), static_cast<std::uint32_t>(s.size()));
}

class ZmqKvPublisher final : public KvPublisher {
 public:
  ZmqKvPublisher(const std::string& endpoint, std::int64_t block_size) : socket_(context_, zmq::socket_type::pub), block_size_(block_size) {
    // What was said must still arrive when the server ends; a second is what vLLM gives it.
    socket_.set(zmq::sockopt::linger, 1000);
    socket_.set(zmq::sockopt::sndhwm, 100'000);
    if (endpoint.find('*') != endpoint.npos || endpoint.rfind("ipc://", 0) == 0) socket_.bind(endpoint);
    else socket_.connect(endpoint);
  }

  void publish(const std::vector<CacheModel::Change>& changes, double at) override {
    // Neighbours of one kind go into one event on the GPU; the host tier announces each chunk by itself.
    std::vector<std::pair<std::size_t, std::size_t>> runs;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      const auto same = [&](const CacheModel::Change& c) { return !c.host && c.stored && !changes[i].host && changes[i].stored; };
      if (!runs.empty() && same(changes[runs.back().first])) ++runs.back().second;
      else runs.emplace_back(i, 1);
    }
    send(at, runs.size(), [&](Packer& p) {
      for (const auto& [from, count] : runs) pack(p, changes, from, count);
    });
  }
  void publish_cleared(double at) override {
    send(at, 1, [](Packer& p) {
      p.pack_map(1);
      pack_text(p, "type");
      pack_text(p, "AllBlocksCleared");
    });
  }

 private:
  void pack(Packer& p, const std::vector<CacheModel::Change>& changes, std::size_t from, std::size_t count) {
    const auto& first = changes[from];
    p.pack_map(first.stored ? 6 : 3);
    pack_text(p, "type");
    pack_text(p, first.stored ? "BlockStored" : "BlockRemoved");
    pack_text(p, "block_hashes");
    p.pack_array(static_cast<std::uint32_t>(count));
    for (std::size_t i = from; i < from + count; ++i) p.pack_uint64(hash64(&changes[i].entry, sizeof changes[i].entry));
    pack_text(p, "medium");
    pack_text(p, first.host ? "CPU" : "GPU");
    if (!first.stored) return;
    pack_text(p, "parent_block_hash");
    p.pack_nil();
    pack_text(p, "token_ids");
    p.pack_array(0);
    pack_text(p, "block_size");
    p.pack_int64(first.host ? 0 : block_size_);
  }
  template <class Body>
  void send(double at, std::size_t events, const Body& body) {
    msgpack::sbuffer buffer;
    Packer p(buffer);
    p.pack_array(3);
    p.pack_double(at);
    p.pack_array(static_cast<std::uint32_t>(events));
    body(p);
    p.pack_int64(0);  // the data-parallel rank
    std::uint8_t number[8];
    for (int i = 0; i < 8; ++i) number[i] = static_cast<std::uint8_t>(sequence_ >> (56 - 8 * i));
    ++sequence_;
    socket_.send(zmq::message_t(), zmq::send_flags::sndmore);
    socket_.send(zmq::message_t(number, sizeof number), zmq::send_flags::sndmore);
    socket_.send(zmq::message_t(buffer.data(), buffer.size()), zmq::send_flags::dontwait);
  }

  zmq::context_t context_;
  zmq::socket_t socket_;
  std::int64_t block_size_;
  std::uint64_t sequence_ = 0;
};

}  // namespace

std::unique_ptr<KvPublisher> KvPublisher::open(const std::string& endpoint, std::int64_t block_size, std::string& error) {
  try {
    return std::make_unique<ZmqKvPublisher>(endpoint, block_size);
  } catch (const zmq::error_t& e) {
    error = e.what();
    return nullptr;
  }
}

}  // namespace kvcliff::emulator
