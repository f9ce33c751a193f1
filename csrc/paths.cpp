// Model selection: many machines over one Gram matrix in memory, each along a path of costs.
// A machine that uses most rows works on the matrix as it is, with the rows held out closed: their
// outputs then come for free, and no fold needs a copy. Others work on a copy of their part.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <cmath>

#include "middle.h"
#include "watch.h"

using namespace mercer;

template <class T> using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T> using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
// index, direction, linear, upper limit per unit of cost, shift times cost (may be empty), groups, test rows
typedef std::tuple<Vector<int>, Vector<double>, Vector<double>, Vector<double>, Vector<double>, int, Vector<int>> Arrays;

namespace {

constexpr int64_t INNER = 512;

struct Job {
  std::vector<int> index, test;
  std::vector<double> direction, linear, unit, shift;
  int groups = 1;
  int64_t size() const { return (int64_t)index.size(); }
};

struct Step {  // one machine at one cost
  double offset = 0, objective = 0, gap = 0;
  int64_t n_iter = 0;
  int stopped = 0;  // 0 tolerance, 1 max_iter, 2 time, 3 stalled
};

struct Found {
  std::vector<double> g, variables, tests;  // costs x size, costs x size, costs x test rows
  std::vector<Step> steps;
};

template <class T>
class Path {
 public:
  Path(const Job& job, const T* K, int64_t n, Pool& pool) : job_(job), K_(K), n_(n), pool_(pool) {
    const int64_t l = job.size();
    std::vector<unsigned char> seen(n, 0);
    bool distinct = true;
    for (int i : job.index) {
      distinct = distinct && !seen[i];
      seen[i] = 1;
    }
    whole_ = distinct && job.shift.empty() && 10 * l >= 6 * n;
    p_.n = whole_ ? n : l;
    p_.groups = job.groups;
    at_.resize(l);
    for (int64_t v = 0; v < l; ++v) at_[v] = whole_ ? job.index[v] : (int)v;
    for (auto* x : {&p_.h, &p_.g, &p_.lo, &p_.hi, &F_, &q_}) x->assign(p_.n, 0.0);
    p_.diag.assign(p_.n, T(0));
    if (whole_) {
      p_.ld = n;
      p_.borrowed = K;
      for (int64_t i = 0; i < n; ++i) p_.diag[i] = K[i * n + i];
    } else {
      copy_part();
    }
    for (int64_t v = 0; v < l; ++v) q_[at_[v]] = job.linear[v];
  }

  template <class Stop>
  Step advance(double cost, double tol, int64_t max_iter, const Stop& stop) {
    open_box(cost);
    start_from_before(cost);
    Step s;
    s.n_iter = middle_.solve(p_, INNER, tol, 0.0, max_iter, pool_, [&](double, int64_t) { return stop(); });
    for (int64_t i = 0; i < p_.n; ++i) F_[i] = p_.h[i] - q_[i] - shift_of(i) * p_.g[i];
    const Extremes e = extremes(p_.view());
    s.gap = e.gap(p_.groups);
    if (s.gap > tol) s.stopped = s.n_iter >= max_iter ? 1 : middle_.stalled ? 3 : 2;
    for (int64_t i = 0; i < p_.n; ++i) s.objective += 0.5 * p_.g[i] * (p_.h[i] + q_[i]);
    s.offset = offset(e);
    cost_ = cost;
    return s;
  }

  void read(double* g, double* variables, double* tests) const {
    const int64_t l = job_.size();
    for (int64_t v = 0; v < l; ++v) {
      g[v] = p_.g[at_[v]];
      variables[v] = F_[at_[v]];
    }
    for (size_t t = 0; t < job_.test.size(); ++t) {
      if (whole_) {
        tests[t] = F_[job_.test[t]];
        continue;
      }
      const T* row = K_ + (int64_t)job_.test[t] * n_;
      double sum = 0;
      for (int64_t v = 0; v < l; ++v)
        if (g[v] != 0) sum += g[v] * row[job_.index[v]];
      tests[t] = sum;
    }
  }

