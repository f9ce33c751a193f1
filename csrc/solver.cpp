#include "solver.h"

#include <chrono>
#include <cmath>
#include <stdexcept>

#include "block.h"
#include "leap.h"

namespace mercer {

namespace {
constexpr int64_t LONG_ROWS = 16384;
constexpr double FRACTION = 0.3;  // of a block's gap is left to later blocks, whose gradient knows more
double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
}  // namespace

namespace {

// The state of one solve, so that the loop below reads as the algorithm.
template <class T>
class Machine {
 public:
  Machine(QuadraticProgram& p, const Source<T>& source, RowCache<T>& cache, std::vector<double>& F, const Options& o,
          Pool& pool, const Poll& poll)
      : p_(p), source_(source), cache_(cache), F_(F), o_(o), pool_(pool), poll_(poll), h_(p.size()),
        diag_(source.n, T(0)), before_{cache.rows_computed, cache.values_computed, cache.rows_added},
        block_(source) {
    std::vector<unsigned char> chunk(cache.chunks(), 0);
    std::vector<unsigned char> known(source.n, 0);
    for (int i : p.index) {
      chunk[i / cache.width()] = 1;
      if (known[i]) continue;
      known[i] = 1;
      diag_[i] = source.diagonal(i);
    }
    for (size_t c = 0; c < chunk.size(); ++c)
      if (chunk[c]) wanted_.push_back((int64_t)c);
  }

  // `resumed`: F is already what the coefficients (and those of variables left out) make it
  Outcome run(bool resumed = false) {
    find_runs();
    if (!resumed) warm_start();
    int64_t q = std::min<int64_t>(p_.size(), std::max<int64_t>(o_.inner, 16) / 2 * 2);
    const int64_t limit = o_.max_iter < 0 ? std::numeric_limits<int64_t>::max() : o_.max_iter;
    int64_t stuck = 0;
    for (;;) {
      double t = now();
      refresh();
      if (out_.steps > 0 && out_.steps % Leap::EVERY == 0) leap();
      const Extremes e = extremes_;
      out_.gap = e.gap(p_.groups);
      last_objective_ = objective_;
      check_finite();
      if (!(out_.gap > o_.tol)) break;
      if (out_.n_iter >= limit) { out_.stopped = "max_iter"; break; }
      if (stall_.hopeless(last_objective_, out_.gap)) { out_.stopped = "stalled"; break; }
      if (poll_ && poll_({out_.n_iter, out_.steps, out_.gap, last_objective_})) { out_.stopped = "interrupt"; break; }
      const double margin = 0.1 * out_.gap;
      const int64_t open = selector_.look(view(), e, margin, pool_);
      const bool few = 2 * open < p_.size() && open > o_.middle;
      if (out_.reductions < 4 && few && cache_.full() && source_.can_split()) {
        ++out_.reductions;
        find_open(e, margin);
        solve_open(limit - out_.n_iter);
        set_.clear();
        continue;
      }
      // few variables left: finish in one block, unless its kernel values would cost more than the rows
      const bool cheap = source_.cost() <= 4;
      if (cheap ? open <= o_.middle : 2 * open <= o_.middle && 4 * open <= p_.size())
        q = std::max(q, std::min(open, p_.size()));
      selector_.choose(view(), e, q, q / 2, set_, pool_);
      out_.seconds_select += now() - t;
      const int64_t moved = improve(limit - out_.n_iter);
      ++out_.steps;
      stuck = moved ? 0 : stuck + 1;
      if (stuck > 1 || ((int64_t)set_.size() == p_.size() && middle_.stalled)) {
        refresh();
        out_.gap = extremes_.gap(p_.groups);
        if (out_.gap > o_.tol) out_.stopped = "stalled";
        if (!block_.finite()) refuse();  // NaN can also mean that no variable finds a partner to move with
        break;
      }
    }
    out_.objective = objective_;
    offsets();
    out_.rows_computed += cache_.rows_computed - before_.rows;
    out_.values_computed += cache_.values_computed - before_.values;
    out_.rows_added += cache_.rows_added - before_.added;
    out_.block_values += block_.values_computed;
    return out_;
  }

