"""Covers and the bounds that use them, against 40-digit arithmetic up to ten million rows."""

import mpmath as mp
import pytest

from mercer.bounds import numerics as nm

ROWS = [1, 17, 1000, 10**5, 10**7]
EPSILONS = [0.0031, 0.053, 0.51, 2.0]  # away from whole numbers of steps


@pytest.fixture(autouse=True)
def forty_digits():
    with mp.workdps(40):
        yield


@pytest.mark.parametrize("n", ROWS)
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_covers(n, epsilon):
    eps = mp.mpf(epsilon)
    steps = int(mp.floor((mp.mpf(1.5) / eps) ** 2))
    exact = mp.log(mp.binomial(2 * n + steps, steps), 2)
    assert nm.log2_cover_linear(epsilon, n, ball=1.5) == pytest.approx(float(exact), rel=1e-11)
    ratio = mp.mpf(1.5) / eps
    zhang = 36 * ratio**2 * mp.log(2 * mp.ceil(4 * ratio + 2) * n + 1, 2)
    assert nm.log2_cover_zhang(epsilon, n, radius=1.5) == pytest.approx(float(zhang), rel=1e-12)
    if epsilon < 1:
        fat = min(n, 7)
        first = mp.log(2 * mp.e * n / (fat * eps), 2)
        alon = 1 + fat * first * mp.log(4 * n / eps**2, 2)
        assert nm.log2_cover_alon(epsilon, n, fat) == pytest.approx(float(alon), rel=1e-12)


@pytest.mark.parametrize("m", ROWS)
@pytest.mark.parametrize("delta", [0.5, 0.05, 1e-12])
def test_bounds_from_covers(m, delta):
    level = mp.mpf(delta)
    exact = mp.mpf(2) / m * (41 + mp.log(2 * mp.ceil(mp.mpf(m) / 2) / level, 2))
    assert nm.cover_bound(40.3, m, delta) == pytest.approx(float(exact), rel=1e-12)
    if m > 1:
        fat = mp.mpf("1.7")
        core = mp.ceil(fat * mp.log(8 * mp.e * m / fat, 2) * mp.log(32 * m, 2))
        exact = mp.mpf(2) / m * (core + mp.log(2 * m / level, 2))
        assert nm.fat_bound(1.7, m, delta) == pytest.approx(float(exact), rel=1e-12)
    assert nm.fat_bound(2.0 * m + 1, m, delta) == float("inf")


def test_bad_scales():
    for bad in (0.0, -1.0, float("nan")):
        with pytest.raises(ValueError, match="epsilon"):
            nm.log2_cover_linear(bad, 10)
        with pytest.raises(ValueError, match="scale"):
            nm.fat_linear(bad)
