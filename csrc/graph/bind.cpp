// The module _graph: neighbours, shortest paths, random walks.
#include <nanobind/stl/string.h>

#include "../levels.h"
#include "graph.h"

NB_MODULE(_graph, m) {
  mercer::bind_paths(m);
  mercer::bind_neighbours(m);
  mercer::bind_walk(m);
  m.def("level", &mercer::chosen_level);
}
