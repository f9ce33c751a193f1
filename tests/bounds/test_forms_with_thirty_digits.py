"""The texts' uniform bounds written out once more, in thirty digits, to ten million rows.

δ goes down to 1e-300 and beyond; the formulas are those of the book as docs/corrections.md leaves
them, typed from the catalogue and not from the code.
"""

import math
from itertools import pairwise

import mpmath as mp
import numpy as np
import pytest

from mercer.bounds import Evidence, NotApplicable, get
from mercer.bounds import numerics as nm
from mercer.bounds.rademacher import radius_bound, trace_bound
from mercer.bounds.vc import agnostic_width, zero_error_limit

ROWS = [60, 1000, 10**5, 10**7]
LOGS = [math.log(0.4), math.log(0.05), -300 * math.log(10), -5000.0]
VC = 10


def ld(x):
    return mp.log(x) / mp.log(2)


def phi(m, d):
    """Ln Σ_{i≤d} C(m, i), every term."""
    if d >= m:
        return m * mp.log(2)
    term = total = mp.mpf(1)
    for i in range(1, d + 1):
        term *= mp.mpf(m - i + 1) / i
        total += term
    return mp.log(total)


GROWTH = {
    "sauer": lambda m: phi(2 * m, VC),
    "closed": lambda m: VC * (mp.log(mp.mpf(2 * m) / VC) + 1),
    "cover": lambda m: mp.log(2) + phi(2 * m - 1, VC - 1),
}


def vc_values(m, r, growth, L):
    """L = ln(1/δ), r the training error."""
    four, two = growth + mp.log(4) + L, growth + mp.log(2) + L
    e = 4 * four / m
    split = mp.sqrt((m + 1) * two) / m
    values = {
        ("vc", ()): r + mp.sqrt(8 * four / m),
        ("vc-relative", ()): r + 2 * mp.sqrt(r * four / m) + 4 * four / m,
        ("vc-multiplicative", ()): r + e / 2 * (1 + mp.sqrt(1 + 4 * r / e)),
        ("vc-split", ()): r + mp.mpf(1) / m + split,
        ("vc-additive", ()): r + mp.mpf(1) / m + max(split, mp.sqrt(four / m)),
        ("vc-additive", (("as_printed", True),)): r + mp.sqrt(four / m),
    }
    if r == 0:
        values["vc-zero-error", ()] = 2 / mp.mpf(m) * two / mp.log(2)
        values["vc-zero-error", (("form", "book"),)] = 4 / mp.mpf(m) * two
    return values