 private:
  View view() const {
    const signed char* group = p_.groups == 2 ? p_.group.data() : nullptr;
    return {p_.size(), h_.data(), p_.g.data(), p_.lo.data(), p_.hi.data(), group, p_.groups};
  }
  // where neighbours among the variables are neighbours among the rows
  void find_runs() {
    run_.assign(p_.size() / RUN + 1, 0);
    for (int64_t t = 0; t + RUN <= p_.size(); t += RUN) {
      bool run = true;
      for (int64_t v = t + 1; v < t + RUN; ++v) run = run && p_.index[v] == p_.index[v - 1] + 1;
      run_[t / RUN] = run;
    }
  }
  // gradients, objective and extremes of what the outputs are now
  void refresh() {
    const int64_t tasks = (p_.size() + STRETCH - 1) / STRETCH;
    const Scanned s{p_.index.data(), run_.data(), p_.sign.data(), p_.linear.data(),
                    p_.shift.empty() ? nullptr : p_.shift.data(), p_.g.data()};
    const View v = view();
    std::vector<double> sums(tasks);
    std::vector<Extremes> ends(tasks);
    pool_.run(tasks, [&](int64_t t, int) {
      const int64_t from = t * STRETCH, to = std::min(p_.size(), from + STRETCH);
      sums[t] = hot().gradients(s, F_.data(), from, to, h_.data());
      hot().extremes(v.h, v.g, v.lo, v.hi, v.group, from, to, ends[t].up, ends[t].low);
    });
    objective_ = 0;
    extremes_ = Extremes();
    for (int64_t t = 0; t < tasks; ++t) {
      objective_ += 0.5 * sums[t];
      extremes_.join(ends[t]);
    }
    if (p_.groups == 0) extremes_.refer_to_zero();
  }
  void leap() {
    const double was = objective_;
    if (!leap_.take(p_, h_, F_)) return;
    move(leap_.corrected, leap_.on_line);
    refresh();
    if (objective_ < was) return;
    leap_.undo(p_, F_);
    refresh();
  }
  // variables that are not settled at a bound; few are left when the end is near
  void find_open(const Extremes& e, double margin) {
    open_.clear();
    for (int64_t v = 0; v < p_.size(); ++v) {
      const int c = p_.groups == 2 ? p_.group[v] : 0;
      const bool settled = (p_.g[v] <= p_.lo[v] && h_[v] > e.low[c] + margin) ||
                           (p_.g[v] >= p_.hi[v] && h_[v] < e.up[c] - margin);
      if (!settled) open_.push_back((int)v);
    }
  }

  // The rows do not fit in the cache, and most variables have settled: solve for the others alone, on
  // rows that are shorter by as much. What has settled wrongly shows when all outputs are updated.
  void solve_open(int64_t limit) {
    std::vector<int> rows;
    for (int v : open_) rows.push_back(p_.index[v]);
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    std::unique_ptr<Source<T>> part = source_.subset(rows, pool_);
    QuadraticProgram sub;
    std::vector<double> before;
    for (int v : open_) {
      sub.index.push_back((int)(std::lower_bound(rows.begin(), rows.end(), p_.index[v]) - rows.begin()));
      sub.sign.push_back(p_.sign[v]);
      sub.linear.push_back(p_.linear[v]);
      if (!p_.shift.empty()) sub.shift.push_back(p_.shift[v]);
      sub.lo.push_back(p_.lo[v]);
      sub.hi.push_back(p_.hi[v]);
      sub.g.push_back(p_.g[v]);
      if (p_.groups == 2) sub.group.push_back(p_.group[v]);
      before.push_back(p_.g[v]);
    }
    sub.groups = p_.groups;
    std::vector<double> F(round_up(part->n, CHUNK), 0.0);
    for (size_t r = 0; r < rows.size(); ++r) F[r] = F_[rows[r]];
    cache_.clear();  // its memory serves the smaller problem
    Options o = o_;
    o.max_iter = limit == std::numeric_limits<int64_t>::max() ? -1 : limit;
    Outcome found;
    Poll poll;  // the part counts its own steps; whoever watches sees those of the whole
    if (poll_)
      poll = [this](Progress p) {
        p.n_iter += out_.n_iter;
        p.steps += out_.steps;
        p.objective = last_objective_;
        return poll_(p);
      };
    {
      RowCache<T> cache(*part, o.cache_bytes, o.patient);
      found = Machine<T>(sub, *part, cache, F, o, pool_, poll).run(true);
    }
    for (size_t a = 0; a < open_.size(); ++a) p_.g[open_[a]] = sub.g[a];
    out_.n_iter += found.n_iter;
    out_.steps += found.steps;
    out_.seconds_block += found.seconds_block;
    out_.seconds_inner += found.seconds_inner;
    out_.seconds_select += found.seconds_select;
    out_.rows_computed += found.rows_computed;
    out_.values_computed += found.values_computed;
    out_.rows_added += found.rows_added;
    out_.block_values += found.block_values;
    const double t = now();
    move(open_, before);
    out_.seconds_rows += found.seconds_rows + now() - t;
  }
  // A comparison with NaN is false, so a gap would look closed; the objective sees every gradient.
  void check_finite() const {
    if (!std::isfinite(last_objective_)) refuse();
  }
  [[noreturn]] static void refuse() {
    throw std::domain_error(
        "The dual coefficients or intercepts are not finite: kernel values are NaN, infinite or overflow in the "
        "solver. The input data may contain large values and need to be preprocessed.");
  }
  // F is K times the signed coefficients; it starts at zero and receives the rows of what is not zero
  void warm_start() {
    std::vector<double> zero(p_.size(), 0.0);
    std::vector<int> all(p_.size());
    for (int64_t v = 0; v < p_.size(); ++v) all[v] = (int)v;
    move(all, zero);
  }
  int64_t move(const std::vector<int>& set, const std::vector<double>& before) {
    std::vector<int> rows;
    std::vector<double> weight;
    seen_.resize(source_.n, -1);
    for (size_t a = 0; a < set.size(); ++a) {
      const int64_t v = set[a];
      const double w = (p_.g[v] - before[a]) * p_.sign[v];
      if (w == 0) continue;
      int& at = seen_[p_.index[v]];
      if (at < 0) {
        at = (int)rows.size();
        rows.push_back(p_.index[v]);
        weight.push_back(w);
      } else
        weight[at] += w;
    }
    for (int r : rows) seen_[r] = -1;
    // in batches, so that a large warm start does not need scratch for all rows at once
    for (size_t k = 0; k < rows.size(); k += 4096) {
      const size_t k1 = std::min(rows.size(), k + 4096);
      const std::vector<int> some(rows.begin() + k, rows.begin() + k1);
      cache_.add(some, {weight.begin() + k, weight.begin() + k1}, wanted_, F_.data(), pool_);
    }
    return (int64_t)rows.size();
  }

