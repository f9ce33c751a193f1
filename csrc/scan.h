// What the outer loop asks of all variables in every step: their gradients, how far they violate, and
// which violate most. Part of hot.cpp, and like it compiled once per instruction set.
#pragma once
#include <cstdint>

#include "hot.h"
#include "vectors.h"

namespace mercer {
namespace LEVEL_NAMESPACE1(MERCER_LEVEL) {

typedef Vec<double> D;

inline vdouble gathered(const Scanned& s, const double* from, int64_t v) {
  if (s.run[v / RUN]) return load<vdouble>(from + s.index[v]);
  vdouble x;
  for (int k = 0; k < D::N; ++k) x[k] = from[s.index[v + k]];
  return x;
}

// h = sign F + linear + shift g for variables from..to; the sum of g (h + linear).
double gradients(const Scanned& s, const double* F, int64_t from, int64_t to, double* h) {
  vdouble sums = vdouble{};
  int64_t v = from;
  for (; v + D::N <= to; v += D::N) {
    const vdouble linear = load<vdouble>(s.linear + v), g = load<vdouble>(s.g + v);
    vdouble x = load<vdouble>(s.sign + v) * gathered(s, F, v) + linear;
    if (s.shift) x = x + load<vdouble>(s.shift + v) * g;
    store(h + v, x);
    sums = sums + g * (x + linear);
  }
  double sum = 0;
  for (int k = 0; k < D::N; ++k) sum += sums[k];
  for (; v < to; ++v) {
    h[v] = s.sign[v] * F[s.index[v]] + s.linear[v];
    if (s.shift) h[v] += s.shift[v] * s.g[v];
    sum += s.g[v] * (h[v] + s.linear[v]);
  }
  return sum;
}

// The lowest h of what may move up and the highest of what may move down, of each group.
void extremes(const double* h, const double* g, const double* lo, const double* hi, const signed char* group,
              int64_t from, int64_t to, double* up, double* low) {
  int64_t v = from;
  if (!group) {
    const vdouble inf = vdouble{} + __builtin_inf();
    vdouble least = inf, most = vdouble{} - inf;
    for (; v + D::N <= to; v += D::N) {
      const vdouble x = load<vdouble>(h + v), at = load<vdouble>(g + v);
      least = vmin(at < load<vdouble>(hi + v) ? x : inf, least);  // in this order what is no number is passed over
      most = vmax(at > load<vdouble>(lo + v) ? x : vdouble{} - inf, most);
    }
    for (int k = 0; k < D::N; ++k) {
      if (least[k] < up[0]) up[0] = least[k];
      if (most[k] > low[0]) low[0] = most[k];
    }
  }
  for (; v < to; ++v) {
    const int c = group ? group[v] : 0;
    if (g[v] < hi[v] && h[v] < up[c]) up[c] = h[v];
    if (g[v] > lo[v] && h[v] > low[c]) low[c] = h[v];
  }
}

// Violations put into bins 1 .. BINS - 1 of width 1 / scale, 0 for none; how many variables are open,
// that is, not at a bound that holds them by more than `margin`. Without branches, which would be guessed wrong.
int64_t into_bins(const double* h, const double* g, const double* lo, const double* hi, const signed char* group,
                  int64_t from, int64_t to, const double* up, const double* low, double scale, double margin,
                  int16_t* up_bin, int16_t* low_bin) {
  const double most = BINS - 2;
  int64_t open = 0;
  for (int64_t v = from; v < to; ++v) {
    const int c = group ? group[v] : 0;
    const double above = low[c] - h[v], below = h[v] - up[c];  // how much too low to move up, too high to move down
    const bool may_up = g[v] < hi[v], may_low = g[v] > lo[v];
    double x = above * scale, y = below * scale;
    x = x > 0 ? x : 0;  // so is what is no number
    y = y > 0 ? y : 0;
    x = x < most ? x : most;
    y = y < most ? y : most;
    up_bin[v] = (int16_t)((may_up & (above > 0)) * ((int)x + 1));
    low_bin[v] = (int16_t)((may_low & (below > 0)) * ((int)y + 1));
    const bool settled = (!may_low & (-above > margin)) | (!may_up & (-below > margin));
    open += !settled;
  }
  return open;
}

// Variables in bins from `least` on, in their order; returns how many. `out` has room for one more than all.
int64_t in_bins(const int16_t* bins, int64_t from, int64_t to, int least, int* out) {
  int64_t found = 0;
  for (int64_t v = from; v < to; ++v) {
    out[found] = (int)v;
    found += bins[v] >= least;
  }
  return found;
}

}  // namespace
}  // namespace mercer
