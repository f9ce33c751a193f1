"""Catalogue values: golden numbers computed independently of this code (theory catalogue §15)."""

import math

import numpy as np
import pytest

from mercer.bounds import Compression, Evidence, HoldOut, Pick, Posterior, Vote, curve, get
from mercer.bounds import numerics as nm
from mercer.bounds.compression import (
    compression_log_price,
    lossless,
    lossless_relaxed,
    lossy,
    lossy_explicit,
)
from mercer.bounds.margin_pacbayes import gaussian_gibbs
from mercer.bounds.mistakes import mistake_bound
from mercer.bounds.pacbayes import pac_bayes_kl
from mercer.bounds.stability import stability_width

DELTA = 0.05


def value(code, evidence, delta=DELTA, **params):
    return get(code)(**params).evaluate(evidence, delta).unclipped


def test_test_set_bounds():
    ten = Evidence(1, holdout=HoldOut(1000, 10))
    assert value("holdout", ten) == pytest.approx(0.0169032, abs=5e-8)
    assert value("holdout", Evidence(1, holdout=HoldOut(1000, 0))) == pytest.approx(0.00299125)
    assert nm.kl_upper(0.01, math.log(20) / 1000) == pytest.approx(0.0197561, abs=5e-8)
    assert 0.01 + nm.hoeffding_radius(1000, DELTA) == pytest.approx(0.0487023, abs=5e-8)
    assert math.log(20) / 1000 == pytest.approx(0.00299573, abs=5e-9)


@pytest.mark.parametrize(
    ("growth", "m", "expected"),
    [("closed", 1000, 0.734113), ("sauer", 1000, 0.722602), ("closed", 10000, 0.268910)],
)
def test_vc_agnostic(growth, m, expected):
    evidence = Evidence(m, errors=0, dimension=10)
    assert value("vc", evidence, growth=growth) == pytest.approx(expected, abs=5e-7)


def test_vc_zero_error_and_relative():
    evidence = Evidence(1000, errors=0, dimension=10)
    assert value("vc-zero-error", evidence) == pytest.approx(0.186327, abs=5e-7)
    book = {"form": "book"}
    assert value("vc-zero-error", evidence, **book) == pytest.approx(0.258304, abs=5e-7)
    for m, closed in ((1000, 0.266688), (10000, 0.0358792)):
        rows = Evidence(m, errors=0, dimension=10)
        found = value("vc-zero-error", rows, growth="closed", **book)
        assert found == pytest.approx(closed, abs=5e-7)
    tenth = Evidence(1000, errors=100, dimension=10)
    assert value("vc-relative", tenth, growth="closed") == pytest.approx(0.533613, abs=5e-7)
    with_offset = Evidence(1000, errors=100, dimension=9, offset=0.0)
    assert value("vc", with_offset) == pytest.approx(value("vc", tenth))
    for code in ("vc", "vc-relative"):
        exact = [value(code, tenth, growth=g) for g in ("cover", "sauer", "closed")]
        assert exact == sorted(exact)


def test_vc_needs_forty_four_rows_per_dimension():
    """Catalogue §2.4: (4.14) says something only from m/vc = 43.8 on."""
    c = curve(
        get("vc")(growth="closed"), Evidence(1000, errors=0, dimension=1000), "n", [43e3, 46e3]
    )
    assert c.values[0] > 1 > c.values[1]
    assert c.informative_from == 46e3


def test_compression():
    kept = Evidence(1000, compression=Compression(1000, 50))
    assert value("compression", kept) == pytest.approx(0.194577, abs=5e-7)
    lossy_kept = Evidence(1000, compression=Compression(1000, 50, 20))
    assert value("compression", lossy_kept) == pytest.approx(0.254256, abs=5e-7)
    assert lossless(1000, 50, DELTA) == pytest.approx(0.216387, abs=5e-7)
    assert lossless(1000, 50, DELTA, ordered=True) == pytest.approx(0.372679, abs=5e-7)
    assert lossless_relaxed(1000, 50, DELTA) == pytest.approx(0.419380, abs=5e-7)
    assert lossy(1000, 50, 20, DELTA) == pytest.approx(0.355461, abs=5e-7)
    assert lossy_explicit(1000, 50, 20, DELTA) == pytest.approx(0.281206, abs=5e-7)
    level = math.log(DELTA) - compression_log_price(1000, 50)
    assert level == pytest.approx(-205.568, abs=5e-4)
    ordered = Evidence(1000, compression=Compression(1000, 50, ordered=True))
    assert value("compression", kept) < value("compression", ordered) < 0.372679


