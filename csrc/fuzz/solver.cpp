// A libFuzzer target for the solver: small quadratic programmes of every shape, cut into small blocks so that
// leaps and reductions take part. What comes out must be feasible, no worse than the start, agree with the
// plainest sums over the matrix and, where it says so, be optimal. `make fuzz` builds it.
#include <algorithm>
#include <stdexcept>

#include "../middle.h"
#include "../solver.h"
#include "bytes.h"

using namespace mercer;

namespace {

// Rows that are often equal, so that the matrix is often singular.
std::vector<double> points(Bytes& in, int64_t n, int64_t d, bool wild) {
  std::vector<double> X(n * d);
  for (double& x : X) x = wild ? in.number(true) : (double)in.below(5) - 2;
  return X;
}

QuadraticProgram programme(Bytes& in, int64_t n) {
  QuadraticProgram p;
  const int64_t m = 1 + in.below(in.below(4) ? 40 : 120);
  const bool shifted = in.below(3) == 0, free = in.below(4) == 0;
  const double most = 0.25 * (1 + in.below(40));
  p.groups = (int)in.below(3);
  for (int64_t v = 0; v < m; ++v) {
    p.index.push_back((int)in.below(n));
    p.sign.push_back(in.below(2) ? 1.0 : -1.0);
    p.linear.push_back(in.below(9) / 4.0 - 1.0);
    if (shifted) p.shift.push_back(in.below(5) / 4.0);
    const double reach = most * in.below(4);  // some are closed
    p.lo.push_back(-reach * (double)in.below(2));
    p.hi.push_back(free ? 1e3 : reach);
    p.g.push_back(p.lo[v] + (p.hi[v] - p.lo[v]) * (in.below(5) ? 0.0 : 0.25));
    if (p.groups == 2) p.group.push_back((signed char)in.below(2));
  }
  return p;
}

struct Plain {  // what the solver should know, by sums over the whole matrix
  std::vector<double> F, h;
  double objective = 0, sums[2] = {0, 0}, size = 1;
};

Plain plain(const QuadraticProgram& p, const std::vector<double>& K, int64_t n) {
  Plain t;
  t.F.assign(n, 0.0);
  for (int64_t v = 0; v < p.size(); ++v)
    for (int64_t i = 0; i < n; ++i) t.F[i] += p.sign[v] * p.g[v] * K[p.index[v] * n + i];
  for (int64_t v = 0; v < p.size(); ++v) {
    const double shift = p.shift.empty() ? 0.0 : p.shift[v] * p.g[v];
    t.h.push_back(p.sign[v] * t.F[p.index[v]] + p.linear[v] + shift);
    t.objective += 0.5 * p.g[v] * (t.h[v] + p.linear[v]);
    t.sums[p.groups == 2 ? p.group[v] : 0] += p.g[v];
    t.size = std::max({t.size, std::fabs(t.h[v]), std::fabs(p.g[v])});
  }
  return t;
}

template <class T>
void solved(Bytes& in, QuadraticProgram p, const Source<T>& source, const std::vector<double>& K, bool definite) {
  const int64_t n = source.n;
  const double digits = sizeof(T) == 8 ? 1e-9 : 1e-4;
  Options o;
  o.tol = in.below(2) ? 1e-3 : 1e-5;
  o.max_iter = in.below(8) ? 3000 : in.below(30);
  o.inner = 2 + in.below(24);
  o.middle = o.inner + in.below(48);
  o.cache_bytes = (double)(in.below(64) * 1000);
  o.patient = in.below(2);
  Pool pool(1);
  RowCache<T> cache(source, o.cache_bytes, o.patient);
  std::vector<double> F;
  const Plain before = plain(p, K, n);
  int64_t asked = 0;
  const int64_t most = in.below(6) ? 100000 : in.below(5);  // somebody may stop it at any moment
  const QuadraticProgram start = p;
  const Outcome found = solve<T>(p, source, cache, F, o, pool, [&](const Progress&) { return asked++ >= most; });
  const Plain after = plain(p, K, n);
  const double slack = digits * after.size * after.size * (1 + (double)p.size());
  for (int64_t v = 0; v < p.size(); ++v) hold(p.lo[v] <= p.g[v] && p.g[v] <= p.hi[v], "within the bounds");
  for (int c = 0; c < p.groups; ++c) hold(std::fabs(after.sums[c] - before.sums[c]) <= slack, "sums stay");
  for (int i : p.index) hold(std::fabs(F[i] - after.F[i]) <= slack, "outputs are sums over the matrix");
  hold(std::fabs(found.objective - after.objective) <= slack * (1 + after.size), "the objective is the one told");
  if (!definite) return;
  hold(after.objective <= before.objective + slack * (1 + after.size), "no worse than the start");
  const signed char* group = p.groups == 2 ? p.group.data() : nullptr;
  const View view{p.size(), after.h.data(), p.g.data(), p.lo.data(), p.hi.data(), group, p.groups};
  if (found.stopped == "tolerance") hold(extremes(view).gap(p.groups) <= o.tol + slack, "optimal where it says so");
}

template <class T>
void vectors(Bytes& in) {
  const int64_t n = 1 + in.below(48), d = 1 + in.below(4);
  const auto X = points(in, n, d, false);
  const std::vector<T> rows(X.begin(), X.end());
  const int family = in.below(2) ? GAUSSIAN : LINEAR;
  const double gamma = (1 + in.below(20)) / 10.0;
  std::vector<double> K(n * n, 0.0);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double product = 0, square = 0;
      for (int64_t a = 0; a < d; ++a) {
        const double x = X[i * d + a], y = X[j * d + a];
        product += x * y;
        square += (x - y) * (x - y);
      }
      K[i * n + j] = family == LINEAR ? product : std::exp(-gamma * square);
    }
  Pool pool(1);
  const VectorSource<T> source(rows.data(), n, d, 0, d, KernelSpec{family, {gamma, 0, 0}}, pool);
  solved<T>(in, programme(in, n), source, K, true);
}

