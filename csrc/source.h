// Where kernel values come from: packed vectors, sparse rows, a matrix in memory, or Python.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "hot.h"
#include "memory.h"
#include "pool.h"

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
    case MANHATTAN: return T(0);
    default: return T(1);
  }
}

// Some rows of the data, laid out for the hot loops; once for each part of a kernel made of kernels.
template <class T>
struct Rows {
  std::vector<int> id;
  Buffer<T> a, norms;
  std::vector<Rows<T>> parts;
};

// Memory that one thread reuses between calls. `part` is the tile of this part of a combined kernel.
template <class T>
struct Scratch {
  Buffer<T> a, rows, part;
  std::vector<T*> dst, part_rows;
  std::vector<Scratch<T>> parts;
};

template <class T>
class Source {
 public:
  virtual ~Source() = default;
  long n = 0;
  int group = 1;  // rows computed together: compute() wants `first` to be a multiple of it
  virtual void prepare(const int* rows, long m, Rows<T>& out, Pool&) const { out.id.assign(rows, rows + m); }
  // Rows first..last of `rows` against columns c0..c1 (c0 a multiple of CHUNK); dst[k] is where row
  // first+k has its column c0, with room up to the next multiple of CHUNK. Callable from any thread.
  virtual void compute(const Rows<T>& rows, long first, long last, long c0, long c1, T* const* dst,
                       Scratch<T>& s) const = 0;
  // K on the given rows into out, rows ld apart (room up to the next multiple of CHUNK); what belongs to
  // no row from..to is there already.
  virtual void block(const int* rows, long m, long from, long to, T* out, long ld, Pool& pool) const = 0;
  virtual T diagonal(long i) const = 0;
  virtual const T* row(long) const { return nullptr; }  // a row that is in memory anyway
  virtual bool whole_rows() const { return false; }     // true: one thread asks for complete rows (Python)
  virtual double cost() const { return 1; }             // of one value, in memory reads
  virtual bool can_split() const { return false; }
  virtual std::unique_ptr<Source<T>> subset(const std::vector<int>&, Pool&) const { return nullptr; }
};

// Rows from..to of a symmetric matrix are there, from column `from` on at least right of the diagonal:
// copies them into the columns from..to, in small squares for the sake of the caches.
template <class T>
void mirror(T* K, long m, long from, long to, long ld, Pool& pool) {
  constexpr long S = 32;
  pool.run((m + S - 1) / S, [&](long t, int) {
    const long r0 = t * S, r1 = std::min(m, r0 + S);
    for (long c0 = from; c0 < to; c0 += S) {
      const long c1 = std::min(to, c0 + S);
      const bool outside = r1 <= from || r0 >= to;
      for (long r = r0; r < r1; ++r) {
        const long end = outside || r < from || r >= to ? c1 : std::min(c1, r);
        for (long c = c0; c < end; ++c) K[r * ld + c] = K[c * ld + r];
      }
    }
  });
}

// Rows of an array, against which rows of another array of the same width can be put (prediction).
template <class T>
class ArraySource : public Source<T> {
 public:
  long width = 0;  // columns of the array
  virtual void prepare_other(const T* X, long m, Rows<T>& out, Pool& pool) const = 0;
};

// Dense vectors, packed once into panels; the kernel is computed in registers. It looks at d columns of
// an array, from column `start` on.
template <class T>
class VectorSource : public ArraySource<T> {
 public:
  VectorSource(const T* X, long n, long width, long start, long d, KernelSpec spec, Pool& pool)
      : start_(start), d_(d), spec_(spec), hot_(pick<T>(hot())) {
    this->n = n;
    this->width = width;
    this->group = hot_.group;
    panels_.reset(round_up(n, CHUNK) * std::max<long>(d, 1));
    norms_.reset(round_up(n, CHUNK));
    pack(n, panels_.data(), norms_.data(), pool, [=](long i) { return X + i * width + start; }, 1);
  }
  bool can_split() const override { return true; }
  std::unique_ptr<Source<T>> subset(const std::vector<int>& rows, Pool& pool) const override {
    return std::unique_ptr<Source<T>>(new VectorSource(*this, rows, pool));
  }
  double cost() const override { return 1 + d_ / 64.0 * (by_inner_product(spec_.family) ? 1 : 4); }

