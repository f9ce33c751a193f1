// Chooses the best set of hot loops this processor can run.
#include <atomic>
#include <cstring>

#include "hot.h"

namespace mercer {
#ifdef MERCER_HAS_avx512
const HotTable& table_avx512();
#endif
#ifdef MERCER_HAS_avx2
const HotTable& table_avx2();
#endif
const HotTable& table_base();

namespace {
typedef const HotTable& (*Getter)();
int available(Getter* out) {
  int n = 0;
#ifdef MERCER_HAS_avx512
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    out[n++] = table_avx512;
#endif
#ifdef MERCER_HAS_avx2
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
      __builtin_cpu_supports("bmi2"))
    out[n++] = table_avx2;
#endif
  out[n++] = table_base;
  return n;
}
std::atomic<const HotTable*> in_use{nullptr};
}  // namespace

const HotTable& hot() {
  const HotTable* t = in_use.load();
  if (!t) {
    Getter g[3];
    available(g);
    t = &g[0]();
    in_use.store(t);
  }
  return *t;
}

bool set_level(const char* name) {
  Getter g[3];
  const int n = available(g);
  for (int i = 0; i < n; ++i)
    if (!std::strcmp(g[i]().name, name)) {
      in_use.store(&g[i]());
      return true;
    }
  return false;
}

int levels(const char** names, int most) {
  Getter g[3];
  const int n = available(g);
  for (int i = 0; i < n && i < most; ++i) names[i] = g[i]().name;
  return n;
}
}  // namespace mercer
