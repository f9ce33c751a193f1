// Where several blocks together went, the next ones will mostly go, too. The objective is quadratic and its
// gradient known at both ends, so the lowest point of the line through them costs no kernel value; only
// variables that would leave their bounds on the way cost a row each.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "solver.h"

namespace mercer {

class Leap {
 public:
  static constexpr int64_t EVERY = 4;     // blocks; fewer are too little to tell a direction, more come too late
  static constexpr size_t LEAVING = 128;  // variables that may be held back at their bounds
  static constexpr size_t SHARERS = 32;   // free ones that take over what these may not

  std::vector<int> corrected;   // variables whose change differs from the leap's line ...
  std::vector<double> on_line;  // ... and where on the line they would have been

  // Changes p.g and F; the rows of `corrected` are still to be added to F, weighed by p.g - on_line.
  // False where there is nothing to gain: then nothing was changed.
  bool take(QuadraticProgram& p, const std::vector<double>& h, std::vector<double>& F) {
    const bool known = !g_.empty();
    bool gains = false;
    std::vector<double> before_g = p.g, before_F = F;
    if (known) {
      const double length = bounded(p, best(p.g, h), LEAVING);
      gains = length > 0 && along(p, length);
      if (gains)
        for (size_t i = 0; i < F.size(); ++i) F[i] += length * (F[i] - F_[i]);
      else p.g = before_g;
    }
    g_.swap(before_g);
    F_.swap(before_F);
    h_ = h;
    return gains;
  }
  // back to where it began
  void undo(QuadraticProgram& p, std::vector<double>& F) const {
    p.g = g_;
    F = F_;
  }

 private:
  // how far beyond the present point the line is lowest, in units of the way from the last one
  double best(const std::vector<double>& g, const std::vector<double>& h) const {
    double slope = 0, bend = 0;
    for (size_t v = 0; v < g.size(); ++v) {
      const double d = g[v] - g_[v];
      slope += d * h[v];
      bend += d * (h[v] - h_[v]);
    }
    return bend > 0 && slope < 0 ? -slope / bend : 0;
  }
  // no further than to where more than `most` variables would have left their bounds
  double bounded(const QuadraticProgram& p, double length, size_t most) {
    leaving_.clear();
    for (size_t v = 0; v < p.g.size(); ++v) {
      const double d = p.g[v] - g_[v];
      if (d == 0) continue;
      const double room = (d > 0 ? p.hi[v] - p.g[v] : p.lo[v] - p.g[v]) / d;
      if (room < length) leaving_.push_back(room);
    }
    if (leaving_.size() <= most) return length;
    std::nth_element(leaving_.begin(), leaving_.begin() + most, leaving_.end());
    return leaving_[most];
  }
  // The step, held back at the bounds; what its variables may not do is shared out, so that sums stay.
  bool along(QuadraticProgram& p, double length) {
    corrected.clear();
    on_line.clear();
    double missing[2] = {0, 0};
    for (auto& side : freest_) side.clear();
    for (size_t v = 0; v < p.g.size(); ++v) {
      const double line = p.g[v] + length * (p.g[v] - g_[v]), to = std::min(std::max(line, p.lo[v]), p.hi[v]);
      const int c = p.groups == 2 ? p.group[v] : 0;
      if (to != line) {
        missing[c] += line - to;
        corrected.push_back((int)v);
        on_line.push_back(line);
      } else freest_[c].push_back({-std::min(p.hi[v] - to, to - p.lo[v]), (int)v});
      p.g[v] = to;
    }
    for (int c = 0; c < p.groups; ++c) {
      const size_t k = std::min(SHARERS, freest_[c].size());
      std::partial_sort(freest_[c].begin(), freest_[c].begin() + k, freest_[c].end());
      for (size_t a = 0; a < k && missing[c] != 0; ++a) {
        const int v = freest_[c][a].second;
        const double from = p.g[v], share = a + 1 < k ? missing[c] / (double)(k - a) : missing[c];
        p.g[v] = std::min(std::max(from + share, p.lo[v]), p.hi[v]);
        corrected.push_back(v);
        on_line.push_back(from);
        missing[c] = p.g[v] == from + share ? missing[c] - share : missing[c] - (p.g[v] - from);
      }
      if (missing[c] != 0) return false;  // nobody has room for so much
    }
    return true;
  }

  std::vector<double> g_, h_, F_;  // the last point: variables, their gradient, outputs of rows
  std::vector<double> leaving_;
  std::vector<std::pair<double, int>> freest_[2];
};

}  // namespace mercer
