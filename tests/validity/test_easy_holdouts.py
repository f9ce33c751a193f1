"""Hold-outs chosen by their labels: valid with the exact ratio paid, wrong by far without it."""

import math
from dataclasses import replace

import numpy as np
import pytest
from sklearn.neighbors import NearestCentroid

from helpers_validity import check_caught, check_valid
from mercer.bounds import EasyHoldOuts, EasyPool, Evidence, get
from mercer.bounds.numerics.easy import easy_upper, log_ratio
from mercer.bounds.numerics.easy_pool import holdout_shares
from mercer.certification import certified_fit

DELTA, DRAWS, N, ROWS, FLIPPED = 0.1, 320, 60, 18, 0.2
BETS = {1: ((5.0, 0.7), (1.0, 0.3)), 4: ((5.0, 1.0),)}


def counted(rng, models, losses, fit, score, risk, x, y):
    """Models without rows drawn among those that the model of all rows finds easy."""
    looks = score(fit(x, y), x, y)
    easy = np.argsort(looks, kind="stable")[: max(ROWS, int(np.sum(looks < 0.5)))]
    sums, risks = [], []
    for _ in range(models):
        out = rng.choice(easy, ROWS, replace=False)
        rest = np.delete(np.arange(N), out)
        model = fit(x[rest], y[rest])
        sums.append(float(score(model, x[out], y[out]).sum()))
        risks.append(risk(model))
    ratios = [log_ratio(N, len(easy), ROWS)] * models
    shares = easy_upper(ratios, sums, ROWS, DELTA, bets=BETS[models])[1]
    record = EasyHoldOuts(ROWS, total=N, easy=len(easy), sums=tuple(sums), bets=BETS[models],
                          shares=tuple(math.floor(2**40 * s) + 1 for s in shares),
                          losses=losses)  # fmt: skip
    return record, float(np.dot(record.shares, risks) / sum(record.shares))


def thresholds(models):
    """A cut between the means of two classes, of whose labels a fifth is wrong."""

    def law(rng):
        x = rng.uniform(-1, 1, N)
        y = np.where(rng.random(N) < FLIPPED, x < 0, x >= 0)
        record, truth = counted(
            rng, models, False,
            lambda x, y: 0.5 * (x[y].mean() + x[~y].mean()),
            lambda cut, x, y: ((x >= cut) != y).astype(float),
            lambda cut: FLIPPED + (1 - 2 * FLIPPED) * abs(cut) / 2,
            x, y,
        )  # fmt: skip
        return Evidence(N - ROWS, easy_holdouts=record), truth

    return law


def constants(models):
    """The median of targets that are 0 or 0.9, under the absolute loss."""

    def law(rng):
        y = 0.9 * (rng.random(N) < 0.3)
        record, truth = counted(
            rng, models, True,
            lambda x, y: np.median(y),
            lambda told, x, y: np.abs(y - told),
            lambda told: 0.3 * abs(0.9 - told) + 0.7 * told,
            y, y,
        )  # fmt: skip
        return Evidence(N, task="regression", easy_holdouts=record, loss_range=(0.0, 1.0)), truth

    return law


def unpaid(evidence):
    """As if the held-out rows had been drawn among all."""
    run = evidence.easy_holdouts
    return replace(evidence, easy_holdouts=replace(run, easy=run.total))


