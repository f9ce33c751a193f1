"""Neighbours where many rows are equal: as by all distances, and each row looked up once."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

from mercer.learners.metric import KNNClassifier, _copies, _search

N = 2200


def _table(d, seed=0):
    """Some distinct rows, some groups of equal ones, and one row that makes up half of all."""
    rng = np.random.default_rng(seed)
    X = np.vstack([rng.normal(size=(400, d)), rng.integers(0, 2, size=(N - 1500, d)) * 1.0])
    X = np.vstack([X, np.full((1100, d), 0.5)])
    X[rng.random(X.shape) < 0.05] *= -1.0  # zeros of both signs are equal
    return rng.permutation(X)


def _by_all_distances(Q, X, k, own, metric):
    """Sorted distances, and for each how many rows are that near."""
    D = cdist(Q, X, metric)
    if own:
        np.fill_diagonal(D, np.inf)
    return np.sort(D, axis=1)[:, :k]


@pytest.mark.parametrize(
    ("d", "metric", "kind"),
    [
        (3, "euclidean", _search.CompiledTreeSearch),
        (12, "euclidean", _copies.CopiesSearch),
        (20, "euclidean", _copies.CopiesSearch),
        (3, "cityblock", _copies.CopiesSearch),
        (3, "chebyshev", _copies.CopiesSearch),
    ],
)
@pytest.mark.parametrize("k", [1, 7, 300])
def test_the_same_as_by_all_distances(d, metric, kind, k):
    X = _table(d)
    Q = np.vstack([X[:30], np.random.default_rng(1).normal(size=(30, d))])
    search = _search.build(X, metric, "auto", k, None)
    assert isinstance(search, kind)
    for asked, own in ((Q, False), (X, True)):
        distances, rows = search.others(k) if own else search.query(asked, k)
        expected = _by_all_distances(asked, X, k, own, metric)
        assert_allclose(distances, expected, atol=1e-7)  # brute Euclidean distances of equal rows
        assert_allclose(cdist(asked, X, metric)[np.arange(len(asked))[:, None], rows], expected)
        assert all(len(set(line)) == k for line in rows)  # nobody is named twice
        if own:
            assert not np.any(rows == np.arange(len(X))[:, None])


def test_copies_come_in_the_order_of_their_numbers():
    X = np.ones((N, 20))
    search = _search.build(X, "euclidean", "auto", 4, None)
    assert_array_equal(search.query(X[:1], 4)[1], [[0, 1, 2, 3]])
    assert_array_equal(
        search.others(3)[1][[0, 1, 2, N - 1]], [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]]
    )


def test_distinct_rows_are_few():
    """What scikit-learn's tree is given, where it would read all rows for each of them."""
    X = np.repeat(np.random.default_rng(0).normal(size=(50, 12)), 1000, axis=0)
    search = _search.build(X, "euclidean", "auto", 5, None)
    assert isinstance(search, _copies.CopiesSearch)
    assert search.distinct._search.n_samples_fit_ == 50
    assert_array_equal(np.diff(search.copies.starts), 1000)


def test_rows_that_differ_are_not_collected():
    X = np.random.default_rng(0).normal(size=(5000, 12))
    assert _copies.find(X) is None
    assert _copies.find(X[:2000]) is None
    assert isinstance(_search.build(X, "euclidean", "auto", 5, None), _search.TreeSearch)


@pytest.mark.parametrize("d", [3, 20])
def test_a_hundred_thousand_equal_rows(d):
    """All pairs would be ten thousand million."""
    X, y = np.ones((100_000, d)), np.arange(100_000) % 2
    model = KNNClassifier(5, ties="first").fit(X, y)
    assert_array_equal(model.predict(X[:3]), [0, 0, 0])  # rows 0 to 4
    assert_array_equal(model.predict(None)[:2], [1, 0])  # of 1 to 5, and of 0, 2 to 5