PERCEPTRON = (740, 643, 1168, 1512, 1078, 1277, 823, 1103, 1856, 1920)
MACHINE = (1379, 989, 1958, 1900, 1224, 2024, 1527, 2064, 2332, 2765)
LOSSLESS_PERCEPTRON = (6.75, 6.01, 9.80, 12.08, 9.18, 10.54, 7.36, 9.36, 14.25, 14.65)
LOSSLESS_MACHINE = (11.22, 8.56, 14.88, 14.52, 10.18, 15.28, 12.18, 15.52, 17.11, 19.60)
TAIL_PERCEPTRON = (6.52, 5.83, 9.34, 11.38, 8.77, 10.00, 7.10, 8.93, 13.28, 13.62)


def test_mnist_sparsity_table():
    """Graepel, Herbrich and Williamson: ten one-against-rest problems, m = 60000 (§13.15)."""
    for kept, percent in zip(
        PERCEPTRON + MACHINE, LOSSLESS_PERCEPTRON + LOSSLESS_MACHINE, strict=True
    ):
        assert 100 * lossless(60000, kept, DELTA) == pytest.approx(percent, abs=0.011)
    for kept, percent in zip(PERCEPTRON, TAIL_PERCEPTRON, strict=True):
        evidence = Evidence(60000, compression=Compression(60000, kept))
        assert 100 * value("compression", evidence) == pytest.approx(percent, abs=0.006)
    # first and last digit: (5.17) with all mistakes, and the ordered form
    loose = [100 * mistake_bound(60000, k, DELTA) for k in (844, 2367)]
    assert loose == pytest.approx([33.8, 94.7], abs=0.06)
    ordered = [100 * lossless(60000, k, DELTA, ordered=True) for k in (740, 1920)]
    assert ordered == pytest.approx([13.8, 36.3], abs=0.06)


def test_compression_is_vacuous_beyond_a_third():
    """§7.2: (5.16) is trivial once d/m exceeds about .352."""
    for m, last in ((100, 32), (500, 172), (1000, 347), (10000, 3511)):
        assert lossless(m, last, DELTA) < 1 <= lossless(m, last + 1, DELTA)
    for m, last in ((100, 16), (500, 68), (1000, 126), (10000, 983)):
        here, beyond = (lossless(m, d, DELTA, ordered=True) for d in (last, last + 1))
        assert here < 1 <= beyond
    million = 10**6
    assert lossless_relaxed(million, 186_500, DELTA) < 1 < lossless_relaxed(million, 187_500, DELTA)
    # §7.3: the lossy form lasts longer, up to .69, but is much larger for small d
    assert lossy(million, 685_000, 0, DELTA) < 1 < lossy(million, 695_000, 0, DELTA)
    assert lossy(million, 1000, 0, DELTA) > 5 * lossless(million, 1000, DELTA)


def gaussian(gamma, m):
    return gaussian_gibbs(np.array([gamma]), m, math.log(DELTA), constant="langford")


def test_gaussian_margin():
    at_eight = gaussian_gibbs(np.array([0.3]), 1000, math.log(DELTA), constant="langford", mu=8.0)
    assert 2 * at_eight[0] == pytest.approx(0.130821, abs=5e-7)
    assert at_eight[2] == pytest.approx(0.0081975, abs=5e-8)
    best, mu, _ = gaussian(0.3, 1000)
    assert 2 * best == pytest.approx(0.124152, abs=2e-6)
    assert mu == pytest.approx(9.04, abs=0.02)
    evidence = Evidence(1000, margins=np.array([0.6]), norm=2.0, point_norms=np.ones(1))
    printed = value("gaussian-margin", evidence, constant="langford")
    assert printed == pytest.approx(0.124152, abs=2e-6)
    assert value("gaussian-margin", evidence) < printed


