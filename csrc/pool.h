// A few threads that live as long as one solve, so that none is lost in a fork between two of them.
#pragma once
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace mercer {

constexpr int MOST_THREADS = 256;  // beyond any use; a wrong number must not exhaust the machine

class Pool {
 public:
  explicit Pool(int threads) {
    try {
      workers_.reserve(std::min(threads, MOST_THREADS));
      for (int t = 1; t < std::min(threads, MOST_THREADS); ++t) workers_.emplace_back([this, t] { work(t); });
    } catch (const std::system_error&) {  // the system gives no more threads: fewer do the same work
    }
  }
  ~Pool() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      closing_ = true;
      ++generation_;
    }
    wake_.notify_all();
    for (auto& w : workers_) w.join();
  }
  Pool(const Pool&) = delete;
  int threads() const { return (int)workers_.size() + 1; }

  // fn(task, thread) for every task; which thread takes a task does not change its result
  void run(long tasks, const std::function<void(long, int)>& fn) {
    if (workers_.empty() || tasks <= 1) {
      for (long i = 0; i < tasks; ++i) fn(i, 0);
      return;
    }
    fn_ = &fn;
    tasks_ = tasks;
    next_.store(0);
    pending_.store((int)workers_.size());
    {
      std::lock_guard<std::mutex> lock(mutex_);
      ++generation_;
    }
    wake_.notify_all();
    drain(0);
    // the others are in their last task; give way if there are more threads than cores
    for (int spin = 0; pending_.load(std::memory_order_acquire) > 0; ++spin)
      if (spin < SPINS) pause(); else std::this_thread::yield();
    if (failed_) {
      std::exception_ptr e = failed_;
      failed_ = nullptr;
      std::rethrow_exception(e);
    }
  }

 private:
  static constexpr int SPINS = 4000;
  static void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    std::this_thread::yield();
#endif
  }
  void drain(int thread) {
    try {
      for (long i; (i = next_.fetch_add(1)) < tasks_;) (*fn_)(i, thread);
    } catch (...) {  // out of memory, most likely: hand it to the caller
      std::lock_guard<std::mutex> lock(mutex_);
      failed_ = std::current_exception();
      next_.store(tasks_);
    }
  }
  void work(int thread) {
    unsigned seen = 0;
    for (;;) {
      // steps follow each other within microseconds: spin a little before going to sleep
      for (int spin = 0; spin < SPINS && generation_.load(std::memory_order_acquire) == seen; ++spin) pause();
      if (generation_.load(std::memory_order_acquire) == seen) {
        std::unique_lock<std::mutex> lock(mutex_);
        wake_.wait(lock, [&] { return generation_.load() != seen; });
      }
      seen = generation_.load();
      if (closing_) return;
      drain(thread);
      pending_.fetch_sub(1, std::memory_order_release);
    }
  }

  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::atomic<unsigned> generation_{0};
  std::atomic<long> next_{0};
  std::atomic<int> pending_{0};
  const std::function<void(long, int)>* fn_ = nullptr;
  long tasks_ = 0;
  std::atomic<bool> closing_{false};
  std::exception_ptr failed_;
};

}  // namespace mercer
