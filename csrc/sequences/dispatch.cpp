// The lanes of the level in use.
#include "../levels.h"
#include "lanes.h"

namespace mercer {
MERCER_LEVEL_TABLES(LaneTable, lanes)

const LaneTable& lanes() {
  static const LaneTable& chosen = lanes_of(chosen_level());  // tried again by the next caller if it throws
  return chosen;
}
}  // namespace mercer
