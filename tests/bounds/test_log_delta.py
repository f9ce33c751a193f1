"""Failure probabilities far below the smallest double, as shares of δ over many strata are."""

import json
import math
import pickle

import mpmath
import numpy as np
import pytest

from mercer.bounds import (
    Certificate,
    Compression,
    Evidence,
    HoldOut,
    Mistakes,
    NotApplicable,
    Pool,
    Posterior,
    assess,
    available,
    best_of,
    curve,
    get,
)
from mercer.bounds.numerics import (
    betting_interval,
    clopper_upper,
    split_delta,
    sum_of_rates_upper,
)
from mercer.bounds.numerics.level import Level

TINY = -10000 * math.log(10.0)
CASES = [
    pytest.param(cls(), evidence, id=f"{code}-{i}")
    for code, cls in available().items()
    for i, evidence in enumerate(cls.examples())
]


@pytest.mark.parametrize(("bound", "evidence"), CASES)
def test_every_bound_takes_the_logarithm(bound, evidence):
    usual = bound.evaluate(evidence, 0.03)
    by_log = bound.evaluate(evidence, log_delta=math.log(0.03))
    assert by_log.unclipped == pytest.approx(usual.unclipped, rel=1e-12)
    values = [usual.unclipped]
    for power in (100, 400, 10000):
        try:
            c = bound.evaluate(evidence, log_delta=-power * math.log(10.0))
        except NotApplicable:
            assert bound.code == "holdout-quantile"  # a rank: so few rows have none that high
            continue
        assert not math.isnan(c.unclipped)
        values.append(c.unclipped)
        if bound.kind == "estimate":
            continue
        assert c.ledger.total.log == pytest.approx(-power * math.log(10.0), rel=1e-12)
        again = Certificate.from_dict(json.loads(json.dumps(c.to_dict(), allow_nan=False)))
        assert again == c
        assert again.recompute() == c
        assert f"1e-{power}" in c.explain() or c.kind == "conditional"
        assert "100 % confidence" not in c.explain()
    assert values == sorted(values)


def _kl_upper(q, c):
    """The largest p with kl(q‖p) ≤ c, by bisection in 60 digits."""
    q, c = mpmath.mpf(q), mpmath.mpf(c)
    low, high = q, mpmath.mpf(1)
    for _ in range(250):
        p = (low + high) / 2
        value = q * mpmath.log(q / p) + (1 - q) * mpmath.log((1 - q) / (1 - p))
        low, high = (p, high) if value < c else (low, p)
    return low


def _binomial_upper(k, m, log_delta):
    """Where P(Bin(m, p) ≤ k) falls to e^log_delta."""
    low, high = mpmath.mpf(k) / m, mpmath.mpf(1)
    for _ in range(120):
        p = (low + high) / 2
        total = mpmath.fsum(mpmath.binomial(m, i) * p**i * (1 - p) ** (m - i) for i in range(k + 1))
        low, high = (p, high) if mpmath.log(total) > log_delta else (low, p)
    return low


def _growth(m, d):
    return mpmath.log(mpmath.fsum(mpmath.binomial(m, i) for i in range(d + 1)))


def _xi(m):
    terms = (
        mpmath.binomial(m, k) * (mpmath.mpf(k) / m) ** k * (1 - mpmath.mpf(k) / m) ** (m - k)
        for k in range(m + 1)
    )
    return mpmath.log(mpmath.fsum(terms))


