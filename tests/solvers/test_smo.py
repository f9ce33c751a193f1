"""The compiled solver against its slow twin: every machine, every source, every instruction set."""

import time

import numpy as np
import pytest
from scipy import sparse

from helpers_interrupt import control_c_after
from mercer import _native
from mercer.gram import DenseGram, KernelGram
from mercer.kernels import FromCallable, Gaussian, Laplacian, Linear, Polynomial
from mercer.solvers import problems, smo
from mercer.solvers.warm import warm
from twins.smo import solve as twin


def sample(n=90, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.where(X[:, 0] + 0.6 * rng.normal(size=n) > 0, 1.0, -1.0)
    return X, y, np.sin(2 * X[:, 0]) + 0.1 * rng.normal(size=n), rng.uniform(0.5, 2, size=n)


def machines(y, t, w):
    return {
        "c": problems.c_svc(y, 2.0, weight=w),
        "c-large": problems.c_svc(y, 500.0),
        "c-free": problems.c_svc(y, 2.0, weight=w, fit_intercept=False),
        "c-squared": problems.c_svc(y, 2.0, weight=w, squared=True),
        "nu": problems.nu_svc(y, 0.4, weight=w),
        "nu-free": problems.nu_svc(y, 0.4, weight=w, fit_intercept=False),
        "hulls": problems.nearest_points(y),
        "svr": problems.epsilon_svr(t, 2.0, 0.05, weight=w),
        "svr-free": problems.epsilon_svr(t, 2.0, 0.05, fit_intercept=False),
        "nu-svr": problems.nu_svr(t, 2.0, 0.4, weight=w),
        "one-class": problems.one_class(0.3, n=len(y), weight=w),
    }


NAMES = list(machines(np.array([1.0, 1.0, -1.0, -1.0]), np.zeros(4), np.ones(4)))


@pytest.fixture(params=["one block", "nested blocks"])
def blocks(request, monkeypatch):
    """Small blocks make the outer, middle and inner loops all work on a small problem."""
    if request.param == "nested blocks":
        monkeypatch.setattr(smo, "INNER", 16)
        monkeypatch.setattr(smo, "MIDDLE", 16)
    return request.param


@pytest.fixture(params=_native.levels())
def level(request):
    before = _native.level()
    _native.set_level(request.param)
    yield request.param
    _native.set_level(before)


def agree(found, expected, problem, rel=1e-6):
    assert found.converged
    assert found.objective == pytest.approx(expected.objective, rel=rel, abs=1e-7)
    assert np.all(found.alpha >= 0)
    assert np.all(found.alpha <= problem.upper)
    for g in range(problem.n_groups):
        here = problem.group == g
        drift = problem.balance[here] @ (found.alpha - problem.start)[here]
        assert drift == pytest.approx(0.0, abs=1e-8 * max(1.0, found.alpha.sum()))


@pytest.mark.parametrize("name", NAMES)
def test_every_machine(name, blocks, level):
    X, y, t, w = sample()
    gram = KernelGram(Gaussian(length_scale=0.7), X)
    problem = machines(y, t, w)[name]
    found = smo.solve(problem, gram, tol=1e-6)
    expected = twin(problem, gram.dense(), tol=1e-6)
    agree(found, expected, problem)
    assert found.decision == pytest.approx(gram.dense() @ found.coef, abs=1e-6 * found.alpha.sum())
    assert found.offsets == pytest.approx(expected.offsets, abs=1e-3)


@pytest.mark.parametrize("name", ["c", "c-free", "nu", "svr"])
@pytest.mark.parametrize("kind", ["sparse", "matrix", "matrix32", "callable", "laplacian"])
def test_every_source(name, kind, blocks):
    X, y, t, w = sample()
    X[np.abs(X) < 0.4] = 0.0
    kernel = {"laplacian": Laplacian(length_scale=2.0)}.get(kind, Gaussian(length_scale=0.7))
    K = kernel(X)
    gram = {
        "sparse": lambda: KernelGram(kernel, sparse.csr_array(X)),
        "matrix": lambda: DenseGram(K),
        "matrix32": lambda: DenseGram(K.astype(np.float32)),
        "callable": lambda: KernelGram(FromCallable(lambda A, B: kernel(A, B)), X),
        "laplacian": lambda: KernelGram(kernel, X),
    }[kind]()
    problem = machines(y, t, w)[name]
    agree(smo.solve(problem, gram, tol=1e-5), twin(problem, K, tol=1e-6), problem, rel=1e-5)


@pytest.mark.parametrize("kernel", [Gaussian(length_scale=1.0), Linear(), Polynomial(degree=2)])
def test_single_precision_finds_the_same_optimum(kernel):
    X, y, _, _ = sample(n=1300, d=4)
    problem = problems.c_svc(y, 1.0)
    gram = KernelGram(kernel, X)
    exact = smo.solve(problem, DenseGram(gram.dense()), tol=1e-5)
    found = smo.solve(problem, gram, tol=1e-3)  # more rows than _SMALL: single precision tiles
    assert found.converged
    assert found.objective == pytest.approx(exact.objective, rel=1e-5)


def test_far_from_the_origin_costs_no_digits():
    X, y, _, _ = sample(n=1300, d=4)
    problem = problems.c_svc(y, 1.0)
    near = smo.solve(problem, KernelGram(Gaussian(length_scale=1.0), X))
    far = smo.solve(problem, KernelGram(Gaussian(length_scale=1.0), X + 1e4))
    assert far.objective == pytest.approx(near.objective, rel=1e-5)


def test_problems_over_parts_of_the_data_share_rows():
    X, _, _, _ = sample(n=1300, d=4, seed=2)
    kind = np.random.default_rng(1).integers(0, 4, 1300)
    gram = KernelGram(Gaussian(length_scale=1.5), X)
    parts = [
        problems.c_svc(np.where(kind[rows] == a, 1.0, -1.0), 3.0, rows=rows, n=1300)
        for a in range(4)
        for b in range(a)
        for rows in [np.flatnonzero((kind == a) | (kind == b))]
    ]
    together = smo.solve_many(parts, gram, tol=1e-5)
    for problem, found in zip(parts, together, strict=True):
        agree(found, smo.solve(problem, gram, tol=1e-5), problem)
        assert not found.coef[np.setdiff1d(np.arange(1300), problem.index)].any()


@pytest.mark.parametrize("cache_mb", [0.0, 0.02, 0.2, 100.0])
@pytest.mark.parametrize("name", ["c", "c-free", "c-squared", "nu", "svr"])
def test_a_small_cache_finds_the_same_optimum(cache_mb, name, monkeypatch):
    """With a full cache the settled variables are left out; that path ends at the same place."""
    monkeypatch.setattr(smo, "INNER", 16)
    monkeypatch.setattr(smo, "MIDDLE", 32)
    X, y, t, w = sample(n=500)
    problem = machines(y, t, w)[name]
    gram = KernelGram(Gaussian(length_scale=0.5), X)
    expected = smo.solve(problem, DenseGram(gram.dense()), tol=1e-5)
    found = smo.solve(problem, gram, tol=1e-5, cache_mb=cache_mb)
    agree(found, expected, problem)
    assert found.decision == pytest.approx(gram.dense() @ found.coef, abs=1e-7 * found.alpha.sum())
    if name == "c":
        assert (found.stats["reductions"] > 0) == (cache_mb in (0.02, 0.2))


@pytest.mark.parametrize("cache_mb", [0.0, 0.2, 100.0])
def test_the_number_of_threads_changes_nothing(cache_mb, monkeypatch):
    monkeypatch.setattr(smo, "INNER", 16)
    monkeypatch.setattr(smo, "MIDDLE", 64)
    X, y, _, _ = sample(n=2500)
    gram = KernelGram(Gaussian(length_scale=0.5), X)
    one, two = (
        smo.solve(problems.c_svc(y, 10.0), gram, cache_mb=cache_mb, n_threads=k) for k in (1, 2)
    )
    assert np.array_equal(one.alpha, two.alpha)
    assert one.offsets == two.offsets


def test_warm_start_saves_work_and_ends_at_the_same_place():
    X, y, _, _ = sample(n=300)
    gram = KernelGram(Gaussian(length_scale=0.7), X)
    cold = smo.solve(problems.c_svc(y, 5.0), gram)
    again = smo.solve(warm(problems.c_svc(y, 5.0), cold.alpha), gram)
    assert again.n_iter <= 1
    assert again.objective == pytest.approx(cold.objective, rel=1e-4)
    other = smo.solve(warm(problems.c_svc(y, 6.0), cold.alpha), gram)
    fresh = smo.solve(problems.c_svc(y, 6.0), gram)
    assert other.objective == pytest.approx(fresh.objective, rel=1e-4)
    assert other.n_iter < fresh.n_iter


def test_degenerate_data():
    X = np.zeros((8, 2))
    y = np.array([1.0, -1, 1, -1, 1, -1, 1, -1])
    for kernel in (Linear(), Gaussian(length_scale=1.0)):
        for free in (True, False):
            found = smo.solve(problems.c_svc(y, 1.0, fit_intercept=free), KernelGram(kernel, X))
            assert found.converged
            assert np.isfinite(found.objective)
    lone = smo.solve(problems.c_svc([1.0, -1.0], 1.0), KernelGram(Gaussian(1.0), np.eye(2)))
    assert lone.alpha == pytest.approx([1.0, 1.0])


def test_no_columns_at_all():
    found = smo.solve(problems.c_svc([1.0, -1.0], 1.0), DenseGram(np.zeros((2, 2))))
    assert found.alpha == pytest.approx([1.0, 1.0])


def hard_problem():
    X, y, _, _ = sample(n=3000, d=2, seed=5)
    return problems.c_svc(y, 1e6), KernelGram(Gaussian(length_scale=0.3), X)


def test_max_iter_is_respected():
    problem, gram = hard_problem()
    for limit in (1, 17, 1000):
        found = smo.solve(problem, gram, max_iter=limit)
        assert found.stopped == "max_iter"
        assert found.n_iter == limit
        assert np.any(found.alpha > 0)


def test_time_limit_keeps_a_feasible_point():
    problem, gram = hard_problem()
    for limit in (1.0, 5.0, 25.0):  # a busy machine or a sanitizer may not begin within the first
        began = time.process_time()
        found = smo.solve(problem, gram, time_limit=limit)
        assert time.process_time() - began < 10.0 * limit
        assert found.stopped == "time_limit"
        if found.n_iter:
            break
    assert problem.balance @ found.alpha == pytest.approx(0.0, abs=1e-4)
    assert found.objective < 0


def test_a_callback_watches_and_stops():
    problem, gram = hard_problem()
    seen = []
    found = smo.solve(problem, gram, callback=lambda p: seen.append(p) or len(seen) >= 3)
    assert found.stopped == "callback"
    assert len(seen) == 3
    assert {"n_iter", "gap", "objective", "seconds", "finished", "problems"} <= set(seen[0])


def test_an_error_in_the_callback_reaches_the_caller():
    problem, gram = hard_problem()

    def fails(_):
        raise RuntimeError("from the callback")

    with pytest.raises(RuntimeError, match="from the callback"):
        smo.solve(problem, gram, callback=fails)


def test_an_error_in_the_kernel_reaches_the_caller():
    X, y, _, _ = sample()
    calls = []

    def breaks(A, B):
        calls.append(1)
        if len(calls) > 1:
            raise RuntimeError("from the kernel")
        return A @ B.T

    gram = KernelGram(FromCallable(breaks), X)
    with pytest.raises(RuntimeError, match="from the kernel"):
        smo.solve(problems.c_svc(y, 1.0), gram)


def test_control_c_keeps_the_best_so_far():
    problem, gram = hard_problem()
    with control_c_after(0.4):
        found = smo.solve(problem, gram, time_limit=60.0)
    assert found.stopped == "interrupt"
    assert np.any(found.alpha > 0)


def test_wrong_sizes_are_refused():
    gram = DenseGram(np.eye(4))
    with pytest.raises(ValueError, match="is about 3 rows"):
        smo.solve(problems.c_svc([1.0, -1.0, 1.0]), gram)
    with pytest.raises(ValueError, match="tol must be positive"):
        smo.solve(problems.c_svc([1.0, -1.0, 1.0, 1.0]), gram, tol=0.0)
