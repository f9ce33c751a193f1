"""Spans of functions against the distances they should see, pair by pair."""

import itertools

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.spatial.distance import cdist
from sklearn.exceptions import ConvergenceWarning

from mercer.learners.metric import subspace_condition

EXAMPLE_3 = np.array(
    [[0, 1, 1, 1, 1], [1, 0, 1, 1, 2], [1, 1, 0, 2, 1], [1, 1, 2, 0, 1], [1, 2, 1, 1, 0]],
    dtype=float,
)


def test_spans_that_see_every_distance():
    with_all = np.column_stack([EXAMPLE_3, np.ones(5)])
    found = subspace_condition(with_all, EXAMPLE_3)
    assert found.gap == pytest.approx(0, abs=1e-9)  # f = d(x, .) reaches d(x, y)
    assert found.programmes == 0
    found = subspace_condition(np.ones((5, 1)), EXAMPLE_3)
    assert found.gap == found.at_most == EXAMPLE_3.max()
    assert EXAMPLE_3[found.pair] == EXAMPLE_3.max()


def test_a_span_of_all_functions_needs_no_programme():
    """Kernels of fifty objects span every function of them: each pair would have every pair's."""
    X = np.random.default_rng(0).normal(size=(50, 3))
    found = subspace_condition(np.exp(-cdist(X, X, "sqeuclidean")), cdist(X, X))
    assert found.gap == pytest.approx(0, abs=1e-6)
    assert found.programmes == 0


def one_programme_per_pair(columns, D):
    i, j = np.nonzero(~np.eye(len(D), dtype=bool))
    gaps = {}
    for x, y in itertools.combinations(range(len(D)), 2):
        exact = linprog(
            columns[y] - columns[x],
            A_ub=columns[i] - columns[j],
            b_ub=D[i, j],
            bounds=(None, None),
            method="highs",
        )
        gaps[x, y] = D[x, y] + exact.fun
    return gaps


@pytest.mark.parametrize("kind", ["distances", "random", "copies"])
def test_the_largest_gap_of_a_span_by_brute_force(kind):
    rng = np.random.default_rng(8)
    for m, k in ((2, 1), (5, 2), (8, 3), (9, 9)):
        X = rng.normal(size=(m, 2))
        if kind == "copies":
            X[-1] = X[0]
        D = cdist(X, X)
        columns = rng.normal(size=(m, k)) if kind == "random" else D[:, :k]
        gaps = one_programme_per_pair(columns, D)
        found = subspace_condition(columns, D)
        assert found.gap == pytest.approx(max(gaps.values()), abs=1e-6)
        assert gaps[found.pair] == pytest.approx(found.gap, abs=1e-6)
        assert found.gap == found.at_most


def test_the_gap_of_many_objects_ends_and_a_limit_is_said():
    rng = np.random.default_rng(9)
    D = cdist(*[rng.normal(size=(60, 2))] * 2)
    columns = rng.normal(size=(60, 15))
    found = subspace_condition(columns, D)  # over four minutes with one programme per pair
    assert found.programmes < 60
    assert found.gap == found.at_most
    with pytest.warns(ConvergenceWarning, match="between"):
        cut = subspace_condition(rng.normal(size=(60, 40)), D, max_programmes=1)
    assert cut.gap < cut.at_most
    with pytest.raises(ValueError, match="one row of columns"):
        subspace_condition(columns, D[:5, :5])
