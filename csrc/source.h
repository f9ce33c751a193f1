// Where kernel values come from: packed vectors, sparse rows, a matrix in memory, or Python.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "hot.h"
#include "memory.h"
#include "pool.h"

namespace mercer {

inline int64_t round_up(int64_t a, int64_t b) { return (a + b - 1) / b * b; }
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
  int64_t n = 0;
  int group = 1;  // rows computed together: compute() wants `first` to be a multiple of it
  virtual void prepare(const int* rows, int64_t m, Rows<T>& out, Pool&) const { out.id.assign(rows, rows + m); }
  // Rows first..last of `rows` against columns c0..c1 (c0 a multiple of CHUNK); dst[k] is where row
  // first+k has its column c0, with room up to the next multiple of CHUNK. Callable from any thread.
  virtual void compute(const Rows<T>& rows, int64_t first, int64_t last, int64_t c0, int64_t c1, T* const* dst,
                       Scratch<T>& s) const = 0;
  // K on the given rows into out, rows ld apart (room up to the next multiple of CHUNK); what belongs to
  // no row from..to is there already.
  virtual void block(const int* rows, int64_t m, int64_t from, int64_t to, T* out, int64_t ld, Pool& pool) const = 0;
  virtual T diagonal(int64_t i) const = 0;
  virtual const T* row(int64_t) const { return nullptr; }  // a row that is in memory anyway
  virtual bool whole_rows() const { return false; }     // true: one thread asks for complete rows (Python)
  virtual double cost() const { return 1; }             // of one value, in memory reads
  virtual bool can_split() const { return false; }
  virtual std::unique_ptr<Source<T>> subset(const std::vector<int>&, Pool&) const { return nullptr; }
};

// Rows from..to of a symmetric matrix are there, from column `from` on at least right of the diagonal:
// copies them into the columns from..to, in small squares for the sake of the caches.
template <class T>
void mirror(T* K, int64_t m, int64_t from, int64_t to, int64_t ld, Pool& pool) {
  constexpr int64_t S = 32;
  const Hot<T>& loops = pick<T>(hot());
  pool.run((m + S - 1) / S, [&](int64_t t, int) {
    const int64_t r0 = t * S, r1 = std::min(m, r0 + S);
    const bool outside = r1 <= from || r0 >= to, inside = r0 >= from && r1 <= to;
    for (int64_t c0 = from; c0 < to; c0 += S) {
      const int64_t c1 = std::min(to, c0 + S);
      if (inside && c0 >= r1) break;  // right of the diagonal
      if (outside || (inside && c1 <= r0)) {
        loops.transpose(K + c0 * ld + r0, c1 - c0, r1 - r0, K + r0 * ld + c0, ld);
        continue;
      }
      for (int64_t r = r0; r < r1; ++r) {
        const int64_t end = r < from || r >= to ? c1 : std::min(c1, r);
        for (int64_t c = c0; c < end; ++c) K[r * ld + c] = K[c * ld + r];
      }
    }
  });
}

// Rows of an array, against which rows of another array of the same width can be put (prediction).
template <class T>
class ArraySource : public Source<T> {
 public:
  int64_t width = 0;  // columns of the array
  virtual void prepare_other(const T* X, int64_t m, Rows<T>& out, Pool& pool) const = 0;
};

// Dense vectors, packed once into panels; the kernel is computed in registers. It looks at d columns of
// an array, from column `start` on.
template <class T>
class VectorSource : public ArraySource<T> {
 public:
  VectorSource(const T* X, int64_t n, int64_t width, int64_t start, int64_t d, KernelSpec spec, Pool& pool)
      : start_(start), d_(d), spec_(spec), hot_(pick<T>(hot())) {
    this->n = n;
    this->width = width;
    this->group = hot_.group;
    panels_.reset(round_up(n, CHUNK) * std::max<int64_t>(d, 1));
    norms_.reset(round_up(n, CHUNK));
    pack(n, panels_.data(), norms_.data(), pool, [=](int64_t i) { return X + i * width + start; }, 1);
  }
  bool can_split() const override { return true; }
  std::unique_ptr<Source<T>> subset(const std::vector<int>& rows, Pool& pool) const override {
    return std::unique_ptr<Source<T>>(new VectorSource(*this, rows, pool));
  }
  double cost() const override { return 1 + d_ / 64.0 * (by_inner_product(spec_.family) ? 1 : 4); }

