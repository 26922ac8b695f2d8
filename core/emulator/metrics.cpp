// SPDX-License-Identifier: GPL-3.0-or-later
#include "emulator/metrics.h"

#include <charconv>
#include <cmath>

namespace kvcliff::emulator {
namespace {

std::vector<double> one_two_five(std::int64_t until) {
  std::vector<double> out;
  for (double base = 1; out.empty() || base <= double(until); base *= 10)
    for (const double f : {1.0, 2.0, 5.0})
      if (f * base <= double(until) || out.empty()) out.push_back(f * base);
  return out;
}
const std::vector<double> ttft_bounds{0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75,
                                      1, 2.5, 5, 7.5, 10, 20, 40, 80, 160, 640, 2560};
const std::vector<double> itl_bounds{0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80};
const std::vector<double> latency_bounds{0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680};
const std::vector<double> size_bounds{1e6, 5e6, 1e7, 2e7, 4e7, 6e7, 8e7, 1e8, 1.5e8, 2e8};
const std::vector<double> chunk_bounds{1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144};
const std::vector<double> delay_bounds{1e-5, 5e-5, 1e-4, 5e-4, 1e-3, 5e-3, 0.01, 0.05, 0.1, 0.5, 1};

// repr() of a Python float: the shortest digits that read back, positional between 1e-4 and 1e16.
std::string python_repr(double v) {
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, v, std::chars_format::scientific).ptr;
  std::string s(buffer, end);
  const auto e = s.find('e');
  std::string digits = s.substr(0, e);
  int exponent = 0;
  const char* from = s.data() + e + 1 + (s[e + 1] == '+');
  std::from_chars(from, s.data() + s.size(), exponent);
  const bool negative = digits[0] == '-';
  if (negative) digits.erase(0, 1);
  if (const auto dot = digits.find('.'); dot != digits.npos) digits.erase(dot, 1);
  std::string out;
  if (exponent >= -4 && exponent < 16) {
    if (exponent < 0) out = "0." + std::string(std::size_t(-exponent - 1), '0') + digits;
    else if (digits.size() <= std::size_t(exponent) + 1) out = digits + std::string(std::size_t(exponent) + 1 - digits.size(), '0') + ".0";
    else out = digits.substr(0, std::size_t(exponent) + 1) + "." + digits.substr(std::size_t(exponent) + 1);
  } else {
    out = digits.substr(0, 1) + (digits.size() > 1 ? "." + digits.substr(1) : "") + fmt::format("e{:+03d}", exponent);
  }
  return negative ? "-" + out : out;
}

}  // namespace

std::string metric_number(double v) {
  if (std::isnan(v)) return "NaN";
  if (std::isinf(v)) return v > 0 ? "+Inf" : "-Inf";
  const std::string s = python_repr(v);
  const auto dot = s.find('.');
  if (v <= 0 || dot == s.npos || dot <= 6) return s;  // the Go style begins with seven digits in front of the point
  std::string mantissa = s.substr(0, 1) + "." + s.substr(1, dot - 1) + s.substr(dot + 1);
  while (mantissa.back() == '0') mantissa.pop_back();
  if (mantissa.back() == '.') mantissa.pop_back();
  return mantissa + "e+0" + std::to_string(dot - 1);
}

void Histogram::observe(double v) {
  std::size_t i = 0;
  while (i < bounds.size() && v > bounds[i]) ++i;
  ++counts[i];
  ++count;
  sum += v;
  shown = true;
}

Metrics::Metrics(std::int64_t max_model_len)
    : ttft(ttft_bounds), itl(itl_bounds), tpot(itl_bounds), e2e(latency_bounds), queue(latency_bounds), inference(latency_bounds),
      prefill(latency_bounds), decode(latency_bounds), prompt_tokens(one_two_five(max_model_len)),
      generation_tokens(one_two_five(max_model_len)), iteration({1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384}),
      max_generation(one_two_five(max_model_len)), params_n({1, 2, 5, 10, 20}), params_max(one_two_five(max_model_len)),
      preempted({1, 2, 3, 4, 5, 10, 20}), prefill_computed(one_two_five(max_model_len)), load_size(size_bounds, false),
      store_size(size_bounds, false), old_load_size(size_bounds), old_store_size(size_bounds), allocation(chunk_bounds, false),
      lookup_delay(delay_bounds, false) {}

