"""Catalogue values of the texts' bounds, computed independently of this code (§5, §6, §7, §15)."""

import math

import numpy as np
import pytest

from mercer.bounds import Evidence, Mistakes, NotApplicable, Posterior, get
from mercer.bounds import numerics as nm
from mercer.bounds.erm import (
    linear_mean,
    linear_separable_mean,
    linear_separable_tail,
    linear_tail,
    vc_mean,
    vc_tail,
)
from mercer.bounds.finite_class import zero_error_mean, zero_error_rows, zero_error_tail
from mercer.bounds.luckiness import log2_omega_empirical_vc, luckiness_bound
from mercer.bounds.margin_covering import (
    adaptive_margin_dimension,
    fat_fixed_scale,
    soft_margin_dimension,
)
from mercer.bounds.mistakes import halving_limit, mistake_bound, novikoff
from mercer.bounds.pacbayes import pac_bayes_kl
from mercer.bounds.pacbayes_classic import (
    catoni,
    gibbs_subset,
    mcallester,
    pac_bayes_lambda,
    pinsker,
)
from mercer.bounds.stability import svc_corollary_as_printed
from mercer.bounds.vc import vc_confidence
from mercer.theory import rademacher
from mercer.theory.growth import growth_exponent

DELTA, MILLION = 0.05, math.log(1e6)


def value(code, evidence, delta=DELTA, **params):
    return get(code)(**params).evaluate(evidence, delta).unclipped


def test_finite_class():
    evidence = Evidence(1000, errors=0, log_class_size=MILLION)
    two_sided = value("finite-class-hoeffding", evidence, two_sided=True)
    assert two_sided == pytest.approx(0.0935532, abs=5e-8)
    assert value("finite-class-zero-error", evidence, relaxed=True) == pytest.approx(
        0.0168112, abs=5e-8
    )
    assert zero_error_mean(math.log(1000), 500) == pytest.approx(0.015816, abs=5e-7)
    assert zero_error_tail(math.log(1000), 500, 0.02, relaxed=True) == pytest.approx(
        0.0454, abs=5e-5
    )
    assert zero_error_tail(math.log(1000), 500, 0.02) == pytest.approx(1000 * 0.98**500)
    assert zero_error_rows(math.log(1000), 0.05, 0.05) == 199


def test_single_hypothesis():
    evidence = Evidence(1000, errors=0, code_length=MILLION)
    assert value("single-hypothesis", evidence, 2 * DELTA) == pytest.approx(0.0168112, abs=5e-8)
    tenth = Evidence(1000, errors=100, code_length=MILLION)
    assert value("single-hypothesis", tenth, 2 * DELTA) == pytest.approx(0.191682, abs=5e-7)
    for e in (evidence, tenth):
        assert value("occam", e) < value("single-hypothesis", e, 2 * DELTA)


def test_vapnik_forms():
    tenth = Evidence(1000, errors=100, dimension=10)
    assert value("vc-multiplicative", tenth, growth="closed") == pytest.approx(0.447094, abs=5e-7)
    assert value("vc-additive", tenth, as_printed=True) == pytest.approx(0.359548, abs=5e-7)
    assert value("vc-additive", tenth) == pytest.approx(0.360548, abs=5e-7)


@pytest.mark.parametrize(
    ("h", "rows", "expected"),
    [(1, 100, 0.326808), (3, 100, 0.447003), (3, 1000, 0.163978), (10, 1000, 0.259548),
     (10, 10**4, 0.095074), (101, 10**4, 0.252885)],
)  # fmt: skip
def test_vc_confidence_of_the_slides(h, rows, expected):
    assert vc_confidence(rows, h, DELTA) == pytest.approx(expected, abs=5e-7)


