#include "levels.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace mercer {

std::vector<std::string> levels() {
  std::vector<std::string> found;
#ifdef MERCER_HAS_avx512
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    found.push_back("avx512");
#endif
#ifdef MERCER_HAS_avx2
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
      __builtin_cpu_supports("bmi2"))
    found.push_back("avx2");
#endif
  found.push_back("base");
  return found;
}

std::string checked_level(const std::string& asked) {
  const std::vector<std::string> known = levels();
  if (std::find(known.begin(), known.end(), asked) != known.end()) return asked;
  std::string names;
  for (const std::string& name : known) names += (names.empty() ? "" : ", ") + name;
  throw std::invalid_argument("this processor cannot run the instruction level '" + asked + "'; it runs " + names);
}

std::string chosen_level() {
  const char* asked = std::getenv("MERCER_LEVEL");
  if (!asked || !*asked) return levels().front();
  try {
    return checked_level(asked);
  } catch (const std::invalid_argument& problem) {
    throw std::invalid_argument(std::string("MERCER_LEVEL: ") + problem.what());
  }
}

}  // namespace mercer
