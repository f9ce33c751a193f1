// All pairs of two lists of sequences, over threads, until the user presses Ctrl-C.
#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>

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
  std::atomic<int64_t> next{0}, running{0};
  std::exception_ptr failed;
  std::mutex mutex;
  std::condition_variable done;
  auto drain = [&](int thread) {
    try {
      for (int64_t i; !interrupt.stop && (i = next.fetch_add(1)) < tasks;) fn(i, thread);
    } catch (...) {
      std::lock_guard<std::mutex> lock(mutex);
      failed = std::current_exception();
      interrupt.stop = true;
    }
    std::lock_guard<std::mutex> lock(mutex);
    --running;
    done.notify_all();
  };
  std::vector<std::thread> workers;
  running = threads;
  for (int t = 0; t < threads; ++t) {
    try {
      workers.emplace_back(drain, t);
    } catch (const std::system_error&) {  // the system gives no more threads: fewer do the same work
      std::lock_guard<std::mutex> lock(mutex);
      --running;
    }
  }
  if (workers.empty()) {
    running = 1;
    drain(0);
  }
  {
    std::unique_lock<std::mutex> lock(mutex);
    while (running > 0) {
      done.wait_for(lock, std::chrono::milliseconds(100));
      if (running > 0 && !interrupt.stop) {
        lock.unlock();
        if (interrupt.asked()) interrupt.stop = true;
        lock.lock();
      }
    }
  }
  for (auto& w : workers) w.join();
  if (failed) std::rethrow_exception(failed);
}

}  // namespace mercer
