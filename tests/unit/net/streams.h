// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/client.h"
#include "support/raw_server.h"

namespace kvcliff::net {

/// A request for a stream, as small as one can be.
inline StreamRequest request(const std::string& url) {
  StreamRequest r;
  r.url = url;
  r.body = R"({"model":"m","prompt":[1,2,3],"stream":true})";
  return r;
}

/// One server-sent event with a piece of text, in the dialect of completions.
inline std::string event(std::string_view text, std::string_view finish = "null", int id = 0) {
  return "data: {\"choices\":[{\"index\":0,\"text\":\"" + std::string(text) + "\",\"finish_reason\":" + std::string(finish) +
         (id > 0 ? ",\"token_ids\":[" + std::to_string(id) + "]" : "") + "}]}\n\n";
}
inline const std::string done = "data: [DONE]\n\n";

/// Answers each request on the connection with the same pieces.
inline test::RawServer::Handler answer(std::vector<std::string> pieces) {
  return [pieces = std::move(pieces)](test::RawServer::Connection& c) {
    while (!c.read_request().empty())
      for (const auto& p : pieces)
        if (!c.write(p)) return;
  };
}

}  // namespace kvcliff::net
