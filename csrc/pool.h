// A few threads that live as long as one solve, so that none is lost in a fork between two of them.
#pragma once
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
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
    }
    wake_.notify_all();
    for (auto& w : workers_) w.join();
  }
  Pool(const Pool&) = delete;
  int threads() const { return (int)workers_.size() + 1; }

  // fn(task, thread) for every task; which thread takes a task does not change its result. Waits only
  // for workers that took one: on a busy machine some may not wake up in time to take any.
  void run(int64_t tasks, const std::function<void(int64_t, int)>& fn) {
    if (workers_.empty() || tasks <= 1) {
      for (int64_t i = 0; i < tasks; ++i) fn(i, 0);
      return;
    }
    fn_ = &fn;
    tasks_ = tasks;
    left_.store(tasks);  // from here on workers may take tasks
    if (sleeping_.load() > 0) {
      { std::lock_guard<std::mutex> lock(mutex_); }  // who is about to sleep has seen `left_`, or hears the call
      wake_.notify_all();
    }
    drain(0);
    for (int spin = 0; active_.load() > 0; ++spin)
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
  // `fn_` and `tasks_` are read only by who has taken a task, and stay until no such thread is left
  void drain(int thread) {
    try {
      for (int64_t k; (k = left_.fetch_sub(1)) > 0;) (*fn_)(tasks_ - k, thread);
    } catch (...) {  // out of memory, most likely: hand it to the caller
      std::lock_guard<std::mutex> lock(mutex_);
      failed_ = std::current_exception();
      left_.store(0);
    }
  }
  void work(int thread) {
    while (!closing_) {
      // steps follow each other within microseconds: spin a little before going to sleep
      for (int spin = 0; spin < SPINS && left_.load() <= 0 && !closing_; ++spin) pause();
      if (left_.load() <= 0) {
        std::unique_lock<std::mutex> lock(mutex_);
        ++sleeping_;
        wake_.wait(lock, [&] { return left_.load() > 0 || closing_; });
        --sleeping_;
        continue;
      }
      ++active_;  // before taking a task: then the caller cannot miss that somebody has one
      drain(thread);
      --active_;
    }
  }

  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::atomic<int64_t> left_{0};  // tasks nobody has taken; below zero when all are
  std::atomic<int> active_{0}, sleeping_{0};
  const std::function<void(int64_t, int)>* fn_ = nullptr;
  int64_t tasks_ = 0;
  std::atomic<bool> closing_{false};
  std::exception_ptr failed_;
};

}  // namespace mercer
