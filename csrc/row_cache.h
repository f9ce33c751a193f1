#pragma once
#include <cstdint>
#include <vector>

#include "pool.h"
#include "source.h"

namespace mercer {

// Rows of K, the most recently used kept within a budget; validity is kept per chunk of columns, so
// that problems over different subsets of the data can share rows. The memory is taken in pieces as
// rows come, and within a piece the same chunk of all rows lies together: a sweep over one chunk
// reads whole pages, and what it has just computed is still near.
template <class T>
class RowCache {
 public:
  // `patient`: take no more memory than is worth while, up to `bytes`
  RowCache(const Source<T>& source, double bytes, bool patient);
  int64_t width() const { return width_; }    // columns in a chunk
  int64_t chunks() const { return chunks_; }
  // F[c] += sum_k weight[k] K[rows[k], c] for all columns of the chunks in `wanted`
  void add(const std::vector<int>& rows, const std::vector<double>& weight, const std::vector<int64_t>& wanted, double* F,
           Pool& pool);
  // Where a row begins, nullptr unless it is held in these chunks; column c is at offset(c) from there.
  const T* complete(int row, const std::vector<int64_t>& wanted) const;
  int64_t offset(int64_t column) const {
    return in_memory_ ? column : column / width_ * (per_piece_ * width_) + column % width_;
  }
  // more rows were asked for than it may ever hold; how many it holds does not matter
  bool full() const { return slots_ > 0 && distinct_ >= slots_ && slots_ < source_.n; }
  void clear();  // forgets all rows and gives their memory back
  int64_t rows_computed = 0, values_computed = 0, rows_added = 0;

 private:
  T* at(int64_t slot, int64_t chunk) {
    return pieces_[slot / per_piece_].data() + (chunk * per_piece_ + slot % per_piece_) * width_;
  }
  void place(const std::vector<int>& rows);
  bool grow();
  void add_in_memory(const std::vector<int>& rows, const std::vector<double>& weight, const std::vector<int64_t>& wanted,
                     double* F, Pool& pool);
  void add_whole(const std::vector<int>& rows, const std::vector<double>& weight, double* F);
  void add_chunks(const std::vector<int>& rows, const std::vector<double>& weight, const std::vector<int64_t>& wanted,
                  double* F, Pool& pool);
  const Source<T>& source_;
  bool in_memory_, patient_;
  int64_t width_, chunks_, per_piece_, slots_;      // slots there may be ...
  int64_t open_ = 0, used_ = 0;                     // ... for which there is memory, that have held a row
  int64_t hand_ = 0, clock_ = 0;
  int64_t distinct_ = 0, repeated_ = 0;             // rows asked for; rows computed again since the last piece of memory
  double touching_ = 0, computing_ = 0;          // seconds: to get memory for one row, to compute all rows so far
  std::vector<unsigned char> seen_;
  std::vector<Buffer<T>> pieces_;
  std::vector<unsigned char> valid_;  // slot x chunk
  std::vector<int> slot_of_, owner_;
  std::vector<int64_t> stamp_;
  std::vector<Scratch<T>> scratch_;
  Rows<T> missing_;
};

}  // namespace mercer