  void prepare(const int* rows, long m, Rows<T>& out, Pool& pool) const override {
    out.id.assign(rows, rows + m);
    group_rows(m, out, pool, [&](long i) { return column(rows[i]); }, hot_.panel);
  }
  void prepare_other(const T* X, long m, Rows<T>& out, Pool& pool) const override {
    group_rows(m, out, pool, [&](long i) { return X + i * this->width + start_; }, 1);
  }

  void compute(const Rows<T>& rows, long first, long last, long c0, long c1, T* const* dst,
               Scratch<T>&) const override {
    tiles(rows, first, last, panels_.data() + c0 * d_, norms_.data() + c0, c1 - c0, dst);
  }

  void block(const int* rows, long m, long from, long to, T* out, long ld, Pool& pool) const override {
    const long P = hot_.panel, band = 4 * hot_.group;
    Buffer<T> B(round_up(m, CHUNK) * std::max<long>(d_, 1)), nb(round_up(m, CHUNK));
    pack(m, B.data(), nb.data(), pool, [&](long i) { return column(rows[i]); }, P);
    Rows<T> A;
    prepare(rows + from, to - from, A, pool);
    pool.run((to - from + band - 1) / band, [&](long t, int) {
      const long r0 = t * band, r1 = std::min(to - from, r0 + band), c0 = (from + r0) / P * P;
      std::vector<T*> dst(r1 - r0);
      const auto part = [&](long c, long columns) {
        for (long r = r0; r < r1; ++r) dst[r - r0] = out + (from + r) * ld + c;
        if (columns > 0) tiles(A, r0, r1, B.data() + c * d_, nb.data() + c, columns, dst.data());
      };
      part(0, std::min(c0, from));
      part(c0, m - c0);
    });
    mirror(out, m, from, to, ld, pool);
  }

  T diagonal(long i) const override { return self_value<T>(spec_, norms_[i]); }

 private:
  VectorSource(const VectorSource& whole, const std::vector<int>& rows, Pool& pool)
      : start_(whole.start_), d_(whole.d_), spec_(whole.spec_), hot_(whole.hot_) {
    this->n = (long)rows.size();
    this->width = whole.width;
    this->group = hot_.group;
    panels_.reset(round_up(this->n, CHUNK) * std::max<long>(d_, 1));
    norms_.reset(round_up(this->n, CHUNK));
    pack(this->n, panels_.data(), norms_.data(), pool, [&](long i) { return whole.column(rows[i]); }, hot_.panel);
  }
  const T* column(long i) const { return panels_.data() + (i / hot_.panel) * d_ * hot_.panel + i % hot_.panel; }

  // a vector's entries are `stride` apart at at(i); copied `apart` apart, with its norm
  T copy(const T* from, long stride, T* to, long apart) const {
    double sum = 0;
    const bool square = by_inner_product(spec_.family);
    for (long k = 0; k < d_; ++k) {
      const T v = from[k * stride];
      to[k * apart] = v;
      sum += square ? (double)v * v : (double)v;
    }
    return (T)sum;
  }

  template <class At>
  void pack(long m, T* B, T* nb, Pool& pool, At at, long stride) const {
    const long P = hot_.panel, panels = round_up(m, CHUNK) / P;
    pool.run((panels + 15) / 16, [&](long t, int) {
      for (long p = t * 16; p < std::min(panels, t * 16 + 16); ++p) {
        T* b = B + p * d_ * P;
        if ((p + 1) * P > m) std::fill(b, b + d_ * P, T(0));
        for (long j = p * P; j < (p + 1) * P; ++j) nb[j] = j < m ? copy(at(j), stride, b + j % P, P) : T(0);
      }
    });
  }

