"""Bounded losses and tolerances of regressions, and novelties, in "compress" and "transfer"."""

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import t

from helpers_learner_laws import Tally
from mercer import SVR, OneClassSVM
from mercer.certification import certified_fit
from mercer.certification.modes import compress as _compress

DELTA, N, TOP = 0.1, 100, 1.5
NOISE = t(2.0, scale=0.3)
GRID = np.random.default_rng(3).uniform(-2, 2, (400, 1))
QUANTILES = NOISE.ppf((np.arange(400) + 0.5) / 400)  # the noise, heavy-tailed, integrated out
MACHINE = SVR(gamma=1.0, epsilon=0.2)
slow = pytest.mark.slow
CLIPPED = {"loss_range": (0.0, TOP), "clip": True}


def target(X):
    return np.sin(2 * X[:, 0])


def draw(rng, n=N):
    X = rng.uniform(-2, 2, (n, 1))
    return X, target(X) + NOISE.rvs(n, random_state=rng)


def gaps(model):
    """|y − f(x)| on a grid of inputs times quantiles of the noise."""
    return np.abs((target(GRID) - model.predict(GRID))[:, None] + QUANTILES[None, :])


def certified(rng, mode, **options):
    X, y = draw(rng)
    if mode == "transfer":
        options["pool"] = draw(rng, 300)[0]
    seed = int(rng.integers(2**31))
    return certified_fit(MACHINE, X, y, mode=mode, delta=DELTA, random_state=seed, **options)


@pytest.mark.parametrize("mode", ["compress", "transfer"])
@pytest.mark.parametrize(
    ("loss", "power", "scale"),
    [
        ("absolute", 1, 1),
        pytest.param("absolute", 1, 5, marks=slow),
        pytest.param("squared", 2, 5, marks=slow),
    ],
)
def test_clipped_losses(mode, loss, power, scale, monkeypatch):
    monkeypatch.setattr(_compress, "WORTH", np.inf)  # pick even where it does not pay
    rng = np.random.default_rng(power)
    tally = Tally(draws=160 * scale)
    for _ in range(tally.draws):
        model = certified(rng, mode, loss=loss, **CLIPPED)
        certificate = model.certificate_
        assert certificate.code == {"compress": "compress-loss", "transfer": "transfer-loss"}[mode]
        truth = float(np.minimum(gaps(model) ** power, TOP).mean())
        tally.add(mode, certificate.unclipped, truth)
        tally.add("half of what was seen", 0.5 * certificate.observed, truth)
    tally.check_valid(mode, DELTA)
    tally.check_caught("half of what was seen", DELTA)


@pytest.mark.parametrize(
    ("mode", "scale"), [pytest.param(mode, 5, marks=slow) for mode in ("compress", "transfer")]
)
def test_targets_further_away_than_a_tolerance(mode, scale, monkeypatch):
    monkeypatch.setattr(_compress, "WORTH", np.inf)
    rng = np.random.default_rng(len(mode))
    tally = Tally(draws=160 * scale)
    for _ in range(tally.draws):
        model = certified(rng, mode, tolerance=1.0)
        truth = float(np.mean(gaps(model) > 1.0))
        tally.add(mode, model.certificate_.unclipped, truth)
        if mode == "transfer":
            tally.add("broken", model.certificate_.details["disagreement"], truth)
        else:
            tally.add("broken", 0.5 * model.certificate_.observed, truth)
    tally.check_valid(mode, DELTA)
    tally.check_caught("broken", DELTA)


@slow
def test_one_class_machines_pick_what_they_reject(monkeypatch):
    monkeypatch.setattr(_compress, "WORTH", np.inf)
    rng = np.random.default_rng(5)
    grid = np.linspace(-6, 6, 4001)
    mass = np.diff(ndtr(np.append(grid, 6.003) - 0.0015))
    tally = Tally(draws=800)
    for _ in range(tally.draws):
        model = certified_fit(
            OneClassSVM(gamma=0.5, nu=0.15), rng.normal(size=(80, 1)), mode="compress",
            delta=DELTA, random_state=int(rng.integers(2**31)),
        )  # fmt: skip
        rejected = float(mass @ (model.predict(grid[:, None]) == -1))
        tally.add("compress", model.certificate_.unclipped, rejected)
        tally.add("count halved", 0.5 * model.certificate_.observed, rejected)
    tally.check_valid("compress", DELTA)
    tally.check_caught("count halved", DELTA)