@pytest.mark.parametrize(
    ("gamma", "m", "expected"),
    [(0.1, 1000, 0.4990), (0.3, 1000, 0.1242), (0.5, 1000, 0.0659), (0.9, 1000, 0.0371),
     (0.05, 60000, 0.0700), (0.1, 60000, 0.0225), (0.2, 60000, 0.0071), (0.5, 60000, 0.0018)],
)  # fmt: skip
def test_gaussian_margin_table(gamma, m, expected):
    assert 2 * gaussian(gamma, m)[0] == pytest.approx(expected, abs=6e-5)


@pytest.mark.parametrize(
    ("gamma", "first"), [(0.02, 4295), (0.05, 770), (0.1, 227), (0.2, 76), (0.3, 43), (0.5, 24)]
)
def test_gaussian_margin_vacuity(gamma, first):
    """§12.2: the smallest m at which it says anything."""
    assert 2 * gaussian(gamma, first)[0] < 1
    assert 2 * gaussian(gamma, first - 2)[0] > 1 - 3e-3
    assert 2 * gaussian(gamma, round(0.9 * first))[0] > 1


@pytest.mark.parametrize(
    ("m", "rank", "gamma", "expected"),
    [
        (1000, 10, 0.1, 0.0509),
        (1000, 10, 0.3, 0.0314),
        (1000, 10, 0.9, 0.0108),
        (1000, 100, 0.5, 0.1439),
        (1000, 1000, 0.9, 0.2115),
        (60000, 784, 0.1, 0.0594),
    ],
)
def test_cap_margin(m, rank, gamma, expected):
    facts = {"margins": np.array([gamma]), "norm": 1.0, "point_norms": np.ones(1), "rank": rank}
    assert value("cap-margin", Evidence(m, errors=0, **facts)) == pytest.approx(expected, abs=6e-5)


def test_cap_margin_is_below_the_printed_theorem():
    """(5.12) at m=1000, n=10, margin .3 is .0992."""
    log_ratio = -nm.log_cap_bound(10, 0.3) - math.log(2)
    printed = 2 / 1000 * (log_ratio + 2 * math.log(1000) + math.log(20) + 2)
    assert printed == pytest.approx(0.0992, abs=5e-5)
    exact = 2 / 1000 * (-nm.log_cap_fraction(10, 0.3) + 2 * math.log(1000) + math.log(20) + 1)
    assert exact == pytest.approx(0.0613, abs=5e-5)


def test_pac_bayes_kl():
    kl = math.log(1e6)
    assert pac_bayes_kl(0.0, kl, 1000, DELTA, constant="langford") == pytest.approx(
        0.0234409, abs=5e-8
    )
    assert pac_bayes_kl(0.0, kl, 1000, DELTA, constant="maurer") == pytest.approx(
        0.0207402, abs=5e-8
    )
    assert pac_bayes_kl(0.1, kl, 1000, DELTA, constant="langford") == pytest.approx(
        0.177610, abs=5e-7
    )
    assert pac_bayes_kl(0.1, kl, 1000, DELTA, constant="maurer") == pytest.approx(
        0.172291, abs=5e-7
    )
    assert pac_bayes_kl(0.1, kl, 1000, DELTA) < 0.172291
    evidence = Evidence(2000, posterior=Posterior(1000, 0.1, kl, vote_is_model=True))
    assert value("pac-bayes-prior", evidence, constant="maurer") == pytest.approx(
        0.172291, abs=5e-7
    )
    assert value("pac-bayes-prior-vote", evidence, constant="maurer") == pytest.approx(
        2 * 0.172291, abs=1e-6
    )


def test_majority_vote_of_graal():
    """certificates.md §1: Gibbs .2, disagreement .3, m = 1000, KL = 2 gives .360433."""
    evidence = Evidence(1000, vote=Vote(1000, 0.2, disagreement=0.3, kl=2.0))
    found = value("vote-c-bound", evidence)
    # the published optimiser stops 2.7e-6 short of the maximum, which is the unsafe side
    assert found == pytest.approx(0.3604357, abs=5e-8)
    assert 0.360433 < found < 0.360433 + 5e-6


