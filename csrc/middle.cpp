#include "middle.h"

#include "source.h"

namespace mercer {

// The block's matrix. Half of it stood in the previous block, and it is symmetric.
template <class T>
template <class U>
void Middle<T>::gather(const Dense<T>& p, const std::vector<int>& set, Buffer<U>& K, Pool& pool) {
  const int64_t m = (int64_t)set.size(), q = round_up(m, 16), old = (int64_t)held_.size();
  // the selector puts the last half of the old set first
  const bool same_shape = held_bytes_ == (int64_t)sizeof(U) && q == round_up(old, 16) && old / 2 <= m;
  const bool carried = same_shape && std::equal(held_.end() - old / 2, held_.end(), set.begin());
  const int64_t kept = carried ? old / 2 : 0;
  U* k = K.data();
  for (int64_t a = 0; a < kept; ++a) std::memmove(k + a * q, k + (old - kept + a) * q + (old - kept), sizeof(U) * kept);
  pool.run((m - kept + 31) / 32, [&](int64_t t, int) {
    const int64_t a0 = kept + t * 32, a1 = std::min(m, a0 + 32);
    for (int64_t a = a0; a < a1; ++a) {
      const T* in = p.values() + (int64_t)set[a] * p.ld;
      U* out = k + a * q;
      for (int64_t b = 0; b < m; ++b) out[b] = (U)in[set[b]];
      std::fill(out + m, out + q, U(0));
    }
    for (int64_t c = 0; c < kept; ++c)
      for (int64_t a = a0; a < a1; ++a) k[c * q + a] = k[a * q + c];
  });
  for (int64_t a = 0; a < kept; ++a) std::fill(k + a * q + m, k + (a + 1) * q, U(0));
  for (int64_t a = m; a < q; ++a) std::fill(k + a * q, k + (a + 1) * q, U(0));
  held_ = set;
  held_bytes_ = sizeof(U);
}

// One block, pair by pair, in precision U.
template <class T>
template <class U>
int64_t Middle<T>::inner_solve(Dense<T>& p, const std::vector<int>& set, bool whole, Buffer<U>& holder, double tol,
                            double fraction, int64_t max_iter, Pool& pool) {
  if constexpr (sizeof(T) == sizeof(U))
    if (whole && p.padded) return pairs<U>(p, set, p.values(), p.ld, tol, fraction, max_iter);
  const int64_t q = round_up((int64_t)set.size(), 16);
  if (holder.size() < (size_t)(q * q)) {
    holder.reset(q * q);
    held_.clear();
  }
  gather<U>(p, set, holder, pool);
  return pairs<U>(p, set, holder.data(), q, tol, fraction, max_iter);
}

template <class T>
template <class U>
int64_t Middle<T>::pairs(Dense<T>& p, const std::vector<int>& set, const U* K, int64_t ld, double tol, double fraction,
                      int64_t max_iter) {
  const Hot<U>& loops = pick<U>(hot());
  const int64_t m = (int64_t)set.size(), q = round_up(m, 16);
  Buffer<U> rooms(6 * q);
  U *diag = rooms.data(), *h = diag + q;
  U *up[2] = {h + q, h + 3 * q}, *low[2] = {h + 2 * q, h + 4 * q};
  box_.assign(3 * q, 0.0);
  double *lo = box_.data(), *hi = lo + q, *g = hi + q;
  const U inf = std::numeric_limits<U>::infinity();
  for (int64_t a = 0; a < q; ++a) {
    const bool real = a < m;
    const int64_t i = real ? set[a] : 0;
    diag[a] = real ? (U)p.diag[i] : U(1);
    h[a] = real ? (U)p.h[i] : U(0);
    if (real) { lo[a] = p.lo[i]; hi[a] = p.hi[i]; g[a] = p.g[i]; }
    const bool second = real && p.groups == 2 && p.group[i] == 1;
    const U u = real && g[a] < hi[a] ? U(0) : inf, l = real && g[a] > lo[a] ? U(0) : inf;
    up[0][a] = second ? inf : u;
    low[0][a] = second ? inf : l;
    up[1][a] = second ? u : inf;
    low[1][a] = second ? l : inf;
  }
  const int64_t it =
      p.groups == 0 ? loops.single_smo(q, K, ld, diag, h, lo, hi, g, up[0], low[0], tol, fraction, max_iter)
                    : loops.pair_smo(q, K, ld, diag, h, lo, hi, g, up, low, p.groups, tol, fraction, max_iter);
  for (int64_t a = 0; a < m; ++a) p.g[set[a]] = g[a];
  return it;
}

template <class T>
int64_t Middle<T>::solve(Dense<T>& p, int64_t inner, double tol, double fraction, int64_t max_iter, Pool& pool,
                      const std::function<bool(double, int64_t)>& stop_now) {
  const Hot<T>& loops = pick<T>(hot());
  int64_t taken = 0;
  double stop = tol, last_gap = INF;
  bool precise = sizeof(T) == 8;
  std::vector<int> set;
  Stall stall;
  double descent = 0;
  held_.clear();
  stalled = false;
  for (int64_t step = 0;; ++step) {
    const Extremes e = extremes(p.view());
    const double gap = e.gap(p.groups);
    if (step == 0) stop = std::max(tol, fraction * gap);
    if (!(gap > stop) || taken >= max_iter || stop_now(gap, taken)) break;
    // at least the most violating pair must find a place, or a small block would not move at all
    const int64_t keep = step == 0 ? 0 : std::min(inner / 2, inner - 2);
    if (p.n > inner || !p.padded) {
      selector_.look(p.view(), e, 0.0, pool);
      selector_.choose(p.view(), e, std::min(inner, p.n), keep, set, pool);
    }
    else if (set.empty())
      for (int64_t i = 0; i < p.n; ++i) set.push_back((int)i);
    before_.assign(set.size(), 0.0);
    for (size_t a = 0; a < set.size(); ++a) before_[a] = p.g[set[a]];
    // single precision cannot resolve a gap below its rounding of the gradient
    double largest = 0;
    for (int i : set) largest = std::max(largest, std::fabs(p.h[i]));
    const bool fine = precise || largest * 1e-6 > stop || !(gap < last_gap * 4);
    last_gap = std::min(last_gap, gap);
    const bool whole = (int64_t)set.size() == p.n;
    // a block that is all there is ends where it was asked to; smaller ones need not wait for each other
    const double part = whole ? 0.0 : 0.03, within = whole ? 0.9 * stop : 0.5 * stop;
    const int64_t budget = std::min(max_iter - taken, int64_t(200) * (int64_t)set.size() + 1000);
    const int64_t it = fine ? inner_solve<double>(p, set, whole, k64_, within, part, budget, pool)
                         : inner_solve<float>(p, set, whole, k32_, within, part, budget, pool);
    taken += it;
    rows_.clear();
    weight_.clear();
    for (size_t a = 0; a < set.size(); ++a) {
      const double w = p.g[set[a]] - before_[a];
      if (w != 0) {
        rows_.push_back(p.values() + (int64_t)set[a] * p.ld);
        weight_.push_back(w);
      }
    }
    if (rows_.empty()) {
      stalled = fine;
      if (fine) break;  // nothing moves even in double precision
      precise = true;
      continue;
    }
    double slope = 0;  // w'(h before + h after)/2 is the exact change of the objective
    for (size_t a = 0; a < set.size(); ++a) slope += (p.g[set[a]] - before_[a]) * p.h[set[a]];
    const int64_t chunks = (p.n + CHUNK - 1) / CHUNK;
    pool.run(chunks, [&](int64_t c, int) {
      const int64_t c0 = c * CHUNK, len = std::min(CHUNK, p.n - c0);
      std::vector<const T*> at(rows_.size());
      for (size_t r = 0; r < rows_.size(); ++r) at[r] = rows_[r] + c0;
      loops.accumulate(at.data(), weight_.data(), (int64_t)at.size(), len, p.h.data() + c0);
    });
    for (size_t a = 0; a < set.size(); ++a) slope += (p.g[set[a]] - before_[a]) * p.h[set[a]];
    descent += 0.5 * slope;
    if ((stalled = stall.hopeless(descent, gap))) break;
  }
  return taken;
}

template class Middle<float>;
template class Middle<double>;

}  // namespace mercer
