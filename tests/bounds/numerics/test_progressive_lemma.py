"""The lemma behind the exact limit of the best progressive model, and the step its proof rests on.

The proof is in docs/theory/progressive-minimum.md.
"""

import numpy as np
import pytest
from scipy.special import digamma
from scipy.stats import binom

from mercer.bounds.numerics import clopper_upper


@pytest.mark.parametrize("delta", [0.001, 0.05, 0.5, 0.9])
@pytest.mark.parametrize("m", [1, 2, 3, 7, 20, 41])
def test_the_chance_of_staying_below_does_not_fall_with_k(m, delta):
    k = np.arange(m + 1)
    limits = np.array([clopper_upper(int(i), m, delta) for i in k])
    for r in range(m):
        for s in range(m - r + 1):  # more errors than rows seen cannot be
            chance = binom.cdf(k - s, r, limits)
            assert np.all(np.diff(chance) >= -1e-9)


def stein(a, b, u):
    """∫_u^1 (logit t − mean) f(t) dt / f(u) for Beta(a, b), in the variable logit t.

    The integral over everything is zero, so the smaller side is integrated.
    """
    start, mean = np.log(u) - np.log1p(-u), digamma(a) - digamma(b)
    sign, rate = (1, b) if start > mean else (-1, a)
    y = start + sign * np.linspace(0.0, 60.0 / min(1.0, rate), 60_001)
    log_g = a * y - (a + b) * np.logaddexp(0.0, y)
    total = np.trapezoid((y - mean) * np.exp(log_g - log_g[0]), y)
    return u * (1 - u) * float(total)


@pytest.mark.parametrize("u", [0.02, 0.3, 0.7, 0.95])
def test_the_rate_of_change_falls_in_both_parameters(u):
    grid = [0.6, 1.0, 1.7, 4.0, 11.0]
    table = np.array([[stein(a, b, u) for b in grid] for a in grid])
    assert np.all(np.diff(table, axis=0) < 1e-9)
    assert np.all(np.diff(table, axis=1) < 1e-9)
