"""One case per function: does the work and returns what is measured beside seconds and memory.

``timed`` takes the processor seconds of the block that counts; data are made outside of it.
"""

import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from benchmarks.scale.laws import places, smooth
from benchmarks.scale.peers import lightgbm_300k, liquidsvm_300k, sklearn_nystroem_300k
from benchmarks.scale.real import flights_3m, images, nyc_late
from benchmarks.scale.streams import cluster_2, stream_10m

TEST = 20_000  # fresh rows that errors are counted on
FOUND = {}


@contextmanager
def timed():
    """Processor seconds of this process, in ``FOUND``."""
    start = time.process_time()
    yield
    FOUND["cpu"] = round(time.process_time() - start, 2)


def errors(model, law=places):
    """Share of wrong labels on fresh rows, in per cent."""
    X, y = law(TEST, seed=1)
    return {"errors %": round(100 * float(np.mean(model.predict(X) != y)), 2)}


def r2(model):
    X, y = smooth(TEST, seed=1)
    return {"R2": round(1 - float(np.mean((model.predict(X) - y) ** 2) / np.var(y)), 4)}


def command_300k():
    """The one command on a text table, with search and certificate."""
    import pyarrow as pa
    from pyarrow import csv

    from mercer.cli._main import main
    from mercer.io.model_file import open_model

    with tempfile.TemporaryDirectory() as folder:
        X, y = places(300_000)
        columns = {f"x{j}": np.round(X[:, j].astype(float), 5) for j in range(X.shape[1])}
        table = pa.table(columns | {"y": np.where(y > 0, "a", "b")})
        csv.write_csv(table, f"{folder}/d.csv")
        del X, y, columns, table
        with timed():
            code = main(["fit", f"{folder}/d.csv", "-t", "y", "-o", f"{folder}/o", "--quiet"])
        found = open_model(Path(folder) / "o" / "model.mercer").about["certificate"]
    return {"code": code, "certified %": round(100 * found["value"], 2), "seen": found["counted"]}


def command_smooth(n=100_000):
    """The one command on the smooth law; beside its routes, what they get with settings given."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from mercer.cli._main import main
    from mercer.io.model_file import open_model

    with tempfile.TemporaryDirectory() as folder:
        X, y = smooth(n)
        names = [f"x{j}" for j in range(X.shape[1])]
        pq.write_table(pa.table([*X.T, y], [*names, "y"]), f"{folder}/d.parquet")
        with timed():
            code = main(["fit", f"{folder}/d.parquet", "-t", "y", "-o", f"{folder}/o", "--quiet"])
        model = open_model(Path(folder) / "o" / "model.mercer").model
        fresh, truth = smooth(TEST, seed=1)
        found = 1 - float(np.mean((model.predict(fresh) - truth) ** 2) / np.var(truth))
    return {"code": code, "R2": round(found, 4)}


def _cells(n):
    from mercer import SVC
    from mercer.learners import CellClassifier

    X, y = places(n)
    model = CellClassifier(SVC(C=1.0, gamma=0.5), cell_size=2000, random_state=0)
    with timed():
        model.fit(X, y)
    return errors(model)


def cells_300k():
    """Cells of 2,000 rows, C and gamma given."""
    return _cells(300_000)


def cells_1m():
    """The same on a million rows."""
    return _cells(1_000_000)


def _sums(rank, n):
    from mercer.kernels import Gaussian
    from mercer.learners.large.landmarks import Landmarks, gram_of, whitened
    from mercer.solvers.sums import Moments

    X, y = smooth(n)
    rows = np.ascontiguousarray(X[:rank])
    marks = Landmarks(Gaussian(length_scale=4.0), rows, whitened(gram_of(Gaussian(4.0), rows)))
    with timed():
        for start in range(0, n, 16_384):
            part = slice(start, start + 16_384)
            Moments.of(marks.coordinates(X[part]), y[part, None])
    return {"rows per CPU s": int(n / FOUND["cpu"])}


def sums_256():
    """One pass of sums at 256 landmarks."""
    return _sums(256, 500_000)


def sums_1000():
    """One pass of sums at 1,000 landmarks."""
    return _sums(1000, 100_000)


def predict_500():
    """Labels of a fitted classifier at 500 landmarks."""
    from mercer.learners import NystroemClassifier

    X, y = places(400_000)
    model = NystroemClassifier(1.0, gamma=0.5, n_landmarks=500, random_state=0)
    model.fit(X[:20_000], y[:20_000])
    with timed():
        model.predict(X)
    return {"rows per CPU s": int(len(X) / FOUND["cpu"])}


def smooth_routes():
    """On the smooth law: the exact machine on 20,000 rows, landmarks and cells on 100,000."""
    from mercer.learners import CellRegressor, KernelRidge, NystroemRidge

    X, y = smooth(100_000)
    found = {}
    models = {
        "exact": (KernelRidge(alpha=1.0, kernel="rbf", gamma=0.03), 20_000),
        "landmarks": (
            NystroemRidge(1.0, kernel="rbf", gamma=0.03, n_landmarks=1000, random_state=0), 100_000
        ),
        "cells": (
            CellRegressor(KernelRidge(alpha=1.0, kernel="rbf", gamma=0.03), cell_size=2500,
                          random_state=0), 100_000
        ),
    }  # fmt: skip
    for name, (model, n) in models.items():
        with timed():
            model.fit(X[:n], y[:n])
        found |= {f"{name} R2": r2(model)["R2"], f"{name} CPU s": FOUND["cpu"]}
    return found


CASES = {
    f.__name__.replace("_", "-"): f
    for f in (
        command_300k, cells_300k, lightgbm_300k, sklearn_nystroem_300k, liquidsvm_300k, cells_1m,
        sums_256, sums_1000, predict_500, smooth_routes, command_smooth, flights_3m, nyc_late,
        images, stream_10m, cluster_2,
    )
}  # fmt: skip
