"""Machines at landmarks against those of all rows, and sums against arrays."""

import copy

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Ridge

import mercer
from mercer.kernels import Gaussian, Spectrum
from mercer.learners import (
    FourierFeatures,
    KernelPCA,
    Nystroem,
    NystroemClassifier,
    NystroemPCA,
    NystroemRidge,
)
from mercer.losses import Logistic, SquaredHinge
from mercer.solvers.sums import Moments, solve_ridge

RNG = np.random.default_rng(1)
X = RNG.normal(size=(400, 3))
TARGET = np.sin(2 * X[:, 0]) + X[:, 1] + 0.1 * RNG.normal(size=400)
Y = (X**2).sum(axis=1) > 2.4
WEIGHT = RNG.uniform(0.2, 3.0, 400)


def test_sums_are_those_of_the_arrays_however_they_are_parted():
    y = np.column_stack([TARGET, -(TARGET**2)])
    whole = Moments.of(X, y, WEIGHT)
    parts = Moments.of(X[:150], y[:150], WEIGHT[:150]).merge(
        Moments.of(X[150:], y[150:], WEIGHT[150:])
    )
    for name in vars(whole):
        assert_allclose(getattr(parts, name), getattr(whole, name), rtol=1e-12, atol=1e-10)
    ridge = Ridge(alpha=0.7).fit(X, y, sample_weight=WEIGHT)
    found = solve_ridge(parts, 0.7, True)
    assert_allclose(found.weights.T, ridge.coef_, rtol=1e-8)
    assert_allclose(found.intercept, ridge.intercept_, rtol=1e-8)


def test_singular_sums_are_refused():
    twice = np.column_stack([X[:, 0], X[:, 0]])
    with pytest.raises(ValueError, match="condition number"):
        solve_ridge(Moments.of(twice, TARGET[:, None]), 0.0, False)


@pytest.mark.parametrize("intercept", [False, True])
def test_all_rows_as_landmarks_are_kernel_ridge(intercept):
    options = {"kernel": "rbf", "gamma": 0.5, "fit_intercept": intercept}
    exact = mercer.KernelRidge(alpha=0.3, **options).fit(X, TARGET, WEIGHT)
    model = NystroemRidge(0.3, n_landmarks=400, **options).fit(X, TARGET, WEIGHT)
    assert_allclose(model.predict(X), exact.predict(X), atol=1e-6)
    assert 1.0 < model.condition_ < 1e16


def test_few_landmarks_are_ridge_on_their_coordinates():
    model = NystroemRidge(0.3, gamma=0.5, n_landmarks=30, random_state=0).fit(X, TARGET)
    phi = Nystroem(gamma=0.5, n_components=30, random_state=0).fit(X)
    coordinates = phi.transform(X)
    ridge = Ridge(alpha=0.3).fit(coordinates, TARGET)
    assert_allclose(model.predict(X), ridge.predict(coordinates), rtol=1e-8)
    Z = phi.landmarks_
    assert_allclose(phi.transform(Z) @ phi.transform(Z).T, Gaussian(1.0)(Z), atol=1e-8)


def test_single_precision_keeps_its_digits_where_kernel_values_are_nearly_dependent():
    smooth = np.sin(X @ np.random.default_rng(0).normal(size=3))
    options = {"kernel": Gaussian(5.0), "n_landmarks": 300, "random_state": 0}
    double = NystroemRidge(1e-2, **options).fit(X, smooth)
    single = NystroemRidge(1e-2, **options).fit(X.astype(np.float32), smooth)
    assert double.score(X, smooth) > 0.85
    assert single.score(X.astype(np.float32), smooth) > double.score(X, smooth) - 0.05


def test_more_rows_and_parts_that_are_joined_are_one_fit():
    start = NystroemRidge(0.3, gamma=0.5, n_landmarks=40, random_state=0).fit(X[:100], TARGET[:100])
    streamed = copy.deepcopy(start).partial_fit(X[100:250], TARGET[100:250])
    streamed.partial_fit(X[250:], TARGET[250:])
    other = copy.deepcopy(start)
    other.partial_fit(X[100:], TARGET[100:])
    assert_allclose(streamed.predict(X), other.predict(X), rtol=1e-9)
    both = copy.deepcopy(start).merge(start)  # every row twice
    heavy = NystroemRidge(0.3, gamma=0.5, n_landmarks=40, random_state=0)
    heavy.fit(X[:100], TARGET[:100], np.full(100, 2.0))
    assert_allclose(both.predict(X), heavy.predict(X), rtol=1e-8)
    assert both.fitted_.n == 200
    stranger = NystroemRidge(0.3, gamma=0.5, n_landmarks=40, random_state=1).fit(X, TARGET)
    with pytest.raises(ValueError, match="different landmarks"):
        streamed.merge(stranger)


