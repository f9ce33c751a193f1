"""The steps of docs/theory/own-proofs.md that can be computed, against brute force."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.stats import binom, hypergeom

from mercer.bounds import Evidence, get
from mercer.bounds.numerics import cover_bound, log2_cover_linear, log2_cover_zhang
from mercer.bounds.vc import split_width


def steps(w, X, epsilon, rho):
    """The lemma's construction: the multiset of steps, as signed row numbers."""
    v, made = np.zeros(X.shape[1]), []
    while True:
        gaps = X @ (w - v)
        worst = int(np.abs(gaps).argmax())
        if abs(gaps[worst]) <= epsilon:
            return v, sorted(made)
        s = math.copysign(1.0, gaps[worst])
        v = v + s * epsilon / rho**2 * X[worst]
        made.append((worst, s))


@pytest.mark.parametrize("ratio", [1.0, 2.0, math.sqrt(10.0), 6.0])
def test_fewer_steps_than_the_squared_ratio(ratio):
    """Adversarial rows: orthogonal ones, where a unit vector needs the most steps, and random."""
    rng = np.random.default_rng(0)
    k = math.ceil(ratio**2)
    for X in (np.eye(k), rng.normal(size=(30, 5))):
        rho = float(np.linalg.norm(X, axis=1).max())
        for _ in range(50):
            w = rng.normal(size=X.shape[1])
            w = np.ones(k) / math.sqrt(k) if X.shape[0] == k else w / np.linalg.norm(w)
            v, made = steps(w, X, rho / ratio, rho)
            assert np.abs(X @ (w - v)).max() <= rho / ratio
            assert len(made) <= max(0, math.ceil(ratio**2 - 1e-9) - 1)


def test_the_cover_of_a_grid_of_functions_is_within_the_count():
    """Every multiset that occurs, over a dense set of functions in the plane, is counted."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(3, 2))
    X /= np.linalg.norm(X, axis=1)[:, None]
    found = set()
    for angle in np.linspace(0, 2 * math.pi, 4000):
        for length in (0.3, 0.7, 1.0):
            w = length * np.array([math.cos(angle), math.sin(angle)])
            found.add(tuple(steps(w, X, 1 / math.sqrt(3.0), 1.0)[1]))
    assert len(found) <= 2 ** log2_cover_linear(1 / math.sqrt(3.0), 3)


def test_one_cover_serves_all_margins_of_a_stratum():
    """Margins that share T are strictly above 2ρ/√(T+1), where T+1 steps are never reached."""
    for gamma in np.linspace(0.05, 1.0, 997):
        T = math.floor(4.0 / gamma**2 * (1 + 1e-12))
        lowest = 2.0 / math.sqrt(T + 1)
        assert gamma > lowest
        assert (1.0 / (lowest / 2.0)) ** 2 == pytest.approx(T + 1)


def test_612_rows():
    """By exact arithmetic; in doubles 4·10 is 39.999..., and a step must not be lost to that."""

    def value(m):
        size = math.comb(4 * m + 40, 40)
        d = (size - 1).bit_length()  # the ceiling of the base-2 logarithm
        return Fraction(2, m) * d + 2 / m * math.log2(2 * math.ceil(m / 2) / 0.05)

    assert value(612) < 1 < value(611)
    evidence = Evidence(612, errors=0, margins=[10**-0.5], norm=1.0, radius=1.0)
    assert get("margin-cover")().evaluate(evidence).unclipped == pytest.approx(float(value(612)))
    assert cover_bound(log2_cover_linear(0.5 * 10**-0.5, 2 * 611), 611, 0.05) > 1


def test_zhangs_form_is_above_for_every_choice():
    rng = np.random.default_rng(2)
    for ratio, n in product(np.geomspace(0.1, 200, 40), rng.integers(1, 10**6, 20)):
        assert log2_cover_linear(1 / ratio, int(n)) <= log2_cover_zhang(1 / ratio, int(n))
        T = math.floor(ratio**2)
        assert log2_cover_linear(1 / ratio, int(n)) <= (T + 1e-9) * math.log2(2 * n + 1) * (
            1 + 1e-12
        )


def test_the_median_of_a_binomial():
    for m, p in product((1, 2, 3, 7, 20, 101), np.linspace(0, 1, 203)):
        assert binom.sf(math.floor(m * p + 1e-12) - 1, m, p) >= 0.5 - 1e-12


def test_serflings_inequality_for_halves():
    """m of 2m without replacement: exact hypergeometric tails stay below the exponent used."""
    for m in (1, 2, 5, 12, 40):
        for errors in range(2 * m + 1):
            mean = errors / (2 * m)
            for seen in range(max(0, errors - m), min(m, errors) + 1):
                t = mean - seen / m
                if t > 0:
                    exact = hypergeom.cdf(seen, 2 * m, errors, m)
                    assert exact <= math.exp(-4 * m * m * t * t / (m + 1)) * (1 + 1e-9)


@pytest.mark.parametrize("m", [2, 10, 100, 10_000])
def test_vapniks_width_is_not_below_where_it_should_not_be(m):
    for growth in np.linspace(0.0, 3.0 * m, 50):
        for delta in (0.3, 1e-6):
            vapnik = math.sqrt((growth + math.log(4 / delta)) / m)
            if growth + math.log(2 / delta) <= m * math.log(2.0):
                assert vapnik >= split_width(m, growth, delta) - 1e-12
            else:
                assert min(vapnik, split_width(m, growth, delta)) > 0.83
    crowded = Evidence(60, errors=0, dimension=12)
    additive, split = (get(code)(growth="closed").evaluate(crowded) for code in _BOTH)
    assert additive.unclipped >= split.unclipped


_BOTH = ("vc-additive", "vc-split")


def test_consistent_rules_have_mean_one():
    """E 1[no error](1−R)^−m = 1, the heart of the bound for consistent posteriors."""
    for m, R in product((1, 5, 30), (0.0, 0.1, 0.9)):
        assert binom.pmf(0, m, R) * (1 - R) ** -m == pytest.approx(1.0)


def test_the_c_bound_is_concave():
    rng = np.random.default_rng(3)

    def c(e, d):
        return 1 - (1 - 2 * e - d) ** 2 / (1 - 2 * d)

    for _ in range(2000):
        (e1, e2), (d1, d2) = rng.uniform(0, 0.25, 2), rng.uniform(0, 0.45, 2)
        middle = c((e1 + e2) / 2, (d1 + d2) / 2)
        assert middle >= 0.5 * (c(e1, d1) + c(e2, d2)) - 1e-12
