"""Programmes of any shape: against scipy and the machines' own solvers, by their conditions."""

import numpy as np
import pytest
from scipy.optimize import linprog, minimize

from mercer import SVC
from mercer.kernels import Gaussian
from mercer.solvers.programmes import NoSolution, linear_programme, quadratic_programme


def conditions_hold(found, tol=1e-6):
    assert abs(found.gap) < tol * (1 + abs(found.objective))
    assert found.stationarity < tol
    assert found.infeasibility < tol
    assert found.complementarity < tol
    assert np.all(found.inequality >= -tol)
    assert "duality gap" in found.explain()


@pytest.mark.parametrize("seed", range(8))
def test_random_quadratic_programmes(seed):
    rng = np.random.default_rng(seed)
    n, m, p = rng.integers(2, 8), rng.integers(0, 9), rng.integers(0, 2)
    root = rng.normal(size=(n, rng.integers(1, n + 1)))  # P may be singular
    P, q = root @ root.T, rng.normal(size=n)
    inside = rng.normal(size=n)
    G, A = rng.normal(size=(m, n)), rng.normal(size=(p, n))
    h, b = G @ inside + rng.random(m), A @ inside
    found = quadratic_programme(P, q, G, h, A, b, lower=inside - 2, upper=inside + 2)
    conditions_hold(found)
    checks = [
        {"type": "ineq", "fun": lambda x: h - G @ x},
        {"type": "eq", "fun": lambda x: A @ x - b},
    ]
    slow = minimize(
        lambda x: 0.5 * x @ P @ x + q @ x, inside, jac=lambda x: P @ x + q, method="SLSQP",
        bounds=list(zip(inside - 2, inside + 2, strict=True)), constraints=checks,
        options={"ftol": 1e-13, "maxiter": 500},
    )  # fmt: skip
    assert found.objective == pytest.approx(slow.fun, abs=1e-6)


def test_without_constraints_and_with_equalities_only():
    P, q = np.array([[3.0, 1.0], [1.0, 2.0]]), np.array([1.0, -1.0])
    assert quadratic_programme(P, q).x == pytest.approx(np.linalg.solve(P, -q))
    found = quadratic_programme(P, q, A=[[1.0, 1.0]], b=[1.0])
    conditions_hold(found)
    bordered = np.block([[P, np.ones((2, 1))], [np.ones((1, 2)), np.zeros((1, 1))]])
    exact = np.linalg.solve(bordered, [*-q, 1.0])
    assert found.x == pytest.approx(exact[:2])
    assert found.equality == pytest.approx(exact[2:])


@pytest.mark.parametrize("seed", range(5))
def test_random_linear_programmes(seed):
    rng = np.random.default_rng(100 + seed)
    G, c = rng.normal(size=(7, 4)), rng.normal(size=4)
    h = G @ rng.normal(size=4) + rng.random(7)
    found = linear_programme(c, G, h, lower=-3, upper=[3, 3, np.inf, 3])
    conditions_hold(found)
    plain = linprog(c, G, h, bounds=[(-3, 3), (-3, 3), (-3, None), (-3, 3)])
    assert found.objective == pytest.approx(plain.fun)
    again = quadratic_programme(np.zeros((4, 4)), c, G, h, lower=-3, upper=[3, 3, np.inf, 3])
    assert again.objective == pytest.approx(plain.fun, abs=1e-6)


def test_the_dual_of_a_support_vector_machine():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    y = np.where(X[:, 0] * X[:, 1] > 0, 1.0, -1.0)
    K = Gaussian(1.0)(X)
    found = quadratic_programme(
        np.outer(y, y) * K, -np.ones(40), A=y[None, :], b=[0.0], lower=0.0, upper=3.0
    )
    conditions_hold(found)
    model = SVC(C=3.0, kernel=Gaussian(1.0), tol=1e-10).fit(X, y)
    assert -found.objective == pytest.approx(model.diagnostics_.dual, rel=1e-7)
    assert found.equality[0] == pytest.approx(model.intercept_[0], abs=1e-5)


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (lambda: quadratic_programme([[-1.0]], [0.0]), "not convex"),
        (lambda: quadratic_programme([[1.0]], [0.0], [[1.0], [-1.0]], [0.0, -1.0]), "infeasible"),
        (lambda: quadratic_programme([[1.0, 0], [0, 0]], [0.0, -1.0]), "unbounded"),
        (lambda: quadratic_programme([[1.0, 0], [0, 0]], [0.0, -1.0], lower=0.0), "unbounded"),
        (lambda: linear_programme([1.0], upper=2.0), "unbounded"),
        (lambda: linear_programme([1.0], A=[[1.0], [1.0]], b=[0.0, 1.0]), "infeasible"),
    ],
)
def test_programmes_without_a_solution_say_why(call, reason):
    with pytest.raises(NoSolution, match=reason):
        call()


def test_wrong_shapes_are_named():
    with pytest.raises(ValueError, match="symmetric"):
        quadratic_programme([[1.0, 1.0], [0.0, 1.0]], [0.0, 0.0])
    with pytest.raises(ValueError, match="G and h belong together"):
        linear_programme([1.0], G=[[1.0]])
    with pytest.raises(ValueError, match="A has shape"):
        linear_programme([1.0, 2.0], A=[[1.0]], b=[1.0])
    with pytest.raises(ValueError, match="not finite"):
        linear_programme([np.nan])
