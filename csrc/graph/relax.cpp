// One step of shortest paths from several sources at once, compiled once per instruction set.
#include "relax.h"

namespace mercer {
namespace {

#if defined(__AVX512F__)
constexpr int WIDE = 8;
#elif defined(__AVX__)
constexpr int WIDE = 4;
#else
constexpr int WIDE = 2;
#endif
constexpr int VECTORS = LANES / WIDE;
typedef double Lane __attribute__((vector_size(8 * WIDE)));
typedef int64_t Mask __attribute__((vector_size(8 * WIDE)));

inline Lane load(const double* p) { Lane v; __builtin_memcpy(&v, p, sizeof v); return v; }

void relax(const int* start, const int* end, const double* length, int node, double* lanes, unsigned char* changed) {
  Lane here[VECTORS];
#pragma GCC unroll 8
  for (int k = 0; k < VECTORS; ++k) here[k] = load(lanes + (int64_t)node * LANES + k * WIDE);
  for (int e = start[node]; e < start[node + 1]; ++e) {
    double* to = lanes + (int64_t)end[e] * LANES;
    const Lane step = Lane{} + length[e];
    Mask lower = Mask{};
#pragma GCC unroll 8
    for (int k = 0; k < VECTORS; ++k) {
      const Lane there = load(to + k * WIDE), longer = here[k] + step, least = longer < there ? longer : there;
      lower |= longer < there;
      __builtin_memcpy(to + k * WIDE, &least, sizeof least);
    }
    int64_t any = 0;
#pragma GCC unroll 8
    for (int k = 0; k < WIDE; ++k) any |= lower[k];
    if (any) changed[end[e]] = 1;
  }
}

}  // namespace

#define MERCER_NAME2(level) relax_##level
#define MERCER_NAME(level) MERCER_NAME2(level)
const RelaxTable& MERCER_NAME(MERCER_LEVEL)() {
  static const RelaxTable table = {relax};
  return table;
}

}  // namespace mercer
