// Shortest paths from many sources of a sparse graph: Dijkstra with a binary heap, one source per task.
#include <atomic>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "../pool.h"
#include "graph.h"

namespace mercer {
namespace {

using Table = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// A heap of nodes ordered by distance, with the place of each node, so that distances can decrease.
class Heap {
 public:
  explicit Heap(int nodes) : place_(nodes, -1) { nodes_.reserve(nodes); }
  bool empty() const { return nodes_.empty(); }
  void clear() {
    for (int node : nodes_) place_[node] = -1;
    nodes_.clear();
  }
  void push_or_lower(int node, const double* distance) {
    int at = place_[node];
    if (at < 0) {
      at = (int)nodes_.size();
      nodes_.push_back(node);
    }
    while (at > 0) {
      int parent = (at - 1) / 4;
      if (distance[nodes_[parent]] <= distance[node]) break;
      put(at, nodes_[parent]);
      at = parent;
    }
    put(at, node);
  }
  int pop(const double* distance) {
    int top = nodes_[0], last = nodes_.back();
    nodes_.pop_back();
    place_[top] = -1;
    if (!nodes_.empty()) {
      int at = 0, size = (int)nodes_.size();
      for (;;) {
        int best = -1;
        double low = distance[last];
        for (int child = 4 * at + 1; child < std::min(4 * at + 5, size); ++child)
          if (distance[nodes_[child]] < low) {
            low = distance[nodes_[child]];
            best = child;
          }
        if (best < 0) break;
        put(at, nodes_[best]);
        at = best;
      }
      put(at, last);
    }
    return top;
  }

 private:
  void put(int at, int node) {
    nodes_[at] = node;
    place_[node] = at;
  }
  std::vector<int> nodes_, place_;
};

void from_one(const Graph& g, int source, double* distance, Heap& heap) {
  std::fill(distance, distance + g.nodes, std::numeric_limits<double>::infinity());
  distance[source] = 0.0;
  heap.clear();
  heap.push_or_lower(source, distance);
  while (!heap.empty()) {
    int node = heap.pop(distance);
    double here = distance[node];
    for (int e = g.start[node]; e < g.start[node + 1]; ++e) {
      double longer = here + g.length[e];
      int other = g.end[e];
      if (longer < distance[other]) {
        distance[other] = longer;
        heap.push_or_lower(other, distance);
      }
    }
  }
}

void shortest_paths(Index start, Index end, Lengths length, Index sources, Table result, int threads) {
  Graph g = checked_graph(start, end, length);
  for (size_t e = 0; e < length.shape(0); ++e)
    if (!(length.data()[e] >= 0.0)) throw std::invalid_argument("an edge has a negative length or is not a number");
  int64_t count = (int64_t)sources.shape(0);
  if ((int64_t)result.shape(0) != count || (int)result.shape(1) != g.nodes) throw std::invalid_argument("the result has the wrong shape");
  for (int64_t s = 0; s < count; ++s)
    if (sources.data()[s] < 0 || sources.data()[s] >= g.nodes) throw std::invalid_argument("a source is not a node");
  std::atomic<bool> interrupted{false};
  auto out = result.data();
  {
    nb::gil_scoped_release release;
    Pool pool(std::max(1, threads));
    std::vector<Heap> heaps;
    for (int t = 0; t < pool.threads(); ++t) heaps.emplace_back(g.nodes);
    constexpr int64_t AT_ONCE = 64;  // between two looks at Ctrl-C
    for (int64_t first = 0; first < count && !interrupted; first += AT_ONCE) {
      int64_t part = std::min(AT_ONCE, count - first);
      pool.run(part, [&](int64_t i, int thread) {
        from_one(g, sources.data()[first + i], out + (first + i) * (int64_t)g.nodes, heaps[thread]);
      });
      nb::gil_scoped_acquire acquire;
      if (PyErr_CheckSignals() != 0) interrupted = true;
    }
  }
  if (interrupted) throw nb::python_error();
}

}  // namespace

Graph checked_graph(const Index& start, const Index& end, const Lengths& length) {
  if (start.shape(0) < 1 || end.shape(0) != length.shape(0)) throw std::invalid_argument("not a graph in CSR form");
  Graph g{start.data(), end.data(), length.data(), (int)start.shape(0) - 1};
  int64_t edges = (int64_t)end.shape(0);
  if (g.start[0] != 0 || g.start[g.nodes] != edges) throw std::invalid_argument("the row pointers do not fit the edges");
  for (int i = 0; i < g.nodes; ++i)
    if (g.start[i] > g.start[i + 1]) throw std::invalid_argument("the row pointers must not decrease");
  for (int64_t e = 0; e < edges; ++e)
    if (g.end[e] < 0 || g.end[e] >= g.nodes) throw std::invalid_argument("an edge leads out of the graph");
  return g;
}

void bind_paths(nb::module_& m) {
  m.def("shortest_paths", &shortest_paths, nb::arg("start"), nb::arg("end"), nb::arg("length"), nb::arg("sources"),
        nb::arg("result"), nb::arg("threads"));
}

}  // namespace mercer
