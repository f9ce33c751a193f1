// What many blocks did together says where they are going: the objective is quadratic, and its gradient
// is known at the points passed, so the best point among all combinations of them costs no kernel value.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace mercer {

struct Point {
  std::vector<double> g, h, F;  // variables, gradient, outputs
};

class Extrapolation {
 public:
  static constexpr int MOST = 12;
  // weights t of the steps from the points passed to `now` that lead to the best point; empty if there is none
  std::vector<double> weights(const std::vector<double>& g, const std::vector<double>& h) const {
    const int m = (int)past_.size();
    std::vector<double> A(m * m), b(m), t(m, 0.0);
    for (int r = 0; r < m; ++r) {
      for (int c = 0; c <= r; ++c) {
        double s = 0;
        for (size_t v = 0; v < g.size(); ++v) s += (g[v] - past_[r].g[v]) * (h[v] - past_[c].h[v]);
        A[r * m + c] = A[c * m + r] = s;
      }
      double s = 0;
      for (size_t v = 0; v < g.size(); ++v) s += (g[v] - past_[r].g[v]) * h[v];
      b[r] = -s;
    }
    // Cholesky of the scaled matrix, newest first; directions that add nothing are left out
    std::vector<double> scale(m);
    for (int r = 0; r < m; ++r) scale[r] = A[r * m + r] > 0 ? 1 / std::sqrt(A[r * m + r]) : 0;
    std::vector<double> L(m * m, 0.0), z(m, 0.0);
    for (int r = 0; r < m; ++r) {
      for (int c = 0; c <= r; ++c) {
        double s = A[r * m + c] * scale[r] * scale[c];
        for (int k = 0; k < c; ++k) s -= L[r * m + k] * L[c * m + k];
        if (c < r) L[r * m + c] = L[c * m + c] > 0 ? s / L[c * m + c] : 0;
        else L[r * m + r] = s > 1e-6 ? std::sqrt(s) : 0;
      }
      if (L[r * m + r] == 0) { for (int k = 0; k < r; ++k) L[r * m + k] = 0; continue; }
      double s = b[r] * scale[r];
      for (int k = 0; k < r; ++k) s -= L[r * m + k] * z[k];
      z[r] = s / L[r * m + r];
    }
    for (int r = m - 1; r >= 0; --r) {
      if (L[r * m + r] == 0) continue;
      double s = z[r];
      for (int k = r + 1; k < m; ++k) s -= L[k * m + r] * t[k];
      t[r] = s / L[r * m + r];
    }
    for (int r = 0; r < m; ++r) t[r] *= scale[r];
    return t;
  }
  void pass(const std::vector<double>& g, const std::vector<double>& h, const std::vector<double>& F, int most) {
    past_.insert(past_.begin(), Point{g, h, F});
    if ((int)past_.size() > most) past_.pop_back();
  }
  const std::vector<Point>& past() const { return past_; }
  void forget() { past_.clear(); }

 private:
  std::vector<Point> past_;  // newest first
};

}  // namespace mercer
