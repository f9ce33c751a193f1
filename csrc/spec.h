// A kernel as Python names it: a family and three numbers.
#pragma once
#include <nanobind/nanobind.h>

#include <string>
#include <tuple>

#include "hot.h"

namespace mercer {

typedef std::tuple<double, double, double> Params;

inline KernelSpec make_spec(const std::string& family, const Params& p) {
  static const char* names[N_FAMILIES] = {"linear",    "polynomial", "sigmoid",      "gaussian", "matern12", "matern32",
                                          "matern52",  "laplacian",  "intersection", "jaccard",  "chi2",     "manhattan"};
  for (int f = 0; f < N_FAMILIES; ++f)
    if (family == names[f]) {
      const double degree = std::get<2>(p);
      if (f == POLYNOMIAL && !(degree >= 0 && degree <= 1e6 && degree == (double)(long)degree))
        throw nanobind::value_error("the polynomial degree must be a natural number");
      return {f, {std::get<0>(p), std::get<1>(p), degree}};
    }
  throw nanobind::value_error(("unknown kernel family '" + family + "'").c_str());
}

}  // namespace mercer
