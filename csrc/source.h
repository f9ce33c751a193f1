// Where kernel values come from: packed vectors, sparse rows, a matrix in memory, or Python.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <vector>

#include "hot.h"
#include "memory.h"

namespace mercer {

inline long round_up(long a, long b) { return (a + b - 1) / b * b; }
inline bool by_inner_product(int family) { return family <= MATERN52; }

// k(x, x) from |x|^2 (or the sum of x for the |x-y|_1 families)
template <class T>
T self_value(const KernelSpec& s, T norm) {
  switch (s.family) {
    case LINEAR: case INTERSECTION: return norm;
    case POLYNOMIAL: return (T)std::pow(s.p[0] * norm + s.p[1], s.p[2]);
    case SIGMOID: return (T)std::tanh(s.p[0] * norm + s.p[1]);
    default: return T(1);
  }
}

// Scratch that one thread reuses between calls.
template <class T>
struct Scratch {
  Buffer<T> a, norms, rows;
  std::vector<T*> dst;
};

template <class T>
class Source {
 public:
  virtual ~Source() = default;
  long n = 0;
  // rows[k] into dst[k] for columns c0..c1 (c0 a multiple of CHUNK); dst[k] points at column c0.
  // dst must have room up to the next multiple of CHUNK. Callable from several threads.
  virtual void compute(const int* rows, long m, long c0, long c1, T* const* dst, Scratch<T>& s) const = 0;
  // K(rows_a, rows_b) into out (leading dimension ld, a multiple of CHUNK)
  virtual void block(const int* ra, long ma, const int* rb, long mb, T* out, long ld, Scratch<T>& s) const = 0;
  virtual T diagonal(long i) const = 0;
  virtual const T* row(long) const { return nullptr; }  // a row that is in memory anyway
  virtual bool whole_rows() const { return false; }     // true: ask once for complete rows (Python)
  virtual bool threads() const { return true; }
};

// Dense vectors, packed once into panels; the kernel is computed in registers.
template <class T>
class VectorSource : public Source<T> {
 public:
  VectorSource(const T* X, long n, long d, KernelSpec spec) : d_(d), spec_(spec), hot_(pick<T>(hot())) {
    this->n = n;
    panels_.reset(round_up(n, CHUNK) * std::max<long>(d, 1));
    norms_.reset(round_up(n, CHUNK));
    pack(X, nullptr, n, panels_.data(), norms_.data());
  }
  long dims() const { return d_; }

  void compute(const int* rows, long m, long c0, long c1, T* const* dst, Scratch<T>& s) const override {
    const long P = hot_.panel, panels = round_up(c1 - c0, P) / P;
    tiles(rows, m, panels_.data() + c0 * d_, norms_.data() + c0, panels, dst, s);
  }

  void block(const int* ra, long ma, const int* rb, long mb, T* out, long ld, Scratch<T>& s) const override {
    Buffer<T> B(round_up(mb, CHUNK) * std::max<long>(d_, 1)), nb(round_up(mb, CHUNK));
    pack(nullptr, rb, mb, B.data(), nb.data());
    std::vector<T*> dst(ma);
    for (long r = 0; r < ma; ++r) dst[r] = out + r * ld;
    tiles(ra, ma, B.data(), nb.data(), round_up(mb, hot_.panel) / hot_.panel, dst.data(), s);
  }

  T diagonal(long i) const override { return self_value<T>(spec_, norms_[i]); }

  // rows of another array against this source (prediction)
  void tiles_of(const T* X, long m, long c0, long c1, T* const* dst, Scratch<T>& s) const {
    const long P = hot_.panel;
    groups(m, panels_.data() + c0 * d_, norms_.data() + c0, round_up(c1 - c0, P) / P, dst, s,
           [&](long r, long k) { return X[r * d_ + k]; });
  }

 private:
  T at(long i, long k) const {
    const long P = hot_.panel;
    return panels_[((i / P) * d_ + k) * P + i % P];
  }

