"""What the appendix's inequalities say, against exact laws and thirty digits."""

import math
from itertools import pairwise

import mpmath as mp
import numpy as np
import pytest

import helpers_exact as exact
from mercer.bounds import numerics as nm

LOGS = [math.log(0.5), math.log(0.05), -30.0, -300 * math.log(10), -20_000.0]
ROWS = [2, 50, 10**4, 10**7]


@pytest.mark.parametrize("n", ROWS)
@pytest.mark.parametrize("log_delta", LOGS)
def test_radii_with_thirty_digits(n, log_delta):
    """Written as the texts write them, over the whole range of n and δ."""
    with mp.workdps(30):
        level, v, c = -mp.mpf(log_delta), mp.mpf("0.03"), mp.mpf(2)
        truth = {
            "hoeffding": c * mp.sqrt(level / (2 * n)),
            "two sides": c * mp.sqrt((level + mp.log(2)) / (2 * n)),
            "bernstein": mp.findroot(
                lambda e: n * e**2 - level * (2 * v + 2 * c * e / 3), mp.sqrt(level / n) + level / n
            ),
            "book": mp.findroot(
                lambda e: n * e**2 - level * (2 * v + c * e), mp.sqrt(level / n) + level / n
            ),
            "empirical": mp.sqrt(2 * v * (level + mp.log(2)) / n)
            + 7 * c * (level + mp.log(2)) / (3 * (n - 1)),
            "mcdiarmid": mp.sqrt(level * mp.mpf("0.5") / 2),
        }
    known = {"log_delta": log_delta}
    found = {
        "hoeffding": nm.hoeffding_radius(n, width=2.0, **known),
        "two sides": nm.hoeffding_radius(n, width=2.0, sides=2, **known),
        "bernstein": nm.bernstein_radius(n, variance=0.03, c=2.0, **known),
        "book": nm.bernstein_radius(n, variance=0.03, c=2.0, form="book", **known),
        "empirical": nm.empirical_bernstein_radius(n, sample_variance=0.03, width=2.0, **known),
        "mcdiarmid": nm.mcdiarmid_radius([0.5, 0.5], **known),
    }
    for name, expected in truth.items():
        assert found[name] == pytest.approx(float(expected), rel=1e-12), name
    eps = nm.bennett_radius(n, variance=0.03, c=2.0, **known)
    with mp.workdps(30):
        u = c * mp.mpf(eps) / v
        assert float(n * v / c**2 * ((1 + u) * mp.log1p(u) - u)) == pytest.approx(
            -log_delta, rel=1e-11
        )


def test_inverses_of_markov_chebyshev_and_the_two_sided_form():
    assert nm.markov_tail(0.3, nm.markov_threshold(0.3, 0.02)) == pytest.approx(0.02)
    radius = nm.chebyshev_radius(400, 0.02, 0.1)
    assert radius == pytest.approx(math.sqrt(0.1 / (400 * 0.02)))
    assert nm.chebyshev_tail(400, 0.1, radius) == pytest.approx(0.02)
    both = nm.hoeffding_radius(400, 0.02, sides=2)
    assert nm.hoeffding_tail(400, both, sides=2) == pytest.approx(0.02)
    assert both == pytest.approx(nm.hoeffding_radius(400, 0.01))
    assert nm.hoeffding_tail(1, 0.0, sides=2) == 1.0
    assert nm.chebyshev_radius(4, variance=0.0, log_delta=-5000.0) == 0.0
    assert nm.markov_threshold(1.0, log_delta=-5000.0) == math.inf
    with pytest.raises(ValueError, match="sides"):
        nm.hoeffding_radius(10, 0.1, sides=0)