@pytest.mark.parametrize(
    ("name", "loss"), [("squared_hinge", SquaredHinge()), ("logistic", Logistic())]
)
def test_newton_finds_the_minimum_that_a_general_method_finds(name, loss):
    options = {"gamma": 0.5, "n_landmarks": 25, "random_state": 0}
    phi = Nystroem(gamma=0.5, n_components=25, random_state=0).fit(X).transform(X)
    signs = np.where(Y, 1.0, -1.0)

    def objective(v):
        f = phi @ v[:-1] + v[-1]
        pull = WEIGHT * loss.gradient(f, signs)
        slope = np.append(v[:-1] + 3.0 * phi.T @ pull, 3.0 * pull.sum())
        return 0.5 * v[:-1] @ v[:-1] + 3.0 * WEIGHT @ loss.value(f, signs), slope

    best = minimize(
        objective, np.zeros(phi.shape[1] + 1), jac=True, method="BFGS", options={"gtol": 1e-7}
    )
    model = NystroemClassifier(3.0, loss=name, tol=1e-10, **options).fit(X, Y, WEIGHT)
    assert_allclose(model.fitted_.objective[0], best.fun, rtol=1e-6)
    outputs = phi @ best.x[:-1] + best.x[-1]
    assert_allclose(model.decision_function(X), outputs, atol=2e-3)
    assert model.n_iter_ <= 15


def test_several_classes_share_the_passes():
    three = np.digitize(X[:, 0], [-0.5, 0.5])
    model = NystroemClassifier(10.0, loss="logistic", random_state=0).fit(X, three)
    for k in range(3):
        one = NystroemClassifier(10.0, loss="logistic", random_state=0).fit(X, three == k)
        assert_allclose(model.decision_function(X)[:, k], one.decision_function(X), atol=1e-2)
    assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    assert not hasattr(NystroemClassifier(), "predict_proba")


def test_too_few_passes_are_said():
    with pytest.warns(ConvergenceWarning, match="2 passes were not enough"):
        NystroemClassifier(100.0, max_iter=2, random_state=0).fit(X, Y)


def test_strings_at_landmarks():
    words = np.array(
        ["ab" * 5 + "c" * k for k in range(6)] + ["xyz" * 3 + "c" * k for k in range(6)] * 1, object
    )
    label = np.repeat([0, 1], 6)
    model = NystroemClassifier(10.0, kernel=Spectrum(2), n_landmarks=5, random_state=0).fit(
        words, label
    )
    assert model.score(words, label) == 1.0


def test_components_with_all_rows_are_those_of_kernel_pca():
    exact = KernelPCA(3, kernel="rbf", gamma=0.2).fit_transform(X[:150])
    found = NystroemPCA(3, gamma=0.2, n_landmarks=150).fit_transform(X[:150])
    assert_allclose(np.abs(found), np.abs(exact), atol=1e-5)


def test_frequencies_give_the_kernel():
    features = FourierFeatures(gamma=0.5, n_components=8000, random_state=0).fit(X)
    phi = features.transform(X[:50])
    assert np.abs(phi @ phi.T - Gaussian(1.0)(X[:50])).max() < 0.06
    with pytest.raises(ValueError, match="spectral law"):
        FourierFeatures(kernel="poly").fit(X)


def test_landmarks_take_functions_and_their_arguments():
    def overlap(x, y, power):
        return np.minimum(x, y).sum() ** power

    rows = np.random.default_rng(0).uniform(size=(12, 4))
    model = Nystroem(overlap, kernel_params={"power": 1}, n_components=12, random_state=0)
    phi = model.fit_transform(list(rows))
    assert_allclose(phi @ phi.T, np.minimum(rows[:, None], rows[None]).sum(axis=2), atol=1e-8)
    assert sorted(model.component_indices_) == list(range(12))
