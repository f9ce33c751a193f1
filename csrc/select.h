// Which variables violate the conditions of an optimum, by how much, and the ones a block takes.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "hot.h"
#include "pool.h"

namespace mercer {

constexpr double INF = std::numeric_limits<double>::infinity();
constexpr int64_t STRETCH = 4096;  // variables of one task; sums are taken stretch by stretch, whoever takes them

// What selection needs to know of a set of variables; shared by the outer and the middle loop.
struct View {
  int64_t n;
  const double *h, *g, *lo, *hi;
  const signed char* group;  // nullptr when groups <= 1
  int groups;
  int of(int64_t i) const { return group ? group[i] : 0; }
};

struct Extremes {
  double up[2] = {INF, INF}, low[2] = {-INF, -INF};
  double gap(int groups) const {
    if (groups == 0) return std::max(0.0, std::max(-up[0], low[0]));
    double g = low[0] - up[0];
    if (groups == 2) g = std::max(g, low[1] - up[1]);
    return std::max(g, 0.0);
  }
  void join(const Extremes& other) {
    for (int c = 0; c < 2; ++c) {
      up[c] = std::min(up[c], other.up[c]);
      low[c] = std::max(low[c], other.low[c]);
    }
  }
  void refer_to_zero() {  // no multiplier to compare with: the reference is zero
    up[0] = std::min(up[0], 0.0);
    low[0] = std::max(low[0], 0.0);
  }
};

Extremes extremes(const View& v);

// The most violating variables, half from each side, after `keep` of the previous set.
class Selector {
 public:
  // Looks at all; returns how many are not held at a bound by more than `margin`.
  int64_t look(const View& v, const Extremes& e, double margin, Pool& pool);
  // of what was looked at last
  void choose(const View& v, const Extremes& e, int64_t q, int64_t keep, std::vector<int>& set, Pool& pool);

 private:
  static constexpr int WAYS = 4;  // neighbours are counted apart: they are often in the same bin
  struct Count {
    int32_t of[BINS];
  };
  int least(const std::vector<Count>& counts, int64_t need) const;
  void collect(const std::vector<int16_t>& bins, int64_t need, const std::vector<Count>& counts, Pool& pool);
  std::vector<int16_t> up_bin_, low_bin_;
  std::vector<Count> up_count_, low_count_;  // of each stretch
  std::vector<std::pair<double, int>> up_, low_;
  std::vector<unsigned char> in_;
  std::vector<int> next_, found_;
};

}  // namespace mercer
