// Block SMO: the outer loop. The problem, in signed variables g:
//   minimise 1/2 g'(S K S + D) g + q'g   subject to lo <= g <= hi, sum of g constant within each group.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "pool.h"
#include "row_cache.h"
#include "source.h"

namespace mercer {

struct QuadraticProgram {
  std::vector<int> index;      // data row of each variable
  std::vector<double> sign;    // S: +1 or -1
  std::vector<double> linear;  // q
  std::vector<double> shift;   // D, may be empty
  std::vector<double> lo, hi, g;
  std::vector<signed char> group;  // may be empty when groups == 0
  int groups = 1;                  // 0: no equality constraint
  int64_t size() const { return (int64_t)index.size(); }
};

struct Options {
  double tol = 1e-3;
  int64_t max_iter = -1;
  double cache_bytes = 200e6;
  bool patient = false;  // take no more of them than is worth while
  int64_t inner = 1024;   // variables of one block, solved pair by pair
  int64_t middle = 2048;  // about as many that are left are finished as one problem in memory
};

struct Progress {
  int64_t n_iter = 0;
  int64_t steps = 0;
  double gap = 0, objective = 0;
};

struct Outcome {
  double gap = 0, objective = 0;
  double offset[2] = {0, 0};
  int64_t n_iter = 0, steps = 0, reductions = 0;
  int64_t rows_computed = 0, values_computed = 0, rows_added = 0, block_values = 0;  // kernel rows and values; work
  std::string stopped = "tolerance";
  double seconds_rows = 0, seconds_block = 0, seconds_inner = 0, seconds_select = 0;
};

typedef std::function<bool(const Progress&)> Poll;  // true: stop now

// Throws std::domain_error if the kernel values are not finite.
template <class T>
Outcome solve(QuadraticProgram& problem, const Source<T>& source, RowCache<T>& cache, std::vector<double>& F,
              const Options& options, Pool& pool, const Poll& poll);

}  // namespace mercer