def test_vc_confidence_sample_sizes_and_table():
    assert vc_confidence(10**4, 3, 0.01) == pytest.approx(0.059503, abs=5e-7)
    for h, rows in ((3, 3021), (10, 8926)):
        assert vc_confidence(rows, h, DELTA) <= 0.1 < vc_confidence(rows - 1, h, DELTA)
    column = [vc_confidence(1000, h, DELTA) for h in (3, 6, 10, 15, 21)]
    assert column == pytest.approx([0.1640, 0.2127, 0.2595, 0.3046, 0.3479], abs=5e-5)


def test_linear_erm_of_the_notes():
    assert linear_separable_mean(1000, 2) == pytest.approx(0.015847, abs=5e-7)
    assert linear_mean(1000, 2) == pytest.approx(0.231185, abs=5e-7)
    assert linear_mean(10**4, 2) == pytest.approx(0.082013, abs=5e-7)
    assert linear_separable_tail(130, 2, 0.1) <= DELTA < linear_separable_tail(129, 2, 0.1)
    assert linear_tail(3997, 2, 0.1) <= DELTA < linear_tail(3996, 2, 0.1)


def test_vc_inequalities_of_the_notes():
    means = [vc_mean(n, 3 * math.log(n)) for n in (1000, 10**4, 10**5, 10**6)]
    assert means == pytest.approx([1.778926, 0.636300, 0.222103, 0.076270], abs=5e-7)
    assert vc_mean(1000, 1000 * math.log(2)) == pytest.approx(9.446419, abs=5e-7)
    for rows, excess in ((129227, False), (574173, True)):
        tail = [vc_tail(n, 3 * math.log(n), 0.1, excess=excess) for n in (rows, rows - 1)]
        assert tail[0] <= DELTA < tail[1]


def test_luckiness():
    assert value("luckiness-vc", Evidence(1000, errors=0, dimension=10)) == pytest.approx(
        0.194644, abs=5e-7
    )
    m = 10**4
    assert value("luckiness-rank", Evidence(m, errors=0, rank=10)) == pytest.approx(
        0.181522, abs=5e-7
    )
    dimension = log2_omega_empirical_vc(m, 10, DELTA / 4)
    fixed = 2 / m * (math.ceil(dimension) + math.log2(4 / DELTA))
    assert fixed == pytest.approx(0.115064, abs=5e-7)
    engine, d = luckiness_bound(m, lambda level: log2_omega_empirical_vc(m, 10, level), DELTA)
    assert engine == pytest.approx(0.181522, abs=5e-7)
    assert log2_omega_empirical_vc(m, 10, DELTA / (8 * m)) <= d


def test_luckiness_with_weights_of_ones_own():
    """(4.23): the smallest d with ω(δp_d/4) ≤ 2^d, by trying every d."""
    m = 200

    def size(level):
        return 3.0 + 0.5 * math.log2(1 / level)

    def share(d):
        return 0.5**d

    first = next(d for d in range(1, 2 * m) if size(DELTA * share(d) / 4) <= d)
    value_, d = luckiness_bound(m, size, DELTA, weight=share)
    assert d == first
    assert value_ == pytest.approx(2 / m * (d + math.log2(4 / (DELTA * share(d)))))
    uniform, d = luckiness_bound(m, size, DELTA, weight=lambda d: 1 / (2 * m))
    assert (uniform, d) == pytest.approx(luckiness_bound(m, size, DELTA))
    assert luckiness_bound(m, lambda level: 3.0 * m, DELTA)[0] == math.inf
    assert luckiness_bound(m, lambda level: 0.0, DELTA)[1] == 1
    with pytest.raises(ValueError, match="sum to 1 at most"):
        luckiness_bound(m, size, DELTA, weight=lambda d: 0.1)
    with pytest.raises(ValueError, match="at most 1/2"):
        log2_omega_empirical_vc(m, 10, 0.7)


FAT_ROWS = {
    1: 34833, 2: 73837, 3: 114435, 4: 156068, 5: 198470, 8: 328990, 10: 418032, 16: 691784,
    20: 878355, 32: 1451326, 50: 2335965, 64: 3038416, 100: 4884296,
}  # fmt: skip
ZHANG_ROWS = {1: 5116, 2: 11124, 5: 30601, 10: 65741, 20: 140275, 50: 380498, 100: 805804}


