"""Real sequences: two bundled sets of DNA, and series of numbers from installed packages."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_SERIES_PACKAGES = ("aeon", "sktime")


@dataclass(frozen=True)
class Sequences:
    """Objects of any kind with integer labels, and what they mean.

    ``file`` is the FASTA file they were read from, for ``mercer fit``.
    """

    name: str
    X: NDArray[np.object_]
    y: NDArray[np.int64]
    class_names: tuple[str, ...]
    source: str
    file: Path | None = None

    @property
    def labels(self) -> NDArray[np.str_]:
        """The name of each object's class."""
        return np.array(self.class_names)[self.y]


def load_promoters() -> Sequences:
    """106 stretches of E. coli DNA, 57 letters each, half of them promoters (bundled, CC BY 4.0).

    The other half are overlapping windows of one piece of DNA: kernels that forget positions
    recognise the piece. ``mercer fit --group related`` keeps such windows together.
    """
    return _bundled(
        "promoters",
        "C. Harley, R. Reynolds, M. Noordewier (1990), Molecular Biology (Promoter Gene "
        "Sequences), UCI, doi:10.24432/C5S01D, CC BY 4.0",
    )


def load_splice() -> Sequences:
    """3190 windows of primate DNA, 60 letters around a splice site or none (bundled, CC BY 4.0).

    EI: from exon to intron, IE: from intron to exon, N: neither. 185 windows occur twice or more.
    """
    return _bundled(
        "splice",
        "G. Towell, M. Noordewier, J. Shavlik (1991), Molecular Biology (Splice-junction Gene "
        "Sequences), UCI, doi:10.24432/C5M888, CC BY 4.0",
    )


def _bundled(name: str, source: str) -> Sequences:
    path = Path(str(resources.files("mercer.datasets").joinpath(f"data/{name}.fasta.gz")))
    lines = gzip.decompress(path.read_bytes()).decode("ascii").splitlines()
    return _labelled(name, lines[1::2], [h.split()[1] for h in lines[::2]], source, path)


def load_series(name: str = "GunPoint", split: str = "train") -> Sequences:
    """A set of the UCR archive from the files that come with aeon or sktime (not bundled).

    Parameters
    ----------
    name : str
        For instance "GunPoint", "ItalyPowerDemand", "ArrowHead", "OSULeaf".
    split : "train" or "test"

    Returns
    -------
    Sequences
        Each object an array of shape (moments,), or (moments, dimensions).
    """
    if split not in ("train", "test"):
        raise ValueError(f"split must be 'train' or 'test', got {split!r}")
    tried = []
    for package in _SERIES_PACKAGES:
        spec = find_spec(package)
        if spec is None or not spec.submodule_search_locations:
            continue
        for place in spec.submodule_search_locations:
            folder = Path(place) / "datasets" / "data"
            path = folder / name / f"{name}_{split.upper()}.ts"
            if path.exists():
                return read_ts(path, f"UCR archive (Dau et al. 2019), with {package}")
            tried += [p.name for p in folder.glob("*") if (p / f"{p.name}_TRAIN.ts").exists()]
    if tried:
        raise ValueError(f"there is no series set {name!r}; installed are {sorted(set(tried))}")
    raise ModuleNotFoundError(
        "the series of the UCR archive come with the package aeon (or sktime), whose files are "
        "read and whose code is not: pip install --no-deps aeon"
    )


def read_ts(path: Path | str, source: str = "") -> Sequences:
    """The .ts text format of the UCR and UEA archives: ``1,2,3:4,5,6:label`` in each line."""
    path = Path(path)
    X, labels = [], []
    data = False
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        line = line.strip()
        if not data or not line:
            data = data or line.lower() == "@data"
            continue
        *dimensions, label = line.split(":")
        try:
            rows = [np.array(part.split(","), dtype=np.float64) for part in dimensions]
        except ValueError:
            raise ValueError(f"{path.name}, line {number}: not a series of numbers") from None
        if not rows or len({len(row) for row in rows}) != 1:
            raise ValueError(f"{path.name}, line {number}: dimensions of different lengths")
        X.append(rows[0] if len(rows) == 1 else np.stack(rows, axis=1))
        labels.append(label.strip())
    if not X:
        raise ValueError(f"{path.name} has no series after a line '@data'")
    return _labelled(path.stem, X, labels, source, None)


def _labelled(
    name: str, things: Any, labels: list[str], source: str, file: Path | None
) -> Sequences:
    X = np.empty(len(labels), dtype=object)
    for i, thing in enumerate(things):
        X[i] = thing
    classes, y = np.unique(np.array(labels), return_inverse=True)
    return Sequences(name, X, y.astype(np.int64), tuple(map(str, classes)), source, file)
