"""Bayes point machine: billiard and samplers against rejection sampling, volume, evidence."""

import numpy as np
import pytest
from sklearn.base import clone

from mercer.kernels import Gaussian, Linear
from mercer.learners.bayes import BayesPointMachine, estimate_volume
from mercer.learners.bayes.point.billiard import play, rho
from mercer.learners.bayes.point.version_space import VersionSpace, gibbs_samples, perceptron
from mercer.learners.margin import NotSeparableError

A_X = np.array([[2, 0], [4, -4], [-3, -3], [-2, -1], [2, -1], [4, 2]], dtype=float)
A_Y = np.array([1, -1, -1, -1, 1, 1])


def angle(w):
    return np.degrees(np.arctan2(w[1], w[0]))


def separable(seed, n=8, d=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.sign(X @ rng.normal(size=d))
    return X, y, rng


def rejection(X, y, rng, draws=200_000):
    W = rng.normal(size=(draws, X.shape[1]))
    W /= np.linalg.norm(W, axis=1, keepdims=True)
    inside = np.all(y * (W @ X.T) > 0, axis=1)
    return W[inside], inside.mean()


@pytest.mark.parametrize(("tol", "near"), [(1e-2, 0.1), (1e-3, 0.01)])
def test_billiard_finds_the_bisector_in_the_plane(tol, near):
    model = BayesPointMachine(Linear(), reg_param=0.0, tol=tol).fit(A_X, A_Y)
    assert angle(model.dual_coef_[0] @ A_X) == pytest.approx(54.217474, abs=near)


@pytest.mark.parametrize("method", ["gibbs", "hit-and-run"])
def test_samplers_find_the_bisector_in_the_plane(method):
    model = BayesPointMachine(Linear(), reg_param=0.0, solver=method, n_samples=3000)
    model.fit(A_X, A_Y)
    assert angle(model.dual_coef_[0] @ A_X) == pytest.approx(54.217474, abs=0.6)
    angles = np.array([angle(draw @ A_X) for draw in model.machines_[0].draws])
    assert angles.min() > 45.0
    assert angles.max() < 63.43495
    # uniform on the arc, correlated draws
    assert np.std(angles) == pytest.approx((63.43495 - 45) / np.sqrt(12), rel=0.1)


@pytest.mark.parametrize("seed", [0, 1])
def test_centres_in_three_dimensions_against_rejection_sampling(seed):
    X, y, rng = separable(seed)
    members, share = rejection(X, y, rng)
    centre = members.mean(axis=0)
    centre /= np.linalg.norm(centre)

    def degrees(method, **more):
        model = BayesPointMachine(Linear(), reg_param=0.0, solver=method, **more).fit(X, y)
        w = model.dual_coef_[0] @ X
        return np.degrees(np.arccos(np.clip(w @ centre / np.linalg.norm(w), -1, 1)))

    assert degrees("billiard", tol=1e-3) < 3.0  # the method's own bias, as the text admits
    assert degrees("gibbs", n_samples=1000) < 2.5
    space = VersionSpace.of(X @ X.T, y)
    volume = estimate_volume(space, 5000, rng)
    low, high = volume.interval(0.001)
    assert low <= share <= high
    assert volume.volume == pytest.approx(share, rel=0.1)


def test_the_exact_volume_of_the_plane():
    space = VersionSpace.of(A_X @ A_X.T, A_Y)
    volume = estimate_volume(space, 20_000)
    assert volume.volume == pytest.approx(0.05120819, rel=0.03)
    low, high = volume.interval()
    assert low < 0.05120819 < high < 0.06


def test_the_volume_of_an_orthant():
    """Independent constraints: exactly 2^-n, and every draw says so."""
    volume = estimate_volume(VersionSpace(np.eye(30)), 100)
    assert volume.log_volume == pytest.approx(-30 * np.log(2))
    assert volume.log_lower(0.05) == pytest.approx(-30 * np.log(2) + np.log(0.025))


def test_the_lower_limit_of_the_volume_holds_and_can_fail():
    """Over many estimates from few draws the limit fails less often than promised; half of the
    estimates themselves lie above the truth, so a limit that trusted them would be caught.
    """
    space = VersionSpace.of(A_X @ A_X.T, A_Y)
    rng = np.random.default_rng(0)
    estimates = [estimate_volume(space, 4, rng) for _ in range(400)]
    truth = np.log(0.05120819)
    assert np.mean([e.log_lower(0.1) > truth for e in estimates]) <= 0.1
    assert np.mean([e.log_volume > truth for e in estimates]) > 0.2


@pytest.mark.parametrize("mu", [0.0, 0.3, 0.8, 1.0])
def test_the_averaging_operator(mu):
    rng = np.random.default_rng(0)
    s, t = rng.normal(size=(2, 4))
    s, t = s / np.linalg.norm(s), t / np.linalg.norm(t)
    first, second = rho(float(s @ t), mu)
    result = first * s + second * t
    assert np.linalg.norm(result) == pytest.approx(1.0)
    assert np.linalg.norm(t - result) == pytest.approx(mu * np.linalg.norm(t - s))


def test_the_ball_stays_inside_and_has_unit_length():
    X, y, rng = separable(5, n=15)
    space = VersionSpace.of(X @ X.T, y)
    path = play(space, perceptron(space, rng), rng, tol=1e-2, keep=200).trajectory
    for point in path[1:]:
        assert np.min(space.A @ point) > -1e-9
        assert space.norm(point) == pytest.approx(1.0, abs=1e-6)


def test_every_draw_is_consistent():
    X, y, rng = separable(6, n=30, d=5)
    space = VersionSpace.of(X @ X.T, y)
    start = perceptron(space, rng)
    assert space.contains(start)
    for directions in ("rows", "random"):
        draws = gibbs_samples(space, start, rng, 50, directions=directions)
        assert all(space.contains(draw) for draw in draws)
    assert 0 < space.inscribed_radius(start / space.norm(start)) < 1


@pytest.mark.parametrize("method", ["billiard", "gibbs", "perceptrons"])
@pytest.mark.parametrize("strategy", ["point", "bayes", "gibbs"])
def test_strategies_on_overlapping_classes(method, strategy):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    y = np.where(X[:, 0] + X[:, 1] ** 2 + 0.3 * rng.normal(size=80) > 1, "yes", "no")
    model = BayesPointMachine(Gaussian(1.0), solver=method, strategy=strategy, n_samples=20)
    assert model.fit(X, y).score(X, y) > 0.85


def test_the_bayes_point_beats_the_gibbs_rule():
    gaps = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        w, X, fresh = rng.normal(size=6), rng.normal(size=(25, 6)), rng.normal(size=(4000, 6))
        point = BayesPointMachine(Linear(), reg_param=0.0, solver="gibbs", n_samples=60)
        drawn = clone(point).set_params(strategy="gibbs")
        scores = [m.fit(X, np.sign(X @ w)).score(fresh, np.sign(fresh @ w)) for m in (point, drawn)]
        gaps.append(scores[0] - scores[1])
    assert np.mean(gaps) > 0.01


def test_three_classes():
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    assert BayesPointMachine().fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.9


def test_empty_version_space_is_named():
    X, y = np.array([[1.0], [2.0]]), np.array([0, 1])
    with pytest.raises(NotSeparableError, match="version space is empty"):
        BayesPointMachine(Linear(), reg_param=0.0).fit(X, y)
    assert BayesPointMachine(Linear(), reg_param=0.5).fit(X, y).n_iter_ > 0
    with pytest.raises(ValueError, match="origin of feature space"):
        BayesPointMachine(Linear(), reg_param=0.0).fit(np.array([[0.0], [1.0]]), y)


@pytest.mark.parametrize(
    "settings",
    [{"solver": "ep"}, {"strategy": "vote"}, {"reg_param": -1}, {"init": "x"}, {"tol": 0}],
)
def test_bad_settings_are_named(settings):
    with pytest.raises(ValueError, match=next(iter(settings))):
        BayesPointMachine(**settings).fit(A_X, A_Y)


def test_evidence_of_a_consistent_machine():
    X, y, _ = separable(0, n=100, d=2)
    model = BayesPointMachine(Linear(), reg_param=0.0).fit(X, y)
    record = model.evidence_.posterior
    assert record.gibbs == 0.0
    assert record.restricted
    assert record.kl_risk == 0.025
    volume = model.version_space_volume(20_000)
    assert record.kl >= -volume.log_volume - 0.2  # an upper limit of ln(1/volume)
    certificate = model.certificates_["consistent-gibbs"]
    assert certificate.value < 0.15
    assert sum(entry.delta for entry in certificate.ledger.entries) == pytest.approx(0.05)
    assert (model.evidence_.dimension, model.evidence_.rank) == (2, 2)
    assert model.evidence_.trace == pytest.approx(np.sum(X**2))
    assert model.evidence_.radius is None  # no ball is known before the data
    assert {"vc-zero-error", "luckiness-rank", "cap-margin"} <= set(model.certificates_)


def test_soft_machines_have_no_posterior_in_plain_feature_space():
    X, y, _ = separable(0, n=40, d=2)
    evidence = BayesPointMachine(Linear(), reg_param=0.1).fit(X, y).evidence_
    assert evidence.posterior is None
    assert evidence.margins is not None


def test_an_estimated_kl_is_paid_for():
    from mercer.bounds import Evidence, NotApplicable, Posterior, get

    bound = get("consistent-gibbs")()
    sure = Evidence(100, posterior=Posterior(100, 0.0, 3.0, restricted=True))
    guess = Evidence(100, posterior=Posterior(100, 0.0, 3.0, restricted=True, kl_risk=0.03))
    assert bound.evaluate(guess, 0.05).value == pytest.approx(bound.evaluate(sure, 0.02).value)
    with pytest.raises(NotApplicable, match="all of"):
        bound.evaluate(guess, 0.02)
