// Products of kernel tiles with several vectors at once, compiled once per instruction set.
#include "hot.h"
#include "vectors.h"

namespace mercer {
namespace LEVEL_NAMESPACE1(MERCER_LEVEL) {

// R rows and C vectors of columns stay in registers while l runs.
template <class T, int R, int C>
void strip(const T* A, int64_t along, int64_t across, int64_t m, int64_t len, const T* B, int64_t width, double* out) {
  typedef typename Vec<T>::V V;
  constexpr int N = Vec<T>::N;
  for (int64_t r0 = 0; r0 < m; r0 += R) {
    V sum[R][C];
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r)
#pragma GCC unroll 2
      for (int c = 0; c < C; ++c) sum[r][c] = V{};
    const T* a = A + r0 * across;
    for (int64_t l = 0; l < len; ++l) {
      V b[C];
#pragma GCC unroll 2
      for (int c = 0; c < C; ++c) b[c] = load<V>(B + l * width + c * N);
#pragma GCC unroll 16
      for (int r = 0; r < R; ++r) {
        const T x = a[r * across + l * along];
#pragma GCC unroll 2
        for (int c = 0; c < C; ++c) sum[r][c] = sum[r][c] + x * b[c];
      }
    }
    T found[R][C * N];
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r)
#pragma GCC unroll 2
      for (int c = 0; c < C; ++c) store(found[r] + c * N, sum[r][c]);
    for (int r = 0; r < R; ++r)
      for (int c = 0; c < C * N; ++c) out[(r0 + r) * width + c] += found[r][c];
  }
}

template <class T>
void block_product(const T* A, int64_t along, int64_t across, int64_t m, int64_t len, const T* B, int64_t width, double* out) {
  constexpr int N = Vec<T>::N, R = GROUP >= 12 ? 8 : 4;
  static_assert(BLOCK_ROWS % R == 0, "whole strips");
  int64_t c = 0;
  for (; c + 2 * N <= width; c += 2 * N) strip<T, R, 2>(A, along, across, m, len, B + c, width, out + c);
  if (c < width) strip<T, BLOCK_ROWS, 1>(A, along, across, m, len, B + c, width, out + c);
}

template void block_product<float>(const float*, int64_t, int64_t, int64_t, int64_t, const float*, int64_t, double*);
template void block_product<double>(const double*, int64_t, int64_t, int64_t, int64_t, const double*, int64_t, double*);

}  // namespace
}  // namespace mercer