@pytest.mark.parametrize(
    ("code", "law"),
    [
        ("easy-holdout", thresholds(1)),
        ("easy-mixture", thresholds(4)),
        ("easy-holdout-loss", constants(1)),
        ("easy-mixture-loss", constants(4)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_ratio_pays_for_the_choice(code, law, scale):
    bound = get(code)()
    right = lambda e, d: bound.evaluate(e, d).unclipped  # noqa: E731
    free = lambda e, d: bound.evaluate(unpaid(e), d).unclipped  # noqa: E731
    check_valid(law, right, delta=DELTA, draws=DRAWS * scale)
    check_caught(law, free, delta=DELTA, draws=DRAWS * scale)


@pytest.mark.slow
@pytest.mark.parametrize("models", [1, 4])
def test_the_mode_is_valid_and_an_unpaid_one_is_not(models):
    """Rows through ``certified_fit``; the truth is that of the very function that answers."""
    grid = np.linspace(-1, 1, 4001)[:, None]

    def law(rng):
        x = rng.uniform(-1, 1, (N, 1))
        y = np.where(rng.random(N) < FLIPPED, x[:, 0] < 0, x[:, 0] >= 0)
        fit = certified_fit(
            NearestCentroid(), x, y, mode="easy", models=models, delta=DELTA,
            random_state=int(rng.integers(2**31)),
        )  # fmt: skip
        right = fit.predict(grid) == (grid[:, 0] >= 0)
        truth = FLIPPED + (1 - 2 * FLIPPED) * float(np.mean(~right))
        return fit.certificate_.inputs, truth

    bound = get("easy-holdout" if models == 1 else "easy-mixture")()
    check_valid(law, lambda e, d: bound.evaluate(e, d).unclipped, delta=DELTA, draws=300)
    check_caught(law, lambda e, d: bound.evaluate(unpaid(e), d).unclipped, delta=DELTA, draws=300)


def through_a_pool(rng):
    """The cut of all rows, four cuts that were kept from easy rows, and a pool of fresh inputs."""
    x = rng.uniform(-1, 1, N)
    y = np.where(rng.random(N) < FLIPPED, x < 0, x >= 0)
    middle = lambda x, y: 0.5 * (x[y].mean() + x[~y].mean())  # noqa: E731
    full = middle(x, y)
    easy = np.argsort((x >= full) != y, kind="stable")
    easy = easy[: max(ROWS, int(np.sum((x >= full) == y)))]
    cuts, sums = [], []
    for _ in range(4):
        out = rng.choice(easy, ROWS, replace=False)
        rest = np.delete(np.arange(N), out)
        cuts.append(middle(x[rest], y[rest]))
        sums.append(int(np.sum((x[out] >= cuts[-1]) != y[out])))
    pool = rng.uniform(-1, 1, 300)
    moved = np.array([(pool >= cut) != (pool >= full) for cut in cuts])
    weight = float(holdout_shares([0.0] * 4, sums, 5.0) @ moved.sum(axis=1))
    record = EasyPool(ROWS, total=N, easy=len(easy), sums=tuple(sums), pool_rows=300, moved=weight)
    return Evidence(N, easy_pool=record), FLIPPED + (1 - 2 * FLIPPED) * abs(full) / 2


@pytest.mark.parametrize("code", ["transfer-easy"])
def test_the_ratio_pays_for_the_choice_through_a_pool(code, scale):
    bound = get(code)()

    def free(evidence, delta):
        run = evidence.easy_pool
        return bound.evaluate(Evidence(N, easy_pool=replace(run, easy=run.total)), delta).unclipped

    right = lambda e, d: bound.evaluate(e, d).unclipped  # noqa: E731
    check_valid(through_a_pool, right, delta=DELTA, draws=DRAWS * scale)
    check_caught(through_a_pool, free, delta=DELTA, draws=DRAWS * scale)


@pytest.mark.slow
def test_the_mode_through_a_pool_is_valid_and_an_unpaid_one_is_not():
    """Rows through ``certified_fit``; the truth is that of the model of all rows."""
    grid = np.linspace(-1, 1, 4001)[:, None]
    bound = get("transfer-easy")()

    def law(rng):
        x = rng.uniform(-1, 1, (N, 1))
        y = np.where(rng.random(N) < FLIPPED, x[:, 0] < 0, x[:, 0] >= 0)
        fit = certified_fit(
            NearestCentroid(), x, y, mode="transfer", pool=rng.uniform(-1, 1, (400, 1)),
            delta=DELTA, random_state=int(rng.integers(2**31)),
        )  # fmt: skip
        right = fit.predict(grid) == (grid[:, 0] >= 0)
        return fit.certificate_.inputs, FLIPPED + (1 - 2 * FLIPPED) * float(np.mean(~right))

    def free(evidence, delta):
        run = evidence.easy_pool
        return bound.evaluate(Evidence(N, easy_pool=replace(run, easy=run.total)), delta).unclipped

    check_valid(law, lambda e, d: bound.evaluate(e, d).unclipped, delta=DELTA, draws=300)
    check_caught(law, free, delta=DELTA, draws=300)
