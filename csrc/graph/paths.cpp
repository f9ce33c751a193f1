// Shortest paths from many sources of a sparse graph. Sources near each other go together: Dijkstra's way from one
// of them says in which order nodes are reached, and in that order all of them are brought up to date side by side.
#include <algorithm>
#include <limits>
#include <memory>
#include <stdexcept>
#include <vector>

#include "../levels.h"
#include "../memory.h"
#include "../pool.h"
#include "graph.h"
#include "relax.h"

namespace mercer {
MERCER_LEVEL_TABLES(RelaxTable, relax)

const RelaxTable& relaxing() {
  static const RelaxTable& chosen = relax_of(chosen_level());
  return chosen;
}

namespace {

using Table = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

constexpr double FAR = std::numeric_limits<double>::infinity();
constexpr size_t FEW = 4;            // fewer sources go one by one
constexpr size_t AROUND = 1024;      // nodes among which neighbours of a source are looked for
constexpr int SWEEPS = 100;

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

// Distances from one source; `order` gets the nodes that are reached, nearest first.
void from_one(const Graph& g, int source, double* distance, Heap& heap, std::vector<int>& order) {
  std::fill(distance, distance + g.nodes, FAR);
  distance[source] = 0.0;
  heap.clear();
  order.clear();
  heap.push_or_lower(source, distance);
  while (!heap.empty()) {
    int node = heap.pop(distance);
    order.push_back(node);
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

// What a thread needs for a group of sources.
struct Desk {
  explicit Desk(int nodes) : heap(nodes), distance(nodes), changed(nodes) { order.reserve(nodes); }
  Heap heap;
  std::vector<double> distance;
  std::vector<int> order;
  std::vector<unsigned char> changed;
  Buffer<double> lanes;
};

// Sweeps to and fro until nothing changes: then every distance is the least sum along a path, as Dijkstra's is.
// False if that takes too long, which takes lengths made for it.
bool together(const Graph& g, const std::vector<int>& sources, Desk& d) {
  d.lanes.grow((int64_t)g.nodes * LANES);
  double* lanes = d.lanes.data();
  const auto relax = relaxing().relax;
  std::fill(lanes, lanes + (int64_t)g.nodes * LANES, FAR);
  std::fill(d.changed.begin(), d.changed.end(), 0);
  from_one(g, sources[0], d.distance.data(), d.heap, d.order);
  for (int l = 0; l < (int)sources.size(); ++l) {
    lanes[(int64_t)sources[l] * LANES + l] = 0.0;
    d.changed[sources[l]] = 1;
  }
  const int64_t many = (int64_t)d.order.size();
  for (int sweep = 0; sweep < SWEEPS; ++sweep) {
    bool any = false;
    for (int64_t k = 0; k < many; ++k) {
      const int node = d.order[sweep % 2 ? many - 1 - k : k];
      if (!d.changed[node]) continue;
      d.changed[node] = 0;
      any = true;
      relax(g.start, g.end, g.length, node, lanes, d.changed.data());
    }
    if (!any) return true;
  }
  return false;
}

// Groups of sources that a few steps lead from one to the other; all are reached from the first.
std::vector<std::vector<int>> neighbourhoods(const Graph& g, const std::vector<unsigned char>& wanted) {
  std::vector<unsigned char> waits = wanted;
  std::vector<int> seen(g.nodes, -1), queue;
  std::vector<std::vector<int>> groups;
  for (int first = 0; first < g.nodes; ++first) {
    if (!waits[first]) continue;
    const int me = (int)groups.size();
    groups.emplace_back();
    queue.assign(1, first);
    seen[first] = me;
    for (size_t at = 0; at < queue.size() && groups[me].size() < LANES && at < AROUND; ++at) {
      const int node = queue[at];
      if (waits[node]) {
        waits[node] = 0;
        groups[me].push_back(node);
      }
      for (int e = g.start[node]; e < g.start[node + 1]; ++e)
        if (seen[g.end[e]] != me) {
          seen[g.end[e]] = me;
          queue.push_back(g.end[e]);
        }
    }
  }
  return groups;
}

void shortest_paths(Index start, Index end, Lengths length, Index sources, Table result, int threads) {
  Graph g = checked_graph(start, end, length);
  for (size_t e = 0; e < length.shape(0); ++e)
    if (!(length.data()[e] >= 0.0)) throw std::invalid_argument("an edge has a negative length or is not a number");
  int64_t count = (int64_t)sources.shape(0);
  if ((int64_t)result.shape(0) != count || (int)result.shape(1) != g.nodes) throw std::invalid_argument("the result has the wrong shape");
  for (int64_t s = 0; s < count; ++s)
    if (sources.data()[s] < 0 || sources.data()[s] >= g.nodes) throw std::invalid_argument("a source is not a node");
  bool interrupted = false;
  auto out = result.data();
  {
    nb::gil_scoped_release release;
    std::vector<int> row(g.nodes, -1);  // of the result, for each source
    std::vector<unsigned char> wanted(g.nodes, 0);
    for (int64_t s = 0; s < count; ++s) {
      wanted[sources.data()[s]] = 1;
      row[sources.data()[s]] = (int)s;
    }
    const std::vector<std::vector<int>> groups = neighbourhoods(g, wanted);
    Pool pool(std::max(1, threads));
    std::vector<std::unique_ptr<Desk>> desks(pool.threads());
    const auto work = [&](const std::vector<int>& group, int thread) {
      if (!desks[thread]) desks[thread] = std::make_unique<Desk>(g.nodes);
      Desk& d = *desks[thread];
      const auto line = [&](int source) { return out + row[source] * (int64_t)g.nodes; };
      if (group.size() < FEW || !together(g, group, d)) {
        for (int source : group) from_one(g, source, line(source), d.heap, d.order);
        return;
      }
      for (int l = 0; l < (int)group.size(); ++l) {
        double* to = line(group[l]);
        for (int node = 0; node < g.nodes; ++node) to[node] = d.lanes[(int64_t)node * LANES + l];
      }
    };
    const int64_t at_once = 2 * pool.threads();  // between two looks at Ctrl-C
    for (int64_t first = 0; first < (int64_t)groups.size() && !interrupted; first += at_once) {
      pool.run(std::min<int64_t>(at_once, (int64_t)groups.size() - first),
               [&](int64_t i, int thread) { work(groups[first + i], thread); });
      nb::gil_scoped_acquire acquire;
      interrupted = PyErr_CheckSignals() != 0;
    }
    for (int64_t s = 0; s < count && !interrupted; ++s) {  // a source that was named twice
      const int64_t first = row[sources.data()[s]];
      if (first != s) std::copy_n(out + first * g.nodes, g.nodes, out + s * g.nodes);
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
