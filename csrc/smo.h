// The inner optimiser on one block of variables whose kernel values are at hand; part of hot.cpp,
// and like it compiled once per instruction set.
#pragma once
#include <cstdint>
#include "vectors.h"

namespace mercer {
namespace LEVEL_NAMESPACE1(MERCER_LEVEL) {

template <class T> constexpr T infinity() { return T(__builtin_inf()); }

// Over the lanes, in halves. The lowest index wins a tie, so the choice is the same at every level.
template <class I, int N> inline I partners(int apart) {
  I at;
#pragma GCC unroll 16
  for (int k = 0; k < N; ++k) at[k] = k ^ apart;
  return at;
}
template <class T> struct Best { T value; int64_t index; };
template <class T>
inline Best<T> smallest(typename Vec<T>::V v, typename Vec<T>::I ix) {
  typedef typename Vec<T>::I I;
  constexpr int N = Vec<T>::N;
  typename Vec<T>::V least = v;
#pragma GCC unroll 4
  for (int s = N / 2; s > 0; s /= 2) least = vmin(least, shuffle(least, least, partners<I, N>(s)));
  const I none = I{} + (typename Vec<T>::int_t)0x7fffffff;
  I at = v == least ? ix : none;
#pragma GCC unroll 4
  for (int s = N / 2; s > 0; s /= 2) {
    const I other = shuffle(at, at, partners<I, N>(s));
    at = other < at ? other : at;
  }
  return {least[0], at[0] == none[0] ? 0 : (int64_t)at[0]};  // nothing equals what is no number
}
template <class T> inline T largest(typename Vec<T>::V v) {
  typedef typename Vec<T>::I I;
  constexpr int N = Vec<T>::N;
#pragma GCC unroll 4
  for (int s = N / 2; s > 0; s /= 2) v = vmax(v, shuffle(v, v, partners<I, N>(s)));
  return v[0];
}
template <class T> inline typename Vec<T>::I iota() {
  typename Vec<T>::I v;
  for (int k = 0; k < Vec<T>::N; ++k) v[k] = k;
  return v;
}

template <class T, int GROUPS>
int64_t pair_smo_of(int64_t q, const T* K, int64_t ld, const T* diag, T* h, const double* lo, const double* hi, double* g,
                 T* const* room_up, T* const* room_low, double tol, double fraction, int64_t max_iter) {
  typedef typename Vec<T>::V V;
  typedef typename Vec<T>::I I;
  constexpr int N = Vec<T>::N;
  const I step = I{} + (typename Vec<T>::int_t)N, first = iota<T>();
  const V inf = V{} + infinity<T>(), tiny = V{} + T(1e-12), zero = V{};
  const T *ups[GROUPS], *lows[GROUPS];
  for (int c = 0; c < GROUPS; ++c) { ups[c] = room_up[c]; lows[c] = room_low[c]; }
  T moved = 0;
  int64_t pi = 0, pj = 0, it = 0;
  T stop = T(tol);
  for (;; ++it) {
    const T *Ki = K + pi * ld, *Kj = K + pj * ld;
    // two chains: each waits for its own last comparison only
    V mn[GROUPS][2], mx[GROUPS][2];
    I bi[GROUPS][2], ix = first;
    for (int c = 0; c < GROUPS; ++c)
      for (int w = 0; w < 2; ++w) { mn[c][w] = inf; mx[c][w] = zero - inf; bi[c][w] = first; }
    const auto look = [&](int64_t k, I at, int w) __attribute__((always_inline)) {
      V hk = load<V>(h + k) + moved * (load<V>(Ki + k) - load<V>(Kj + k));
      store(h + k, hk);
#pragma GCC unroll 2
      for (int c = 0; c < GROUPS; ++c) {
        V u = hk + load<V>(ups[c] + k);
        I less = u < mn[c][w];
        mn[c][w] = less ? u : mn[c][w];
        bi[c][w] = less ? at : bi[c][w];
        mx[c][w] = vmax(mx[c][w], hk - load<V>(lows[c] + k));
      }
    };
    int64_t k = 0;
    for (; k + 2 * N <= q; k += 2 * N) {
      look(k, ix, 0);
      look(k + N, ix + step, 1);
      ix = ix + step + step;
    }
    if (k < q) look(k, ix, 0);
    for (int c = 0; c < GROUPS; ++c) {
      I less = (mn[c][1] < mn[c][0]) | ((mn[c][1] == mn[c][0]) & (bi[c][1] < bi[c][0]));
      mn[c][0] = less ? mn[c][1] : mn[c][0];
      bi[c][0] = less ? bi[c][1] : bi[c][0];
      mx[c][0] = vmax(mx[c][1], mx[c][0]);
    }
    Best<T> up = smallest<T>(mn[0][0], bi[0][0]);
    T gap = largest<T>(mx[0][0]) - up.value;
    int chosen = 0;
    if (GROUPS == 2) {
      Best<T> other = smallest<T>(mn[GROUPS - 1][0], bi[GROUPS - 1][0]);
      T gap2 = largest<T>(mx[GROUPS - 1][0]) - other.value;
      if (!(gap2 <= gap)) { gap = gap2; up = other; chosen = 1; }
    }
    if (it == 0 && T(fraction) * gap > stop) stop = T(fraction) * gap;
    if (!(gap > stop) || it >= max_iter) break;
    const int64_t i = up.index;
    const T* Kr = K + i * ld;
    const T* low = room_low[chosen];
    // second-order choice of the partner: largest df^2 / eta, compared by cross-multiplication
    V bn[2] = {zero, zero}, bd[2] = {zero + T(1), zero + T(1)};
    I bj[2] = {first, first};
    ix = first;
    const V hi_ = zero + up.value, kii = zero + diag[i];
    const auto weigh = [&](int64_t k, I at, int w) __attribute__((always_inline)) {
      V df = vmax(zero, load<V>(h + k) - load<V>(low + k) - hi_);
      V eta = vmax(tiny, kii + load<V>(diag + k) - T(2) * load<V>(Kr + k));
      V num = df * df;
      I more = num * bd[w] > bn[w] * eta;
      bn[w] = more ? num : bn[w];
      bd[w] = more ? eta : bd[w];
      bj[w] = more ? at : bj[w];
    };
    for (k = 0; k + 2 * N <= q; k += 2 * N) {
      weigh(k, ix, 0);
      weigh(k + N, ix + step, 1);
      ix = ix + step + step;
    }
    if (k < q) weigh(k, ix, 0);
    const V one = bn[1] / bd[1], other = bn[0] / bd[0];
    const I more = (one > other) | ((one == other) & (bj[1] < bj[0]));
    Best<T> partner = smallest<T>(zero - (more ? one : other), more ? bj[1] : bj[0]);
    const int64_t j = partner.index;
    double eta = (double)diag[i] + diag[j] - 2.0 * Kr[j];
    if (!(eta > 1e-12)) eta = 1e-12;
    double t = ((double)h[j] - h[i]) / eta;
    const double ri = hi[i] - g[i], rj = g[j] - lo[j];
    const double room = ri < rj ? ri : rj;
    if (t > room) t = room;
    g[i] = t == ri ? hi[i] : g[i] + t;
    g[j] = t == rj ? lo[j] : g[j] - t;
    room_up[chosen][i] = g[i] < hi[i] ? T(0) : infinity<T>();
    room_low[chosen][i] = T(0);
    room_low[chosen][j] = g[j] > lo[j] ? T(0) : infinity<T>();
    room_up[chosen][j] = T(0);
    moved = T(t);
    pi = i;
    pj = j;
  }
  return it;
}

template <class T>
int64_t pair_smo(int64_t q, const T* K, int64_t ld, const T* diag, T* h, const double* lo, const double* hi, double* g,
              T* const* room_up, T* const* room_low, int groups, double tol, double fraction, int64_t max_iter) {
  const auto solve = groups == 2 ? pair_smo_of<T, 2> : pair_smo_of<T, 1>;
  return solve(q, K, ld, diag, h, lo, hi, g, room_up, room_low, tol, fraction, max_iter);
}

template <class T>
int64_t single_smo(int64_t q, const T* K, int64_t ld, const T* diag, T* h, const double* lo, const double* hi, double* g,
                T* room_up, T* room_low, double tol, double fraction, int64_t max_iter) {
  typedef typename Vec<T>::V V;
  typedef typename Vec<T>::I I;
  constexpr int N = Vec<T>::N;
  const I step = I{} + (typename Vec<T>::int_t)N, first = iota<T>();
  const V zero = V{}, tiny = zero + T(1e-12);
  T moved = 0, stop = T(tol);
  int64_t pi = 0, it = 0;
  for (;; ++it) {
    const T* Ki = K + pi * ld;
    V worst = zero, bn = zero, bd = zero + T(1);
    I bi = first, ix = first;
    for (int64_t k = 0; k < q; k += N) {
      V hk = load<V>(h + k) + moved * load<V>(Ki + k);
      store(h + k, hk);
      V viol = vmax(zero, vmax(zero - hk - load<V>(room_up + k), hk - load<V>(room_low + k)));
      worst = vmax(worst, viol);
      V num = viol * viol, eta = vmax(tiny, load<V>(diag + k));
      I more = num * bd > bn * eta;
      bn = more ? num : bn;
      bd = more ? eta : bd;
      bi = more ? ix : bi;
      ix = ix + step;
    }
    const T gap = largest<T>(worst);
    if (it == 0 && T(fraction) * gap > stop) stop = T(fraction) * gap;
    if (!(gap > stop) || it >= max_iter) break;
    const int64_t i = smallest<T>(zero - bn / bd, bi).index;
    const double eta = diag[i] > T(1e-12) ? (double)diag[i] : 1e-12;
    double next = g[i] - h[i] / eta;
    if (next > hi[i]) next = hi[i];
    if (next < lo[i]) next = lo[i];
    moved = T(next - g[i]);
    g[i] = next;
    room_up[i] = next < hi[i] ? T(0) : infinity<T>();
    room_low[i] = next > lo[i] ? T(0) : infinity<T>();
    pi = i;
  }
  return it;
}

}  // namespace
}  // namespace mercer
