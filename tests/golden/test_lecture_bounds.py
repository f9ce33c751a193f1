"""Bounds of the lecture notes checked another way: 40 digits, enumeration, optimisation."""

import math
from itertools import product

import mpmath as mp
import numpy as np
import pytest
from scipy.optimize import minimize_scalar, nnls

from mercer.bounds import Evidence, NotApplicable, best_of, erm, get
from mercer.bounds import numerics as nm
from mercer.bounds.finite_class import zero_error_mean, zero_error_rows, zero_error_tail
from mercer.bounds.vc import vc_confidence
from mercer.learners.discriminant import LinearERM
from mercer.theory import calibration, hypotheses, neighbors, rademacher, vc_dimension_of

ROWS = [30, 1000, 10**5, 10**7]


def solved(code, delta=0.05, **facts):
    return get(code)().evaluate(Evidence(**facts), delta).unclipped


@pytest.mark.parametrize("m", ROWS)
@pytest.mark.parametrize("d", [1, 2, 10, 25])
@pytest.mark.parametrize("delta", [0.5, 0.05, 1e-12])
def test_the_width_has_exactly_the_tail_that_was_paid_for(m, d, delta):
    """Theorems 2.13, 2.14 and 2.18: their probability at the returned ε is δ, in 40 digits."""
    facts = {"n": m, "formulation": "erm-enumeration", "dimension": d, "offset": 0.0, "errors": 0}
    with mp.workdps(40):
        planes = 2 * mp.binomial(m, d)
        e = mp.mpf(solved("erm-linear-separable", delta, **facts))
        assert float(planes * mp.exp(-(m - d) * e) / delta) == pytest.approx(1, rel=1e-6)
        e = mp.mpf(solved("erm-linear", delta, **facts))
        tail = (planes + 1) * mp.exp(-m * e**2 / 2 + 2 * d * e)
        assert float(tail / delta) == pytest.approx(1, rel=1e-6)
        assert e >= 2 * mp.mpf(d) / m
        e = mp.mpf(solved("erm-excess-shatter", delta, **facts))
        shatter = mp.fsum(mp.binomial(m, i) for i in range(d + 2))
        assert float(8 * shatter * mp.exp(-m * e**2 / 128) / delta) == pytest.approx(1, rel=1e-6)


@pytest.mark.parametrize("m", ROWS)
@pytest.mark.parametrize("epsilon", [1e-3, 0.1, 0.7, 1.0])
def test_tails_in_forty_digits_and_never_above_one(m, epsilon):
    size, d = math.log(1e6), 3
    with mp.workdps(40):
        e = mp.mpf(epsilon)
        planes = 2 * mp.binomial(m, d)
        linear = (planes + 1) * mp.exp(-m * e**2 / 2 + 2 * d * e)
        pairs = [
            (zero_error_tail(size, m, epsilon), mp.exp(mp.mpf(size)) * (1 - e) ** m),
            (zero_error_tail(size, m, epsilon, relaxed=True), mp.exp(mp.mpf(size) - e * m)),
            (erm.linear_separable_tail(m, d, epsilon), planes * mp.exp(-(m - d) * e)),
            (erm.linear_tail(m, d, epsilon), linear if e * m >= 2 * d else mp.mpf(1)),
            (erm.vc_tail(m, 3.0, epsilon), 8 * mp.exp(3 - m * e**2 / 32)),
            (erm.vc_tail(m, 3.0, epsilon, excess=True), 8 * mp.exp(3 - m * e**2 / 128)),
        ]
        for found, exact in pairs:
            assert found == pytest.approx(float(min(mp.mpf(1), exact)), rel=1e-7, abs=1e-300)


def test_borders_of_the_tails():
    assert zero_error_tail(5000.0, 10, 0.5) == 1.0  # e^5000 is no floating-point number
    assert erm.linear_tail(5, 5, 0.9) == erm.linear_separable_tail(3, 5, 0.9) == 1.0
    for bad in (-0.1, 1.5, math.nan):
        with pytest.raises(ValueError, match="epsilon"):
            zero_error_tail(1.0, 10, bad)
    with pytest.raises(ValueError, match="epsilon"):
        zero_error_rows(1.0, 0.0, 0.05)
    with pytest.raises(ValueError, match="more rows"):
        erm.linear_separable_mean(2, 2)
    with pytest.raises(NotApplicable, match="two classes"):
        solved("erm-excess", n=100, n_classes=3, formulation="erm", dimension=2, errors=0)


@pytest.mark.parametrize(("size", "rows"), [(2, 10), (1000, 500), (10**6, 10**5)])
def test_expected_risk_is_the_integrated_tail(size, rows):
    """Identity 32: (1 + ln|C|)/l is the least of u + |C|e^(−lu)/l."""
    best = minimize_scalar(
        lambda u: u + size * math.exp(-rows * u) / rows,
        bounds=(0, 3 * math.log(size) / rows),
        options={"xatol": 1e-9 / rows},
    )
    assert zero_error_mean(math.log(size), rows) == pytest.approx(best.fun, rel=1e-6)
    for d in (1, 2, 5):  # (2.15): the same for 2·C(l, d) planes and l − d rows, rounded up
        if rows > d:
            exact = zero_error_mean(math.log(2 * math.comb(rows, d)), rows - d)
            assert exact <= erm.linear_separable_mean(rows, d)