def margin_evidence(m, c):
    return Evidence(m, errors=0, margins=np.full(2, c**-0.5), norm=1.0, radius=1.0)


@pytest.mark.parametrize("c", FAT_ROWS)
def test_rows_from_which_margin_bounds_say_something(c):
    zhang = [(ZHANG_ROWS[c], "margin-cover", {"cover": "zhang"})] if c in ZHANG_ROWS else []
    for rows, code, params in [(FAT_ROWS[c], "margin-fat", {}), *zhang]:
        assert value(code, margin_evidence(rows, c), **params) < 1.0
        assert value(code, margin_evidence(rows - 1, c), **params) >= 1.0


def test_margin_bounds_at_a_million_rows():
    million = margin_evidence(10**6, 10)
    assert value("margin-fat", million) == pytest.approx(0.480409, abs=5e-7)
    assert value("margin-cover", million, cover="zhang") == pytest.approx(0.0770585, abs=5e-7)
    assert value("margin-cover", million) < 0.002
    d = 1040.0
    assert nm.fat_bound(d, 10**6, DELTA, strata=(16 + math.log2(1e6)) * 1e6) == pytest.approx(
        0.744315, abs=5e-7
    )


def test_a_margin_aimed_at_before_the_data():
    """§5.10: c = 10, m = 10⁶; .4804 and, in the textbook form, .6860."""
    assert fat_fixed_scale(10**6, 10.0, DELTA) == pytest.approx(0.4804, abs=5e-5)
    assert fat_fixed_scale(10**6, 10.0, DELTA, truncated=False) == pytest.approx(0.6860, abs=5e-5)
    million = margin_evidence(10**6, 10)
    fixed = value("margin-fat", million, scale=10**-0.5)
    assert fixed == pytest.approx(fat_fixed_scale(10**6, 10.0, DELTA))
    assert fixed < value("margin-fat", million)
    with pytest.raises(NotApplicable, match="aimed at"):
        get("margin-fat")(scale=0.9).evaluate(million)


def test_robust_margin():
    outlier = Evidence(703372, errors=1, margins=np.r_[0.0, np.ones(703371)], norm=1.0, radius=1.0)
    assert value("margin-robust", outlier) < 1.0
    at_radius = margin_evidence(35435, 1)
    assert (
        value("margin-robust", at_radius) < 1.0 < value("margin-robust", margin_evidence(35434, 1))
    )
    printed = get("margin-robust")(as_printed=True).evaluate(at_radius, DELTA)
    assert printed.unclipped < value("margin-robust", at_radius)
    assert "NOT A GUARANTEE" in printed.first_line()
    assert "natural logarithms" in printed.explain()


def test_effective_dimensions():
    slacks = np.array([0.5, 0.0, 1.2])
    two, one = (soft_margin_dimension(1.0, 2.0, slacks, order) for order in (2, 1))
    assert two == pytest.approx(65 * (2 + 3 * 1.3) ** 2)
    assert one == pytest.approx(65 * (2 + 3 * 1.7) ** 2)
    alphas, diagonal = np.array([0.2, 0.0, 0.3]), np.ones(3)
    adaptive = adaptive_margin_dimension(1.0, 2.0, slacks, alphas, diagonal, lam=1.0)
    assert adaptive == pytest.approx(65 * (2 + 3 * (0.3 + 0.9)) ** 2)


def test_pac_bayes_of_the_book():
    assert gibbs_subset(0.0, MILLION, 1000, DELTA) == pytest.approx(0.0316268, abs=5e-8)
    assert gibbs_subset(0.1, MILLION, 1000, DELTA) == pytest.approx(0.224747, abs=5e-7)
    assert mcallester(0.1, MILLION, 1000, DELTA) == pytest.approx(0.213428, abs=5e-7)
    values = [catoni(0.1, MILLION, 1000, DELTA, c) for c in (0.5, 1.0, 2.0)]
    assert values == pytest.approx([0.164252, 0.174408, 0.225426], abs=5e-7)
    assert pac_bayes_lambda(0.1, MILLION, 1000, DELTA, 0.5) == pytest.approx(0.189222, abs=5e-7)


