"""Growing samples against their limits: what theorems II.11 and II.15 say happens, happens."""

import numpy as np
import pytest

from mercer.learners.spectral import convergence as lab
from mercer.learners.spectral.laplacians import eigenpairs

SIZES = (60, 240, 960)


@pytest.mark.parametrize("law", [lab.line(), lab.square(), lab.uneven()], ids=lambda law: law.name)
@pytest.mark.parametrize("laplacian", ["symmetric", "random-walk"])
def test_normalised_laplacians_converge(law, laplacian):
    study = lab.convergence(law, SIZES, laplacian=laplacian, k=1, repeats=6)
    assert study.limit.exists.all()
    for what in ("sup", "l2", "value_error"):
        small, middle, large = study.mean(what)[:, 0]
        assert large < middle < small, what
        assert large < 0.45 * small, what  # sixteen times the rows: a fourth, if the rate is 1/√n
    assert study.mean("sup")[-1, 0] < 0.12
    assert np.all(study.mean("l2") <= study.mean("sup"))


@pytest.mark.parametrize("law", [lab.line(), lab.square()], ids=lambda law: law.name)
def test_the_plain_laplacian_converges_below_the_degrees(law):
    study = lab.convergence(law, SIZES, laplacian="unnormalized", k=1, repeats=6)
    assert study.limit.values[1] < study.limit.degree_range[0]
    for what in ("sup", "l2", "value_error"):
        small, _, large = study.mean(what)[:, 0]
        assert large < 0.45 * small, what


@pytest.mark.parametrize(
    "law",
    [lab.counterexample(), pytest.param(lab.uneven(), marks=pytest.mark.slow)],
    ids=lambda law: law.name,
)
def test_the_plain_laplacian_does_not_converge_inside_the_degrees(law):
    study = lab.convergence(law, SIZES, laplacian="unnormalized", k=1, repeats=6)
    low, high = study.limit.degree_range
    assert not study.limit.exists[1]
    assert np.isnan(study.mean("sup")).all()
    assert np.all(study.mean("peak") > 0.5)  # a spike at every size, it does not get flatter
    for run in study.runs:
        assert run.smaller_side[0] == pytest.approx(1 / run.n)  # which cuts off one point
        assert low - 0.1 < run.values[0] < high
    vectors = []
    for seed in (0, 1):  # and two samples do not agree: the spike is at another point
        X = np.sort(law.sample(400, seed), axis=0)
        vectors.append(eigenpairs(law.similarity(X), 2, "unnormalized")[1][:, 1] * 20)
    sup, _ = lab.aligned_errors(*vectors)
    assert sup > 1.0


def test_one_law_that_converges_with_normalisation_and_not_without():
    law = lab.uneven(0.25)
    assert law.limit("symmetric", 1).exists[1]
    assert not law.limit("unnormalized", 1).exists[1]
    assert lab.uneven(0.6).limit("unnormalized", 1).exists[1]
    with pytest.raises(ValueError, match="contrast"):
        lab.uneven(1.5)


def test_limits_solve_their_own_equation():
    """λ f = d f − ∫ k f dP and 1 − λ = ∫ k f/√(d d') dP, by a fine Riemann sum."""
    law = lab.line()
    edges = np.linspace(0, 3, 6001)
    x = 0.5 * (edges[1:] + edges[:-1])[:, None]
    mass = law.density(x) / law.density(x).sum()
    rows = x[::500]
    K = law.similarity(rows, x)
    for kind in ("symmetric", "random-walk", "unnormalized"):
        limit = law.limit(kind, 2)
        f, at = limit.at(x), limit.at(rows)
        d, own = law.similarity(x) @ mass if kind == "symmetric" else None, K @ mass
        if kind == "unnormalized":
            left = own[:, None] * at - K @ (mass[:, None] * f)
        elif kind == "random-walk":
            left = at - K @ (mass[:, None] * f) / own[:, None]
        else:
            left = at - (K / np.sqrt(np.outer(own, d))) @ (mass[:, None] * f)
        assert left == pytest.approx(at * limit.values, abs=2e-4)
        assert mass @ f**2 == pytest.approx(np.ones(3), abs=1e-4)


def test_signs_are_aligned_and_numbers_can_be_had():
    v = np.array([1.0, -2.0, 0.5])
    assert lab.aligned_errors(v, -v) == (0.0, 0.0)
    sup, l2 = lab.aligned_errors(v, v + np.array([0.0, 0.3, 0.0]))
    assert (sup, l2) == pytest.approx((0.3, 0.3 / np.sqrt(3)))
    study = lab.convergence(lab.line(), (40, 60), k=2, repeats=2)
    frame = study.frame()
    assert len(frame["n"]) == 2 * 2 * 2
    assert frame["sup"][0] == study.runs[0].sup[0]
    assert study.sizes.tolist() == [40, 60]
    with pytest.raises(ValueError, match="laplacian must be one of"):
        lab.convergence(lab.line(), laplacian="plain")
