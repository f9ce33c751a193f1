#include "select.h"

#include <cmath>
#include <cstring>

namespace mercer {

namespace {
int64_t stretches(int64_t n) { return (n + STRETCH - 1) / STRETCH; }
}  // namespace

Extremes extremes(const View& v) {
  Extremes e;
  hot().extremes(v.h, v.g, v.lo, v.hi, v.group, 0, v.n, e.up, e.low);
  if (v.groups == 0) e.refer_to_zero();
  return e;
}

// Sorting twenty thousand violations for the largest five hundred takes longer than a block's steps do:
// they are put into bins first, of which the last ones hold enough.
int64_t Selector::look(const View& v, const Extremes& e, double margin, Pool& pool) {
  double widest = e.low[0] - e.up[0];
  if (v.groups == 2) widest = std::max(widest, e.low[1] - e.up[1]);
  double scale = (BINS - 2) / widest;
  if (!(scale > 0 && std::isfinite(scale))) scale = 0;
  const int64_t tasks = stretches(v.n);
  up_bin_.resize(v.n);
  low_bin_.resize(v.n);
  up_count_.resize(tasks);
  low_count_.resize(tasks);
  std::vector<int64_t> open(tasks);
  const auto count = [](const std::vector<int16_t>& bins, int64_t from, int64_t to, Count& out) {
    int32_t ways[WAYS][BINS];
    std::memset(ways, 0, sizeof ways);
    for (int64_t i = from; i < to; ++i) ++ways[i % WAYS][bins[i]];
    for (int b = 0; b < BINS; ++b) out.of[b] = ways[0][b] + ways[1][b] + ways[2][b] + ways[3][b];
  };
  pool.run(tasks, [&](int64_t t, int) {
    const int64_t from = t * STRETCH, to = std::min(v.n, from + STRETCH);
    open[t] = hot().into_bins(v.h, v.g, v.lo, v.hi, v.group, from, to, e.up, e.low, scale, margin, up_bin_.data(),
                              low_bin_.data());
    count(up_bin_, from, to, up_count_[t]);
    count(low_bin_, from, to, low_count_[t]);
  });
  int64_t all = 0;
  for (int64_t o : open) all += o;
  return all;
}

// the bin from which on there are `need` of them, or all; in bin 0 are those that violate nothing
int Selector::least(const std::vector<Count>& counts, int64_t need) const {
  int b = BINS;
  for (int64_t found = 0; b > 1 && found < need;) {
    --b;
    for (const Count& c : counts) found += c.of[b];
  }
  return std::min(b, BINS - 1);
}

// into found_, in their order: each stretch writes where those before it end
void Selector::collect(const std::vector<int16_t>& bins, int64_t need, const std::vector<Count>& counts, Pool& pool) {
  const int from_bin = least(counts, need);
  std::vector<int64_t> start(counts.size() + 1, 0);
  for (size_t t = 0; t < counts.size(); ++t) {
    start[t + 1] = start[t];
    for (int b = from_bin; b < BINS; ++b) start[t + 1] += counts[t].of[b];
  }
  found_.resize(start.back());
  pool.run((int64_t)counts.size(), [&](int64_t t, int) {
    const int64_t from = t * STRETCH, to = std::min((int64_t)bins.size(), from + STRETCH);
    int mine[STRETCH + 1];
    const int64_t many = hot().in_bins(bins.data(), from, to, from_bin, mine);
    std::copy(mine, mine + many, found_.begin() + start[t]);
  });
}

void Selector::choose(const View& v, const Extremes& e, int64_t q, int64_t keep, std::vector<int>& set, Pool& pool) {
  in_.assign(v.n, 0);
  next_.clear();
  keep = std::min<int64_t>(keep, (int64_t)set.size());
  for (int64_t k = (int64_t)set.size() - keep; k < (int64_t)set.size(); ++k) {
    next_.push_back(set[k]);
    in_[set[k]] = 1;
  }
  const size_t need = (size_t)std::max<int64_t>(0, q - (int64_t)next_.size());
  const auto ranked = [&](std::vector<std::pair<double, int>>& side, bool up) {
    collect(up ? up_bin_ : low_bin_, (int64_t)need, up ? up_count_ : low_count_, pool);
    side.clear();
    for (int i : found_) {
      const double level = v.groups == 2 ? (up ? e.low : e.up)[v.of(i)] : 0.0;
      side.push_back({up ? v.h[i] - level : level - v.h[i], i});
    }
    const size_t k = std::min(side.size(), need);
    if (k < side.size()) std::nth_element(side.begin(), side.begin() + k, side.end());
    std::sort(side.begin(), side.begin() + k);
    side.resize(k);
  };
  ranked(up_, true);
  ranked(low_, false);
  size_t a = 0, b = 0;
  auto take = [&](int i) {
    if (!in_[i]) {
      in_[i] = 1;
      next_.push_back(i);
    }
  };
  while ((int64_t)next_.size() < q && (a < up_.size() || b < low_.size())) {
    if (a < up_.size()) take(up_[a++].second);
    if ((int64_t)next_.size() < q && b < low_.size()) take(low_[b++].second);
  }
  for (int64_t k = (int64_t)set.size() - keep - 1; k >= 0 && (int64_t)next_.size() < q; --k) take(set[k]);
  set.swap(next_);
}

}  // namespace mercer
