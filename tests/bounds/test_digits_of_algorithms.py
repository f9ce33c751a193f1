"""PAC-Bayes, compression, mistakes and stability in thirty digits, from few rows to ten million.

Each formula is written again from the text in `mpmath`, at failure probabilities from 1/2 down to
10^-300 and, by its logarithm, 10^-5000.
"""

import math

import mpmath as mp
import numpy as np
import pytest

from mercer.bounds import Compression, Evidence, Mistakes, Posterior, Vote, get
from mercer.bounds.compression import lossless, lossless_relaxed, lossy, lossy_explicit
from mercer.bounds.margin_pacbayes import cap_price, gaussian_gibbs
from mercer.bounds.mistakes import mistake_bound
from mercer.bounds.numerics.level import Level
from mercer.bounds.pacbayes import pac_bayes_kl
from mercer.bounds.pacbayes_classic import (
    best_lambda,
    catoni,
    gibbs_subset,
    mcallester,
    pac_bayes_lambda,
    pinsker,
)
from mercer.bounds.stability import stability_width, svc_corollary_as_printed
from mercer.bounds.stability_loo import hypothesis_width, loo_width, ridge_beta
from mercer.bounds.votes import _joint_budget, worst_c_bound

ROWS = (2, 9, 100, 5_000, 10**5, 10**7)
LEVELS = (math.log(0.5), math.log(0.05), -25.0, -300 * math.log(10.0), -5000 * math.log(10.0))
CASES = [pytest.param(m, level, id=f"{m}-{level:.3g}") for m in ROWS for level in LEVELS]


def assert_same(found, expected, rel=2e-12):
    assert found == pytest.approx(float(expected), rel=rel), (found, expected)


def ln(x):
    return mp.log(mp.mpf(x))


@pytest.fixture(autouse=True)
def thirty_digits():
    with mp.workdps(30):
        yield


def log_comb(m, d):
    m = mp.mpf(m)
    return mp.loggamma(m + 1) - mp.loggamma(mp.mpf(d) + 1) - mp.loggamma(m - d + 1)


@pytest.mark.parametrize(("m", "log"), CASES)
def test_pac_bayes(m, log):
    level, L = Level.from_log(log), -mp.mpf(log)
    for kl in (0.0, 1e-3, 13.8, 0.3 * m):
        K = mp.mpf(kl)
        assert_same(gibbs_subset(0.0, kl, m, level), (K + 2 * ln(m) + L + 1) / m)
        for rate in (1e-9, 0.1, 1.0):
            r = mp.mpf(rate)
            assert_same(
                gibbs_subset(rate, kl, m, level),
                r + mp.sqrt((K + 2 * ln(m) + L) / (2 * m)) + mp.mpf(1) / m,
            )
        for rate in (0.0, 1e-9, 0.1, 1.0):
            r = mp.mpf(rate)
            assert_same(
                mcallester(rate, kl, m, level), r + mp.sqrt((K + ln(m) + L + 2) / (2 * m - 1))
            )
            price = K + ln(2) + ln(m) / 2 + L
            assert_same(pinsker(rate, kl, m, level), r + mp.sqrt(price / (2 * m)))
            B = price / m
            assert_same(pinsker(rate, kl, m, level, refined=True), r + mp.sqrt(2 * r * B) + 2 * B)
            for c in (1e-3, 1.0, 20.0):
                C = mp.mpf(c)
                top = -mp.expm1(-(C * r + (K + L) / m))
                assert_same(catoni(rate, kl, m, level, c), top / -mp.expm1(-C))
            lam = best_lambda(rate, kl, m, level)
            assert_same(lam, 2 / (mp.sqrt(2 * m * r / price + 1) + 1))
            v = mp.mpf(lam)
            assert_same(
                pac_bayes_lambda(rate, kl, m, level, lam),
                r / (1 - v / 2) + price / (m * v * (1 - v / 2)),
            )
        consistent = get("consistent-gibbs")().evaluate(
            Evidence(m, posterior=Posterior(m, 0.0, kl)), log_delta=log
        )
        assert_same(consistent.unclipped, -mp.expm1(-(K + L) / m))


