"""Rows that are gone through again and again: in memory, or in parts that are read at each pass.

A learner of sums is written once, over `Passes`: it looks at a sample in memory and asks for sums
over all rows. In memory the sample are the rows themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from mercer._types import Samples
from mercer.engine import open_engine
from mercer.engine.tree import NothingToJoin, tree_sum
from mercer.kernels.validate import n_rows, take
from mercer.learners._door import Kind, TrainingSample
from mercer.learners._parameters import check_parameters
from mercer.learners.rows_seen import RowsSeen
from mercer.learners.training_rows import forget
from mercer.rows.marks import Marks, marks_of_places

WHOLE = 1 << 30  # rows of a batch, however many they are
BLOCK = 8192  # rows whose coordinates are held at a time
SAMPLE = 40_000  # rows that are drawn to look at
MOST_CLASSES = 10_000
_WIDTH = ("n_features_in_", "feature_names_in_")
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Block:
    """Some rows in order: those of part ``part`` from row ``first`` on."""

    X: Any
    y: Any
    weight: Floats
    part: int
    first: int

    def __len__(self) -> int:
        return len(self.weight)

    def marks(self, seed: int) -> Marks:
        """A random number for each row, which depends on its place and the seed only."""
        return marks_of_places(f"part {self.part}", self.first, len(self), seed)


class Passes(Protocol):
    """Rows to learn from."""

    @property
    def n(self) -> int:
        """How many there are."""

    @property
    def sample(self) -> TrainingSample:
        """All of them, or some drawn at random, in their order."""

    @property
    def labelled(self) -> TrainingSample:
        """A sample in which every label is."""

    def sum(self, task: Callable[[Block], Any], size: int = BLOCK, merge: Any = None) -> Any:
        """The task's answers for all blocks of at most ``size`` rows, joined along a tree."""


@dataclass(frozen=True)
class RowsInMemory:
    """Rows in memory."""

    sample: TrainingSample

    @property
    def n(self) -> int:
        """How many there are."""
        return self.sample.n

    @property
    def labelled(self) -> TrainingSample:
        """All rows."""
        return self.sample

    def sum(self, task: Callable[[Block], Any], size: int = BLOCK, merge: Any = None) -> Any:
        """In this process, block after block."""
        return tree_sum((task(block) for block in blocks(self.sample, size)), merge or joined)


def blocks(sample: TrainingSample, size: int, part: int = 0, first: int = 0) -> Iterator[Block]:
    """The rows of a sample, a few at a time."""
    some = _safe_indexing if sample.kind is Kind.WHOLE else take  # a list or frame of the user's
    for start in range(0, sample.n, size):
        rows = slice(start, min(start + size, sample.n))
        y = None if sample.y is None else sample.y[rows]
        yield Block(some(sample.X, rows), y, sample.weight[rows], part, first + start)


def as_they_are(X: Samples) -> Any:
    """Rows that are coordinates already."""
    return X


def joined(one: Any, other: Any) -> Any:
    """Sums of both parts: objects with ``merge``, or tuples of arrays; None is of no rows."""
    if one is None or other is None:
        return one if other is None else other
    if isinstance(one, tuple):
        return tuple(a + b for a, b in zip(one, other, strict=True))
    return one.merge(other)


