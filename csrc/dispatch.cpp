// The hot loops of the level in use.
#include <atomic>

#include "hot.h"
#include "levels.h"

namespace mercer {
MERCER_LEVEL_TABLES(HotTable, table)

static std::atomic<const HotTable*> in_use{nullptr};

const HotTable& hot() {
  const HotTable* t = in_use.load();
  if (!t) in_use.store(t = &table_of(chosen_level()));
  return *t;
}

void set_level(const char* name) { in_use.store(&table_of(checked_level(name))); }

}  // namespace mercer
