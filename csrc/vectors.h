// Vector types of the instruction set a file is compiled for; only for files built once per set.
#pragma once
#include <cstdint>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define LEVEL_NAMESPACE2(x) level_##x
#define LEVEL_NAMESPACE1(x) LEVEL_NAMESPACE2(x)

namespace mercer {
namespace LEVEL_NAMESPACE1(MERCER_LEVEL) {

#if defined(__AVX512F__)
constexpr int BYTES = 64, GROUP = 12;
#elif defined(__AVX__)
constexpr int BYTES = 32, GROUP = 6;
#else
constexpr int BYTES = 16, GROUP = 6;
#endif

typedef float vfloat __attribute__((vector_size(BYTES)));
typedef double vdouble __attribute__((vector_size(BYTES)));
typedef int32_t vint32 __attribute__((vector_size(BYTES)));
typedef int64_t vint64 __attribute__((vector_size(BYTES)));
typedef float vhalf __attribute__((vector_size(BYTES / 2)));  // as many floats as a vdouble has doubles

template <class T> struct Vec;
template <> struct Vec<float> {
  typedef vfloat V;
  typedef vint32 I;
  typedef int32_t int_t;
  static constexpr int N = BYTES / 4;
};
template <> struct Vec<double> {
  typedef vdouble V;
  typedef vint64 I;
  typedef int64_t int_t;
  static constexpr int N = BYTES / 8;
};

template <class V, class T> inline V load(const T* p) { V v; __builtin_memcpy(&v, p, sizeof v); return v; }
template <class V, class T> inline void store(T* p, V v) { __builtin_memcpy(p, &v, sizeof v); }
// b where one of them is no number. On x86 this is one instruction, which compilers do not find by themselves.
#if defined(__AVX512F__)
#define PART(x) _mm512_##x
#elif defined(__AVX__)
#define PART(x) _mm256_##x
#elif defined(__x86_64__)
#define PART(x) _mm_##x
#endif
#if defined(PART)
inline vfloat vmin(vfloat a, vfloat b) { return PART(min_ps)(a, b); }
inline vfloat vmax(vfloat a, vfloat b) { return PART(max_ps)(a, b); }
inline vdouble vmin(vdouble a, vdouble b) { return PART(min_pd)(a, b); }
inline vdouble vmax(vdouble a, vdouble b) { return PART(max_pd)(a, b); }
#undef PART
#else
template <class V> inline V vmin(V a, V b) { return a < b ? a : b; }
template <class V> inline V vmax(V a, V b) { return a > b ? a : b; }
#endif
// lanes of a (0 .. N-1) and b (N .. 2N-1)
#if defined(__clang__)
template <class V, class I> inline V shuffle(V a, V b, I at) {
  constexpr int N = sizeof(V) / sizeof(a[0]);
  V out;
  for (int k = 0; k < N; ++k) out[k] = at[k] < N ? a[at[k]] : b[at[k] - N];
  return out;
}
#else
template <class V, class I> inline V shuffle(V a, V b, I at) { return __builtin_shuffle(a, b, at); }
#endif
template <class V> inline V vabs(V a) { V z = a - a; return vmax(a, z - a); }

}  // namespace
}  // namespace mercer
