// The inner optimiser on one block of variables whose kernel values are at hand; part of hot.cpp,
// and like it compiled once per instruction set.
#pragma once
#include <cstdint>
#include "vectors.h"

namespace mercer {
namespace LEVEL_NAMESPACE1(MERCER_LEVEL) {

template <class T> constexpr T infinity() { return T(__builtin_inf()); }

// smallest value over the lanes; the lowest index wins a tie, so the choice is the same at every level
template <class T> struct Best { T value; int64_t index; };
template <class T>
inline Best<T> smallest(typename Vec<T>::V v, typename Vec<T>::I ix) {
  Best<T> b{v[0], (int64_t)ix[0]};
  for (int k = 1; k < Vec<T>::N; ++k)
    if (v[k] < b.value || (v[k] == b.value && ix[k] < b.index)) b = {v[k], (int64_t)ix[k]};
  return b;
}
template <class T> inline T largest(typename Vec<T>::V v) {
  T m = v[0];
  for (int k = 1; k < Vec<T>::N; ++k) m = v[k] > m ? v[k] : m;
  return m;
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
  T moved = 0;
  int64_t pi = 0, pj = 0, it = 0;
  T stop = T(tol);
  for (;; ++it) {
    const T *Ki = K + pi * ld, *Kj = K + pj * ld;
    V mn[GROUPS], mx[GROUPS];
    I bi[GROUPS], ix = first;
    for (int c = 0; c < GROUPS; ++c) { mn[c] = inf; mx[c] = zero - inf; bi[c] = first; }
    for (int64_t k = 0; k < q; k += N) {
      V hk = load<V>(h + k) + moved * (load<V>(Ki + k) - load<V>(Kj + k));
      store(h + k, hk);
#pragma GCC unroll 2
      for (int c = 0; c < GROUPS; ++c) {
        V u = hk + load<V>(room_up[c] + k);
        I less = u < mn[c];
        mn[c] = less ? u : mn[c];
        bi[c] = less ? ix : bi[c];
        mx[c] = vmax(mx[c], hk - load<V>(room_low[c] + k));
      }
      ix = ix + step;
    }
    Best<T> up = smallest<T>(mn[0], bi[0]);
    T gap = largest<T>(mx[0]) - up.value;
    int chosen = 0;
    if (GROUPS == 2) {
      Best<T> other = smallest<T>(mn[GROUPS - 1], bi[GROUPS - 1]);
      T gap2 = largest<T>(mx[GROUPS - 1]) - other.value;
      if (!(gap2 <= gap)) { gap = gap2; up = other; chosen = 1; }
    }
    if (it == 0 && T(fraction) * gap > stop) stop = T(fraction) * gap;
    if (!(gap > stop) || it >= max_iter) break;
    const int64_t i = up.index;
    const T* Kr = K + i * ld;
    const T* low = room_low[chosen];
    // second-order choice of the partner: largest df^2 / eta, compared by cross-multiplication
    V bn = zero, bd = zero + T(1);
    I bj = first;
    ix = first;
    const V hi_ = zero + up.value, kii = zero + diag[i];
    for (int64_t k = 0; k < q; k += N) {
      V df = vmax(zero, load<V>(h + k) - load<V>(low + k) - hi_);
      V eta = vmax(tiny, kii + load<V>(diag + k) - T(2) * load<V>(Kr + k));
      V num = df * df;
      I more = num * bd > bn * eta;
      bn = more ? num : bn;
      bd = more ? eta : bd;
      bj = more ? ix : bj;
      ix = ix + step;
    }
    Best<T> partner = smallest<T>(zero - bn / bd, bj);
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
