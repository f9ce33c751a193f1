"""Rademacher complexities, calibration, neighbours, plug-in rules."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from mercer.theory import calibration, neighbors, plug_in, rademacher


def gram(n, seed=0, d=5):
    X = np.random.default_rng(seed).standard_normal((n, d))
    return X @ X.T


def test_the_ball_is_the_supremum_over_its_functions():
    """Exact formula against a supremum over many explicit members of the ball."""
    X = np.random.default_rng(1).standard_normal((6, 2))
    exact = rademacher.exact_ball_complexity(X @ X.T)
    angles = np.linspace(0, 2 * math.pi, 4000)
    members = np.column_stack([np.cos(angles), np.sin(angles)]) @ X.T
    assert rademacher.exact_complexity(members) == pytest.approx(exact, rel=1e-5)
    assert rademacher.exact_complexity(members, absolute=True) == pytest.approx(exact, rel=1e-5)


def test_simulation_agrees_and_limits_are_above():
    G = gram(14)
    exact = rademacher.exact_ball_complexity(G, ball=2.0)
    simulated, error = rademacher.simulated_ball_complexity(G, ball=2.0, draws=4000)
    assert abs(simulated - exact) < 5 * error
    assert exact <= rademacher.trace_limit(G, ball=2.0)
    with pytest.raises(ValueError, match="2\\^21 signs"):
        rademacher.exact_ball_complexity(np.eye(21))


def test_published_monte_carlo_value():
    """n = 200 standard normal rows in five dimensions: about 0.15, the limit 0.158."""
    means, limits = zip(
        *(
            (rademacher.simulated_ball_complexity(G, draws=300)[0], rademacher.trace_limit(G))
            for G in (gram(200, seed) for seed in range(10))
        ),
        strict=True,
    )
    assert np.mean(means) == pytest.approx(0.149, abs=0.004)
    assert np.mean(limits) == pytest.approx(math.sqrt(5 / 200), rel=0.02)


def test_best_ball_balances_the_two_errors():
    facts = {"lipschitz": 1.0, "second_moment": 1.0}
    radius, value = rademacher.best_ball(1000, 0.05, 3.0, **facts)
    grid = [rademacher.ball_bound(1000, 0.05, r, 3.0, **facts) for r in np.linspace(0, 3, 300)]
    assert value <= min(grid) + 1e-9
    assert radius == pytest.approx(3.0)  # the estimation slope 4/√n is below one: grow the ball
    assert rademacher.best_ball(10, 0.05, 3.0, **facts)[0] == pytest.approx(0.0)
    assert rademacher.contraction(2.0, 0.1) == 0.2
    assert rademacher.deviation(100, 0.05, signed=False) == pytest.approx(
        math.sqrt(math.log(20) / 200)
    )


@pytest.mark.parametrize("theta", [0.0, 0.1, 0.5, 0.9])
def test_psi_transforms_have_their_closed_forms(theta):
    entropy = sum(0.5 * (1 + s * theta) * math.log(1 + s * theta) for s in (1, -1))
    closed = {
        "hinge": theta,
        "square": theta**2,
        "squared hinge": theta**2,
        "exponential": 1 - math.sqrt(1 - theta**2),
        "logistic": entropy,
    }
    for name, expected in closed.items():
        assert calibration.psi_transform(name, theta) == pytest.approx(expected, abs=1e-7)
        assert calibration.is_calibrated(name)


def test_transfer_of_excess_risk():
    for s in (0.001, 0.01, 0.1):
        assert calibration.excess_transfer("hinge", s) == pytest.approx(s, abs=1e-6)
        assert calibration.excess_transfer("square", s) == pytest.approx(math.sqrt(s), abs=1e-5)
        assert calibration.excess_transfer("logistic", s) <= math.sqrt(2 * s)
        assert calibration.excess_transfer("exponential", s) <= math.sqrt(2 * s)
    assert calibration.excess_transfer("hinge", 5.0) == 1.0
    assert not calibration.is_calibrated(lambda s: max(0.0, -s))  # the perceptron's kink at zero
    with pytest.raises(ValueError, match="unknown loss"):
        calibration.psi_transform("ramp", 0.1)
    with pytest.raises(ValueError, match="theta"):
        calibration.psi_transform("hinge", 1.5)
    with pytest.raises(ValueError, match="not negative"):
        calibration.excess_transfer("hinge", -0.1)


def test_neighbours_of_the_notes():
    """η = u/(1+u), u uniform on [0, 4]."""
    u = (np.arange(400_000) + 0.5) / 100_000
    eta = u / (1 + u)
    bayes, nearest = neighbors.bayes_risk(eta), neighbors.nearest_neighbor_risk(eta)
    assert bayes == pytest.approx(0.305786, abs=1e-6)
    risks = [neighbors.k_neighbor_risk(eta, k) for k in (1, 3, 5, 7)]
    assert risks == pytest.approx([0.404719, 0.373026, 0.355618, 0.344598], abs=1e-6)
    assert nearest == pytest.approx(risks[0])
    low, high = neighbors.cover_hart_limits(bayes)
    assert high == pytest.approx(0.424562, abs=2e-6)
    assert low <= nearest <= high
    for k, risk in zip((3, 5, 7), risks[1:], strict=True):
        assert bayes <= risk <= neighbors.k_neighbor_limit(bayes, nearest, k)
    with pytest.raises(ValueError, match="odd"):
        neighbors.k_neighbor_risk(eta, 2)
    with pytest.raises(ValueError, match="between 0 and 1"):
        neighbors.bayes_risk([1.5])


def test_scheffe_and_the_plug_in_rule():
    rng = np.random.default_rng(0)
    for _ in range(50):
        p, q = (rng.dirichlet(np.ones(6)).reshape(3, 2) for _ in range(2))
        best = plug_in.scheffe_set(p.ravel(), q.ravel())
        attained = p.ravel()[best].sum() - q.ravel()[best].sum()
        assert plug_in.total_variation(p.ravel(), q.ravel()) == pytest.approx(attained)
        sets = np.array([[i >> j & 1 for j in range(6)] for i in range(64)])
        assert np.abs(sets @ (p - q).ravel()).max() == pytest.approx(attained)
        bayes = plug_in.plug_in_risk(p, p)
        excess = plug_in.plug_in_risk(q, p) - bayes
        assert -1e-12 <= excess <= plug_in.plug_in_excess(q, p) + 1e-12
    distance = plug_in.l1_distance(norm(0, 1).pdf, norm(1, 1).pdf)
    assert distance == pytest.approx(2 * (2 * norm.cdf(0.5) - 1), abs=1e-6)
    assert distance == pytest.approx(
        quad(lambda x: abs(norm.pdf(x) - norm.pdf(x, 1)), -10, 11, points=[0.5])[0], abs=1e-6
    )
    with pytest.raises(ValueError, match="different sets"):
        plug_in.total_variation([1.0], [0.5, 0.5])
