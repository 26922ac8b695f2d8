// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/vllm/log_facts.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.h"
#include "engine/tables/generation.h"
#include "engine/vllm/log_head.h"
#include "wire/log_lines.h"

namespace kvcliff::engine::vllm {
namespace {

constexpr double gib = 1024.0 * 1024.0 * 1024.0;
constexpr std::size_t most_warnings = 100;

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

/// "retry 3 of 5: cannot reach the hub" in any case, and the hub client's own "Retrying in 2s [Retry 3/5]." -> 3 and 5.
std::optional<std::pair<std::int64_t, std::int64_t>> retry_of_hub(std::string_view line) {
  const auto found = [&](std::string_view word) { return line.find(word) != std::string_view::npos; };
  if (!found("etry ") && !found("RETRY ")) return std::nullopt;  // nearly every line
  const std::string text = lower_case(line);
  if (!contains(text, "hub") && !contains(text, "huggingface") && !contains(text, "httpsconnection") && !contains(text, "retrying in"))
    return std::nullopt;
  const auto number = [&](std::size_t& at) {
    std::optional<std::int64_t> n;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9' && n.value_or(0) < 1'000'000; ++at) n = n.value_or(0) * 10 + (text[at] - '0');
    return n;
  };
  for (auto at = text.find("retry "); at != std::string::npos; at = text.find("retry ", at)) {
    at += 6;
    const auto n = number(at);
    if (!n) continue;
    const std::string_view rest = std::string_view(text).substr(at);
    if (rest.starts_with(" of ")) at += 4;
    else if (rest.starts_with("/")) at += 1;
    else continue;
    if (const auto of = number(at)) return std::pair(*n, *of);
  }
  return std::nullopt;
}

class Reader {
 public:
  LogFacts facts;

  void line(std::string_view raw, int number) {
    number_ = number;
    const LogHead head = split_log_line(raw);
    text_ = head.text;
    if (contains(text_, "vLLM") || contains(head.process, "EngineCore") || contains(text_, "vllm"))
      set_engine();
    version();
    arguments();
    engine_config(head);
    gpu_cache(head);
    memory(head);
    tier();
    state();
    if (head.level == "WARNING") warning();
  }

  LogFacts finish() {
    if (!facts.gpu_blocks) {
      facts.gpu_blocks = blocks_from_tokens();
      if (facts.gpu_blocks) facts.line_of["gpu_blocks"] = facts.line_of["gpu_tokens"];
    }
    if (!facts.block_size && facts.gpu_tokens && facts.gpu_blocks && *facts.gpu_blocks > 0 &&
        *facts.gpu_tokens % *facts.gpu_blocks == 0) {
      facts.block_size = *facts.gpu_tokens / *facts.gpu_blocks;
      facts.line_of["block_size"] = facts.line_of["gpu_tokens"];
    }
    if (facts.gpu_blocks && *facts.gpu_blocks > 0)
      facts.gpu_blocks_usable = old_scheduler_ ? *facts.gpu_blocks : *facts.gpu_blocks - 1;
    if (facts.engines > 1)
      important_.push_back(std::to_string(facts.engines) + " engine cores report a KV cache; the sizes here are of one of them");
    for (auto& w : others_) important_.push_back(std::move(w));
    facts.warnings = std::move(important_);
    return std::move(facts);
  }

 private:
  template <class T>
  void set(const char* name, std::optional<T>& slot, std::optional<T> value) {
    if (!value || *value < 0) return;  // a size that is negative states nothing
    slot = value;
    facts.line_of[name] = number_;
  }
  void set(const char* name, std::string& slot, std::string_view value) {
    if (value.empty()) return;
    slot = value;
    facts.line_of[name] = number_;
  }
  /// Up to 0.20 the line says blocks x block size. Since 0.21 it says (blocks / blocks of one longest request) x longest
  /// request, rounded down, which is a little less when that length is no multiple of the block.
  std::optional<std::int64_t> blocks_from_tokens() const {
    if (!facts.gpu_tokens || !facts.block_size || *facts.block_size <= 0) return std::nullopt;
    const std::int64_t tokens = *facts.gpu_tokens, block = *facts.block_size;
    const auto version = tables::parse_version(facts.version);
    if (version && *version < tables::Version{0, 21, 0}) return tokens / block;
    if (!facts.max_model_len || *facts.max_model_len <= 0 || *facts.max_model_len > (std::int64_t{1} << 31) ||
        tokens > (std::int64_t{1} << 31))
      return tokens % block == 0 ? std::optional(tokens / block) : std::nullopt;
    const std::int64_t length = *facts.max_model_len, per_request = (length + block - 1) / block;
    return (tokens * per_request + length - 1) / length;
  }
  void set_engine() {
    if (facts.engine.empty()) set("engine", facts.engine, "vllm");
  }