  void prepare(const int* rows, int64_t m, Rows<T>& out, Pool& pool) const override {
    out.id.assign(rows, rows + m);
    group_rows(m, out, pool, [&](int64_t i) { return column(rows[i]); }, hot_.panel);
  }
  void prepare_other(const T* X, int64_t m, Rows<T>& out, Pool& pool) const override {
    group_rows(m, out, pool, [&](int64_t i) { return X + i * this->width + start_; }, 1);
  }

  void compute(const Rows<T>& rows, int64_t first, int64_t last, int64_t c0, int64_t c1, T* const* dst,
               Scratch<T>&) const override {
    tiles(rows, first, last, panels_.data() + c0 * d_, norms_.data() + c0, c1 - c0, dst);
  }

  void block(const int* rows, int64_t m, int64_t from, int64_t to, T* out, int64_t ld, Pool& pool) const override {
    const int64_t P = hot_.panel, band = 4 * hot_.group;
    Buffer<T> B(round_up(m, CHUNK) * std::max<int64_t>(d_, 1)), nb(round_up(m, CHUNK));
    pack(m, B.data(), nb.data(), pool, [&](int64_t i) { return column(rows[i]); }, P);
    Rows<T> A;
    prepare(rows + from, to - from, A, pool);
    pool.run((to - from + band - 1) / band, [&](int64_t t, int) {
      const int64_t r0 = t * band, r1 = std::min(to - from, r0 + band), c0 = (from + r0) / P * P;
      std::vector<T*> dst(r1 - r0);
      const auto part = [&](int64_t c, int64_t columns) {
        for (int64_t r = r0; r < r1; ++r) dst[r - r0] = out + (from + r) * ld + c;
        if (columns > 0) tiles(A, r0, r1, B.data() + c * d_, nb.data() + c, columns, dst.data());
      };
      part(0, std::min(c0, from));
      part(c0, m - c0);
    });
    mirror(out, m, from, to, ld, pool);
  }

  T diagonal(int64_t i) const override { return self_value<T>(spec_, norms_[i]); }

 private:
  VectorSource(const VectorSource& whole, const std::vector<int>& rows, Pool& pool)
      : start_(whole.start_), d_(whole.d_), spec_(whole.spec_), hot_(whole.hot_) {
    this->n = (int64_t)rows.size();
    this->width = whole.width;
    this->group = hot_.group;
    panels_.reset(round_up(this->n, CHUNK) * std::max<int64_t>(d_, 1));
    norms_.reset(round_up(this->n, CHUNK));
    pack(this->n, panels_.data(), norms_.data(), pool, [&](int64_t i) { return whole.column(rows[i]); }, hot_.panel);
  }
  const T* column(int64_t i) const { return panels_.data() + (i / hot_.panel) * d_ * hot_.panel + i % hot_.panel; }

  // a vector's entries are `stride` apart at at(i); copied `apart` apart, with its norm
  T copy(const T* from, int64_t stride, T* to, int64_t apart) const {
    double sum = 0;
    const bool square = by_inner_product(spec_.family);
    for (int64_t k = 0; k < d_; ++k) {
      const T v = from[k * stride];
      to[k * apart] = v;
      sum += square ? (double)v * v : (double)v;
    }
    return (T)sum;
  }

  template <class At>
  void pack(int64_t m, T* B, T* nb, Pool& pool, At at, int64_t stride) const {
    const int64_t P = hot_.panel, panels = round_up(m, CHUNK) / P;
    pool.run((panels + 15) / 16, [&](int64_t t, int) {
      for (int64_t p = t * 16; p < std::min(panels, t * 16 + 16); ++p) {
        T* b = B + p * d_ * P;
        if ((p + 1) * P > m) std::fill(b, b + d_ * P, T(0));
        for (int64_t j = p * P; j < (p + 1) * P; ++j) nb[j] = j < m ? copy(at(j), stride, b + j % P, P) : T(0);
      }
    });
  }

