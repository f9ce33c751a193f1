// Kernel values of whole samples: as a matrix, or multiplied by columns as they are computed.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "source.h"

namespace mercer {

// What one thread reuses from band to band.
template <class T>
struct Band {
  Scratch<T> scratch;
  Rows<T> rows;
};

// Rows r0..r0+m of X against packed Y from column `first` on: use(chunk start, length, tile), where the
// first chunk may begin a little before `first`.
template <class T, class Use>
void sweep_band(const T* X, int64_t r0, int64_t m, const ArraySource<T>& Y, int64_t first, Band<T>& band, Pool& alone,
                const Use& use) {
  Scratch<T>& s = band.scratch;
  s.rows.grow(m * CHUNK);
  s.dst.resize(m);
  for (int64_t r = 0; r < m; ++r) s.dst[r] = s.rows.data() + r * CHUNK;
  Y.prepare_other(X + r0 * Y.width, m, band.rows, alone);
  for (int64_t c0 = first / CHUNK * CHUNK; c0 < Y.n; c0 += CHUNK) {
    const int64_t len = std::min(CHUNK, Y.n - c0);
    Y.compute(band.rows, 0, m, c0, c0 + len, s.dst.data(), s);
    use(c0, len, s.dst.data());
  }
}

template <class T>
void fill_matrix(const T* X, int64_t n, const ArraySource<T>& Y, Pool& pool, T* out) {
  const int64_t band = 8 * Y.group;
  std::vector<Band<T>> own(pool.threads());
  Pool alone(1);
  pool.run((n + band - 1) / band, [&](int64_t b, int thread) {
    const int64_t r0 = b * band, m = std::min(band, n - r0);
    sweep_band<T>(X, r0, m, Y, 0, own[thread], alone, [&](int64_t c0, int64_t len, T* const* tile) {
      for (int64_t r = 0; r < m; ++r) std::copy(tile[r], tile[r] + len, out + (r0 + r) * Y.n + c0);
    });
  });
}

// out (n x k, zero at first) += K(X, Y) V with V given by columns. V in double: sums in double;
// V in T: sums over a chunk in T, for who only wants to know on which side of zero they are.
template <class T, class U>
void multiply(const T* X, int64_t n, const ArraySource<T>& Y, const U* V, int64_t k, Pool& pool, double* out) {
  const int64_t band = 8 * Y.group;
  const Hot<T>& loops = pick<T>(hot());
  std::vector<Band<T>> own(pool.threads());
  Pool alone(1);
  pool.run((n + band - 1) / band, [&](int64_t b, int thread) {
    const int64_t r0 = b * band, m = std::min(band, n - r0);
    sweep_band<T>(X, r0, m, Y, 0, own[thread], alone, [&](int64_t c0, int64_t len, T* const* tile) {
      if constexpr (sizeof(U) == sizeof(double)) loops.project(tile, (int)m, len, V + c0, Y.n, k, out + r0 * k);
      else loops.project_single(tile, (int)m, len, V + c0, Y.n, k, out + r0 * k);
    });
  });
}

// The same with Y = X: every value is computed once and used for its row and its column. Sums over
// columns are kept in stripes, whose number does not depend on the threads: neither does the result.
constexpr int64_t STRIPES = 32;

// With many columns the sums cost more than the values, and stripes take memory (symmetric.cpp is for those).
inline bool worth_mirroring(int64_t n, int64_t k) { return k <= 8 && 8 * STRIPES * n * k <= int64_t(128) << 20; }

template <class T>
void multiply_symmetric(const T* X, const ArraySource<T>& Y, const double* V, int64_t k, Pool& pool, double* out) {
  const int64_t n = Y.n, band = 8 * Y.group, bands = (n + band - 1) / band, S = std::min(bands, STRIPES);
  const Hot<T>& loops = pick<T>(hot());
  std::vector<Band<T>> own(pool.threads());
  std::vector<std::vector<T*>> ends(pool.threads());
  Buffer<double> sums(S * k * n);
  Pool alone(1);
  pool.run(S, [&](int64_t stripe, int thread) {
    double* below = sums.data() + stripe * k * n;
    std::fill_n(below, k * n, 0.0);
    std::vector<T*>& at = ends[thread];
    for (int64_t b = stripe; b < bands; b += S) {  // long and short bands in every stripe
      const int64_t r0 = b * band, m = std::min(band, n - r0);
      at.resize(m);
      sweep_band<T>(X, r0, m, Y, r0, own[thread], alone, [&](int64_t c0, int64_t len, T* const* tile) {
        const int64_t end = c0 + len, first = std::max(c0, r0), mirrored = std::min(end, std::max(c0, r0 + m));
        for (int64_t r = 0; r < m; ++r) at[r] = tile[r] + (first - c0);
        loops.project(at.data(), (int)m, end - first, V + first, n, k, out + r0 * k);
        for (int64_t r = 0; r < m; ++r) at[r] = tile[r] + (mirrored - c0);
        for (int64_t c = 0; c < k; ++c)
          loops.accumulate(at.data(), V + c * n + r0, m, end - mirrored, below + c * n + mirrored);
      });
    }
  });
  pool.run((n + 1023) / 1024, [&](int64_t t, int) {
    for (int64_t stripe = 0; stripe < S; ++stripe)
      for (int64_t c = 0; c < k; ++c)
        for (int64_t i = t * 1024; i < std::min(n, t * 1024 + 1024); ++i)
          out[i * k + c] += sums[(stripe * k + c) * n + i];
  });
}

}  // namespace mercer
