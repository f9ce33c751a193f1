"""Loop, threads and Dask: the same bits, and errors that say what to do."""

import os
import signal
import time
from functools import partial
from hashlib import sha256

import numpy as np
import pytest

from mercer.engine import Here, Threads, open_engine
from mercer.engine.tree import tree_sum
from mercer.errors import UserError

ITEMS = list(range(23))


def task(scale, item):
    """Numbers whose sum depends on the order of additions."""
    rng = np.random.default_rng(item)
    return rng.normal(size=50) * 10.0 ** rng.integers(-8, 8, 50) * scale


def add(a, b):
    return a + b


def digest(engine):
    total = engine.reduce(partial(task, 3.0), ITEMS, add)
    parts = engine.map(partial(task, 3.0), ITEMS)
    return sha256(total.tobytes() + b"".join(p.tobytes() for p in parts)).hexdigest()


def by_levels(values):
    """The tree as it is drawn: level by level."""
    while len(values) > 1:
        odd = values[len(values) // 2 * 2 :]
        values = [f"({a}{b})" for a, b in zip(values[::2], values[1::2], strict=False)] + odd
    return values[0]


@pytest.mark.parametrize("n", range(1, 40))
def test_the_tree_is_the_one_of_levels(n):
    letters = [chr(97 + i) for i in range(n)]
    assert tree_sum(letters, lambda a, b: f"({a}{b})") == by_levels(letters)


def test_nothing_cannot_be_joined():
    with pytest.raises(ValueError, match="nothing to join"):
        Here().reduce(abs, [], add)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_have_the_bits_of_the_loop(threads):
    assert digest(Threads(threads)) == digest(Here())


def test_another_order_of_sums_has_other_bits():
    """The test above can fail."""
    total = sum(Here().map(partial(task, 3.0), ITEMS))
    assert total.tobytes() != Here().reduce(partial(task, 3.0), ITEMS, add).tobytes()


def fails(item):
    raise RuntimeError(f"item {item} is bad")


@pytest.mark.parametrize("engine", [Here(), Threads(2)], ids=["here", "threads"])
def test_the_error_of_a_task_comes_through(engine):
    with pytest.raises(RuntimeError, match="item 0"):
        engine.map(fails, ITEMS)


@pytest.mark.parametrize("wanted", [None, "here", "threads", 2])
def test_engines_by_name(wanted):
    with open_engine(wanted) as engine:
        assert engine.map(abs, [-1, 2]) == [1, 2]


@pytest.mark.parametrize("wanted", [True, 3.5, object()])
def test_what_is_no_engine_is_named(wanted):
    with pytest.raises(UserError, match="no engine"):
        open_engine(wanted)


@pytest.mark.parametrize("engine", [Here(), Threads(3)], ids=["here", "threads"])
def test_who_listens_is_told_every_item_once(engine):
    told = []
    engine.map(abs, ITEMS, told.append)
    engine.reduce(abs, ITEMS, add, told.append)
    assert sorted(told) == sorted(ITEMS * 2)
    assert engine.everywhere(lambda: 7) == [7]


def tall_products(seed):
    """The products in a step of the streamed Newton method, of the shapes whose bits once moved."""
    rng = np.random.default_rng(seed)
    phi, side = rng.normal(size=(11_468, 60)), rng.random(11_468)
    return b"".join(m.tobytes() for m in (phi.T @ side, phi @ side[:60], (phi.T * side) @ phi))


def with_threads(many, work):
    """With so many threads for each BLAS of the process."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(many, "blas"):
        return work()


def test_bits_do_not_depend_on_the_threads_of_blas():
    """A stream once had other last bits in threads than in a loop.

    The numbers of threads that tasks in threads asked for were dropped by threadpoolctl (see
    `mercer._blas`), and the bits of these products differ between one thread of BLAS and two.
    """
    one, two = (with_threads(many, lambda: Here().map(tall_products, [0])) for many in (1, 2))
    assert one == two
    assert with_threads(2, lambda: Threads(3).map(tall_products, [0, 0, 0])) == one * 3


# -- Dask ------------------------------------------------------------------------------------------

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore")  # of other people's sockets at the end


def slow_task(scale, item):
    import time

    time.sleep(0.05)
    return task(scale, item)


@pytest.fixture(scope="module")
def two_workers():
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, worker_dashboard_address=None
    )
    with cluster, distributed.Client(cluster) as client:
        yield client


def test_a_cluster_has_the_bits_of_the_loop_and_so_it_has_when_a_worker_is_killed(two_workers):
    engine = open_engine(two_workers)
    expected = digest(Here())
    assert digest(engine) == expected
    futures = engine._submitted(partial(slow_task, 3.0), ITEMS)
    futures[4].result(timeout=60)
    victim = next(iter(two_workers.run(os.getpid).values()))
    os.kill(victim, signal.SIGKILL)
    assert digest(engine) == expected  # tasks of the dead worker are among the waiting ones
    parts = engine._answered(futures)
    whole = Here().map(partial(task, 3.0), ITEMS)
    assert all(np.array_equal(a, b) for a, b in zip(parts, whole, strict=True))


def test_who_listens_is_told_every_item_that_a_worker_has_finished(two_workers):
    told = []
    engine = open_engine(two_workers)
    engine.map(abs, ITEMS, told.append)
    engine.reduce(abs, ITEMS, add, told.append)
    deadline = time.monotonic() + 60
    while len(told) < 2 * len(ITEMS) and time.monotonic() < deadline:  # threads of Dask tell
        time.sleep(0.05)
    assert sorted(told) == sorted(ITEMS * 2)
    assert len(set(engine.everywhere(os.getpid))) == len(engine.everywhere(os.getpid))


def test_an_error_on_a_worker_comes_through(two_workers):
    with pytest.raises(RuntimeError, match="is bad"):
        open_engine(two_workers).map(fails, ITEMS[:2])


def test_a_cluster_that_is_not_there_is_named(monkeypatch):
    def refused(*args, **options):
        raise OSError("timed out")

    monkeypatch.setattr(distributed, "Client", refused)
    with pytest.raises(UserError, match="no Dask scheduler answers at tcp://nowhere:1"):
        open_engine("tcp://nowhere:1").__enter__()


def test_a_wrong_number_of_local_workers_is_named():
    with pytest.raises(UserError, match="local:N"):
        open_engine("local:many").__enter__()
