"""Which bound lies below which, and that none falls when what it pays for grows.

The relations are those that the texts' catalogue states for PAC-Bayes, compression, on-line
learning and stability.
"""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mercer.bounds import Compression, Evidence, Mistakes, Posterior, Progressive, Vote, get
from mercer.bounds.compression import lossless, lossy, lossy_explicit
from mercer.bounds.mistakes import mistake_bound
from mercer.bounds.numerics import clopper_upper
from mercer.bounds.pacbayes import pac_bayes_kl
from mercer.bounds.pacbayes_classic import mcallester, pac_bayes_lambda, pinsker
from mercer.bounds.stability import stability_width

ROWS, LEVELS = st.integers(2, 10**6), st.floats(1e-12, 0.5)
SLACK = 1 + 1e-9


def value(code, evidence, delta=0.05, **params):
    return get(code)(**params).evaluate(evidence, delta).unclipped


@settings(max_examples=80)
@given(ROWS, LEVELS, st.floats(0, 1), st.floats(0, 2e3), st.floats(0.01, 1.99))
def test_relaxations_of_the_relative_entropy_bound(m, delta, rate, kl, lam):
    exact, maurer, langford = (
        pac_bayes_kl(rate, kl, m, delta, constant=c) for c in ("exact", "maurer", "langford")
    )
    assert exact <= maurer * SLACK
    assert maurer <= langford * SLACK
    refined = pinsker(rate, kl, m, delta, refined=True)
    assert maurer <= pinsker(rate, kl, m, delta) * SLACK
    assert maurer <= refined * SLACK
    assert pinsker(rate, kl, m, delta) <= mcallester(rate, kl, m, delta) * SLACK
    assert maurer <= pac_bayes_lambda(rate, kl, m, delta, lam) * SLACK


@settings(max_examples=60)
@given(ROWS, LEVELS, st.floats(1e-3, 1), st.integers(1, 400))
def test_forms_of_the_margin_theorem(m, delta, gamma, rank):
    margin = {"margins": np.array([gamma]), "norm": 1.0, "point_norms": np.ones(1)}
    evidence = Evidence(m, errors=0, rank=min(rank, m), **margin)
    forms = [value("cap-margin", evidence, delta, form=f) for f in ("consistent", "exact-cap")]
    assert forms[0] <= forms[1] * SLACK
    assert forms[1] <= value("cap-margin", evidence, delta, form="book") * SLACK


def test_a_feature_space_larger_than_the_sample_costs_no_more_than_the_rows_span():
    margin = {"margins": np.array([0.99]), "norm": 1.0, "point_norms": np.ones(1)}
    few, many = (Evidence(50, errors=0, rank=r, **margin) for r in (51, 10**6))
    assert value("cap-margin", few) == value("cap-margin", many) < 1
    assert value("cap-margin", Evidence(50, errors=0, rank=50, **margin)) < value(
        "cap-margin", many
    )


@settings(max_examples=60)
@given(st.integers(4, 10**5), LEVELS, st.floats(0, 0.9), st.floats(0, 0.5))
def test_tail_inversion_is_below_the_closed_forms(m, delta, kept, wrong):
    d = int(kept * m)
    k = int(wrong * (m - d))
    clean, errors = (Evidence(m, compression=Compression(m, d, e)) for e in (0, k))
    assert value("compression", clean, delta) <= min(1.0, lossless(m, d, delta)) * SLACK
    tail = value("compression", errors, delta)
    assert tail <= lossy(m, d, k, delta) * SLACK
    assert tail <= lossy_explicit(m, d, k, delta) * SLACK