@dataclass(frozen=True)
class Streamed:
    """Rows that functions make, one part each, in any order, again at each pass."""

    engine: Any
    entering: Entering
    items: list[tuple[int, Callable[[], Iterable[Any]]]]
    n: int
    sample: TrainingSample
    labelled: TrainingSample

    def sum(self, task: Callable[[Block], Any], size: int = BLOCK, merge: Any = None) -> Any:
        """On the engine."""
        join = partial(_if_any, merge or joined)
        over = partial(_of_part, task=task, entering=self.entering, size=size, merge=join)
        return self.engine.reduce(over, self.items, join)

    def map(self, task: Callable[[int, Iterator[Block]], Any]) -> list[Any]:
        """The task's answer for each part, of its number and its blocks."""
        found: list[Any] = self.engine.map(
            partial(_whole_part, task=task, entering=self.entering), self.items
        )
        return found

    @classmethod
    def begun(cls, model: Any, rows: Any, engine: Any, seed: int, most: int) -> Self:
        """After a first pass, which counts and draws; the width is that of the first batch."""
        items = list(enumerate(_functions(rows)))
        first = next(iter(items[0][1]()), None)
        if first is None:
            raise ValueError("the first part has no rows")
        model._door.enter(model, *_split(first))  # sets the width, and refuses what is no row
        entering = Entering.of(model)
        task = partial(Drawn.of, most=most, seed=seed, labels=model._door.targets == "labels")
        over = partial(_of_part, task=task, entering=entering, size=WHOLE, merge=joined)
        drawn: Drawn = engine.reduce(over, items, joined)
        kind = entering.kind
        labels = drawn.classes if drawn.classes is not None else drawn.sample(kind).y
        classes = TrainingSample(None, labels, np.ones(0 if labels is None else len(labels)), kind)
        return cls(engine, entering, items, drawn.n, drawn.sample(kind), classes)


@dataclass(frozen=True)
class Entering:
    """How batches come in: through the door of a learner that knows its width."""

    model: Any
    kind: Any = None

    @classmethod
    def of(cls, model: Any) -> Entering:
        """As this learner takes rows, without what it has learned."""
        bare = clone(model)
        for name in _WIDTH:
            if name in model.__dict__:
                setattr(bare, name, getattr(model, name))
        return cls(bare, model._door.kind(model._says_kind()))

    def __call__(self, batch: Any) -> TrainingSample:
        door = replace(self.model._door, least=1)
        sample = door.enter(self.model, *_split(batch), reset=False)
        if sparse.issparse(sample.X):
            raise ValueError("rows in parts are dense: make them by .toarray(), batch by batch.")
        return sample


def _split(batch: Any) -> tuple[Any, Any, Any]:
    if isinstance(batch, tuple):
        X, y, weight = (*batch, None, None)[:3]
        return X, y, weight
    return batch, None, None


def _functions(rows: Any) -> list[Any]:
    found = [rows] if callable(rows) else list(rows)
    if not found or not all(callable(one) for one in found):
        raise ValueError(
            "rows in parts are functions, each of which makes batches X, (X, y) or (X, y, weights) "
            "whenever it is called; mercer.open_rows makes them of files and Dask collections."
        )
    return found


def _of_part(
    item: tuple[int, Callable[[], Iterable[Any]]],
    task: Callable[[Block], Any],
    entering: Entering,
    size: int,
    merge: Any,
) -> Any:
    """The sums of one part; None if it has no rows."""
    try:
        return tree_sum((task(block) for block in _blocks_of(item, entering, size)), merge)
    except NothingToJoin:
        return None


def _whole_part(
    item: tuple[int, Callable[[], Iterable[Any]]],
    task: Callable[[int, Iterator[Block]], Any],
    entering: Entering,
) -> Any:
    return task(item[0], _blocks_of(item, entering, WHOLE))


def _blocks_of(
    item: tuple[int, Callable[[], Iterable[Any]]], entering: Entering, size: int
) -> Iterator[Block]:
    number, make = item
    first = 0
    for batch in make():
        if n_rows(_split(batch)[0]):
            sample = entering(batch)
            yield from blocks(sample, size, number, first)
            first += sample.n


def _if_any(merge: Any, one: Any, other: Any) -> Any:
    if one is None or other is None:
        return one if other is None else other
    return merge(one, other)