  // columns idx[0..m) (or rows of X) into panels; the padding is zero
  void pack(const T* X, const int* idx, long m, T* B, T* nb) const {
    const long P = hot_.panel, cols = round_up(m, CHUNK);
    for (long j = 0; j < cols; ++j) {
      T* b = B + (j / P) * d_ * P + j % P;
      double sum = 0;
      if (j < m)
        for (long k = 0; k < d_; ++k) {
          const T v = X ? X[j * d_ + k] : at(idx[j], k);
          b[k * P] = v;
          sum += (double)v * (by_inner_product(spec_.family) ? v : T(1));
        }
      else
        for (long k = 0; k < d_; ++k) b[k * P] = 0;
      nb[j] = (T)sum;
    }
  }

  void tiles(const int* rows, long m, const T* B, const T* nb, long panels, T* const* dst, Scratch<T>& s) const {
    groups(m, B, nb, panels, dst, s, [&](long r, long k) { return at(rows[r], k); });
  }

  template <class At>
  void groups(long m, const T* B, const T* nb, long panels, T* const* dst, Scratch<T>& s, At value) const {
    const int G = hot_.group;
    const long groups = (m + G - 1) / G;
    s.a.grow(groups * G * std::max<long>(d_, 1));
    s.norms.grow(groups * G);
    for (long g = 0; g < groups; ++g)
      for (int r = 0; r < G; ++r) {
        const long i = std::min(g * G + r, m - 1);
        double sum = 0;
        T* a = s.a.data() + g * G * d_ + r;
        for (long k = 0; k < d_; ++k) {
          const T v = value(i, k);
          a[k * G] = v;
          sum += (double)v * (by_inner_product(spec_.family) ? v : T(1));
        }
        s.norms[g * G + r] = (T)sum;
      }
    for (long g = 0; g < groups; ++g)
      hot_.tile(s.a.data() + g * G * d_, s.norms.data() + g * G, (int)std::min<long>(G, m - g * G), B, nb, panels, d_,
                spec_, dst + g * G);
  }

  long d_;
  KernelSpec spec_;
  const Hot<T>& hot_;
  Buffer<T> panels_, norms_;
};

// Sparse vectors (CSR), inner-product families.
template <class T>
class SparseSource : public Source<T> {
 public:
  SparseSource(const int64_t* indptr, const int32_t* indices, const T* data, long n, long d, KernelSpec spec)
      : d_(d), spec_(spec), hot_(pick<T>(hot())), indptr_(indptr, indptr + n + 1), indices_(indices, indices + indptr[n]),
        data_(data, data + indptr[n]), norms_(n) {
    this->n = n;
    for (long i = 0; i < n; ++i) {
      double sum = 0;
      for (int64_t e = indptr_[i]; e < indptr_[i + 1]; ++e) sum += (double)data_[e] * data_[e];
      norms_[i] = (T)sum;
    }
  }
  void compute(const int* rows, long m, long c0, long c1, T* const* dst, Scratch<T>& s) const override {
    sweep(rows, m, indptr_.data(), indices_.data(), data_.data(), norms_.data(), c0, std::min(c1, this->n), dst, s);
  }
  void block(const int* ra, long ma, const int* rb, long mb, T* out, long ld, Scratch<T>& s) const override {
    std::vector<int64_t> ptr(mb + 1, 0);
    std::vector<int32_t> ind;
    std::vector<T> dat, nb(mb);
    for (long j = 0; j < mb; ++j) {
      const int64_t a = indptr_[rb[j]], b = indptr_[rb[j] + 1];
      ind.insert(ind.end(), indices_.begin() + a, indices_.begin() + b);
      dat.insert(dat.end(), data_.begin() + a, data_.begin() + b);
      ptr[j + 1] = ptr[j] + (b - a);
      nb[j] = norms_[rb[j]];
    }
    std::vector<T*> dst(ma);
    for (long r = 0; r < ma; ++r) dst[r] = out + r * ld;
    sweep(ra, ma, ptr.data(), ind.data(), dat.data(), nb.data(), 0, mb, dst.data(), s);
  }
  T diagonal(long i) const override { return self_value<T>(spec_, norms_[i]); }

