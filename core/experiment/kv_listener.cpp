// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/kv_listener.h"

#include "base/json.h"
#include "wire/kv_events.h"

namespace kvcliff::experiment {

using namespace std::chrono_literals;

Result<std::unique_ptr<KvListener>> KvListener::attach_to(std::vector<std::string>& argv, journal::Writer& journal, std::int64_t session) {
  const std::string flag(wire::kv_events_flag);
  const auto place = wire::find_kv_events_flag(argv);
  if (!place) return fail(ErrorCode::bad_usage, "No KV events are asked for", flag);
  auto json = parse_json(place->value, flag);
  if (!json) return fail(json.error());
  if (!json->is_object()) return fail(ErrorCode::bad_usage, "KV events need a JSON object", flag, place->value);
  auto subscriber = net::Subscriber::listen([&journal, session](Instant at, std::uint64_t sequence, std::string payload) {
    journal.put_kv_event(session, at, wire::pack_kv_message(sequence, payload));
  });
  if (!subscriber) return fail(subscriber.error());
  (*json)["publisher"] = "zmq";
  (*json)["endpoint"] = (*subscriber)->endpoint();  // without a wildcard vLLM connects to it
  (*json)["topic"] = "";
  argv[place->word] = (place->joined ? flag + "=" : std::string()) + json->dump();
  return std::unique_ptr<KvListener>(new KvListener(std::move(*subscriber)));
}

void KvListener::finish() { subscriber_->drain(200ms, 3s); }

}  // namespace kvcliff::experiment
