"""Awkward problems, large enough that single precision, nested blocks and a full cache take part.

Every answer is audited from scratch: the kernel matrix in float64, the gradient, the optimality gap
and the objective are computed again from the coefficients alone.
"""

from functools import cache

import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import SVC

from mercer import kernels
from mercer.gram import DenseGram, KernelGram
from mercer.kernels import Gaussian, Laplacian, Linear, Matern, Polynomial
from mercer.solvers import problems, smo
from mercer.solvers._sources import _precision

N = 1200  # above the size from which single precision is considered
TOL = 1e-3


def blobs(sep=0.7, d=6, seed=0):
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(N) < 0.5, 1.0, -1.0)
    X = rng.normal(size=(N, d))
    X[:, 0] += sep * y
    X[:, 1] *= X[:, 0]
    return X, y


def twins_of(X, y, sign):
    """The second half repeats the first, with the same labels or the opposite ones."""
    X, y = X.copy(), y.copy()
    X[N // 2 :], y[N // 2 :] = X[: N // 2], sign * y[: N // 2]
    return X, y


def cases():
    X, y = blobs()
    target = np.sin(2 * X[:, 0]) + 0.1 * np.random.default_rng(1).normal(size=N)
    wild = 10 ** np.random.default_rng(2).uniform(-3, 3, N)
    rare = np.where(np.arange(N) < 5, -1.0, 1.0)
    rbf = Gaussian(2.0)
    columns = np.logspace(-8, 8, X.shape[1])
    most = 2 * min((y > 0).mean(), (y < 0).mean())
    opposite, same = twins_of(X, y, -1), twins_of(X, y, 1)
    flat = np.full_like(X, 1e6)
    flat[:, :2] = X[:, :2]
    counts = np.round(1e4 * np.abs(X))
    thin = sparse.csr_array(np.where(np.abs(X) < 1, 0.0, X))
    svc, svr = problems.c_svc, problems.epsilon_svr
    return {
        "tiny C": (svc(y, 1e-3), rbf, X),
        "C 100": (svc(y, 100.0), rbf, X),
        "C 10000": (svc(blobs(2.5)[1], 1e4), rbf, blobs(2.5)[0]),
        "opposite twins": (svc(opposite[1], 100.0), rbf, opposite[0]),
        "equal twins": (svc(same[1], 100.0), rbf, same[0]),
        "all points equal": (svc(y, 1.0), rbf, np.ones_like(X)),
        "all zero": (svc(y, 1.0), Linear(), np.zeros_like(X)),
        "constant columns": (svc(y, 1.0), rbf, flat),
        "scale 1e-8": (svc(y, 1.0), Gaussian(2e-8), 1e-8 * X),
        "scale 1e8": (svc(y, 1.0), Gaussian(2e8), 1e8 * X),
        "linear at 1e-8": (svc(y, 1.0), Linear(), 1e-8 * X),
        "columns of all scales": (svc(y, 1.0), Gaussian(2 * columns), X * columns),
        "Laplacian far away": (svc(y, 1.0), Laplacian(2.0), X + 1e6),
        "Matern far away": (svc(y, 1.0), Matern(2.0, nu=2.5), X + 1e4),
        "five of one class": (svc(rare, 1e4), rbf, X),
        "wild weights": (svc(y, 1.0, weight=wild), rbf, X),
        "wild weights, no offset": (svc(y, 1.0, weight=wild, fit_intercept=False), rbf, X),
        "wild weights, squared": (svc(y, 1.0, weight=wild, squared=True), rbf, X),
        "nu near 0": (problems.nu_svc(y, 1e-3), rbf, X),
        "nu at its edge": (problems.nu_svc(y, most), rbf, X),
        "nu 1, no offset": (problems.nu_svc(y, 1.0, fit_intercept=False), rbf, X),
        "one class, nu near 0": (problems.one_class(1e-3, n=N), rbf, X),
        "one class, nu 1": (problems.one_class(1.0, n=N), rbf, X),
        "no tube": (svr(target, 1.0, 0.0), rbf, X),
        "tube wider than the data": (svr(target, 1.0, 100.0), rbf, X),
        "large targets": (svr(1e6 * target, 1e5, 1e3), rbf, X),
        "tiny targets": (svr(1e-6 * target, 1.0, 0.0), rbf, X),
        "nu regression": (problems.nu_svr(target, 1.0, 0.3), rbf, X),
        "Laplacian": (svc(y, 10.0), Laplacian(3.0), X),
        "Matern 1/2": (svc(y, 10.0), Matern(2.0, nu=0.5), X),
        "Matern 3/2": (svc(y, 10.0), Matern(2.0, nu=1.5), X),
        "chi squared": (svc(y, 10.0), kernels.ChiSquared(gamma=1.0), np.abs(X)),
        "large counts": (svc(y, 1e-3), kernels.Intersection(), counts),
        "Jaccard": (svc(y, 10.0), kernels.Jaccard(), np.abs(X)),
        "cubic": (svc(y, 1.0), Polynomial(degree=3, coef0=1.0, gamma=0.1), X),
        "sigmoid": (svc(y, 1.0), kernels.Sigmoid(gamma=0.1), X),
        "steep sigmoid": (svc(y, 1.0), kernels.Sigmoid(gamma=10.0, coef0=-1.0), X),
        "sparse": (svc(y, 1.0), rbf, thin),
        "sparse linear": (svc(y, 1.0), Linear(), thin),
    }


CASES = cases()
# Units in which a gap of TOL is not small beside the objective, or several local minima.
OBJECTIVE_IS_LOOSE = {
    "nu near 0",
    "one class, nu near 0",
    "tiny targets",
    "sigmoid",
    "steep sigmoid",
}


def outputs(problem, K, alpha):
    coef = np.bincount(problem.index, problem.sign * alpha, minlength=problem.n)
    return coef, K @ coef


def audit(problem, K, alpha):
    """The optimality gap and the objective of alpha, from nothing but alpha."""
    _, decision = outputs(problem, K, alpha)
    shift = 0.0 if problem.shift is None else problem.shift * alpha
    slope = problem.sign * decision[problem.index] + problem.linear + shift
    objective = 0.5 * float(alpha @ (slope + problem.linear))
    can_grow, can_shrink = alpha < problem.upper, alpha > 0
    if problem.group is None:
        worst = np.maximum(np.where(can_grow, -slope, 0.0), np.where(can_shrink, slope, 0.0))
        return float(max(worst.max(), 0.0)), objective
    score, gap = problem.balance * slope, 0.0
    for g in range(problem.n_groups):
        rises = problem.balance > 0
        up = (problem.group == g) & np.where(rises, can_grow, can_shrink)
        low = (problem.group == g) & np.where(rises, can_shrink, can_grow)
        gap = max(gap, score[low].max(initial=-np.inf) - score[up].min(initial=np.inf))
    return float(gap), objective


def feasible(problem, alpha):
    assert np.all((alpha >= 0) & (alpha <= problem.upper))
    for g in range(problem.n_groups):
        here = problem.group == g
        moved = problem.balance[here] @ (alpha - problem.start)[here]
        assert abs(moved) <= 1e-9 * (alpha[here].sum() + problem.start[here].sum())


@cache
def matrix(name):
    _, kernel, X = CASES[name]
    return kernel(X).astype(np.float64)


@cache
def least(name):
    """The objective at the optimum, from the whole matrix in double precision."""
    gram = DenseGram(matrix(name), validate=False)
    return smo.solve(CASES[name][0], gram, tol=TOL / 100, time_limit=20).objective


@pytest.mark.parametrize("blocks", [(512, 2048, 200.0), (32, 128, 0.8)], ids=["usual", "nested"])
@pytest.mark.parametrize("name", CASES)
def test_the_answer_survives_an_audit(name, blocks, monkeypatch):
    problem, kernel, X = CASES[name]
    K, best = matrix(name), None if name in OBJECTIVE_IS_LOOSE else least(name)
    monkeypatch.setattr(smo, "INNER", blocks[0])
    monkeypatch.setattr(smo, "MIDDLE", blocks[1])
    found = smo.solve(problem, KernelGram(kernel, X), tol=TOL, cache_mb=blocks[2])
    gap, objective = audit(problem, K, found.alpha)
    assert found.converged
    assert found.gap <= TOL
    feasible(problem, found.alpha)
    assert gap <= 3 * TOL  # kernel values in single precision cost something, but not more
    assert found.objective == pytest.approx(objective, rel=3e-5, abs=1e-8)
    coef, decision = outputs(problem, K, found.alpha)
    assert found.coef == pytest.approx(coef)
    assert np.abs(found.decision - decision).max() <= 3 * TOL
    assert best is None or objective == pytest.approx(best, rel=1e-5)


@pytest.mark.parametrize("name", ["C 100", "five of one class", "wild weights", "cubic", "sparse"])
def test_the_same_optimum_as_scikit_learn(name):
    problem, kernel, X = CASES[name]
    K = matrix(name)
    found = smo.solve(problem, KernelGram(kernel, X), tol=TOL)
    weight, y = problem.upper, problem.sign
    peer = SVC(kernel="precomputed", C=1.0, tol=TOL / 10).fit(K, y, sample_weight=weight)
    alpha = np.zeros(N)
    alpha[peer.support_] = np.abs(peer.dual_coef_[0])
    _, theirs = audit(problem, K, alpha)
    _, ours = audit(problem, K, found.alpha)
    assert ours == pytest.approx(theirs, rel=1e-5)
    assert -found.offsets[0] == pytest.approx(peer.intercept_[0], abs=20 * TOL)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("free", [True, False])
def test_matrices_that_are_no_kernels(dtype, free):
    A = np.random.default_rng(0).normal(size=(N, N))
    _, y = blobs()
    for K in ((A + A.T) / 2, -Gaussian(2.0)(blobs()[0])):
        problem = problems.c_svc(y, 1.0, fit_intercept=free)
        found = smo.solve(problem, DenseGram(K.astype(dtype), validate=False), tol=TOL)
        feasible(problem, found.alpha)
        assert found.converged
        assert audit(problem, K, found.alpha)[0] <= 2 * TOL
        assert found.objective < 0


def test_precision_follows_what_the_coefficients_can_magnify():
    _, y = blobs()
    assert smo._reach(problems.c_svc(y, 10.0)) == pytest.approx(10 * np.sqrt(N))
    assert smo._reach(problems.one_class(0.5, n=N)) == pytest.approx(np.sqrt(N))
    assert smo._reach(problems.nearest_points(y)) == pytest.approx(2.0)
    assert smo._reach(problems.c_svc(y, np.inf)) == np.inf
    fused = Gaussian(2.0).fused()
    for cost, dtype in ((1.0, np.float32), (100.0, np.float32), (1e4, np.float64)):
        reach = smo._reach(problems.c_svc(y, cost))
        assert _precision(N, fused.single_size(30.0, 6), TOL / reach) == dtype


def test_numbers_too_large_for_single_precision():
    X, y = blobs()
    usual = smo.solve(problems.c_svc(y, 1.0), KernelGram(Laplacian(2.0), X))
    huge = smo.solve(problems.c_svc(y, 1.0), KernelGram(Laplacian(2e100), 1e100 * X))
    assert huge.objective == pytest.approx(usual.objective, rel=1e-5)


def test_repeated_entries_of_sparse_rows_are_summed():
    X, y = blobs()
    once = sparse.csr_array(X)
    columns, d = once.indices, X.shape[1]
    halves = np.repeat(once.data / 2, 2)
    twice = sparse.csr_array((halves, np.repeat(columns, 2), 2 * once.indptr), shape=(N, d))
    before = twice.data.copy()
    problem = problems.c_svc(y, 1.0)
    found = smo.solve(problem, KernelGram(Gaussian(2.0), twice, validate=False))
    expected = smo.solve(problem, KernelGram(Gaussian(2.0), once))
    assert found.objective == pytest.approx(expected.objective, rel=1e-9)
    assert np.array_equal(twice.data, before)
