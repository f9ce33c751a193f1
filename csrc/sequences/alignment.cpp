#include "alignment.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace mercer {
namespace {

constexpr double LARGE = 1e200;  // beyond this a table is scaled down, and the logarithm remembered

double squared_distance(const double* a, const double* b, int64_t dims) {
  double sum = 0;
  for (int64_t c = 0; c < dims; ++c) sum += (a[c] - b[c]) * (a[c] - b[c]);
  return sum;
}

}  // namespace

double local_alignment(const int* s, int64_t n, const int* t, int64_t m, const double* factors, int64_t alphabet, Gaps gaps,
                       std::vector<double>& scratch, const std::atomic<bool>* stop) {
  // M: alignments that end in the pair (i, j); X and Y: those followed by a gap in t, then in s. `unit` is the empty
  // alignment, 1 at the start and smaller after the tables have been scaled.
  scratch.assign(3 * (m + 1), 0.0);
  double *M = scratch.data(), *X = M + m + 1, *Y = X + m + 1;
  double sum = 0, unit = 1, scaled = 0;
  for (int64_t i = 0; i < n && !*stop; ++i) {
    const double* row = factors + (int64_t)s[i] * alphabet;
    double before = unit, left_M = 0, left_X = 0, left_Y = 0, largest = 0;
    for (int64_t j = 1; j <= m; ++j) {
      const double old = M[j] + X[j] + Y[j];
      const double x = gaps.open * M[j] + gaps.extend * X[j];
      const double y = gaps.open * (left_M + left_X) + gaps.extend * left_Y;
      const double match = row[t[j - 1]] * before;
      before = unit + old;
      sum += match;
      M[j] = left_M = match;
      X[j] = left_X = x;
      Y[j] = left_Y = y;
      largest = std::max(largest, match);
    }
    if (std::max(largest, sum) > LARGE) {
      for (double& v : scratch) v /= LARGE;
      sum /= LARGE;
      unit /= LARGE;
      scaled += std::log(LARGE);
    }
  }
  return std::log(unit + sum) + scaled;
}

double global_alignment(const double* x, int64_t n, const double* y, int64_t m, int64_t dims, double length_scale, int64_t band,
                        std::vector<double>& scratch, const std::atomic<bool>* stop) {
  if (band > 0 && std::abs(n - m) >= band) return -std::numeric_limits<double>::infinity();
  scratch.assign(m + 1, 0.0);
  double* A = scratch.data();
  double scaled = 0, corner = 1;  // the cell before the first pair
  const double scale = 0.5 / (length_scale * length_scale);
  for (int64_t i = 0; i < n && !*stop; ++i) {
    double before = corner, left = 0, largest = 0;
    corner = 0;
    for (int64_t j = 1; j <= m; ++j) {
      const double old = A[j];
      const int64_t off = std::abs(i - (j - 1));
      double value = 0;
      if (band <= 0 || off < band) {
        double phi = std::exp(-scale * squared_distance(x + i * dims, y + (j - 1) * dims, dims));
        if (band > 0) phi *= 1.0 - (double)off / (double)band;
        value = phi / (2.0 - phi) * (before + old + left);
      }
      before = old;
      A[j] = left = value;
      largest = std::max(largest, value);
    }
    if (largest > 0 && (largest > LARGE || largest < 1 / LARGE)) {
      for (double& v : scratch) v /= largest;
      scaled += std::log(largest);
    }
  }
  return std::log(A[m]) + scaled;
}

double warping_cost(const double* x, int64_t n, const double* y, int64_t m, int64_t dims, int64_t window,
                    std::vector<double>& scratch, const std::atomic<bool>* stop) {
  const double far = std::numeric_limits<double>::infinity();
  if (window >= 0) window = std::max(window, std::abs(n - m));  // else no path reaches the end
  scratch.assign(m + 1, far);
  double *A = scratch.data(), corner = 0;
  for (int64_t i = 0; i < n && !*stop; ++i) {
    double before = corner, left = far;
    corner = far;
    for (int64_t j = 1; j <= m; ++j) {
      const double old = A[j];
      double value = far;
      if (window < 0 || std::abs(i - (j - 1)) <= window)
        value = squared_distance(x + i * dims, y + (j - 1) * dims, dims) + std::min({before, old, left});
      before = old;
      A[j] = left = value;
    }
  }
  return A[m];
}

}  // namespace mercer