def test_no_width_beyond_the_class_of_all_labelings():
    """(2.20) with S = 2^l is 8√(2 ln 2 + 8/l), larger than one whatever l is."""
    for rows in (1, 1000, 10**6):
        found = erm.vc_mean(rows, rows * math.log(2))
        assert found == pytest.approx(8 * math.sqrt(2 * math.log(2) + 8 / rows))


def test_hoeffding_of_the_notes():
    assert 2 * nm.hoeffding_tail(1000, 0.05) == pytest.approx(0.013476, abs=5e-7)
    facts = {"n": 1000, "errors": 0, "log_class_size": math.log(500)}
    width = get("finite-class-hoeffding")(two_sided=True).evaluate(Evidence(**facts), 0.05)
    assert 2 * 500 * math.exp(-2 * 1000 * width.unclipped**2) == pytest.approx(0.05)
    low, high = nm.normal_interval(30, 100, 0.05)
    assert (high - low) / 2 == pytest.approx(1.959963985 * math.sqrt(0.21 / 100))
    for call in ((5, 4, 0.05), (1, 4, 0.0), (1, 4, 1.5)):
        with pytest.raises(ValueError, match=r"impossible|delta"):
            nm.normal_interval(*call)


@pytest.mark.parametrize(
    ("h", "thousand", "ten_thousand"),
    [(3, 0.1640, 0.0581), (6, 0.2127, 0.0768), (10, 0.2595, 0.0951), (15, 0.3046, 0.1128),
     (21, 0.3479, 0.1302), (28, 0.3898, 0.1471)],
)  # fmt: skip
def test_vc_confidence_column(h, thousand, ten_thousand):
    assert vc_confidence(1000, h, 0.05) == pytest.approx(thousand, abs=5e-5)
    assert vc_confidence(10**4, h, 0.05) == pytest.approx(ten_thousand, abs=5e-5)
    # the certificate asks for the same number of rows as the slides, but for its 1/m
    certificate = get("vc-additive")().evaluate(Evidence(1000, errors=0, dimension=h), 0.05)
    rows = certificate.sample_size(0.1)
    assert vc_confidence(rows, h, 0.05) + 1 / rows <= 0.1
    assert vc_confidence(rows - 1, h, 0.05) + 1 / (rows - 1) > 0.1


def smallest_norm(signed):
    """‖w‖ of the shortest w with signed·w ≥ 1, as a least-distance programme (Lawson, Hanson)."""
    system = np.vstack([signed.T, np.ones(len(signed))])
    u, _ = nnls(system, np.append(np.zeros(signed.shape[1]), 1.0))
    residual = system @ u - np.append(np.zeros(signed.shape[1]), 1.0)
    return np.linalg.norm(residual[:-1] / residual[-1])


@pytest.mark.parametrize("seed", range(5))
def test_points_shattered_with_a_margin_are_few(seed):
    """Theorem 3.6 by force: r shattered points need R²Λ² ≥ r, with equality if orthonormal."""
    rng = np.random.default_rng(seed)
    for points in (rng.normal(size=(3, 4)), rng.normal(size=(4, 4)), np.eye(4)):
        signs = product((-1.0, 1.0), repeat=len(points))
        norm = max(smallest_norm(np.array(s)[:, None] * points) for s in signs)
        radius = np.linalg.norm(points, axis=1).max()
        assert vc_dimension_of("canonical", radius, norm) >= len(points) - 1e-9
    assert vc_dimension_of("canonical", radius, norm) == pytest.approx(4)


def test_sizes_that_no_class_has():
    for name, args in (("affine", (-1,)), ("finite", (0,)), ("canonical", (1.0, math.nan))):
        with pytest.raises(ValueError, match="at least zero"):
            vc_dimension_of(name, *args)


def test_neighbours_with_impossible_risks():
    with pytest.raises(ValueError, match="1/2"):
        neighbors.cover_hart_limits(0.6)
    with pytest.raises(ValueError, match="odd"):
        neighbors.k_neighbor_limit(0.1, 0.15, 2)


@pytest.mark.parametrize("excess", [1e-4, 0.01, 0.1])
def test_the_printed_transfer_of_the_logistic_loss_is_too_small(excess):
    """Ψ(s) = √s misses a factor (E-P24): natural logarithms need √(2s), and nearly all of it."""
    reached = calibration.excess_transfer("logistic", excess)
    assert math.sqrt(excess) < reached <= math.sqrt(2 * excess)
    assert reached > 0.95 * math.sqrt(2 * excess)


