"""Rows in parts, cut into cells by way of files: each part is written in the order of the cells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.learners.large.cell_tree import CellTree
from mercer.learners.large.one_cell import trained_in_cell
from mercer.learners.large.packed import pack

BUNDLE = 60_000  # rows of cells that one task trains
STRETCH = 1 << 26  # bytes of coordinates that are put in order at once, into files of their own
Arrays = dict[str, NDArray[Any]]
Places = NDArray[np.intp]


def stretches(
    pieces: Iterable[tuple[Any, Any, Any]], tree: CellTree, bundles: int
) -> Iterator[tuple[Arrays, NDArray[np.intp]]]:
    """What ``ordered`` makes of a part, a stretch of its rows at a time: a part may be any size."""
    held: list[tuple[Any, Any, Any]] = []
    size = 0
    for piece in pieces:
        held.append(piece)
        size += tree.roots * piece[0].nbytes
        if size >= STRETCH:
            yield ordered(held, tree, bundles)
            held, size = [], 0
    if held:
        yield ordered(held, tree, bundles)


def ordered(
    pieces: Iterable[tuple[Any, Any, Any]], tree: CellTree, bundles: int
) -> tuple[Arrays, NDArray[np.intp]]:
    """Rows, targets and weights of a part by their cells, and where each bundle of cells begins.

    Weights that are all one are left out, as are targets where there are none.
    """
    rows: dict[str, list[Any]] = {"Z": [], "y": [], "weight": [], "cell": []}
    for Z, y, weight in pieces:
        for root in range(tree.roots):
            rows["Z"].append(Z)
            rows["cell"].append(tree.assign(Z, root))
            if y is not None:
                rows["y"].append(np.asarray(y, dtype=np.float64))
            rows["weight"].append(np.ones(len(Z)) if weight is None else weight)
    if not rows["Z"]:
        return {}, np.zeros(bundles + 1, dtype=np.intp)
    found = {what: np.concatenate(values) for what, values in rows.items() if values}
    if np.all(found["weight"] == 1.0):
        del found["weight"]
    order = np.argsort(found["cell"], kind="stable")
    found = {what: values[order] for what, values in found.items()}
    return found, np.searchsorted(found["cell"], bounds(tree.n_cells, bundles))


def bounds(cells: int, bundles: int) -> NDArray[np.intp]:
    """The first cell of each bundle, and the end of the last."""
    return np.linspace(0, cells, bundles + 1).astype(np.intp)


def many_bundles(tree: CellTree, rows: int) -> int:
    """How many tasks the cells of so many rows are."""
    return max(1, min(tree.n_cells, -(-tree.roots * rows // BUNDLE)))


@dataclass(frozen=True)
class Bundle:
    """A few cells: which, and where their rows were written."""

    number: int
    first: int
    last: int
    files: tuple[str, ...]
    places: tuple[tuple[int, int], ...]

    def rows(self) -> float:
        """How many there are."""
        return float(sum(stop - start for start, stop in self.places))


Cut = list[tuple[str, list[int]]]  # the stretches of a part: where, and the starts of all bundles


def bundles_of(tree: CellTree, parts: list[Cut], bundles: int) -> list[Bundle]:
    """The bundles after all partitions were cut."""
    cut = [stretch for part in parts for stretch in part]
    ends = bounds(tree.n_cells, bundles).tolist()
    return [
        Bundle(
            b,
            ends[b],
            ends[b + 1],
            tuple(file for file, _ in cut),
            tuple((starts[b], starts[b + 1]) for _, starts in cut),
        )
        for b in range(bundles)
    ]


def file_of(place: str | Path, what: str) -> Path:
    """Where the rows, targets, weights or cells of a part are."""
    return Path(place).with_suffix(f".{what}.npy")


Trained = tuple[Any, Places]  # machines of some cells, packed, and their only labels


def trained(made: list[tuple[Any, int]]) -> Trained:
    """Of what `trained_in_cell` gave."""
    return pack([model for model, _ in made]), np.array([only for _, only in made], dtype=np.intp)


def train_bundle(bundle: Bundle, learner: Any, labels: bool, share: float = 1.0) -> Trained:
    """The machines of the cells of a bundle, in their order, from a share of the rows."""
    held: dict[str, list[Any]] = {"Z": [], "y": [], "cell": [], "weight": []}
    for file, (start, stop) in zip(bundle.files, bundle.places, strict=True):
        if start == stop:
            continue
        for what, values in held.items():
            place = file_of(file, what)
            if what == "weight" and not place.exists():
                values.append(np.ones(stop - start))
            elif what != "y" or place.exists():
                whole = np.load(place, mmap_mode="r")
                values.append(np.array(whole[start:stop]))
    if not held["Z"]:
        return trained([(None, 0)] * (bundle.last - bundle.first))
    found = {what: np.concatenate(values) for what, values in held.items() if values}
    if share < 1.0:
        some = np.random.default_rng(bundle.first).random(len(found["cell"])) < share
        found = {what: values[some] for what, values in found.items()}
    y = found.get("y")
    if labels and y is not None:
        y = y.astype(np.intp)
    made = []
    for number in range(bundle.first, bundle.last):
        mine = found["cell"] == number
        own = None if y is None else y[mine]
        made.append(trained_in_cell(learner, found["Z"][mine], own, found["weight"][mine], labels))
    return trained(made)
