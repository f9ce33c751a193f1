"""Nearest neighbours: agreement with scikit-learn, ties, feature space, condensed rules."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from mercer.datasets import make_moons, make_ringnorm
from mercer.kernels import Gaussian, Laplacian, Linear, Polynomial
from mercer.learners.metric import (
    CondensedNearestNeighbor,
    KNNClassifier,
    KNNRegressor,
    consistent_k,
)
from mercer.learners.metric._votes import winners
from mercer.metrics import Edit

X, Y, _ = make_ringnorm(200, d=3, random_state=0)
NEW, _, _ = make_ringnorm(60, d=3, random_state=1)
T = X[:, 0] ** 2 + X[:, 1]


@pytest.mark.parametrize("k", [1, 4, 7])
@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_agrees_with_scikit_learn(k, weights, metric):
    ours = KNNClassifier(k, weights=weights, metric=metric, ties="first").fit(X, Y)
    theirs = KNeighborsClassifier(k, weights=weights, metric=metric).fit(X, Y)
    assert np.array_equal(ours.predict(NEW), theirs.predict(NEW))
    assert_allclose(ours.predict_proba(NEW), theirs.predict_proba(NEW), atol=1e-8)
    number = KNNRegressor(k, weights=weights, metric=metric).fit(X, T)
    expected = KNeighborsRegressor(k, weights=weights, metric=metric).fit(X, T)
    assert_allclose(number.predict(NEW), expected.predict(NEW))
    pair = KNNRegressor(k).fit(X, np.column_stack([T, -T]))
    assert_allclose(pair.predict(NEW)[:, 1], -pair.predict(NEW)[:, 0])


def test_decreasing_kernels_have_the_euclidean_neighbours():
    plain = KNNClassifier(5).fit(X, Y).kneighbors(NEW)[1]
    for kernel in (Gaussian(1.3), Laplacian(2.0)):
        found = KNNClassifier(5, metric=kernel).fit(X, Y).kneighbors(NEW)[1]
        order = np.argsort(kernel.distance(NEW, X), axis=1)[:, :5]
        assert np.array_equal(found, order)
        if isinstance(kernel, Gaussian):
            assert np.array_equal(found, plain)


def test_feature_space_distances_by_the_formula():
    kernel = Polynomial(2, coef0=1.0)
    distances, rows = KNNClassifier(3, metric=kernel).fit(X, Y).kneighbors(NEW)
    own, other = kernel.diag(NEW), kernel.diag(X)
    squared = own[:, None] + other[None] - 2 * kernel(NEW, X)
    assert np.array_equal(rows, np.argsort(squared, axis=1)[:, :3])
    assert_allclose(distances**2, np.sort(squared, axis=1)[:, :3], atol=1e-8)


def test_given_distances():
    D = cdist(X, X, "cityblock")
    given_matrix = KNNClassifier(3, metric="precomputed").fit(D, Y)
    plain = KNNClassifier(3, metric="manhattan").fit(X, Y)
    assert np.array_equal(given_matrix.predict(cdist(NEW, X, "cityblock")), plain.predict(NEW))
    with pytest.raises(ValueError, match="no distance"):
        KNNClassifier(3, metric="precomputed").fit(-D, Y)


@pytest.mark.parametrize("k", [1, 4])
@pytest.mark.parametrize("metric", ["euclidean", Polynomial(2, coef0=1.0)])
def test_left_out_predictions_are_those_of_refits(k, metric):
    rows = slice(0, 60)
    model = KNNClassifier(k, metric=metric).fit(X[rows], Y[rows])
    number = KNNRegressor(k, metric=metric).fit(X[rows], T[rows])
    for i in range(60):
        rest = np.delete(np.arange(60), i)
        again = clone(model).fit(X[rest], Y[rest])
        assert model.left_out_predictions()[i] == again.predict(X[[i]])[0]
        mean = clone(number).fit(X[rest], T[rest]).predict(X[[i]])[0]
        assert number.left_out_predictions()[i] == pytest.approx(mean)
    evidence = model.evidence_
    assert evidence.loo["exact"] == np.mean(model.left_out_predictions() != Y[rows])
    assert evidence.neighbours == k
    assert evidence.errors == np.sum(model.predict(X[rows]) != Y[rows])


def test_one_neighbour_learns_distinct_rows_by_heart():
    assert KNNClassifier(1).fit(X, Y).score(X, Y) == 1.0


def test_tie_rules_one_by_one():
    codes = np.array([[2, 1, 1, 2, 0]])
    weights = np.ones((1, 5))
    rng = np.random.RandomState(0)
    assert winners(codes, weights, 3, "nearest", rng)[0] == 2
    assert winners(codes, weights, 3, "first", rng)[0] == 1
    assert winners(codes, weights, 3, "shrink", rng)[0] == 1  # without the fourth: 1 is ahead
    picks = {int(winners(codes, weights, 3, "random", rng)[0]) for _ in range(40)}
    assert picks == {1, 2}
    assert winners(np.array([[0, 1]]), np.ones((1, 2)), 2, "shrink", rng)[0] == 0


@settings(max_examples=50)
@given(n=st.integers(1, 10**7), d=st.integers(1, 30))
def test_the_number_of_neighbours_is_possible(n, d):
    for k in (consistent_k(n), consistent_k(n, d), consistent_k(n, d, odd=True)):
        assert 1 <= k <= n
    if n > 2:
        assert consistent_k(n, odd=True) % 2 == 1


def test_the_number_of_neighbours_grows_while_its_share_falls():
    sizes = [10**2, 10**4, 10**6, 10**8]
    for d in (None, 2, 10):
        ks = [consistent_k(n, d) for n in sizes]
        assert all(a < b for a, b in pairwise(ks))
        shares = [k / n for k, n in zip(ks, sizes, strict=True)]
        assert all(a > b for a, b in pairwise(shares))
    assert consistent_k(100) == 10
    assert KNNClassifier("root").fit(X, Y).n_neighbors_ == 15
    assert KNNClassifier("lipschitz").fit(X, Y).n_neighbors_ == consistent_k(200, 3)


def test_condensing_keeps_few_rows_and_errs_on_none_of_the_others():
    points, labels, _ = make_moons(300, scale=0.15, random_state=0)
    model = CondensedNearestNeighbor().fit(points, labels)
    assert len(model.kept_) < 60
    assert model.score(points, labels) == 1.0
    plain = KNNClassifier(1).fit(points[model.kept_], labels[model.kept_])
    grid = np.random.default_rng(0).uniform(-2, 3, (200, 2))
    assert np.array_equal(model.predict(grid), plain.predict(grid))
    again = clone(model).fit(points[model.kept_], labels[model.kept_])
    assert len(again.kept_) == len(model.kept_)  # dropping the other rows changes nothing
    evidence = model.evidence_
    assert evidence.compression.size == len(model.kept_)
    assert evidence.compression.errors == 0
    assert evidence.compression.preferent
    assert model.certificate_.value < 0.5


def test_a_net_covers_the_rows_and_counts_its_errors():
    points, labels, _ = make_moons(300, scale=0.4, random_state=0)
    model = CondensedNearestNeighbor("net").fit(points, labels)
    D = cdist(points, points[model.kept_])
    assert D.min(axis=1).max() <= model.scale_ + 1e-12
    apart = cdist(points[model.kept_], points[model.kept_]) + 10 * np.eye(len(model.kept_))
    assert apart.min() >= model.scale_ - 1e-12
    wrong = model.predict(points) != labels
    assert model.evidence_.errors == wrong.sum()
    wrong[model.kept_] = False
    assert model.evidence_.compression.errors == wrong.sum() > 0
    assert model.evidence_.compression.bits == len(model.kept_)
    assert not model.evidence_.compression.preferent
    noisy = CondensedNearestNeighbor().fit(points, labels)
    assert model.certificates_["compression"].value < noisy.certificates_["compression"].value


def test_twins_with_different_labels_end():
    points = np.array([[0.0], [0.0], [1.0], [2.0]])
    model = CondensedNearestNeighbor().fit(points, [0, 1, 0, 1])
    assert model.evidence_.errors == 1
    kernel = CondensedNearestNeighbor(metric=Linear()).fit(points, [0, 1, 0, 1])
    assert np.array_equal(kernel.kept_, model.kept_)


def test_kept_rows_of_a_given_matrix():
    points, labels, _ = make_moons(80, noise=0.1, random_state=0)
    D = cdist(points, points)
    before = D.copy()
    given_matrix = CondensedNearestNeighbor(metric="precomputed").fit(D, labels)
    assert np.array_equal(D, before)
    plain = CondensedNearestNeighbor().fit(points, labels)
    assert np.array_equal(given_matrix.kept_, plain.kept_)
    assert np.array_equal(given_matrix.predict(D), plain.predict(points))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_neighbors": 0}, "'n_neighbors' parameter"),
        ({"n_neighbors": 500}, "Ask for fewer neighbours"),
        ({"ties": "coin"}, "'ties' parameter"),
        ({"weights": "heavy"}, "'weights' parameter"),
        ({"algorithm": "magic"}, "'algorithm' parameter"),
    ],
)
def test_bad_parameters_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        KNNClassifier(**options).fit(X, Y)


@pytest.mark.parametrize("learner", [KNNClassifier(3), CondensedNearestNeighbor("net")])
def test_truth_values_are_numbers(learner):
    found = clone(learner).fit(X > 0, Y).predict(NEW > 0)
    assert np.array_equal(found, clone(learner).fit((X > 0) * 1.0, Y).predict((NEW > 0) * 1.0))


@pytest.mark.filterwarnings("error")
def test_metrics_of_truth_values_get_them():
    model = KNNClassifier(3, metric="jaccard", algorithm="brute").fit(X > 0, Y)
    assert_allclose(model.kneighbors(NEW > 0)[0], np.sort(cdist(NEW > 0, X > 0, "jaccard"))[:, :3])


def test_a_metric_of_objects():
    words = ["abc", "abd", "xyz", "xyy"]
    for learner in (KNNClassifier(1, metric=Edit()), CondensedNearestNeighbor(metric=Edit())):
        model = learner.fit(words, [0, 0, 1, 1])
        assert model.predict(["abb", "xxx"]).tolist() == [0, 1]


@pytest.mark.parametrize("learner", [KNNClassifier(), KNNRegressor(), CondensedNearestNeighbor()])
def test_numbers_whose_squares_overflow_are_refused(learner):
    with pytest.raises(ValueError, match=r"^X reaches .* square overflows"):
        clone(learner).fit(X * 1e200, Y)


def test_arguments_changed_after_fit_change_no_answer():
    model = KNNClassifier(4, ties="first").fit(X, Y)
    answers, evidence = model.predict_proba(NEW), clone(model).fit(X, Y).evidence_
    model.set_params(weights="distance", ties="nearest", metric="manhattan", n_neighbors=1)
    assert np.array_equal(model.predict_proba(NEW), answers)
    assert model.evidence_ == evidence
    number = KNNRegressor().fit(X, T)
    answers = number.predict(NEW)
    assert np.array_equal(number.set_params(weights="distance").predict(NEW), answers)


def test_training_rows_are_asked_without_themselves():
    model, theirs = KNNClassifier(3, ties="first").fit(X, Y), KNeighborsClassifier(3).fit(X, Y)
    np.testing.assert_array_equal(model.predict(None), theirs.predict(None))
    np.testing.assert_array_equal(model.predict(None), model.left_out_predictions())
    assert_allclose(model.predict_proba(None), theirs.predict_proba(None), atol=1e-8)
    number, numbers = KNNRegressor(3).fit(X, T), KNeighborsRegressor(3).fit(X, T)
    assert_allclose(number.predict(None), numbers.predict(None))
    assert_allclose(number.predict(None), number.left_out_predictions())


@pytest.mark.parametrize("queries", [None, NEW], ids=["own", "new"])
@pytest.mark.parametrize("mode", ["connectivity", "distance"])
def test_graphs_of_neighbours(queries, mode):
    model, theirs = KNNRegressor(4).fit(X, T), KNeighborsRegressor(4).fit(X, T)
    found = model.kneighbors_graph(queries, mode=mode)
    expected = theirs.kneighbors_graph(queries, mode=mode)
    assert_allclose(found.toarray(), expected.toarray(), atol=1e-12)
    rows = model.kneighbors(queries, return_distance=False)
    np.testing.assert_array_equal(rows, theirs.kneighbors(queries, return_distance=False))


def test_what_neighbours_cannot_be_asked():
    model = KNNClassifier(3, weights=None).fit(X, Y)
    assert model.evidence_.neighbours == 3
    with pytest.raises(ValueError, match="n_neighbors = 200"):
        model.kneighbors(None, 200)
    with pytest.raises(ValueError, match="mode"):
        model.kneighbors_graph(NEW, mode="near")
    deaf = KNNClassifier(3, weights=lambda distances: 0.0 * distances).fit(X, Y)
    with pytest.raises(ValueError, match="zero weights"):
        deaf.predict(NEW)
    with pytest.raises(ValueError, match="zero weights"):
        KNNRegressor(3, weights=lambda distances: 0.0 * distances).fit(X, T).predict(NEW)
