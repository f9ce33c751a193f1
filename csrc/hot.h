// The hot loops, compiled once per instruction set (hot.cpp) and chosen at run time (dispatch.cpp).
// Plain types only: a file built with -march must not share inline library code with the rest.
#pragma once
#include <cstdint>

namespace mercer {

enum Family : int {
  LINEAR, POLYNOMIAL, SIGMOID, GAUSSIAN, MATERN12, MATERN32, MATERN52,  // functions of <x,y>, |x|^2, |y|^2
  LAPLACIAN, INTERSECTION, JACCARD,                                    // functions of |x-y|_1 and the sums
  CHI2,
  MANHATTAN,                                                           // |x-y|_1 itself, to be shared
  N_FAMILIES
};

struct KernelSpec {
  int family;
  double p[3];
};

// Columns are processed in chunks; a chunk is a whole number of panels at every level.
constexpr int64_t CHUNK = 256;
constexpr int CSR_GROUP = 16;
constexpr int BLOCK_ROWS = 8;

template <class T>
struct Hot {
  int64_t panel;  // columns in one packed panel
  int group;   // rows computed together
  int64_t lanes;  // numbers in one vector

  // K(rows of A, panels of B) into dst[r] + column. A: groups x d x group, the last group whole even
  // where `rows` ends within it, B: panels x d x panel; na, nb: squared norms (or sums for the |x-y|_1 families).
  void (*tile)(const T* A, const T* na, int rows, const T* B, const T* nb, int64_t panels, int64_t d,
               const KernelSpec& spec, T* const* dst);
  // The same with the columns as CSR rows j0..j1; A: d x CSR_GROUP, dense. Inner-product families only.
  void (*csr_tile)(const T* A, const T* na, int rows, const int64_t* indptr, const int32_t* indices,
                   const T* data, const T* nb, int64_t j0, int64_t j1, const KernelSpec& spec, T* const* dst);
  // One row of K from what the family is a function of: products <x,y> or |x-y|_1 (dst may be pairs)
  void (*finish_row)(const T* pairs, T na, const T* nb, int64_t len, const KernelSpec& spec, T* dst);
  // into[c] += from[c], or *= where product
  void (*merge)(T* into, const T* from, int64_t len, bool product);
  // to[c*ld + r] = from[r*ld + c] for r < rows, c < columns; the two do not overlap
  void (*transpose)(const T* from, int64_t rows, int64_t columns, T* to, int64_t ld);
  // v[c] = (factor v[c] + constant)^degree
  void (*affine)(T* v, int64_t len, T factor, T constant, int64_t degree);
  // out[c] += sum_r weight[r] * rows[r][c], in double
  void (*accumulate)(const T* const* rows, const double* weight, int64_t m, int64_t len, double* out);
  // out[r*k + c] += sum_j rows[r][j] * V[c*stride + j]
  void (*project)(const T* const* rows, int m, int64_t len, const double* V, int64_t stride, int64_t k, double* out);
  // the same with sums over the len columns in T
  void (*project_single)(const T* const* rows, int m, int64_t len, const T* V, int64_t stride, int64_t k, double* out);

  // out (m x width, row by row) += A B with A(r, l) = A[r*across + l*along], l < len, and B (len x width).
  // m a multiple of BLOCK_ROWS, width of lanes. Sums over l in T, the rest in double.
  void (*block_product)(const T* A, int64_t along, int64_t across, int64_t m, int64_t len, const T* B, int64_t width, double* out);

  // Sequential minimal optimisation on a q x q matrix with rows ld apart (q a multiple of 16, padded
  // with closed variables whose columns are zero and whose rows are never read). g stays in [lo, hi]; h is the gradient; room_up/room_low are 0 where the variable may
  // move up/down and +inf elsewhere, one pair of arrays per equality constraint.
  int64_t (*pair_smo)(int64_t q, const T* K, int64_t ld, const T* diag, T* h, const double* lo, const double* hi, double* g,
                   T* const* room_up, T* const* room_low, int groups, double tol, double fraction, int64_t max_iter);
  // The same without an equality constraint: one variable at a time.
  int64_t (*single_smo)(int64_t q, const T* K, int64_t ld, const T* diag, T* h, const double* lo, const double* hi, double* g,
                     T* room_up, T* room_low, double tol, double fraction, int64_t max_iter);
};

// Variables of a programme, as the outer loop looks at them; `run` says of each RUN variables in a row
// whether their indices are, too, so that they need not be gathered.
constexpr int RUN = 16, BINS = 1024;
struct Scanned {
  const int* index;
  const unsigned char* run;
  const double *sign, *linear, *shift, *g;  // shift may be nullptr
};

struct HotTable {
  const char* name;
  Hot<float> f32;
  Hot<double> f64;
  // scan.h; `from` is a multiple of RUN, `group` may be nullptr
  double (*gradients)(const Scanned& s, const double* F, int64_t from, int64_t to, double* h);
  void (*extremes)(const double* h, const double* g, const double* lo, const double* hi, const signed char* group,
                   int64_t from, int64_t to, double* up, double* low);
  int64_t (*into_bins)(const double* h, const double* g, const double* lo, const double* hi, const signed char* group,
                       int64_t from, int64_t to, const double* up, const double* low, double scale, double margin,
                       int16_t* up_bin, int16_t* low_bin);
  int64_t (*in_bins)(const int16_t* bins, int64_t from, int64_t to, int least, int* out);
};
template <class T> const Hot<T>& pick(const HotTable& t);
template <> inline const Hot<float>& pick<float>(const HotTable& t) { return t.f32; }
template <> inline const Hot<double>& pick<double>(const HotTable& t) { return t.f64; }

const HotTable& hot();             // of the level in use; throws if MERCER_LEVEL names none of levels()
void set_level(const char* name);  // another level from now on; throws likewise

}  // namespace mercer
