// The working set's part of K, kept from step to step: new variables take the places of those that leave.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "middle.h"
#include "row_cache.h"
#include "solver.h"

namespace mercer {

template <class T>
class Block {
 public:
  explicit Block(const Source<T>& source) : source_(source) {}
  Dense<T> dense;

  // The problem of the variables in `set`, whose first half may have been the second half of the last
  // one. Returns them in the order in which they stand in the block.
  const std::vector<int>& fill(const std::vector<int>& set, const QuadraticProgram& p, const std::vector<double>& h,
                               const std::vector<T>& diag, const RowCache<T>& cache, const std::vector<int64_t>& wanted,
                               Pool& pool) {
    const int64_t m = (int64_t)set.size(), half = m / 2;
    const bool stays = m % 2 == 0 && (int64_t)set_.size() == m && std::equal(set.begin(), set.begin() + half, newest());
    // the half that stays keeps its places; the other half is new
    const int64_t from = stays ? m - half - from_ : 0, to = stays ? from + half : m;
    if (stays) std::copy(set.begin() + half, set.end(), set_.begin() + from);
    else set_ = set;
    from_ = stays ? from : half;
    shape(m, p.groups);
    for (int64_t a = 0; a < m; ++a) {
      const int64_t v = set_[a];
      rows_[a] = p.index[v];
      dense.h[a] = h[v];
      dense.g[a] = p.g[v];
      dense.lo[a] = p.lo[v];
      dense.hi[a] = p.hi[v];
      dense.group[a] = p.groups == 2 ? p.group[v] : 0;
      dense.diag[a] = diag[rows_[a]] + (p.shift.empty() ? T(0) : (T)p.shift[v]);
    }
    values(from, to, cache, wanted, pool);
    signs_and_shifts(p, from, to, pool);
    return set_;
  }

  bool finite() const {
    for (int64_t a = 0; a < dense.n; ++a)
      for (int64_t c = 0; c < dense.n; ++c)
        if (!std::isfinite(dense.K[a * dense.ld + c])) return false;
    return true;
  }
  int64_t values_computed = 0;

 private:
  std::vector<int>::const_iterator newest() const { return set_.begin() + from_; }

  void shape(int64_t m, int groups) {
    const int64_t ld = round_up(m, CHUNK) + 32;  // off a power of two: caches alias
    dense.groups = groups;
    if (dense.n == m && dense.ld == ld) return;
    dense.n = m;
    dense.ld = ld;
    dense.K.grow(m * ld);
    dense.padded = true;
    dense.diag.resize(m);
    for (auto* x : {&dense.h, &dense.g, &dense.lo, &dense.hi}) x->resize(m);
    dense.group.resize(m);
    rows_.resize(m);
  }

  void values(int64_t from, int64_t to, const RowCache<T>& cache, const std::vector<int64_t>& wanted, Pool& pool) {
    const int64_t m = dense.n, ld = dense.ld;
    T* K = dense.K.data();
    std::vector<const T*> held(m, nullptr);
    int64_t known = 0;
    // gathering reads all over the cache: worth it only where a value is dear
    if (source_.row(0) || source_.cost() > 4)
      for (int64_t a = 0; a < m; ++a) known += (held[a] = cache.complete(rows_[a], wanted)) && a >= from && a < to;
    if (known) gather(from, to, held, cache, pool);
    else {
      source_.block(rows_.data(), m, from, to, K, ld, pool);
      values_computed += (to - from) * m - (to - from) * (to - from) / 2;
    }
    const int64_t end = round_up(m, 16);
    for (int64_t a = 0; a < m; ++a) std::fill(K + a * ld + m, K + a * ld + end, T(0));
  }

  // New rows that are held give their entries; what neither side holds is computed as a block of its own.
  void gather(int64_t from, int64_t to, const std::vector<const T*>& held, const RowCache<T>& cache, Pool& pool) {
    const int64_t m = dense.n, ld = dense.ld;
    T* K = dense.K.data();
    std::vector<int64_t> offset(m);
    for (int64_t c = 0; c < m; ++c) offset[c] = cache.offset(rows_[c]);
    pool.run((m + 31) / 32, [&](int64_t t, int) {
      for (int64_t a = t * 32; a < std::min(m, t * 32 + 32); ++a) {
        const bool fresh = a >= from && a < to;
        if (held[a])
          for (int64_t c = fresh ? 0 : from; c < (fresh ? m : to); ++c) K[a * ld + c] = held[a][offset[c]];
      }
    });
    std::vector<int> at, ids;
    for (int64_t a = 0; a < m; ++a)
      if (!held[a]) { at.push_back((int)a); ids.push_back(rows_[a]); }
    const int64_t k = (int64_t)at.size(), width = round_up(k, CHUNK);
    if (k == 0) return;
    const auto place = [&](int64_t a) { return std::lower_bound(at.begin(), at.end(), a) - at.begin(); };
    const int64_t k0 = place(from), k1 = place(to);
    Buffer<T> rest(k0 < k1 ? k * width : 0);
    if (k0 < k1) source_.block(ids.data(), k, k0, k1, rest.data(), width, pool);
    values_computed += (k1 - k0) * k - (k1 - k0) * (k1 - k0) / 2;
    pool.run((k + 31) / 32, [&](int64_t t, int) {
      for (int64_t r = t * 32; r < std::min(k, t * 32 + 32); ++r) {
        const int64_t a = at[r];
        const bool fresh = r >= k0 && r < k1;
        for (int64_t c = fresh ? 0 : from; c < (fresh ? m : to); ++c)
          if (held[c]) K[a * ld + c] = held[c][cache.offset(rows_[a])];
        for (int64_t c = fresh ? 0 : k0; c < (fresh ? k : k1); ++c) K[a * ld + at[c]] = rest[r * width + c];
      }
    });
  }

  void signs_and_shifts(const QuadraticProgram& p, int64_t from, int64_t to, Pool& pool) {
    const int64_t m = dense.n, ld = dense.ld;
    T* K = dense.K.data();
    if (std::any_of(set_.begin(), set_.end(), [&](int v) { return p.sign[v] < 0; }))
      pool.run((m + 63) / 64, [&](int64_t t, int) {
        for (int64_t a = t * 64; a < std::min(m, t * 64 + 64); ++a) {
          const bool fresh = a >= from && a < to;
          for (int64_t c = fresh ? 0 : from; c < (fresh ? m : to); ++c)
            K[a * ld + c] *= (T)(p.sign[set_[a]] * p.sign[set_[c]]);
        }
      });
    if (!p.shift.empty())
      for (int64_t a = from; a < to; ++a) K[a * ld + a] += (T)p.shift[set_[a]];
  }

  const Source<T>& source_;
  std::vector<int> set_, rows_;
  int64_t from_ = 0;  // where the half that came last begins
};

}  // namespace mercer
