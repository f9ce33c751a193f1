// The Python face of the sequence kernels. A list of sequences is one array of symbols and the places where each
// begins; both are checked here, nothing below does.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "../memory.h"
#include "alignment.h"
#include "lanes.h"
#include "pairs.h"

namespace nb = nanobind;
using namespace mercer;

template <class T> using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T> using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
typedef nb::ndarray<nb::numpy, double, nb::ndim<2>> Result;

static Result new_matrix(int64_t rows, int64_t columns, double** data) {
  double* p = new double[std::max<int64_t>(1, rows * columns)];
  *data = p;
  nb::capsule owner(p, [](void* q) noexcept { delete[] static_cast<double*>(q); });
  return Result(p, {(size_t)rows, (size_t)columns}, owner);
}

struct Keyboard : Interrupt {
  bool asked() override {
    nb::gil_scoped_acquire hold;
    if (PyErr_CheckSignals() == 0) return false;
    pending = true;  // the Python error stays set until the caller raises it
    return true;
  }
  void raise() const {
    if (pending) throw nb::python_error();
  }
  bool pending = false;
};

// Sequence i is values[starts[i]] to values[starts[i + 1] - 1], each of `width` numbers.
template <class T> struct List {
  const T* values;
  const int64_t* starts;
  int64_t n, width;
  int64_t length(int64_t i) const { return (int64_t)(starts[i + 1] - starts[i]); }
  const T* at(int64_t i) const { return values + starts[i] * width; }
};

static void check_starts(const Vector<int64_t>& starts, int64_t total) {
  const int64_t* s = starts.data();
  const int64_t n = (int64_t)starts.shape(0) - 1;
  if (n < 0 || s[0] != 0 || s[n] != total) throw nb::value_error("starts must run from 0 to the number of symbols");
  for (int64_t i = 0; i < n; ++i)
    if (s[i] > s[i + 1]) throw nb::value_error("starts must not decrease");
}

static List<int> symbols(const Vector<int>& values, const Vector<int64_t>& starts, int64_t alphabet) {
  check_starts(starts, (int64_t)values.shape(0));
  for (size_t i = 0; i < values.shape(0); ++i)
    if (values.data()[i] < 0 || values.data()[i] >= alphabet) throw nb::value_error("a symbol is outside the alphabet");
  return {values.data(), starts.data(), (int64_t)starts.shape(0) - 1, 1};
}

static List<double> series(const Matrix<double>& values, const Vector<int64_t>& starts) {
  check_starts(starts, (int64_t)values.shape(0));
  return {values.data(), starts.data(), (int64_t)starts.shape(0) - 1, (int64_t)values.shape(1)};
}

template <class T> static std::vector<int64_t> by_length(const List<T>& a) {
  std::vector<int64_t> order(a.n);
  std::iota(order.begin(), order.end(), int64_t(0));
  std::stable_sort(order.begin(), order.end(), [&](int64_t i, int64_t j) { return a.length(i) < a.length(j); });
  return order;
}

struct Free {
  void operator()(void* p) const { give_back(p); }
};
typedef std::unique_ptr<double, Free> Aligned;
static Aligned aligned(int64_t count) { return Aligned((double*)fresh_memory(std::max<int64_t>(count, 1) * sizeof(double))); }

// Eight sequences of similar length, interleaved.
struct Group {
  std::vector<int64_t> members;
  int64_t m = 0;
  Aligned symbols;
};

static std::vector<Group> make_groups(const List<int>& Y, const std::vector<int64_t>& order) {
  std::vector<Group> groups((Y.n + LANES - 1) / LANES);
  for (size_t g = 0; g < groups.size(); ++g) {
    Group& group = groups[g];
    for (int64_t k = (int64_t)g * LANES; k < std::min<int64_t>(Y.n, ((int64_t)g + 1) * LANES); ++k) {
      group.members.push_back(order[k]);
      group.m = std::max(group.m, Y.length(order[k]));
    }
    group.symbols = aligned(group.m * LANES);
    int64_t* out = (int64_t*)group.symbols.get();
    std::fill_n(out, group.m * LANES, PAD);
    for (size_t lane = 0; lane < group.members.size(); ++lane)
      for (int64_t j = 0; j < Y.length(group.members[lane]); ++j)
        out[j * LANES + lane] = Y.at(group.members[lane])[j];
  }
  return groups;
}

// K[i][j] = sum over l of weights[l] * (pairs of common subsequences of l + 1 symbols, decay^(both extents)).
static Result subsequence(Vector<int> x, Vector<int64_t> x_starts, Vector<int> y, Vector<int64_t> y_starts,
                          Vector<double> weights, double decay, bool symmetric, int threads) {
  const int length = (int)weights.shape(0);
  if (length < 1 || length > MOST_LENGTH) throw nb::value_error("the length must be between 1 and 64");
  if (!(decay > 0) || !std::isfinite(decay)) throw nb::value_error("decay must be positive");
  const int64_t any = std::numeric_limits<int>::max();
  const List<int> X = symbols(x, x_starts, any), Y = symbols(y, y_starts, any);
  if (symmetric && X.n != Y.n) throw nb::value_error("a symmetric matrix needs the same sequences twice");
  double* K;
  Result result = new_matrix(X.n, Y.n, &K);
  std::vector<double> factor(length);
  bool all = false;
  for (int l = 0; l < length; ++l) {
    factor[l] = weights.data()[l] * std::pow(decay, 2.0 * (l + 1));
    all = all || (l + 1 < length && weights.data()[l] != 0);
  }
  Keyboard keyboard;
  {
    nb::gil_scoped_release free;
    const std::vector<int64_t> rows = by_length(X), columns = by_length(Y);
    const std::vector<Group> groups = make_groups(Y, columns);
    for_each_task(X.n, threads, keyboard, [&](int64_t task, int) {
      const int64_t position = X.n - 1 - task, i = rows[position], n = X.length(i);  // the long ones first
      std::vector<int64_t> s(X.at(i), X.at(i) + n);
      Aligned total = aligned(length * LANES), scratch;
      int64_t room = 0;
      const int64_t last = symmetric ? position / LANES + 1 : (int64_t)groups.size();
      for (int64_t g = 0; g < last && !keyboard.stop; ++g) {
        const Group& group = groups[g];
        if (scratch_size(length, group.m) > room) scratch = aligned(room = scratch_size(length, group.m));
        lanes().subsequences(s.data(), n, (const int64_t*)group.symbols.get(), group.m, length, all, decay, scratch.get(),
                             total.get(), &keyboard.stop);
        for (size_t lane = 0; lane < group.members.size(); ++lane) {
          double value = 0;
          for (int l = 0; l < length; ++l)
            if (weights.data()[l] != 0) value += factor[l] * total.get()[l * LANES + lane];
          const int64_t j = group.members[lane];
          if (symmetric && g * LANES + (int64_t)lane > position) continue;
          K[i * Y.n + j] = value;
          if (symmetric) K[j * Y.n + i] = value;
        }
      }
    });
  }
  keyboard.raise();
  return result;
}

