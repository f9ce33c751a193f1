"""Growth functions, Cover's count and the PAC-Bayes constant."""

import math

import mpmath as mp
import pytest

from mercer.bounds.numerics import log_binom, log_cover, log_growth, log_growth_closed, log_maurer
from mercer.bounds.numerics.combinatorics import deviance, stirling_error


def test_sauer_and_cover_catalogue_values():
    assert math.exp(log_growth(100, 10)) == pytest.approx(19415908147836, rel=1e-12)
    assert math.exp(log_cover(100, 10)) == pytest.approx(3836629637040, rel=1e-12)
    for (m, d), count in {(4, 2): 8, (4, 3): 14, (10, 3): 92, (20, 5): 10072}.items():
        assert math.exp(log_cover(m, d)) == pytest.approx(count, rel=1e-12)
        assert log_cover(m, d) <= log_growth(m, d)
    assert log_growth(7, 7) == log_growth(7, 9) == 7 * math.log(2)


def exact_growth(m, d):
    """Ln Φ(m, d) in forty digits: falling terms, or 2^m less the other half."""
    if 2 * d >= m:
        return mp.log(mp.mpf(2) ** m - mp.exp(exact_growth(m, m - d - 1)))
    total = term = mp.mpf(1)
    i = d
    while i and term > total * mp.mpf(10) ** -35:
        term *= mp.mpf(i) / (m - i + 1)
        total, i = total + term, i - 1
    return mp.loggamma(m + 1) - mp.loggamma(d + 1) - mp.loggamma(m - d + 1) + mp.log(total)


@pytest.mark.parametrize("m", [1, 2, 3, 20, 101, 2000])
def test_growth_function_matches_exact_integers(m):
    with mp.workdps(40):
        for d in {0, 1, m // 3, m // 2 - 1, m // 2, m // 2 + 1, m - 2, m - 1} & set(range(m)):
            truth = mp.log(sum(math.comb(m, i) for i in range(d + 1)))
            assert float(abs(exact_growth(m, d) - truth)) < 1e-25
            assert log_growth(m, d) == pytest.approx(float(truth), rel=1e-13, abs=1e-15)


@pytest.mark.parametrize("m", [10**6, 2 * 10**7])
@pytest.mark.parametrize("d", [1, 10, 1000, 0.1, 0.49, 0.5, 0.51, 0.9, 1.0])
def test_growth_function_with_forty_digits(m, d):
    """Also beyond the middle, where the largest term is not the last one."""
    d = d if isinstance(d, int) else int(d * m) - 1
    with mp.workdps(40):
        truth = exact_growth(m, d)
    assert log_growth(m, d) == pytest.approx(float(truth), rel=1e-13)
    assert log_growth(m, d) < log_growth_closed(m, d)
    assert log_growth(m, d) <= m * math.log(2)


@pytest.mark.parametrize("m", [1, 2, 7, 8, 100, 1000, 5000])
def test_maurer_constant_is_the_defining_sum(m):
    with mp.workdps(40):
        total = mp.mpf(0)
        for k in range(m + 1):
            q = mp.mpf(k) / m
            total += mp.binomial(m, k) * q**k * (1 - q) ** (m - k)
        assert log_maurer(m) == pytest.approx(float(mp.log(total)), rel=1e-12)


@pytest.mark.parametrize("m", [10**5, 10**6, 10**7])
def test_maurer_constant_for_large_samples(m):
    asymptotic = math.sqrt(math.pi * m / 2) + 2 / 3 + math.sqrt(2 * math.pi / m) / 24
    assert math.exp(log_maurer(m)) == pytest.approx(asymptotic, rel=1e-8)
    assert 0.5 * math.log(m) <= log_maurer(m) <= math.log(2 * math.sqrt(m))


@pytest.mark.parametrize("x", [0.5, 1.0, 3.7, 15.99, 16.0, 250.0, 1e7])
def test_stirling_error(x):
    with mp.workdps(40):
        truth = (
            mp.loggamma(mp.mpf(x) + 1) - (mp.mpf(x) + 0.5) * mp.log(x) + x - mp.log(2 * mp.pi) / 2
        )
        assert stirling_error(x) == pytest.approx(float(truth), abs=2e-14)


@pytest.mark.parametrize(
    ("x", "y"), [(3.0, 3.0), (1e6, 1e6 + 1e-3), (5.0, 5.5), (2.0, 90.0), (0.0, 4.0)]
)
def test_deviance(x, y):
    with mp.workdps(60):
        a, b = mp.mpf(x), mp.mpf(y)
        truth = (a * mp.log(a / b) if x else 0) - a + b
        assert deviance(x, y) == pytest.approx(float(truth), rel=1e-9, abs=1e-30)


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="zero"):
        log_binom(3, 4)
    with pytest.raises(ValueError, match="closed form"):
        log_growth_closed(3, 4)
    with pytest.raises(ValueError, match="at least 1"):
        log_maurer(0)
    with pytest.raises(ValueError, match="Cover"):
        log_cover(0, 1)
