"""Two columns of a file, or the plane in which its rows spread most, with one class against all."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mercer.errors import DataError
from mercer.io.readers import read
from mercer.lab.samples import MOST, Sample
from mercer.tables.dataset import NUMBER, Dataset


def plane_of_file(path: Path, target: str, across: str, up: str, n: int, seed: int) -> Sample:
    """Standardised numbers of complete rows; the class that comes first by name is positive.

    Without names of columns, the first two principal components of all numbers.
    """
    data = read(path)
    label = data.column(target)
    names = [across, up] if across and up else _numbers(data, target)
    if len(names) < 2:
        raise DataError("a plane needs two columns of numbers.")
    columns = [data.column(name) for name in names]
    if any(column.kind != NUMBER for column in columns):
        raise DataError("both columns of the plane must be numbers.")
    X = np.column_stack([column.values.astype(np.float64) for column in columns])
    keep = np.isfinite(X).all(axis=1) & ~label.missing
    X, y = X[keep], np.array([str(value) for value in label.values[keep]])
    classes = np.unique(y)
    if not 2 <= len(classes) <= 50:
        raise DataError(f"the target has {len(classes)} values; a plane shows one against all.")
    order = np.random.default_rng(seed).permutation(len(X))[: min(n, MOST)]
    X, y = X[order], y[order]
    spread = X.std(axis=0)
    Z = (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    axes = (names[0], names[1])
    if len(names) > 2:
        from mercer.learners.spectral.pca import PCA

        Z = PCA(n_components=2, random_state=0).fit_transform(Z)
        axes = ("component 1", "component 2")
    signs = np.where(y == classes[0], 1.0, -1.0)
    told = (f"{axes[0]} (round: {classes[0]})", axes[1])
    return Sample(np.asarray(Z, dtype=np.float64), signs, told)


def _numbers(data: Dataset, target: str) -> list[str]:
    return [c.name for c in data.columns if c.kind == NUMBER and c.name != target][:200]
