// Several problems over one source, in turn or side by side, and who may stop them.
#pragma once
#include <cstdint>
#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "solver.h"

namespace nb = nanobind;

namespace mercer {

inline double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Decides whether to go on: a deadline, Ctrl-C, or the user's callback.
class Watch {
 public:
  Watch(double time_limit, nb::object callback, int64_t problems)
      : start_(seconds()), limit_(time_limit), callback_(std::move(callback)), problems_(problems) {}
  // from any thread
  bool expired() {
    if (stop_) return true;
    if (limit_ >= 0 && seconds() - start_ > limit_) { why_ = 1; stop_ = true; }
    return stop_;
  }
  // from the thread that called us
  bool ask(const Progress& p) {
    if (expired()) return true;
    const double t = seconds();
    if (t - last_ < 0.1) return false;
    last_ = t;
    nb::gil_scoped_acquire hold;
    if (PyErr_CheckSignals() != 0) {
      nb::python_error e;
      if (!e.matches(PyExc_KeyboardInterrupt)) throw e;
      why_ = 2;
      stop_ = true;
    } else if (!callback_.is_none()) {
      nb::dict d;
      d["n_iter"] = p.n_iter;
      d["gap"] = p.gap;
      d["objective"] = p.objective;
      d["seconds"] = t - start_;
      d["finished"] = done.load();
      d["problems"] = problems_;
      nb::object answer = callback_(d);
      const int yes = PyObject_IsTrue(answer.ptr());
      if (yes < 0) throw nb::python_error();  // an answer without a truth value, such as an array
      if (yes) { why_ = 3; stop_ = true; }
    }
    return stop_;
  }
  void abandon() { stop_ = true; }
  const char* reason() const { return why_ == 1 ? "time_limit" : why_ == 3 ? "callback" : "interrupt"; }
  double elapsed() const { return seconds() - start_; }
  std::atomic<int64_t> done{0};

 private:
  double start_, last_ = 0, limit_;
  nb::object callback_;
  int64_t problems_;
  std::atomic<bool> stop_{false};
  std::atomic<int> why_{0};
};

struct Batch {
  std::vector<QuadraticProgram> programs;
  std::vector<Outcome> outcomes;
  std::vector<std::vector<double>> F;
  int64_t count() const { return (int64_t)programs.size(); }
};

// One problem after the other, each on all threads.
template <class T>
void solve_in_turn(Batch& b, const Source<T>& source, const Options& options, int threads, Watch& watch) {
  Pool pool(threads);
  RowCache<T> cache(source, options.cache_bytes, options.patient);
  const Poll ask = [&](const Progress& p) { return watch.ask(p); };
  for (int64_t k = 0; k < b.count(); ++k, ++watch.done)
    b.outcomes[k] = solve<T>(b.programs[k], source, cache, b.F[k], options, pool, ask);
}

// One problem per thread; each thread keeps its own rows, shared by the problems it takes.
template <class T>
void solve_side_by_side(Batch& b, const Source<T>& source, const Options& options, int threads, Watch& watch) {
  std::atomic<int64_t> next{0};
  std::atomic<int> busy{0};
  std::exception_ptr failed;
  std::mutex mutex;
  auto guarded = [&](auto&& action) {
    try {
      action();
    } catch (...) {
      std::lock_guard<std::mutex> lock(mutex);
      failed = std::current_exception();
      watch.abandon();
    }
  };
  auto work = [&](const Poll& poll) {
    guarded([&] {
      Pool alone(1);
      RowCache<T> cache(source, options.cache_bytes / threads, options.patient);
      for (int64_t k; (k = next.fetch_add(1)) < b.count(); ++watch.done)
        b.outcomes[k] = solve<T>(b.programs[k], source, cache, b.F[k], options, alone, poll);
    });
  };
  const Poll expired = [&](const Progress&) { return watch.expired(); };
  std::vector<std::thread> workers;
  guarded([&] {
    workers.reserve(threads);
    for (int t = 1; t < threads; ++t) {
      ++busy;
      try {
        workers.emplace_back([&] { work(expired); --busy; });
      } catch (...) {  // no more threads to be had: fewer do the same work
        --busy;
        break;
      }
    }
  });
  work([&](const Progress& p) { return watch.ask(p); });
  // out of problems, but only this thread can hear Ctrl-C and call the user's function
  guarded([&] {
    while (busy.load() > 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      watch.ask({});
    }
  });
  for (auto& w : workers) w.join();
  if (failed) std::rethrow_exception(failed);
}

template <class T>
void solve_all(Batch& b, const Source<T>& source, const Options& options, int threads, Watch& watch) {
  const bool in_turn = b.count() < threads || threads == 1 || source.whole_rows();
  (in_turn ? solve_in_turn<T> : solve_side_by_side<T>)(b, source, options, threads, watch);
}

}  // namespace mercer