def kl_of_coins(q, p):
    first = q * mp.log(q / p) if q else mp.mpf(0)
    return first + ((1 - q) * mp.log((1 - q) / (1 - p)) if q < 1 else mp.mpf(0))


def xi(m):
    """(m!/m^m)·Σ_{k≤m} m^k/k! as an incomplete gamma function."""
    m = mp.mpf(m)
    with mp.workdps(40):
        tail = mp.gammainc(m + 1, m) * mp.exp(m - m * mp.log(m))
    return tail


@pytest.mark.parametrize(("m", "log"), [c for c in CASES if c.values[0] <= 10**5])
@pytest.mark.parametrize("constant", ["exact", "maurer", "langford"])
def test_relative_entropy_form(m, log, constant):
    """The limit found is where the 30-digit divergence meets the budget."""
    L = -mp.mpf(log)
    C = {"exact": xi(m), "maurer": 2 * mp.sqrt(m), "langford": mp.mpf(m) + 1}[constant]
    for kl, rate in ((0.0, 0.0), (5.0, 0.1), (0.05 * m, 0.4)):
        budget = (mp.mpf(kl) + mp.log(C) + L) / m
        found = mp.mpf(pac_bayes_kl(rate, kl, m, Level.from_log(log), constant=constant))
        if 1 - found < mp.mpf(10) ** -10:
            assert kl_of_coins(mp.mpf(rate), 1 - mp.mpf(10) ** -10) <= budget
            continue
        slope = (found - rate) / (found * (1 - found))
        miss = (kl_of_coins(mp.mpf(rate), found) - budget) / slope
        assert abs(miss) <= 1e-11 * found


@pytest.mark.parametrize(("m", "log"), [c for c in CASES if c.values[0] > 2])
def test_gaussian_around_the_weights(m, log):
    """At every scale the limit is where the divergence meets (μ²/2 + ln(ξ(m)/δ))/m."""
    margins = np.array([-0.2, 0.05, 0.4, 1.0])
    for mu in (0.3, 5.0, 40.0):
        found, scale, risk = gaussian_gibbs(margins, m, log, mu=mu)
        assert scale == pytest.approx(mu)
        exact = mp.fsum(mp.erfc(mp.mpf(mu) * mp.mpf(g) / mp.sqrt(2)) / 2 for g in margins) / 4
        assert_same(risk, exact)
        budget = (mp.mpf(mu) ** 2 / 2 + mp.log(xi(m)) - mp.mpf(log)) / m
        q = mp.mpf(found)
        if 1 - q < mp.mpf(10) ** -10:
            assert kl_of_coins(exact, 1 - mp.mpf(10) ** -10) <= budget
            continue
        slope = (q - exact) / (q * (1 - q))
        assert abs(kl_of_coins(exact, q) - budget) / slope <= 1e-10 * q


@pytest.mark.parametrize(
    ("joint", "differ", "m"), [(0.05, 0.3, 1000), (0.01, 0.1, 10**5), (0.002, 0.03, 10**7)]
)
def test_c_bound(joint, differ, m):
    """The maximum over the ball, by two nested searches in 30 digits."""
    budget = (3 + mp.log((xi(m) + m) / mp.mpf("0.05"))) / m
    e0, d0 = mp.mpf(joint), mp.mpf(differ)

    def distance(e, d):
        pairs = ((e0, e), (d0, d), (1 - e0 - d0, 1 - e - d))
        return mp.fsum(a * mp.log(a / b) for a, b in pairs)

    def largest(d):
        low = e0 * (1 - d) / (1 - d0)  # the nearest point with this d
        if distance(low, d) > budget:
            return mp.mpf(-1)
        high = (1 - d) / 2
        for _ in range(60):
            e = (low + high) / 2
            low, high = (e, high) if distance(e, d) <= budget else (low, e)
        return 1 - (1 - 2 * low - d) ** 2 / (1 - 2 * d)

    width = mp.sqrt(2 * budget)
    low, high = max(d0 - width * mp.sqrt(d0), d0 / 100), d0 + width * mp.sqrt(d0)
    for _ in range(80):
        a, b = low + (high - low) / 3, high - (high - low) / 3
        low, high = (a, high) if largest(a) < largest(b) else (low, b)
    assert_same(worst_c_bound(joint, differ, float(budget)), largest((low + high) / 2), 1e-9)


