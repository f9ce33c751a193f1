// What the parts of the module _graph share.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <vector>

namespace nb = nanobind;

namespace mercer {

template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> new_array(size_t size, T** data) {
  T* p = new T[size > 0 ? size : 1];
  *data = p;
  nb::capsule owner(p, [](void* q) noexcept { delete[] static_cast<T*>(q); });
  return nb::ndarray<nb::numpy, T, nb::ndim<1>>(p, {size}, owner);
}

using Lengths = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Index = nb::ndarray<const int, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// A sparse square matrix in CSR form, seen through its arrays.
struct Graph {
  const int* start;
  const int* end;
  const double* length;
  int nodes;
};

Graph checked_graph(const Index& start, const Index& end, const Lengths& length);

void bind_paths(nb::module_& m);
void bind_neighbours(nb::module_& m);
void bind_walk(nb::module_& m);

}  // namespace mercer