@pytest.mark.parametrize("n", [10, 1000])
def test_both_ranges_of_bounded_differences(n):
    """|ℓ| ≤ 1 moves a mean by 2/n, 0 ≤ ℓ ≤ 1 by 1/n."""
    for signed, step in ((True, 2 / n), (False, 1 / n)):
        found = rademacher.deviation(n, 0.05, signed=signed)
        assert found == pytest.approx(nm.mcdiarmid_radius(np.full(n, step), 0.05))


def test_complexity_of_balls_in_other_norms():
    X = np.random.default_rng(0).normal(size=(8, 3))
    corners = np.vstack([X.T, -X.T])  # of the ball ‖w‖₁ ≤ 1
    signs = np.array(list(product((-1.0, 1.0), repeat=3)))  # of ‖w‖∞ ≤ 1
    for order, members in ((np.inf, corners), (1, signs @ X.T)):
        value, error = rademacher.dual_norm_complexity(X, order=order, draws=4000)
        assert abs(value - rademacher.exact_complexity(members)) < 5 * error
    value, error = rademacher.dual_norm_complexity(X, 2.0, order=2, draws=4000)
    assert abs(value - rademacher.exact_ball_complexity(X @ X.T, 2.0)) < 5 * error
    with pytest.raises(ValueError, match="order"):
        rademacher.dual_norm_complexity(X, order=0.5)


def test_every_fact_of_the_ball_counts():
    plain = rademacher.ball_bound(1000, 0.05, 2.0, 3.0)
    assert plain == pytest.approx(2 * rademacher.deviation(1000, 0.05) + 8 / math.sqrt(1000) + 1)
    larger = rademacher.ball_bound(1000, 0.05, 2.0, 3.0, largest=5.0)
    assert larger - plain == pytest.approx(8 * rademacher.deviation(1000, 0.05))
    moments = rademacher.ball_bound(1000, 0.05, 2.0, 3.0, lipschitz=2.0, second_moment=4.0)
    assert moments == pytest.approx(plain + 3 * (8 / math.sqrt(1000) + 1))
    with pytest.raises(TypeError):
        rademacher.ball_bound(1000, 0.05, 2.0, 3.0, nonsense=1.0)


def test_failure_sets_are_as_many_as_labelings():
    """S(C, n) of the notes counts error patterns on labelled points; labels do not matter."""
    rng = np.random.default_rng(0)
    rules = rng.choice([-1, 1], size=(40, 5))
    for _ in range(5):
        labels = rng.choice([-1, 1], size=5)
        failures = hypotheses.loss_vectors(rules, labels)
        assert hypotheses.distinct(failures) == hypotheses.distinct(rules)
        assert hypotheses.vc_dimension(failures) == hypotheses.vc_dimension(rules)


@pytest.mark.parametrize("m", [1, 2, 5, 30, 301])
def test_sauer_in_both_halves(m):
    for d in range(0, m + 1, max(1, m // 7)):
        exact = mp.log(sum(math.comb(m, i) for i in range(d + 1)))
        assert nm.log_growth(m, d) == pytest.approx(float(exact), rel=1e-13, abs=1e-13)
        if d > 1 and m > 1:  # l^V of the notes; for V = 1 it is below l + 1 (E-B18)
            assert nm.log_growth(m, d) <= d * math.log(m) + 1e-9


@pytest.mark.parametrize(("m", "d"), [(2 * 10**7, 3), (2 * 10**7, 400)])
def test_sauer_keeps_its_digits_for_many_rows(m, d):
    with mp.workdps(40):
        exact = mp.log(mp.fsum(mp.binomial(m, i) for i in range(d + 1)))
    assert nm.log_growth(m, d) == pytest.approx(float(exact), rel=1e-14)


def test_nearly_all_subsets_of_many_points():
    """Nine of ten million: nearly everything, though most terms lie far below the last one."""
    assert nm.log_growth(10**7, 9 * 10**6) == pytest.approx(10**7 * math.log(2), rel=1e-12)
    assert nm.log_growth(10**7, 5 * 10**6) == pytest.approx((10**7 - 1) * math.log(2), abs=1e-3)


def test_the_enumerated_plane_tells_what_bounds_on_its_excess_need():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 1)), rng.choice([-1, 1], size=40)
    model = LinearERM().fit(X, y)
    assert model.evidence_.formulation == "erm"
    assert {"erm-excess", "erm-excess-shatter"} <= set(model.certificates_)
    assert "enumerated hyperplanes" in model.not_applicable_["erm-linear"]  # it was turned
    assert model.certificate_.quantity == "error rate"
    for other in (LinearERM(method="hinge").fit(X, y), LinearERM().fit(X, y, rng.random(40) + 1)):
        assert other.evidence_.formulation == "linear"
    with pytest.raises(ValueError, match="different things"):
        best_of(model.evidence_, 0.05, ("vc", "erm-excess"))
