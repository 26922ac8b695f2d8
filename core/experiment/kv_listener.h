// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "journal/writer.h"
#include "net/subscriber.h"

namespace kvcliff::experiment {

/// Takes the KV events of one session into the journal while it lives.
class KvListener {
 public:
  /// Binds a port and tells the engine of it: publisher and endpoint in `argv` become ours. Errors: io, bad_usage (the
  /// flag's value is no JSON object).
  static Result<std::unique_ptr<KvListener>> attach_to(std::vector<std::string>& argv, journal::Writer& journal, std::int64_t session);
  /// Waits until nothing more comes, then ends.
  void finish();
  std::int64_t malformed() const { return subscriber_->malformed(); }

 private:
  explicit KvListener(std::unique_ptr<net::Subscriber> s) : subscriber_(std::move(s)) {}
  std::unique_ptr<net::Subscriber> subscriber_;
};

}  // namespace kvcliff::experiment
