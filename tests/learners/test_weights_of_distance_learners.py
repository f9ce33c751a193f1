"""Weights of learners that know distances, and of Bayes points: copies, slow programmes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.optimize import linprog
from scipy.spatial.distance import cdist
from scipy.stats import ks_2samp

import mercer
from mercer.learners.bayes import BayesPointMachine
from mercer.learners.bayes.point.reflections import flights
from mercer.learners.bayes.point.version_space import VersionSpace
from mercer.learners.metric import (
    CondensedNearestNeighbor,
    KNNClassifier,
    KNNRegressor,
    KuratowskiMachine,
    LipschitzClassifier,
    LipschitzRegressor,
    LPMachine,
)
from mercer.learners.metric._weighted_matching import solve_weighted

RNG = np.random.default_rng(4)
X = RNG.normal(size=(60, 3))
Q = RNG.normal(size=(20, 3))
Y = np.where(X[:, 0] + 0.6 * RNG.normal(size=60) > 0, "yes", "no")
THREE = np.digitize(X[:, 0] + 0.3 * RNG.normal(size=60), [-0.5, 0.5])
TARGET = X[:, 0] + 0.2 * RNG.normal(size=60)
COPIES = RNG.integers(0, 4, 60)
SOME = RNG.random(60) + 0.2


def ask(model):
    return getattr(model, "decision_function", getattr(model, "predict_proba", model.predict))(Q)


LEARNERS = {
    "knn": (KNNClassifier(5), Y),
    "knn-distance": (KNNClassifier(4, weights="distance", metric="manhattan"), THREE),
    "knn-numbers": (KNNRegressor(6), TARGET),
    "lipschitz": (LipschitzClassifier(C=0.3), Y),
    "lipschitz-three": (LipschitzClassifier(C=0.3), THREE),
    "lipschitz-numbers": (LipschitzRegressor(C=0.5), TARGET),
    "lp": (LPMachine(C=0.4), Y),
    "kuratowski": (KuratowskiMachine(C=0.4), Y),
}


@pytest.mark.parametrize("name", LEARNERS)
def test_whole_weights_are_copies(name):
    model, y = LEARNERS[name]
    heavy = ask(model.fit(X, y, sample_weight=COPIES.astype(float)))
    again = ask(model.fit(np.repeat(X, COPIES, axis=0), np.repeat(y, COPIES)))
    assert_allclose(heavy, again, atol=1e-6)
    D = cdist(X, X)
    given = model.__class__(**model.get_params() | {"metric": "precomputed"})
    if model.metric == "euclidean":  # those of weight zero keep their columns
        matrix = given.fit(D, y, sample_weight=COPIES.astype(float))
        new = cdist(Q, X)
        found = getattr(matrix, "decision_function", getattr(matrix, "predict_proba", None))
        assert_allclose((found or matrix.predict)(new), heavy, atol=1e-6)


@pytest.mark.parametrize("name", LEARNERS)
def test_sparse_rows_are_dense_rows(name):
    model, y = LEARNERS[name]
    dense = ask(model.fit(X, y))
    thin = model.fit(sparse.csr_array(X), y)
    found = getattr(thin, "decision_function", getattr(thin, "predict_proba", thin.predict))
    assert_allclose(found(sparse.csr_array(Q)), dense, atol=1e-7)


def test_broken_weights_against_the_whole_programme():
    """All pairs bind, not only those of opposite labels: the objective is the same."""
    sign = np.where(Y == "yes", 1.0, -1.0)
    D, n, C = cdist(X, X), 60, 0.3
    model = LipschitzClassifier(C=C).fit(X, Y, sample_weight=SOME)
    i, j = np.nonzero(~np.eye(n, dtype=bool))
    smooth = np.zeros((len(i), 2 * n + 1))
    smooth[np.arange(len(i)), i], smooth[np.arange(len(i)), j] = 1.0, -1.0
    smooth[:, -1] = -D[i, j]
    margin = np.hstack([-np.diag(sign), -np.eye(n), np.zeros((n, 1))])
    found = linprog(
        np.concatenate([np.zeros(n), C * SOME, [1.0]]),
        A_ub=np.vstack([smooth, margin]),
        b_ub=np.concatenate([np.zeros(len(i)), -np.ones(n)]),
        bounds=[(None, None)] * n + [(0, None)] * (n + 1),
    )
    assert model.objective_ == pytest.approx(found.fun, rel=1e-7)
    hinge = np.maximum(0.0, 1.0 - sign * model.values_)
    assert model.constant_ + C * SOME @ hinge == pytest.approx(found.fun, rel=1e-6)
    assert abs(model.dual_gap_) < 1e-6
    slopes = np.abs(np.subtract.outer(model.values_, model.values_))[i, j] / D[i, j]
    assert slopes.max() <= model.constant_ * (1 + 1e-6)


def test_copies_and_programme_agree():
    D = cdist(X[Y == "yes"], X[Y == "no"])
    up, down = COPIES[Y == "yes"] + 1.0, COPIES[Y == "no"] + 1.0
    whole = solve_weighted(D, 0.2, up, down)
    nearly = solve_weighted(D, 0.2, up + 1e-9, down)
    assert whole.objective == pytest.approx(nearly.objective, rel=1e-6)


def test_light_rows_need_more_neighbours():
    light = KNNRegressor(2).fit(X, TARGET, sample_weight=np.full(60, 0.25))
    nearest = cdist(Q, X).argsort(axis=1)[:, :8]
    assert_allclose(light.predict(Q), TARGET[nearest].mean(axis=1))
    with pytest.raises(ValueError, match="n_neighbors"):
        KNNRegressor(30).fit(X, TARGET, sample_weight=np.full(60, 0.25))
    evidence = KNNClassifier(3).fit(X, Y, sample_weight=SOME).evidence_
    assert not evidence.loo
    assert evidence.neighbours is None


def test_weights_count_in_cells_and_say_nothing_to_hart():
    heavy = CondensedNearestNeighbor("net").fit(X, Y, sample_weight=1.0 + 50.0 * (Y == "yes"))
    plain = CondensedNearestNeighbor("net").fit(X, Y)
    assert np.sum(heavy.predict(Q) == "yes") >= np.sum(plain.predict(Q) == "yes")
    hart = CondensedNearestNeighbor().fit(X, Y, sample_weight=SOME)
    assert_array_equal(hart.kept_, CondensedNearestNeighbor().fit(X, Y).kept_)


def test_bayes_points_know_shares_of_version_space():
    model = BayesPointMachine("rbf", random_state=0, tol=0.05).fit(X, Y)
    shares = model.predict_proba(Q)
    assert_allclose(shares.sum(axis=1), 1.0)
    clear = np.abs(shares[:, 1] - 0.5) > 0.2
    assert_array_equal(model.classes_[shares.argmax(axis=1)][clear], model.predict(Q)[clear])
    other = BayesPointMachine("rbf", random_state=1, tol=0.05).fit(X, Y)
    assert_allclose(shares, other.predict_proba(Q), atol=0.2)
    several = BayesPointMachine("rbf", random_state=0, tol=0.1).fit(X, THREE)
    assert several.predict_proba(Q).shape == (20, 3)
    assert_allclose(several.predict_proba(Q).sum(axis=1), 1.0)


def test_flights_are_uniform_on_the_cone():
    """Three walls: directions against those of Gaussian draws that are inside."""
    A = np.array([[1.0, 0.5, -0.4], [0.5, 1.0, 0.1], [-0.4, 0.1, 1.0]])
    rng = np.random.default_rng(0)
    found = flights(VersionSpace(A), np.linalg.solve(A, np.ones(3)), rng, 4000, 10) @ A
    assert np.all(found > -1e-9)
    inside = rng.standard_normal((100_000, 3)) @ np.linalg.cholesky(A).T
    inside = inside[np.all(inside > 0, axis=1)]
    for wall in range(3):
        one = found[:, wall] / found.sum(axis=1)
        two = inside[:, wall] / inside.sum(axis=1)
        assert ks_2samp(one, two).pvalue > 1e-3


def test_bayes_points_come_back_with_their_shares(tmp_path):
    model = BayesPointMachine("rbf", tol=0.1, random_state=None).fit(X, Y)
    shares = model.predict_proba(Q)
    again = mercer.load(mercer.save(model, tmp_path / "model.mercer"))
    assert_array_equal(again.predict_proba(Q), shares)


def test_a_heavy_row_of_a_bayes_point_is_rather_right():
    x, y = np.array([[0.0], [0.1], [-0.1], [0.05]]), np.array([1, 1, 1, 0])
    light = BayesPointMachine("rbf", reg_param=1.0, random_state=0, tol=0.01).fit(x, y)
    heavy = BayesPointMachine("rbf", reg_param=1.0, random_state=0, tol=0.01).fit(
        x, y, sample_weight=[1.0, 1.0, 1.0, 50.0]
    )
    assert heavy.decision_function(x)[3] < light.decision_function(x)[3]
    sure = BayesPointMachine("rbf", reg_param=0.0, random_state=0, tol=0.1).fit(X, Y)
    same = BayesPointMachine("rbf", reg_param=0.0, random_state=0, tol=0.1).fit(
        X, Y, sample_weight=SOME
    )
    assert_array_equal(sure.decision_function(Q), same.decision_function(Q))
