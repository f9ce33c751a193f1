"""Exact shattering tests against known growth functions and brute force."""

import math
from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog
from sklearn.svm import SVC

from mercer.bounds.numerics import log_growth
from mercer.theory import growth, hypotheses, shattering
from mercer.theory.shattering import (
    affine_rank,
    count_dichotomies,
    empirical_vc_dimension,
    is_shattered,
    shatter_coefficient,
    unreachable,
)
from mercer.theory.vc_dimension import KNOWN, MEANING, vc_dimension_of

RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("machine", "d", "name", "counts"),
    [
        ("affine", 2, "affine", [2, 4, 8, 14, 22, 32]),
        ("affine", 3, "affine", [2, 4, 8, 16, 30, 52]),
        ("linear", 2, "homogeneous", [2, 4, 6, 8, 10, 12]),
        ("half-lines", 1, "half-lines", [2, 3, 4, 5, 6, 7]),
        ("circles", 2, "circles", [2, 3, 4, 5, 6, 7]),
        ("signed circles", 2, "signed circles", [2, 4, 6, 8, 10, 12]),
    ],
)
def test_growth_functions_by_counting(machine, d, name, counts):
    points = RNG.standard_normal((6, d))
    for m, expected in enumerate(counts, start=1):
        assert count_dichotomies(points[:m], machine) == expected
        assert math.exp(growth.log_growth_of(name, m, d)) == pytest.approx(expected)


def without_error(signed):
    """Sets of rows that some w ≠ 0 has right, y⟨w,x⟩ > 0, zero outputs counting as errors."""
    found, d = 0, signed.shape[1]
    box = [(-1.0, 1.0)] * d
    for right in product((False, True), repeat=len(signed)):
        right = np.array(right)
        rows = np.where(right[:, None], -signed, signed)
        if right.any():  # y⟨w,x⟩ ≥ t > 0 on these, ≤ 0 on the others
            gap = np.column_stack([rows, right.astype(float)])
            best = linprog(
                [0.0] * d + [-1.0], A_ub=gap, b_ub=np.zeros(len(rows)), bounds=[*box, (0, 1)]
            )
            found += -best.fun > 1e-9
        else:
            found += any(
                -linprog(-sign * np.eye(d)[k], A_ub=rows, b_ub=np.zeros(len(rows)), bounds=box).fun
                > 1e-9
                for k in range(d)
                for sign in (-1.0, 1.0)
            )
    return found


@pytest.mark.parametrize("d", [1, 2, 3])
def test_covers_count_is_the_most_also_off_general_position(d):
    """Opposite, repeated and coplanar points: what y f(x) ≤ 0 as an error can show."""
    rng = np.random.default_rng(d)
    for pairs in range(3):
        points = rng.integers(-1, 2, size=(5 - pairs, d)).astype(float)
        points = np.vstack([points, -points[:pairs]])
        assert without_error(points) <= math.exp(growth.log_growth_of("homogeneous", 5, d)) + 1e-9
    general = rng.standard_normal((5, d))
    assert without_error(general) == round(math.exp(growth.log_growth_of("homogeneous", 5, d)))


def test_boxes_grow_as_published_and_below_their_limit():
    """Best arrangement of 2 to 5 points in the plane: 4, 8, 16, 28."""
    for m, expected in ((2, 4), (3, 8), (4, 16), (5, 28)):
        found = shatter_coefficient(m, "boxes", draws=150)
        assert found == expected
        assert found <= math.exp(growth.log_growth_of("boxes", m, 2)) * (1 + 1e-12)
    for m in range(1, 7):
        line = count_dichotomies(np.arange(float(m)), "boxes")
        assert line == m * (m + 1) / 2 + 1
        assert math.log(line) == pytest.approx(growth.log_growth_of("intervals", m))


def test_worked_cases_of_the_slides():
    diamond = np.array([[0, 1], [1, 0], [0, -1], [-1, 0]], dtype=float)
    assert is_shattered(diamond, "boxes")
    assert not is_shattered(np.vstack([diamond, [[0.0, 0.0]]]), "boxes")
    assert is_shattered([[1.0, 0.0], [0.3, 1.0]], "linear")
    assert not is_shattered([[1.0, 0.0], [2.0, 0.0]], "linear")
    assert not is_shattered([[1.0, 0.0], [0.0, 2.0]], "circles")
    assert is_shattered([[1.0, 0.0], [0.0, 2.0]], "signed circles")
    assert not is_shattered([[1.0, 0.0], [0.0, 2.0], [0.0, 3.0]], "signed circles")


def test_xor_is_the_labeling_that_planes_miss():
    labels = unreachable([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], "affine")
    assert labels[0] == labels[3] == -labels[1] == -labels[2]
    assert unreachable([[0.0, 0.0], [1.0, 0.0]], "affine") is None


@pytest.mark.parametrize("seed", range(5))
def test_affine_independence_is_shattering(seed):
    rng = np.random.default_rng(seed)
    points = rng.integers(-2, 3, size=(rng.integers(1, 6), 3)).astype(float)
    assert is_shattered(points, "affine") == (affine_rank(points) == len(points))


