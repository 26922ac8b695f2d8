// SPDX-License-Identifier: GPL-3.0-or-later
#include "net/client.h"

#include <future>

#include "net/io_loop.h"

namespace kvcliff::net {

class Client::Impl {
 public:
  explicit Impl(Options options) : loop(std::move(options)) {}
  IoLoop loop;
};

Client::Client(Options options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Client::~Client() = default;

RequestId Client::stream(StreamRequest request, std::function<void(RequestId, StreamRecord)> done) {
  return impl_->loop.start_stream(std::move(request), std::move(done));
}

StreamRecord Client::stream_wait(StreamRequest request) {
  std::promise<StreamRecord> promise;
  auto future = promise.get_future();
  stream(std::move(request), [&](RequestId, StreamRecord record) { promise.set_value(std::move(record)); });
  return future.get();
}

void Client::http(HttpRequest request, std::function<void(Result<HttpAnswer>)> done) {
  impl_->loop.start_http(std::move(request), std::move(done));
}

Result<HttpAnswer> Client::http_wait(HttpRequest request) {
  std::promise<Result<HttpAnswer>> promise;
  auto future = promise.get_future();
  http(std::move(request), [&](Result<HttpAnswer> answer) { promise.set_value(std::move(answer)); });
  return future.get();
}

Result<void> Client::preconnect(const std::string& url, int n) {
  const auto parsed = parse_url(url);
  if (!parsed) return fail(parsed.error());
  return impl_->loop.spares().open(*parsed, n, Timeouts().connect);
}

void Client::cancel(RequestId id) { impl_->loop.cancel(id); }
void Client::cancel_all() { impl_->loop.cancel_all(); }
int Client::active() const { return impl_->loop.active(); }
MonoNs Client::longest_turn() const { return impl_->loop.longest_turn(); }

}  // namespace kvcliff::net
