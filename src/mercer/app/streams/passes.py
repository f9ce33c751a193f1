"""Tasks over one partition each, and what is kept of them for a run that goes on later.

A task is a pure function of the partition and of small arrays, so it may run anywhere, and again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.app.streams.keep import kept_models, name_of
from mercer.app.streams.lent import Lent
from mercer.app.streams.reading import Batch, Reading, gathered
from mercer.engine.tree import in_turn, tree_sum
from mercer.io.atomic import replacing
from mercer.learners.large.cell_tree import CellTree
from mercer.learners.large.cut_rows import Bundle, Cut, Trained, file_of, stretches, train_bundle
from mercer.learners.large.landmarks import Landmarks
from mercer.learners.large.nystroem_classifier import signs_of
from mercer.rows import Partition
from mercer.rows.marks import CHOOSE, COUNT, LEARN
from mercer.solvers.streamed_newton import LossSums
from mercer.solvers.sums import Moments, merge


def moments_of_part(part: Partition, reading: Reading, landmarks: Landmarks) -> Moments:
    """Σ φφ' and its companions over the rows that learn."""

    def each() -> Any:  # one after the other: a part may have any number of batches
        for batch in reading.batches(part):
            Z, y = batch.only(LEARN)
            for b in landmarks.blocks(len(y)):
                yield Moments.of(landmarks.coordinates(Z[b]), y[b, None])

    return in_turn(each(), merge)


def few_of_part(
    part: Partition, reading: Reading, shares: dict[int, float], classes: NDArray[Any] | None
) -> dict[int, tuple[Any, Any]]:
    """Some rows of each role, by chance, with their targets or the numbers of their classes."""
    found: dict[int, list[tuple[Any, Any]]] = {role: [] for role in shares}
    for batch in reading.batches(part):
        for role, share in shares.items():
            Z, y = batch.only(role, share)
            found[role].append((Z, y) if classes is None else _known(Z, y, classes))
    return {
        role: (np.concatenate([Z for Z, _ in some]), np.concatenate([y for _, y in some]))
        for role, some in found.items()
    }


def losses_of_part(
    part: Partition,
    reading: Reading,
    landmarks: Landmarks,
    classes: NDArray[Any],
    loss: Any,
    state: NDArray[np.float64],
) -> LossSums:
    """Value, gradient and Hessian over rows that learn; labels not known are left out."""

    def each() -> Any:
        for batch in reading.batches(part):
            Z, codes = _known(*batch.only(LEARN), classes)
            signs = signs_of(codes, len(classes))
            for b in landmarks.blocks(len(codes)):
                yield LossSums.of(landmarks.coordinates(Z[b]), signs[b], None, loss, state)

    return in_turn(each(), merge)


def _known(Z: Any, y: NDArray[Any], classes: NDArray[Any]) -> tuple[Any, NDArray[np.intp]]:
    place = np.minimum(np.searchsorted(classes, y), len(classes) - 1)
    there = classes[place] == y
    return Z[there], place[there]


def cut_part(
    part: Partition,
    reading: Reading,
    tree: CellTree,
    classes: NDArray[Any] | None,
    bundles: int,
    work: str,
) -> Cut:
    """Write the rows that learn, ordered by cell, and say where each bundle of cells begins."""
    name = name_of("cut", part, reading, tree, bundles)
    starts = Path(work) / f"{name}.npy"
    if not starts.exists():

        def pieces() -> Any:
            for batch in reading.batches(part):
                Z, y = batch.only(LEARN)
                if classes is not None:
                    Z, y = _known(Z, y, classes)
                yield Z, y, None

        begins: list[list[int]] = []
        for found, first in stretches(pieces(), tree, bundles):
            place = Path(work) / f"{name}-{len(begins)}"
            for what, values in found.items():
                _put(file_of(place, what), values)
            begins.append(first.tolist())
        _put(starts, np.array(begins))  # last: what is there is whole
    cut: list[list[int]] = np.load(starts).tolist()
    return [(str(Path(work) / f"{name}-{k}"), first) for k, first in enumerate(cut)]


def _put(path: Path, values: NDArray[Any]) -> None:
    with replacing(path) as stream:
        np.save(stream, values)


def kept_bundle(
    bundle: Bundle, learner: Any, labels: bool, keep: str | None, share: float = 1.0
) -> Trained:
    """The machines of the cells of a bundle, or those of an earlier run."""
    names = [Path(file).name for file in bundle.files]  # hashes of all that was cut
    name = name_of("cells", replace(bundle, files=tuple(names)), learner, labels, share)
    found: Trained = kept_models(name, lambda: train_bundle(bundle, learner, labels, share), keep)
    return found


JUDGED = 1 << 16  # rows that are answered at once: machines in cells each get some of them


@dataclass
class Counts:
    """Of each candidate: rows and errors (or squares) that choose, rows and errors that count."""

    choose: NDArray[np.float64]  # (candidates, 2)
    count: NDArray[np.int64]  # (candidates, 2)
    untold: int
    groups: dict[str, NDArray[np.int64]] | None  # rows, then errors of each candidate

    def merge(self, other: Counts) -> Counts:
        """Of both parts."""
        groups = None
        if self.groups is not None and other.groups is not None:
            groups = dict(self.groups)
            for name, numbers in other.groups.items():
                groups[name] = groups[name] + numbers if name in groups else numbers
        return Counts(
            self.choose + other.choose,
            self.count + other.count,
            self.untold + other.untold,
            groups,
        )


def count_part(part: Partition, reading: Reading, models: Lent, tolerance: float) -> Counts:
    """Errors of all candidates in one pass; those that count are looked at only for the winner."""
    found = models.get()
    judged = gathered((batch.judging() for batch in reading.batches(part)), JUDGED)
    return tree_sum((_count(batch, reading, found, tolerance) for batch in judged), merge)


def _count(batch: Batch, reading: Reading, models: list[Any], tolerance: float) -> Counts:
    choose, count = np.zeros((len(models), 2)), np.zeros((len(models), 2), dtype=np.int64)
    chooses, counts = batch.roles == CHOOSE, batch.roles == COUNT
    wrong = np.zeros((len(models), int(counts.sum())), dtype=bool)
    far = reading.task == "regression"
    for k, model in enumerate(models):
        if not len(batch.y):
            continue
        found = model.predict(batch.Z)
        bad = (found - batch.y) ** 2 if far else found != batch.y
        choose[k] = chooses.sum(), bad[chooses].sum()
        wrong[k] = (np.abs(found - batch.y) > tolerance if far else bad)[counts]
        count[k] = counts.sum(), wrong[k].sum()
    groups = None
    if batch.groups is not None:
        names, code = np.unique(batch.groups[counts], return_inverse=True)
        table = np.column_stack(
            [np.bincount(code, minlength=len(names))]
            + [np.bincount(code, w, minlength=len(names)) for w in wrong]
        ).astype(np.int64)
        groups = dict(zip(names.tolist(), table, strict=True))
    return Counts(choose, count, batch.untold, groups)
