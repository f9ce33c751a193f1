// Kernels made of kernels on the same rows: sums, products, and (factor k + constant)^degree.
#pragma once
#include <cstdint>
#include "source.h"

namespace mercer {

enum class Rule { SUM, PRODUCT, AFFINE };
struct Step {
  Rule rule;
  double factor, constant;
  int64_t degree;
};

template <class T>
class CombinedSource : public ArraySource<T> {
 public:
  typedef std::vector<std::unique_ptr<ArraySource<T>>> Parts;
  // At least one part; all of them have the same rows, taken from arrays of the same width.
  CombinedSource(Parts parts, Step step) : parts_(std::move(parts)), step_(step), hot_(pick<T>(hot())) {
    this->n = parts_[0]->n;
    this->width = parts_[0]->width;
    this->group = parts_[0]->group;
  }
  bool can_split() const override { return true; }
  std::unique_ptr<Source<T>> subset(const std::vector<int>& rows, Pool& pool) const override {
    Parts some;
    for (const auto& part : parts_)
      some.emplace_back(static_cast<ArraySource<T>*>(part->subset(rows, pool).release()));
    return std::make_unique<CombinedSource<T>>(std::move(some), step_);
  }
  double cost() const override {
    double sum = 0;
    for (const auto& part : parts_) sum += part->cost();
    return sum;
  }
  void prepare(const int* rows, int64_t m, Rows<T>& out, Pool& pool) const override {
    out.id.assign(rows, rows + m);
    out.parts.resize(parts_.size());
    for (size_t k = 0; k < parts_.size(); ++k) parts_[k]->prepare(rows, m, out.parts[k], pool);
  }
  void prepare_other(const T* X, int64_t m, Rows<T>& out, Pool& pool) const override {
    out.parts.resize(parts_.size());
    for (size_t k = 0; k < parts_.size(); ++k) parts_[k]->prepare_other(X, m, out.parts[k], pool);
  }

  void compute(const Rows<T>& rows, int64_t first, int64_t last, int64_t c0, int64_t c1, T* const* dst,
               Scratch<T>& s) const override {
    s.parts.resize(parts_.size());
    parts_[0]->compute(rows.parts[0], first, last, c0, c1, dst, s.parts[0]);
    const int64_t apart = round_up(c1 - c0, CHUNK);
    for (size_t k = 1; k < parts_.size(); ++k) {
      Scratch<T>& own = s.parts[k];
      own.part.grow((last - first) * apart);
      own.part_rows.resize(last - first);
      for (int64_t r = 0; r < last - first; ++r) own.part_rows[r] = own.part.data() + r * apart;
      parts_[k]->compute(rows.parts[k], first, last, c0, c1, own.part_rows.data(), own);
      for (int64_t r = 0; r < last - first; ++r) merge(dst[r], own.part_rows[r], c1 - c0);
    }
    for (int64_t r = 0; r < last - first; ++r) finish(dst[r], c1 - c0);
  }

  // What is there already is finished, so the parts are put together aside, in the new rows only.
  void block(const int* rows, int64_t m, int64_t from, int64_t to, T* out, int64_t ld, Pool& pool) const override {
    Buffer<T> part(m * ld);
    for (size_t k = 0; k < parts_.size(); ++k) {
      parts_[k]->block(rows, m, from, to, part.data(), ld, pool);
      pool.run(to - from, [&](int64_t t, int) {
        const int64_t r = from + t;
        T* into = out + r * ld;
        if (k == 0) std::copy(part.data() + r * ld, part.data() + r * ld + m, into);
        else merge(into, part.data() + r * ld, m);
        if (k + 1 == parts_.size()) finish(into, m);
      });
    }
    mirror(out, m, from, to, ld, pool);
  }

  T diagonal(int64_t i) const override {
    T value = parts_[0]->diagonal(i);
    for (size_t k = 1; k < parts_.size(); ++k) {
      const T other = parts_[k]->diagonal(i);
      merge(&value, &other, 1);
    }
    finish(&value, 1);
    return value;
  }

 private:
  void merge(T* into, const T* from, int64_t len) const { hot_.merge(into, from, len, step_.rule == Rule::PRODUCT); }
  void finish(T* values, int64_t len) const {
    if (step_.rule == Rule::AFFINE) hot_.affine(values, len, (T)step_.factor, (T)step_.constant, step_.degree);
  }

  Parts parts_;
  Step step_;
  const Hot<T>& hot_;
};

}  // namespace mercer
