// Aligned memory. Large pieces ask for huge pages and, when given back, stay with the process marked
// as free for the system to take (MADV_FREE): touching fresh memory costs more than computing what
// goes into it, and the next fit is usually of the same size.
#pragma once
#include <cstdlib>
#include <mutex>
#include <new>
#include <utility>
#include <vector>
#if defined(__linux__)
#include <sys/mman.h>
#elif defined(_WIN32)
#include <malloc.h>
#endif

namespace mercer {

constexpr size_t HUGE_PAGE = size_t(2) << 20, LARGE_PIECE = size_t(16) << 20;

// Aligned memory for give_back; large pieces in huge pages where the system has them.
inline void* fresh_memory(size_t bytes) {
  const size_t unit = bytes >= LARGE_PIECE ? HUGE_PAGE : 64, size = (bytes + unit - 1) / unit * unit;
#if defined(_WIN32)
  void* p = size < bytes ? nullptr : _aligned_malloc(size, unit);
#else
  void* p = size < bytes ? nullptr : std::aligned_alloc(unit, size);
#endif
  if (!p) throw std::bad_alloc();
#if defined(__linux__)
  if (unit == HUGE_PAGE) madvise(p, size, MADV_HUGEPAGE);
#endif
  return p;
}

inline void give_back(void* p) {
#if defined(_WIN32)
  _aligned_free(p);
#else
  std::free(p);
#endif
}

class LargeMemory {
 public:
  static constexpr size_t PIECES = 64;  // rows are kept in pieces of 32 MB, and the last fit's may be wanted again

  static void* take(size_t bytes) {
    State& s = state();
    {
      std::lock_guard<std::mutex> lock(s.mutex);
      for (size_t k = 0; k < s.pieces.size(); ++k)
        if (s.pieces[k].second >= bytes && s.pieces[k].second <= 2 * bytes) {
          void* p = s.pieces[k].first;
          s.sizes.push_back(s.pieces[k]);
          s.pieces.erase(s.pieces.begin() + k);
          return p;
        }
    }
    void* p = fresh_memory(bytes);
    std::lock_guard<std::mutex> lock(s.mutex);
    s.sizes.emplace_back(p, (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE);
    return p;
  }

  static void give(void* p) {
    State& s = state();
    std::lock_guard<std::mutex> lock(s.mutex);
    size_t k = 0;
    while (s.sizes[k].first != p) ++k;
    [[maybe_unused]] const size_t bytes = s.sizes[k].second;
    s.sizes.erase(s.sizes.begin() + k);
#if defined(__linux__) && defined(MADV_FREE)
    if (madvise(p, bytes, MADV_FREE) == 0) {
      s.pieces.emplace_back(p, bytes);
      if (s.pieces.size() <= PIECES) return;
      give_back(s.pieces.front().first);
      s.pieces.erase(s.pieces.begin());
      return;
    }
#endif
    give_back(p);
  }

 private:
  struct State {
    std::mutex mutex;
    std::vector<std::pair<void*, size_t>> pieces, sizes;  // kept for later; in use
  };
  static State& state() {
    static State* s = new State;  // never destroyed: threads may outlive static destructors
    return *s;
  }
};

template <class T>
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(size_t count) { reset(count); }
  ~Buffer() { release(); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  Buffer(Buffer&& o) noexcept : p_(o.p_), n_(o.n_) { o.p_ = nullptr; o.n_ = 0; }

  void reset(size_t count) {
    release();
    if (count == 0) return;
    if (count > MOST / sizeof(T)) throw std::bad_alloc();  // a product that overflowed
    const size_t bytes = count * sizeof(T);
    p_ = static_cast<T*>(large(count) ? LargeMemory::take(bytes) : fresh_memory(bytes));
    n_ = count;
  }
  void grow(size_t count) { if (count > n_) reset(count); }
  void fill(T v) { for (size_t i = 0; i < n_; ++i) p_[i] = v; }
  T* data() { return p_; }
  const T* data() const { return p_; }
  T& operator[](size_t i) { return p_[i]; }
  const T& operator[](size_t i) const { return p_[i]; }
  size_t size() const { return n_; }

 private:
  static constexpr size_t MOST = size_t(-1) / 4;
  static bool large(size_t count) { return count * sizeof(T) >= LARGE_PIECE; }
  void release() {
    if (!p_) return;
    if (large(n_)) LargeMemory::give(p_); else give_back(p_);
    p_ = nullptr;
    n_ = 0;
  }
  T* p_ = nullptr;
  size_t n_ = 0;
};

}  // namespace mercer
