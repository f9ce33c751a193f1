"""Nonsense thrown at the compiled core: clean exceptions, never a crash, never a hang.

These tests go below the Python layer that would refuse most of this. Run them under the sanitizers
with ``make sanitize``.
"""

import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mercer import _native

FAMILIES = [
    *("linear", "polynomial", "sigmoid", "gaussian", "matern12", "matern32", "matern52"),
    *("laplacian", "intersection", "jaccard", "chi2"),
]
# What Python code may expect to catch; anything else (SystemError above all) is a bug.
CLEAN = (TypeError, ValueError, OverflowError, MemoryError)
SECONDS = 10.0  # of the processor: far above what these sizes need

fuzz = settings(max_examples=60, database=None)


def attempt(function, *arguments):
    """Result, or None after a clean exception; either within the time limit."""
    began = time.process_time()
    try:
        return function(*arguments)
    except CLEAN:
        return None
    finally:
        assert time.process_time() - began < SECONDS


odd_floats = st.sampled_from(
    [0.0, 1.0, -1.0, 0.5, 2.0, 1e-300, 1e-8, 1e8, 1e300, -1e300, np.nan, np.inf, -np.inf]
)
params = st.tuples(odd_floats, odd_floats, st.sampled_from([0.0, 1.0, 2.0, 3.0, 7.0, 0.5, -1.0]))
threads = st.sampled_from([1, 2, 3, 0, -1, 100])


@st.composite
def matrices(draw, rows=None, columns=None, dtype=None):
    """Usually what the core asks for, sometimes not."""
    n = draw(st.integers(0, 40)) if rows is None else rows
    d = draw(st.integers(0, 9)) if columns is None else columns
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    X = rng.normal(size=(n, d)) * draw(st.sampled_from([1.0, 1.0, 1e-8, 1e8, 1e200]))
    if X.size and draw(st.booleans()):
        X[rng.integers(n), rng.integers(d)] = draw(odd_floats)
    kinds = [np.float64, np.float64, np.float32, np.float32, np.int64, np.float16, np.complex128]
    with np.errstate(all="ignore"):
        X = X.real.astype(draw(st.sampled_from(kinds)) if dtype is None else dtype)
    shapes = st.sampled_from(["plain"] * 8 + ["fortran", "strided", "flat", "deep", "readonly"])
    shape = draw(shapes) if dtype is None else "plain"
    if shape == "readonly":
        X.flags.writeable = False
    return {
        "fortran": np.asfortranarray,
        "strided": lambda A: A[::2, ::-1],
        "flat": np.ravel,
        "deep": lambda A: A[None],
    }.get(shape, lambda A: A)(X)


@fuzz
@given(matrices(), matrices(), st.sampled_from(FAMILIES), params, threads, st.data())
def test_tiles_of_anything(X, Y, family, p, n_threads, data):
    K = attempt(_native.kernel_tile, X, Y, family, p, n_threads)
    if K is not None:
        assert K.shape == (len(X), len(Y))
        assert K.dtype == X.dtype
    V = data.draw(matrices(rows=len(Y)))
    P = attempt(_native.kernel_matmul, X, Y, V, family, p, n_threads)
    if P is not None:
        assert P.shape == (len(X), V.shape[1])
    out = np.empty((len(Y), V.shape[-1]))
    attempt(_native.symmetric_matmul, Y, V, family, p, out, n_threads)


@pytest.mark.parametrize("bad", [None, 3, "X", [[1.0]], object(), np.array([["a"]]), np.zeros(0)])
def test_things_that_are_not_matrices(bad):
    X, p = np.zeros((2, 2)), (1.0, 0.0, 1.0)
    for arguments in [(bad, X, "linear", p, 1), (X, bad, "linear", p, 1)]:
        with pytest.raises(TypeError):
            _native.kernel_tile(*arguments)
    with pytest.raises(TypeError):
        _native.kernel_matmul(X, X, bad, "linear", p, 1)
    with pytest.raises(TypeError):
        _native.vector_source(bad, "linear", p, 1)
    with pytest.raises(TypeError):
        _native.matrix_source(bad)
    with pytest.raises(TypeError):
        _native.solve_many(bad, [], 1e-3, -1, -1.0, 0.0, 2, 2, 1, None)