@pytest.mark.parametrize(("m", "log"), CASES)
def test_spherical_caps(m, log):
    """In three dimensions a cap of angle θ has the share (1 − cos θ)/2, in two dimensions θ/π."""
    L = -mp.mpf(log)
    for gamma in (1e-5, 0.3, 0.999, 1.0):
        g = mp.mpf(gamma)
        x = 1 - mp.sqrt(1 - g * g) if gamma > 1e-3 else g * g / (1 + mp.sqrt(1 - g * g))
        for d, cap in ((2, mp.asin(g) / mp.pi), (3, x / 2)):
            assert_same(cap_price(d, gamma, m, log, "consistent"), -mp.log(cap) + L)
            assert_same(cap_price(d, gamma, m, log, "exact-cap"), -mp.log(cap) + L + 2 * ln(m) + 1)
            assert_same(cap_price(d, gamma, m, log, "book"), -d * mp.log(x) + 2 * ln(m) + L + 2)


@pytest.mark.parametrize(("m", "log"), CASES)
def test_compression(m, log):
    level, L = Level.from_log(log), -mp.mpf(log)
    for d in {0, 1, m // 3, m - 1}:
        sets, orders = log_comb(m, d), mp.loggamma(mp.mpf(d) + 1)
        assert_same(lossless(m, d, level), (sets + ln(m) + L) / (m - d), 1e-10)
        assert_same(
            lossless(m, d, level, ordered=True), (sets + orders + ln(m) + L) / (m - d), 1e-10
        )
        named = d * (ln(m) - ln(d) + 1) if d else 0
        assert_same(lossless_relaxed(m, d, level), mp.mpf(2) / m * (named + ln(m) + L))
        for k in {0, (m - d) // 4}:
            left = mp.mpf(m - d)
            radius = mp.sqrt((sets + 2 * ln(m) + L) / (2 * left))
            assert_same(lossy(m, d, k, level), k / left + radius, 1e-10)
            price = sets + log_comb(m - d, k) + 2 * ln(m) + L
            assert_same(lossy_explicit(m, d, k, level), -mp.expm1(-price / (left - k)), 1e-10)
        for bits in (0.0, 7.0):
            kept = Evidence(m, compression=Compression(m, d, bits=bits))
            found = get("compression")().evaluate(kept, log_delta=log).unclipped
            price = sets + ln(m) + bits * mp.log(2) + L
            assert_same(found, -mp.expm1(-price / (m - d)), 1e-10)
    assert lossless(m, m, level) == lossy(m, m, 0, level) == math.inf
    assert lossy_explicit(m, m - 1, 1, level) == 1.0


@pytest.mark.parametrize(("m", "log"), [c for c in CASES if 100 <= c.values[0] <= 10**5])
def test_compression_with_errors_outside(m, log):
    """The binomial tail at the limit, summed term by term, is the share of δ of one message."""
    for d, k in ((0, 3), (m // 10, 5)):
        kept = Evidence(m, compression=Compression(m, d, k))
        p = mp.mpf(get("compression")().evaluate(kept, log_delta=log).unclipped)
        if 1 - p < mp.mpf(10) ** -12:
            continue
        left = m - d
        tail = mp.fsum(
            mp.exp(log_comb(left, i) + i * mp.log(p) + (left - i) * mp.log1p(-p))
            for i in range(k + 1)
        )
        share = mp.mpf(log) - ln(m) - log_comb(m, d)
        slope = (left - k) / (1 - p)  # of the logarithm of the tail, roughly
        assert abs(mp.log(tail) - share) / slope <= 1e-9 * p


@pytest.mark.parametrize(("m", "log"), CASES)
def test_mistakes(m, log):
    level, L = Level.from_log(log), -mp.mpf(log)
    for limit in {0.0, 1.0, 0.4 * m}:
        M = mp.mpf(limit)
        assert_same(mistake_bound(m, limit, level), mp.mpf(2) / m * (M * (1 + ln(m)) + ln(m) + L))
        kept = math.ceil(limit)
        run = Evidence(m, mistakes=Mistakes(m, kept, limit=limit))
        expected = -mp.expm1(-(log_comb(m, kept) + ln(m) + L) / (m - kept))
        for code in ("mistake-sparsity", "mistake-compression"):
            assert_same(get(code)().evaluate(run, log_delta=log).unclipped, expected, 1e-10)
        loose = Evidence(m, mistakes=Mistakes(m, kept, limit=limit, in_order=False))
        orders = log_comb(m, kept) + mp.loggamma(mp.mpf(kept) + 1)
        expected = -mp.expm1(-(orders + ln(m) + L) / (m - kept))
        for code in ("mistake-sparsity", "mistake-compression"):
            assert_same(get(code)().evaluate(loose, log_delta=log).unclipped, expected, 1e-10)


@pytest.mark.parametrize(("m", "log"), CASES)
def test_stability(m, log):
    level, L = Level.from_log(log), -mp.mpf(log)
    for lam in (1e-6, 0.1, 3.0):
        v = mp.mpf(lam)
        for kappa2, b in ((1.0, 1.0), (0.3, 7.0)):
            beta = mp.mpf(kappa2) / (2 * v * m)
            for constant, factor in (("sharp", mp.mpf(1) / 2), ("book", mp.mpf(2))):
                width = 2 * beta + (4 * m * beta + b) * mp.sqrt(factor * L / m)
                assert_same(stability_width(m, float(beta), b, level, constant=constant), width)
                assert_same(loo_width(m, float(beta), b, level, constant=constant), width - beta)
            assert_same(ridge_beta(b, kappa2, lam, m), 2 * mp.mpf(b) * mp.mpf(kappa2) / (v * m))
            if -log < 1000:
                spread = (mp.mpf(b) ** 2 + 6 * b * m * beta) / (2 * m)
                assert_same(hypothesis_width(m, level, b, float(beta)), mp.sqrt(spread * mp.exp(L)))
                spread = (mp.mpf(b) ** 2 + 12 * b * m * beta) / (2 * m)
                assert_same(
                    hypothesis_width(m, level, b, float(beta), loo=False),
                    mp.sqrt(spread * mp.exp(L)),
                )
        printed = (2 + 1 / v) / m + 2 * (1 + v) / v * mp.sqrt(L / m)
        assert_same(svc_corollary_as_printed(2.0, m, lam, level), printed)


@pytest.mark.parametrize("m", [1, 2, 3, 6, 12])
def test_what_pairs_of_voters_pay_for_all_weighings(m):
    """ξ(m) + m is the sum over all counts of three outcomes of their likelihood at their rates."""
    total = mp.mpf(0)
    for i in range(m + 1):
        for j in range(m + 1 - i):
            ways = math.factorial(m) // (
                math.factorial(i) * math.factorial(j) * math.factorial(m - i - j)
            )
            term = mp.mpf(ways)
            for k in (i, j, m - i - j):
                term *= (mp.mpf(k) / m) ** k if k else 1
            total += term
    assert_same(xi(m) + m, total)
    assert_same(
        _joint_budget(Vote(m, 0.2, kl=1.5), Level(0.05)), (3 + mp.log(total / mp.mpf("0.05"))) / m
    )


def test_names_of_constants_are_checked():
    for call in (
        lambda: pac_bayes_kl(0.1, 1.0, 50, 0.05, constant="seeger"),
        lambda: stability_width(50, 0.1, 1.0, 0.05, constant="half"),
        lambda: get("gaussian-margin")(constant="seeger").evaluate(
            Evidence(50, margins=np.ones(1), norm=1.0, point_norms=np.ones(1))
        ),
    ):
        with pytest.raises(ValueError, match="constant must be one of"):
            call()
