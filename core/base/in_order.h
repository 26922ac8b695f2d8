// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace kvcliff {

/// Work on a sequence whose middle part alone may run side by side: `take(Piece&)` fills the next piece (false: there is
/// none) and `give(Piece&)` uses it (false: enough), both one at a time and in order; `work(Piece&)` runs in between on
/// `threads` threads, the caller's among them. Each thread has one Piece, which it uses again. An exception of any of the
/// three ends the work and is thrown here.
template <class Piece, class Take, class Work, class Give>
void in_order(int threads, Take take, Work work, Give give) {
  if (threads <= 1) {
    Piece piece;
    while (take(piece)) {
      work(piece);
      if (!give(piece)) return;
    }
    return;
  }
  std::mutex source, turn;
  std::condition_variable moved;
  std::uint64_t taken = 0, given = 0;
  bool done = false;               // under `source`: nothing more is taken
  bool enough = false;             // under `turn`: nothing more is given
  std::exception_ptr failure;      // under `turn`
  const auto loop = [&] {
    Piece piece;
    try {
      for (;;) {
        std::uint64_t number = 0;
        {
          const std::scoped_lock lock(source);
          if (done) return;
          if (!take(piece)) {
            done = true;
            return;
          }
          number = taken++;
        }
        work(piece);
        std::unique_lock lock(turn);
        moved.wait(lock, [&] { return given == number || enough; });
        if (enough) return;
        if (!give(piece)) enough = true;
        ++given;
        lock.unlock();
        moved.notify_all();
        const std::scoped_lock check(source, turn);
        done = done || enough;
      }
    } catch (...) {
      {
        const std::scoped_lock lock(source, turn);
        if (!failure) failure = std::current_exception();
        done = enough = true;
      }
      moved.notify_all();
    }
  };
  {
    std::vector<std::jthread> pool;
    for (int t = 1; t < threads; ++t) pool.emplace_back(loop);
    loop();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace kvcliff
