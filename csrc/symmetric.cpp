// K(X, X) times a block of vectors: every tile above the diagonal is computed once and used twice,
// for its rows and for its columns.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "source.h"
#include "spec.h"

namespace nb = nanobind;
using namespace mercer;

namespace {

template <class T> using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
typedef nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu> Result;

constexpr int64_t APART = CHUNK + 16;  // rows of a tile; a power of two would put them on the same cache lines

// Who meets whom in a round of a tournament of an even number of players: no block of rows is in two
// pairs of one round, so the sums can be taken without locks, in an order that is always the same.
std::pair<int64_t, int64_t> meeting(int64_t players, int64_t round, int64_t pair) {
  const int64_t m = players - 1;
  if (pair == 0) return {round % m, m};
  const int64_t a = (round + pair) % m, b = (round - pair + m) % m;
  return {std::min(a, b), std::max(a, b)};
}

template <class T>
struct Product {
  const ArraySource<T>& source;
  const Hot<T>& loops;
  std::vector<Rows<T>> rows;  // one block of CHUNK rows each
  std::vector<Scratch<T>> scratch;
  const T* V;  // padded with zeros to whole blocks and whole vectors
  double* out;
  int64_t width;

  void tile(int64_t i, int64_t j, int thread) {
    Scratch<T>& s = scratch[thread];
    const int64_t band = 8 * source.group / BLOCK_ROWS * BLOCK_ROWS, n = (int64_t)rows[i].id.size();
    const int64_t c0 = j * CHUNK, len = std::min(CHUNK, source.n - c0);
    if (s.rows.size() == 0) {
      s.rows.reset(band * APART);
      s.rows.fill(0);
      s.dst.resize(band);
      for (int64_t r = 0; r < band; ++r) s.dst[r] = s.rows.data() + r * APART;
    }
    for (int64_t r0 = 0; r0 < n; r0 += band) {
      const int64_t m = std::min(band, n - r0), first = i * CHUNK + r0;
      source.compute(rows[i], r0, r0 + m, c0, c0 + len, s.dst.data(), s);
      loops.block_product(s.rows.data(), 1, APART, round_up(m, BLOCK_ROWS), len, V + c0 * width, width,
                          out + first * width);
      if (i != j)
        loops.block_product(s.rows.data(), APART, 1, round_up(len, BLOCK_ROWS), m, V + first * width, width,
                            out + c0 * width);
    }
  }
};

template <class T>
void symmetric_matmul(Matrix<T> X, Matrix<double> V, const std::string& family, const Description& params,
                      Result result, int threads) {
  const Recipe recipe(family, params, (int64_t)X.shape(1));
  const int64_t n = (int64_t)X.shape(0), k = (int64_t)V.shape(1), blocks = (n + CHUNK - 1) / CHUNK;
  if ((int64_t)V.shape(0) != n) throw nb::value_error("V must have one row per row of X");
  if ((int64_t)result.shape(0) != n || (int64_t)result.shape(1) != k)
    throw nb::value_error("the result must have the shape of V");
  nb::gil_scoped_release free;
  Pool pool(n * n < 20000 ? 1 : threads), alone(1);
  const auto source = recipe.build<T>(X.data(), n, (int64_t)X.shape(1), pool);
  const Hot<T>& loops = pick<T>(hot());
  const int64_t width = round_up(std::max<int64_t>(k, 1), loops.lanes);
  Buffer<T> columns(blocks * CHUNK * width);
  Buffer<double> sums(blocks * CHUNK * width);
  columns.fill(0);
  sums.fill(0);
  for (int64_t j = 0; j < n; ++j)
    for (int64_t c = 0; c < k; ++c) columns[j * width + c] = (T)V.data()[j * k + c];
  Product<T> product{*source, loops, std::vector<Rows<T>>(blocks), std::vector<Scratch<T>>(pool.threads()),
                     columns.data(), sums.data(), width};
  pool.run(blocks, [&](int64_t b, int thread) {
    std::vector<int> index(std::min(CHUNK, n - b * CHUNK));
    for (size_t r = 0; r < index.size(); ++r) index[r] = (int)(b * CHUNK + r);
    source->prepare(index.data(), (int64_t)index.size(), product.rows[b], alone);
    product.tile(b, b, thread);
  });
  const int64_t players = round_up(blocks, 2);
  for (int64_t round = 0; round + 1 < players; ++round)
    pool.run(players / 2, [&](int64_t pair, int thread) {
      const auto [i, j] = meeting(players, round, pair);
      if (j < blocks) product.tile(i, j, thread);
    });
  for (int64_t j = 0; j < n; ++j)
    for (int64_t c = 0; c < k; ++c) result.data()[j * k + c] = sums[j * width + c];
}

}  // namespace

void bind_symmetric(nb::module_& m) {
  auto X = nb::arg("X").noconvert(), V = nb::arg("V").noconvert(), out = nb::arg("out").noconvert();
  auto family = nb::arg("family"), params = nb::arg("params"), threads = nb::arg("n_threads");
  m.def("symmetric_matmul", symmetric_matmul<float>, X, V, family, params, out, threads);
  m.def("symmetric_matmul", symmetric_matmul<double>, X, V, family, params, out, threads);
}
