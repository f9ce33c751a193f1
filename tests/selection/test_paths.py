"""Compiled paths of costs against the ordinary solver, step by step."""

import numpy as np
import pytest

from helpers_interrupt import control_c_after
from mercer import _paths
from mercer.gram import DenseGram
from mercer.kernels import Gaussian
from mercer.selection._paths import Job, Limits, solve_paths, solve_paths_slowly
from mercer.solvers import problems

COSTS = [0.1, 1.0, 10.0, 200.0]


def sample(n=90, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.where(X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=n) > 0, 1.0, -1.0)
    return X, y, Gaussian(1.0)(X)


def folds(n, k=3):
    fold = np.arange(n) % k
    return [(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in range(k)]


def classification_jobs(y, n, **options):
    weight = options.pop("weight", np.ones(n))
    return [
        Job(
            lambda c, rows=rows: problems.c_svc(
                y[rows], c, rows=rows, n=n, weight=weight[rows], **options
            ),
            test,
        )
        for rows, test in folds(n)
    ]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("options", [{}, {"fit_intercept": False}, {"squared": True}])
def test_classification_agrees_with_the_ordinary_solver(dtype, options):
    _, y, K = sample()
    jobs = classification_jobs(y, len(y), **options)
    gram = DenseGram(K.astype(dtype), validate=False)
    limits = Limits(1e-6 if dtype == np.float64 else 1e-4)
    fast = solve_paths(gram, jobs, COSTS, COSTS, limits)
    slow = solve_paths_slowly(gram, jobs, COSTS, limits)
    for job, quick, sure in zip(jobs, fast, slow, strict=True):
        for a, b in zip(quick, sure, strict=True):
            assert a.stopped == "tolerance"
            assert a.objective == pytest.approx(b.objective, rel=2e-4)
            assert np.allclose(a.decision[job.test], b.decision[job.test], atol=2e-3)
            assert a.gap <= limits.tol
            if a.offsets:
                assert a.offsets[0] == pytest.approx(b.offsets[0], abs=5e-3)


def test_weights_and_small_parts_of_the_rows():
    """A machine of few rows works on a copy of its part of the matrix."""
    _, y, K = sample(120)
    rows, test = np.arange(0, 120, 4), np.arange(1, 120, 4)
    weight = np.random.default_rng(0).uniform(0.2, 3.0, len(rows))
    job = Job(lambda c: problems.c_svc(y[rows], c, rows=rows, n=120, weight=weight), test)
    gram = DenseGram(K, validate=False)
    fast = solve_paths(gram, [job], COSTS, COSTS, Limits(1e-7))[0]
    slow = solve_paths_slowly(gram, [job], COSTS, Limits(1e-7))[0]
    for a, b in zip(fast, slow, strict=True):
        assert np.allclose(a.decision[test], b.decision[test], atol=1e-5)
        assert np.allclose(a.coef, b.coef, atol=1e-4)


def test_regression_agrees_with_the_ordinary_solver():
    X, _, K = sample()
    target, n = np.sin(X[:, 0]), len(X)
    jobs = [
        Job(lambda c, rows=rows: problems.epsilon_svr(target[rows], c, 0.1, rows=rows, n=n), test)
        for rows, test in folds(n)
    ]
    gram = DenseGram(K, validate=False)
    fast = solve_paths(gram, jobs, COSTS, COSTS, Limits(1e-6))
    slow = solve_paths_slowly(gram, jobs, COSTS, Limits(1e-6))
    for job, quick, sure in zip(jobs, fast, slow, strict=True):
        for a, b in zip(quick, sure, strict=True):
            assert np.allclose(a.decision[job.test], b.decision[job.test], atol=1e-3)


def test_threads_do_not_change_the_result():
    _, y, K = sample(900)
    jobs = classification_jobs(y, len(y))
    gram = DenseGram(K, validate=False)
    one, two = (
        solve_paths(gram, jobs, COSTS, COSTS, Limits(1e-3, n_threads=threads)) for threads in (1, 3)
    )
    for a, b in zip(one, two, strict=True):
        for left, right in zip(a, b, strict=True):
            assert np.array_equal(left.coef, right.coef)


def test_a_deadline_is_kept_and_said():
    _, y, K = sample(600)
    found = solve_paths(
        DenseGram(K, validate=False),
        classification_jobs(y, len(y)),
        COSTS,
        COSTS,
        Limits(1e-10, deadline=0.0),
    )
    assert {s.stopped for path in found for s in path} == {"time_limit"}


def test_control_c_is_heard():
    _, y, K = sample(1500)
    rng = np.random.default_rng(0)
    noise = np.where(rng.random(1500) < 0.5, 1.0, -1.0)
    jobs = classification_jobs(noise, len(y)) * 20
    with control_c_after(0.3), pytest.raises(KeyboardInterrupt):
        solve_paths(DenseGram(K, validate=False), jobs, [1e5], [1e5], Limits(1e-9))


def arrays(n=4, **changes):
    base = {
        "index": np.arange(n, dtype=np.int32),
        "direction": np.ones(n),
        "linear": -np.ones(n),
        "unit": np.ones(n),
        "shift": np.zeros(0),
        "groups": 1,
        "test": np.arange(n, dtype=np.int32),
    }
    return tuple({**base, **changes}.values())


@pytest.mark.parametrize(
    "changes",
    [
        {"index": np.array([0, 1, 2, 9], dtype=np.int32)},
        {"index": np.array([-1, 1, 2, 3], dtype=np.int32)},
        {"test": np.array([4], dtype=np.int32)},
        {"direction": np.array([1.0, 2.0, 1.0, 1.0])},
        {"linear": np.full(4, np.nan)},
        {"unit": np.full(4, -1.0)},
        {"shift": np.ones(3)},
        {"shift": np.full(4, np.inf)},
        {"groups": 2},
        {"direction": np.ones(3)},
    ],
)
def test_the_binding_refuses_what_would_crash(changes):
    with pytest.raises(ValueError, match=r"must|range|have|constraints"):
        _paths.paths(np.eye(4), [arrays(**changes)], [1.0], 1e-3, -1, -1.0, 1)


@pytest.mark.parametrize(
    ("K", "costs", "tol"),
    [(np.ones((3, 4)), [1.0], 1e-3), (np.eye(4), [0.0], 1e-3), (np.eye(4), [1.0], 0.0)],
)
def test_the_binding_refuses_impossible_settings(K, costs, tol):
    with pytest.raises(ValueError, match=r"square|positive"):
        _paths.paths(K, [arrays()], costs, tol, -1, -1.0, 1)


def test_the_binding_takes_no_other_type():
    with pytest.raises(TypeError):
        _paths.paths(np.eye(4, dtype=int), [arrays()], [1.0], 1e-3, -1, -1.0, 1)
