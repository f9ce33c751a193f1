#include "row_cache.h"

#include <algorithm>
#include <ctime>

namespace mercer {

namespace {
constexpr int64_t NARROW = CHUNK, WIDE = 4 * CHUNK, MANY = 32 * CHUNK;  // columns; a wide chunk is a page of floats
constexpr double PIECE = 32e6;                                        // bytes
constexpr double USES = 2;  // a row that is held may be reckoned to be used so often again

// of this thread alone: what others do meanwhile must not look like work
double busy() {
#if defined(CLOCK_THREAD_CPUTIME_ID)
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
#else
  return (double)std::clock() / CLOCKS_PER_SEC;
#endif
}
}  // namespace

template <class T>
void RowCache<T>::clear() {
  pieces_.clear();
  std::fill(slot_of_.begin(), slot_of_.end(), -1);
  std::fill(owner_.begin(), owner_.end(), -1);
  std::fill(seen_.begin(), seen_.end(), 0);
  open_ = used_ = distinct_ = repeated_ = 0;
}

template <class T>
RowCache<T>::RowCache(const Source<T>& source, double bytes, bool patient)
    : source_(source), in_memory_(source.n == 0 || source.row(0)),
      patient_(patient && source.cost() <= 4 && !source.whole_rows()),  // a dear row is always worth its memory
      width_(source.n >= MANY ? WIDE : NARROW), chunks_((source.n + width_ - 1) / width_) {
  const double row = sizeof(T) * (double)(chunks_ * width_);
  slots_ = in_memory_ ? 0 : (int64_t)std::min((double)source.n, bytes / row);
  // whole rows that Python answers with are one run of numbers
  const int64_t most = source.whole_rows() ? 1 : std::max<int64_t>(1, (int64_t)(PIECE / row)), pieces = (slots_ + most - 1) / most;
  per_piece_ = pieces ? slots_ / pieces : 1;
  slots_ = per_piece_ * pieces;
  valid_.assign(slots_ * chunks_, 0);
  slot_of_.assign(source.n, -1);
  seen_.assign(source.n, 0);
  owner_.assign(slots_, -1);
  stamp_.assign(slots_, -1);
}

// Memory for some more rows. Touching memory that the process never had can take longer than computing
// what goes into it: then it is asked for only when as much time has gone into rows computed again.
// Results do not depend on what is held, so they do not depend on this clock.
template <class T>
bool RowCache<T>::grow() {
  if (patient_ && !pieces_.empty()) {
    const double price = touching_ * (double)std::max<int64_t>(1, rows_computed) / std::max(computing_, 1e-9);
    if (price > USES && (double)repeated_ < price * (double)per_piece_) return false;
  }
  const double t = busy();
  pieces_.emplace_back(per_piece_ * width_ * chunks_);
  Buffer<T>& piece = pieces_.back();
  if (patient_)
    for (size_t k = 0; k < piece.size(); k += 4096 / sizeof(T)) piece[k] = T(0);
  touching_ = (busy() - t) / (double)per_piece_;
  repeated_ = 0;
  open_ += per_piece_;
  return true;
}

// Give each row a slot if one can be had without evicting a row of this very step.
template <class T>
void RowCache<T>::place(const std::vector<int>& rows) {
  ++clock_;
  for (int r : rows)
    if (slot_of_[r] >= 0) stamp_[slot_of_[r]] = clock_;
  int64_t tries = 0;
  for (int r : rows) {
    if (slot_of_[r] >= 0) continue;
    int64_t s = -1;
    ++(seen_[r] ? repeated_ : distinct_);
    seen_[r] = 1;
    if (used_ < open_ || (used_ < slots_ && grow())) s = used_++;
    else
      for (; tries < 2 * used_; ++tries) {
        hand_ = hand_ + 1 < used_ ? hand_ + 1 : 0;
        if (stamp_[hand_] < clock_ - (tries < used_ ? 4 : 0)) { s = hand_; break; }
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
const T* RowCache<T>::complete(int row, const std::vector<int64_t>& wanted) const {
  if (const T* k = source_.row(row)) return k;
  const int64_t s = slot_of_[row];
  if (s < 0) return nullptr;
  for (int64_t c : wanted)
    if (!valid_[s * chunks_ + c]) return nullptr;
  return pieces_[s / per_piece_].data() + s % per_piece_ * width_;
}

template <class T>
void RowCache<T>::add(const std::vector<int>& rows, const std::vector<double>& weight, const std::vector<int64_t>& wanted,
                      double* F, Pool& pool) {
  if (rows.empty()) return;
  rows_added += (int64_t)rows.size();
  if ((int)scratch_.size() < pool.threads()) scratch_.resize(pool.threads());
  if (in_memory_) return add_in_memory(rows, weight, wanted, F, pool);
  place(rows);
  if (source_.whole_rows()) return add_whole(rows, weight, F);
  add_chunks(rows, weight, wanted, F, pool);
}

template <class T>
void RowCache<T>::add_in_memory(const std::vector<int>& rows, const std::vector<double>& weight,
                                const std::vector<int64_t>& wanted, double* F, Pool& pool) {
  const Hot<T>& loops = pick<T>(hot());
  pool.run((int64_t)wanted.size(), [&](int64_t task, int) {
    const int64_t c0 = wanted[task] * width_;
    std::vector<const T*> at(rows.size());
    for (size_t k = 0; k < rows.size(); ++k) at[k] = source_.row(rows[k]) + c0;
    loops.accumulate(at.data(), weight.data(), (int64_t)rows.size(), std::min(width_, source_.n - c0), F + c0);
  });
}

// Python answers with complete rows; those without a slot pass through a spare one, a few at a time.
template <class T>
void RowCache<T>::add_whole(const std::vector<int>& rows, const std::vector<double>& weight, double* F) {
  const Hot<T>& loops = pick<T>(hot());
  const int64_t m = (int64_t)rows.size(), stride = chunks_ * width_;
  const int64_t batch = std::max<int64_t>(1, std::min<int64_t>(m, (int64_t)(PIECE / (sizeof(T) * stride))));
  Buffer<T> spare(batch * stride);
  for (int64_t k0 = 0; k0 < m; k0 += batch) {
    const int64_t k1 = std::min(m, k0 + batch);
    std::vector<const T*> from;
    std::vector<T*> dst;
    missing_.id.clear();
    for (int64_t k = k0; k < k1; ++k) {
      const int64_t s = slot_of_[rows[k]];
      T* to = s >= 0 ? at(s, 0) : spare.data() + (k - k0) * stride;
      from.push_back(to);
      if (s >= 0 && valid_[s * chunks_]) continue;
      missing_.id.push_back(rows[k]);
      dst.push_back(to);
    }
    const int64_t count = (int64_t)missing_.id.size();
    if (count) source_.compute(missing_, 0, count, 0, source_.n, dst.data(), scratch_[0]);
    for (int r : missing_.id)
      if (slot_of_[r] >= 0) std::fill_n(valid_.begin() + slot_of_[r] * chunks_, chunks_, 1);
    rows_computed += count;
    values_computed += count * source_.n;
    loops.accumulate(from.data(), weight.data() + k0, k1 - k0, source_.n, F);
  }
}

// Each task is one chunk of columns: compute what is missing there, then add all rows in their order,
// so that the result depends neither on what was cached nor on the number of threads.
template <class T>
void RowCache<T>::add_chunks(const std::vector<int>& rows, const std::vector<double>& weight,
                             const std::vector<int64_t>& wanted, double* F, Pool& pool) {
  const Hot<T>& loops = pick<T>(hot());
  const int64_t m = (int64_t)rows.size(), G = source_.group;
  std::vector<int> missing;
  std::vector<int64_t> place_of(m, -1);  // where a missing row stands among the missing
  int64_t homeless = 0;
  for (int64_t k = 0; k < m; ++k) {
    const int64_t s = slot_of_[rows[k]];
    bool held = s >= 0;
    for (size_t c = 0; held && c < wanted.size(); ++c) held = valid_[s * chunks_ + wanted[c]];
    if (held) continue;
    place_of[k] = (int64_t)missing.size();
    missing.push_back(rows[k]);
    homeless += s < 0;
  }
  const int64_t count = (int64_t)missing.size();
  if (count) source_.prepare(missing.data(), count, missing_, pool);
  rows_computed += count;
  std::vector<int64_t> computed(pool.threads(), 0);
  std::vector<double> spent(pool.threads(), 0.0);
  pool.run((int64_t)wanted.size(), [&](int64_t task, int thread) {
    const int64_t c = wanted[task], c0 = c * width_, len = std::min(width_, source_.n - c0);
    Scratch<T>& s = scratch_[thread];
    s.rows.grow(homeless * width_);
    s.dst.resize(count);
    std::vector<const T*> from(m);
    std::vector<unsigned char> wants((count + G - 1) / G + 1, 0);  // the last stays 0
    int64_t spare = 0;
    for (int64_t k = 0; k < m; ++k) {
      const int64_t slot = slot_of_[rows[k]];
      T* to = slot >= 0 ? at(slot, c) : s.rows.data() + width_ * spare++;
      from[k] = to;
      if (place_of[k] < 0) continue;
      s.dst[place_of[k]] = to;
      if (slot < 0 || !valid_[slot * chunks_ + c]) wants[place_of[k] / G] = 1;
      if (slot >= 0) valid_[slot * chunks_ + c] = 1;
    }
    const double t = patient_ ? busy() : 0.0;
    for (int64_t g = 0; g * G < count; ++g) {
      if (!wants[g]) continue;
      const int64_t first = g * G;
      while (wants[g + 1]) ++g;  // neighbouring groups in one call
      const int64_t last = std::min(count, (g + 1) * G);
      source_.compute(missing_, first, last, c0, c0 + len, s.dst.data() + first, s);
      computed[thread] += (last - first) * len;
    }
    if (patient_) spent[thread] += busy() - t;
    loops.accumulate(from.data(), weight.data(), m, len, F + c0);
  });
  for (double s : spent) computing_ += s / pool.threads();
  for (int64_t v : computed) values_computed += v;
}

template class RowCache<float>;
template class RowCache<double>;

}  // namespace mercer
