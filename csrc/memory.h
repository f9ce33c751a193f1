// Aligned memory; large pieces ask for huge pages, because the first touch is what costs.
#pragma once
#include <cstdlib>
#include <new>
#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace mercer {

template <class T>
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(size_t count) { reset(count); }
  ~Buffer() { std::free(p_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  Buffer(Buffer&& o) noexcept : p_(o.p_), n_(o.n_) { o.p_ = nullptr; o.n_ = 0; }
  void reset(size_t count) {
    std::free(p_);
    p_ = nullptr;
    n_ = count;
    if (count == 0) return;
    const size_t huge = size_t(2) << 20, bytes = count * sizeof(T);
    const size_t align = bytes >= 2 * huge ? huge : 64;
    p_ = static_cast<T*>(std::aligned_alloc(align, (bytes + align - 1) / align * align));
    if (!p_) throw std::bad_alloc();
#if defined(__linux__)
    if (align == huge) madvise(p_, (bytes + align - 1) / align * align, MADV_HUGEPAGE);
#endif
  }
  void grow(size_t count) { if (count > n_) reset(count); }
  void fill(T v) { for (size_t i = 0; i < n_; ++i) p_[i] = v; }
  T* data() { return p_; }
  const T* data() const { return p_; }
  T& operator[](size_t i) { return p_[i]; }
  const T& operator[](size_t i) const { return p_[i]; }
  size_t size() const { return n_; }

 private:
  T* p_ = nullptr;
  size_t n_ = 0;
};

}  // namespace mercer
