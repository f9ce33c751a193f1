// Polynomials of a sparse symmetric matrix times a few vectors: what finds the slow modes of a random walk.
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "../levels.h"
#include "../pool.h"
#include "graph.h"

namespace mercer {
namespace {

using Block = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Result = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

constexpr int ROWS = 256;  // per task

// out = scale·A·x + shift·x + before·old for some rows, W columns wide
struct Step {
  const Graph* a;
  const double *x, *old;
  double* out;
  double scale, shift, before;
};

template <int W>
inline __attribute__((always_inline)) void some_rows(const Step& s, int first, int last) {
  for (int i = first; i < last; ++i) {
    double sum[W] = {}, odd[W] = {};  // two sums: an addition need not wait for the one before
    int e = s.a->start[i], last_e = s.a->start[i + 1];
    for (; e + 1 < last_e; e += 2) {
      const double value = s.a->length[e], next = s.a->length[e + 1];
      const double* row = s.x + (size_t)s.a->end[e] * W;
      const double* other = s.x + (size_t)s.a->end[e + 1] * W;
      for (int c = 0; c < W; ++c) sum[c] += value * row[c];
      for (int c = 0; c < W; ++c) odd[c] += next * other[c];
    }
    if (e < last_e) {
      const double* row = s.x + (size_t)s.a->end[e] * W;
      for (int c = 0; c < W; ++c) sum[c] += s.a->length[e] * row[c];
    }
    for (int c = 0; c < W; ++c) sum[c] += odd[c];
    const double* own = s.x + (size_t)i * W;
    double* out = s.out + (size_t)i * W;
    if (s.old) {
      const double* old = s.old + (size_t)i * W;
      for (int c = 0; c < W; ++c) out[c] = s.scale * sum[c] + s.shift * own[c] + s.before * old[c];
    } else {
      for (int c = 0; c < W; ++c) out[c] = s.scale * sum[c] + s.shift * own[c];
    }
  }
}

using Rows = void (*)(const Step&, int, int);
template <int W>
void plain_rows(const Step& s, int first, int last) { some_rows<W>(s, first, last); }

#if defined(__x86_64__) && defined(__GNUC__)
template <int W>
__attribute__((target("avx2,fma"), optimize("O3"))) void wide_rows(const Step& s, int first, int last) { some_rows<W>(s, first, last); }
#endif

template <int W>
Rows best_rows() {
#if defined(__x86_64__) && defined(__GNUC__)
  if (chosen_level() != "base") return wide_rows<W>;
#endif
  return plain_rows<W>;
}

Rows rows_for(size_t width) {
  switch (width) {
    case 1: return best_rows<1>();
    case 4: return best_rows<4>();
    case 8: return best_rows<8>();
    case 12: return best_rows<12>();
    case 16: return best_rows<16>();
    default: throw std::invalid_argument("1, 4, 8, 12 or 16 vectors at once");
  }
}

// A matrix and the threads that multiply with it, for as long as one search for eigenvectors takes.
class Walk {
 public:
  Walk(Index start, Index end, Lengths value, int threads)
      : start_(start), end_(end), value_(value), a_(checked_graph(start, end, value)), pool_(std::max(1, threads)) {}

  // Chebyshev polynomial of A that stays small on [low, high] and is 1 at `top`; degree 1 is A itself, plainly.
  void chebyshev(Block x, Result result, int degree, double low, double high, double top) {
    size_t width = x.shape(1), n = x.shape(0);
    if ((int)n != a_.nodes || result.shape(0) != n || result.shape(1) != width)
      throw std::invalid_argument("the vectors have the wrong shape");
    if (degree < 1) throw std::invalid_argument("the degree must be at least 1");
    if (degree > 1 && !(low < high && high < top)) throw std::invalid_argument("low < high < top is needed");
    Rows rows = rows_for(width);
    if (degree > 1) spare_.resize(n * width);
    double *now = result.data(), *other = spare_.data();
    nb::gil_scoped_release release;
    if (degree == 1) return apply(rows, {&a_, x.data(), nullptr, now, 1.0, 0.0, 0.0});
    // the recurrence of T_j((t − centre)/half)/T_j((top − centre)/half), which cannot overflow
    double centre = 0.5 * (low + high), half = 0.5 * (high - low);
    double first = half / (top - centre), sigma = first;
    if (degree % 2 == 0) std::swap(now, other);  // so that the last step ends in the result
    apply(rows, {&a_, x.data(), nullptr, now, sigma / half, -centre * sigma / half, 0.0});
    const double* old = x.data();
    for (int j = 2; j <= degree; ++j) {
      double next = 1.0 / (2.0 / first - sigma);
      double factor = 2.0 * next / half;
      apply(rows, {&a_, now, old, other, factor, -centre * factor, -sigma * next});
      old = now;
      std::swap(now, other);
      sigma = next;
    }
  }

 private:
  void apply(Rows rows, const Step& step) {
    int64_t n = a_.nodes;
    pool_.run((n + ROWS - 1) / ROWS, [&](int64_t task, int) {
      rows(step, (int)(task * ROWS), (int)std::min(n, (task + 1) * ROWS));
    });
  }
  Index start_, end_;  // keep the arrays alive
  Lengths value_;
  Graph a_;
  Pool pool_;
  std::vector<double> spare_;
};

}  // namespace

void bind_walk(nb::module_& m) {
  nb::class_<Walk>(m, "Walk")
      .def(nb::init<Index, Index, Lengths, int>(), nb::arg("start"), nb::arg("end"), nb::arg("value"), nb::arg("threads"))
      .def("chebyshev", &Walk::chebyshev, nb::arg("x"), nb::arg("result"), nb::arg("degree"), nb::arg("low"),
           nb::arg("high"), nb::arg("top"));
}

}  // namespace mercer
