"""The commands on a cluster of two workers: the bits of one process, also when one is killed."""

import os
import signal

import numpy as np
import pyarrow.parquet as pq
import pytest

import mercer
from helpers_cli import mercer as command
from helpers_streams import sample
from mercer.app.streams import survey
from mercer.app.streams.workers import check_workers
from mercer.engine import dask as engine
from mercer.errors import DataError, UserError
from mercer.learners import SVR, CellRegressor, KMeans, NystroemRidge

distributed = pytest.importorskip("distributed")
dask = pytest.importorskip("dask")
pytestmark = pytest.mark.filterwarnings("ignore")  # of other people's sockets at the end
ASKED = [
    "--target", "y", "--ignore", "t", "--ignore", "g", "--kernel", "gaussian:length_scale=1",
    "--report", "none", "--route",
]  # fmt: skip


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    place = tmp_path_factory.mktemp("files")
    for kind, seeds in (("rows", range(4)), ("fresh", (7, 8))):
        (place / kind).mkdir()
        for seed in seeds:
            pq.write_table(sample(seed, 1500), place / kind / f"part-{seed}.parquet")
    return place


@pytest.fixture(scope="module")
def cluster():
    # a worker that a busy machine does not let speak for a minute is not lost
    patient = {"distributed.comm.timeouts.tcp": "600s", "distributed.scheduler.worker-ttl": "600s"}
    with dask.config.set(patient):
        made = distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50
        )
        with made, distributed.Client(made) as client:
            yield client


@pytest.fixture(autouse=True)
def small_pilot(monkeypatch):
    monkeypatch.setattr(survey, "PILOT", 1000)
    monkeypatch.setattr("mercer.app.streams.fit.FEW", 100)


def kill_at(monkeypatch, client, number):
    """The worker of lowest number dies when so many tasks are finished."""
    client.wait_for_workers(2, timeout=300)
    victim = min(client.run(os.getpid).values())
    told, count = engine._Told.__call__, iter(range(10**6))

    def heard(self, future):
        if next(count) == number:
            os.kill(victim, signal.SIGKILL)
        told(self, future)

    monkeypatch.setattr(engine._Told, "__call__", heard)
    return victim


@pytest.mark.parametrize(("route", "number"), [("cells", 9), ("low-rank", 7)])
def test_fit_predict_and_certify_are_those_of_one_process_though_a_worker_is_killed(
    files, cluster, route, number, tmp_path, monkeypatch
):
    rows, fresh = str(files / "rows"), str(files / "fresh" / "*.parquet")
    more = ["--cells", "500", "--rank", "60"]
    here = command("fit", rows, *ASKED, route, *more, "-o", str(tmp_path / "here"))
    assert here.code == 0, here.err
    victim = kill_at(monkeypatch, cluster, number)
    where = cluster.scheduler.address
    there = command(
        "fit", rows, *ASKED, route, *more, "-o", str(tmp_path / "there"), "--cluster", where
    )
    assert there.code == 0, there.err
    assert victim not in cluster.run(os.getpid).values()
    assert "on 2 Dask workers, shown at http://" in there.err
    told = [mercer.load(tmp_path / place / "model.mercer") for place in ("here", "there")]
    assert told[0].certificate_.to_dict() == told[1].certificate_.to_dict()
    table = sample(99, 500)
    outputs = [model.predict_proba(table).tobytes() for model in told]
    assert outputs[0] == outputs[1]

    cluster.wait_for_workers(2, timeout=60)
    model = str(tmp_path / "there" / "model.mercer")
    for place, asked in (("one", []), ("two", ["--cluster", where])):
        done = command("predict", model, fresh, "-o", str(tmp_path / place), *asked)
        assert done.code == 0, done.err
    for seed in (7, 8):
        one, two = (
            pq.read_table(tmp_path / place / f"part-{seed}.parquet") for place in ("one", "two")
        )
        assert one.equals(two)
    certified = [command("certify", model, fresh, *asked) for asked in ([], ["--cluster", where])]
    assert certified[0].code == certified[1].code == 0, certified[1].err
    assert certified[0].out == certified[1].out


def learned(files, work, engine=None):
    """The bits of learners over the rows of files."""
    rows = mercer.open_rows(files / "rows", columns=["a", "b", "t"])
    means = KMeans(3, max_iter=3, random_state=0).fit_rows(rows, engine=engine).cluster_centers_
    rows = mercer.open_rows(files / "rows", target="t", columns=["a", "b"])
    ridge = NystroemRidge(0.1, n_landmarks=40, random_state=0).fit_rows(rows, engine=engine)
    learner = SVR(gamma=0.5)
    cells = CellRegressor(learner, cell_size=800, random_state=0)
    cells.fit_rows(rows, engine=engine, work=work)
    X = np.column_stack([sample(99, 500)["a"], sample(99, 500)["b"]])
    return means.tobytes(), ridge.predict(X).tobytes(), cells.predict(X).tobytes()


def test_learners_over_parts_are_those_of_one_process_though_a_worker_is_killed(
    files, cluster, tmp_path, monkeypatch
):
    expected = learned(files, tmp_path)
    cluster.wait_for_workers(2, timeout=60)
    victim = min(cluster.run(os.getpid).values())
    submitted, count = engine.Dask._submitted, iter(range(10**6))

    def handed_out(self, *given):
        futures = submitted(self, *given)
        if next(count) == 3:
            os.kill(victim, signal.SIGKILL)
        return futures

    monkeypatch.setattr(engine.Dask, "_submitted", handed_out)
    assert learned(files, tmp_path, cluster) == expected
    assert victim not in cluster.run(os.getpid).values()


@pytest.mark.slow
def test_fifty_workers_are_killed_at_random_tasks(files, cluster, monkeypatch):
    options = {
        "target": "y", "ignore": ("t", "g"), "kernel": "gaussian:length_scale=1",
        "route": "low-rank", "rank": 40,
    }  # fmt: skip
    table = sample(99, 500)
    expected = mercer.fit(files / "rows", **options).predict_proba(table).tobytes()
    for number in np.random.default_rng(0).integers(0, 25, 50).tolist():
        with monkeypatch.context() as patch:
            cluster.wait_for_workers(2, timeout=60)
            kill_at(patch, cluster, number)
            found = mercer.fit(files / "rows", **options, cluster=cluster)
        assert found.predict_proba(table).tobytes() == expected, number


class Elsewhere:
    """Workers on other machines."""

    def __init__(self, *answers):
        self.answers = answers

    def everywhere(self, task):
        return [task(), *self.answers]


def test_workers_with_other_versions_or_without_the_files_are_named(tmp_path):
    from mercer._versions import version

    check_workers(Elsewhere(("far", version(), "")), [str(tmp_path)])
    with pytest.raises(UserError, match=r"worker on far has Mercer 0\.1"):
        check_workers(Elsewhere(("far", "0.1", "")), [])
    with pytest.raises(DataError, match="worker on far does not see /data/x"):
        check_workers(Elsewhere(("far", version(), "/data/x")), [])
    with pytest.raises(DataError, match="does not see"):
        check_workers(Elsewhere(), [str(tmp_path / "gone")])


class Lonely:
    """A scheduler without workers."""

    def wait_for_workers(self, *args, **options):
        raise TimeoutError


def test_a_cluster_without_workers_is_named():
    with pytest.raises(UserError, match="no workers"):
        engine.Dask(Lonely()).everywhere(os.getpid)
