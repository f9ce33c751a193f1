// Kernels that differ in their bandwidth only: the products (or sums of differences) of all pairs of
// rows are computed once, and every bandwidth is one sweep over them.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include "pool.h"
#include "spec.h"

namespace nb = nanobind;
using namespace mercer;

namespace {

template <class T> using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T> using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T> using Result = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
void finish(Matrix<T> pairs, Vector<T> left, Vector<T> right, const std::string& family, Params params,
            Result<T> out, int threads) {
  const int64_t n = (int64_t)pairs.shape(0), m = (int64_t)pairs.shape(1);
  if ((int64_t)left.shape(0) != n || (int64_t)right.shape(0) != m) throw nb::value_error("one norm per row and per column");
  if ((int64_t)out.shape(0) != n || (int64_t)out.shape(1) != m) throw nb::value_error("the result has the shape of the pairs");
  const KernelSpec spec = make_spec(family, params);
  if (spec.family == CHI2) throw nb::value_error("chi2 is no function of sums that a family could share");
  nb::gil_scoped_release free;
  const Hot<T>& loops = pick<T>(hot());
  constexpr int64_t BAND = 16;
  Pool pool(n * m < 20000 ? 1 : threads);
  pool.run((n + BAND - 1) / BAND, [&](int64_t t, int) {
    for (int64_t r = t * BAND; r < std::min(n, t * BAND + BAND); ++r)
      loops.finish_row(pairs.data() + r * m, left.data()[r], right.data(), m, spec, out.data() + r * m);
  });
}

}  // namespace

void bind_shared(nb::module_& m) {
  auto pairs = nb::arg("pairs").noconvert(), left = nb::arg("left").noconvert(), right = nb::arg("right").noconvert();
  auto family = nb::arg("family"), params = nb::arg("params"), threads = nb::arg("n_threads");
  auto out = nb::arg("out").noconvert();
  m.def("finish", finish<float>, pairs, left, right, family, params, out, threads);
  m.def("finish", finish<double>, pairs, left, right, family, params, out, threads);
}
