// Who may stop a computation, and how several threads share one.
#pragma once
#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <utility>

#include "crew.h"
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
  bool interrupted() const { return why_ == 2; }
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

// work(poll) on so many threads, which take their tasks from one counter of the caller's.
template <class Work>
void side_by_side(int threads, Watch& watch, const Work& work) {
  Crew crew([&] { watch.abandon(); });
  const Poll expired = [&](const Progress&) { return watch.expired(); };
  const Poll ask = [&](const Progress& p) { return watch.ask(p); };
  crew.start(1, threads - 1, [&](int) { work(expired); });
  crew.guarded([&] { work(ask); });
  // out of tasks, but only this thread can hear Ctrl-C and call the user's function
  crew.wait([&] { watch.ask({}); });
}

}  // namespace mercer
