"""Support vector regression with a clipped loss, and with a tolerance: modes that spend rows."""

import numpy as np
import pytest
from scipy.stats import t

from helpers_learner_laws import Tally
from mercer import SVR, certified_fit, certify

DELTA, N = 0.1, 100
NOISE = t(2.0, scale=0.3)
GRID = np.random.default_rng(3).uniform(-2, 2, (400, 1))
QUANTILES = NOISE.ppf((np.arange(400) + 0.5) / 400)  # the noise, heavy-tailed, integrated out


def target(X):
    return np.sin(2 * X[:, 0])


def draw(rng, n=N):
    X = rng.uniform(-2, 2, (n, 1))
    return X, target(X) + NOISE.rvs(n, random_state=rng)


def gaps(model):
    """|y − f(x)| on a grid of inputs times quantiles of the noise."""
    return np.abs((target(GRID) - model.predict(GRID))[:, None] + QUANTILES[None, :])


MACHINE = SVR(gamma=1.0, epsilon=0.2)


@pytest.mark.parametrize(("loss", "power"), [("absolute", 1), ("squared", 2)])
def test_clipped_losses(loss, power, scale):
    rng = np.random.default_rng(power)
    tally = Tally(draws=150 * scale)
    for _ in range(tally.draws):
        X, y = draw(rng)
        model = certified_fit(
            MACHINE,
            X,
            y,
            delta=DELTA,
            loss=loss,
            loss_range=(0.0, 1.5),
            clip=True,
            random_state=int(rng.integers(2**31)),
        )
        truth = float(np.minimum(gaps(model) ** power, 1.5).mean())
        tally.add("auto", model.certificate_.unclipped, truth)
        tally.add("observed", model.certificate_.observed, truth)
        fresh = certify(model, *draw(rng, 40), DELTA, loss=loss, loss_range=(0.0, 1.5), clip=True)
        tally.add("fresh", fresh.unclipped, truth)
    tally.check_valid("auto", DELTA)
    tally.check_valid("fresh", DELTA)
    tally.check_caught("observed", DELTA)


def test_progressive_losses(scale):
    """The mixture's mean clipped loss, by the fixed-c supermartingale."""
    rng = np.random.default_rng(7)
    tally = Tally(draws=150 * scale)
    for _ in range(tally.draws):
        X, y = draw(rng)
        model = certified_fit(
            MACHINE,
            X,
            y,
            mode="progressive",
            blocks=5,
            delta=DELTA,
            loss_range=(0.0, 1.5),
            clip=True,
            random_state=int(rng.integers(2**31)),
        )
        truth = float(np.mean([np.minimum(gaps(m), 1.5).mean() for m in model.models]))
        assert model.certificate_.code == "progressive-loss"
        tally.add("progressive", model.certificate_.unclipped, truth)
        tally.add("observed", model.certificate_.observed, truth)
    tally.check_valid("progressive", DELTA)
    tally.check_caught("observed", DELTA)


@pytest.mark.parametrize("mode", ["auto", "compress"])
def test_targets_further_away_than_a_tolerance(mode, scale):
    rng = np.random.default_rng(len(mode))
    tally = Tally(draws=150 * scale)
    for _ in range(tally.draws):
        X, y = draw(rng)
        model = certified_fit(
            MACHINE,
            X,
            y,
            mode=mode,
            delta=DELTA,
            tolerance=1.0,
            random_state=int(rng.integers(2**31)),
        )
        truth = float(np.mean(gaps(model) > 1.0))
        tally.add(mode, model.certificate_.unclipped, truth)
        tally.add("count halved", 0.5 * model.certificate_.observed, truth)
    tally.check_valid(mode, DELTA)
    tally.check_caught("count halved", DELTA)