// Any symmetric matrix, definite or not.
template <class T>
void matrices(Bytes& in) {
  const int64_t n = 1 + in.below(40), rank = 1 + in.below(4);
  const bool definite = in.below(3) != 0;
  const auto X = points(in, n, rank, false);
  const int64_t stride = round_up(n, CHUNK);
  std::vector<double> K(n * n, 0.0);
  std::vector<T> values(n * stride, T(0));
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t a = 0; a < rank; ++a) K[i * n + j] += (definite || a % 2 == 0 ? 1 : -1) * X[i * rank + a] * X[j * rank + a];
      values[i * stride + j] = (T)K[i * n + j];
    }
  const MatrixSource<T> source(values.data(), n, stride);
  solved<T>(in, programme(in, n), source, K, definite);
}

// Values that are no numbers are refused with an exception, never taken.
void wild(Bytes& in) {
  const int64_t n = 1 + in.below(20), stride = round_up(n, CHUNK);
  std::vector<double> values(n * stride, 0.0);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j <= i; ++j) values[i * stride + j] = values[j * stride + i] = in.number(false);
  const MatrixSource<double> source(values.data(), n, stride);
  QuadraticProgram p = programme(in, n);
  Pool pool(1);
  RowCache<double> cache(source, 1e5, false);
  std::vector<double> F;
  Options o;
  o.inner = 16;
  o.middle = 32;
  o.max_iter = 2000;
  int asked = 0;
  try {
    solve<double>(p, source, cache, F, o, pool, [&](const Progress&) { return asked++ >= 1000; });
  } catch (const std::domain_error&) {
    return;
  }
  for (int64_t v = 0; v < p.size(); ++v) hold(p.lo[v] <= p.g[v] && p.g[v] <= p.hi[v], "within the bounds");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Bytes in(data, size, true);
  switch (in.below(5)) {
    case 0: vectors<double>(in); break;
    case 1: vectors<float>(in); break;
    case 2: matrices<double>(in); break;
    case 3: matrices<float>(in); break;
    default: wild(in);
  }
  return 0;
}
