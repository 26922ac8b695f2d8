// SPDX-License-Identifier: GPL-3.0-or-later
#include "emulator/run.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <ostream>

#include "emulator/kv_publisher.h"
#include "emulator/metronome.h"
#include "emulator/server.h"

namespace kvcliff::emulator {
namespace {

// The second process of a vLLM: it does nothing here but live, so that what watches a process tree sees one. When the
// API server is killed it stays behind as the real one does, but not for ever.
pid_t start_core() {
  const pid_t parent = getpid(), pid = fork();
  if (pid != 0) return pid;
  prctl(PR_SET_NAME, "VLLM::EngineCor");
  const int null = open("/dev/null", O_RDWR);
  for (int fd = 0; fd < 3; ++fd) dup2(null, fd);
  close_range(3, ~0u, 0);
  for (int left = 300; left > 0;) {
    usleep(100'000);
    if (getppid() != parent) --left;  // 30 s as an orphan
  }
  _exit(0);
}

std::uint64_t fresh_seed() {
  const auto t = std::chrono::steady_clock::now().time_since_epoch().count();
  return static_cast<std::uint64_t>(t) ^ (static_cast<std::uint64_t>(getpid()) << 32);
}

TimeModel::Settings time_settings(const Options& o) {
  TimeModel::Settings s;
  s.timing = o.timing;
  s.scale = o.time_scale;
  s.noise = o.noise;
  s.seed = o.noise_seed.value_or(fresh_seed());
  s.drift_per_request = o.drift_per_request;
  Rng session(s.seed ^ 0x5e55);
  const double effect = o.session_effect > 0 ? o.session_effect : o.lies.has(Lie::session_effect) ? 0.05 : 0;
  const double drift = o.drift != 0 ? o.drift : o.lies.has(Lie::drift) ? 0.03 : 0;
  s.factor = std::pow(1 + drift, double(o.session_ordinal)) * std::exp(session.normal() * effect);
  s.load_factor = std::exp(session.normal() * effect);
  if (o.lies.has(Lie::slow_first_server) && o.session_ordinal == 0) s.factor *= 2;
  if (o.lies.has(Lie::offload_hurts)) {
    s.timing.load_rate /= 40;
    s.timing.load_latency *= 10;
  }
  return s;
}

/// Memory that a pinned host tier would take, held for the life of the process.
class Pinned {
 public:
  explicit Pinned(std::int64_t bytes) : size_(static_cast<std::size_t>(std::max<std::int64_t>(0, bytes))) {
    if (size_ == 0) return;
    at_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at_ == MAP_FAILED) at_ = nullptr;
    else std::memset(at_, 1, size_);
  }
  ~Pinned() {
    if (at_) munmap(at_, size_);
  }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  bool failed() const { return size_ > 0 && !at_; }

 private:
  std::size_t size_;
  void* at_ = nullptr;
};

}  // namespace

int run(const std::vector<std::string>& args, std::ostream& out, std::ostream& err, const CacheFactory& cache) {
  if (!args.empty() && args.front() == "metronome") return metronome({args.begin() + 1, args.end()}, out, err);
  const Parsed parsed = parse_arguments(args, relevant_environment());
  if (parsed.exit_code) {
    out << parsed.out << std::flush;
    err << parsed.err << std::flush;
    return *parsed.exit_code;
  }
  const Options& options = parsed.options;
  const Setup setup = make_setup(options);
  Log log(out);
  log.set_pids(getpid(), getpid());
  std::signal(SIGPIPE, SIG_IGN);
  if (setup.failure_before_engine) {
    log_banner(log, options, setup);
    log_api_failure(log, setup.failure);
    return 1;
  }
  pid_t core = options.processes ? start_core() : 0;
  if (core > 0) log.set_pids(getpid(), core);
  const auto end_core = [&] {
    if (core <= 0) return;
    kill(core, SIGKILL);
    waitpid(core, nullptr, 0);
  };

  boost::asio::io_context io(1);
  TimeModel time(time_settings(options));
  Metrics metrics(setup.max_model_len);
  metrics.start_time = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  metrics.created = metrics.start_time + 0.5;
  const std::uint64_t cache_seed = options.noise_seed.value_or(fresh_seed());
  std::unique_ptr<CacheModel> model;
  if (setup.failure.empty()) model = cache(setup.cache, cache_seed);
  else {
    cache::Config least;
    least.gpu_blocks = 1;
    model = cache(least, cache_seed);
  }
  std::optional<Pinned> pinned;
  if (options.pin_memory) pinned.emplace(setup.pinned_bytes);
  if (pinned && pinned->failed()) {
    log_banner(log, options, setup);
    log_core_failure(log, {"RuntimeError: CUDA error: out of memory while pinning " + std::to_string(setup.pinned_bytes) + " bytes of host memory"});
    end_core();
    return 1;
  }
  std::unique_ptr<KvPublisher> events;
  if (!options.kv_events_endpoint.empty()) {
    std::string why;
    events = KvPublisher::open(options.kv_events_endpoint, options.block_size, why);
    if (!events) {
      log_banner(log, options, setup);
      log_core_failure(log, {"zmq.error.ZMQError: " + why + " (addr='" + options.kv_events_endpoint + "')"});
      end_core();
      return 1;
    }
    model->record_changes();
  }
  int code = 0;
  {
    Server server(io, options, setup, *model, time, metrics, log);
    server.watch_core(core);
    if (events) {
      const auto now = [] { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); };
      server.engine().on_changes = [&events, now](const std::vector<CacheModel::Change>& changes) { events->publish(changes, now()); };
      server.engine().on_cleared = [&events, now] { events->publish_cleared(now()); };
    }
    if (const auto ec = server.bind()) {
      log_banner(log, options, setup);
      if (ec == boost::asio::error::address_in_use) log_port_in_use(log);
      else log_api_failure(log, "OSError: [Errno " + std::to_string(ec.value()) + "] " + ec.message());
      end_core();
      return 1;
    }
    server.start();
    io.run();
    code = server.exit_code();
  }
  end_core();
  return code;
}

}  // namespace kvcliff::emulator
