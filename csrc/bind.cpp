// The Python face of the compiled core. Arrays are checked here; nothing below trusts its caller less.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <memory>
#include <system_error>

#include "batch.h"
#include "levels.h"
#include "products.h"
#include "solver.h"
#include "spec.h"

namespace nb = nanobind;
using namespace mercer;

template <class T> using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T> using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Uninitialised, and in huge pages if large: touching it would cost more than computing what goes in.
template <class T>
static nb::ndarray<nb::numpy, T, nb::ndim<2>> new_matrix(int64_t rows, int64_t cols, T** data) {
  T* p = static_cast<T*>(fresh_memory(sizeof(T) * std::max<int64_t>(1, rows * cols)));
  *data = p;
  nb::capsule owner(p, [](void* q) noexcept { give_back(q); });
  return nb::ndarray<nb::numpy, T, nb::ndim<2>>(p, {(size_t)rows, (size_t)cols}, owner);
}

static void same_columns(size_t a, size_t b) {
  if (a != b) throw nb::value_error("X and Y must have the same number of columns");
}

template <class T>
static auto kernel_tile(Matrix<T> X, Matrix<T> Y, const std::string& family, const Description& params, int threads) {
  same_columns(X.shape(1), Y.shape(1));
  const int64_t n = X.shape(0), m = Y.shape(0), d = X.shape(1);
  const Recipe recipe(family, params, d);
  T* out;
  auto K = new_matrix<T>(n, m, &out);
  {
    nb::gil_scoped_release free;
    Pool pool(n * m < 20000 ? 1 : threads);
    const auto source = recipe.build<T>(Y.data(), m, d, pool);
    fill_matrix<T>(X.data(), n, *source, pool, out);
  }
  return K;
}

template <class T>
static auto kernel_matmul(Matrix<T> X, Matrix<T> Y, Matrix<double> V, const std::string& family,
                          const Description& params, int threads, bool same) {
  same_columns(X.shape(1), Y.shape(1));
  if (same && X.shape(0) != Y.shape(0)) throw nb::value_error("Y are not the rows of X");
  if (V.shape(0) != Y.shape(0)) throw nb::value_error("V must have one row per row of Y");
  const int64_t n = X.shape(0), m = Y.shape(0), d = X.shape(1), k = V.shape(1);
  const Recipe recipe(family, params, d);
  double* out;
  auto P = new_matrix<double>(n, k, &out);
  std::fill_n(out, n * k, 0.0);
  {
    nb::gil_scoped_release free;
    Pool pool(n * m < 20000 ? 1 : threads);
    const auto source = recipe.build<T>(Y.data(), m, d, pool);
    std::vector<double> columns(k * m);  // V transposed: a column at a time meets a row of the tile
    for (int64_t j = 0; j < m; ++j)
      for (int64_t c = 0; c < k; ++c) columns[c * m + j] = V.data()[j * k + c];
    // The caller says that Y are the rows of X. Equal addresses prove it, too, but then a copy would get other bits.
    if (same && worth_mirroring(n, k)) multiply_symmetric<T>(X.data(), *source, columns.data(), k, pool, out);
    else multiply<T, double>(X.data(), n, *source, columns.data(), k, pool, out);
  }
  return P;
}

// Kernel values and sums in single precision throughout: for labels, whose doubtful rows are looked at again.
static auto single_matmul(Matrix<float> X, Matrix<float> Y, Matrix<double> V, const std::string& family,
                          const Description& params, int threads) {
  same_columns(X.shape(1), Y.shape(1));
  if (V.shape(0) != Y.shape(0)) throw nb::value_error("V must have one row per row of Y");
  const int64_t n = X.shape(0), m = Y.shape(0), d = X.shape(1), k = V.shape(1);
  const Recipe recipe(family, params, d);
  double* out;
  auto P = new_matrix<double>(n, k, &out);
  std::fill_n(out, n * k, 0.0);
  {
    nb::gil_scoped_release free;
    Pool pool(n * m < 20000 ? 1 : threads);
    const auto source = recipe.build<float>(Y.data(), m, d, pool);
    std::vector<float> columns(k * m);
    for (int64_t j = 0; j < m; ++j)
      for (int64_t c = 0; c < k; ++c) columns[c * m + j] = (float)V.data()[j * k + c];
    multiply<float, float>(X.data(), n, *source, columns.data(), k, pool, out);
  }
  return P;
}

