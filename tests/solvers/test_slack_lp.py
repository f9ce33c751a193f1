"""The slack programmes: interior point and vertex against HiGHS, and against optimality itself."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from mercer.datasets import make_ringnorm
from mercer.kernels import Gaussian
from mercer.learners.margin.adaptive.machine import margin_matrix
from mercer.solvers import slack_lp
from mercer.solvers._crossover import cross_over
from mercer.solvers._interior import Interior
from mercer.solvers._vertex import Partition, vertex


def machine(n, lam, scale=1.5, seed=0):
    X, y, _ = make_ringnorm(n, d=4, random_state=seed)
    return margin_matrix(Gaussian(scale)(X), y.astype(float), lam)


@pytest.mark.parametrize("lam", [0.0, 0.3, 0.5, 1.0, 2.0, 8.0])
@pytest.mark.parametrize("scale", [1.5, 4.0])
def test_both_methods_find_the_same_objective(lam, scale):
    A = machine(120, lam, scale)
    exact = slack_lp.solve(A, method="highs")
    found = slack_lp.solve(A, method="interior-point")
    assert found.converged
    assert found.objective == pytest.approx(exact.objective, abs=2e-5 * (1 + exact.objective))
    assert_allclose(found.slack, np.maximum(1 - A @ found.alpha, 0))
    assert found.alpha.min() >= 0


def test_a_vertex_is_optimal_and_as_sparse_as_its_tight_rows():
    A = machine(300, 0.5)
    found = slack_lp.solve(A)
    assert found.vertex
    assert found.unique
    assert found.gap < 1e-8 * (1 + found.objective)
    assert np.all((found.dual >= 0) & (found.dual <= 1))
    assert (A.T @ found.dual).max() <= 2e-8 + 1e-6
    tight = np.abs(A @ found.alpha - 1) < 1e-7
    assert tight.sum() == (found.alpha > 0).sum()
    # any other feasible point is worse: move along random directions
    rng = np.random.default_rng(0)
    for _ in range(50):
        other = np.maximum(found.alpha + rng.normal(size=300) * 0.05 * (rng.random(300) < 0.1), 0)
        assert np.maximum(1 - A @ other, 0).sum() >= found.objective - 1e-9


@settings(max_examples=20)
@given(seed=st.integers(0, 10**6), rows=st.integers(1, 12), columns=st.integers(1, 12))
def test_random_programmes_against_highs(seed, rows, columns):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(rows, columns))
    cost = rng.uniform(0.2, 3.0, rows)
    exact = slack_lp.solve(A, cost, method="highs")
    found = slack_lp.solve(A, cost, method="interior-point")
    assert found.objective == pytest.approx(exact.objective, abs=1e-5 * (1 + exact.objective))


def test_a_warm_start_takes_fewer_steps_to_the_same_place():
    first = slack_lp.solve(machine(400, 0.5), method="interior-point")
    A = machine(400, 0.52)
    cold = slack_lp.solve(A, method="interior-point")
    warm = slack_lp.solve(A, start=first, method="interior-point")
    assert warm.objective == pytest.approx(cold.objective, abs=1e-7)
    assert warm.n_iter < cold.n_iter


def test_prices_of_slack_are_weights():
    A = machine(80, 2.0)
    cost = np.where(np.arange(80) < 40, 3.0, 1.0)
    weighted = slack_lp.solve(A, cost, method="interior-point")
    exact = slack_lp.solve(A, cost, method="highs")
    assert weighted.objective == pytest.approx(exact.objective, abs=1e-6)
    assert weighted.slack[:40].sum() < slack_lp.solve(A).slack[:40].sum()


def test_twins_have_many_optima_and_still_one_vertex():
    A = machine(60, 0.5)
    twice = np.kron(A, np.ones((2, 2)))
    found = slack_lp.solve(twice, method="interior-point")
    assert found.objective == pytest.approx(2 * slack_lp.solve(A).objective, abs=1e-5)
    assert found.vertex
    assert not found.unique


def test_limits_stop_it_and_say_so():
    A = machine(300, 0.5)
    few = slack_lp.solve(A, max_iter=3, method="interior-point")
    assert few.stopped == "max_iter"
    assert few.objective >= slack_lp.solve(A).objective - 1e-9
    quick = slack_lp.solve(A, time_limit=1e-9, method="interior-point")
    assert quick.stopped == "time_limit"
    seen = []
    stopped = slack_lp.solve(
        A, method="interior-point", callback=lambda p: seen.append(p["gap"]) or len(seen) > 4
    )
    assert stopped.stopped == "interrupt"
    assert seen[-1] < seen[0]


def test_where_rounding_ends_it_the_gap_tells_how_far_it_came():
    """A narrow kernel, λ = 1: rows that hardly see each other need weights of 10⁷."""
    A = machine(120, 1.0, 0.5)
    found = slack_lp.solve(A, method="interior-point")
    assert found.alpha.sum() > 1e7
    assert 0 < found.gap < 1e-4
    exact = slack_lp.solve(A, method="highs")
    tied = [one.objective + slack_lp.TIE * one.alpha.sum() for one in (found, exact)]
    assert tied[0] <= tied[1] + 1e-4  # HiGHS comes less far here


@pytest.mark.parametrize("gap", [1e-1, 1e-2, 1e-3])
def test_simplex_steps_lead_from_a_rough_iterate_to_the_optimal_vertex(gap):
    A, cost = machine(200, 0.5), np.ones(200)
    run = Interior(A, cost, slack_lp.TIE)
    while run.relative_gap() > gap:
        assert run.step()
    assert vertex(A, cost, slack_lp.TIE, Partition.of(run)) is None  # not there yet
    guess = cross_over(A, cost, slack_lp.TIE, run, 1000)
    alpha, dual = vertex(A, cost, slack_lp.TIE, guess)
    primal = np.maximum(1 - A @ alpha, 0).sum() + slack_lp.TIE * alpha.sum()
    assert dual.sum() == pytest.approx(primal, rel=1e-9)
    exact = slack_lp.solve(A, method="highs").objective
    assert primal == pytest.approx(exact, rel=1e-5)
    if gap == 1e-1:  # many steps: stopped early there is no answer
        assert cross_over(A, cost, slack_lp.TIE, run, 1) is None
        assert cross_over(A, cost, slack_lp.TIE, run, 1000, lambda: True) is None


@settings(max_examples=25)
@given(seed=st.integers(0, 10**6), rows=st.integers(2, 15), twins=st.booleans())
def test_simplex_steps_on_random_programmes(seed, rows, twins):
    """Whatever the iterate, the basis is optimal or none is returned; twins make it singular."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(rows, rows))
    A = np.kron(A, np.ones((2, 2))) if twins else A
    cost = rng.uniform(0.2, 3.0, len(A))
    run = Interior(A, cost, slack_lp.TIE)
    for _ in range(4):
        run.step()
    guess = cross_over(A, cost, slack_lp.TIE, run, 300)
    found = None if guess is None else vertex(A, cost, slack_lp.TIE, guess)
    if found is not None:
        exact = slack_lp.solve(A, cost, method="highs").objective
        reached = cost @ np.maximum(1 - A @ found[0], 0)
        assert reached == pytest.approx(exact, abs=1e-5 * (1 + exact))
    elif not twins:
        assert guess is not None