@settings(max_examples=60)
@given(st.integers(4, 10**6), LEVELS, st.floats(0, 0.5))
def test_sparsity_is_below_the_mistake_bound(m, delta, share):
    limit = math.floor(share * m)
    for in_order in (True, False):  # ln(C(m,d)·d!) <= d·ln m also without the file's order
        run = Mistakes(m, limit // 2, limit=float(limit), in_order=in_order)
        sparse = value("mistake-sparsity", Evidence(m, mistakes=run), delta)
        assert sparse <= max(1.0, mistake_bound(m, limit, delta)) * SLACK
        assert value("mistake-compression", Evidence(m, mistakes=run), delta) <= sparse * SLACK


@pytest.mark.parametrize("tau", [0.1, 0.5, 0.9, 1.0, 1.5, 4.0])
@pytest.mark.parametrize("lam", [0.01, 1.0, 10.0])
def test_printed_and_corrected_stability(tau, lam):
    """With k(x,x) ≤ 1 the printed form is larger below τ = 1, smaller (and unproved) above."""
    m = 5000
    evidence = Evidence(
        m, loss="hinge", margins=np.array([9.0]), radius=1.0, C=1 / (2 * lam * m), errors=0
    )
    sharp, book = (value("stability", evidence, tau=tau, constant=c) for c in ("sharp", "book"))
    printed = value("stability", evidence, tau=tau, as_printed=True)
    assert sharp < book
    assert np.sign(round(printed - book, 12)) == np.sign(1.0 - tau)
    # exactly half the width, but for the 2β that is not a deviation
    beta = 1 / (2 * lam * m * tau)
    assert sharp - 2 * beta == pytest.approx((book - 2 * beta) / 2)


@pytest.mark.parametrize(("radius", "smaller"), [(0.5, True), (2.0, False)])
def test_printed_stability_squares_the_kernel_once_too_often(radius, smaller):
    """E-28: κ² is printed where κ = sup k(x,x): too small for k(x,x) < 1."""
    m = 5000
    evidence = Evidence(
        m, loss="hinge", margins=np.array([9.0]), radius=radius, C=1 / (2 * m), errors=0
    )
    printed, book = (value("stability", evidence, **{k: v}) for k, v in
                     (("as_printed", True), ("constant", "book")))  # fmt: skip
    assert (printed < book) == smaller
    k = radius**4
    assert printed == pytest.approx(k / m + (2 * k + 1) * math.sqrt(2 * math.log(20) / m))
    assert book == pytest.approx(
        stability_width(m, radius**2 / (2 * m), 1.0, 0.05, constant="book")
    )


@settings(max_examples=40)
@given(ROWS, LEVELS, st.floats(0.1, 10), st.floats(0.1, 10))
def test_too_little_regularisation_says_nothing(m, delta, kappa2, b):
    """§8.3: λ < κ²/(b·m) is vacuous whatever the confidence."""
    beta = kappa2 / (2 * (0.999 * kappa2 / (b * m)) * m)
    assert stability_width(m, beta, b, delta, constant="sharp") > b


def posterior(kl, gibbs=0.0, **facts):
    return Evidence(300, posterior=Posterior(300, gibbs, kl, **facts))


def stable(lam, **facts):
    facts = {"loss": "hinge", "margins": np.ones(1)} | facts
    return Evidence(300, radius=1.0, C=1 / (600 * lam), **facts)


KLS, HALF = (0.0, 0.1, 3.0, 50.0), (0.0, 0.1, 0.3, 0.5)
GROWING = {
    "gibbs-subset": [posterior(k, 0.1, restricted=True) for k in KLS],
    "bayes-subset": [posterior(k, restricted=True, vote_is_model=True) for k in KLS],
    "mcallester": [posterior(k, 0.2) for k in KLS],
    "catoni": [posterior(k, 0.2) for k in KLS],
    "pac-bayes-lambda": [posterior(k, 0.2) for k in KLS],
    "consistent-gibbs": [posterior(k) for k in KLS],
    "pac-bayes-prior": [posterior(k, 0.2, trained_on=9) for k in KLS],
    "mcallester, rate": [posterior(1.0, r) for r in HALF],
    "catoni, rate": [posterior(1.0, r) for r in HALF],
    "pac-bayes-lambda, rate": [posterior(1.0, r) for r in HALF],
    "pac-bayes-prior, rate": [posterior(1.0, r) for r in HALF],
    "pac-bayes-prior, candidates": [posterior(1.0, 0.1, candidates=j) for j in (1, 2, 9)],
    "vote-first-order": [Evidence(9, vote=Vote(300, 0.2, kl=k)) for k in KLS],
    "vote-tandem": [Evidence(9, vote=Vote(300, 0.2, tandem=0.1, kl=k)) for k in KLS],
    "vote-c-bound": [Evidence(9, vote=Vote(3000, 0.2, disagreement=0.3, kl=k)) for k in KLS],
    "compression": [Evidence(300, compression=Compression(300, d)) for d in (0, 1, 30, 140)],
    "compression, errors": [
        Evidence(300, compression=Compression(300, 9, k)) for k in (0, 1, 30, 150)
    ],
    "compression, bits": [
        Evidence(300, compression=Compression(300, 9, bits=b)) for b in (0.0, 1.0, 16.0)
    ],
    "mistake-bound": [Evidence(300, mistakes=Mistakes(300, 0, limit=k)) for k in (0.0, 2.5, 90.0)],
    "mistake-sparsity": [Evidence(300, mistakes=Mistakes(300, 0, limit=k)) for k in (0.0, 9.0, 90)],
    "mistake-compression": [Evidence(300, mistakes=Mistakes(300, d)) for d in (0, 3, 140)],
    "progressive": [Evidence(9, progressive=Progressive(300, k)) for k in (0, 3, 90)],
    "progressive-min": [Evidence(9, progressive=Progressive(300, k)) for k in (0, 3, 90)],
    "stability": [stable(lam) for lam in (10.0, 1.0, 0.1)],
    "stability-scales": [stable(lam) for lam in (10.0, 1.0, 0.1)],
    "stability-regression": [
        stable(
            lam,
            task="regression",
            loss="epsilon-insensitive",
            margins=None,
            slacks=np.zeros(1),
            loss_range=(0, 1),
        )
        for lam in (10.0, 1.0, 0.1)
    ],
    "neighbour-stability": [
        Evidence(300, neighbours=k, loo={"exact": 0.1}) for k in (1, 3, 300)
    ],
    "cap-margin": [
        Evidence(300, errors=0, margins=[g], norm=1.0, point_norms=[1.0], rank=9)
        for g in (1.0, 0.9, 0.3, 0.01)
    ],
    "cap-margin, rank": [
        Evidence(300, errors=0, margins=[0.3], norm=1.0, point_norms=[1.0], rank=r)
        for r in (1, 2, 9, 100)
    ],
    "gaussian-margin": [
        Evidence(300, margins=[g], norm=1.0, point_norms=[1.0]) for g in (1.0, 0.9, 0.3, 0.1)
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", GROWING)
def test_more_complexity_is_never_cheaper(name):
    code = name.split(",")[0]
    values = [value(code, evidence) for evidence in GROWING[name]]
    assert all(a < b for a, b in pairwise(values)), values


def test_best_progressive_model_costs_no_more_than_one_holdout():
    run = Evidence(9, progressive=Progressive(300, 7, models=30))
    assert value("progressive-min", run) == clopper_upper(7, 300, 0.05)
