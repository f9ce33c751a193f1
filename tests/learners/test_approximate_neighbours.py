"""The graph search of pynndescent: what it finds, what it refuses, what it says beforehand.

The tests marked slow compile pynndescent for a minute: ``make validity`` runs them where it is
installed. All others do without it.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import pairwise_distances

from mercer.kernels import Gaussian, Laplacian, Polynomial
from mercer.learners.metric import (
    CondensedNearestNeighbor,
    KNNClassifier,
    KNNRegressor,
    _approximate,
)

RNG = np.random.default_rng(5)
X = RNG.normal(size=(600, 8))
Y = (X[:, 0] + X[:, 1] > 0).astype(int)
NEW = RNG.normal(size=(100, 8))


@pytest.mark.parametrize(
    ("metric", "rows"),
    [
        ("seuclidean", X),  # pynndescent knows the name, and means another scale by it
        ("nan_euclidean", X),
        ("precomputed", pairwise_distances(X)),
        (lambda a, b: float(abs(a[0] - b[0])), X),
        (Polynomial(2, coef0=1.0), X),
    ],
)
@pytest.mark.parametrize("learner", [KNNClassifier, KNNRegressor])
def test_metrics_it_cannot_do_are_refused_before_anything_is_compiled(learner, metric, rows):
    with pytest.raises(ValueError, match=r"one of the metrics 'euclidean'.*algorithm='auto'"):
        learner(3, metric=metric, algorithm="approximate").fit(rows, Y)


def test_sparse_rows_are_refused():
    from scipy.sparse import csr_array

    with pytest.raises(TypeError, match="dense data is required"):
        KNNClassifier(3, algorithm="approximate").fit(csr_array(X), Y)


def test_without_pynndescent_the_error_names_the_extra(monkeypatch):
    monkeypatch.setattr(_approximate, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"pip install 'mercer\[neighbours\]'"):
        KNNClassifier(3, algorithm="approximate").fit(X, Y)


def test_few_rows_need_no_graph(monkeypatch):
    monkeypatch.setattr(_approximate, "find_spec", lambda name: "installed")
    rough = KNNClassifier(3, metric=Gaussian(1.0), algorithm="approximate").fit(X[:30], Y[:30])
    exact = KNNClassifier(3).fit(X[:30], Y[:30])
    assert_array_equal(rough.kneighbors(NEW)[1], exact.kneighbors(NEW)[1])


def test_a_word_before_the_first_use_and_only_then(monkeypatch, caplog):
    monkeypatch.setattr(_approximate, "_told", False)
    _approximate._announce()
    _approximate._announce()
    assert [record.name for record in caplog.records] == ["mercer"]
    assert "about a minute" in caplog.text


class Forgetful:
    """An index that leads to two rows only, as a graph in pieces may."""

    def query(self, Q, k, epsilon):
        rows = np.full((len(Q), k), -1)
        rows[:, :2] = [0, 1]
        return rows, np.full((len(Q), k), np.inf)

    @property
    def neighbor_graph(self):
        rows = np.full((len(X), 31), -1)
        rows[:, 0] = np.arange(len(X))
        return rows, np.full((len(X), 31), np.inf)


def test_what_the_graph_does_not_reach_is_looked_up():
    search = object.__new__(_approximate.ApproximateSearch)
    search.X, search.n, search._metric, search._centre = X, len(X), "euclidean", 0.0
    search._index = Forgetful()
    exact = KNNClassifier(3).fit(X, Y)
    for found, wanted in [
        (search.query(NEW, 3), exact.kneighbors(NEW)),
        (search.others(3), exact.fitted_.search.others(3)),
    ]:
        assert_allclose(found[0], wanted[0], atol=1e-6)
        assert_array_equal(found[1], wanted[1])


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(_approximate.SHARED)))
def test_names_mean_the_same_in_both_libraries(name):
    distances = pytest.importorskip("pynndescent", reason="extra 'neighbours'").distances
    a, b = np.abs(X[:2]).astype(np.float32)
    theirs = distances.named_distances[_approximate.SHARED[name]](a, b)
    assert_allclose(theirs, pairwise_distances(a[None], b[None], metric=name)[0, 0], rtol=1e-5)


@pytest.mark.slow
def test_approximate_search_finds_most_neighbours():
    pytest.importorskip("pynndescent", reason="extra 'neighbours'")
    far = 1e6 + X  # an offset must cost no digits
    rough = KNNClassifier(3, algorithm="approximate").fit(far, Y)
    exact = KNNClassifier(3).fit(X, Y)
    distances, rows = rough.kneighbors(1e6 + NEW)
    assert np.mean(rows == exact.kneighbors(NEW)[1]) > 0.97
    assert_allclose(distances[:, 0], exact.kneighbors(NEW)[0][:, 0], rtol=0.2)
    assert np.median(np.abs(distances - exact.kneighbors(NEW)[0])) < 1e-5
    assert np.mean(rough.left_out_predictions() == exact.left_out_predictions()) > 0.9
    # no theorem knows which neighbours such an index misses
    assert rough.evidence_.neighbours is None
    number = KNNRegressor(3, metric=Laplacian(1.0), algorithm="approximate").fit(X, X[:, 0])
    same = KNNRegressor(3, metric="manhattan").fit(X, X[:, 0])
    assert np.mean(np.isclose(number.predict(NEW), same.predict(NEW), atol=1e-5)) > 0.95
    noisy = np.where(RNG.random(len(Y)) < 0.3, 1 - Y, Y)
    kept = CondensedNearestNeighbor(algorithm="approximate").fit(X, noisy)
    assert kept.evidence_.compression is None
