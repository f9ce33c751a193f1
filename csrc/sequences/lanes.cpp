// The inner loops of the subsequence kernel, compiled once per instruction set.
//
// With Q_0 = 1 and, for l >= 1, Q_l[i][j] = sum over pairs of common subsequences of l symbols in the first i and
// first j symbols of decay^(gap to the ends), a pass over the cells (i, j) does for all lengths at once
//   x = (s_i == t_j) ? Q_{l-1}[i-1][j-1] : 0,   acc_l = decay acc_l + x,   Q_l[i][j] = decay Q_l[i-1][j] + acc_l,
// and the value for length l is the sum of x over all cells. Two rows i are taken in one pass: the row of Q is
// loaded and stored once for both.
#include "lanes.h"

#ifndef MERCER_LEVEL
#define MERCER_LEVEL base
#endif
#define MERCER_NAME2(a, b) a##b
#define MERCER_NAME(a, b) MERCER_NAME2(a, b)
#define MERCER_TEXT2(a) #a
#define MERCER_TEXT(a) MERCER_TEXT2(a)

namespace mercer {
namespace {

typedef double Values __attribute__((vector_size(64)));
typedef int64_t Symbols __attribute__((vector_size(64)));

inline Values chosen(Symbols mask, Values v) { return (Values)((Symbols)v & mask); }

template <int P, int ROWS, bool ALL>
inline void sweep(const int64_t* s, const Symbols* t, int64_t m, double decay, Values* Q, Values* total) {
  constexpr int K = P > 1 ? P - 1 : 1;  // lengths whose Q is needed; a table for one is not
  Values acc[ROWS][K], diagonal[ROWS][K], sum[P];
  for (int r = 0; r < ROWS; ++r)
    for (int l = 0; l < K; ++l) acc[r][l] = diagonal[r][l] = Values{};
  for (int l = 0; l < P; ++l) sum[l] = total[l];
  const Values one = Values{} + 1.0;
  for (int64_t j = 0; j < m; ++j) {
    const Symbols symbol = t[j];
    Values above[K];
#pragma GCC unroll 8
    for (int l = 0; l < K; ++l) above[l] = Q[j * K + l];
#pragma GCC unroll 2
    for (int r = 0; r < ROWS; ++r) {
      const Symbols equal = symbol == s[r];
      Values before = one;
#pragma GCC unroll 8
      for (int l = 0; l < P; ++l) {
        const Values x = chosen(equal, before);
        if (ALL || l == P - 1) sum[l] += x;
        if (l < P - 1) {
          before = diagonal[r][l];
          acc[r][l] = acc[r][l] * decay + x;
          diagonal[r][l] = above[l];
          above[l] = above[l] * decay + acc[r][l];
        }
      }
    }
#pragma GCC unroll 8
    for (int l = 0; l < K; ++l) Q[j * K + l] = above[l];
  }
  for (int l = 0; l < P; ++l) total[l] = sum[l];
}

template <int P, bool ALL>
void fixed(const int64_t* s, int64_t n, const Symbols* t, int64_t m, double decay, Values* Q, Values* total,
           const std::atomic<bool>* stop) {
  constexpr int K = P > 1 ? P - 1 : 1;
  for (int64_t j = 0; j < m * K; ++j) Q[j] = Values{};
  int64_t i = 0;
  for (; i + 1 < n && !*stop; i += 2) sweep<P, 2, ALL>(s + i, t, m, decay, Q, total);
  if (i < n && !*stop) sweep<P, 1, ALL>(s + i, t, m, decay, Q, total);
}

// Any length: the same pass with loops the compiler cannot unroll.
void general(const int64_t* s, int64_t n, const Symbols* t, int64_t m, int P, bool all, double decay, Values* Q, Values* total,
             const std::atomic<bool>* stop) {
  const int K = P - 1;
  for (int64_t j = 0; j < m * K; ++j) Q[j] = Values{};
  Values acc[MOST_LENGTH], diagonal[MOST_LENGTH];
  const Values one = Values{} + 1.0;
  for (int64_t i = 0; i < n && !*stop; ++i) {
    for (int l = 0; l < K; ++l) acc[l] = diagonal[l] = Values{};
    for (int64_t j = 0; j < m; ++j) {
      const Symbols equal = t[j] == s[i];
      Values before = one;
      for (int l = 0; l < P; ++l) {
        const Values x = chosen(equal, before);
        if (all || l == P - 1) total[l] += x;
        if (l == P - 1) break;
        before = diagonal[l];
        acc[l] = acc[l] * decay + x;
        diagonal[l] = Q[j * K + l];
        Q[j * K + l] = Q[j * K + l] * decay + acc[l];
      }
    }
  }
}

void subsequences(const int64_t* s, int64_t n, const int64_t* t, int64_t m, int length, bool all, double decay, double* scratch,
                  double* total, const std::atomic<bool>* stop) {
  const Symbols* symbols = (const Symbols*)t;
  Values *Q = (Values*)scratch, *sums = (Values*)total;
  for (int l = 0; l < length; ++l) sums[l] = Values{};
  switch (length * 2 + all) {
#define MERCER_CASE(P)                                                                  \
  case P * 2: return fixed<P, false>(s, n, symbols, m, decay, Q, sums, stop);           \
  case P * 2 + 1: return fixed<P, true>(s, n, symbols, m, decay, Q, sums, stop);
    MERCER_CASE(1)
    MERCER_CASE(2)
    MERCER_CASE(3)
    MERCER_CASE(4)
    MERCER_CASE(5)
    MERCER_CASE(6)
#undef MERCER_CASE
  }
  general(s, n, symbols, m, length, all, decay, Q, sums, stop);
}

}  // namespace

const LaneTable& MERCER_NAME(lanes_, MERCER_LEVEL)() {
  static const LaneTable table = {MERCER_TEXT(MERCER_LEVEL), subsequences};
  return table;
}

}  // namespace mercer