@pytest.mark.parametrize(
    ("lam", "m", "book", "sharp"), [(1.0, 1000, 0.2332, 0.1171), (0.1, 10000, 0.5150, 0.2580)]
)
def test_stability(lam, m, book, sharp):
    evidence = Evidence(
        m, loss="hinge", margins=np.array([2.0]), radius=1.0, C=1 / (2 * lam * m), errors=0
    )
    assert value("stability", evidence) == pytest.approx(sharp, abs=5e-5)
    assert value("stability", evidence, constant="book") == pytest.approx(book, abs=5e-5)
    # E-31: the book's displayed corollary is smaller than its own theorem for lam < sqrt 2
    displayed = 1 / (lam * m) + 2 * (1 + lam) / lam * math.sqrt(math.log(20) / m)
    assert displayed < value("stability", evidence, constant="book")
    regression = Evidence(
        m,
        task="regression",
        loss="epsilon-insensitive",
        slacks=np.zeros(1),
        radius=1.0,
        C=1 / (2 * lam * m),
        loss_range=(0, 1),
    )
    assert value("stability-regression", regression) == pytest.approx(sharp, abs=5e-5)


@pytest.mark.parametrize(
    ("lam", "book", "sharp"), [(1.0, 56, 16), (0.1, 2663, 681), (0.01, 242262, 60716)]
)
def test_stability_vacuity(lam, book, sharp):
    """§8.5: first m at which the hinge bound with zero slack is below one."""
    for constant, first in (("book", book), ("sharp", sharp)):
        here, before = (
            stability_width(m, 1 / (2 * lam * m), 1.0, DELTA, constant=constant)
            for m in (first, first - 1)
        )
        assert here < 1 <= before


def test_stability_scales_with_tau_not_tau_squared():
    """§8.5: the printed 1/tau² form is smaller for tau > 1 and unjustified."""
    evidence = Evidence(
        1000, loss="hinge", margins=np.array([9.0]), radius=1.0, C=1 / 2000, errors=0
    )
    tau = 2.0
    corrected = 1 / (1000 * tau) + (1 + 2 / tau) * math.sqrt(math.log(20) / 2000)
    assert value("stability", evidence, tau=tau) == pytest.approx(corrected)


def test_scenario_and_pick_to_learn():
    kept = Evidence(1000, compression=Compression(1000, 50))
    assert value("scenario", kept) == pytest.approx(0.0732, abs=5e-5)
    two_sided = Evidence(
        1000, task="novelty", compression=Compression(1000, 50, nondegenerate=True)
    )
    assert value("scenario", two_sided) == pytest.approx(0.0753, abs=5e-5)
    published = Evidence(1000, pick=Pick(1000, 50))
    assert value("compress", published) == pytest.approx(0.0732, abs=5e-5)


@pytest.mark.parametrize(
    ("errors", "rows", "row"),
    [
        (16, 400, (0.0601, 0.0641, 0.0690, 0.0725, 0.0768, 0.0829)),
        (8, 200, (0.0710, 0.0773, 0.0850, 0.0905, 0.0973, 0.1072)),
        (60, 1000, (0.0738, 0.0766, 0.0798, 0.0820, 0.0848, 0.0887)),
    ],
)
def test_price_of_candidates(errors, rows, row):
    """certificate-research.md §5: the test part shared by 1 to 100 candidates."""
    for candidates, expected in zip((1, 2, 5, 10, 25, 100), row, strict=True):
        evidence = Evidence(1, holdout=HoldOut(rows, errors))
        assert value("holdout", evidence, DELTA / candidates) == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize(
    ("errors", "rows", "kl", "exact"),
    [(4, 200, 0.0544, 0.0452), (20, 500, 0.0652, 0.0576), (45, 500, 0.1246, 0.1139)],
)
def test_kl_is_looser_than_the_exact_tail(errors, rows, kl, exact):
    assert nm.kl_upper(errors / rows, math.log(20) / rows) == pytest.approx(kl, abs=5e-5)
    assert nm.clopper_upper(errors, rows, DELTA) == pytest.approx(exact, abs=5e-5)


def test_rademacher_order_of_magnitude():
    """§5.12: c = 10, m = 1000, fixed scale: 2 sqrt(c/m) + sqrt(ln(1/delta)/(2m)) = .239."""
    from mercer.bounds.rademacher import radius_bound, trace_bound

    fixed = radius_bound(0.0, 1000, math.sqrt(10), 1.0, math.log(DELTA))
    assert fixed == pytest.approx(0.239, abs=5e-4)
    assert trace_bound(0.0, 1000, math.sqrt(10), 1000.0, math.log(DELTA)) > fixed
