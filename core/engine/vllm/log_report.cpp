// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/vllm/log_report.h"

#include "engine/vllm/failure.h"
#include "engine/vllm/log_facts.h"
#include "engine/vllm/log_fold.h"

namespace kvcliff::engine::vllm {
namespace {

OrderedJson text_or_null(const std::string& s) { return s.empty() ? OrderedJson(nullptr) : OrderedJson(s); }

template <class T>
OrderedJson value_or_null(const std::optional<T>& v) { return v ? OrderedJson(*v) : OrderedJson(nullptr); }

}  // namespace

OrderedJson log_report(const std::vector<LogLine>& log) {
  const LogFacts f = read_log(log);
  const auto cause = find_failure(log);
  OrderedJson j;
  j["engine"] = text_or_null(f.engine);
  j["version"] = text_or_null(f.version);
  j["simulated"] = f.simulated;
  j["model"] = text_or_null(f.model);
  j["block_size"] = value_or_null(f.block_size);
  j["gpu_blocks"] = value_or_null(f.gpu_blocks);
  j["gpu_tokens"] = value_or_null(f.gpu_tokens);
  j["gpu_blocks_usable"] = value_or_null(f.gpu_blocks_usable);
  j["kv_bytes_available"] = value_or_null(f.kv_bytes_available);
  j["host_bytes"] = value_or_null(f.host_bytes);
  j["kv_dtype"] = text_or_null(f.kv_dtype);
  j["dtype"] = text_or_null(f.dtype);
  j["max_concurrency"] = value_or_null(f.max_concurrency);
  j["max_model_len"] = value_or_null(f.max_model_len);
  j["connector"] = text_or_null(f.connector);
  j["ready"] = f.ready;
  if (!f.waiting_for.empty() && !cause) j["waiting_for"] = f.waiting_for;
  j["lines"] = log.size();
  for (const char* fact : {"version", "block_size", "gpu_blocks", "gpu_tokens", "kv_bytes_available", "host_bytes", "kv_dtype",
                           "max_concurrency"})
    if (j[fact].is_null()) {
      j["why"] = "a null fact is not stated in this log";
      break;
    }
  OrderedJson stated = OrderedJson::object();
  for (const auto& [fact, line] : f.line_of) stated[fact] = line;
  j["stated_in_line"] = std::move(stated);
  j["fatal"] = OrderedJson::array();
  if (cause) {
    for (const auto& line : cause->lines) j["fatal"].push_back(line);
    j["cause"] = OrderedJson{{"what", cause->what}, {"next", cause->next}};
  }
  j["warnings"] = f.warnings;
  OrderedJson repeated = OrderedJson::array();
  for (const auto& row : fold(log)) {
    if (row.count < 10) continue;
    OrderedJson r{{"text", log[row.first].text.substr(0, 4096)}, {"count", row.count}, {"first_line", row.first + 1}};
    if (!row.first_time.empty()) {
      r["first_time"] = row.first_time;
      r["last_time"] = row.last_time;
    }
    repeated.push_back(std::move(r));
  }
  j["repeated"] = std::move(repeated);
  return j;
}

}  // namespace kvcliff::engine::vllm
