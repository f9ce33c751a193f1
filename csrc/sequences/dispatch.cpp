// The lanes of the level in use.
#include "../levels.h"
#include "lanes.h"

namespace mercer {
#ifdef MERCER_HAS_avx512
const LaneTable& lanes_avx512();
#endif
#ifdef MERCER_HAS_avx2
const LaneTable& lanes_avx2();
#endif
const LaneTable& lanes_base();

namespace {
const LaneTable& table(const std::string& level) {
#ifdef MERCER_HAS_avx512
  if (level == "avx512") return lanes_avx512();
#endif
#ifdef MERCER_HAS_avx2
  if (level == "avx2") return lanes_avx2();
#endif
  return lanes_base();
}
}  // namespace

const LaneTable& lanes() {
  static const LaneTable& chosen = table(chosen_level());  // tried again by the next caller if it throws
  return chosen;
}
}  // namespace mercer
