"""Small factorisations run on one thread, and what was before comes back; forks do not hang."""

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import Event, Thread

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from mercer import KernelRidge, _blas
from mercer.learners.spectral import KMeans

ROWS = np.random.default_rng(0).normal(size=(60, 3))


def threads():
    return [lib["num_threads"] for lib in threadpool_info() if lib["user_api"] == "blas"]


@pytest.fixture
def two():
    with threadpool_limits(2, user_api="blas"):
        yield


@pytest.mark.usefixtures("two")
def test_small_is_calm_and_large_is_left_alone():
    with _blas.calm_blas(_blas.LARGE - 1):
        assert set(threads()) == {1}
        with _blas.calm_blas(5):
            assert set(threads()) == {1}
        assert set(threads()) == {1}
    assert set(threads()) == {2}
    with _blas.calm_blas(_blas.LARGE):
        assert set(threads()) == {2}


@pytest.mark.usefixtures("two")
def test_an_error_and_fits_side_by_side_leave_the_threads_as_they_were():
    with pytest.raises(ZeroDivisionError), _blas.calm_blas(5):
        _ = 1 // 0
    X = np.random.default_rng(0).normal(size=(60, 2))
    runs = [Thread(target=KernelRidge().fit, args=(X, X[:, 0])) for _ in range(8)]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    assert set(threads()) == {2}


@pytest.mark.usefixtures("two")
@pytest.mark.parametrize("rows", [5, _blas.LARGE])
def test_whoever_leaves_first_the_threads_come_back(rows):
    """Two threads that fit side by side need not leave in the order in which they came."""
    ways = (lambda: _blas.calm_blas(5), lambda: _blas.blas_threads(rows))
    for first, second in (ways, ways[::-1], (ways[1], ways[1])):
        with ExitStack() as early, ExitStack() as late:
            early.enter_context(first())
            late.enter_context(second())
            early.close()
        assert set(threads()) == {2}


def test_every_thread_is_listened_to():
    """threadpoolctl 3.8 drops what any but the first thread asks for."""
    numbers = [lib.get_num_threads() for _, lib in _blas._libraries()]

    def inside():
        with _blas.calm_blas(0):
            return [lib.get_num_threads() for _, lib in _blas._libraries()]

    with _blas.calm_blas(0):
        pass  # this thread was first
    with ThreadPoolExecutor(1) as pool, threadpool_limits(2, "blas"):
        assert pool.submit(inside).result() == [1] * len(numbers)
        assert inside() == [1] * len(numbers)
    assert [lib.get_num_threads() for _, lib in _blas._libraries()] == numbers


def in_a_child(work):
    """How a forked child ends: 0 if ``work()`` is true, 14 if it has to be ended."""
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(60)
        code = 1
        try:
            code = 0 if work() else 2
        finally:
            os._exit(code)
    return os.waitpid(child, 0)[1]


forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")


@forks
def test_a_forked_child_does_not_wait_for_threads_of_its_parent():
    """scikit-learn's k-means hangs in a child of a process that has run it."""
    alone = KMeans(n_clusters=3, random_state=0).fit(ROWS).labels_

    def again():
        same = KMeans(n_clusters=3, random_state=0).fit(ROWS).labels_
        threads = {lib.get_num_threads() for lib in _blas._found("openmp")}
        return np.array_equal(alone, same) and threads <= {1}

    assert in_a_child(again) == 0


@forks
def test_a_forked_child_does_not_wait_for_a_lock_that_nobody_holds():
    inside, over = Event(), Event()

    def hold():
        with _blas._lock, _blas.calm_blas(10):
            inside.set()
            over.wait()

    before = [lib.get_num_threads() for _, lib in _blas._libraries()]
    holder = Thread(target=hold)
    holder.start()
    inside.wait()

    def fitted():
        KernelRidge().fit(ROWS, ROWS[:, 0])
        return [lib.get_num_threads() for _, lib in _blas._libraries()] == before

    ended = in_a_child(fitted)
    over.set()
    holder.join()
    assert ended == 0