@pytest.mark.parametrize("p", [0.01, 0.2, 0.5])
@pytest.mark.parametrize("n", [1, 7, 60])
def test_every_tail_is_above_the_exact_one_of_coins(p, n):
    """And they are ordered: exact, Chernoff, Bennett, Bernstein, the book's Bernstein."""
    v, c = p * (1 - p), 1 - p  # X − p is at most 1 − p
    for k in range(math.ceil(n * p + 1e-9), n + 1):
        eps = k / n - p
        if eps <= 0:
            continue
        truth = float(mp.exp(exact.log_sf(k, n, p)))
        chernoff = math.exp(nm.chernoff_log_tail(nm.log_mgf_bernoulli(p), k / n, n))
        bennett = nm.bennett_tail(n, eps, v, c)
        tails = [
            truth,
            chernoff * (1 + 1e-9),
            bennett * (1 + 1e-8),
            nm.bernstein_tail(n, eps, v, c) * (1 + 2e-8),
            nm.bernstein_tail(n, eps, v, c, form="book") * (1 + 3e-8),
        ]
        assert all(a <= b for a, b in pairwise(tails))
        assert truth <= nm.hoeffding_tail(n, eps)
        assert truth <= nm.chebyshev_tail(n, v, eps)
        assert truth <= nm.markov_tail(p, k / n)


@pytest.mark.parametrize("s", [1e-3, 0.1, 1.0, 5.0])
def test_moment_generating_functions_of_two_points(s):
    """E exp(sX) of centred two-point laws; Bennett's is attained by the most lopsided one."""
    for a, b in ((-0.5, 0.5), (-0.1, 0.9), (-1.0, 0.02)):
        p = -a / (b - a)
        log_mgf = math.log((1 - p) * math.exp(s * a) + p * math.exp(s * b))
        assert log_mgf <= nm.log_mgf_hoeffding(b - a)(s) + 1e-15
        bound = nm.log_mgf_bennett(-a * b, max(-a, b))(s)
        assert log_mgf <= bound + 1e-15
    n, rate = 10**6, 1e-6 * 3.0  # a Poisson law of mean 3, nearly: Bennett's bound is its own
    log_mgf = n * (math.log1p(rate * math.expm1(s)) - rate * s)
    assert n * nm.log_mgf_bennett(rate, 1.0)(s) == pytest.approx(log_mgf, rel=1e-3)


@pytest.mark.parametrize(("beta", "delta"), [(0.01, 0.2), (0.2, 0.05), (0.5, 0.01)])
def test_quantifier_reversal_against_the_worst_coupling(beta, delta):
    """For a share α of the hypotheses let the statement fail together, at just the lemma's level.

    Every single hypothesis must keep failing at level t with probability t, so the joint failure at
    α can be given the mass dt(α)/α, in all ∫ t'(α)/α dα. The lemma promises that this stays below
    δ; as β falls it comes close, so a level that is too generous is caught.
    """
    alpha = np.geomspace(1e-300, 1.0, 20_001)
    levels = np.exp([nm.quantifier_reversal(a, beta, delta) for a in alpha])
    middle = np.sqrt(alpha[1:]) * np.sqrt(alpha[:-1])
    mass = float(np.sum(np.diff(levels) / middle))
    assert mass <= delta
    closed = beta ** (beta / (1 - beta)) * delta ** (1 / (1 - beta))
    assert mass == pytest.approx(closed, rel=2e-3)
    if beta == 0.01:
        assert mass > 0.9 * delta


@pytest.mark.parametrize("log_delta", [math.log(0.05), -700.0, -30_000.0])
@pytest.mark.parametrize("m", [2, 1000, 10**7])
def test_quantifier_reversal_with_thirty_digits(m, log_delta):
    with mp.workdps(30):
        truth = (mp.log(mp.mpf("1e-6")) - 2 * mp.log(m) + mp.mpf(log_delta)) / (1 - mp.mpf(1) / m)
    found = nm.quantifier_reversal(1e-6 / m, 1 / m, log_delta=log_delta)
    assert found == pytest.approx(float(truth), rel=1e-12)