@dataclass
class Drawn:
    """How many rows there are, some of them drawn by their marks, and all labels."""

    n: int
    most: int
    marks: Marks
    places: NDArray[np.int64]  # part and row of the part
    X: Any
    y: Any
    weight: Floats
    classes: Any = field(default=None)

    @classmethod
    def of(cls, block: Block, most: int, seed: int, labels: bool) -> Drawn:
        """Of one block."""
        marks = block.marks(seed)
        keep = np.argsort(marks, kind="stable")[:most]
        rows = block.first + keep
        places = np.column_stack([np.full(len(keep), block.part), rows]).astype(np.int64)
        classes = np.unique(block.y) if labels else None
        if classes is not None and len(classes) > MOST_CLASSES:
            raise ValueError(f"more than {MOST_CLASSES:,} classes: these labels are numbers.")
        y = None if block.y is None else block.y[keep]
        X = take(block.X, keep)
        return cls(len(block), most, marks[keep], places, X, y, block.weight[keep], classes)

    def merge(self, other: Drawn) -> Drawn:
        """Of both parts."""
        marks = np.concatenate([self.marks, other.marks])
        keep = np.argsort(marks, kind="stable")[: self.most]
        classes = None
        if self.classes is not None:
            classes = np.union1d(self.classes, other.classes)
        return Drawn(
            self.n + other.n,
            self.most,
            marks[keep],
            np.concatenate([self.places, other.places])[keep],
            np.concatenate([self.X, other.X])[keep],
            None if self.y is None else np.concatenate([self.y, other.y])[keep],
            np.concatenate([self.weight, other.weight])[keep],
            classes,
        )

    def sample(self, kind: Any) -> TrainingSample:
        """The rows in the order of their places, so that few rows are what they are in memory."""
        order = np.lexsort((self.places[:, 1], self.places[:, 0]))
        y = None if self.y is None else self.y[order]
        return TrainingSample(take(self.X, order), y, self.weight[order], kind)


class InPasses:
    """Mixin: a learner that writes ``_train_in_passes(passes)`` learns from parts as from arrays.

    ``_size`` names the argument, if there is one, that says how many rows it must look at.
    """

    _rows_seen: RowsSeen | None

    def _train(self, sample: TrainingSample) -> Any:
        return self._train_in_passes(RowsInMemory(sample))

    def _train_in_passes(self, rows: Any) -> Any:
        raise TypeError(f"{type(self).__name__} does not say how it learns in passes")

    def fit_rows(self, rows: Any, *, engine: Any = None) -> Self:
        """Train on rows that need not fit into memory.

        Parameters
        ----------
        rows : list of functions, or one
            Each makes the batches of its part, the same whenever it is called: ``X``, ``(X, y)`` or
            ``(X, y, sample_weight)``. ``mercer.open_rows`` makes such functions of files and Dask
            collections.
        engine : None, int, str or client
            Who goes through the parts: None is a loop, a number so many threads, ``"local:4"``, an
            address or a ``distributed.Client`` a Dask cluster. The bits are the same.

        Returns
        -------
        self : object
            The fitted estimator. What belongs to single training rows, such as ``labels_``, it has
            not: ask it for the rows of each batch.
        """
        return self._over_parts(rows, engine, self._train_in_passes)

    def _over_parts(self, rows: Any, engine: Any, train: Callable[[Any], Any]) -> Self:
        check_parameters(self, self._rules)  # type: ignore[attr-defined]
        if self._door.kind(self._says_kind()).square:  # type: ignore[attr-defined]
            raise ValueError("a matrix of all pairs cannot come in parts: give rows and a kernel.")
        before = {name: self.__dict__[name] for name in _WIDTH if name in self.__dict__}
        size = getattr(self, "_size", None)
        most = max(SAMPLE, 0 if size is None else int(getattr(self, size)))
        try:
            with open_engine(engine) as running:
                passes = Streamed.begun(self, rows, running, 0, most)
                fitted = train(passes)
        except BaseException:
            for name in _WIDTH:
                self.__dict__.pop(name, None)
            self.__dict__.update(before)
            raise
        self._settle(fitted)  # type: ignore[attr-defined]
        self._rows_seen = None  # nobody can tell which rows they were
        forget(self)
        return self