def test_relaxations_of_the_kl_bound():
    assert pinsker(0.1, MILLION, 1000, DELTA) == pytest.approx(0.202368, abs=5e-7)
    for rate in (0.0, 0.02, 0.1, 0.4):
        exact = pac_bayes_kl(rate, MILLION, 1000, DELTA, constant="maurer")
        assert exact <= pinsker(rate, MILLION, 1000, DELTA)
        assert exact <= pinsker(rate, MILLION, 1000, DELTA, refined=True)


# §6.8: the first m at which (5.12) is below one, normalised margins .01, .1, .3, .5, .9
CAP_ROWS = {
    2: (67, 47, 37, 32, 26),
    10: (230, 136, 90, 68, 36),
    100: (2022, 1098, 652, 437, 145),
    1000: (19857, 10639, 6201, 4064, 1184),
}


def cap_evidence(m, n, gamma):
    facts = {"margins": np.array([gamma]), "norm": 1.0, "point_norms": np.ones(1)}
    return Evidence(m, errors=0, rank=n, **facts)


@pytest.mark.parametrize("n", CAP_ROWS)
def test_rows_from_which_the_margin_theorem_says_something(n):
    for gamma, rows in zip((0.01, 0.1, 0.3, 0.5, 0.9), CAP_ROWS[n], strict=True):
        assert value("cap-margin", cap_evidence(rows, n, gamma), form="book") < 1.0
        assert value("cap-margin", cap_evidence(rows - 1, n, gamma), form="book") >= 1.0


@pytest.mark.parametrize(
    ("m", "n", "gamma", "book", "cap", "consistent"),
    [
        (1000, 10, 0.1, 0.1435, 0.0812, 0.0509),
        (1000, 10, 0.3, 0.0992, 0.0613, 0.0314),
        (1000, 10, 0.5, 0.0778, 0.0520, 0.0222),
        (1000, 10, 0.9, 0.0491, 0.0404, 0.0108),
        (1000, 100, 0.1, 1.097, 0.4980, 0.4175),
        (1000, 100, 0.3, 0.6532, 0.2804, 0.2356),
        (1000, 100, 0.5, 0.4396, 0.1790, 0.1439),
        (1000, 100, 0.9, 0.1521, 0.0613, 0.0315),
        (1000, 1000, 0.1, 10.63, 4.645, 1.801),
        (1000, 1000, 0.3, 6.193, 2.450, 1.404),
        (1000, 1000, 0.5, 4.058, 1.429, 1.007),
        (1000, 1000, 0.9, 1.183, 0.2532, 0.2115),
        (60000, 784, 0.05, 0.1756, 0.0792, 0.0769),
        (60000, 784, 0.1, 0.1393, 0.0611, 0.0594),
        (60000, 784, 0.2, 0.1029, 0.0430, 0.0418),
        (60000, 784, 0.5, 0.0534, 0.0191, 0.0182),
    ],
)
def test_three_forms_of_the_margin_theorem(m, n, gamma, book, cap, consistent):
    """§6.10, four digits each."""
    evidence = cap_evidence(m, n, gamma)
    for form, expected in (("book", book), ("exact-cap", cap), ("consistent", consistent)):
        digits = 6e-5 if expected < 1 else 6e-4 if expected < 10 else 6e-3
        assert value("cap-margin", evidence, form=form) == pytest.approx(expected, abs=digits)


def test_margin_needed_when_the_dimension_is_the_number_of_rows():
    """After theorem 5.10: only Γ above √(2e^(−1/2) − e^(−1)) = 0.9193 helps, however many rows."""
    edge = math.sqrt(2 * math.exp(-0.5) - math.exp(-1))
    assert edge == pytest.approx(0.9193, abs=5e-5)
    m = 10**7
    assert value("cap-margin", cap_evidence(m, m, edge - 1e-4), form="book") > 1.0
    assert value("cap-margin", cap_evidence(m, m, edge + 1e-4), form="book") < 1.0