void Metrics::zero() {
  const double start = start_time, made = created;
  const double run = running, wait = waiting, usage = gpu_usage;
  const std::int64_t longest = prompt_tokens.bounds.empty() ? 1 : static_cast<std::int64_t>(prompt_tokens.bounds.back());
  *this = Metrics(longest);
  start_time = start;
  created = made;
  running = run;
  waiting = wait;
  gpu_usage = usage;
}

namespace {

class Page {
 public:
  Page(const Metrics& m, const Options& o, const Setup& s) : m_(m), o_(o), s_(s), g_(o.generation) {
    model_ = escaped(o.served_names.front());
    base_ = "engine=\"0\",model_name=\"" + model_ + "\"";
  }
  std::string write() {
    python();
    if (!o_.disable_log_stats) {
      if (s_.tier && s_.cache.tier == cache::Tier::native) offload();
      scheduler();
      tokens();
      requests();
    }
    config();
    http();
    return std::move(out_);
  }

 private:
  static std::string escaped(std::string_view s) {
    std::string out;
    for (const char c : s) {
      if (c == '\\' || c == '"') out += '\\';
      if (c == '\n') out += "\\n";
      else out += c;
    }
    return out;
  }
  void head(const std::string& name, const std::string& help, const char* type) {
    out_ += "# HELP " + name + " " + help + "\n# TYPE " + name + " " + type + "\n";
  }
  void line(const std::string& name, const std::string& labels, double v) {
    out_ += name + (labels.empty() ? "" : "{" + labels + "}") + " " + metric_number(v) + "\n";
  }
  struct Sample { std::string labels; double value; double created = 0; };
  // A counter with its _created companion; `name` without _total.
  void counter(const std::string& name, const std::string& help, const std::vector<Sample>& samples) {
    head(name + "_total", help, "counter");
    for (const auto& s : samples) line(name + "_total", s.labels, s.value);
    if (!o_.created_series || samples.empty()) return;
    head(name + "_created", help, "gauge");
    for (const auto& s : samples) line(name + "_created", s.labels, s.created > 0 ? s.created : m_.created);
  }
  void gauge(const std::string& name, const std::string& help, const std::vector<Sample>& samples) {
    head(name, help, "gauge");
    for (const auto& s : samples) line(name, s.labels, s.value);
  }
  // `extra` labels come after engine and le in the order of their names, as the client sorts them.
  void histogram(const std::string& name, const std::string& help, const std::vector<std::pair<std::string, const Histogram*>>& children) {
    head(name, help, "histogram");
    bool any = false;
    for (const auto& [extra, h] : children) {
      if (!h->shown) continue;
      any = true;
      std::int64_t sum = 0;
      const std::string tail = extra.empty() ? "" : "," + extra;
      for (std::size_t i = 0; i <= h->bounds.size(); ++i) {
        sum += h->counts[i];
        const std::string le = i < h->bounds.size() ? metric_number(h->bounds[i]) : "+Inf";
        line(name + "_bucket", "engine=\"0\",le=\"" + le + "\",model_name=\"" + model_ + "\"" + tail, double(sum));
      }
      line(name + "_count", base_ + tail, double(h->count));
      line(name + "_sum", base_ + tail, h->sum);
    }
    if (!any || !o_.created_series) return;
    head(name + "_created", help, "gauge");
    for (const auto& [extra, h] : children)
      if (h->shown) line(name + "_created", base_ + (extra.empty() ? "" : "," + extra), m_.created);
  }
  void histogram(const std::string& name, const std::string& help, const Histogram& h) { histogram(name, help, {{"", &h}}); }

  void python() {
    head("python_info", "Python platform information", "gauge");
    line("python_info", "implementation=\"CPython\",major=\"3\",minor=\"12\",patchlevel=\"3\",version=\"3.12.3\"", 1);
    gauge("process_start_time_seconds", "Start time of the process since unix epoch in seconds.", {{"", m_.start_time}});
    gauge("process_open_fds", "Number of open file descriptors.", {{"", 46}});
    gauge("process_max_fds", "Maximum number of open file descriptors.", {{"", 20000}});
  }

