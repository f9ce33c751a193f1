"""Exact shattering tests against known growth functions and brute force."""

import math

import numpy as np
import pytest
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