def test_pac_bayes_families():
    q = Posterior(1000, 0.0, MILLION, restricted=True, vote_is_model=True)
    evidence = Evidence(1000, posterior=q)
    assert value("consistent-gibbs", evidence) == pytest.approx(0.0166707, abs=5e-8)
    assert value("consistent-vote", evidence) == pytest.approx(2 * 0.0166707, abs=1e-7)
    assert value("bayes-subset", evidence, 2 * DELTA) == pytest.approx(0.0632535, abs=1e-7)
    some = Evidence(1000, posterior=Posterior(1000, 0.1, MILLION))
    best = value("pac-bayes-lambda", some)
    for lam in np.linspace(0.05, 1.9, 60):
        assert best <= value("pac-bayes-lambda", some, lam=float(lam)) + 1e-12


def test_mistakes():
    assert mistake_bound(1000, 50, DELTA) == pytest.approx(0.810583, abs=5e-7)
    assert mistake_bound(1000, halving_limit(2**20), DELTA) == pytest.approx(0.336117, abs=5e-7)
    assert novikoff(5.0, 1.0) == 25.0
    run = Evidence(10**4, mistakes=Mistakes(10**4, 25, limit=25.0))
    assert value("mistake-bound", run) == pytest.approx(0.0534929, abs=5e-8)
    # the catalogue prints the exponents (5.16); the bound is 1 − exp(−that)
    assert -math.log1p(-value("mistake-sparsity", run)) == pytest.approx(0.0184893, abs=5e-8)
    ordered = Evidence(10**4, mistakes=Mistakes(10**4, 25, limit=25.0, in_order=False))
    assert -math.log1p(-value("mistake-sparsity", ordered)) == pytest.approx(0.0243042, abs=5e-8)
    assert value("mistake-compression", run) == pytest.approx(value("mistake-sparsity", run))


@pytest.mark.parametrize(
    ("lam", "printed", "derived"),
    [(1, 0.2199, 0.2332), (0.1, 1.2141, 1.6355), (10, 0.1205, 0.0930)],
)
def test_stability_corollary_as_printed(lam, printed, derived):
    assert svc_corollary_as_printed(0.0, 1000, lam, DELTA) == pytest.approx(printed, abs=5e-5)
    evidence = Evidence(
        1000, loss="hinge", margins=np.ones(2), radius=1.0, C=1.0 / (2 * lam * 1000), errors=0
    )
    assert value("stability", evidence, constant="book") == pytest.approx(derived, abs=5e-5)
    half = get("stability")(tau=0.5, as_printed=True).evaluate(evidence, DELTA)
    assert half.kind == "printed"
    assert half.unclipped > value("stability", evidence, tau=0.5, constant="book")


def test_rademacher_bounds_of_the_notes():
    assert rademacher.deviation(1000, DELTA) == pytest.approx(0.077405, abs=5e-7)
    complexity = rademacher.norm_limit(10**4, 1.0, 1.0)
    assert rademacher.excess_bound(10**4, DELTA, complexity) == pytest.approx(0.088955, abs=5e-7)
    assert rademacher.ramp_bound(1000, DELTA, 0.1) == pytest.approx(1.419720, abs=5e-7)
    assert rademacher.ramp_bound(10**5, DELTA, 0.5) == pytest.approx(0.040779, abs=5e-7)


def test_figure_of_the_growth_exponent():
    ratios = (0.01, 0.02, 1 / 30, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1)
    expected = (0.0630, 0.1121, 0.1698, 0.2344, 0.3996, 0.6605, 0.8691, 1.1931, 1.4349, 1.6931)
    assert [growth_exponent(r) for r in ratios] == pytest.approx(expected, abs=5e-5)
