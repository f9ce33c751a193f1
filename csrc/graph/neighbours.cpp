// Exact neighbours of points, and symmetric graphs of them in CSR form.
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <stdexcept>

#include "../pool.h"
#include "graph.h"
#include "kd_tree.h"

namespace mercer {
namespace {

using Points = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Squares = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Places = nb::ndarray<int, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using GivenSquares = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using GivenPlaces = nb::ndarray<const int, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

constexpr int64_t AT_ONCE = 128;    // queries per task
constexpr int64_t ROUND = 64;       // tasks between two looks at Ctrl-C
constexpr double LARGEST = 1e150;  // squares of differences must be finite

void check_points(const Points& p, const char* name) {
  if (p.shape(0) > (size_t)std::numeric_limits<int>::max()) throw std::invalid_argument("too many points");
  for (size_t i = 0; i < p.shape(0) * p.shape(1); ++i)
    if (!(std::fabs(p.data()[i]) < LARGEST)) throw std::invalid_argument(std::string(name) + ": a coordinate is not finite or too large");
}

int count_of(const Points& points, const Points& queries, bool same) {
  check_points(points, "points");
  if (!same) check_points(queries, "queries");
  if (points.shape(1) != queries.shape(1)) throw std::invalid_argument("points and queries differ in dimension");
  if (same && points.shape(0) != queries.shape(0)) throw std::invalid_argument("queries are not the points");
  return (int)points.shape(0);
}

// work(query, thread) for all queries; those of the tree's own points in its order, whose neighbours lie together
template <class Work>
void over_queries(const KdTree& tree, int64_t queries, bool same, Pool& pool, Work work) {
  bool interrupted = false;
  int64_t tasks = (queries + AT_ONCE - 1) / AT_ONCE;
  for (int64_t first = 0; first < tasks && !interrupted; first += ROUND) {
    pool.run(std::min(ROUND, tasks - first), [&](int64_t task, int thread) {
      int64_t start = (first + task) * AT_ONCE;
      for (int64_t i = start; i < std::min(queries, start + AT_ONCE); ++i) work(same ? (int64_t)tree.point((int)i) : i, thread);
    });
    nb::gil_scoped_acquire acquire;
    interrupted = PyErr_CheckSignals() != 0;
  }
  if (interrupted) {
    nb::gil_scoped_acquire acquire;
    throw nb::python_error();
  }
}

// take(query, its k nearest in no particular order)
template <class Take>
void find_nearest(const Points& points, const Points& queries, bool same, int k, Pool& pool, Take take) {
  int d = (int)points.shape(1);
  KdTree tree(points.data(), (int)points.shape(0), d);
  std::vector<std::vector<Neighbour>> room(pool.threads(), std::vector<Neighbour>(KdTree::room(k)));
  std::vector<std::vector<double>> away(pool.threads(), std::vector<double>(d));
  over_queries(tree, (int64_t)queries.shape(0), same, pool, [&](int64_t i, int thread) {
    tree.nearest(queries.data() + i * d, k, same ? (int)i : -1, room[thread].data(), away[thread].data());
    take(i, room[thread].data());
  });
}

void nearest(Points points, Points queries, bool same, Squares squares, Places places, int threads) {
  int n = count_of(points, queries, same), k = (int)places.shape(1);
  if (squares.shape(0) != queries.shape(0) || places.shape(0) != queries.shape(0) || squares.shape(1) != places.shape(1))
    throw std::invalid_argument("the results have the wrong shape");
  if (k > n - (same ? 1 : 0)) throw std::invalid_argument("more neighbours than points");
  nb::gil_scoped_release release;
  Pool pool(std::max(1, threads));
  find_nearest(points, queries, same, k, pool, [&](int64_t i, Neighbour* found) {
    std::sort(found, found + k);
    for (int j = 0; j < k; ++j) squares.data()[i * k + j] = found[j].square, places.data()[i * k + j] = found[j].point;
  });
}

// Points in an order that keeps neighbours together.
nb::ndarray<nb::numpy, int, nb::ndim<1>> order(Points points) {
  int n = count_of(points, points, true);
  int* out;
  auto result = new_array<int>(n, &out);
  nb::gil_scoped_release release;
  KdTree tree(points.data(), n, (int)points.shape(1));
  for (int i = 0; i < n; ++i) out[i] = tree.point(i);
  return result;
}

// Rows of neighbours as arrays that Python owns.
nb::tuple as_graph(const std::vector<std::vector<Neighbour>>& rows) {
  size_t total = 0;
  for (auto& r : rows) total += r.size();
  if (total > (size_t)std::numeric_limits<int>::max()) throw std::invalid_argument("too many pairs: take a smaller radius");
  int *start, *end;
  double* square;
  auto starts = new_array<int>(rows.size() + 1, &start);
  auto ends = new_array<int>(total, &end);
  auto squares = new_array<double>(total, &square);
  start[0] = 0;
  for (size_t i = 0, e = 0; i < rows.size(); ++i) {
    for (auto& r : rows[i]) end[e] = r.point, square[e++] = r.square;
    start[i + 1] = (int)e;
  }
  return nb::make_tuple(starts, ends, squares);
}

bool by_point(const Neighbour& a, const Neighbour& b) { return a.point < b.point; }

// No more than `most` pairs: among equal points there are as many as the square of their number.
nb::tuple within(Points points, Points queries, bool same, bool itself, double limit, int64_t most, int threads) {
  int n = count_of(points, queries, same), d = (int)points.shape(1);
  if (!(limit >= 0.0)) throw std::invalid_argument("the squared radius must not be negative");
  int64_t m = (int64_t)queries.shape(0);
  std::vector<std::vector<Neighbour>> rows(m);
  std::atomic<int64_t> total{0};
  {
    nb::gil_scoped_release release;
    KdTree tree(points.data(), n, d);
    Pool pool(std::max(1, threads));
    std::vector<std::vector<double>> away(pool.threads(), std::vector<double>(d));
    over_queries(tree, m, same, pool, [&](int64_t i, int thread) {
      tree.within(queries.data() + i * d, limit, same && !itself ? (int)i : -1, rows[i], away[thread].data());
      if ((total += (int64_t)rows[i].size()) > most) throw std::bad_alloc();
      std::sort(rows[i].begin(), rows[i].end(), by_point);
    });
  }
  return as_graph(rows);
}

// Points named in both lists (ascending), or in one of them; with `out` null only their number.
size_t merge(const Neighbour* a, const Neighbour* a_end, const Neighbour* b, const Neighbour* b_end, bool mutual, int* out, double* square) {
  size_t size = 0;
  while (a < a_end || b < b_end) {
    bool take_a = b == b_end || (a < a_end && a->point <= b->point), take_b = a == a_end || (b < b_end && b->point <= a->point);
    if (!mutual || (take_a && take_b)) {
      if (out) out[size] = (take_a ? a : b)->point, square[size] = (take_a ? a : b)->square;
      ++size;
    }
    a += take_a;
    b += take_b;
  }
  return size;
}

// Lists of w points each, ascending: i and j are joined if one of them (mutual: each) lists the other.
nb::tuple both_ways(const std::vector<Neighbour>& own, int64_t n, int64_t w, bool mutual, Pool& pool) {
  std::vector<Neighbour> back(own.size());
  std::vector<int64_t> listed(n + 1, 0);  // where the points that list i begin
  int *start, *end;
  double* square;
  auto starts = new_array<int>(n + 1, &start);
  auto for_all = [&](auto work) {
    pool.run((n + AT_ONCE - 1) / AT_ONCE, [&](int64_t task, int) {
      for (int64_t i = task * AT_ONCE; i < std::min(n, (task + 1) * AT_ONCE); ++i) work(i);
    });
  };
  auto join = [&](int64_t i, int* out, double* length) {
    return merge(own.data() + i * w, own.data() + (i + 1) * w, back.data() + listed[i], back.data() + listed[i + 1], mutual, out, length);
  };
  {
    nb::gil_scoped_release release;
    for (auto& o : own) ++listed[o.point + 1];
    for (int64_t i = 0; i < n; ++i) listed[i + 1] += listed[i];
    std::vector<int64_t> next(listed.begin(), listed.end() - 1);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t e = i * w; e < (i + 1) * w; ++e) back[next[own[e].point]++] = {own[e].square, (int)i};
    start[0] = 0;
    for_all([&](int64_t i) { start[i + 1] = (int)join(i, nullptr, nullptr); });
    for (int64_t i = 0; i < n; ++i) start[i + 1] += start[i];
  }
  auto ends = new_array<int>(start[n], &end);
  auto squares = new_array<double>(start[n], &square);
  {
    nb::gil_scoped_release release;
    for_all([&](int64_t i) { join(i, end + start[i], square + start[i]); });
  }
  return nb::make_tuple(starts, ends, squares);
}

void check_pairs(int64_t n, int64_t k) {
  if (2 * n * (k + 1) > (int64_t)std::numeric_limits<int>::max()) throw std::invalid_argument("too many pairs: take fewer neighbours");
}

// The graph of the k nearest; `itself` joins each point to itself as well, at distance 0.
nb::tuple joined(Points points, int k, bool mutual, bool itself, int threads) {
  int64_t n = count_of(points, points, true), w = (int64_t)k + itself;
  if (k < 0 || k > n - 1) throw std::invalid_argument("more neighbours than points");
  check_pairs(n, k);
  std::vector<Neighbour> own(n * w);
  Pool pool(std::max(1, threads));
  {
    nb::gil_scoped_release release;
    find_nearest(points, points, true, k, pool, [&](int64_t i, Neighbour* found) {
      Neighbour* mine = std::copy_n(found, k, own.data() + i * w);
      if (itself) *mine = {0.0, (int)i};
      std::sort(own.data() + i * w, own.data() + (i + 1) * w, by_point);
    });
  }
  return both_ways(own, n, w, mutual, pool);
}

// The same for neighbours found elsewhere.
nb::tuple joined_from(GivenSquares squares, GivenPlaces places, bool mutual, bool itself, int threads) {
  int64_t n = (int64_t)places.shape(0), k = (int64_t)places.shape(1), w = k + itself;
  if (squares.shape(0) != places.shape(0) || squares.shape(1) != places.shape(1))
    throw std::invalid_argument("squares and places differ in shape");
  check_pairs(n, k);
  std::vector<Neighbour> own(n * w);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < k; ++j) {
      int point = places.data()[i * k + j];
      if (point < 0 || point >= n) throw std::invalid_argument("a neighbour is not a point");
      own[i * w + j] = {squares.data()[i * k + j], point};
    }
    if (itself) own[i * w + k] = {0.0, (int)i};
    std::sort(own.data() + i * w, own.data() + (i + 1) * w, by_point);
  }
  Pool pool(std::max(1, threads));
  return both_ways(own, n, w, mutual, pool);
}

}  // namespace

void bind_neighbours(nb::module_& m) {
  m.def("nearest", &nearest, nb::arg("points"), nb::arg("queries"), nb::arg("same"), nb::arg("squares"),
        nb::arg("places"), nb::arg("threads"));
  m.def("order", &order, nb::arg("points"));
  m.def("within", &within, nb::arg("points"), nb::arg("queries"), nb::arg("same"), nb::arg("itself"),
        nb::arg("limit"), nb::arg("most"), nb::arg("threads"));
  m.def("joined", &joined, nb::arg("points"), nb::arg("k"), nb::arg("mutual"), nb::arg("itself"), nb::arg("threads"));
  m.def("joined_from", &joined_from, nb::arg("squares"), nb::arg("places"), nb::arg("mutual"), nb::arg("itself"),
        nb::arg("threads"));
}

}  // namespace mercer
