"""Margin tubes: the limit of the model of all rows holds, and without the ratio it does not."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.linear_model import RidgeClassifier

from helpers_validity import check_caught, check_valid
from mercer.bounds import Evidence, MarginTubes, get
from mercer.certification import Refused, certified_fit
from mercer.certification.modes._tube_shape import Shape

DELTA, N, ROWS, SHIFT, FLIPPED = 0.2, 60, 20, 1.6, 0.2
PLACES = (0.5, 1.0, 2.0)
BOUND = get("margin-tube")()
NOTHING = Evidence(
    N, tubes=MarginTubes(1, total=N, easy=N, widths=(1.0,), inside=((1,),), first=(1,))
)


def drawn(rng, n=N):
    """Two Gaussians on a line, of whose labels some are wrong."""
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    x = rng.standard_normal(n) + SHIFT * y
    return x, np.where(rng.random(n) < FLIPPED, -y, y)


def risk(weight, shift):
    """Of sign(weight·x + shift)."""
    edge = -shift / weight
    wrong = 0.5 * (norm.cdf(edge - SHIFT) + norm.sf(edge + SHIFT))
    wrong = wrong if weight > 0 else 1 - wrong
    return FLIPPED + (1 - 2 * FLIPPED) * float(wrong)


def plane(x, y):
    A = np.column_stack([x, np.ones(len(x))])
    return np.linalg.solve(A.T @ A + np.eye(2), A.T @ y)


def tubes(rng):
    """Least squares; four hold-outs among the rows that the model of all rows finds easy."""
    x, y = drawn(rng)
    A, f = np.column_stack([x, np.ones(N)]), plane(x, y)
    margin = y * (A @ f)
    easy = np.argsort(-margin)[: max(ROWS, int(np.sum(margin > 0.1)))]
    inside, first = [], []
    for _ in range(4):
        out = rng.choice(easy, ROWS, replace=False)
        rest = np.delete(np.arange(N), out)
        g = plane(x[rest], y[rest])
        shape = Shape.of(A[rest].T @ A[rest] / len(rest) + 0.01 * np.eye(2))
        reach = y[out] * (A[out] @ g) / shape.width(A[out], g)
        radii = 0.15 * np.array(PLACES)
        inside.append(tuple(int(np.sum(reach <= r)) for r in radii))
        first.append(int(np.searchsorted(radii, shape.distance(f, g))))
    record = MarginTubes(ROWS, total=N, easy=len(easy), widths=(0.3, 0.4, 0.3),
                         inside=tuple(inside), first=tuple(first),
                         bets=((5.0, 0.7), (1.0, 0.3)))  # fmt: skip
    return Evidence(N, tubes=record), risk(*f)


def unpaid(evidence):
    """As if the held-out rows had been drawn among all."""
    return replace(evidence, tubes=replace(evidence.tubes, easy=evidence.tubes.total))


def right(evidence, delta):
    return BOUND.evaluate(evidence, delta).unclipped


def broken(evidence, delta):
    return BOUND.evaluate(unpaid(evidence), delta).unclipped


@pytest.mark.parametrize("code", ["margin-tube"])
def test_the_ratio_pays_for_the_choice(code, scale):
    assert BOUND.code == code
    check_valid(tubes, right, delta=DELTA, draws=320 * scale)
    check_caught(tubes, broken, delta=DELTA, draws=320 * scale)


@pytest.mark.slow
@pytest.mark.parametrize("n", [60, 150])
def test_the_mode_is_valid_and_an_unpaid_one_is_not(n):
    """Rows through ``certified_fit``; the truth is that of the plane that answers."""

    def law(rng):
        x, y = drawn(rng, n)
        seed = int(rng.integers(2**31))
        try:
            fit = certified_fit(RidgeClassifier(), x[:, None], y, mode="tube", anchors=4,
                                delta=DELTA, random_state=seed, checks=False)  # fmt: skip
        except Refused:  # no number is no violation
            return NOTHING, 0.0
        plane = fit.model_
        truth = risk(float(np.ravel(plane.coef_)[0]), float(np.ravel(plane.intercept_)[0]))
        return fit.certificate_.inputs, truth

    check_valid(law, right, delta=DELTA, draws=300)
    check_caught(law, broken, delta=DELTA, draws=300)
