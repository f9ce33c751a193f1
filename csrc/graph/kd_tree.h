// A balanced tree of boxes over points of few dimensions, for exact neighbours under the Euclidean distance.
#pragma once
#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

namespace mercer {

// Squared distance and point; equal distances are ordered by the number of the point, so that results do not
// depend on the tree or on the threads.
struct Neighbour {
  double square;
  int point;
  bool operator<(const Neighbour& o) const { return square < o.square || (square == o.square && point < o.point); }
};

class KdTree {
 public:
  KdTree(const double* points, int n, int d) : d_(d), order_(n) {
    std::iota(order_.begin(), order_.end(), 0);
    nodes_.reserve(2 * (n / LEAF + 2));
    if (n > 0) build(points, 0, n);
    rows_.resize((size_t)n * d);
    for (int i = 0; i < n; ++i) std::copy_n(points + (size_t)order_[i] * d, d, rows_.data() + (size_t)i * d);
  }

  int point(int place) const { return order_[place]; }

  // The k nearest points but `skip` (-1: none), in no particular order; `room` has 2k + LEAF places, `away` d.
  void nearest(const double* q, int k, int skip, Neighbour* room, double* away) const {
    if (nodes_.empty() || k == 0) return;
    Search s{q, k, skip, room, away, 0, std::numeric_limits<double>::infinity()};
    descend(s, 0, first_gap(q, away));
    if (s.size > k) std::nth_element(room, room + k - 1, room + s.size);
  }
  static int room(int k) { return 2 * k + LEAF; }

  // All points but `skip` whose squared distance is at most `limit`, in no particular order.
  void within(const double* q, double limit, int skip, std::vector<Neighbour>& found, double* away) const {
    if (!nodes_.empty()) gather(q, limit, skip, found, away, 0, first_gap(q, away));
  }

 private:
  static constexpr int LEAF = 24, COINCIDING = -2;
  struct Node {
    int first, last, axis, right;  // children: the next node and `right`; leaves have axis -1, or COINCIDING
    double low, high;              // the left child ends at low, the right one starts at high
  };
  struct Search {
    const double* q;
    int k, skip;
    Neighbour* room;  // candidates, cut down to the k nearest whenever there are 2k of them
    double* away;     // squared distance to the box along each axis
    int size;
    double limit;  // k points are known to be this close
  };

  int build(const double* points, int first, int last) {
    int here = (int)nodes_.size();
    nodes_.push_back({first, last, -1, -1, 0.0, 0.0});
    std::vector<double> low(d_), high(d_);
    for (int a = 0; a < d_; ++a) {
      auto [lo, hi] = std::minmax_element(order_.begin() + first, order_.begin() + last, [&](int i, int j) {
        return points[(size_t)i * d_ + a] < points[(size_t)j * d_ + a];
      });
      low[a] = points[(size_t)*lo * d_ + a];
      high[a] = points[(size_t)*hi * d_ + a];
    }
    if (here == 0) low_ = low, high_ = high;
    int axis = 0;
    for (int a = 1; a < d_; ++a)
      if (high[a] - low[a] > high[axis] - low[axis]) axis = a;
    if (d_ == 0 || !(high[axis] > low[axis])) {
      nodes_[here].axis = COINCIDING;
      std::sort(order_.begin() + first, order_.begin() + last);  // what `nearest` prefers comes first
    }
    if (last - first <= LEAF || nodes_[here].axis == COINCIDING) return here;
    int middle = first + (last - first) / 2;
    auto less = [&](int i, int j) { return points[(size_t)i * d_ + axis] < points[(size_t)j * d_ + axis]; };
    std::nth_element(order_.begin() + first, order_.begin() + middle, order_.begin() + last, less);
    double start = points[(size_t)order_[middle] * d_ + axis];
    double end = points[(size_t)*std::max_element(order_.begin() + first, order_.begin() + middle, less) * d_ + axis];
    build(points, first, middle);
    int right = build(points, middle, last);
    nodes_[here].axis = axis;
    nodes_[here].right = right;
    nodes_[here].low = end;
    nodes_[here].high = start;
    return here;
  }

  double first_gap(const double* q, double* away) const {
    double total = 0.0;
    for (int a = 0; a < d_; ++a) {
      double gap = std::max({low_[a] - q[a], q[a] - high_[a], 0.0});
      total += away[a] = gap * gap;
    }
    return total;
  }

  double square(const double* q, int place) const {
    const double* p = rows_.data() + (size_t)place * d_;
    double total = 0.0;
    for (int a = 0; a < d_; ++a) total += (q[a] - p[a]) * (q[a] - p[a]);
    return total;
  }

  // The bound may exceed a true distance by rounding: boxes are only left out clearly beyond the farthest.
  static bool beyond(double gap, double limit) { return gap * (1.0 - 1e-12) > limit; }

  void descend(Search& s, int at, double gap) const {
    const Node& node = nodes_[at];
    if (node.axis < 0) return look(s, node);
    both(node, s.q, s.away, gap, at, [&](int child, double g) {
      if (!beyond(g, s.limit)) descend(s, child, g);
    });
  }

  void look(Search& s, const Node& leaf) const {
    // Of points that coincide the first k are the nearest; among k + 1 are k besides `skip`.
    const int last = leaf.axis == COINCIDING ? std::min(leaf.last, leaf.first + s.k + 1) : leaf.last;
    for (int i = leaf.first; i < last; ++i) {
      double away = square(s.q, i);
      if (!(away <= s.limit) || order_[i] == s.skip) continue;
      s.room[s.size++] = {away, order_[i]};
      if (s.size == 2 * s.k + LEAF) cut(s);  // a leaf of coinciding points may be larger than LEAF
    }
    if (s.size >= 2 * s.k || (s.size >= s.k && s.limit == std::numeric_limits<double>::infinity())) cut(s);
  }

  static void cut(Search& s) {
    std::nth_element(s.room, s.room + s.k - 1, s.room + s.size);
    s.size = s.k;
    s.limit = s.room[s.k - 1].square;
  }

  void gather(const double* q, double limit, int skip, std::vector<Neighbour>& found, double* away, int at,
              double gap) const {
    const Node& node = nodes_[at];
    if (node.axis < 0) {
      for (int i = node.first; i < node.last; ++i) {
        double s = square(q, i);
        if (s <= limit && order_[i] != skip) found.push_back({s, order_[i]});
      }
      return;
    }
    both(node, q, away, gap, at, [&](int child, double g) {
      if (!beyond(g, limit)) gather(q, limit, skip, found, away, child, g);
    });
  }

  // The nearer child first, each with its squared distance from q.
  template <class Visit>
  void both(const Node& node, const double* q, double* away, double gap, int at, Visit visit) const {
    double x = q[node.axis], old = away[node.axis];
    bool left = x - node.low < node.high - x;
    double far = left ? node.high - x : x - node.low;
    double next = far > 0.0 ? std::max(old, far * far) : old;
    visit(left ? at + 1 : node.right, gap);
    away[node.axis] = next;
    visit(left ? node.right : at + 1, gap - old + next);
    away[node.axis] = old;
  }

  int d_;
  std::vector<int> order_;
  std::vector<double> rows_, low_, high_;
  std::vector<Node> nodes_;
};

}  // namespace mercer
