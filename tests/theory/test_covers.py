"""Covering, packing, entropy numbers and fat shattering against brute force."""

import math
from itertools import combinations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from mercer import metrics
from mercer.bounds.numerics import fat_linear, log2_cover_alon, log2_cover_linear, log2_cover_zhang
from mercer.theory import covers, fat_shattering


def plane(seed, n=9):
    points = np.random.default_rng(seed).random((n, 2))
    return cdist(points, points)


def brute_cover(d, epsilon):
    for size in range(1, len(d) + 1):
        for centres in combinations(range(len(d)), size):
            if np.all(d[list(centres)].min(axis=0) <= epsilon):
                return size
    raise AssertionError


def brute_packing(d, epsilon):
    for size in range(len(d), 0, -1):
        for chosen in combinations(range(len(d)), size):
            if all(d[i, j] > epsilon for i, j in combinations(chosen, 2)):
                return size
    raise AssertionError


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("epsilon", [0.1, 0.3, 0.6])
def test_exact_numbers_and_their_sandwich(seed, epsilon):
    d = plane(seed)
    cover, packing = covers.covering_number(d, epsilon), covers.packing_number(d, epsilon)
    assert cover == brute_cover(d, epsilon)
    assert packing == brute_packing(d, epsilon)
    assert covers.packing_number(d, 2 * epsilon) <= cover <= packing
    assert len(covers.greedy_cover(d, epsilon)) >= cover
    maximal = covers.greedy_packing(d, epsilon)
    assert len(maximal) <= packing
    assert np.all(d[maximal].min(axis=0) <= epsilon)


def test_entropy_numbers_are_where_the_cover_shrinks():
    d = plane(1)
    for size in (1, 2, 4):
        e = covers.entropy_number(d, size)
        assert covers.covering_number(d, e) <= size
        assert covers.covering_number(d, e * (1 - 1e-9)) > size
    assert covers.dyadic_entropy_number(d, 2) == covers.entropy_number(d, 4)
    assert covers.entropy_number(d, len(d)) == 0.0


@pytest.mark.parametrize("seed", range(3))
def test_inner_entropy_numbers_and_the_corrected_sandwich(seed):
    d = plane(seed, 8)
    below = 0
    for size in (1, 2, 3, 5):
        spread = max(
            min(d[i, j] for i, j in combinations(chosen, 2))
            for chosen in combinations(range(8), size + 1)
        )
        inner, entropy = covers.inner_entropy_number(d, size), covers.entropy_number(d, size)
        assert inner == pytest.approx(spread)
        assert inner / 2 <= entropy <= inner
        below += entropy < inner
    assert below  # so φ ≤ e, as printed, is false
    assert covers.inner_entropy_number(d, 8) == 0.0
    with pytest.raises(ValueError, match="at least one"):
        covers.entropy_number(d, 0)


def test_bad_distances():
    with pytest.raises(ValueError, match="square"):
        covers.covering_number([[0.0, 1.0]], 0.5)
    with pytest.raises(ValueError, match="not negative"):
        covers.greedy_cover([[0.0, -1.0], [-1.0, 0.0]], 0.5)


@pytest.mark.parametrize("epsilon", [0.15, 0.3, 0.7])
def test_perceptron_steps_cover_linear_functions(epsilon):
    """The construction behind log2_cover_linear, run: close enough, and not too many steps."""
    rng = np.random.default_rng(3)
    points = rng.standard_normal((12, 4))
    points /= np.maximum(1.0, np.linalg.norm(points, axis=1, keepdims=True))
    weights = rng.standard_normal((40, 4))
    weights /= np.linalg.norm(weights, axis=1, keepdims=True)
    covered = covers.linear_cover(points, weights, epsilon)
    assert np.abs(covered - weights @ points.T).max() <= epsilon + 1e-12
    log2_size = log2_cover_linear(epsilon, 12, radius=1.0)
    assert len(np.unique(np.round(covered, 9), axis=0)) <= 2**log2_size
    assert np.all(covers.linear_cover(0 * points, weights, epsilon) == 0.0)
    with pytest.raises(ValueError, match="positive"):
        covers.linear_cover(points, weights, 0.0)


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.5, 1.0, 3.0])
@pytest.mark.parametrize("n", [1, 10, 10**4, 10**7])
def test_the_derived_cover_proves_zhangs(epsilon, n):
    assert log2_cover_linear(epsilon, n) <= log2_cover_zhang(epsilon, n)


