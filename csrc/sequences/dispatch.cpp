// Chooses the best set of lanes this processor can run.
#include "lanes.h"

namespace mercer {
#ifdef MERCER_HAS_avx512
const LaneTable& lanes_avx512();
#endif
#ifdef MERCER_HAS_avx2
const LaneTable& lanes_avx2();
#endif
const LaneTable& lanes_base();

const LaneTable& lanes() {
#ifdef MERCER_HAS_avx512
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd"))
    return lanes_avx512();
#endif
#ifdef MERCER_HAS_avx2
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
      __builtin_cpu_supports("bmi2"))
    return lanes_avx2();
#endif
  return lanes_base();
}
}  // namespace mercer
