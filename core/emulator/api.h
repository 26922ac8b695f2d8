// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "emulator/engine.h"
#include "emulator/options.h"
#include "emulator/setup.h"

namespace kvcliff::emulator {

/// An answer that is not a completion.
struct ApiError {
  int status = 400;
  std::string body;
};
/// {"error":{"message","type","param","code"}}; `param` empty = null.
ApiError api_error(int status, const std::string& message, const std::string& type, const std::string& param);

/// A completion or chat request that may run.
struct ApiRequest {
  bool chat = false, stream = false, include_usage = false, continuous_usage = false, return_token_ids = false;
  std::vector<std::int32_t> prompt;
  std::int64_t max_tokens = 16;
  std::string salt;
  bool prompt_logprobs = false;
};
std::variant<ApiRequest, ApiError> parse_request(std::string_view body, bool chat, const Options& options, const Setup& setup);

/// Texts of one answer: SSE events (with the trailing blank line) or the whole JSON body.
class Answer {
 public:
  Answer(const Options& options, const Setup& setup, const ApiRequest& request, std::string id, std::int64_t created);

  std::string role_event() const;    ///< chat only
  std::string token_event(const Job::Delta& delta, const Job& job, bool first) const;
  std::string empty_event() const;   ///< a lie: neither text nor ids
  /// Usage chunk, or nothing.
  std::string usage_event(const Job& job, std::int64_t extra_prompt = 0) const;
  std::string body(const Job& job, const std::string& text, const std::vector<std::int32_t>& ids, const std::string& finish) const;
  static std::string done_event() { return "data: [DONE]\n\n"; }
  static std::string dead_event();
  const std::string& id() const { return id_; }

 private:
  std::string head() const;
  std::string usage(const Job& job, bool last, bool whole_body, std::int64_t extra_prompt) const;
  std::string tail() const;
  const Options& options_;
  const Setup& setup_;
  const ApiRequest& request_;
  std::string id_, model_;
  std::int64_t created_;
};

std::string models_body(const Options& options, const Setup& setup, std::int64_t created);
std::string server_info_body(const Options& options, const Setup& setup);

}  // namespace kvcliff::emulator
