"""Probabilities: they agree with predict, are monotone, calibrated and reproducible."""

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.datasets import load_digits, make_blobs
from sklearn.metrics import log_loss

import mercer
from mercer.learners.margin.svm import _probability as model


def overlapping(n, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = (rng.uniform(size=n) < expit(3 * X[:, 0])).astype(int)
    return X, y


@pytest.mark.parametrize("cls", [mercer.SVC, mercer.NuSVC])
@pytest.mark.parametrize("scheme", ["ovo", "ovr", "dag"])
@pytest.mark.parametrize("classes", [2, 4])
def test_the_most_probable_class_is_the_predicted_one(cls, scheme, classes):
    X, y = make_blobs(n_samples=160, centers=classes, cluster_std=4.0, random_state=2)
    labels = np.array(["d", "c", "b", "a"])[y]
    fitted = cls(probability=True, random_state=0, multi_class=scheme)
    if cls is mercer.NuSVC:
        # One class against three others carries no more; wide enough to have a margin.
        fitted.set_params(nu=0.4, gamma=1.0)
    fitted.fit(X[:100], labels[:100])
    p = fitted.predict_proba(X)
    assert np.array_equal(fitted.classes_[p.argmax(axis=1)], fitted.predict(X))
    assert p.sum(axis=1) == pytest.approx(1.0)
    assert np.all((p >= 0) & (p <= 1))
    assert fitted.predict_log_proba(X) == pytest.approx(np.log(p))


def test_two_classes_are_monotone_in_the_decision_function():
    X, y = overlapping(300, 0)
    fitted = mercer.SVC(probability=True, random_state=0).fit(X, y)
    f = fitted.decision_function(X)
    p = fitted.predict_proba(X)[np.argsort(f), 1]
    assert np.all(np.diff(p) >= 0)


def test_probabilities_are_better_than_the_base_rate_and_near_the_truth():
    X, y = overlapping(1000, 1)
    X_new, y_new = overlapping(2000, 2)
    fitted = mercer.SVC(probability=True, random_state=0, C=0.1).fit(X, y)
    found = log_loss(y_new, fitted.predict_proba(X_new))
    truth = log_loss(y_new, expit(3 * X_new[:, 0]))
    assert found < 0.693
    assert found < truth + 0.05


def test_same_seed_same_probabilities():
    X, y = overlapping(120, 3)
    first, second = (
        mercer.SVC(probability=True, random_state=7).fit(X, y).predict_proba(X) for _ in range(2)
    )
    assert np.array_equal(first, second)


def test_few_samples_and_digits():
    X = np.array([[0.0], [1.0]])
    p = mercer.SVC(probability=True).fit(X, [0, 1]).predict_proba(X)
    assert p[0, 0] > 0.5
    assert p[1, 1] > 0.5
    X, y = load_digits(return_X_y=True)
    fitted = mercer.SVC(probability=True, random_state=0).fit(X[:600], y[:600])
    assert log_loss(y[600:], fitted.predict_proba(X[600:])) < 0.4


def test_not_offered_without_being_asked_for():
    X, y = overlapping(40, 4)
    fitted = mercer.SVC().fit(X, y)
    assert not hasattr(fitted, "predict_proba")
    assert not hasattr(fitted, "predict_log_proba")


# -- the pieces ------------------------------------------------------------------------------------


def test_slopes_maximise_the_likelihood():
    rng = np.random.default_rng(5)
    f = rng.normal(size=400)
    y = np.where(rng.uniform(size=400) < expit(np.where(f > 0, 2.0, 0.7) * f), 1.0, -1.0)
    w = rng.uniform(0.5, 2, size=400)
    below, above = model.fit_slopes(f, y, w)
    heavy, light = w[y > 0].sum(), w[y < 0].sum()
    t = np.where(y > 0, (heavy + 1) / (heavy + 2), 1 / (light + 2))

    def cost(slopes):
        p = expit(np.where(f > 0, slopes[1], slopes[0]) * f)
        return -np.sum(w * (t * np.log(p) + (1 - t) * np.log(1 - p)))

    best = minimize(cost, [1.0, 1.0], method="Nelder-Mead", options={"xatol": 1e-8}).x
    assert [below, above] == pytest.approx(best, rel=1e-4)


def test_slopes_stay_positive_when_the_machine_is_wrong():
    f = np.array([-2.0, -1.0, 1.0, 2.0])
    below, above = model.fit_slopes(f, np.array([1.0, 1.0, -1.0, -1.0]), np.ones(4))
    assert below > 0
    assert above > 0
    assert model.fit_slopes(np.ones(3), np.ones(3), np.ones(3))[0] > 0
    assert model.fit_slopes(np.zeros(2), np.array([1.0, -1.0]), np.ones(2)) == (1.0, 1.0)


def test_coupling_minimises_its_criterion_and_recovers_consistent_pairs():
    truth = np.array([0.5, 0.2, 0.2, 0.1])
    pairs = [truth[i] / (truth[i] + truth[j]) for i, j in combinations(range(4), 2)]
    assert model.couple(np.array([pairs]), 4)[0] == pytest.approx(truth)
    rng = np.random.default_rng(6)
    r = rng.uniform(0.05, 0.95, size=6)
    found = model.couple(r[None], 4)[0]

    def criterion(p):
        total = 0.0
        for value, (i, j) in zip(r, combinations(range(4), 2), strict=True):
            total += ((1 - value) * p[i] - value * p[j]) ** 2
        return total

    for _ in range(200):
        other = found + 0.05 * rng.normal(size=4)
        other = np.abs(other) / np.abs(other).sum()
        assert criterion(found) <= criterion(other) + 1e-12


def test_agreement_is_the_nearest_distribution():
    rng = np.random.default_rng(7)
    for _ in range(50):
        p = rng.dirichlet(np.ones(4))
        winner = int(rng.integers(4))
        found = model.agree(p[None], np.array([winner]))[0]
        assert found.argmax() == winner
        assert found.sum() == pytest.approx(1.0)
        distance = np.linalg.norm(found - p)
        for _ in range(50):
            other = rng.dirichlet(np.ones(4))
            other[[winner, other.argmax()]] = other[[other.argmax(), winner]]
            assert distance <= np.linalg.norm(other - p) + 1e-9


def test_folds_are_stratified():
    label = np.array([1.0] * 12 + [-1.0] * 7)
    fold = model.stratified_folds(label, np.random.RandomState(0))
    assert fold.max() == 4
    for k in range(5):
        assert 2 <= np.sum((fold == k) & (label > 0)) <= 3
        assert 1 <= np.sum((fold == k) & (label < 0)) <= 2
    assert model.stratified_folds(np.array([1.0, -1.0, -1.0]), np.random.RandomState(0)) is None