// ---- sources and the solver

struct AnySource {
  std::unique_ptr<Source<float>> f;
  std::unique_ptr<Source<double>> d;
  nb::object owner;  // keeps a matrix or a callback alive
  int64_t n() const { return f ? f->n : d->n; }
  template <class T> Source<T>* get() const {
    if constexpr (sizeof(T) == 4) return f.get(); else return d.get();
  }
};

template <class T>
static std::unique_ptr<AnySource> wrap(std::unique_ptr<Source<T>> s, nb::object owner = nb::none()) {
  auto a = std::make_unique<AnySource>();
  if constexpr (sizeof(T) == 4) a->f = std::move(s); else a->d = std::move(s);
  a->owner = std::move(owner);
  return a;
}

template <class T>
static std::unique_ptr<AnySource> vector_source(Matrix<T> X, const std::string& family, const Description& params,
                                                int threads) {
  const Recipe recipe(family, params, (int64_t)X.shape(1));
  std::unique_ptr<Source<T>> s;
  {
    nb::gil_scoped_release free;
    Pool pool(X.size() < 100000 ? 1 : threads);
    s = recipe.build<T>(X.data(), (int64_t)X.shape(0), (int64_t)X.shape(1), pool);
  }
  return wrap<T>(std::move(s));
}

template <class T>
static std::unique_ptr<AnySource> sparse_source(Vector<int64_t> indptr, Vector<int32_t> indices, Vector<T> data,
                                                int64_t columns, const std::string& family, Params params) {
  const KernelSpec spec = make_spec(family, params);
  if (!by_inner_product(spec.family))
    throw nb::value_error("sparse vectors need a kernel of inner products or Euclidean distances");
  if (columns < 0 || columns > std::numeric_limits<int32_t>::max())
    throw nb::value_error("the number of columns must be below 2^31");
  const int64_t n = (int64_t)indptr.shape(0) - 1, entries = (int64_t)data.shape(0);
  if (n < 0 || indptr.data()[0] != 0 || indptr.data()[n] != entries || (int64_t)indices.shape(0) != entries)
    throw nb::value_error("indptr, indices and data do not form a CSR matrix");
  for (int64_t i = 0; i < n; ++i)
    if (indptr.data()[i] > indptr.data()[i + 1]) throw nb::value_error("indptr must not decrease");
  for (size_t e = 0; e < indices.shape(0); ++e)
    if (indices.data()[e] < 0 || indices.data()[e] >= columns) throw nb::value_error("a column index is out of range");
  return wrap<T>(std::make_unique<SparseSource<T>>(indptr.data(), indices.data(), data.data(), n, columns, spec));
}

template <class T>
static std::unique_ptr<AnySource> matrix_source(Matrix<T> K) {
  if (K.shape(0) != K.shape(1)) throw nb::value_error("a Gram matrix is square");
  return wrap<T>(std::make_unique<MatrixSource<T>>(K.data(), (int64_t)K.shape(0), (int64_t)K.shape(1)), nb::cast(K));
}

typedef nb::ndarray<nb::numpy, const int, nb::ndim<1>> Index;

static std::unique_ptr<AnySource> callback_source(Vector<double> diagonal, nb::callable tile) {
  const int64_t n = diagonal.shape(0);
  std::vector<double> diag(diagonal.data(), diagonal.data() + n);
  PyObject* ask = tile.ptr();  // owned by AnySource
  auto fetch = [ask](const int* ra, int64_t ma, const int* rb, int64_t mb, double* out, int64_t ld) {
    nb::gil_scoped_acquire hold;
    nb::object rows = nb::cast(Index(ra, {(size_t)ma}, nb::handle())), cols = nb::none();
    if (rb) cols = nb::cast(Index(rb, {(size_t)mb}, nb::handle()));
    nb::object answer = nb::borrow<nb::callable>(ask)(rows, cols);
    Matrix<double> K;
    if (answer.is_none() || !nb::try_cast(answer, K))
      throw nb::type_error("the kernel must return a two-dimensional array of numbers");
    if ((int64_t)K.shape(0) != ma || (int64_t)K.shape(1) != mb)
      throw nb::value_error("the kernel returned a block of the wrong shape");
    if (!std::all_of(K.data(), K.data() + K.size(), [](double v) { return std::isfinite(v); }))
      throw nb::value_error("the kernel returned a value that is NaN or infinite");
    for (int64_t r = 0; r < ma; ++r) std::copy(K.data() + r * mb, K.data() + (r + 1) * mb, out + r * ld);
  };
  return wrap<double>(std::make_unique<CallbackSource<double>>(n, std::move(diag), fetch), tile);
}

