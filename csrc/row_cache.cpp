#include "row_cache.h"

#include <algorithm>

namespace mercer {

template <class T>
void RowCache<T>::clear() {
  values_.reset(0);
  std::fill(slot_of_.begin(), slot_of_.end(), -1);
  std::fill(owner_.begin(), owner_.end(), -1);
  used_ = 0;
}

template <class T>
RowCache<T>::RowCache(const Source<T>& source, double bytes)
    : source_(source), stride_(round_up(source.n, CHUNK)), chunks_(stride_ / CHUNK) {
  const bool in_memory = source.n == 0 || source.row(0);
  slots_ = in_memory ? 0 : (long)std::min((double)source.n, bytes / (sizeof(T) * (double)stride_));
  valid_.assign(slots_ * chunks_, 0);
  slot_of_.assign(source.n, -1);
  owner_.assign(slots_, -1);
  stamp_.assign(slots_, -1);
}

// Give each row a slot if one can be had without evicting a row of this very step.
template <class T>
void RowCache<T>::place(const std::vector<int>& rows) {
  values_.grow(slots_ * stride_);
  ++clock_;
  for (int r : rows)
    if (slot_of_[r] >= 0) stamp_[slot_of_[r]] = clock_;
  long tries = 0;
  for (int r : rows) {
    if (slot_of_[r] >= 0) continue;
    long s = -1;
    if (used_ < slots_) s = used_++;
    else
      for (; tries < 2 * slots_; ++tries) {
        hand_ = hand_ + 1 < slots_ ? hand_ + 1 : 0;
        if (stamp_[hand_] < clock_ - (tries < slots_ ? 4 : 0)) { s = hand_; break; }
      }
    if (s < 0) continue;
    if (owner_[s] >= 0) slot_of_[owner_[s]] = -1;
    std::fill(valid_.begin() + s * chunks_, valid_.begin() + (s + 1) * chunks_, 0);
    owner_[s] = r;
    slot_of_[r] = (int)s;
    stamp_[s] = clock_;
  }
}

template <class T>
const T* RowCache<T>::complete(int row, const std::vector<long>& wanted) const {
  if (const T* k = source_.row(row)) return k;
  const long s = slot_of_[row];
  if (s < 0) return nullptr;
  for (long c : wanted)
    if (!valid_[s * chunks_ + c]) return nullptr;
  return values_.data() + s * stride_;
}

template <class T>
void RowCache<T>::add(const std::vector<int>& rows, const std::vector<double>& weight, const std::vector<long>& wanted,
                      double* F, Pool& pool) {
  if (rows.empty()) return;
  if ((int)scratch_.size() < pool.threads()) scratch_.resize(pool.threads());
  if (source_.row(rows[0])) return add_in_memory(rows, weight, wanted, F, pool);
  place(rows);
  if (source_.whole_rows()) return add_whole(rows, weight, F);
  add_chunks(rows, weight, wanted, F, pool);
}

template <class T>
void RowCache<T>::add_in_memory(const std::vector<int>& rows, const std::vector<double>& weight,
                                const std::vector<long>& wanted, double* F, Pool& pool) {
  const Hot<T>& loops = pick<T>(hot());
  pool.run((long)wanted.size(), [&](long task, int) {
    const long c0 = wanted[task] * CHUNK;
    std::vector<const T*> at(rows.size());
    for (size_t k = 0; k < rows.size(); ++k) at[k] = source_.row(rows[k]) + c0;
    loops.accumulate(at.data(), weight.data(), (long)rows.size(), std::min(CHUNK, source_.n - c0), F + c0);
  });
}

// Python answers with complete rows; those without a slot pass through a spare one, a few at a time.
template <class T>
void RowCache<T>::add_whole(const std::vector<int>& rows, const std::vector<double>& weight, double* F) {
  const Hot<T>& loops = pick<T>(hot());
  const long m = (long)rows.size(), batch = std::max<long>(1, std::min<long>(m, (long)(32e6 / (sizeof(T) * stride_))));
  Buffer<T> spare(batch * stride_);
  for (long k0 = 0; k0 < m; k0 += batch) {
    const long k1 = std::min(m, k0 + batch);
    std::vector<const T*> at;
    std::vector<T*> dst;
    missing_.id.clear();
    for (long k = k0; k < k1; ++k) {
      const long s = slot_of_[rows[k]];
      T* to = s >= 0 ? values_.data() + s * stride_ : spare.data() + (k - k0) * stride_;
      at.push_back(to);
      if (s >= 0 && valid_[s * chunks_]) continue;
      missing_.id.push_back(rows[k]);
      dst.push_back(to);
    }
    const long count = (long)missing_.id.size();
    if (count) source_.compute(missing_, 0, count, 0, source_.n, dst.data(), scratch_[0]);
    for (int r : missing_.id)
      if (slot_of_[r] >= 0) std::fill_n(valid_.begin() + slot_of_[r] * chunks_, chunks_, 1);
    rows_computed += count;
    values_computed += count * source_.n;
    loops.accumulate(at.data(), weight.data() + k0, k1 - k0, source_.n, F);
  }
}

// Each task is one chunk of columns: compute what is missing there, then add all rows in their order,
// so that the result depends neither on what was cached nor on the number of threads.
template <class T>
void RowCache<T>::add_chunks(const std::vector<int>& rows, const std::vector<double>& weight,
                             const std::vector<long>& wanted, double* F, Pool& pool) {
  const Hot<T>& loops = pick<T>(hot());
  const long m = (long)rows.size(), G = source_.group;
  std::vector<int> missing;
  std::vector<long> place_of(m, -1);  // where a missing row stands among the missing
  long homeless = 0;
  for (long k = 0; k < m; ++k) {
    const long s = slot_of_[rows[k]];
    bool held = s >= 0;
    for (size_t c = 0; held && c < wanted.size(); ++c) held = valid_[s * chunks_ + wanted[c]];
    if (held) continue;
    place_of[k] = (long)missing.size();
    missing.push_back(rows[k]);
    homeless += s < 0;
  }
  const long count = (long)missing.size();
  if (count) source_.prepare(missing.data(), count, missing_, pool);
  rows_computed += count;
  std::vector<long> computed(pool.threads(), 0);
  pool.run((long)wanted.size(), [&](long task, int thread) {
    const long c = wanted[task], c0 = c * CHUNK, len = std::min(CHUNK, source_.n - c0);
    Scratch<T>& s = scratch_[thread];
    s.rows.grow(homeless * CHUNK);
    s.dst.resize(count);
    std::vector<const T*> at(m);
    std::vector<unsigned char> wants((count + G - 1) / G, 0);
    long spare = 0;
    for (long k = 0; k < m; ++k) {
      const long slot = slot_of_[rows[k]];
      T* to = slot >= 0 ? values_.data() + slot * stride_ + c0 : s.rows.data() + CHUNK * spare++;
      at[k] = to;
      if (place_of[k] < 0) continue;
      s.dst[place_of[k]] = to;
      if (slot < 0 || !valid_[slot * chunks_ + c]) wants[place_of[k] / G] = 1;
      if (slot >= 0) valid_[slot * chunks_ + c] = 1;
    }
    for (long g = 0; g * G < count; ++g)
      if (wants[g]) {
        const long last = std::min(count, (g + 1) * G);
        source_.compute(missing_, g * G, last, c0, c0 + len, s.dst.data() + g * G, s);
        computed[thread] += (last - g * G) * len;
      }
    loops.accumulate(at.data(), weight.data(), m, len, F + c0);
  });
  for (long v : computed) values_computed += v;
}

template class RowCache<float>;
template class RowCache<double>;

}  // namespace mercer