def test_impossible_kernels():
    X = np.zeros((2, 2))
    with pytest.raises(ValueError, match="unknown kernel family"):
        _native.kernel_tile(X, X, "nonsense", (1.0, 0.0, 0.0), 1)
    for degree in (-1.0, 0.5, np.nan, np.inf, 1e300):
        with pytest.raises(ValueError, match="degree"):
            _native.kernel_tile(X, X, "polynomial", (1.0, 0.0, degree), 1)
    with pytest.raises(ValueError, match="columns"):
        _native.kernel_tile(X, np.zeros((2, 3)), "linear", (1.0, 0.0, 0.0), 1)


@fuzz
@given(st.data())
def test_sparse_rows_of_anything(data):
    n, nnz = data.draw(st.integers(0, 6)), data.draw(st.integers(0, 12))
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    columns = data.draw(st.sampled_from([0, 1, 5, 5, 5, -1, 2**31, 2**60, 2**63 - 1]))
    indptr = np.sort(rng.integers(0, nnz + 1, size=n + 1)).astype(np.int64)
    indptr[:1], indptr[-1:] = 0, nnz
    indices = rng.integers(0, max(1, min(columns, 5)), size=nnz).astype(np.int32)
    values = rng.normal(size=nnz).astype(data.draw(st.sampled_from([np.float32, np.float64])))
    spoil = data.draw(st.sampled_from(["nothing"] * 4 + ["indptr", "index", "type", "length"]))
    if spoil == "indptr":
        indptr[rng.integers(len(indptr))] = data.draw(st.sampled_from([-5, 10**12, 3]))
    elif spoil == "index" and nnz:
        indices[rng.integers(nnz)] = data.draw(st.sampled_from([-1, 5, 2**31 - 1]))
    elif spoil == "type":
        indices = indices.astype(np.int64)
    elif spoil == "length":
        values = values[: nnz // 2]
    family = data.draw(st.sampled_from(FAMILIES))
    p = data.draw(params)
    source = attempt(_native.sparse_source, indptr, indices, values, columns, family, p)
    if source is not None:
        assert source.n == n
        attempt(_native.solve_many, source, [problem(n)], *options(cache=1e4))


def problem(n, count=None, rng=None, **changes):
    """A problem of the compiled solver as a tuple of arrays; by default a small C-SVC."""
    rng = np.random.default_rng(0) if rng is None else rng
    count = n if count is None else count
    index = (np.arange(count) if n >= count else rng.integers(0, max(n, 1), size=count)).astype(
        np.int32
    )
    y = np.where(np.arange(count) % 2 == 0, 1.0, -1.0)
    parts = {
        "index": index,
        "sign": np.ones(count),
        "linear": -y,
        "shift": np.zeros(0),
        "lo": np.where(y > 0, 0.0, -1.0),
        "hi": np.where(y > 0, 1.0, 0.0),
        "start": np.zeros(count),
        "group": np.zeros(count, np.int8),
        "groups": 1,
    }
    parts.update(changes)
    return tuple(parts.values())


def options(
    tol=1e-3, max_iter=-1, limit=5.0, cache=1e6, inner=16, middle=32, n_threads=1, say=None
):
    return tol, max_iter, limit, cache, inner, middle, n_threads, say


def check_answer(found, arrays):
    _, _, _, _, lo, hi, _, _, _ = arrays
    g = found["g"][0]
    assert np.all((lo <= g) & (g <= hi))
    assert np.isfinite(found["objective"])
    assert found["gap"] >= 0
    known = {"tolerance", "max_iter", "time_limit", "callback", "stalled"}
    assert found["stopped"] in known


def spoiled(data, arrays):
    """One array of a problem replaced by something wrong, or nothing."""
    arrays = list(arrays)
    k = data.draw(st.integers(0, len(arrays) - 1))
    how = data.draw(st.sampled_from(["value", "length", "type", "shape", "strides", "none"]))
    if k == len(arrays) - 1:
        arrays[k] = data.draw(st.sampled_from([0, 1, 2, 3, -1, 10**12, None, "2", 1.5]))
    elif how == "value" and len(arrays[k]):
        values = (
            [-1, 1, 2, 127, -128] if arrays[k].dtype.kind == "i" else [0.5, 1e300, np.nan, np.inf]
        )
        arrays[k] = arrays[k].copy()
        arrays[k][data.draw(st.integers(0, len(arrays[k]) - 1))] = data.draw(
            st.sampled_from(values)
        )
    elif how == "length":
        arrays[k] = np.concatenate([arrays[k], arrays[k][:1], arrays[k][:1]])[
            : data.draw(st.integers(0, len(arrays[k]) + 2))
        ]
    elif how == "type":
        arrays[k] = arrays[k].astype(data.draw(st.sampled_from([np.float32, np.int64, object])))
    elif how == "shape":
        arrays[k] = arrays[k][:, None]
    elif how == "strides":
        arrays[k] = np.repeat(arrays[k], 2)[::2]
    elif how == "none":
        arrays[k] = None
    return tuple(arrays)


@fuzz
@given(st.data())
def test_problems_of_anything(data):
    n = data.draw(st.integers(0, 60))
    count = data.draw(st.sampled_from([n, n, 0, 1, 2 * n]))
    if n == 0:
        count = data.draw(st.sampled_from([0, 0, 1]))
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    groups = data.draw(st.integers(0, 2))
    shift = data.draw(st.sampled_from([np.zeros(0), np.full(count, 0.5)]))
    arrays = problem(
        n,
        count,
        rng,
        groups=groups,
        shift=shift,
        group=rng.integers(0, 2, size=count).astype(np.int8),
    )
    X = rng.normal(size=(n, 3)).astype(data.draw(st.sampled_from([np.float32, np.float64])))
    sources = {
        "vectors": lambda: _native.vector_source(X, "gaussian", (0.5, 0.0, 0.0), 1),
        "matrix": lambda: _native.matrix_source(X @ X.T),
        "python": lambda: _native.callback_source(
            np.ones(n), lambda r, c: np.exp(-np.abs(np.subtract.outer(r, _all(c, n)))).astype(float)
        ),
    }
    source = sources[data.draw(st.sampled_from(sorted(sources)))]()
    given_arrays = spoiled(data, arrays) if data.draw(st.booleans()) else arrays
    settings_ = options(
        tol=data.draw(st.sampled_from([1e-3, 1e-9, 1e9, np.inf, 0.0, -1.0, np.nan])),
        max_iter=data.draw(st.sampled_from([-1, 0, 1, 7, -(2**62), 2**62])),
        limit=data.draw(st.sampled_from([-1.0, 5.0, 0.0, np.inf, np.nan])),
        cache=data.draw(st.sampled_from([0.0, 5e3, 1e9, -1.0, np.nan, np.inf])),
        inner=data.draw(st.sampled_from([2, 16, 40, 1, 0, -3, 2**40, 2**62])),
        middle=data.draw(st.sampled_from([2, 16, 40, 64, 0, 2**40, 2**62])),
        n_threads=data.draw(threads),
    )
    many = [given_arrays] * data.draw(st.sampled_from([1, 1, 2, 40]))
    results = attempt(_native.solve_many, source, many, *settings_)
    for found in results or []:
        check_answer(found, given_arrays)
        assert found["outputs"].shape == (1, n)


def _all(columns, n):
    return np.arange(n) if columns is None else columns


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (lambda r, c: None, TypeError),
        (lambda r, c: 1.0, TypeError),
        (lambda r, c: "K", TypeError),
        (lambda r, c: np.zeros(3), TypeError),
        (lambda r, c: np.zeros((1, 1)), ValueError),
        (lambda r, c: np.zeros((len(r), len(c) + 1 if c is not None else 2)), ValueError),
        (lambda r, c: np.zeros((0, 0)), ValueError),
        (lambda r, c: np.full((len(r), len(_all(c, 8))), np.nan), ValueError),
        (lambda r, c: np.full((len(r), len(_all(c, 8))), np.inf), ValueError),
        (lambda r, c: 1 / 0, ZeroDivisionError),
        (lambda: None, TypeError),
    ],
)
@pytest.mark.parametrize("inner", [2, 16])
def test_kernels_that_misbehave(answer, error, inner):
    source = _native.callback_source(np.ones(8), answer)
    with pytest.raises(error):
        _native.solve_many(source, [problem(8)], *options(inner=inner, middle=inner))


