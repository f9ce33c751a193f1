"""Lipschitz bounds against laws whose risk is known: they hold, and broken ones do not."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from mercer.bounds import assess
from mercer.bounds.lipschitz import covering_complexity, rademacher_risk
from mercer.learners.metric import LipschitzClassifier, noise_fit

TRIALS = 20


def draw(rng, n, noise):
    """Two separated intervals, labels flipped with probability ``noise``."""
    side = rng.integers(0, 2, size=n)
    X = (4.0 * side + rng.random(n))[:, None]
    return X, np.where(rng.random(n) < noise, 1 - side, side)


def test_certificates_cover_the_true_risk():
    rng = np.random.default_rng(0)
    violations, informative = 0, 0
    for _ in range(TRIALS):
        X, y = draw(rng, 400, 0.02)
        model = LipschitzClassifier(C=0.01, delta=0.1).fit(X, y)
        fresh, labels = draw(rng, 4000, 0.02)
        risk = np.mean(model.predict(fresh) != labels)
        certificate = assess(model.evidence_, 0.1)[0]["lipschitz-rademacher"]
        violations += risk > certificate.value
        informative += certificate.value < 0.8
    assert violations <= 0.1 * TRIALS
    assert informative == TRIALS


def test_without_its_complexity_the_bound_would_be_broken():
    """On pure noise a rough function fits every label: only the complexity says so."""
    rng = np.random.default_rng(1)
    honest, broken = 0, 0
    for _ in range(TRIALS):
        X = rng.random((200, 3))
        y = rng.integers(0, 2, size=200)
        model = LipschitzClassifier(C=np.inf, delta=0.1).fit(X, y)
        evidence = model.evidence_
        honest += assess(evidence, 0.1)[0]["lipschitz-rademacher"].value < 0.5
        ramp = float(np.mean(np.clip(1 - evidence.margins, 0, 1)))
        broken += rademacher_risk(ramp, 0.0, 200, 0.1) < 0.5
    assert honest == 0
    assert broken == TRIALS


@pytest.mark.parametrize("constant", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("dimension", [1, 3])
def test_covering_numbers_bound_the_exact_complexity(constant, dimension):
    rng = np.random.default_rng(2)
    X = rng.random((300, dimension))
    D = cdist(X, X)
    from mercer.metrics import farthest_first

    limit = covering_complexity(farthest_first(D)[1][1:], constant, 300)
    exact = np.mean([noise_fit(D, rng.choice([-1.0, 1.0], size=300), constant) for _ in range(5)])
    assert exact <= limit
    assert exact < 1.0
