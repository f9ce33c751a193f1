// A libFuzzer target for compiled code that knows nothing of Python: sequences and the tree of neighbours.
// Results are compared with the plainest way there is; the sanitizers see the rest. `make fuzz` builds it.
#include "../graph/kd_tree.h"
#include "../sequences/alignment.h"
#include "../sequences/lanes.h"
#include "bytes.h"

namespace mercer {
const LaneTable& lanes_base();
}
using namespace mercer;

namespace {

// Subsequences of one sequence and another, cell by cell.
double plain(const std::vector<int64_t>& s, const std::vector<int64_t>& t, int length, double decay) {
  const size_t n = s.size(), m = t.size();
  std::vector<std::vector<double>> before(n + 1, std::vector<double>(m + 1, 1.0));
  double total = 0;
  for (int l = 0; l < length; ++l) {
    std::vector<std::vector<double>> now(n + 1, std::vector<double>(m + 1, 0.0));
    total = 0;
    for (size_t i = 1; i <= n; ++i)
      for (size_t j = 1; j <= m; ++j) {
        const double x = s[i - 1] == t[j - 1] ? before[i - 1][j - 1] : 0.0;
        total += x;
        now[i][j] = x + decay * now[i - 1][j] + decay * now[i][j - 1] - decay * decay * now[i - 1][j - 1];
      }
    before = now;
  }
  return total;
}

void subsequences(Bytes& in) {
  const int64_t n = in.below(24), m = in.below(24);
  const int length = 1 + (int)in.below(9);
  const double decay = 0.25 + in.below(16) / 16.0;
  std::vector<int64_t> s(n);
  for (int64_t& v : s) v = in.below(4);
  alignas(64) static int64_t t[24 * LANES];
  alignas(64) static double scratch[25 * 9 * LANES], total[9 * LANES];
  std::vector<std::vector<int64_t>> others(LANES);
  for (int lane = 0; lane < LANES; ++lane) {
    others[lane].resize(in.below(m + 1));
    for (int64_t j = 0; j < m; ++j) {
      const bool inside = j < (int64_t)others[lane].size();
      t[j * LANES + lane] = inside ? (others[lane][j] = in.below(4)) : PAD;
    }
  }
  const std::atomic<bool> stop{false};
  lanes_base().subsequences(s.data(), n, t, m, length, in.below(2), decay, scratch, total, &stop);
  for (int lane = 0; lane < LANES; ++lane) {
    const double right = plain(s, others[lane], length, decay), got = total[(length - 1) * LANES + lane];
    hold(std::fabs(got - right) <= 1e-7 * (1 + std::fabs(right)));
  }
}

void alignments(Bytes& in) {
  const int64_t n = in.below(20), m = in.below(20), dims = 1 + in.below(3), alphabet = 1 + in.below(5);
  const std::atomic<bool> stop{false};
  std::vector<double> scratch;
  std::vector<int> s(n), t(m);
  for (int& v : s) v = (int)in.below(alphabet);
  for (int& v : t) v = (int)in.below(alphabet);
  std::vector<double> factors(alphabet * alphabet);
  for (double& v : factors) v = std::exp(in.below(64) / 8.0);
  const Gaps gaps{in.below(17) / 16.0, in.below(17) / 16.0};
  hold(local_alignment(s.data(), n, t.data(), m, factors.data(), alphabet, gaps, scratch, &stop) >= 0);
  const auto x = in.numbers(n * dims, true), y = in.numbers(m * dims, true);
  const double width = 0.1 + in.below(32);
  const int64_t band = in.below(9), window = in.below(9) - 1;
  global_alignment(x.data(), n, y.data(), m, dims, width, band, scratch, &stop);
  const double there = warping_cost(x.data(), n, y.data(), m, dims, window, scratch, &stop);
  const double back = warping_cost(y.data(), m, x.data(), n, dims, window, scratch, &stop);
  hold(there == back || std::fabs(there - back) <= 1e-9 * std::fabs(there) || (there != there && back != back));
}

void neighbours(Bytes& in) {
  const int n = (int)in.below(90), d = (int)in.below(4), k = (int)std::min<int64_t>(1 + in.below(12), n);
  const auto points = in.numbers((size_t)n * d, true);
  const auto query = in.numbers(d, true);
  const int skip = (int)in.below(4) - 1;
  const KdTree tree(points.data(), n, d);
  std::vector<Neighbour> room(KdTree::room(std::max(k, 1)) + 1), all, near;
  std::vector<double> away(d + 1);
  for (int i = 0; i < n; ++i) {
    double square = 0;
    for (int a = 0; a < d; ++a) square += (query[a] - points[(size_t)i * d + a]) * (query[a] - points[(size_t)i * d + a]);
    if (i != skip) all.push_back({square, i});
  }
  std::sort(all.begin(), all.end());
  if (k > 0 && (size_t)k <= all.size()) {
    tree.nearest(query.data(), k, skip, room.data(), away.data());
    std::sort(room.begin(), room.begin() + k);
    for (int i = 0; i < k; ++i) hold(room[i].point == all[i].point && room[i].square == all[i].square);
  }
  const double limit = std::fabs(in.number(true));
  tree.within(query.data(), limit, skip, near, away.data());
  size_t count = 0;
  while (count < all.size() && all[count].square <= limit) ++count;
  hold(near.size() == count);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Bytes in(data, size);
  switch (in.below(3)) {
    case 0: subsequences(in); break;
    case 1: alignments(in); break;
    default: neighbours(in);
  }
  return 0;
}
