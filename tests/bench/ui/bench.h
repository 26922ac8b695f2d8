// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <sys/resource.h>
#include <time.h>

#include <QString>
#include <algorithm>
#include <cstdio>
#include <vector>

namespace kvcliff::ui::bench {

inline double percentile(std::vector<double> v, double p) {
  if (v.empty()) return 0;
  std::sort(v.begin(), v.end());
  return v[std::min(v.size() - 1, std::size_t(double(v.size()) * p))];
}

/// Processor time of this program: on a busy machine the wall clock measures the others.
inline double cpu_seconds() {
  rusage u{};
  getrusage(RUSAGE_SELF, &u);
  return double(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + double(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}
/// Of the calling thread.
inline double thread_cpu_ms() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return double(t.tv_sec) * 1e3 + double(t.tv_nsec) * 1e-6;
}
inline double resident_mib() {
  rusage u{};
  getrusage(RUSAGE_SELF, &u);
  return double(u.ru_maxrss) / 1024;
}

void frames();                        ///< replots with up to 1,000,000 requests while 2,000 events a second arrive
void log_panel();                     ///< 50,000 lines a second into the log dock
void open_large(qint64 requests);     ///< a journal from the click to the first chart, then scrolling
void live_dots(const QString& emulator);   ///< from the end of a stream to its dot on the screen
void launches(const QString& program);     ///< first frame and first cliff of a fresh process
int launched(qint64 started_ns);      ///< that process

}  // namespace kvcliff::ui::bench
