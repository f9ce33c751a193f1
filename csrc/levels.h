// Instruction levels: "base", and on x86 "avx2" and "avx512". Everything hot is compiled once per level.
#pragma once
#include <string>
#include <vector>

namespace mercer {

std::vector<std::string> levels();                     // what this processor and this build run, best first
std::string checked_level(const std::string& asked);   // throws std::invalid_argument unless it is one of them
std::string chosen_level();                            // what MERCER_LEVEL asks for, else the best

}  // namespace mercer

// What is compiled once per level is a table of functions, `name`_avx512(), ...; `name`_of(level) is that of one level.
#ifdef MERCER_HAS_avx512
#define MERCER_AVX512(text) text
#else
#define MERCER_AVX512(text)
#endif
#ifdef MERCER_HAS_avx2
#define MERCER_AVX2(text) text
#else
#define MERCER_AVX2(text)
#endif
#define MERCER_LEVEL_TABLES(Table, name)                           \
  MERCER_AVX512(const Table& name##_avx512();)                     \
  MERCER_AVX2(const Table& name##_avx2();)                         \
  const Table& name##_base();                                      \
  static const Table& name##_of(const std::string& level) {        \
    MERCER_AVX512(if (level == "avx512") return name##_avx512();)  \
    MERCER_AVX2(if (level == "avx2") return name##_avx2();)        \
    return name##_base();                                          \
  }
