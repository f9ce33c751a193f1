"""Formulas of the thesis, III.8 and IV.1, against values computed another way."""

import math
from itertools import product

import mpmath as mp
import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.spatial.distance import cdist

from mercer.bounds.lipschitz import (
    centered_complexity,
    covering_complexity,
    rademacher_risk,
    rbf_complexity,
    sign_noise,
    theorem_iii_1,
)
from mercer.metrics import covering_number, discrepancy, packing_number
from mercer.selection import coding
from mercer.theory import covers


@pytest.mark.parametrize("n", [10, 1000, 10**7])
@pytest.mark.parametrize("delta", [0.5, 0.05, 1e-30])
def test_theorem_one_in_forty_digits(n, delta):
    with mp.workdps(40):
        level = mp.log(2 / mp.mpf(delta))
        printed = mp.mpf("0.1") + 2 * mp.mpf("0.03") + mp.sqrt(8 * level / n)
        sharp = mp.mpf("0.1") + 2 * mp.mpf("0.03") + 3 * mp.sqrt(level / (2 * n))
    assert theorem_iii_1(0.1, 0.03, n, delta) == pytest.approx(float(printed), rel=1e-14)
    assert rademacher_risk(0.1, 0.03, n, delta) == pytest.approx(float(sharp), rel=1e-14)


def test_a_matching_is_the_largest_difference_of_lipschitz_functions():
    """Duality (a): the linear programme over values of f with |f_i − f_j| ≤ d_ij."""
    rng = np.random.default_rng(0)
    for n in (1, 4, 7):
        points = rng.random((2 * n, 2))
        D = cdist(points, points)
        pairs = [(i, j) for i in range(2 * n) for j in range(2 * n) if i != j]
        rows = np.zeros((len(pairs), 2 * n))
        for r, (i, j) in enumerate(pairs):
            rows[r, i], rows[r, j] = 1, -1
        weights = np.repeat([1.0, -1.0], n)
        limits = [D[p] for p in pairs]
        best = linprog(-weights, A_ub=rows, b_ub=limits, bounds=(-D.max(), D.max()))
        assert discrepancy(D[:n, n:]) == pytest.approx(-best.fun / n)


@pytest.mark.parametrize("seed", range(4))
def test_limits_hold_the_exact_covering_and_packing_numbers(seed):
    points = np.random.default_rng(seed).random((14, 2))
    D = cdist(points, points)
    for radius in (0.1, 0.3, 0.6):
        low, high = covering_number(D, radius)
        assert low <= covers.covering_number(D, radius) <= high
        low, high = packing_number(D, radius)
        assert low <= covers.packing_number(D, radius) <= high
        assert covers.covering_number(D, radius) <= covers.packing_number(D, radius)
        assert covers.packing_number(D, 2 * radius) <= covers.covering_number(D, radius)


def lipschitz_grid(places, step):
    """All functions on places one ``step`` apart: multiples of it in [−1, 1], slope at most one."""
    levels = np.arange(-1, 1 + 1e-9, step)
    kept = [[value] for value in levels]
    for _ in range(places - 1):
        kept = [[*f, v] for f in kept for v in levels if abs(v - f[-1]) <= step + 1e-9]
    return np.array(kept)


@pytest.mark.parametrize("balls", [1, 2, 3])
def test_three_choices_per_ball_are_enough(balls):
    """The proof of theorem 21 by enumeration on a line, balls of radius u/2 side by side."""
    u = 0.5
    functions = lipschitz_grid(2 * balls + 1, u / 2)
    codes = np.floor(functions[:, 1::2] / u + 1e-9)  # at the centres, in steps of u
    sets = np.unique(codes, axis=0)
    assert np.abs(np.diff(sets, axis=1)).max(initial=0) <= 1  # down, stay, up
    assert len(sets) <= (2 * math.ceil(2 / u) + 1) * 3 ** (balls - 1)
    for code in sets:
        members = functions[(codes == code).all(axis=1)]
        assert np.ptp(members, axis=0).max() <= 2 * u + 1e-9


def test_the_printed_number_of_choices_is_smaller():
    def interval(u):
        return math.ceil(1 / (2 * u))

    proved, printed = (
        centered_complexity(interval, 2.0, 10**5, as_printed=flag) for flag in (False, True)
    )
    assert printed < proved < math.sqrt(math.log(3) / math.log(2)) * printed


def test_the_integral_cell_by_cell():
    """The integrand only jumps, at 4Λ·radius and at 2/k; 400 cells are above it, and hardly."""
    n, constant = 10**6, 0.25
    radii = np.array([1.0, 0.5, 0.01])
    jumps = np.unique(np.concatenate([4 * constant * radii, 2 / np.arange(2.0, 20000)]))

    def value(start):
        edges = np.concatenate([[start], jumps[(jumps > start) & (jumps < 1)], [1.0]])
        middle = (edges[1:] + edges[:-1]) / 2
        balls = 1 + (radii[:, None] > middle / (4 * constant)).sum(axis=0)
        height = np.sqrt(balls * np.log(2 * np.ceil(2 / middle) + 1))
        return 8 * start + 4 * math.sqrt(2 / n) * float(height @ np.diff(edges))

    best = min(value(start) for start in np.geomspace(1e-4, 1, 200))
    assert best <= covering_complexity(radii, constant, n) <= 1.02 * best


def test_theorem_24_with_constant_covers():
    """ln N = 1 for all u: 2ε + (4√2/√n)(2·diameter − ε/4), least at ε = 0."""
    found = rbf_complexity(lambda u: 0.25, lambda u: 0.75, 3.0, 10**4)
    assert found == pytest.approx(4 * math.sqrt(2) / 100 * 6, rel=1e-2)


def test_noise_of_the_signs_is_mcdiarmids():
    """Mean over D draws of sup (1/n)Σσg over |g| ≤ 1: a sign moves it by 2/(nD)."""
    n, draws, delta = 6, 3, 0.1
    rng = np.random.default_rng(0)
    members = np.clip(rng.normal(size=(5, n)), -1, 1)
    signs = np.array(list(product((-1.0, 1.0), repeat=n)))
    sup = (signs @ members.T / n).max(axis=1)
    means = sup[rng.integers(0, len(signs), size=(20000, draws))].mean(axis=1)
    assert np.mean(means < sup.mean() - sign_noise(n, draws, delta)) <= delta
    assert sign_noise(n, draws, delta) == pytest.approx(
        math.sqrt(math.log(1 / delta) * n * draws * (2 / (n * draws)) ** 2 / 2)
    )


def test_compression_coefficients_need_a_failure_probability():
    for bound in (coding.risk_of_the_class, coding.risk_of_other_rows):
        with pytest.raises(ValueError, match="delta"):
            bound(0.1, 100, 0.0)
