"""How much work a fit takes: counts, not seconds, so that no machine is too slow or too busy.

The numbers are what the solver took when this was written, plus a quarter: a change that makes it
compute half as much again shows here, rounding and another instruction level do not.
"""

import numpy as np
import pytest

from mercer.gram import KernelGram
from mercer.kernels import Gaussian
from mercer.solvers import problems, smo


def clusters(n, d, seed=4242):
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(24, d)) * 1.1
    kind = rng.integers(0, 24, n)
    flipped = rng.random(n) < 0.08
    return centres[kind] + rng.normal(size=(n, d)), np.where((kind % 2 == 1) ^ flipped, 1.0, -1.0)


# cost, megabytes -> blocks, pair steps, rows computed, rows added, thousands of values in blocks
EXPECTED = {
    (1.0, 400): (57, 8239, 4236, 16088, 5636),
    (100.0, 400): (138, 20191, 5056, 38806, 13598),
    (1.0, 40): (60, 8807, 10441, 19509, 5963),
}


@pytest.mark.parametrize(("cost", "cache_mb"), EXPECTED)
def test_a_fit_takes_no_more_work_than_it_did(cost, cache_mb):
    X, y = clusters(8000, 20)
    gram = KernelGram(Gaussian(length_scale=np.sqrt(20 / 2)), X)
    found = smo.solve(problems.c_svc(y, cost), gram, cache_mb=cache_mb)
    assert found.converged
    work = found.stats
    taken = (
        work["steps"],
        found.n_iter,
        work["rows"],
        work["rows_added"],
        work["block_values"] / 1e3,
    )
    for count, expected in zip(taken, EXPECTED[cost, cache_mb], strict=True):
        assert count <= 1.25 * expected, taken
    assert work["values"] <= work["rows"] * 8000  # rows of a smaller problem are shorter


def test_work_is_the_same_on_any_number_of_threads():
    X, y = clusters(6000, 5)
    gram = KernelGram(Gaussian(length_scale=1.5), X)
    one, two = (smo.solve(problems.c_svc(y, 1.0), gram, n_threads=k, cache_mb=20) for k in (1, 2))
    counted = ("steps", "rows", "values", "block_values", "rows_added")
    assert [one.stats[k] for k in counted] == [two.stats[k] for k in counted]
    assert one.n_iter == two.n_iter


def test_memory_taken_as_it_pays_changes_no_result():
    X, y = clusters(6000, 5)
    gram = KernelGram(Gaussian(length_scale=1.5), X)
    auto, held = (
        smo.solve(problems.c_svc(y, 1.0), gram, cache_mb=size) for size in ("auto", smo.AUTO_MB)
    )
    assert np.array_equal(auto.alpha, held.alpha)
    assert auto.offsets == held.offsets
    assert auto.stats["rows"] >= held.stats["rows"]


def test_what_a_problem_took_is_its_own():
    """Problems that share a cache do not count each other's rows."""
    X, y = clusters(6000, 5)
    gram = KernelGram(Gaussian(length_scale=1.5), X)
    problem = problems.c_svc(y, 1.0)
    first, second = smo.solve_many([problem, problem], gram, n_threads=1, cache_mb=1000)
    assert first.stats["rows"] > 0
    assert second.stats["rows"] == 0  # all of them are held
    assert second.stats["rows_added"] == first.stats["rows_added"]
    assert np.array_equal(first.alpha, second.alpha)
