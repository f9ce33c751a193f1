// A kernel as Python names it: a family and three numbers, or "composed" and the steps that make it.
#pragma once
#include <cstdint>
#include <nanobind/nanobind.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <tuple>
#include <variant>

#include "combined.h"

namespace mercer {

typedef std::tuple<double, double, double> Params;
// Steps in postfix order. (family, params, start, stop): a kernel of these columns of the array.
// ("sum" | "product", _, count, 0): of the last `count` results.
// ("affine", (factor, constant, degree), 1, 0): of the last result.
typedef std::vector<std::tuple<std::string, Params, int64_t, int64_t>> Steps;
typedef std::variant<Params, Steps> Description;

inline int64_t natural_degree(double degree, const char* message) {
  if (!(degree >= 0 && degree <= 1e6 && degree == (double)(int64_t)degree)) throw nanobind::value_error(message);
  return (int64_t)degree;
}

inline KernelSpec make_spec(const std::string& family, const Params& p) {
  static const char* names[N_FAMILIES] = {"linear",    "polynomial", "sigmoid",      "gaussian", "matern12", "matern32",
                                          "matern52",  "laplacian",  "intersection", "jaccard",  "chi2",     "manhattan"};
  for (int f = 0; f < N_FAMILIES; ++f)
    if (family == names[f]) {
      if (f == POLYNOMIAL) natural_degree(std::get<2>(p), "the polynomial degree must be a natural number");
      return {f, {std::get<0>(p), std::get<1>(p), std::get<2>(p)}};
    }
  throw nanobind::value_error(("unknown kernel family '" + family + "'").c_str());
}

// Checked while Python may still be told; built afterwards without it.
struct Recipe {
  struct Leaf { KernelSpec spec; int64_t start, stop; };
  struct Node { Step step; int64_t count; };
  std::vector<std::variant<Leaf, Node>> steps;

  Recipe(const std::string& family, const Description& description, int64_t width) {
    if (family != "composed") {
      if (!std::holds_alternative<Params>(description))
        throw nanobind::value_error("a kernel family takes three numbers; steps belong to 'composed'");
      steps.push_back(Leaf{make_spec(family, std::get<Params>(description)), 0, width});
      return;
    }
    if (!std::holds_alternative<Steps>(description)) throw nanobind::value_error("a composed kernel takes steps");
    int64_t made = 0;
    for (const auto& [name, p, a, b] : std::get<Steps>(description)) {
      if (name == "sum" || name == "product" || name == "affine") {
        const bool affine = name == "affine";
        if (a < 1 || a > made || (affine && a != 1)) throw nanobind::value_error("a step combines more than there is");
        const int64_t degree =
            affine ? natural_degree(std::get<2>(p), "the degree of a step must be a natural number") : 1;
        const Rule rule = affine ? Rule::AFFINE : name == "sum" ? Rule::SUM : Rule::PRODUCT;
        steps.push_back(Node{{rule, std::get<0>(p), std::get<1>(p), degree}, a});
        made -= a - 1;
      } else {
        if (!(0 <= a && a <= b && b <= width)) throw nanobind::value_error("a step looks at columns that are not there");
        steps.push_back(Leaf{make_spec(name, p), a, b});
        ++made;
      }
    }
    if (made != 1) throw nanobind::value_error("the steps must leave one kernel");
  }

  template <class T>
  std::unique_ptr<ArraySource<T>> build(const T* X, int64_t n, int64_t width, Pool& pool) const {
    typename CombinedSource<T>::Parts stack;
    for (const auto& step : steps)
      if (const Leaf* leaf = std::get_if<Leaf>(&step)) {
        const int64_t d = leaf->stop - leaf->start;
        stack.push_back(std::make_unique<VectorSource<T>>(X, n, width, leaf->start, d, leaf->spec, pool));
      } else {
        const Node& node = std::get<Node>(step);
        typename CombinedSource<T>::Parts parts(std::make_move_iterator(stack.end() - node.count),
                                                std::make_move_iterator(stack.end()));
        stack.resize(stack.size() - node.count);
        stack.push_back(std::make_unique<CombinedSource<T>>(std::move(parts), node.step));
      }
    return std::move(stack.back());
  }
};

}  // namespace mercer