// index, sign, linear, shift, lower, upper, start, group, number of groups
typedef std::tuple<Vector<int>, Vector<double>, Vector<double>, Vector<double>, Vector<double>, Vector<double>,
                   Vector<double>, Vector<int8_t>, int>
    Arrays;

static QuadraticProgram make_program(const Arrays& a, int64_t n) {
  const auto& [index, sign, linear, shift, lo, hi, start, group, groups] = a;
  const size_t l = index.shape(0);
  for (size_t m : {sign.shape(0), linear.shape(0), lo.shape(0), hi.shape(0), start.shape(0)})
    if (m != l) throw nb::value_error("the arrays of a problem must have one length");
  if (shift.shape(0) != 0 && shift.shape(0) != l)
    throw nb::value_error("shift must be empty or have one entry per variable");
  if (groups < 0 || groups > 2) throw nb::value_error("there can be 0, 1 or 2 equality constraints");
  if (groups == 2 && group.shape(0) != l) throw nb::value_error("group must have one entry per variable");
  QuadraticProgram p;
  auto copy = [l](auto& to, const auto& from) { to.assign(from.data(), from.data() + (from.shape(0) ? l : 0)); };
  copy(p.index, index);
  copy(p.sign, sign);
  copy(p.linear, linear);
  copy(p.shift, shift);
  copy(p.lo, lo);
  copy(p.hi, hi);
  copy(p.g, start);
  p.groups = groups;
  if (groups == 2) copy(p.group, group);
  for (size_t v = 0; v < l; ++v) {
    if (p.index[v] < 0 || p.index[v] >= n) throw nb::value_error("a variable points outside the data");
    if (!(p.lo[v] <= p.g[v] && p.g[v] <= p.hi[v])) throw nb::value_error("the start lies outside its bounds");
    if (!std::isfinite(p.g[v])) throw nb::value_error("the start must be finite");
    if (!std::isfinite(p.linear[v])) throw nb::value_error("the linear term must be finite");
    if (std::fabs(p.sign[v]) != 1) throw nb::value_error("signs must be -1 or +1");
    if (!p.shift.empty() && !(p.shift[v] >= 0 && std::isfinite(p.shift[v])))
      throw nb::value_error("shifts must be finite and not negative");
    if (groups == 2 && (p.group[v] < 0 || p.group[v] > 1)) throw nb::value_error("group must be 0 or 1");
  }
  return p;
}

static nb::dict as_dict(const QuadraticProgram& program, const Outcome& r, const std::vector<double>& F, int64_t n,
                        const Watch& watch) {
  double *g, *f;
  auto G = new_matrix<double>(1, program.size(), &g);
  auto D = new_matrix<double>(1, n, &f);
  std::copy(program.g.begin(), program.g.end(), g);
  std::copy(F.begin(), F.begin() + n, f);
  nb::dict d;
  d["g"] = G;
  d["outputs"] = D;
  d["gap"] = r.gap;
  d["objective"] = r.objective;
  d["offsets"] = nb::make_tuple(r.offset[0], r.offset[1]);
  d["n_iter"] = r.n_iter;
  d["steps"] = r.steps;
  d["reductions"] = r.reductions;
  d["rows"] = r.rows_computed;
  d["values"] = r.values_computed;
  d["block_values"] = r.block_values;
  d["rows_added"] = r.rows_added;
  d["stopped"] = r.stopped == "interrupt" ? std::string(watch.reason()) : r.stopped;
  d["seconds"] = watch.elapsed();
  d["seconds_rows"] = r.seconds_rows;
  d["seconds_block"] = r.seconds_block;
  d["seconds_inner"] = r.seconds_inner;
  d["seconds_select"] = r.seconds_select;
  return d;
}