  void offload() {
    const std::string in = base_ + ",transfer_type=\"CPU_to_GPU\"", outgoing = base_ + ",transfer_type=\"GPU_to_CPU\"";
    if (g_.total_bytes()) {
      counter("vllm:kv_offload_total_bytes", "Number of bytes offloaded by KV connector", {{in, m_.old_load_bytes}, {outgoing, m_.old_store_bytes}});
      counter("vllm:kv_offload_total_time", "Total time measured by all KV offloading operations", {{in, m_.load_time}, {outgoing, m_.store_time}});
      histogram("vllm:kv_offload_size", "Histogram of KV offload transfer size, in bytes.",
                {{"transfer_type=\"CPU_to_GPU\"", &m_.old_load_size}, {"transfer_type=\"GPU_to_CPU\"", &m_.old_store_size}});
    }
    if (!g_.load_store_bytes()) return;
    // Children of this generation appear with their first sample; until then only the head is there.
    const auto pins = [&](double v) { return m_.pins_seen ? std::vector<Sample>{{base_, v}} : std::vector<Sample>{}; };
    gauge("vllm:kv_offload_cpu_cache_usage_perc", "Fraction of CPU KV-cache space currently pinned by active transfers (0.0 = idle, 1.0 = saturated).",
          pins(m_.pinned_read + m_.pinned_write));
    gauge("vllm:kv_offload_cpu_cache_write_usage_perc", "Fraction of CPU KV-cache space currently pinned by in-flight stores.", pins(m_.pinned_write));
    gauge("vllm:kv_offload_cpu_cache_read_usage_perc", "Fraction of CPU KV-cache space currently pinned by in-flight loads.", pins(m_.pinned_read));
    histogram("vllm:kv_offload_cpu_allocation_size", "Histogram of the number of CPU chunks requested by each KV offload prepare_store call.", m_.allocation);
    const auto lazy = [&](double v, double born) { return born > 0 ? std::vector<Sample>{{base_, v, born}} : std::vector<Sample>{}; };
    counter("vllm:kv_offload_load_bytes", "Total bytes loaded from offload storage to GPU.", lazy(m_.load_bytes, m_.load_created));
    counter("vllm:kv_offload_load_time", "Total load time from offload storage to GPU, in seconds.", lazy(m_.load_time, m_.load_created));
    histogram("vllm:kv_offload_load_size", "Histogram of KV offload load operation size, in bytes.", m_.load_size);
    counter("vllm:kv_offload_store_bytes", "Total bytes stored from GPU to offload storage.", lazy(m_.store_bytes, m_.store_created));
    counter("vllm:kv_offload_store_time", "Total store time from GPU to offload storage, in seconds.", lazy(m_.store_time, m_.store_created));
    histogram("vllm:kv_offload_store_size", "Histogram of KV offload store operation size, in bytes.", m_.store_size);
    histogram("vllm:kv_offload_lookup_sync_delay_seconds", "Histogram of the time spent in a single offload lookup call, in seconds.", m_.lookup_delay);
    if (s_.cache.store_threshold >= 2 || m_.skipped_created > 0)
      counter("vllm:kv_offload_stores_skipped", "Number of KV blocks not stored because they were not reused.", lazy(m_.stores_skipped, m_.skipped_created));
    if (g_.allocation_failure())
      counter("vllm:kv_offload_allocation_failure", "Number of KV offload store allocation attempts that failed.", lazy(m_.allocation_failures, m_.failures_created));
  }