def test_a_kernel_may_keep_and_change_what_it_is_given():
    kept = []

    def tile(rows, columns):
        kept.append(rows)
        K = np.eye(8)[rows][:, _all(columns, 8)]
        if rows.flags.writeable:
            rows[:] = -1
        return K

    source = _native.callback_source(np.ones(8), tile)
    (found,) = _native.solve_many(source, [problem(8)], *options(inner=2, middle=2))
    assert found["g"][0] == pytest.approx(np.tile([1.0, -1.0], 4))
    assert all(np.all((rows >= -1) & (rows < 8)) for rows in kept)


def slow_problem(n=400):
    rng = np.random.default_rng(0)
    source = _native.vector_source(rng.normal(size=(n, 2)), "gaussian", (50.0, 0.0, 0.0), 1)
    arrays = problem(
        n, lo=np.where(np.arange(n) % 2, -1e9, 0.0), hi=np.where(np.arange(n) % 2, 0.0, 1e9)
    )
    return source, arrays


class Undecided:
    def __bool__(self):
        raise LookupError("neither true nor false")


@pytest.mark.parametrize("many", [1, 12])
@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (lambda p: np.zeros(2), ValueError),
        (lambda p: Undecided(), LookupError),
        (lambda p: p["nothing"], KeyError),
        (lambda: None, TypeError),
        (3, TypeError),
    ],
)
def test_progress_functions_that_misbehave(answer, error, n_threads, many):
    source, arrays = slow_problem()
    with pytest.raises(error):
        _native.solve_many(
            source, [arrays] * many, *options(tol=1e-14, n_threads=n_threads, say=answer)
        )