 private:
  void copy_part() {
    const int64_t l = job_.size();
    p_.ld = round_up(std::max<int64_t>(l, 1), CHUNK) + 32;
    p_.K.grow(p_.ld * std::max<int64_t>(l, 1));
    pool_.run((l + 63) / 64, [&](int64_t t, int) {
      for (int64_t a = t * 64; a < std::min(l, t * 64 + 64); ++a) {
        const T* row = K_ + (int64_t)job_.index[a] * n_;
        T* out = p_.K.data() + a * p_.ld;
        for (int64_t c = 0; c < l; ++c) out[c] = row[job_.index[c]];
      }
    });
    for (int64_t a = 0; a < l; ++a) p_.diag[a] = p_.K[a * p_.ld + a];
  }
  double shift_of(int64_t i) const { return job_.shift.empty() ? 0.0 : shift_[i]; }
  void open_box(double cost) {
    for (int64_t v = 0; v < job_.size(); ++v) {
      const double u = job_.unit[v] * cost;
      const bool up = job_.direction[v] > 0;
      p_.lo[at_[v]] = up ? 0.0 : -u;
      p_.hi[at_[v]] = up ? u : 0.0;
    }
    if (job_.shift.empty()) return;
    shift_.resize(p_.n, 0.0);
    for (int64_t v = 0; v < job_.size(); ++v) {  // only copies are shifted
      const double s = job_.shift[v] / cost;
      const T d = (T)((double)K_[(int64_t)job_.index[v] * n_ + job_.index[v]] + s);
      p_.K[v * p_.ld + v] = p_.diag[v] = d;
      shift_[v] = s;
    }
  }
  // The best multiple of the solution before: all coefficients may grow with the cost.
  void start_from_before(double cost) {
    double slope = 0, curve = 0;
    for (int64_t i = 0; i < p_.n; ++i) {
      slope += q_[i] * p_.g[i];
      curve += p_.g[i] * (F_[i] + shift_of(i) * p_.g[i]);
    }
    const double most = cost_ > 0 && job_.shift.empty() ? cost / cost_ : INF;
    double scale = curve > 0 ? std::min(std::max(-slope / curve, 0.0), most) : std::min(1.0, most);
    for (int64_t i = 0; i < p_.n; ++i) {
      double g = p_.g[i] * scale;
      if (std::isfinite(p_.hi[i]) && std::fabs(g - p_.hi[i]) <= 1e-12 * std::fabs(p_.hi[i])) g = p_.hi[i];
      if (std::isfinite(p_.lo[i]) && std::fabs(g - p_.lo[i]) <= 1e-12 * std::fabs(p_.lo[i])) g = p_.lo[i];
      p_.g[i] = std::min(std::max(g, p_.lo[i]), p_.hi[i]);
      F_[i] *= scale;
      p_.h[i] = F_[i] + q_[i] + shift_of(i) * p_.g[i];
    }
  }
  double offset(const Extremes& e) const {
    if (p_.groups == 0) return 0.0;
    double sum = 0;
    int64_t free = 0;
    for (int64_t i = 0; i < p_.n; ++i)
      if (p_.g[i] < p_.hi[i] && p_.g[i] > p_.lo[i]) { sum += p_.h[i]; ++free; }
    if (free) return sum / free;
    const bool up = std::isfinite(e.up[0]), low = std::isfinite(e.low[0]);
    return up && low ? 0.5 * (e.up[0] + e.low[0]) : up ? e.up[0] : low ? e.low[0] : 0.0;
  }