@pytest.mark.parametrize("machine", ["linear", "affine"])
def test_rank_is_the_vc_dimension_on_the_sample(machine):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        points = rng.integers(-1, 2, size=(5, 3)).astype(float)
        searched = shattering.CLASSES[machine]
        slow = empirical_vc_dimension(points, lambda p, y: searched(p, y))  # noqa: B023
        assert empirical_vc_dimension(points, machine) == slow


def test_any_estimator_can_prove_yes():
    points = RNG.standard_normal((4, 2))
    assert is_shattered(points, shattering.searched(SVC(C=1e6, gamma=10.0)))


def test_registry_agrees_with_search():
    assert vc_dimension_of("affine", 2) == 3
    assert vc_dimension_of("boxes", 2) == 4
    assert [vc_dimension_of("polynomial", 2, p) for p in range(1, 7)] == [3, 6, 10, 15, 21, 28]
    assert vc_dimension_of("gaussian") == math.inf
    assert vc_dimension_of("canonical", 2.0, 3.0) == 36.0
    assert set(KNOWN) == set(MEANING)
    for machine, facts in (("affine", (2,)), ("boxes", (2,)), ("circles", ())):
        vc = int(vc_dimension_of(machine, *facts))
        assert shatter_coefficient(vc, machine) == 2**vc
        assert shatter_coefficient(vc + 1, machine, draws=5) < 2 ** (vc + 1)


def test_one_parameter_shatters_and_many_do_not():
    """Sines at 10^−i realise every labeling; odd monotone rules never put + left of −."""
    i = np.arange(1, 8)
    for pattern in range(2**7):
        labels = np.array([1.0 if pattern >> j & 1 else -1.0 for j in range(7)])
        w = math.pi * (1.0 + np.sum((1.0 - labels) / 2.0 * 10.0**i))
        assert np.all(np.sign(np.sin(w * 10.0**-i)) == labels)
    assert vc_dimension_of("sine") == math.inf
    x = np.linspace(-2.0, 2.0, 9)
    reached = set()
    for w in RNG.standard_normal((4000, 5)):
        f = sum(abs(w[k] * x**k) for k in range(1, 5)) * np.sign(x) + 3 * w[0]
        reached.add(tuple(f > 0))
        assert np.all(np.diff(f) > 0)
    table = np.array(sorted(reached))
    assert hypotheses.vc_dimension(table) == vc_dimension_of("odd monotone") == 1
    assert len(table) <= math.exp(growth.log_growth_of("half-lines", 9)) + 1e-9


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_polynomial_machines_shatter_as_many_points_as_they_have_monomials(degree):
    """On the line (d = 1): degree + 1 points are shattered by (xy + 1)^degree, no more are."""
    powers = np.arange(degree + 1)
    x = np.linspace(-1.0, 1.0, degree + 2)[:, None] ** powers
    vc = int(vc_dimension_of("polynomial", 1, degree))
    assert vc == degree + 1
    assert is_shattered(x[:vc], "linear")
    assert not is_shattered(x, "linear")


def test_bad_names_and_sizes():
    with pytest.raises(ValueError, match="unknown class 'cubes'"):
        vc_dimension_of("cubes")
    with pytest.raises(ValueError, match="needs d, degree"):
        vc_dimension_of("polynomial", 2)
    with pytest.raises(ValueError, match="2\\^30 labelings"):
        is_shattered(np.zeros((30, 2)), "affine")
    with pytest.raises(ValueError, match="unknown class"):
        is_shattered([[1.0]], "squares")
    with pytest.raises(ValueError, match="finite numbers"):
        is_shattered([[np.nan]], "affine")
    with pytest.raises(ValueError, match="unknown class"):
        growth.log_growth_of("cubes", 3)
    with pytest.raises(ValueError, match="m >= 1"):
        growth.log_growth_of("affine", 0)


# --- explicit lists of rules ---------------------------------------------------------------------


def test_vc_dimension_of_a_table():
    half_lines = np.tril(np.ones((5, 4)), -1)
    assert hypotheses.vc_dimension(half_lines) == 1
    everything = np.array([[i >> j & 1 for j in range(3)] for i in range(8)])
    assert hypotheses.vc_dimension(everything) == 3
    assert hypotheses.vc_dimension(everything[:7]) == 2
    assert hypotheses.vc_dimension(everything[:1]) == 0


@pytest.mark.parametrize("seed", range(20))
def test_sauer_keeps_its_promise(seed):
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 2, size=(rng.integers(2, 40), 5))
    for size in (1, 2, 3):
        if hypotheses.sauer_promises(table, size):
            assert hypotheses.shattered_columns(table, size) is not None
    distinct = hypotheses.distinct(table)
    assert math.log(distinct) <= log_growth(5, hypotheses.vc_dimension(table)) + 1e-12


def test_levels_and_version_space():
    labels = np.array([1, -1, 1])
    rules = np.array([[1, -1, 1], [1, 1, 1], [-1, 1, -1], [1, -1, 1]])
    assert hypotheses.version_space(rules, labels).tolist() == [0, 3]
    luck = [3.0, 2.0, 1.0, 3.0]
    assert [hypotheses.luckiness_level(rules, labels, luck, i) for i in range(3)] == [1, 2, 3]
    with pytest.raises(ValueError, match="one column per point"):
        hypotheses.loss_vectors(rules, [1, 1])
    with pytest.raises(ValueError, match="2 luckiness values for 4 rules"):
        hypotheses.luckiness_level(rules, labels, [1.0, 2.0], 0)
