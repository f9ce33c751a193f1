// Sums and minima over all alignments of two sequences, one pair at a time.
#pragma once
#include <atomic>
#include <cstdint>
#include <vector>

namespace mercer {

struct Gaps {
  double open, extend;  // factors: exp(-beta * cost), at most 1
};

// log of 1 + the sum over all local alignments of the product of pair factors (alphabet x alphabet) and gap factors.
double local_alignment(const int* s, int64_t n, const int* t, int64_t m, const double* factors, int64_t alphabet, Gaps gaps,
                       std::vector<double>& scratch, const std::atomic<bool>* stop);

// log of the sum over all warping paths of the product of kappa(x_i, y_j), kappa = phi / (2 - phi) with the Gaussian
// phi = exp(-|x - y|^2 / (2 l^2)); paths may leave the diagonal by less than `band` steps (0: without limit), and are
// weighted by the triangular kernel of i and j then.
double global_alignment(const double* x, int64_t n, const double* y, int64_t m, int64_t dims, double length_scale, int64_t band,
                        std::vector<double>& scratch, const std::atomic<bool>* stop);

// Least sum of squared distances along a warping path that stays within `window` of the diagonal (negative: any).
double warping_cost(const double* x, int64_t n, const double* y, int64_t m, int64_t dims, int64_t window,
                    std::vector<double>& scratch, const std::atomic<bool>* stop);

}  // namespace mercer
