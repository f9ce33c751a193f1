"""Sets and intervals of certified models: any learner, every order, files, and refusals."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression, QuantileRegressor, Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

import mercer
from mercer.certification import Refused, certified_fit

RNG = np.random.default_rng(0)
X = RNG.normal(size=(600, 2))
Y = 2 * X[:, 0] + RNG.normal(size=600) * (0.2 + np.abs(X[:, 1]))
NEW = np.random.default_rng(1).normal(size=(4000, 2))
TRUTH = 2 * NEW[:, 0] + np.random.default_rng(2).normal(size=4000) * (0.2 + np.abs(NEW[:, 1]))


def covered(model, **asked):
    ends = model.predict_interval(NEW, **asked)
    return np.mean((ends[:, 0] <= TRUTH) & (ends[:, 1] >= TRUTH)), ends[:, 1] - ends[:, 0]


@pytest.mark.parametrize(
    "spread",
    ["constant", "local", (QuantileRegressor(quantile=0.05, alpha=0),
                           QuantileRegressor(quantile=0.95, alpha=0))],
    ids=["constant", "local", "quantiles"],
)  # fmt: skip
def test_intervals_of_any_regression(spread):
    model = certified_fit(Ridge(), X, Y, random_state=0, spread=spread)
    share, width = covered(model)
    assert 0.9 <= share < 0.97
    assert (np.ptp(width) > 0.3) == (spread != "constant")
    assert covered(model, coverage=0.5)[0] >= 0.5
    promised = model.coverage_certificate(0.9)
    assert str(promised).startswith("at least 90 % of new targets lie in the intervals of this")
    assert promised.ledger.total == pytest.approx(0.05)


def test_local_widths_follow_the_noise():
    model = certified_fit(Ridge(), X, Y, random_state=0, spread="local")
    width = covered(model)[1]
    quiet, loud = np.abs(NEW[:, 1]) < 0.2, np.abs(NEW[:, 1]) > 1.5
    assert width[quiet].mean() < 0.6 * width[loud].mean()


def test_a_process_brings_its_own_deviation():
    kernel = mercer.GaussianProcessRegressor(alpha=0.5, random_state=0)
    model = certified_fit(kernel, X[:200], Y[:200], random_state=0)
    far = model.predict_interval(np.array([[0.0, 0.0], [30.0, 30.0]]))
    assert np.ptp(far[1]) > 1.2 * np.ptp(far[0])


@pytest.mark.parametrize(
    "learner", [LogisticRegression(max_iter=300), LinearSVC(), mercer.SVC(), KNeighborsClassifier()]
)
def test_sets_of_any_classifier(learner):
    rng = np.random.default_rng(4)
    centres = np.array([[0, 0], [2, 0], [0, 2]])
    y = rng.integers(3, size=900)
    Z = rng.normal(size=(900, 2)) + centres[y]
    labels = np.array(["a", "b", "c"])[y]
    model = certified_fit(learner, Z[:400], labels[:400], random_state=0)
    sets = model.predict_set(Z[400:])
    held = sets[np.arange(500), y[400:]]
    assert sets.shape == (500, 3)
    assert held.mean() >= 0.88
    by_class = model.predict_set(Z[400:], 0.8, per="class")
    assert all(by_class[y[400:] == k, k].mean() >= 0.74 for k in range(3))
    assert "of every class" in str(model.coverage_certificate(0.8, per="class"))


def test_groups_times_and_kinds():
    group = np.repeat(np.arange(200), 3)
    model = certified_fit(Ridge(), X, Y, random_state=0, groups=group)
    promised = model.coverage_certificate(0.8)
    assert promised.n == len(np.unique(group[model.certification_.counted_rows]))
    assert "the statement is about a random row of a new group" in promised.assumptions
    later = certified_fit(Ridge(), X, Y, order=np.arange(600))
    assert any("came later" in a for a in later.coverage_certificate(0.8).assumptions)
    kind = np.array(["day", "night"])[np.arange(600) % 2]
    model = certified_fit(Ridge(), X, Y, random_state=0, by=kind)
    assert covered(model, by=np.array(["day", "night"])[np.arange(4000) % 2])[0] > 0.9
    with pytest.raises(Refused, match="no row of kind 'dawn'"):
        model.predict_interval(X[:2], by=["day", "dawn"])


def test_marginal_is_named_as_what_it_is():
    model = certified_fit(Ridge(), X, Y, random_state=0)
    plain = model.coverage_certificate(0.9, kind="marginal")
    assert plain.kind == "estimate"
    assert plain.delta is None
    assert str(plain).startswith("on average over held-out rows, not for these with confidence")
    assert covered(model, kind="marginal")[1][0] < covered(model)[1][0]
    assert covered(model, kind="all", coverage=0.8)[1][0] > covered(model, coverage=0.8)[1][0]


def test_what_was_found_stands_before_the_promise():
    rows = np.repeat(X[:100], 4, axis=0)  # copies: one of each is counted
    model = certified_fit(Ridge(), rows, np.repeat(Y[:100], 4), random_state=0)
    assert model.coverage_certificate(0.8).n < 60


def test_refusals():
    model = certified_fit(Ridge(), X, Y, random_state=0)
    with pytest.raises(Refused, match="needed"):
        model.predict_interval(NEW, 0.999)
    with pytest.raises(ValueError, match="coverage must be"):
        model.predict_interval(NEW, 1.0)
    with pytest.raises(AttributeError, match="predict_set"):
        model.predict_set(NEW)
    with pytest.raises(Refused, match="pass by= to fit too"):
        model.predict_interval(NEW[:1], by=["day"])
    data, labels = load_iris(return_X_y=True)
    model = certified_fit(LogisticRegression(max_iter=300), data, labels, mode="progressive")
    with pytest.raises(Refused, match="keeps no rows"):
        model.predict_set(data)


def test_files_keep_them(tmp_path):
    model = certified_fit(mercer.KernelRidge(), X, Y, random_state=0, spread="local")
    mercer.save(model, tmp_path / "model.mercer")
    again = mercer.load(tmp_path / "model.mercer")
    assert np.array_equal(again.predict_interval(NEW[:50]), model.predict_interval(NEW[:50]))
