// Kernel tiles and sums of rows, written with GCC/Clang vector types so that one text serves every
// instruction set; the inner optimiser is in smo.h. No STL here: see hot.h.
#include "hot.h"

#include <cmath>

#include "scan.h"
#include "smo.h"
#include "transpose.h"
#include "vectors.h"

#define LEVEL_STRING2(x) #x
#define LEVEL_STRING1(x) LEVEL_STRING2(x)

namespace mercer {
namespace LEVEL_NAMESPACE1(MERCER_LEVEL) {

// exp(x) for x <= 0 (and moderately positive x): x = n ln2 + r, polynomial in r, exponent from n.
inline vfloat vexp(vfloat x) {
  const vfloat magic = vfloat{} + 12582912.0f;  // adding it rounds to an integer held in the low bits
  x = vmax(x, vfloat{} - 87.0f);
  vfloat t = x * 1.44269504088896341f + magic;
  vfloat n = t - magic;
  vfloat r = x - n * 0.693359375f;
  r = r + n * 2.12194440e-4f;
  vfloat p = r * 1.9875691500e-4f + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * (r * r) + (r + 1.0f);
  vint32 e = ((vint32)t + 127) << 23;
  return p * (vfloat)e;
}
inline vdouble vexp(vdouble x) {
  const vdouble magic = vdouble{} + 6755399441055744.0;
  x = vmax(x, vdouble{} - 708.0);
  vdouble t = x * 1.4426950408889634074 + magic;
  vdouble n = t - magic;
  vdouble r = x - n * 6.93147180369123816490e-1;
  r = r - n * 1.90821492927058770002e-10;
  vdouble p = vdouble{} + 1.0 / 6227020800.0;
  p = p * r + 1.0 / 479001600.0;
  p = p * r + 1.0 / 39916800.0;
  p = p * r + 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  p = p * r + 0.5;
  p = p * (r * r) + (r + 1.0);
  vint64 e = ((vint64)t + 1023) << 52;
  return p * (vdouble)e;
}
// 2^x for x <= 0: no constant of its own to split off, and the exponent is added to the bits. Relative
// error below 8e-8.
inline vfloat vexp2(vfloat x) {
  const vfloat magic = vfloat{} + 12582912.0f;
  x = vmax(x, vfloat{} - 125.0f);
  vfloat t = x + magic;
  vfloat r = x - (t - magic);
  vfloat p = r * 1.47697297e-4f + 1.33675605e-3f;
  p = p * r + 9.61964298e-3f;
  p = p * r + 5.55041321e-2f;
  p = p * r + 2.40226507e-1f;
  p = p * r + 6.93147182e-1f;
  p = p * r + 1.0f;
  return (vfloat)((vint32)p + ((vint32)t << 23));
}
inline vfloat vsqrt(vfloat x) { for (int k = 0; k < Vec<float>::N; ++k) x[k] = __builtin_sqrtf(x[k]); return x; }
inline vdouble vsqrt(vdouble x) { for (int k = 0; k < Vec<double>::N; ++k) x[k] = __builtin_sqrt(x[k]); return x; }

constexpr bool inner_product(int family) { return family <= MATERN52; }
constexpr bool distance_family(int family) { return family >= GAUSSIAN && family <= MATERN52; }

template <int F, class V, class T> inline V combine(V acc, V b, T a) {
  if constexpr (inner_product(F)) return acc + a * b;
  else if constexpr (F == CHI2) {
    V s = a + b, z = V{};
    V d = a - b;
    return acc + (s > z ? d * d / s : z);
  } else return acc + vabs(a - b);
}

template <int F, class V, class T> inline V finish(V acc, V nb, T na, const T* p) {
  const V zero = V{};
  if constexpr (F == LINEAR) return acc;
  if constexpr (F == POLYNOMIAL) {
    V base = p[0] * acc + p[1], out = zero + T(1);
    for (int64_t e = (int64_t)p[2]; e > 0; e >>= 1, base = base * base) if (e & 1) out = out * base;
    return out;
  }
  if constexpr (F == SIGMOID) {
    V x = p[0] * acc + p[1];
    V t = vexp(T(-2) * vabs(x));
    V m = (T(1) - t) / (T(1) + t);
    return x < zero ? zero - m : m;
  }
  if constexpr (F == GAUSSIAN && sizeof(T) == 4) {
    // the norms as a sum: the same bits for k(x, y) and k(y, x), so it never matters which was computed
    return vexp2(vmin(zero, (p[0] * T(1.44269504088896341)) * (T(2) * acc - (nb + na))));
  }
  if constexpr (F == GAUSSIAN) return vexp(vmin(zero, p[0] * (T(2) * acc - (nb + na))));
  if constexpr (F == MATERN12 || F == MATERN32 || F == MATERN52) {
    V r = p[0] * vsqrt(vmax(zero, (nb + na) - T(2) * acc));
    V e = vexp(zero - r);
    if constexpr (F == MATERN32) return (r + T(1)) * e;
    if constexpr (F == MATERN52) return (r + T(1) + r * r * T(1.0 / 3.0)) * e;
    return e;
  }
  if constexpr (F == LAPLACIAN || F == CHI2) return vexp(zero - p[0] * acc);
  if constexpr (F == INTERSECTION) return T(0.5) * (nb + na - acc);
  if constexpr (F == JACCARD) {
    V big = nb + na + acc;
    return big > zero ? (nb + na - acc) / big : zero + T(1);
  }
  return acc;
}

// GROUP rows against one panel, in registers. Every index into c is a constant, or it would live in memory.
template <class T, int F>
inline void tile_one(const T* A, const T* na, int rows, const T* B, const T* nb, int64_t d, const T* p, T* const* dst,
                     int64_t column) {
  typedef typename Vec<T>::V V;
  constexpr int N = Vec<T>::N, PANEL = 2 * N;
  V c[GROUP][2];
#pragma GCC unroll 16
  for (int r = 0; r < GROUP; ++r) { c[r][0] = V{}; c[r][1] = V{}; }
  for (int64_t k = 0; k < d; ++k) {
    V b0 = load<V>(B + k * PANEL), b1 = load<V>(B + k * PANEL + N);
#pragma GCC unroll 16
    for (int r = 0; r < GROUP; ++r) {
      T a = A[k * GROUP + r];
      c[r][0] = combine<F>(c[r][0], b0, a);
      c[r][1] = combine<F>(c[r][1], b1, a);
    }
  }
  V n0 = load<V>(nb), n1 = load<V>(nb + N);
#pragma GCC unroll 16
  for (int r = 0; r < GROUP; ++r) {
    c[r][0] = finish<F>(c[r][0], n0, na[r], p);
    c[r][1] = finish<F>(c[r][1], n1, na[r], p);
  }
#pragma GCC unroll 16
  for (int r = 0; r < GROUP; ++r)
    if (r < rows) { store(dst[r] + column, c[r][0]); store(dst[r] + column + N, c[r][1]); }
}

// Some groups at a time meet a panel while it is near, and they and their results stay near, too.
template <class T, int F>
void tile_of(const T* A, const T* na, int rows, const T* B, const T* nb, int64_t panels, int64_t d, const T* p,
             T* const* dst) {
  constexpr int PANEL = 2 * Vec<T>::N, BAND = 72 / GROUP * GROUP;
  for (int r0 = 0; r0 < rows; r0 += BAND) {
    const int r1 = r0 + BAND < rows ? r0 + BAND : rows;
    for (int64_t q = 0; q < panels; ++q)
      for (int r = r0; r < r1; r += GROUP)
        tile_one<T, F>(A + r * d, na + r, r1 - r, B + q * d * PANEL, nb + q * PANEL, d, p, dst + r, q * PANEL);
  }
}

template <class T>
void tile(const T* A, const T* na, int rows, const T* B, const T* nb, int64_t panels, int64_t d, const KernelSpec& s,
          T* const* dst) {
  const T p[3] = {T(s.p[0]), T(s.p[1]), T(s.p[2])};
#define CASE(F) case F: return tile_of<T, F>(A, na, rows, B, nb, panels, d, p, dst);
  switch (s.family) {
    CASE(LINEAR) CASE(POLYNOMIAL) CASE(SIGMOID) CASE(GAUSSIAN) CASE(MATERN12) CASE(MATERN32) CASE(MATERN52)
    CASE(LAPLACIAN) CASE(INTERSECTION) CASE(JACCARD) CASE(CHI2) CASE(MANHATTAN)
  }
#undef CASE
}

template <class T, int F>
void finish_row_of(const T* pairs, T na, const T* nb, int64_t len, const T* p, T* dst) {
  typedef typename Vec<T>::V V;
  constexpr int N = Vec<T>::N;
  int64_t c = 0;
  for (; c + N <= len; c += N) store(dst + c, finish<F>(load<V>(pairs + c), load<V>(nb + c), na, p));
  if (c == len) return;
  T a[N] = {}, b[N] = {};
  for (int64_t k = c; k < len; ++k) { a[k - c] = pairs[k]; b[k - c] = nb[k]; }
  store(a, finish<F>(load<V>(a), load<V>(b), na, p));
  for (int64_t k = c; k < len; ++k) dst[k] = a[k - c];
}

template <class T>
void finish_row(const T* pairs, T na, const T* nb, int64_t len, const KernelSpec& s, T* dst) {
  const T p[3] = {T(s.p[0]), T(s.p[1]), T(s.p[2])};
#define CASE(F) case F: return finish_row_of<T, F>(pairs, na, nb, len, p, dst);
  switch (s.family) {
    CASE(LINEAR) CASE(POLYNOMIAL) CASE(SIGMOID) CASE(GAUSSIAN) CASE(MATERN12) CASE(MATERN32) CASE(MATERN52)
    CASE(LAPLACIAN) CASE(INTERSECTION) CASE(JACCARD) CASE(MANHATTAN)
  }
#undef CASE
}

// Sparse columns: the rows of A lie side by side, so each stored entry is one short vector operation.
template <class T, int F>
void csr_tile_of(const T* A, const T* na, int rows, const int64_t* indptr, const int32_t* indices, const T* data,
                 const T* nb, int64_t j0, int64_t j1, const T* p, T* const* dst) {
  constexpr int G = CSR_GROUP;
  typedef typename Vec<T>::V V;
  constexpr int N = Vec<T>::N, L = G / N > 0 ? G / N : 1;
  V nav[L];
  for (int v = 0; v < L; ++v) nav[v] = load<V>(na + v * N);
  for (int64_t j = j0; j < j1; ++j) {
    V acc[L];
    for (int v = 0; v < L; ++v) acc[v] = V{};
    for (int64_t e = indptr[j]; e < indptr[j + 1]; ++e) {
      const T* a = A + (int64_t)indices[e] * G;
      const T x = data[e];
#pragma GCC unroll 8
      for (int v = 0; v < L; ++v) acc[v] = acc[v] + x * load<V>(a + v * N);
    }
    T out[G];
    for (int v = 0; v < L; ++v) store(out + v * N, finish<F>(acc[v], nav[v], nb[j], p));
    for (int r = 0; r < rows; ++r) dst[r][j - j0] = out[r];
  }
}

template <class T>
void csr_tile(const T* A, const T* na, int rows, const int64_t* indptr, const int32_t* indices, const T* data,
              const T* nb, int64_t j0, int64_t j1, const KernelSpec& s, T* const* dst) {
  const T p[3] = {T(s.p[0]), T(s.p[1]), T(s.p[2])};
#define CASE(F) case F: return csr_tile_of<T, F>(A, na, rows, indptr, indices, data, nb, j0, j1, p, dst);
  switch (s.family) {
    CASE(LINEAR) CASE(POLYNOMIAL) CASE(SIGMOID) CASE(GAUSSIAN) CASE(MATERN12) CASE(MATERN32) CASE(MATERN52)
  }
#undef CASE
}

template <class T>
void merge(T* __restrict into, const T* __restrict from, int64_t len, bool product) {
  if (product) for (int64_t c = 0; c < len; ++c) into[c] *= from[c];
  else for (int64_t c = 0; c < len; ++c) into[c] += from[c];
}

template <class T>
void affine(T* v, int64_t len, T factor, T constant, int64_t degree) {
  for (int64_t c = 0; c < len; ++c) v[c] = factor * v[c] + constant;
  if (degree == 1) return;
  for (int64_t c = 0; c < len; ++c) {
    T base = v[c], out = T(1);
    for (int64_t e = degree; e > 0; e >>= 1, base = base * base) if (e & 1) out = out * base;
    v[c] = out;
  }
}

inline vdouble widen(const float* p) { return __builtin_convertvector(load<vhalf>(p), vdouble); }
inline vdouble widen(const double* p) { return load<vdouble>(p); }

// R rows at a time, so that each row is read in one sweep; the next R rows are fetched meanwhile,
// because segments this short give the processor's own prefetcher no time to notice them
template <class T, int R>
void accumulate_rows(const T* const* rows, const double* weight, int64_t len, double* out, bool more) {
  constexpr int N = Vec<double>::N, LINE = 64 / sizeof(T);
  constexpr int U = LINE / N > 0 ? LINE / N : 1;
  int64_t c = 0;
  for (; c + N * U <= len; c += N * U) {
    if (more)
#pragma GCC unroll 8
      for (int r = 0; r < R; ++r) __builtin_prefetch(rows[R + r] + c);
#pragma GCC unroll 4
    for (int u = 0; u < U; ++u) {
      vdouble s = load<vdouble>(out + c + u * N);
#pragma GCC unroll 8
      for (int r = 0; r < R; ++r) s = s + weight[r] * widen(rows[r] + c + u * N);
      store(out + c + u * N, s);
    }
  }
  for (; c < len; ++c)
    for (int r = 0; r < R; ++r) out[c] += weight[r] * rows[r][c];
}

template <class T>
void accumulate(const T* const* rows, const double* weight, int64_t m, int64_t len, double* out) {
  int64_t r = 0;
  for (; r + 8 <= m; r += 8) accumulate_rows<T, 8>(rows + r, weight + r, len, out, r + 16 <= m);
  for (; r < m; ++r) accumulate_rows<T, 1>(rows + r, weight + r, len, out, false);
}

inline double sum(vdouble v) { double s = 0; for (int k = 0; k < Vec<double>::N; ++k) s += v[k]; return s; }

template <class T>
void project(const T* const* rows, int m, int64_t len, const double* V, int64_t stride, int64_t k, double* out) {
  constexpr int N = Vec<double>::N;
  for (int r = 0; r < m; ++r) {
    const T* row = rows[r];
    for (int64_t c = 0; c < k; ++c) {
      const double* v = V + c * stride;
      vdouble s0 = vdouble{}, s1 = vdouble{};
      int64_t j = 0;
      for (; j + 2 * N <= len; j += 2 * N) {
        s0 = s0 + widen(row + j) * load<vdouble>(v + j);
        s1 = s1 + widen(row + j + N) * load<vdouble>(v + j + N);
      }
      double s = sum(s0 + s1);
      for (; j < len; ++j) s += row[j] * v[j];
      out[r * k + c] += s;
    }
  }
}

// The same with V and the sums in T, R rows at a time: for values whose own rounding is no smaller.
template <class T, int R>
void project_rows(const T* const* rows, int64_t len, const T* v, int64_t k, double* out) {
  typedef typename Vec<T>::V V;
  constexpr int N = Vec<T>::N;
  V s[R][2];
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) s[r][0] = s[r][1] = V{};
  int64_t j = 0;
  for (; j + 2 * N <= len; j += 2 * N) {
    const V v0 = load<V>(v + j), v1 = load<V>(v + j + N);
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
      s[r][0] = s[r][0] + load<V>(rows[r] + j) * v0;
      s[r][1] = s[r][1] + load<V>(rows[r] + j + N) * v1;
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) {
    const V both = s[r][0] + s[r][1];
    double sum = 0;
    for (int l = 0; l < N; ++l) sum += both[l];
    for (int64_t e = j; e < len; ++e) sum += rows[r][e] * v[e];
    out[r * k] += sum;
  }
}

template <class T>
void project_single(const T* const* rows, int m, int64_t len, const T* V, int64_t stride, int64_t k, double* out) {
  for (int64_t c = 0; c < k; ++c) {
    int r = 0;
    for (; r + 6 <= m; r += 6) project_rows<T, 6>(rows + r, len, V + c * stride, k, out + r * k + c);
    for (; r < m; ++r) project_rows<T, 1>(rows + r, len, V + c * stride, k, out + r * k + c);
  }
}

template <class T>
void block_product(const T* A, int64_t along, int64_t across, int64_t m, int64_t len, const T* B, int64_t width, double* out);

template <class T> Hot<T> loops() {
  return {2 * Vec<T>::N, GROUP, Vec<T>::N, tile<T>, csr_tile<T>, finish_row<T>, merge<T>, transpose<T>, affine<T>, accumulate<T>,
          project<T>, project_single<T>, block_product<T>, pair_smo<T>, single_smo<T>};
}

}  // namespace

#define TABLE2(x) table_##x
#define TABLE1(x) TABLE2(x)
const HotTable& TABLE1(MERCER_LEVEL)() {
  using namespace LEVEL_NAMESPACE1(MERCER_LEVEL);
  static const HotTable t = {LEVEL_STRING1(MERCER_LEVEL), loops<float>(), loops<double>(), gradients, extremes, into_bins, in_bins};
  return t;
}

}  // namespace mercer
