// A dense problem whose matrix is at hand: solved pair by pair if it is one block, else block by block.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "hot.h"
#include "memory.h"
#include "pool.h"
#include "select.h"

namespace mercer {

// Rounding ends every descent: many steps without gain, in objective or gap, mean that the tolerance
// asks for more digits than there are.
class Stall {
 public:
  bool hopeless(double objective, double gap) {
    const bool gain = !(objective >= best_ - 1e-13 * std::fabs(best_)) || gap < 0.9 * gap_;
    if (gain) {
      best_ = objective;
      gap_ = std::min(gap_, gap);
    }
    idle_ = gain ? 0 : idle_ + 1;
    return idle_ > 20;
  }

 private:
  double best_ = INF, gap_ = INF;
  int64_t idle_ = 0;
};

template <class T>
struct Dense {  // K with signs applied and the shift on the diagonal
  int64_t n = 0, ld = 0;
  Buffer<T> K;
  const T* borrowed = nullptr;  // a matrix that belongs to somebody else, instead of K
  const T* values() const { return borrowed ? borrowed : K.data(); }
  bool padded = false;  // columns n up to the next multiple of 16 are there, and zero
  std::vector<T> diag;
  std::vector<double> h, g, lo, hi;
  std::vector<signed char> group;
  int groups = 1;
  View view() const {
    return {n, h.data(), g.data(), lo.data(), hi.data(), groups == 2 ? group.data() : nullptr, groups};
  }
};

template <class T>
class Middle {
 public:
  // until the gap is below max(tol, fraction * its first value), or stop(gap, steps) says so;
  // returns pair steps taken
  int64_t solve(Dense<T>& p, int64_t inner, double tol, double fraction, int64_t max_iter, Pool& pool,
             const std::function<bool(double, int64_t)>& stop);
  bool stalled = false;  // the last solve ended because nothing moved any more

 private:
  template <class U> void gather(const Dense<T>& p, const std::vector<int>& set, Buffer<U>& K, Pool& pool);
  template <class U> int64_t inner_solve(Dense<T>& p, const std::vector<int>& set, bool whole, Buffer<U>& K, double tol,
                                      double fraction, int64_t max_iter, Pool& pool);
  template <class U> int64_t pairs(Dense<T>& p, const std::vector<int>& set, const U* K, int64_t ld, double tol,
                                double fraction, int64_t max_iter);
  Selector selector_;
  Buffer<float> k32_;
  Buffer<double> k64_;
  std::vector<double> box_;
  std::vector<int> held_;  // whose matrix the buffer of `held_bytes_` wide numbers holds
  int64_t held_bytes_ = 0;
  std::vector<double> before_, weight_;
  std::vector<const T*> rows_;
};

}  // namespace mercer
