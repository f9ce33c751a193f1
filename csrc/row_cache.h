#pragma once
#include <vector>

#include "pool.h"
#include "source.h"

namespace mercer {

// Rows of K, the most recently used kept within a budget; validity is kept per chunk of columns, so
// that problems over different subsets of the data can share rows.
template <class T>
class RowCache {
 public:
  RowCache(const Source<T>& source, double bytes);
  // F[c] += sum_k weight[k] K[rows[k], c] for all columns of the chunks in `wanted`
  void add(const std::vector<int>& rows, const std::vector<double>& weight, const std::vector<long>& wanted, double* F,
           Pool& pool);
  const T* complete(int row, const std::vector<long>& wanted) const;  // nullptr unless held in these chunks
  bool full() const { return slots_ > 0 && used_ == slots_ && slots_ < source_.n; }
  void clear();  // forgets all rows and gives their memory back
  long rows_computed = 0, values_computed = 0;

 private:
  void place(const std::vector<int>& rows);
  void add_in_memory(const std::vector<int>& rows, const std::vector<double>& weight, const std::vector<long>& wanted,
                     double* F, Pool& pool);
  void add_whole(const std::vector<int>& rows, const std::vector<double>& weight, double* F);
  void add_chunks(const std::vector<int>& rows, const std::vector<double>& weight, const std::vector<long>& wanted,
                  double* F, Pool& pool);
  const Source<T>& source_;
  long stride_, chunks_, slots_, used_ = 0, hand_ = 0, clock_ = 0;
  Buffer<T> values_;
  std::vector<unsigned char> valid_;  // slot x chunk
  std::vector<int> slot_of_, owner_;
  std::vector<long> stamp_;
  std::vector<Scratch<T>> scratch_;
  Rows<T> missing_;
};

}  // namespace mercer