  template <class At>
  void group_rows(int64_t m, Rows<T>& out, Pool& pool, At at, int64_t stride) const {
    const int G = hot_.group;
    const int64_t groups = (m + G - 1) / G;
    out.a.grow(groups * G * std::max<int64_t>(d_, 1));
    out.norms.grow(groups * G);
    pool.run((groups + 15) / 16, [&](int64_t t, int) {
      for (int64_t i = t * 16 * G; i < std::min(groups, t * 16 + 16) * G; ++i)  // the last group repeats its last row
        out.norms[i] = copy(at(std::min(i, m - 1)), stride, out.a.data() + i / G * G * d_ + i % G, G);
    });
  }

  void tiles(const Rows<T>& rows, int64_t first, int64_t last, const T* B, const T* nb, int64_t columns, T* const* dst) const {
    const int64_t panels = (columns + hot_.panel - 1) / hot_.panel;
    hot_.tile(rows.a.data() + first * d_, rows.norms.data() + first, (int)(last - first), B, nb, panels, d_, spec_, dst);
  }

  int64_t start_, d_;
  KernelSpec spec_;
  const Hot<T>& hot_;
  Buffer<T> panels_, norms_;
};

// Sparse vectors (CSR), inner-product families.
template <class T>
class SparseSource : public Source<T> {
 public:
  SparseSource(const int64_t* indptr, const int32_t* indices, const T* data, int64_t n, int64_t d, KernelSpec spec)
      : d_(d), spec_(spec), hot_(pick<T>(hot())) {
    all_.indptr.assign(indptr, indptr + n + 1);
    all_.indices.assign(indices, indices + indptr[n]);
    all_.data.assign(data, data + indptr[n]);
    all_.norms.resize(n);
    this->n = n;
    this->group = CSR_GROUP;
    for (int64_t i = 0; i < n; ++i) {
      double sum = 0;
      for (int64_t e = indptr[i]; e < indptr[i + 1]; ++e) sum += (double)data[e] * data[e];
      all_.norms[i] = (T)sum;
    }
  }
  bool can_split() const override { return true; }
  std::unique_ptr<Source<T>> subset(const std::vector<int>& rows, Pool&) const override {
    const Csr part = select(rows.data(), (int64_t)rows.size());
    return std::make_unique<SparseSource<T>>(part.indptr.data(), part.indices.data(), part.data.data(),
                                             (int64_t)rows.size(), d_, spec_);
  }
  double cost() const override { return 2 + (double)all_.data.size() / std::max<int64_t>(1, this->n) / 4; }

  void compute(const Rows<T>& rows, int64_t first, int64_t last, int64_t c0, int64_t c1, T* const* dst,
               Scratch<T>& s) const override {
    sweep(rows.id.data() + first, last - first, all_, c0, std::min(c1, this->n), dst, s);
  }
  void block(const int* rows, int64_t m, int64_t from, int64_t to, T* out, int64_t ld, Pool& pool) const override {
    const Csr columns = select(rows, m);
    std::vector<Scratch<T>> scratch(pool.threads());
    const int64_t band = 4 * CSR_GROUP;
    pool.run((to - from + band - 1) / band, [&](int64_t t, int thread) {
      const int64_t r0 = from + t * band, r1 = std::min(to, r0 + band);
      std::vector<T*> dst(r1 - r0);
      const auto part = [&](int64_t c0, int64_t c1) {
        for (int64_t r = r0; r < r1; ++r) dst[r - r0] = out + r * ld + c0;
        if (c0 < c1) sweep(rows + r0, r1 - r0, columns, c0, c1, dst.data(), scratch[thread]);
      };
      part(0, from);
      part(r0, m);
    });
    mirror(out, m, from, to, ld, pool);
  }
  T diagonal(int64_t i) const override { return self_value<T>(spec_, all_.norms[i]); }

