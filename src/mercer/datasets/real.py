"""Small real data sets that are there without a network."""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from importlib import resources

import numpy as np
from numpy.typing import NDArray

PENGUIN_COLUMNS = ("bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g")


@dataclass(frozen=True)
class Table:
    """A data set: numbers, integer labels, and what they mean.

    ``left_out`` maps the number of each row of the file that could not be used to the reason.
    """

    name: str
    X: NDArray[np.float64]
    y: NDArray[np.int64]
    feature_names: tuple[str, ...]
    class_names: tuple[str, ...]
    source: str
    left_out: dict[int, str] = field(default_factory=dict)

    def binary(self, positive: str) -> NDArray[np.int64]:
        """Labels as +1 for the class ``positive`` and -1 for all others."""
        if positive not in self.class_names:
            raise ValueError(f"{positive!r} is not a class of {self.name}: {self.class_names}")
        return np.where(self.y == self.class_names.index(positive), 1, -1)


def _from_sklearn(name: str, source: str) -> Table:
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{name}")()
    return Table(
        name=name.replace("_", " "),
        X=np.ascontiguousarray(bunch.data, dtype=np.float64),
        y=bunch.target.astype(np.int64),
        feature_names=tuple(map(str, bunch.feature_names)),
        class_names=tuple(map(str, bunch.target_names)),
        source=source,
    )


def load_iris() -> Table:
    """Three species of iris, 150 flowers, four measurements (Fisher 1936); from scikit-learn."""
    return _from_sklearn("iris", "R. A. Fisher (1936), with scikit-learn")


def load_wine() -> Table:
    """Three cultivars of wine, 178 bottles, 13 analyses; from scikit-learn."""
    return _from_sklearn("wine", "M. Forina et al. (1991), UCI, with scikit-learn")


def load_breast_cancer() -> Table:
    """Malignant or benign, 569 biopsies, 30 measurements of cell nuclei; from scikit-learn."""
    return _from_sklearn(
        "breast_cancer", "Wolberg, Street, Mangasarian (1995), UCI, with scikit-learn"
    )


def load_digits() -> Table:
    """Handwritten digits, 1797 images of 8 by 8 pixels; from scikit-learn."""
    return _from_sklearn("digits", "Alpaydin, Kaynak (1998), UCI, with scikit-learn")


def load_penguins() -> Table:
    """Three species of Antarctic penguins, four measurements each (bundled, public domain).

    Two of the 344 birds were not measured; they are listed in ``left_out``.
    """
    text = resources.files("mercer.datasets").joinpath("data/penguins.csv").read_text("utf-8")
    rows = list(csv.DictReader(text.splitlines()))
    gaps = {}
    for number, row in enumerate(rows, start=1):
        if empty := [column for column in PENGUIN_COLUMNS if row[column] == "NA"]:
            gaps[number] = f"no value for {', '.join(empty)}"
    kept = [row for number, row in enumerate(rows, start=1) if number not in gaps]
    species = tuple(sorted({row["species"] for row in kept}))
    return Table(
        name="penguins",
        X=np.array([[float(row[column]) for column in PENGUIN_COLUMNS] for row in kept]),
        y=np.array([species.index(row["species"]) for row in kept], dtype=np.int64),
        feature_names=PENGUIN_COLUMNS,
        class_names=species,
        source="Gorman, Williams, Fraser (2014), palmerpenguins, CC0",
        left_out=gaps,
    )