  template <class At>
  void group_rows(long m, Rows<T>& out, Pool& pool, At at, long stride) const {
    const int G = hot_.group;
    const long groups = (m + G - 1) / G;
    out.a.grow(groups * G * std::max<long>(d_, 1));
    out.norms.grow(groups * G);
    pool.run((groups + 15) / 16, [&](long t, int) {
      for (long i = t * 16 * G; i < std::min(groups, t * 16 + 16) * G; ++i)  // the last group repeats its last row
        out.norms[i] = copy(at(std::min(i, m - 1)), stride, out.a.data() + i / G * G * d_ + i % G, G);
    });
  }

  void tiles(const Rows<T>& rows, long first, long last, const T* B, const T* nb, long columns, T* const* dst) const {
    const long panels = (columns + hot_.panel - 1) / hot_.panel;
    hot_.tile(rows.a.data() + first * d_, rows.norms.data() + first, (int)(last - first), B, nb, panels, d_, spec_, dst);
  }

  long start_, d_;
  KernelSpec spec_;
  const Hot<T>& hot_;
  Buffer<T> panels_, norms_;
};

// Sparse vectors (CSR), inner-product families.
template <class T>
class SparseSource : public Source<T> {
 public:
  SparseSource(const int64_t* indptr, const int32_t* indices, const T* data, long n, long d, KernelSpec spec)
      : d_(d), spec_(spec), hot_(pick<T>(hot())) {
    all_.indptr.assign(indptr, indptr + n + 1);
    all_.indices.assign(indices, indices + indptr[n]);
    all_.data.assign(data, data + indptr[n]);
    all_.norms.resize(n);
    this->n = n;
    this->group = CSR_GROUP;
    for (long i = 0; i < n; ++i) {
      double sum = 0;
      for (int64_t e = indptr[i]; e < indptr[i + 1]; ++e) sum += (double)data[e] * data[e];
      all_.norms[i] = (T)sum;
    }
  }
  bool can_split() const override { return true; }
  std::unique_ptr<Source<T>> subset(const std::vector<int>& rows, Pool&) const override {
    const Csr part = select(rows.data(), (long)rows.size());
    return std::make_unique<SparseSource<T>>(part.indptr.data(), part.indices.data(), part.data.data(),
                                             (long)rows.size(), d_, spec_);
  }
  double cost() const override { return 2 + (double)all_.data.size() / std::max<long>(1, this->n) / 4; }

  void compute(const Rows<T>& rows, long first, long last, long c0, long c1, T* const* dst,
               Scratch<T>& s) const override {
    sweep(rows.id.data() + first, last - first, all_, c0, std::min(c1, this->n), dst, s);
  }
  void block(const int* rows, long m, long from, long to, T* out, long ld, Pool& pool) const override {
    const Csr columns = select(rows, m);
    std::vector<Scratch<T>> scratch(pool.threads());
    const long band = 4 * CSR_GROUP;
    pool.run((to - from + band - 1) / band, [&](long t, int thread) {
      const long r0 = from + t * band, r1 = std::min(to, r0 + band);
      std::vector<T*> dst(r1 - r0);
      const auto part = [&](long c0, long c1) {
        for (long r = r0; r < r1; ++r) dst[r - r0] = out + r * ld + c0;
        if (c0 < c1) sweep(rows + r0, r1 - r0, columns, c0, c1, dst.data(), scratch[thread]);
      };
      part(0, from);
      part(r0, m);
    });
    mirror(out, m, from, to, ld, pool);
  }
  T diagonal(long i) const override { return self_value<T>(spec_, all_.norms[i]); }