static nb::list solve_many(const AnySource& source, const std::vector<Arrays>& problems, double tol, int64_t max_iter,
                           double time_limit, double cache_bytes, int64_t inner, int64_t middle, int threads,
                           nb::object callback, bool patient) {
  const int64_t largest_block = 1 << 20;  // a block is held whole: far more than any memory
  if (!(tol > 0)) throw nb::value_error("tol must be positive");
  if (inner < 2 || middle < inner || middle > largest_block)
    throw nb::value_error("block sizes must satisfy 2 <= inner <= middle <= 2^20");
  if (std::isnan(time_limit)) throw nb::value_error("time_limit must be a number of seconds; negative for none");
  if (std::isnan(cache_bytes)) throw nb::value_error("cache_bytes must be a number");
  const int64_t n = source.n();
  if (n * (int64_t)problems.size() < 2000) threads = 1;  // starting a thread takes longer than this
  threads = std::clamp(threads, 1, MOST_THREADS);
  Batch batch;
  for (const auto& a : problems) batch.programs.push_back(make_program(a, n));
  batch.outcomes.resize(problems.size());
  batch.F.resize(problems.size());
  Options o;
  o.tol = tol;
  o.max_iter = max_iter;
  o.cache_bytes = std::max(0.0, cache_bytes);
  o.patient = patient;
  o.inner = inner;
  o.middle = middle;
  Watch watch(time_limit, std::move(callback), batch.count());
  {
    nb::gil_scoped_release free;
    if (source.f) solve_all<float>(batch, *source.f, o, threads, watch);
    else solve_all<double>(batch, *source.d, o, threads, watch);
  }
  nb::list out;
  for (int64_t k = 0; k < batch.count(); ++k)
    out.append(as_dict(batch.programs[k], batch.outcomes[k], batch.F[k], n, watch));
  return out;
}

void bind_symmetric(nb::module_& m);

NB_MODULE(_native, m) {
  nb::set_leak_warnings(false);  // what a traceback keeps alive until exit is no leak
  m.def("level", [] { return std::string(hot().name); });
  m.def("levels", levels);
  m.def("set_level", [](const std::string& name) { set_level(name.c_str()); }, nb::arg("name"));
  // No silent conversions: a wrong type is a mistake of the Python layer, and copies would hide it.
  auto X = nb::arg("X").noconvert(), Y = nb::arg("Y").noconvert(), V = nb::arg("V").noconvert();
  auto family = nb::arg("family"), params = nb::arg("params"), threads = nb::arg("n_threads");
  auto same = nb::arg("same") = false;
  m.def("kernel_tile", kernel_tile<float>, X, Y, family, params, threads);
  m.def("kernel_tile", kernel_tile<double>, X, Y, family, params, threads);
  m.def("kernel_matmul", kernel_matmul<float>, X, Y, V, family, params, threads, same);
  m.def("kernel_matmul", kernel_matmul<double>, X, Y, V, family, params, threads, same);
  m.def("single_matmul", single_matmul, X, Y, V, family, params, threads);
  bind_symmetric(m);
  nb::class_<AnySource>(m, "Source").def_prop_ro("n", &AnySource::n);
  m.def("vector_source", vector_source<float>, X, family, params, threads);
  m.def("vector_source", vector_source<double>, X, family, params, threads);
  auto indptr = nb::arg("indptr").noconvert(), indices = nb::arg("indices").noconvert();
  auto data = nb::arg("data").noconvert();
  auto columns = nb::arg("columns");
  m.def("sparse_source", sparse_source<float>, indptr, indices, data, columns, family, params);
  m.def("sparse_source", sparse_source<double>, indptr, indices, data, columns, family, params);
  m.def("matrix_source", matrix_source<float>, nb::arg("K").noconvert());
  m.def("matrix_source", matrix_source<double>, nb::arg("K").noconvert());
  m.def("callback_source", callback_source, nb::arg("diagonal").noconvert(), nb::arg("tile"));
  m.def("solve_many", solve_many, nb::arg("source"), nb::arg("problems").noconvert(), nb::arg("tol"),
        nb::arg("max_iter"), nb::arg("time_limit"), nb::arg("cache_bytes"), nb::arg("inner"), nb::arg("middle"),
        threads, nb::arg("callback").none(), nb::arg("patient") = false);
}