 private:
  struct Csr {
    std::vector<int64_t> indptr;
    std::vector<int32_t> indices;
    std::vector<T> data, norms;
  };
  Csr select(const int* rows, int64_t m) const {
    Csr part;
    part.indptr.push_back(0);
    for (int64_t j = 0; j < m; ++j) {
      const int64_t a = all_.indptr[rows[j]], b = all_.indptr[rows[j] + 1];
      part.indices.insert(part.indices.end(), all_.indices.begin() + a, all_.indices.begin() + b);
      part.data.insert(part.data.end(), all_.data.begin() + a, all_.data.begin() + b);
      part.indptr.push_back(part.indptr.back() + (b - a));
      part.norms.push_back(all_.norms[rows[j]]);
    }
    return part;
  }
  void sweep(const int* rows, int64_t m, const Csr& columns, int64_t j0, int64_t j1, T* const* dst, Scratch<T>& s) const {
    const int G = CSR_GROUP;
    if (s.a.size() < (size_t)(d_ * G)) {
      s.a.reset(d_ * G);
      s.a.fill(0);
    }
    T na[CSR_GROUP];
    for (int64_t g = 0; g < m; g += G) {
      const int count = (int)std::min<int64_t>(G, m - g);
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
        a[(int64_t)all_.indices[e] * CSR_GROUP + r] = clear ? T(0) : all_.data[e];
  }
  int64_t d_;
  KernelSpec spec_;
  const Hot<T>& hot_;
  Csr all_;
};

// A Gram matrix in memory.
template <class T>
class MatrixSource : public Source<T> {
 public:
  MatrixSource(const T* K, int64_t n, int64_t stride) : K_(K), stride_(stride) { this->n = n; }
  void compute(const Rows<T>& rows, int64_t first, int64_t last, int64_t c0, int64_t c1, T* const* dst,
               Scratch<T>&) const override {
    for (int64_t r = first; r < last; ++r) std::memcpy(dst[r - first], row(rows.id[r]) + c0, sizeof(T) * (c1 - c0));
  }
  void block(const int* rows, int64_t m, int64_t from, int64_t to, T* out, int64_t ld, Pool& pool) const override {
    pool.run((m + 63) / 64, [&](int64_t t, int) {
      for (int64_t r = t * 64; r < std::min(m, t * 64 + 64); ++r) {
        const bool here = r >= from && r < to;
        for (int64_t c = here ? 0 : from; c < (here ? m : to); ++c) out[r * ld + c] = row(rows[r])[rows[c]];
      }
    });
  }
  T diagonal(int64_t i) const override { return row(i)[i]; }
  const T* row(int64_t i) const override { return K_ + i * stride_; }

 private:
  const T* K_;
  int64_t stride_;
};

// Any kernel at all: complete rows and blocks are asked of Python, one thread at a time.
template <class T>
class CallbackSource : public Source<T> {
 public:
  typedef std::function<void(const int*, int64_t, const int*, int64_t, T*, int64_t)> Ask;  // columns == nullptr: all of them
  CallbackSource(int64_t n, std::vector<T> diagonal, Ask ask) : diagonal_(std::move(diagonal)), ask_(std::move(ask)) {
    this->n = n;
  }
  void compute(const Rows<T>& rows, int64_t first, int64_t last, int64_t, int64_t, T* const* dst, Scratch<T>& s) const override {
    const int64_t m = last - first;
    s.rows.grow(m * this->n);
    ask_(rows.id.data() + first, m, nullptr, this->n, s.rows.data(), this->n);
    for (int64_t r = 0; r < m; ++r) std::memcpy(dst[r], s.rows.data() + r * this->n, sizeof(T) * this->n);
  }
  void block(const int* rows, int64_t m, int64_t from, int64_t to, T* out, int64_t ld, Pool& pool) const override {
    ask_(rows + from, to - from, rows, m, out + from * ld, ld);
    mirror(out, m, from, to, ld, pool);
  }
  T diagonal(int64_t i) const override { return diagonal_[i]; }
  bool whole_rows() const override { return true; }
  double cost() const override { return 1e6; }

 private:
  std::vector<T> diagonal_;
  Ask ask_;
};

}  // namespace mercer
