// Gappy subsequences: one sequence against eight at a time, one per lane.
#pragma once
#include <atomic>
#include <cstdint>

namespace mercer {

constexpr int LANES = 8;
constexpr int MOST_LENGTH = 64;  // of a common subsequence; far beyond any use

// s: symbols of one sequence. t: symbols of eight, interleaved, padded with PAD at the end.
// decay: what a step costs. scratch: at least scratch_size(length, m) doubles, 64-byte aligned.
// total: length * 8 numbers; total[l * 8 + lane] becomes the value for subsequences of l + 1 symbols,
// without the factor decay^(2 (l + 1)); with all == false only the last length is filled.
// Returns early, with useless totals, once *stop is set. (Of the library's inline code only the load of a byte.)
struct LaneTable {
  const char* name;
  void (*subsequences)(const int64_t* s, int64_t n, const int64_t* t, int64_t m, int length, bool all, double decay,
                       double* scratch, double* total, const std::atomic<bool>* stop);
};

constexpr int64_t PAD = -1;
inline int64_t scratch_size(int length, int64_t m) { return (m + 1) * length * LANES; }

const LaneTable& lanes();

}  // namespace mercer