  void scheduler() {
    gauge("vllm:num_requests_running", "Number of requests in model execution batches.", {{base_, m_.running}});
    gauge("vllm:num_requests_waiting", "Number of requests waiting to be processed.", {{base_, m_.waiting}});
    if (g_.minor >= 26)
      gauge("vllm:num_requests_waiting_by_reason", "Number of waiting requests by reason.",
            {{base_ + ",reason=\"capacity\"", m_.waiting - m_.deferred}, {base_ + ",reason=\"deferred\"", m_.deferred}});
    if (g_.minor >= 32)
      gauge("vllm:num_requests_kv_fetch_by_stage", "Number of waiting requests by async KV load stage.",
            {{base_ + ",stage=\"waiting_to_start\"", 0}, {base_ + ",stage=\"in_progress\"", m_.loading}, {base_ + ",stage=\"completed_waiting\"", 0}});
    gauge(g_.old_names() ? "vllm:gpu_cache_usage_perc" : "vllm:kv_cache_usage_perc", "KV-cache usage. 1 means 100 percent usage.", {{base_, m_.gpu_usage}});
    const std::string prefix = g_.old_names() ? "vllm:gpu_prefix_cache_" : "vllm:prefix_cache_";
    counter(prefix + "queries", "Prefix cache queries, in terms of number of queried tokens.", {{base_, m_.queries}});
    counter(prefix + "hits", "Prefix cache hits, in terms of number of cached tokens.", {{base_, m_.hits}});
    if (g_.external_counters()) {
      counter("vllm:external_prefix_cache_queries", "External prefix cache queries from KV connector cross-instance cache sharing, in terms of number of queried tokens.", {{base_, m_.external_queries}});
      counter("vllm:external_prefix_cache_hits", "External prefix cache hits from KV connector cross-instance cache sharing, in terms of number of cached tokens.", {{base_, m_.external_hits}});
    }
    counter("vllm:num_preemptions", "Cumulative number of preemption from the engine.", {{base_, m_.preemptions}});
  }

  void tokens() {
    counter("vllm:prompt_tokens", "Number of prefill tokens processed.", {{base_, m_.prompt}});
    if (g_.by_source()) {
      counter("vllm:prompt_tokens_by_source", "Number of prompt tokens by source.",
              {{base_ + ",source=\"local_compute\"", m_.computed}, {base_ + ",source=\"local_cache_hit\"", m_.local},
               {base_ + ",source=\"external_kv_transfer\"", m_.external}});
      counter("vllm:prompt_tokens_cached", "Number of cached prompt tokens (local + external).", {{base_, m_.cached}});
      if (g_.recomputed())
        counter("vllm:prompt_tokens_recomputed", "Number of cached tokens recomputed for forward pass.", {{base_, m_.recomputed}});
    }
    if (g_.cached_by_source())
      counter("vllm:prompt_tokens_cached_by_source", "Prefix-cache hit tokens by the cache tier that supplied them.",
              {{base_ + ",source=\"device\"", m_.cached_device}, {base_ + ",source=\"host\"", m_.cached_host}, {base_ + ",source=\"p2p\"", 0},
               {base_ + ",source=\"disk\"", 0}, {base_ + ",source=\"external_unspecified\"", 0}});
    counter("vllm:generation_tokens", "Number of generation tokens processed.", {{base_, m_.generation}});
  }

