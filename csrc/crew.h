// Threads for as long as one call lasts. Python hears Ctrl-C in the calling thread only: it looks after that.
#pragma once
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace mercer {

class Crew {
 public:
  // whoever fails calls give_up, so that the others stop early; the error is the caller's in the end
  explicit Crew(std::function<void()> give_up) : give_up_(std::move(give_up)) {}
  Crew(const Crew&) = delete;
  ~Crew() { join(); }

  // fn(first), fn(first + 1), ... each in a thread; fewer if the system gives no more. How many there are.
  int start(int first, int count, const std::function<void(int)>& fn) {
    guarded([&] {
      workers_.reserve(count);
      for (int t = first; t < first + count; ++t) {
        { std::lock_guard<std::mutex> lock(mutex_); ++busy_; }
        try {
          workers_.emplace_back([this, fn, t] { guarded([&] { fn(t); }); leave(); });
        } catch (const std::system_error&) {
          leave();
          break;
        }
      }
    });
    return (int)workers_.size();
  }
  template <class Action> void guarded(const Action& action) {
    try {
      action();
    } catch (...) {
      std::lock_guard<std::mutex> lock(mutex_);
      if (!failed_) failed_ = std::current_exception();
      give_up_();
    }
  }
  // until the last one is done, look() every tenth of a second
  template <class Look> void wait(const Look& look) {
    std::unique_lock<std::mutex> lock(mutex_);
    while (!done_.wait_for(lock, std::chrono::milliseconds(100), [&] { return busy_ == 0; })) {
      lock.unlock();
      guarded(look);
      lock.lock();
    }
    lock.unlock();
    join();
    if (failed_) std::rethrow_exception(failed_);
  }

 private:
  void leave() {
    std::lock_guard<std::mutex> lock(mutex_);
    --busy_;
    done_.notify_all();
  }
  void join() {
    for (auto& w : workers_) w.join();
    workers_.clear();
  }
  std::function<void()> give_up_;
  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable done_;
  int busy_ = 0;
  std::exception_ptr failed_;
};

}  // namespace mercer
