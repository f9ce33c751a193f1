// All pairs of two lists of sequences, over threads, until the user presses Ctrl-C.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>

#include "../crew.h"
#include "../pool.h"

namespace mercer {

class Interrupt {
 public:
  virtual ~Interrupt() = default;
  virtual bool asked() = 0;  // only ever called from the thread that called for_each_task
  std::atomic<bool> stop{false};  // set by one thread, read by all
};

// fn(task, thread) for every task. The calling thread does not compute: it looks after Ctrl-C, so that even a single
// long task can be given up. With threads == 0 it does compute: for work too small to start a thread for.
inline void for_each_task(int64_t tasks, int threads, Interrupt& interrupt, const std::function<void(int64_t, int)>& fn) {
  if (threads <= 0) {
    for (int64_t i = 0; i < tasks; ++i) fn(i, 0);
    return;
  }
  threads = (int)std::min<int64_t>({threads, std::max<int64_t>(tasks, 1), MOST_THREADS});
  std::atomic<int64_t> next{0};
  auto drain = [&](int thread) {
    for (int64_t i; !interrupt.stop && (i = next.fetch_add(1)) < tasks;) fn(i, thread);
  };
  Crew crew([&] { interrupt.stop = true; });
  if (crew.start(0, threads, drain) == 0) crew.guarded([&] { drain(0); });
  crew.wait([&] {
    if (!interrupt.stop && interrupt.asked()) interrupt.stop = true;
  });
}

}  // namespace mercer