 private:
  struct Csr {
    std::vector<int64_t> indptr;
    std::vector<int32_t> indices;
    std::vector<T> data, norms;
  };
  Csr select(const int* rows, long m) const {
    Csr part;
    part.indptr.push_back(0);
    for (long j = 0; j < m; ++j) {
      const int64_t a = all_.indptr[rows[j]], b = all_.indptr[rows[j] + 1];
      part.indices.insert(part.indices.end(), all_.indices.begin() + a, all_.indices.begin() + b);
      part.data.insert(part.data.end(), all_.data.begin() + a, all_.data.begin() + b);
      part.indptr.push_back(part.indptr.back() + (b - a));
      part.norms.push_back(all_.norms[rows[j]]);
    }
    return part;
  }
  void sweep(const int* rows, long m, const Csr& columns, long j0, long j1, T* const* dst, Scratch<T>& s) const {
    const int G = CSR_GROUP;
    if (s.a.size() < (size_t)(d_ * G)) {
      s.a.reset(d_ * G);
      s.a.fill(0);
    }
    T na[CSR_GROUP];
    for (long g = 0; g < m; g += G) {
      const int count = (int)std::min<long>(G, m - g);
      spread(rows + g, count, s.a.data(), false);
      for (int r = 0; r < G; ++r) na[r] = r < count ? all_.norms[rows[g + r]] : T(0);
      hot_.csr_tile(s.a.data(), na, count, columns.indptr.data(), columns.indices.data(), columns.data.data(),
                    columns.norms.data(), j0, j1, spec_, dst + g);
      spread(rows + g, count, s.a.data(), true);  // leave the scratch zero for the next group
    }
  }
  void spread(const int* rows, int count, T* a, bool clear) const {
    for (int r = 0; r < count; ++r)
      for (int64_t e = all_.indptr[rows[r]]; e < all_.indptr[rows[r] + 1]; ++e)
        a[(long)all_.indices[e] * CSR_GROUP + r] = clear ? T(0) : all_.data[e];
  }
  long d_;
  KernelSpec spec_;
  const Hot<T>& hot_;
  Csr all_;
};

// A Gram matrix in memory.
template <class T>
class MatrixSource : public Source<T> {
 public:
  MatrixSource(const T* K, long n, long stride) : K_(K), stride_(stride) { this->n = n; }
  void compute(const Rows<T>& rows, long first, long last, long c0, long c1, T* const* dst,
               Scratch<T>&) const override {
    for (long r = first; r < last; ++r) std::memcpy(dst[r - first], row(rows.id[r]) + c0, sizeof(T) * (c1 - c0));
  }
  void block(const int* rows, long m, long from, long to, T* out, long ld, Pool& pool) const override {
    pool.run((m + 63) / 64, [&](long t, int) {
      for (long r = t * 64; r < std::min(m, t * 64 + 64); ++r) {
        const bool here = r >= from && r < to;
        for (long c = here ? 0 : from; c < (here ? m : to); ++c) out[r * ld + c] = row(rows[r])[rows[c]];
      }
    });
  }
  T diagonal(long i) const override { return row(i)[i]; }
  const T* row(long i) const override { return K_ + i * stride_; }

 private:
  const T* K_;
  long stride_;
};

// Any kernel at all: complete rows and blocks are asked of Python, one thread at a time.
template <class T>
class CallbackSource : public Source<T> {
 public:
  typedef std::function<void(const int*, long, const int*, long, T*, long)> Ask;  // columns == nullptr: all of them
  CallbackSource(long n, std::vector<T> diagonal, Ask ask) : diagonal_(std::move(diagonal)), ask_(std::move(ask)) {
    this->n = n;
  }
  void compute(const Rows<T>& rows, long first, long last, long, long, T* const* dst, Scratch<T>& s) const override {
    const long m = last - first;
    s.rows.grow(m * this->n);
    ask_(rows.id.data() + first, m, nullptr, this->n, s.rows.data(), this->n);
    for (long r = 0; r < m; ++r) std::memcpy(dst[r], s.rows.data() + r * this->n, sizeof(T) * this->n);
  }
  void block(const int* rows, long m, long from, long to, T* out, long ld, Pool& pool) const override {
    ask_(rows + from, to - from, rows, m, out + from * ld, ld);
    mirror(out, m, from, to, ld, pool);
  }
  T diagonal(long i) const override { return diagonal_[i]; }
  bool whole_rows() const override { return true; }
  double cost() const override { return 1e6; }

 private:
  std::vector<T> diagonal_;
  Ask ask_;
};

}  // namespace mercer
