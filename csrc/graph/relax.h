// Distances from several sources side by side, one per lane.
#pragma once
#include <cstdint>

namespace mercer {

constexpr int LANES = 16;

// What is known of `node` (lanes + node * LANES) goes on along its edges start[node] .. start[node + 1]; where an end
// comes nearer in any lane, changed[end] becomes 1. Only sums and minima: the same bits at every level.
struct RelaxTable {
  void (*relax)(const int* start, const int* end, const double* length, int node, double* lanes, unsigned char* changed);
};

const RelaxTable& relaxing();

}  // namespace mercer
