"""The small records inside `Evidence`: one per way of spending data."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def frozen_array(values: ArrayLike, what: str, *, allow_inf: bool = False) -> Floats:
    """A read-only float64 copy without NaN; an array made by this function is not copied again."""
    if isinstance(values, np.ndarray) and not values.flags.writeable and values.base is None:
        array = values.astype(np.float64, copy=False)
    else:
        array = np.array(values, dtype=np.float64)
    array = array if array.ndim == 1 else array.ravel().copy()
    if array.size == 0:
        raise ValueError(f"{what} is empty")
    bad = np.isnan(array) if allow_inf else ~np.isfinite(array)
    if bad.any():
        place = int(np.flatnonzero(bad)[0])
        raise ValueError(f"{what} contains {array[place]} at position {place}")
    array.setflags(write=False)
    return array


def check_count(value: Any, what: str, at_most: int | None = None) -> int:
    """A whole number >= 0, and not above ``at_most``."""
    if isinstance(value, bool) or int(value) != value or value < 0:
        raise ValueError(f"{what} must be a whole number >= 0, got {value!r}")
    if at_most is not None and value > at_most:
        raise ValueError(f"{what} is {value}, more than the {at_most} rows there are")
    return int(value)


@dataclass(frozen=True, eq=False)
class Record:
    """A frozen record of counts over ``rows`` rows, scalable to another number of rows."""

    rows: int

    _counts: ClassVar[tuple[str, ...]] = ()  # names of the fields that are counts out of ``rows``
    _shares: ClassVar[tuple[str, ...]] = ()  # numbers in [0, 1]
    _lengths: ClassVar[tuple[str, ...]] = ()  # finite numbers of at least 0

    def __post_init__(self) -> None:
        name = type(self).__name__
        for field_, top in [(f, 1.0) for f in self._shares] + [
            (f, math.inf) for f in self._lengths
        ]:
            value = getattr(self, field_)
            if value is not None and not (0.0 <= value <= top and math.isfinite(value)):
                what = "in [0, 1]" if top == 1.0 else "finite and at least 0"
                raise ValueError(f"{name}.{field_} must be {what}, got {value!r}")
        object.__setattr__(self, "rows", check_count(self.rows, f"{name}.rows"))
        if self.rows == 0:
            raise ValueError(f"{name}.rows is 0: there is nothing to count")
        for count in self._counts:
            value = getattr(self, count)
            if value is not None:
                checked = check_count(value, f"{name}.{count}", self.rows)
                object.__setattr__(self, count, checked)

    def scaled(self, factor: float) -> Self:
        """The same rates on ``factor`` times as many rows; counts are rounded up."""
        return replace(self, **self._scaled_fields(factor))

    def _scaled_fields(self, factor: float) -> dict[str, Any]:
        rows = max(1, round(self.rows * factor))
        changes: dict[str, Any] = {"rows": rows}
        for count in self._counts:
            value = getattr(self, count)
            if value is not None:
                changes[count] = min(rows, math.ceil(value * rows / self.rows - 1e-9))
        return changes

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(_same(getattr(self, f.name), getattr(other, f.name)) for f in fields(self))

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True, eq=False)
class HoldOut(Record):
    """Errors or losses of one fixed model on rows it never saw."""

    errors: int | None = None
    trained_on: int | None = None
    classes: Mapping[str, tuple[int, int]] = field(default_factory=dict)  # label: rows, errors
    losses: Floats | None = None  # in an order that does not depend on them
    accepted: int | None = None
    accepted_errors: int | None = None
    unit: str = "row"  # "group": every entry is a whole group, its loss a mean over its rows

    _counts = ("errors", "accepted", "accepted_errors")

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "classes", _class_table(self.classes, self.rows))
        if self.losses is not None:
            object.__setattr__(self, "losses", frozen_array(self.losses, "HoldOut.losses"))
        if self.accepted_errors is not None and self.accepted_errors > (self.accepted or 0):
            raise ValueError("more errors among the accepted rows than accepted rows")

    def _scaled_fields(self, factor: float) -> dict[str, Any]:
        """Classes and losses are scaled too; losses by repeating them."""
        new = super()._scaled_fields(factor)
        new["classes"] = _scaled_table(self.classes, factor, new["rows"])
        if self.losses is not None:
            new["losses"] = np.resize(self.losses, new["rows"])
        if self.accepted is not None and self.accepted_errors is not None:
            new["accepted_errors"] = min(new["accepted"], new["accepted_errors"])
        return new


@dataclass(frozen=True, eq=False)
class Progressive(Record):
    """Errors of K successive models, each on the block of rows that followed its training rows.

    ``mean_loss`` takes the place of the errors where losses between 0 and 1 were added up. Where
    a hash of the input chooses the model and some of ``inputs`` rows repeat an earlier one,
    ``repeated`` says how many do and ``equal_pairs`` how many pairs are equal.
    """

    errors: int = 0
    models: int = 1
    c: float = 1.0  # the martingale's constant, fixed before the first block
    trained_on: int | None = None  # rows before the first block
    mean_loss: float | None = None
    classes: Mapping[str, tuple[int, int]] = field(default_factory=dict)  # label: rows, errors
    inputs: int = 0
    repeated: int = 0
    equal_pairs: int = 0

    _counts = ("errors",)

    def _scaled_fields(self, factor: float) -> dict[str, Any]:
        """The classes too."""
        new = super()._scaled_fields(factor)
        new["classes"] = _scaled_table(self.classes, factor, new["rows"])
        return new

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "classes", _class_table(self.classes, self.rows))
        if self.mean_loss is not None and not 0.0 <= self.mean_loss <= 1.0:
            raise ValueError(f"Progressive.mean_loss must lie in [0, 1], got {self.mean_loss!r}")


@dataclass(frozen=True, eq=False)
class Pick(Record):
    """Pick-to-Learn: of ``rows`` rows after the pretraining part, ``kept`` went on the list.

    ``sizes`` and ``weights`` are the multipliers; empty means the published uniform ones.
    ``learns=False``: it was decided in advance that rows on the list are not learned, so the list
    is a plain count of errors. ``thresholds``: wrong means above a random threshold of the row.
    """

    kept: int = 0
    sizes: tuple[int, ...] = ()
    weights: tuple[float, ...] = ()
    trained_on: int | None = None
    learns: bool = True
    thresholds: bool = False

    _counts = ("kept",)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "sizes", tuple(int(m) for m in self.sizes))
        object.__setattr__(self, "weights", tuple(float(w) for w in self.weights))

    def _scaled_fields(self, factor: float) -> dict[str, Any]:
        """Sizes are shares of the rows."""
        new = super()._scaled_fields(factor)
        new["sizes"] = tuple(min(new["rows"] - 1, round(m * factor)) for m in self.sizes)
        return new


@dataclass(frozen=True, eq=False)
class Pool(Record):
    """Unlabelled rows that no model was trained on.

    ``disagreements`` counts rows where the shipped model differs from the certified one;
    ``minority`` is, per row, the share of votes against the majority; ``pairs`` the mean share of
    pairs of members of a vote that differ. ``expected`` holds the error rate of the certified
    model and the disagreement rate as predicted without the counted rows.
    ``lost`` counts, for every class, rows that the certified model puts there and the shipped one
    does not; ``distances`` are those of two regressions (``squared``: for the squared loss).
    """

    disagreements: int | None = None
    minority: Floats | None = None  # this and the distances: in an order that ignores them
    expected: tuple[float, float] | None = None
    lost: Mapping[str, int] = field(default_factory=dict)
    distances: Floats | None = None
    squared: bool = False
    pairs: float | None = None

    _counts = ("disagreements",)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.minority is not None:
            shares = frozen_array(self.minority, "Pool.minority")
            if shares.min() < 0 or shares.max() > 0.5:
                raise ValueError("a minority share lies between 0 and 1/2")
            object.__setattr__(self, "minority", shares)
        if self.pairs is not None and not 0.0 <= self.pairs <= 1.0:
            raise ValueError(f"Pool.pairs is a share of pairs, got {self.pairs!r}")
        if self.expected is not None:
            first, second = (float(v) for v in self.expected)
            object.__setattr__(self, "expected", (first, second))
        lost = {
            str(k): check_count(v, f"lost rows of {k!r}", self.rows) for k, v in self.lost.items()
        }
        object.__setattr__(self, "lost", lost)
        if self.distances is not None:
            steps = frozen_array(self.distances, "Pool.distances")
            if steps.min() < 0:
                raise ValueError("a distance is never negative")
            object.__setattr__(self, "distances", steps)

    def _scaled_fields(self, factor: float) -> dict[str, Any]:
        """Minority shares and distances are repeated."""
        new = super()._scaled_fields(factor)
        for name in ("minority", "distances"):
            values = getattr(self, name)
            if values is not None:
                new[name] = np.resize(values, max(1, round(len(values) * factor)))
        new["lost"] = {k: math.ceil(v * factor - 1e-9) for k, v in self.lost.items()}
        return new


@dataclass(frozen=True, eq=False)
class Posterior(Record):
    """A randomised classifier: mean loss on ``rows`` rows independent of the prior, and its KL."""

    gibbs: float = 0.0
    kl: float = 0.0
    candidates: int = 1  # priors among which one was picked after the fact; each is paid
    trained_on: int | None = None  # rows the prior was learned from
    vote_is_model: bool = False  # the shipped classifier is the posterior's majority vote
    restricted: bool = False  # the posterior is the prior restricted to a set; kl = ln(1/its mass)
    kl_risk: float = 0.0  # probability that kl, an upper limit from random draws, is too small

    _shares = ("gibbs", "kl_risk")
    _lengths = ("kl",)

    def __post_init__(self) -> None:
        super().__post_init__()
        if check_count(self.candidates, "Posterior.candidates") < 1:
            raise ValueError("Posterior.candidates is 0: at least one prior was used")


@dataclass(frozen=True, eq=False)
class Stage(Record):
    """One step of recursive PAC-Bayes: the excess loss over ``gamma`` times the previous stage.

    ``exceed`` holds the posterior-mean shares of rows on which the excess l(h) − γ·l(h') is at
    least 0, 1 − γ and 1.
    """

    kl: float = 0.0
    gamma: float = 0.5
    exceed: tuple[float, float, float] = (1.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "exceed", tuple(float(v) for v in self.exceed))


@dataclass(frozen=True, eq=False)
class Vote(Record):
    """Statistics of a weighted majority vote on rows its members did not train on.

    ``tandem`` is the mean share of pairs of members that are both wrong, ``disagreement`` of pairs
    that differ, both weighted by the posterior.
    """

    gibbs: float = 0.0
    tandem: float | None = None
    disagreement: float | None = None
    kl: float = 0.0

    _shares = ("gibbs", "tandem", "disagreement")
    _lengths = ("kl",)


@dataclass(frozen=True, eq=False)
class Compression(Record):
    """``size`` rows suffice to rebuild the model; ``errors`` of the other rows are wrong."""

    size: int = 0
    errors: int = 0
    ordered: bool = False  # the order of the kept rows matters and is not the file's order
    preferent: bool = True  # dropping rows outside the set never changes the set
    nondegenerate: bool = False  # the set is minimal, so its size also bounds the risk from below
    bits: float = 0.0  # extra message bits stored
    randomised: bool = False  # which rows are kept also depends on random numbers of the learner

    _counts = ("size", "errors")
    _lengths = ("bits",)


@dataclass(frozen=True, eq=False)
class Mistakes(Record):
    """A mistake-driven learner that now errs on none of ``rows`` rows.

    ``distinct`` rows caused an update at least once; ``limit`` bounds the mistakes of every order
    of presentation (None: nothing is known beyond this run).
    """

    distinct: int = 0
    limit: float | None = None
    in_order: bool = True  # rows are presented in the file's order, so a set of rows is a message

    _counts = ("distinct",)
    _lengths = ("limit",)


def _class_table(classes: Mapping[str, Any], rows: int) -> dict[str, tuple[int, int]]:
    """Rows and errors of every class, checked."""
    table = {}
    for label, (mine, errors) in classes.items():
        mine = check_count(mine, f"rows of class {label!r}", rows)
        table[str(label)] = (mine, check_count(errors, f"errors of class {label!r}", mine))
    return table


def _scaled_table(classes: Mapping[str, Any], factor: float, rows: int) -> dict[str, Any]:
    table = {}
    for label, (mine, errors) in classes.items():
        more = min(rows, max(1, round(mine * factor)))
        table[label] = (more, min(more, math.ceil(errors * factor - 1e-9)))
    return table


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and np.array_equal(a, b)
    return bool(a == b)
