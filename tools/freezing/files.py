"""What else is on the disks of users: folders of ``mercer fit``, skops files, a checkpoint."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer
from freezing import samples as s
from freezing.case import Case
from mercer.io.export import to_skops
from mercer.learners.metric import KNNClassifier
from mercer.tables import TableMachine

GRID = {"C": [1.0, 10.0], "gamma": [0.1, 1.0]}
CELLS = ("a", "b", "side", "y")


def fit_folder(folder: Path) -> Path:
    """A small table with a category, what ``mercer fit`` leaves of it, and its predictions."""
    lines = [",".join(CELLS)]
    for row, label in zip(s.X, s.names, strict=True):
        lines.append(f"{row[0]},{row[1]},{'north' if row[2] > 0 else 'south'},{label}")
    data = folder / "data.csv"
    data.write_text("\n".join(lines) + "\n")
    options = ["--kernel", "gaussian", "--certify", "holdout", "--report", "json"]
    _mercer(folder, "fit", data.name, "-t", "y", "-o", "out", *options)
    _mercer(folder, "predict", "out/model.mercer", data.name, "-o", "predictions.csv")
    for file in folder.glob("out/*.[jt]*"):  # a run notes where it was, which is no one's business
        file.write_text(file.read_text().replace(f"{folder.resolve()}/", ""))
    return folder


def _mercer(folder: Path, *arguments: str) -> None:
    command = [sys.executable, "-m", "mercer", *arguments]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


def skops_models() -> Iterator[Case]:
    """One of each kind."""
    binary = mercer.SVC(gamma=0.5, probability=True, random_state=0)
    sparse = mercer.SparseGaussianProcessRegressor(n_inducing=8)
    table = TableMachine(kernel="gaussian")
    found = {
        "svc": lambda: binary.fit(s.X, s.y),
        "progressive": lambda: mercer.certified_fit(
            binary, s.X, s.y, mode="progressive", blocks=3, random_state=0
        ),
        "pipeline": lambda: make_pipeline(StandardScaler(), mercer.NuSVC(nu=0.3)).fit(s.X, s.y),
        "ridge": lambda: mercer.KernelRidge(kernel="rbf").fit(s.X, s.target),
        "gp": lambda: mercer.GaussianProcessRegressor.automatic().fit(s.X, s.target),
        "knn": lambda: KNNClassifier(3).fit(s.X, s.y),
        "gp-classifier": lambda: mercer.GaussianProcessClassifier.automatic().fit(s.X, s.y),
        "sparse-gp": lambda: sparse.fit(s.X, s.target),
        "table": lambda: table.fit(s.X, s.y),
    }
    for name, build in found.items():
        yield Case(f"skops/{name}", build, s.Q)


def write_skops(model: object, folder: Path) -> bytes:
    """The bytes of the skops file of a model."""
    return to_skops(model, folder / "model.skops").read_bytes()


def checkpoint(folder: Path) -> bytes:
    """The checkpoint of a finished search over ``GRID``."""
    path = folder / "search.jsonl"
    mercer.KernelSearch(param_grid=GRID, random_state=0, checkpoint=path).fit(s.X, s.y)
    return path.read_bytes()
