"""The scenario interval of regressions and one-class machines: both ends, risk known."""

import numpy as np
import pytest
from scipy.stats import norm, t

from helpers_learner_laws import Tally
from mercer import SVR, NuSVR, OneClassSVM
from mercer.bounds import get

DELTA, DRAWS = 0.1, 200
GRID = np.random.default_rng(5).uniform(-2, 2, 2000)[:, None]

NOISES = {"gaussian": norm(scale=0.3), "heavy tails": t(2.0, scale=0.2)}


def truth(x):
    return np.sin(2 * x[:, 0])


def both_ends(tally, certificate, kept, risk):
    """The statement, and its broken twin that takes the share of kept rows for the risk."""
    low = 0.0 if certificate.lower is None else certificate.lower
    tally.add("scenario", certificate.unclipped, risk, low)
    share = kept.size / kept.rows
    tally.add("share of kept rows", share, risk, share)


def check(tally):
    tally.check_valid("scenario", DELTA)
    tally.check_caught("share of kept rows", DELTA)


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize(
    "machine",
    [
        SVR(gamma=1.0, epsilon=0.4, tol=1e-6),
        pytest.param(NuSVR(gamma=1.0, nu=0.3, tol=1e-6), marks=pytest.mark.slow),
    ],
    ids=["SVR", "NuSVR"],
)
def test_rate_of_targets_outside_the_tube(machine, noise, scale):
    law, rng = NOISES[noise], np.random.default_rng(0)
    tally = Tally(draws=DRAWS * scale)
    for _ in range(tally.draws):
        X = rng.uniform(-2, 2, (80, 1))
        y = truth(X) + law.rvs(80, random_state=rng)
        model = machine.fit(X, y)
        evidence = model.evidence_
        gap = truth(GRID) - model.predict(GRID)
        # the noise is integrated out: y - f = gap + noise
        risk = np.mean(law.sf(evidence.tube - gap) + law.cdf(-evidence.tube - gap))
        certificate = get("scenario")().evaluate(evidence, DELTA)
        both_ends(tally, certificate, evidence.compression, float(risk))
    check(tally)


@pytest.mark.parametrize("nu", [0.05, 0.3])
def test_rate_of_rejected_points(nu, scale):
    rng = np.random.default_rng(1)
    fresh = np.random.default_rng(2).standard_t(3, size=(6000, 2))
    tally = Tally(draws=DRAWS * scale)
    for _ in range(tally.draws):
        X = rng.standard_t(3, size=(90, 2))
        model = OneClassSVM(nu=nu, gamma=0.3, tol=1e-6).fit(X)
        certificate = get("scenario")().evaluate(model.evidence_, DELTA)
        risk = float(np.mean(model.predict(fresh) < 0))
        both_ends(tally, certificate, model.evidence_.compression, risk)
    check(tally)