 private:
  void sweep(const int* rows, long m, const int64_t* ptr, const int32_t* ind, const T* dat, const T* nb, long j0, long j1,
             T* const* dst, Scratch<T>& s) const {
    const int G = CSR_GROUP;
    if (s.a.size() < (size_t)(d_ * G)) {
      s.a.reset(d_ * G);
      s.a.fill(0);
    }
    T na[CSR_GROUP];
    for (long g = 0; g < m; g += G) {
      const int count = (int)std::min<long>(G, m - g);
      for (int r = 0; r < G; ++r) {
        na[r] = r < count ? norms_[rows[g + r]] : T(0);
        if (r < count)
          for (int64_t e = indptr_[rows[g + r]]; e < indptr_[rows[g + r] + 1]; ++e) s.a[(long)indices_[e] * G + r] = data_[e];
      }
      hot_.csr_tile(s.a.data(), na, count, ptr, ind, dat, nb, j0, j1, spec_, dst + g);
      for (int r = 0; r < count; ++r)  // leave the scratch zero for the next group
        for (int64_t e = indptr_[rows[g + r]]; e < indptr_[rows[g + r] + 1]; ++e) s.a[(long)indices_[e] * G + r] = 0;
    }
  }
  long d_;
  KernelSpec spec_;
  const Hot<T>& hot_;
  std::vector<int64_t> indptr_;
  std::vector<int32_t> indices_;
  std::vector<T> data_, norms_;
};

// A Gram matrix in memory.
template <class T>
class MatrixSource : public Source<T> {
 public:
  MatrixSource(const T* K, long n, long stride) : K_(K), stride_(stride) { this->n = n; }
  void compute(const int* rows, long m, long c0, long c1, T* const* dst, Scratch<T>&) const override {
    for (long r = 0; r < m; ++r) std::memcpy(dst[r], K_ + rows[r] * stride_ + c0, sizeof(T) * (c1 - c0));
  }
  void block(const int* ra, long ma, const int* rb, long mb, T* out, long ld, Scratch<T>&) const override {
    for (long r = 0; r < ma; ++r) {
      const T* k = K_ + ra[r] * stride_;
      for (long c = 0; c < mb; ++c) out[r * ld + c] = k[rb[c]];
    }
  }
  T diagonal(long i) const override { return K_[i * stride_ + i]; }
  const T* row(long i) const override { return K_ + i * stride_; }

 private:
  const T* K_;
  long stride_;
};

// Any kernel at all: complete rows and small blocks are asked of Python. One thread at a time.
template <class T>
class CallbackSource : public Source<T> {
 public:
  typedef std::function<void(const int*, long, const int*, long, T*, long)> Ask;  // rb == nullptr: all columns
  CallbackSource(long n, std::vector<T> diagonal, Ask ask) : diagonal_(std::move(diagonal)), ask_(std::move(ask)) { this->n = n; }
  void compute(const int* rows, long m, long, long, T* const* dst, Scratch<T>& s) const override {
    s.rows.grow(m * this->n);
    ask_(rows, m, nullptr, this->n, s.rows.data(), this->n);
    for (long r = 0; r < m; ++r) std::memcpy(dst[r], s.rows.data() + r * this->n, sizeof(T) * this->n);
  }
  void block(const int* ra, long ma, const int* rb, long mb, T* out, long ld, Scratch<T>&) const override {
    ask_(ra, ma, rb, mb, out, ld);
  }
  T diagonal(long i) const override { return diagonal_[i]; }
  bool whole_rows() const override { return true; }
  bool threads() const override { return false; }

 private:
  std::vector<T> diagonal_;
  Ask ask_;
};

}  // namespace mercer