  void requests() {
    std::vector<Sample> success;
    for (const char* reason : {"stop", "length", "abort", "error", "repetition"})
      if (g_.minor >= 20 || std::string_view(reason) != "repetition")
        success.push_back({"engine=\"0\",finished_reason=\"" + std::string(reason) + "\",model_name=\"" + model_ + "\"", m_.success.at(reason)});
    counter("vllm:request_success", "Count of successfully processed requests.", success);
    if (g_.minor >= 31)  // no engine label here
      counter("vllm:admission_rejections", "Number of admission attempts rejected by a queue limit, by reason.",
              {{"model_name=\"" + model_ + "\",reason=\"max_num_queued_reqs\"", 0}, {"model_name=\"" + model_ + "\",reason=\"max_num_queued_tokens\"", 0}});
    histogram("vllm:request_prompt_tokens", "Number of prefill tokens processed.", m_.prompt_tokens);
    histogram("vllm:request_generation_tokens", "Number of generation tokens processed.", m_.generation_tokens);
    histogram("vllm:iteration_tokens_total", "Histogram of number of tokens per engine_step.", m_.iteration);
    histogram("vllm:request_max_num_generation_tokens", "Histogram of maximum number of requested generation tokens.", m_.max_generation);
    histogram("vllm:request_params_n", "Histogram of the n request parameter.", m_.params_n);
    histogram("vllm:request_params_max_tokens", "Histogram of the max_tokens request parameter.", m_.params_max);
    histogram("vllm:time_to_first_token_seconds", "Histogram of time to first token in seconds.", m_.ttft);
    histogram(g_.minor >= 11 ? "vllm:inter_token_latency_seconds" : "vllm:time_per_output_token_seconds", "Histogram of inter-token latency in seconds.", m_.itl);
    if (g_.minor >= 12) histogram("vllm:request_time_per_output_token_seconds", "Histogram of time_per_output_token_seconds per request.", m_.tpot);
    histogram("vllm:e2e_request_latency_seconds", "Histogram of e2e request latency in seconds.", m_.e2e);
    histogram("vllm:request_queue_time_seconds", "Histogram of time spent in WAITING phase for request.", m_.queue);
    histogram("vllm:request_inference_time_seconds", "Histogram of time spent in RUNNING phase for request.", m_.inference);
    histogram("vllm:request_prefill_time_seconds", "Histogram of time spent in PREFILL phase for request.", m_.prefill);
    histogram("vllm:request_decode_time_seconds", "Histogram of time spent in DECODE phase for request.", m_.decode);
    if (g_.minor >= 31) histogram("vllm:request_num_preemptions", "Histogram of the number of times a request was preempted.", m_.preempted);
    if (g_.minor >= 12) histogram("vllm:request_prefill_kv_computed_tokens", "Histogram of new KV tokens computed during prefill (excluding cached tokens).", m_.prefill_computed);
  }

  void config() {
    // Sorted by label name.
    std::map<std::string, std::string> labels{
        {"block_size", std::to_string(s_.cache.block_size)}, {"cache_dtype", o_.kv_cache_dtype}, {"engine", "0"},
        {"enable_prefix_caching", o_.prefix_caching ? "True" : "False"}, {"gpu_memory_utilization", fmt::format("{}", o_.gpu_memory_utilization)},
        {"is_attention_free", "False"}, {"kv_cache_memory_bytes", o_.kv_cache_memory_bytes ? std::to_string(*o_.kv_cache_memory_bytes) : "None"},
        {"num_cpu_blocks", "None"}, {"num_gpu_blocks", std::to_string(s_.gpu_blocks)},
        {"num_gpu_blocks_override", o_.num_gpu_blocks ? std::to_string(*o_.num_gpu_blocks) : "None"},
        {"prefix_caching_hash_algo", "sha256"}, {"sliding_window", "None"}};
    if (g_.minor >= 23) {
      labels["kv_cache_size_tokens"] = std::to_string(s_.gpu_blocks * s_.cache.block_size);
      labels["kv_cache_max_concurrency"] = fmt::format("{}", double(s_.gpu_blocks * s_.cache.block_size) / double(s_.max_model_len));
      labels["kv_offloading_backend"] = "native";  // also without a tier and with an explicit connector
      labels["kv_offloading_size"] = s_.kv_offloading_gib > 0 ? fmt::format("{}", s_.kv_offloading_gib) : "None";
    }
    std::string text;
    for (const auto& [key, value] : labels) text += (text.empty() ? "" : ",") + key + "=\"" + escaped(value) + "\"";
    gauge("vllm:cache_config_info", "Information of the LLMEngine CacheConfig", {{text, 1}});
  }

  void http() {
    head("http_requests_total", "Total number of requests by method, status and handler.", "counter");
    for (const auto& [key, value] : m_.http) {
      const auto a = key.find('|'), b = key.rfind('|');
      line("http_requests_total", "handler=\"" + key.substr(0, a) + "\",method=\"" + key.substr(a + 1, b - a - 1) + "\",status=\"" + key.substr(b + 1) + "\"", value);
    }
  }

  const Metrics& m_;
  const Options& o_;
  const Setup& s_;
  const Generation& g_;
  std::string model_, base_, out_;
};

}  // namespace

std::string metrics_page(const Metrics& m, const Options& options, const Setup& setup) { return Page(m, options, setup).write(); }

}  // namespace kvcliff::emulator
