// The hot loops of the level in use.
#include <atomic>

#include "hot.h"
#include "levels.h"

namespace mercer {
#ifdef MERCER_HAS_avx512
const HotTable& table_avx512();
#endif
#ifdef MERCER_HAS_avx2
const HotTable& table_avx2();
#endif
const HotTable& table_base();

namespace {
const HotTable* table(const std::string& level) {
#ifdef MERCER_HAS_avx512
  if (level == "avx512") return &table_avx512();
#endif
#ifdef MERCER_HAS_avx2
  if (level == "avx2") return &table_avx2();
#endif
  return &table_base();
}
std::atomic<const HotTable*> in_use{nullptr};
}  // namespace

const HotTable& hot() {
  const HotTable* t = in_use.load();
  if (!t) in_use.store(t = table(chosen_level()));
  return *t;
}

void set_level(const char* name) { in_use.store(table(checked_level(name))); }

}  // namespace mercer