  // the block was the whole problem: its gradient already says what F is
  int64_t copy_outputs(const std::vector<int>& set, const std::vector<double>& before) {
    int64_t moved = 0;
    for (size_t a = 0; a < set.size(); ++a) {
      const int64_t v = set[a];
      moved += p_.g[v] != before[a];
      const double shift = p_.shift.empty() ? 0.0 : p_.shift[v] * p_.g[v];
      F_[p_.index[v]] = p_.sign[v] * (block_.dense.h[a] - p_.linear[v] - shift);
    }
    return moved;
  }

  int64_t improve(int64_t budget) {
    double t = now();
    const std::vector<int>& set = block_.fill(set_, p_, h_, diag_, cache_, wanted_, pool_);
    Dense<T>& dense = block_.dense;
    const std::vector<double> before = dense.g;
    out_.seconds_block += now() - t;
    t = now();
    const bool whole = (int64_t)set.size() == p_.size();
    const auto stop = [&](double gap, int64_t taken) {
      return poll_ && poll_({out_.n_iter + taken, out_.steps, gap, last_objective_});
    };
    out_.n_iter += middle_.solve(dense, o_.inner, o_.tol * 0.5, whole ? 0.0 : FRACTION, budget, pool_, stop);
    for (size_t a = 0; a < set.size(); ++a) p_.g[set[a]] = dense.g[a];
    out_.seconds_inner += now() - t;
    t = now();
    const int64_t moved = whole ? copy_outputs(set, before) : move(set, before);
    out_.seconds_rows += now() - t;
    return moved;
  }

  void offsets() {
    for (int c = 0; c < std::max(p_.groups, 1); ++c) {
      double sum = 0, up = INF, low = -INF;
      int64_t free = 0;
      for (int64_t v = 0; v < p_.size(); ++v) {
        if (p_.groups == 2 && p_.group[v] != c) continue;
        const bool u = p_.g[v] < p_.hi[v], l = p_.g[v] > p_.lo[v];
        if (u && l) { sum += h_[v]; ++free; }
        if (u) up = std::min(up, h_[v]);
        if (l) low = std::max(low, h_[v]);
      }
      if (p_.groups == 0) out_.offset[c] = 0;
      else if (free) out_.offset[c] = sum / free;
      else if (std::isfinite(up) && std::isfinite(low)) out_.offset[c] = 0.5 * (up + low);
      else out_.offset[c] = std::isfinite(up) ? up : std::isfinite(low) ? low : 0.0;
    }
  }

  QuadraticProgram& p_;
  const Source<T>& source_;
  RowCache<T>& cache_;
  std::vector<double>& F_;
  const Options& o_;
  Pool& pool_;
  const Poll& poll_;
  double last_objective_ = 0, objective_ = 0;  // what watchers were told; of the present gradients
  Extremes extremes_;
  Stall stall_;
  std::vector<double> h_;
  std::vector<T> diag_;
  std::vector<int64_t> wanted_;
  std::vector<int> seen_, open_, set_;
  std::vector<unsigned char> run_;
  struct { int64_t rows, values, added; } before_;  // what the cache has done for other problems
  Leap leap_;
  Selector selector_;
  Block<T> block_;
  Middle<T> middle_;
  Outcome out_;
};

}  // namespace

template <class T>
Outcome solve(QuadraticProgram& problem, const Source<T>& source, RowCache<T>& cache, std::vector<double>& F,
              const Options& options, Pool& pool, const Poll& poll) {
  F.assign(round_up(source.n, CHUNK), 0.0);
  Options o = options;
  if (source.n < LONG_ROWS) o.inner = std::min<int64_t>(o.inner, 512);  // steps over short rows are cheap: take more
  if (source.cost() > 4) {  // where values are dear, smaller blocks waste fewer
    o.inner = std::min<int64_t>(o.inner, 384);
    o.middle = std::min<int64_t>(o.middle, 768);
  }
  return Machine<T>(problem, source, cache, F, o, pool, poll).run();
}

template Outcome solve(QuadraticProgram&, const Source<float>&, RowCache<float>&, std::vector<double>&,
                       const Options&, Pool&, const Poll&);
template Outcome solve(QuadraticProgram&, const Source<double>&, RowCache<double>&, std::vector<double>&,
                       const Options&, Pool&, const Poll&);

}  // namespace mercer