def test_limits_of_nothing():
    source, arrays = slow_problem()
    for found in (
        *_native.solve_many(source, [arrays], *options(limit=0.0)),
        *_native.solve_many(source, [arrays] * 9, *options(limit=0.0, n_threads=2)),
    ):
        assert found["stopped"] == "time_limit"
        assert not found["g"].any()
    (found,) = _native.solve_many(source, [arrays], *options(max_iter=0))
    assert found["stopped"] == "max_iter"
    assert not found["g"].any()
    assert _native.solve_many(source, [], *options()) == []


def test_more_threads_than_the_system_gives():
    source, arrays = slow_problem()
    expected = _native.solve_many(source, [arrays], *options(max_iter=500))
    found = _native.solve_many(source, [arrays], *options(max_iter=500, n_threads=2**31 - 1))
    assert np.array_equal(found[0]["g"], expected[0]["g"])
    many = _native.solve_many(source, [arrays] * 300, *options(max_iter=5, n_threads=2**31 - 1))
    assert len(many) == 300
    X = np.ones((200, 3))
    assert _native.kernel_tile(X, X, "linear", (0.0, 0.0, 0.0), 2**31 - 1).max() == 3.0


def test_one_source_serves_several_threads_at_once():
    source, arrays = slow_problem(300)
    expected = _native.solve_many(source, [arrays], *options(max_iter=3000))[0]["g"]
    found = [None] * 4

    def work(k):
        found[k] = _native.solve_many(source, [arrays], *options(max_iter=3000))[0]["g"]

    workers = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert all(np.array_equal(g, expected) for g in found)


def test_unknown_instruction_sets_are_refused():
    before = _native.level()
    for level in ("", "sse9", "AVX2\0"):
        with pytest.raises(ValueError, match="cannot run"):
            _native.set_level(level)
    assert _native.level() == before
    assert before in _native.levels()