@pytest.mark.parametrize("m", ROWS)
@pytest.mark.parametrize("log_delta", LOGS)
@pytest.mark.parametrize("growth", GROWTH)
def test_vc_bounds(m, log_delta, growth):
    for errors in (0, m // 20):
        plain = Evidence(m, errors=errors, dimension=VC)
        shifted = Evidence(m, errors=errors, dimension=VC - 1, offset=-0.1)
        with mp.workdps(30):
            truth = vc_values(m, mp.mpf(errors) / m, GROWTH[growth](m), -mp.mpf(log_delta))
        for (code, params), expected in truth.items():
            bound = get(code)(growth=growth, **dict(params))
            for evidence in (plain, shifted):
                found = bound.evaluate(evidence, log_delta=log_delta).unclipped
                assert found == pytest.approx(float(expected), rel=1e-12), (code, params)
    with mp.workdps(30):
        excess = mp.sqrt(mp.mpf(32) / m * (GROWTH["sauer"](m) + mp.log(4) - mp.mpf(log_delta)))
    erm = Evidence(m, errors=3, dimension=VC, formulation="erm")
    found = get("erm-excess")().evaluate(erm, log_delta=log_delta).unclipped
    assert found == pytest.approx(float(excess), rel=1e-12)


def test_a_class_too_rich_for_the_rows():
    """2m ≤ VC: every labeling of the double sample is possible, and no form says anything."""
    rich = Evidence(50, errors=0, dimension=300)
    for growth in ("sauer", "cover"):
        found = get("vc")(growth=growth).evaluate(rich, 0.05).unclipped
        assert found == pytest.approx(math.sqrt(8 / 50 * (math.log(80) + 100 * math.log(2))))
    with pytest.raises(NotApplicable, match="closed form needs"):
        get("vc")(growth="closed").evaluate(rich)
    with pytest.raises(NotApplicable, match="2m >= 300"):
        get("luckiness-vc")().evaluate(rich)
    assert get("luckiness-rank")().evaluate(Evidence(50, errors=0, rank=300)).unclipped == math.inf


def test_a_growth_function_of_ones_own():
    """Intervals on the line have m(m+1)/2 + 1 labelings, fewer than Sauer's sum for VC = 2."""
    m = 2000
    own = math.log(2 * m * (2 * m + 1) / 2 + 1)
    by_name = Evidence(m, errors=0, dimension=2)
    assert agnostic_width(m, own, 0.05) == pytest.approx(get("vc")().evaluate(by_name).unclipped)
    half_lines = math.log(2 * m + 1)
    assert agnostic_width(m, half_lines, 0.05) < agnostic_width(m, own, 0.05)
    found = zero_error_limit(m, half_lines, 0.05)
    assert found == pytest.approx(2 / m * math.log2((2 * m + 1) * 2 / 0.05))
    with pytest.raises(ValueError, match="form must be"):
        zero_error_limit(m, own, 0.05, form="folk")


@pytest.mark.parametrize(("code", "params", "ratio"), [
    ("vc", {}, 43.8),
    ("vc-zero-error", {"form": "book"}, 18.4),
    ("vc-zero-error", {}, 12.1),
])  # fmt: skip
def test_rows_per_dimension(code, params, ratio):
    """§2.4: (4.14), (4.15) and the base-2 form, closed growth function, δ of no weight."""
    bound, vc = get(code)(growth="closed", **params), 10**6
    for share, says in ((1.005, True), (0.99, False)):
        m = round(share * ratio * vc)
        value = bound.evaluate(Evidence(m, errors=0, dimension=vc), 0.05).unclipped
        assert (value < 1.0) == says


@pytest.mark.parametrize("m", ROWS)
@pytest.mark.parametrize("log_delta", LOGS)
def test_finite_classes_and_single_rules(m, log_delta):
    price = math.log(1e6)
    with mp.workdps(30):
        L, H = -mp.mpf(log_delta), mp.mpf(price)
        r = mp.mpf(m // 20) / m
        zero, some = (Evidence(m, errors=e, log_class_size=price) for e in (0, m // 20))
        one, few = (Evidence(m, errors=e, code_length=price) for e in (0, m // 20))
        truth = [
            (get("finite-class")(), zero, 1 - mp.exp(-(H + L) / m)),
            (get("finite-class-zero-error")(), zero, 1 - mp.exp(-(H + L) / m)),
            (get("finite-class-zero-error")(relaxed=True), zero, (H + L) / m),
            (get("finite-class-hoeffding")(), some, r + mp.sqrt((H + L) / (2 * m))),
            (
                get("finite-class-hoeffding")(two_sided=True),
                some,
                r + mp.sqrt((H + mp.log(2) + L) / (2 * m)),
            ),
            (get("occam")(), one, 1 - mp.exp(-(H + L) / m)),
            (get("single-hypothesis")(), one, (H + mp.log(2) + L) / m),
            (get("single-hypothesis")(), few, r + mp.sqrt((H + mp.log(2) + L) / (2 * m))),
        ]
    for bound, evidence, expected in truth:
        found = bound.evaluate(evidence, log_delta=log_delta).unclipped
        assert found == pytest.approx(float(expected), rel=1e-12), bound.code
    for code, evidence in (("finite-class", some), ("occam", few)):
        found = get(code)().evaluate(evidence, log_delta=log_delta).unclipped
        tail = nm.log_cdf(m // 20, m, found) if found < 1 - 1e-9 else log_delta - price
        assert tail == pytest.approx(log_delta - price, rel=1e-9)


@pytest.mark.parametrize("m", ROWS[1:])
@pytest.mark.parametrize("log_delta", LOGS[:3])
def test_luckiness_and_margins(m, log_delta):
    margin, radius = 0.3, 1.2
    e = Evidence(
        m, errors=0, dimension=VC, rank=VC, margins=np.array([margin, 0.8]), norm=1.0, radius=radius
    )
    with mp.workdps(30):
        L = -mp.mpf(log_delta) / mp.log(2)  # in bits
        c = (mp.mpf(radius) / mp.mpf(margin)) ** 2
        two_em = 2 * mp.e * m
        D = 4 * (VC + mp.log(8 * m) - mp.mpf(log_delta))
        steps = int(mp.floor(4 * c))
        cover = ld(mp.binomial(4 * m + steps, steps))
        zhang = 144 * c * ld(2 * mp.ceil(8 * mp.sqrt(c) + 2) * 2 * m + 1)

        def fat(v, strata):
            if v > 2 * m:
                return mp.inf
            return mp.mpf(2) / m * (mp.ceil(v * ld(4 * two_em / v) * ld(32 * m)) + strata + L)

        strata = ld(2 * mp.ceil(mp.mpf(m) / 2)) + L
        truth = [
            ("luckiness-vc", {}, 2 / mp.mpf(m) * (mp.ceil(VC * ld(two_em / VC)) + 2 + L)),
            (
                "luckiness-vc",
                {"as_printed": True},
                2 / mp.mpf(m) * (VC * ld(two_em / VC) + 2 + L),
            ),
            (
                "luckiness-rank",
                {},
                2 / mp.mpf(m) * (mp.ceil(D * ld(two_em / D)) + 2 + L + ld(2 * m))
                if 2 * m >= D
                else mp.inf,
            ),
            ("margin-cover", {}, 2 / mp.mpf(m) * (mp.ceil(cover) + strata)),
            ("margin-cover", {"cover": "zhang"}, 2 / mp.mpf(m) * (mp.ceil(zhang) + strata)),
            ("margin-fat", {}, fat(64 * c, ld(2 * m))),
            ("margin-fat", {"scale": 0.25}, fat(64 * (mp.mpf(radius) / 0.25) ** 2, mp.mpf(2))),
        ]
    for code, params, expected in truth:
        found = get(code)(**params).evaluate(e, log_delta=log_delta).unclipped
        assert found == pytest.approx(float(expected), rel=1e-12), (code, params)


@pytest.mark.parametrize("m", [2 * 10**5, 10**7])
@pytest.mark.parametrize("log_delta", LOGS[:3])
def test_robust_margins(m, log_delta):
    """At one scale, g = 1/‖w‖, where remark 4.36 and theorem 4.37 write their dimensions."""
    norm, radius = 1.5, 1.0
    outputs = np.array([1.5, 0.9999, 1.2, 1.0])  # y f(x); a quarter of the rows misses 1e-4
    evidence = Evidence(m, errors=0, margins=outputs, norm=norm, radius=radius, formulation="amm")
    with mp.workdps(30):
        slack = mp.mpf(1) - mp.mpf(0.9999)
        one, two = slack * m / 4, slack * mp.sqrt(mp.mpf(m) / 4)

        def value(d, log, extra):
            core = mp.ceil(d * log(8 * mp.e * m / d) * log(mp.mpf(32 * m)))
            return mp.mpf(2) / m * (core + extra) if d <= 2 * m else mp.inf

        L = -mp.mpf(log_delta)
        amm, soft = (65 * (mp.mpf(radius) * norm + 3 * s) ** 2 for s in (one, two))
        bits = ld((16 + ld(mp.mpf(m))) * m) + L / mp.log(2)
        nats = mp.log((16 + mp.log(m)) * m) + L
        adaptive, printed, robust = (
            value(amm, ld, bits),
            value(amm, mp.log, nats),
            value(soft, ld, bits),
        )
        delta, D = mp.mpf("0.05"), two / norm
        lemma = value(
            64 * (1 + (D / delta) ** 2) * (radius**2 + delta**2) * norm**2,
            ld,
            ld(2 * m) + L / mp.log(2),
        )

    def found(code, **params):
        return get(code)(**params).evaluate(evidence, log_delta=log_delta).unclipped

    assert found("margin-adaptive") == pytest.approx(float(adaptive), rel=1e-12)
    assert found("margin-adaptive", as_printed=True) == pytest.approx(float(printed), rel=1e-12)
    assert found("margin-robust") <= min(float(robust), float(adaptive)) * (1 + 1e-12)
    assert found("margin-robust", shift=0.05) <= float(lemma) * (1 + 1e-12)
    assert printed < adaptive or math.isinf(adaptive)


def test_sample_sizes_are_the_thresholds_of_the_catalogue():
    """Inversion over n and over δ against §5.7, §5.11 and a closed form."""
    facts = {"errors": 0, "norm": 1.0, "radius": 1.0}
    for code, params, c, rows in (
        ("margin-fat", {}, 10, 418_032),
        ("margin-cover", {"cover": "zhang"}, 5, 30_601),
    ):
        evidence = Evidence(10**6, margins=np.full(2, c**-0.5), **facts)
        certificate = get(code)(**params).evaluate(evidence, 0.05)
        assert certificate.sample_size(1.0 - 1e-12) == rows
    certificate = get("vc-zero-error")().evaluate(Evidence(1000, errors=0, dimension=VC), 0.05)
    with mp.workdps(30):
        log_delta = mp.log(2) + phi(2000, VC) - mp.mpf("0.15") * 500 * mp.log(2)
    # at ε = 0.15 the failure probability would have to be above 1: none will do
    assert float(log_delta) > 0
    assert certificate.delta_for(0.15) is None
    with mp.workdps(30):
        log_delta = mp.log(2) + phi(2000, VC) - mp.mpf("0.3") * 500 * mp.log(2)
    assert certificate.delta_for(0.3).log == pytest.approx(float(log_delta), rel=1e-9)


@pytest.mark.parametrize("offset", [0.05, -0.7])
def test_an_offset_is_a_coordinate_of_one_of_nine_lengths(offset):
    """§0.2: (x, t) and (w, b/t), t = 4^j declared, δ/9 for each."""
    m, norm, radius, margin = 10**6, 1.3, 1.0, 0.4
    evidence = Evidence(
        m, errors=0, margins=np.array([margin, 1.0]), norm=norm, radius=radius, offset=offset
    )
    with mp.workdps(30):
        best = mp.inf
        for j in range(-4, 5):
            t = mp.mpf(4) ** j
            longer = mp.sqrt(norm**2 + (mp.mpf(offset) / t) ** 2)
            v = 64 * (mp.mpf(radius) ** 2 + t**2) * (longer / mp.mpf(margin)) ** 2
            if v <= 2 * m:
                core = mp.ceil(v * ld(8 * mp.e * m / v) * ld(32 * m))
                best = min(best, mp.mpf(2) / m * (core + ld(2 * m * 9 / mp.mpf("0.05"))))
    assert get("margin-fat")().evaluate(evidence, 0.05).unclipped == pytest.approx(
        float(best), rel=1e-12
    )


def test_the_best_shift_would_give_64_instead_of_65():
    """§5.8: at Δ = √(rad·D) lemma 4.34 has 64(rad + D)²/g², and no Δ has less."""
    from mercer.bounds.margin_covering import robust_dimension, shifted_dimension, shortfall

    margins, g, radius, m = np.array([0.1, 0.9, 0.9, 0.9]), 0.5, 1.3, 40
    D = shortfall(margins, g, m)
    assert pytest.approx(0.4 * math.sqrt(10)) == D
    best = 64 * ((radius + D) / g) ** 2
    at = [
        shifted_dimension(margins, g, radius, m, t * math.sqrt(radius * D)) for t in (0.5, 1.0, 2.0)
    ]
    assert at[1] == pytest.approx(best)
    assert min(at[0], at[2]) > best
    assert best < robust_dimension(margins, g, radius, m)
    evidence = Evidence(10, margins=margins, norm=1.0, radius=1.0)
    for bad in ({"shift": 0.0}, {"shift": 0.1, "as_printed": True}):
        with pytest.raises(ValueError, match="shift"):
            get("margin-robust")(**bad).evaluate(evidence)


def test_one_outlier_costs_sixteen_times():
    """Remark after 4.35: d = 65·16 = 1040 at g = rad, useful from m = 703,372 on."""
    from mercer.bounds.margin_covering import robust_value

    assert robust_value(1040.0, 703_372, 0.05) < 1.0 <= robust_value(1040.0, 703_371, 0.05)
    assert robust_value(65.0, 35_435, 0.05) < 1.0 <= robust_value(65.0, 35_434, 0.05)
    m = 10**6
    evidence = Evidence(m, errors=1, margins=np.r_[-0.1, np.full(m - 1, 0.9)], norm=1.0, radius=1.0)
    for printed, log in ((False, ld), (True, mp.log)):
        chosen = get("margin-robust")(as_printed=printed).evaluate(evidence, 0.05)
        with mp.workdps(30):
            g = mp.mpf(chosen.details["margin"])
            missing = (g + mp.mpf(0.1)) ** 2 + (m - 1) * max(mp.mpf(0), g - mp.mpf(0.9)) ** 2
            d = 65 * ((1 + 3 * mp.sqrt(missing)) / g) ** 2
            core = mp.ceil(d * log(8 * mp.e * m / d) * log(mp.mpf(32 * m)))
            at = mp.mpf(2) / m * (core + log((16 + log(mp.mpf(m))) * m / mp.mpf(0.05)))
        assert chosen.unclipped == pytest.approx(float(at), rel=1e-12)
    assert nm.cover_bound(0.0, 9, 0.05) == nm.cover_bound(0.7, 9, 0.05)  # d = 1 is the least
    odd = nm.cover_bound(3.0, 9, 0.05) - nm.cover_bound(3.0, 9, 0.05, as_printed=True)
    assert odd == pytest.approx(2 / 9 * math.log2(10 / 9))
    with pytest.raises(ValueError, match="positive"):
        nm.fat_bound(0.0, 10, 0.05)


@pytest.mark.parametrize("m", [30, 1000, 10**6])
@pytest.mark.parametrize("delta", [0.4, 1e-6])
@pytest.mark.parametrize("rate", [0.0, 0.02, 0.4])
def test_which_bound_lies_below_which(m, delta, rate):
    facts = {"log_class_size": 3.0, "code_length": 3.0, "margins": np.array([0.25]), "norm": 1.0}
    evidence = Evidence(m, errors=round(rate * m), dimension=4, rank=4, radius=1.0, **facts)

    def value(code, level=delta, **params):
        return get(code)(**params).evaluate(evidence, level).unclipped

    chains = [
        [value("vc-multiplicative"), value("vc-relative")],
        [value("vc-split"), value("vc-additive", growth="sauer"), value("vc-additive")],
        [value("finite-class"), value("finite-class-hoeffding")],
        [value("finite-class-hoeffding"), value("finite-class-hoeffding", two_sided=True)],
        [value("occam", 0.5 * delta), value("single-hypothesis")],
    ]
    for code in ("vc", "vc-relative", "vc-multiplicative", "vc-split"):
        chains.append([value(code, growth=g) for g in ("cover", "sauer", "closed")])
    if evidence.errors == 0:
        zero = [value("vc-zero-error", growth=g) for g in ("cover", "sauer", "closed")]
        chains += [
            [*zero, value("luckiness-vc"), value("luckiness-rank")],
            [value("vc-zero-error"), value("vc-zero-error", form="book")],
            [value("finite-class-zero-error"), value("finite-class-zero-error", relaxed=True)],
            [value("luckiness-vc", as_printed=True), value("luckiness-vc")],
            [
                value("margin-cover"),
                value("margin-cover", cover="zhang"),
                value("margin-fat", scale=0.25),
                value("margin-fat"),
                value("margin-robust"),
            ],
        ]
    for chain in chains:
        assert all(a <= b * (1 + 1e-12) for a, b in pairwise(chain)), chain


@pytest.mark.parametrize("m", ROWS)
@pytest.mark.parametrize("log_delta", LOGS)
def test_rademacher(m, log_delta):
    ball, radius, trace, ramp = 4.0, 1.1, 0.7 * m, 0.125
    with mp.workdps(30):
        L = -mp.mpf(log_delta)
        by_trace = ramp + 2 * ball * mp.sqrt(mp.mpf(trace)) / m
        by_trace += 3 * mp.sqrt((L + mp.log(2)) / (2 * m))
        by_radius = ramp + 2 * ball * mp.mpf(radius) / mp.sqrt(m) + mp.sqrt(L / (2 * m))
    assert trace_bound(ramp, m, ball, trace, log_delta) == pytest.approx(float(by_trace), rel=1e-12)
    assert radius_bound(ramp, m, ball, radius, log_delta) == pytest.approx(
        float(by_radius), rel=1e-12
    )
    # the bound itself: the same at the best declared ball, its weight paid for
    margins, norm = np.array([-0.2, 0.3, 0.6, 2.0]), 0.5
    for facts in ({"radius": radius}, {"trace": trace}):
        best = math.inf
        for j in range(-12, 25):
            scaled = margins * (2.0**j / norm)
            loss = float(np.mean(np.clip(1.0 - scaled, 0.0, 1.0)))
            share = log_delta - math.log((math.pi**2 / 3 - 1) * (1 + abs(j)) ** 2)
            formula, last = (radius_bound, radius) if "radius" in facts else (trace_bound, trace)
            best = min(best, formula(loss, m, 2.0**j, last, share))
        evidence = Evidence(m, margins=margins, norm=norm, **facts)
        found = get("rademacher")().evaluate(evidence, log_delta=log_delta).unclipped
        assert found == pytest.approx(best, rel=1e-12)