// fn(i, j, scratch) for all pairs, or those of one triangle, into a matrix.
template <class F>
static Result all_pairs(int64_t n, int64_t m, bool symmetric, int threads, const F& fn) {
  if (symmetric && n != m) throw nb::value_error("a symmetric matrix needs the same sequences twice");
  double* K;
  Result result = new_matrix(n, m, &K);
  Keyboard keyboard;
  {
    nb::gil_scoped_release free;
    std::vector<std::vector<double>> scratch(std::max(1, threads));
    for_each_task(n, threads, keyboard, [&](int64_t task, int thread) {
      const int64_t i = n - 1 - task, last = symmetric ? i + 1 : m;
      for (int64_t j = 0; j < last && !keyboard.stop; ++j) {
        K[i * m + j] = fn(i, j, scratch[thread], &keyboard.stop);
        if (symmetric) K[j * m + i] = K[i * m + j];
      }
    });
  }
  keyboard.raise();
  return result;
}

static int sensible(int threads) { return std::clamp(threads, 0, MOST_THREADS); }

static Result local_log(Vector<int> x, Vector<int64_t> x_starts, Vector<int> y, Vector<int64_t> y_starts,
                        Matrix<double> factors, double open, double extend, bool symmetric, int threads) {
  const int64_t alphabet = (int64_t)factors.shape(0);
  if ((int64_t)factors.shape(1) != alphabet) throw nb::value_error("the matrix of pair factors must be square");
  if (!(open >= 0 && open <= 1 && extend >= 0 && extend <= 1)) throw nb::value_error("gap factors lie in [0, 1]");
  const List<int> X = symbols(x, x_starts, alphabet), Y = symbols(y, y_starts, alphabet);
  return all_pairs(X.n, Y.n, symmetric, sensible(threads), [&](int64_t i, int64_t j, auto& scratch, auto* stop) {
    return local_alignment(X.at(i), X.length(i), Y.at(j), Y.length(j), factors.data(), alphabet, {open, extend},
                           scratch, stop);
  });
}

static void same_width(const List<double>& X, const List<double>& Y) {
  if (X.width != Y.width) throw nb::value_error("the points of X and Y must have the same number of coordinates");
}

static Result global_log(Matrix<double> x, Vector<int64_t> x_starts, Matrix<double> y, Vector<int64_t> y_starts,
                         double length_scale, int64_t band, bool symmetric, int threads) {
  if (!(length_scale > 0)) throw nb::value_error("length_scale must be positive");
  const List<double> X = series(x, x_starts), Y = series(y, y_starts);
  same_width(X, Y);
  return all_pairs(X.n, Y.n, symmetric, sensible(threads), [&](int64_t i, int64_t j, auto& scratch, auto* stop) {
    return global_alignment(X.at(i), X.length(i), Y.at(j), Y.length(j), X.width, length_scale, band, scratch, stop);
  });
}

static Result warping(Matrix<double> x, Vector<int64_t> x_starts, Matrix<double> y, Vector<int64_t> y_starts,
                      int64_t window, bool symmetric, int threads) {
  const List<double> X = series(x, x_starts), Y = series(y, y_starts);
  same_width(X, Y);
  return all_pairs(X.n, Y.n, symmetric, sensible(threads), [&](int64_t i, int64_t j, auto& scratch, auto* stop) {
    return std::sqrt(warping_cost(X.at(i), X.length(i), Y.at(j), Y.length(j), X.width, window, scratch, stop));
  });
}

NB_MODULE(_sequences, m) {
  nb::set_leak_warnings(false);
  auto x = nb::arg("x").noconvert(), y = nb::arg("y").noconvert();
  auto xs = nb::arg("x_starts").noconvert(), ys = nb::arg("y_starts").noconvert();
  auto symmetric = nb::arg("symmetric"), threads = nb::arg("n_threads");
  m.def("level", [] { return std::string(lanes().name); });
  m.def("subsequence", subsequence, x, xs, y, ys, nb::arg("weights").noconvert(), nb::arg("decay"), symmetric, threads);
  m.def("local_log", local_log, x, xs, y, ys, nb::arg("factors").noconvert(), nb::arg("open"), nb::arg("extend"),
        symmetric, threads);
  m.def("global_log", global_log, x, xs, y, ys, nb::arg("length_scale"), nb::arg("band"), symmetric, threads);
  m.def("warping", warping, x, xs, y, ys, nb::arg("window"), symmetric, threads);
}