  void version() {
    if (contains(text_, "(simulated)") || contains(text_, "simulated engine") || contains(text_, "kvcliff-emulator"))
      facts.simulated = true;
    std::string_view v;
    if (contains(text_, "Initializing a V1 LLM engine (v"))
      v = word_after(text_, "LLM engine (v");
    else if (contains(text_, "vLLM API server version"))
      v = word_after(text_, "vLLM API server version");
    else if (contains(text_, "\xe2\x96\x88") && contains(text_, "version "))  // the banner, drawn with full blocks
      v = word_after(text_, "version ");
    if (v.empty() || v.front() < '0' || v.front() > '9') return;
    if (contains(v, "simulated")) facts.simulated = true;
    set_engine();
    if (facts.version.empty() || facts.version.size() < v.size()) set("version", facts.version, v);
  }

  /// "non-default args: {'model': ..., 'block_size': 16, ...}" (newer) and "args: Namespace(..., block_size=16, ...)".
  void arguments() {
    const bool dict = contains(text_, "non-default args:");
    const bool names = contains(text_, "args: Namespace(");
    if (!dict && !names) return;
    const auto key = [&](const char* name) { return dict ? "'" + std::string(name) + "': " : " " + std::string(name) + "="; };
    set("block_size", facts.block_size, integer_after(text_, key("block_size")));
    if (const auto v = integer_after(text_, key("kv_cache_memory_bytes"))) {
      set("kv_bytes_available", facts.kv_bytes_available, v);
      exact_bytes_ = true;
    }
    set("max_model_len", facts.max_model_len, integer_after(text_, key("max_model_len")));
    set("kv_dtype", facts.kv_dtype, word_after(text_, key("kv_cache_dtype")));
    set("gpu_blocks", facts.gpu_blocks, integer_after(text_, key("num_gpu_blocks_override")));
    set("model", facts.model, word_after(text_, key("model")));
    if (const auto size = number_after(text_, key("kv_offloading_size")); size && *size > 0 && *size < 1e9)
      set("host_bytes", facts.host_bytes, std::optional(static_cast<std::int64_t>(std::floor(*size * gib))));
    set("host_bytes", facts.host_bytes, integer_after(text_, "cpu_bytes_to_use"));
  }

  void engine_config(const LogHead& head) {
    if (!contains(text_, "Initializing a V")) return;
    if (!started_.insert(std::string(head.process)).second) {  // started again in the same log
      started_ = {std::string(head.process)};
      ranks_.clear();
    }
    old_scheduler_ = contains(text_, "Initializing a V0");
    set("kv_dtype", facts.kv_dtype, word_after(text_, "kv_cache_dtype="));
    set("dtype", facts.dtype, word_after(text_, " dtype=torch."));
    set("max_model_len", facts.max_model_len, integer_after(text_, "max_seq_len="));
    if (facts.model.empty()) set("model", facts.model, word_after(text_, "model='"));
    set("host_bytes", facts.host_bytes, integer_after(text_, "cpu_bytes_to_use"));
  }

  void gpu_cache(const LogHead& head) {
    for (const char* key : {"GPU KV cache size:", "CPU KV cache size:"}) {
      const auto tokens = integer_after(text_, key);
      if (!tokens) continue;
      set_engine();
      const auto core = std::string(head.process);
      if (facts.gpu_tokens && !cores_.empty() && cores_.count(core) == 0) ++facts.engines;
      cores_.insert(core);
      set("gpu_tokens", facts.gpu_tokens, tokens);
    }
    set("max_concurrency", facts.max_concurrency, concurrency());
    if (contains(text_, "Overriding num_gpu_blocks="))
      set("gpu_blocks", facts.gpu_blocks, integer_after(text_, "num_gpu_blocks_override="));
    if (contains(text_, "# GPU blocks:")) {
      set("gpu_blocks", facts.gpu_blocks, integer_after(text_, "# GPU blocks:"));
      old_scheduler_ = contains(text_, "# CPU blocks:");  // the older scheduler, which has no null block
    }
    set("block_size", facts.block_size, integer_after(text_, "Setting attention block size to"));
    if (contains(text_, "data type to store kv cache")) set("kv_dtype", facts.kv_dtype, word_after(text_, "Using "));
  }

