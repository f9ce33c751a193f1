"""Equal inputs: the exponent against sums, the limits against exact laws of one heavy input."""

import math

import numpy as np
import pytest
from scipy.stats import binom, poisson

from mercer.bounds.numerics.collisions import _RATES, _exponent, collision_upper, hash_radius


@pytest.mark.parametrize("s", [1e-3, 0.3, 2.0, 15.0, 300.0])
def test_the_exponent_is_that_of_a_poisson_number(s):
    """E exp(−λ(N − 1)⁺) = exp(−ψ_λ(s)), N Poisson with mean s."""
    k = np.arange(0, 2000)
    for rate, psi in zip(_RATES[::24], _exponent(s)[::24], strict=True):
        direct = np.sum(poisson.pmf(k, s) * np.exp(-rate * np.maximum(k - 1, 0)))
        assert psi == pytest.approx(-math.log(direct), rel=1e-6, abs=1e-12)


def test_the_exponent_grows_slower_than_a_square():
    """So one heavy input is the worst law of given c (the step the proof rests on)."""
    s = np.geomspace(1e-2, 500, 60)
    ratio = np.array([_exponent(v) / v**2 for v in s])
    assert np.all(np.diff(ratio, axis=0) <= 1e-9 * ratio[:-1])


@pytest.mark.parametrize(("n", "delta"), [(60, 0.05), (400, 0.005), (3000, 0.001)])
@pytest.mark.parametrize("repeated", [0, 1, 4, 30])
def test_one_heavy_input_rarely_repeats_so_seldom(n, delta, repeated):
    """At the limit, the law with one input of weight √c shows so few repetitions with prob ≤ δ."""
    pairs = repeated * (repeated + 1) // 2
    c = collision_upper(n, repeated, n * (n - 1) // 2, delta)  # the limit by repetitions alone
    assert binom.cdf(repeated + 1, n, math.sqrt(c)) <= delta
    assert collision_upper(n, repeated, pairs, delta) <= c


def test_the_limit_grows_with_what_repeats_and_with_confidence():
    limits = [collision_upper(200, r, r, 0.05) for r in (0, 1, 5, 40, 199)]
    assert limits == sorted(limits)
    assert collision_upper(200, 3, 3, 0.001) > collision_upper(200, 3, 3, 0.05)
    assert collision_upper(1, 0, 0, 0.05) == 1.0
    assert collision_upper(50, 49, 1225, 0.05) == 1.0
    with pytest.raises(ValueError, match="repeated rows"):
        collision_upper(10, 11, 0, 0.05)


def test_the_price_of_a_hash_is_hoeffdings():
    assert hash_radius(0.02, 0.01) == pytest.approx(math.sqrt(0.01 * math.log(100)))
    assert hash_radius(0.0, 0.01) == 0.0
    with pytest.raises(ValueError, match="c must"):
        hash_radius(1.5, 0.01)