def test_alon_is_far_above_the_derived_cover():
    n, epsilon = 10**5, 0.2
    fat = fat_linear(epsilon / 4)
    assert fat == pytest.approx(400)
    assert log2_cover_alon(epsilon, n, fat, width=2.0) > 50 * log2_cover_linear(epsilon, n)
    with pytest.raises(ValueError, match="epsilon"):
        log2_cover_alon(2.0, n, fat)
    with pytest.raises(ValueError, match="fat-shattering dimension"):
        log2_cover_alon(0.2, 10, 400)


def test_kernel_ball_stays_in_its_ball_and_is_covered():
    x = np.array([[0.0], [0.7]])
    gram = np.exp(-cdist(x, x, "sqeuclidean"))
    outputs = covers.kernel_ball_outputs(gram, 200)
    norms = np.einsum("fi,ij,fj->f", outputs, np.linalg.inv(gram), outputs)
    assert norms.max() <= 1 + 1e-9
    assert norms.max() > 0.9
    d = covers.sup_distances(outputs)
    centres = covers.greedy_cover(d, 0.25)
    assert d[centres].min(axis=0).max() <= 0.25
    assert math.log2(len(centres)) <= log2_cover_linear(0.25, 2)


# --- fat shattering ------------------------------------------------------------------------------


def test_four_functions_at_two_points():
    outputs = np.array([[0.0, 0.1], [0.1, 1.0], [0.8, 0.0], [1.0, 0.9]])
    found = fat_shattering.fat_shattered(outputs, (0, 1), 0.35)
    assert found is not None
    gaps = outputs - np.array(found.witnesses)
    assert {tuple(np.sign(g)) for g in gaps if np.all(np.abs(g) >= 0.35 - 1e-9)} == {
        (a, b) for a in (-1.0, 1.0) for b in (-1.0, 1.0)
    }
    scale = fat_shattering.largest_scale(outputs, (0, 1))
    assert scale == pytest.approx(0.35)
    assert fat_shattering.fat_shattered(outputs, (0, 1), 0.36) is None
    assert fat_shattering.fat_dimension(outputs, 0.3).points == (0, 1)
    assert len(fat_shattering.fat_dimension(outputs, 0.45).points) == 1
    assert fat_shattering.fat_dimension(outputs, 2.0).points == ()


def test_linear_functions_never_exceed_their_limit():
    """fat(g) ≤ (B·rad/g)², lemma 4.31, on all sign vectors of an orthonormal frame."""
    signs = np.array([[1.0 if i >> j & 1 else -1.0 for j in range(3)] for i in range(8)])
    outputs = signs / math.sqrt(3)  # w = signs/√3 on the unit vectors of R³
    scale = 1 / math.sqrt(3)
    assert len(fat_shattering.fat_dimension(outputs, scale * (1 - 1e-9)).points) == 3
    assert fat_linear(scale) == pytest.approx(3.0)
    with pytest.raises(ValueError, match="positive"):
        fat_shattering.fat_dimension(outputs, 0.0)


@pytest.mark.parametrize("seed", range(5))
def test_splits_of_points_behind_the_linear_limit(seed):
    """Lemmas C.8 and C.9: every split of g-shattered points is far apart, some split is near.

    For the ball of weights the largest shattered scale is the smallest over the signs of
    1/√(s'(XX')⁻¹s), since min ‖w‖ with s_i⟨w,x_i⟩ = g is g√(s'(XX')⁻¹s).
    """
    points = np.random.default_rng(seed).standard_normal((3, 6))
    radius = float(np.linalg.norm(points, axis=1).max())
    signs = np.array([[1.0 if i >> j & 1 else -1.0 for j in range(3)] for i in range(8)])
    weights = signs @ np.linalg.inv(points @ points.T) @ points  # s_i⟨w,x_i⟩ = 1
    scale = 1.0 / np.linalg.norm(weights, axis=1).max()
    outputs = (weights / np.linalg.norm(weights, axis=1, keepdims=True)) @ points.T
    assert fat_shattering.fat_shattered(outputs, range(3), scale * (1 - 1e-9)) is not None
    splits = np.linalg.norm(signs @ points, axis=1)
    assert 3 * scale - 1e-9 <= splits.min() <= math.sqrt(3) * radius + 1e-9
    assert fat_linear(scale, radius=radius) >= 3 - 1e-9


@pytest.mark.parametrize("epsilon", [0.2, 0.5, 1.0])
def test_fast_limits_hold_the_exact_numbers(epsilon):
    d = plane(3)
    low, high = metrics.covering_number(d, epsilon)
    assert low <= covers.covering_number(d, epsilon) <= high
    low, high = metrics.packing_number(d, epsilon)
    assert low <= covers.packing_number(d, epsilon) <= high