  std::optional<double> concurrency() const {
    const auto at = text_.find("Maximum concurrency for");
    if (at == std::string_view::npos) return std::nullopt;
    return number_after(text_.substr(at), "tokens per request:");
  }

  /// Each rank tells of its own GPU, and the least of them sizes the cache of all.
  void memory(const LogHead& head) {
    if (exact_bytes_) return;
    std::optional<double> size;
    if (contains(text_, "Available KV cache memory:"))
      size = number_after(text_, "Available KV cache memory:");
    else if (contains(text_, "memory for KV Cache"))
      size = number_after(text_, "reserved ");
    else if (contains(text_, "GiB for KV cache on node"))
      size = number_after(text_, " set (");
    if (!size || *size <= 0 || *size > 1e9) return;
    const std::string rank = head.process.empty() ? std::to_string(number_) : std::string(head.process);
    ranks_[rank] = {std::llround(*size * gib), number_};
    const auto least = std::min_element(ranks_.begin(), ranks_.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    facts.kv_bytes_available = least->second.first;
    facts.line_of["kv_bytes_available"] = least->second.second;
  }

  void tier() {
    set("connector", facts.connector, word_after(text_, "Creating v1 connector with name: "));
    set("offloading_spec", facts.offloading_spec, word_after(text_, "Creating offloading spec with name: "));
    if (contains(text_, "SimpleCPUOffloadConnector: role=") && !warned_simple_) {
      warned_simple_ = true;
      important_.push_back("The simple offload connector is in use: it exports no bytes between the tiers");
    }
  }

  void state() {
    if (contains(text_, "Application startup complete") || contains(text_, "Uvicorn running on")) {
      if (!facts.ready) facts.line_of["ready"] = number_;
      facts.ready = true;
      facts.waiting_for.clear();
    }
    if (facts.ready) return;
    if (const auto retry = retry_of_hub(text_))
      facts.waiting_for = "the network (retry " + std::to_string(retry->first) + " of " + std::to_string(retry->second) + ")";
    if (contains(text_, "Loading weights took") || contains(text_, "Initializing a V")) facts.waiting_for.clear();
  }

  void warning() {
    if (!seen_.insert(std::string(text_)).second || seen_.size() > most_warnings) return;
    const bool unpinned = contains(text_, "pin_memory") || contains(text_, "pageable") || contains(text_, "unpinned") ||
                          contains(text_, "page-locked") || contains(text_, "pin memory") || contains(text_, "Failed to pin");
    if (unpinned)
      important_.push_back("Host memory is not pinned, so copies are slow: " + std::string(text_));
    else
      others_.emplace_back(trim(text_));
  }

  int number_ = 0;
  std::string_view text_;
  bool exact_bytes_ = false;
  bool old_scheduler_ = false;
  bool warned_simple_ = false;
  std::set<std::string> cores_, seen_, started_;
  std::map<std::string, std::pair<std::int64_t, int>> ranks_;  // process -> bytes for the KV cache, and the line
  std::vector<std::string> important_, others_;
};

}  // namespace

LogFacts read_log(const std::vector<LogLine>& log) {
  Reader reader;
  int number = 0;
  for (const auto& line : log) {
    ++number;
    if (line.text.find('\x1b') == std::string::npos) {
      reader.line(line.text, number);
    } else {
      const std::string plain = wire::without_ansi(line.text);
      reader.line(plain, number);
    }
  }
  return reader.finish();
}

std::vector<LogLine> lines_of(const std::string& text) {
  std::vector<LogLine> lines;
  wire::LineSplitter splitter;
  const auto take = [&](wire::OutputLine l) {
    LogLine line;
    line.text = std::move(l.text);
    line.truncated = l.truncated;
    lines.push_back(std::move(line));
  };
  splitter.push(text, take);
  splitter.finish(take);
  return lines;
}

}  // namespace kvcliff::engine::vllm
