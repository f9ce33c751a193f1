// A part of a matrix turned over, in squares that fit into registers. Part of hot.cpp, and like it compiled once per
// instruction set.
#pragma once
#include <cstdint>

#include "vectors.h"

namespace mercer {
namespace LEVEL_NAMESPACE1(MERCER_LEVEL) {

// A square of vectors: halves are exchanged between rows that are N/2 apart, then quarters, and so on.
template <class T>
inline void transpose_square(const T* from, T* to, int64_t ld) {
  typedef typename Vec<T>::V V;
  typedef typename Vec<T>::I I;
  constexpr int N = Vec<T>::N;
  V row[N];
#pragma GCC unroll 16
  for (int r = 0; r < N; ++r) row[r] = load<V>(from + r * ld);
#pragma GCC unroll 4
  for (int s = N / 2; s > 0; s /= 2) {
    I low, high;
#pragma GCC unroll 16
    for (int k = 0; k < N; ++k) {
      low[k] = k & s ? N + k - s : k;
      high[k] = k & s ? N + k : k + s;
    }
#pragma GCC unroll 16
    for (int r = 0; r < N; ++r) {
      if (r & s) continue;
      const V a = row[r], b = row[r + s];
      row[r] = shuffle(a, b, low);
      row[r + s] = shuffle(a, b, high);
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < N; ++r) store(to + r * ld, row[r]);
}

template <class T>
void transpose(const T* from, int64_t rows, int64_t columns, T* to, int64_t ld) {
  constexpr int N = Vec<T>::N;
  int64_t r = 0;
  for (; r + N <= rows; r += N) {
    int64_t c = 0;
    for (; c + N <= columns; c += N) transpose_square(from + r * ld + c, to + c * ld + r, ld);
    for (; c < columns; ++c)
      for (int64_t k = r; k < r + N; ++k) to[c * ld + k] = from[k * ld + c];
  }
  for (; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c) to[c * ld + r] = from[r * ld + c];
}

}  // namespace
}  // namespace mercer
