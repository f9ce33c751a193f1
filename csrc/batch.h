// Several problems over one source, in turn or side by side.
#pragma once
#include <atomic>
#include <cstdint>
#include <vector>

#include "watch.h"

namespace mercer {

struct Batch {
  std::vector<QuadraticProgram> programs;
  std::vector<Outcome> outcomes;
  std::vector<std::vector<double>> F;
  int64_t count() const { return (int64_t)programs.size(); }
};

// One problem after the other, each on all threads.
template <class T>
void solve_in_turn(Batch& b, const Source<T>& source, const Options& options, int threads, Watch& watch) {
  Pool pool(threads);
  RowCache<T> cache(source, options.cache_bytes, options.patient);
  const Poll ask = [&](const Progress& p) { return watch.ask(p); };
  for (int64_t k = 0; k < b.count(); ++k, ++watch.done)
    b.outcomes[k] = solve<T>(b.programs[k], source, cache, b.F[k], options, pool, ask);
}

// One problem per thread; each thread keeps its own rows, shared by the problems it takes.
template <class T>
void solve_side_by_side(Batch& b, const Source<T>& source, const Options& options, int threads, Watch& watch) {
  std::atomic<int64_t> next{0};
  side_by_side(threads, watch, [&](const Poll& poll) {
    Pool alone(1);
    RowCache<T> cache(source, options.cache_bytes / threads, options.patient);
    for (int64_t k; (k = next.fetch_add(1)) < b.count(); ++watch.done)
      b.outcomes[k] = solve<T>(b.programs[k], source, cache, b.F[k], options, alone, poll);
  });
}

template <class T>
void solve_all(Batch& b, const Source<T>& source, const Options& options, int threads, Watch& watch) {
  const bool in_turn = b.count() < threads || threads == 1 || source.whole_rows();
  (in_turn ? solve_in_turn<T> : solve_side_by_side<T>)(b, source, options, threads, watch);
}

}  // namespace mercer