M = 40_000
TRUTH = {
    "vc": (
        Evidence(M, errors=100, dimension=10),
        lambda L: (
            mpmath.mpf(100) / M + mpmath.sqrt(8 * (mpmath.log(4) - L + _growth(2 * M, 10)) / M)
        ),
    ),
    "vc-zero-error": (
        Evidence(M, errors=0, dimension=10),
        lambda L: 2 * (_growth(2 * M, 10) + mpmath.log(2) - L) / mpmath.log(2) / M,
    ),
    "finite-class": (
        Evidence(M, errors=3, log_class_size=50.0),
        lambda L: _binomial_upper(3, M, L - 50),
    ),
    "holdout": (
        Evidence(M, holdout=HoldOut(M, errors=5)),
        lambda L: _binomial_upper(5, M, L),
    ),
    "compression": (
        Evidence(M, compression=Compression(M, 50, 0)),
        lambda L: 1 - mpmath.exp((L - mpmath.log(M * mpmath.binomial(M, 50))) / (M - 50)),
    ),
    "mistake-bound": (
        Evidence(M, errors=0, mistakes=Mistakes(M, 21, limit=25.0)),
        lambda L: 2 * (25 * (1 + mpmath.log(M)) + mpmath.log(M) - L) / M,
    ),
    "catoni": (
        Evidence(M, posterior=Posterior(M, 0.1, 5.0)),
        lambda L: (1 - mpmath.exp(-(mpmath.mpf(0.1) + (5 - L) / M))) / (1 - mpmath.exp(-1)),
    ),
    "consistent-gibbs": (
        Evidence(M, posterior=Posterior(M, 0.0, 5.0)),
        lambda L: 1 - mpmath.exp(-(5 - L) / M),
    ),
    "mcallester": (
        Evidence(M, posterior=Posterior(M, 0.1, 5.0)),
        lambda L: mpmath.mpf(0.1) + mpmath.sqrt((5 + mpmath.log(M) - L + 2) / (2 * M - 1)),
    ),
    "stability": (
        Evidence(M, loss="hinge", margins=np.full(3, 0.5), radius=1.0, C=1 / (2 * M)),
        lambda L: mpmath.mpf(0.5) + mpmath.mpf(1) / M + 3 * mpmath.sqrt(-L / (2 * M)),
    ),
    "cap-margin": (
        Evidence(M, errors=0, margins=np.full(3, 0.6), norm=1.0, point_norms=np.ones(3), rank=3),
        # a cap of the sphere in three dimensions holds the share (1 − cos θ)/2
        lambda L: 2 * (1 - mpmath.exp((mpmath.log(mpmath.mpf("0.1")) + L) / M)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("code", TRUTH)
@pytest.mark.parametrize("power", [400, 10000])
def test_values_against_sixty_digits(code, power):
    evidence, formula = TRUTH[code]
    level = -power * math.log(10.0)
    with mpmath.workdps(60):
        expected = float(formula(mpmath.mpf(level)))
    assert get(code)().evaluate(evidence, log_delta=level).unclipped == pytest.approx(
        expected, rel=1e-11
    )


def test_relative_entropy_form_against_sixty_digits():
    m = 2000
    evidence = Evidence(m, posterior=Posterior(m, 0.1, 5.0, trained_on=10))
    for power in (100, 400):
        level = -power * math.log(10.0)
        with mpmath.workdps(60):
            expected = float(_kl_upper(0.1, (5 + _xi(m) - mpmath.mpf(level)) / m))
        value = get("pac-bayes-prior")().evaluate(evidence, log_delta=level).value
        assert value == pytest.approx(expected, rel=1e-11)


def test_levels_keep_their_logarithm():
    level = Level(0.05)
    assert level == 0.05
    assert (level / 4, 0.5 * level) == (0.0125, 0.025)
    tiny = Level.from_log(TINY)
    assert tiny == 0.0
    assert ((tiny / 3) * 3).log == pytest.approx(TINY)
    assert str(tiny) == "1e-10000"
    assert str(level) == "0.05"
    assert pickle.loads(pickle.dumps(tiny)).log == TINY
    assert sum(s.log for s in split_delta(tiny, 2)) == pytest.approx(2 * (TINY - math.log(2)))
    assert isinstance(level - 0.01, float)
    assert np.asarray([1.0, 2.0]) * level == pytest.approx([0.05, 0.1])


def test_ways_to_give_it():
    evidence = Evidence(5000, errors=20, dimension=3, holdout=HoldOut(5000, 20))
    found, _ = assess(evidence, log_delta=TINY)
    assert found["holdout"].delta.log == TINY
    best = best_of(evidence, None, ["holdout", "vc"], log_delta=TINY)
    assert best.ledger.total.log == pytest.approx(TINY)
    assert Certificate.from_dict(best.to_dict()).recompute().value == best.value
    line = curve(get("holdout")(), evidence, "log_delta", [-2000.0, -20.0, -2.0])
    assert list(line.values) == sorted(line.values, reverse=True)
    assert curve(get("vc")(), evidence, "n", [100, 1000], log_delta=TINY).values[0] > 1


def test_delta_for_reaches_below_the_smallest_double():
    c = get("holdout")().evaluate(Evidence(100_000, holdout=HoldOut(100_000, 0)), 0.05)
    found = c.delta_for(0.2)
    assert found == 0.0
    assert found.log == pytest.approx(100_000 * math.log(0.8), rel=1e-6)


@pytest.mark.parametrize("bad", [0.0, 1.0, math.nan, -math.inf, math.inf, "small"])
def test_nonsense_is_refused(bad):
    evidence = Evidence(50, holdout=HoldOut(50, 2))
    with pytest.raises(ValueError, match="log_delta"):
        get("holdout")().evaluate(evidence, log_delta=bad)
    with pytest.raises(ValueError, match="exactly one"):
        get("holdout")().evaluate(evidence, 0.05, log_delta=-3.0)


def test_an_estimated_divergence_cannot_be_trusted_that_far():
    q = Posterior(100, 0.1, 2.0, kl_risk=1e-6)
    with pytest.raises(NotApplicable, match="1e-10000"):
        get("mcallester")().evaluate(Evidence(100, posterior=q), log_delta=TINY)


def test_two_rates_at_tiny_levels():
    pairs = (5, 1000), (7, 2000)
    usual = sum_of_rates_upper(*pairs, log_delta=-590.0, expected=(0.01, 0.01))
    beyond = sum_of_rates_upper(*pairs, log_delta=-610.0, expected=(0.01, 0.01))
    assert usual < beyond
    halves = [clopper_upper(*p, log_delta=-610.0 - math.log(2.0)) for p in pairs]
    assert beyond == pytest.approx(sum(halves), rel=1e-12)
    c = get("transfer")().evaluate(
        Evidence(1000, holdout=HoldOut(1000, 5), pool=Pool(2000, 7)), log_delta=TINY
    )
    assert c.vacuous


def test_intervals_by_betting():
    x = np.random.default_rng(0).random(200)
    low, high = betting_interval(x, log_delta=-800.0)
    assert low <= x.mean() <= high


def test_a_model_file_keeps_them(tmp_path):
    """A certificate at an ordinary and at a tiny failure probability, written and read again."""
    import mercer

    X = np.random.default_rng(0).normal(size=(60, 2))
    model = mercer.SVC().fit(X, np.where(X[:, 0] > 0, 1, -1))
    for level in (model.certificate_.delta, Level.from_log(TINY)):
        model._issued["certificate"] = best_of(model.evidence_, level, ["scenario", "vc"])
        mercer.save(model, tmp_path / "m.mercer")
        again = mercer.load(tmp_path / "m.mercer").certificate_
        assert again == model.certificate_
        assert again.recompute().value == again.value