  const Job& job_;
  const T* K_;
  int64_t n_;
  Pool& pool_;
  bool whole_ = false;
  double cost_ = 0;
  std::vector<int> at_;
  std::vector<double> F_, q_, shift_;
  Dense<T> p_;
  Middle<T> middle_;
};

template <class T, class Stop>
void run_job(const Job& job, const T* K, int64_t n, const std::vector<double>& costs, double tol, int64_t max_iter,
             Pool& pool, const Stop& stop, Found& found) {
  const int64_t l = job.size(), t = (int64_t)job.test.size(), m = (int64_t)costs.size();
  found.g.assign(m * l, 0.0);
  found.variables.assign(m * l, 0.0);
  found.tests.assign(m * t, 0.0);
  found.steps.assign(m, Step());
  Path<T> path(job, K, n, pool);
  for (int64_t k = 0; k < m; ++k) {
    if (stop()) {
      for (; k < m; ++k) found.steps[k].stopped = 2;
      return;
    }
    found.steps[k] = path.advance(costs[k], tol, max_iter, stop);
    path.read(found.g.data() + k * l, found.variables.data() + k * l, found.tests.data() + k * t);
  }
}

template <class T>
void run_all(const std::vector<Job>& jobs, const T* K, int64_t n, const std::vector<double>& costs, double tol,
             int64_t max_iter, int threads, Watch& watch, std::vector<Found>& found) {
  const int64_t count = (int64_t)jobs.size();
  if (threads == 1 || count < threads) {
    Pool pool(threads);
    for (int64_t k = 0; k < count; ++k)
      run_job<T>(jobs[k], K, n, costs, tol, max_iter, pool, [&] { return watch.ask({}); }, found[k]);
    return;
  }
  std::atomic<int64_t> next{0};
  side_by_side(threads, watch, [&](const Poll& poll) {
    Pool alone(1);
    for (int64_t k; (k = next.fetch_add(1)) < count;)
      run_job<T>(jobs[k], K, n, costs, tol, max_iter, alone, [&] { return poll({}); }, found[k]);
  });
}

Job make_job(const Arrays& a, int64_t n) {
  const auto& [index, direction, linear, unit, shift, groups, test] = a;
  const size_t l = index.shape(0);
  for (size_t m : {direction.shape(0), linear.shape(0), unit.shape(0)})
    if (m != l) throw nb::value_error("the arrays of a job must have one length");
  if (shift.shape(0) != 0 && shift.shape(0) != l) throw nb::value_error("shift must be empty or have one entry per variable");
  if (groups < 0 || groups > 1) throw nb::value_error("a path has 0 or 1 equality constraints");
  Job job;
  job.groups = groups;
  job.index.assign(index.data(), index.data() + l);
  job.test.assign(test.data(), test.data() + test.shape(0));
  job.direction.assign(direction.data(), direction.data() + l);
  job.linear.assign(linear.data(), linear.data() + l);
  job.unit.assign(unit.data(), unit.data() + l);
  if (shift.shape(0)) job.shift.assign(shift.data(), shift.data() + l);
  for (const std::vector<int>* rows : {&job.index, &job.test})
    for (int i : *rows)
      if (i < 0 || i >= n) throw nb::value_error("a row number is out of range");
  for (size_t v = 0; v < l; ++v) {
    if (std::fabs(job.direction[v]) != 1) throw nb::value_error("directions must be -1 or +1");
    if (!std::isfinite(job.linear[v])) throw nb::value_error("the linear term must be finite");
    if (!(job.unit[v] >= 0)) throw nb::value_error("limits must not be negative");
    if (!job.shift.empty() && !(job.shift[v] >= 0 && std::isfinite(job.shift[v])))
      throw nb::value_error("shifts must be finite and not negative");
  }
  return job;
}

nb::ndarray<nb::numpy, double, nb::ndim<2>> as_matrix(const std::vector<double>& values, int64_t rows, int64_t cols) {
  double* p = new double[std::max<size_t>(1, values.size())];
  std::copy(values.begin(), values.end(), p);
  nb::capsule owner(p, [](void* q) noexcept { delete[] static_cast<double*>(q); });
  return nb::ndarray<nb::numpy, double, nb::ndim<2>>(p, {(size_t)rows, (size_t)cols}, owner);
}

template <class T>
nb::list paths(Matrix<T> K, const std::vector<Arrays>& arrays, const std::vector<double>& costs, double tol,
               int64_t max_iter, double time_limit, int threads) {
  if (K.shape(0) != K.shape(1)) throw nb::value_error("a Gram matrix is square");
  if (!(tol > 0)) throw nb::value_error("tol must be positive");
  if (std::isnan(time_limit)) throw nb::value_error("time_limit must be a number of seconds; negative for none");
  for (double c : costs)
    if (!(c > 0 && std::isfinite(c))) throw nb::value_error("costs must be positive and finite");
  const int64_t n = (int64_t)K.shape(0);
  std::vector<Job> jobs;
  for (const auto& a : arrays) jobs.push_back(make_job(a, n));
  std::vector<Found> found(jobs.size());
  Watch watch(time_limit, nb::none(), (int64_t)jobs.size());
  {
    nb::gil_scoped_release free;
    threads = n * (int64_t)jobs.size() < 2000 ? 1 : std::clamp(threads, 1, MOST_THREADS);
    const int64_t limit = max_iter < 0 ? std::numeric_limits<int64_t>::max() : max_iter;
    run_all<T>(jobs, K.data(), n, costs, tol, limit, threads, watch, found);
  }
  if (watch.interrupted()) {  // half of a path is no answer
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw nb::python_error();
  }
  const char* reasons[] = {"tolerance", "max_iter", "time_limit", "stalled"};
  nb::list out;
  const int64_t m = (int64_t)costs.size();
  for (size_t k = 0; k < jobs.size(); ++k) {
    nb::list steps;
    for (const Step& s : found[k].steps)
      steps.append(nb::make_tuple(s.offset, s.objective, s.gap, s.n_iter, reasons[s.stopped]));
    out.append(nb::make_tuple(as_matrix(found[k].g, m, jobs[k].size()), as_matrix(found[k].variables, m, jobs[k].size()),
                              as_matrix(found[k].tests, m, (int64_t)jobs[k].test.size()), steps));
  }
  return out;
}

}  // namespace

void bind_shared(nb::module_& m);  // shared.cpp

NB_MODULE(_paths, m) {
  nb::set_leak_warnings(false);
  auto K = nb::arg("K").noconvert(), jobs = nb::arg("jobs").noconvert();
  auto costs = nb::arg("costs"), tol = nb::arg("tol"), max_iter = nb::arg("max_iter");
  auto limit = nb::arg("time_limit"), threads = nb::arg("n_threads");
  m.def("paths", paths<float>, K, jobs, costs, tol, max_iter, limit, threads);
  m.def("paths", paths<double>, K, jobs, costs, tol, max_iter, limit, threads);
  m.def("level", [] { return std::string(hot().name); });
  bind_shared(m);
}
