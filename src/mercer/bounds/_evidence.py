"""What a fitted model publishes about itself; all that a bound ever sees."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from mercer.bounds._easy_pool_record import EasyPool
from mercer.bounds._easy_record import EasyHoldOuts
from mercer.bounds._lipschitz_record import Lipschitz
from mercer.bounds._not_applicable import NotApplicable
from mercer.bounds._records import (
    Compression,
    Floats,
    HoldOut,
    Mistakes,
    Pick,
    Pool,
    Posterior,
    Progressive,
    Stage,
    Vote,
    _same,
    check_count,
    frozen_array,
)
from mercer.bounds._sums_record import DistanceSums
from mercer.bounds._tube_record import MarginTubes
from mercer.bounds.fields import ARRAYS, MEANINGS, RECORDS
from mercer.bounds.plain_data import plain


@dataclass(frozen=True)
class Choice:
    """Something that was chosen by looking at data.

    ``rows`` says which: ``"train"`` (rows the model was fitted on), ``"fresh"`` (rows a certificate
    counts as unseen) or ``"none"``. ``paid`` means δ has already been divided over ``candidates``.
    """

    what: str
    how: str = ""
    rows: str = "train"
    candidates: int | None = None
    paid: bool = False

    def __post_init__(self) -> None:
        if self.rows not in ("train", "fresh", "none"):
            raise ValueError(f"Choice.rows must be 'train', 'fresh' or 'none', got {self.rows!r}")


@dataclass(frozen=True, eq=False)
class Evidence:
    """Frozen, JSON-able facts about one fitted model.

    Only ``n`` is required; a bound that misses something says so. Arrays may be shorter than ``n``
    (only their averages and extremes are used). A multi-class machine built from binary ones puts
    the binary evidence, each counted over all ``n`` rows, in ``machines``.
    """

    n: int
    task: str = "classification"  # or "regression", "novelty"
    learner: str = "the model"
    formulation: str = (
        ""  # "c-svc", "nu-svc", "svr", "nu-svr", "one-class", "krr", "perceptron", ...
    )
    loss: str = ""  # the training loss: "hinge", "squared-hinge", "epsilon-insensitive", ...
    n_classes: int = 2
    errors: int | None = None  # training rows with y f(x) <= 0 (regression: outside the tube)
    risks: Mapping[str, float] = field(default_factory=dict)
    margins: Floats | None = None
    slacks: Floats | None = None
    alphas: Floats | None = None  # >= 0, the labels' signs taken off
    point_norms: Floats | None = None
    norm: float | None = None  # of the expansion, the offset not included
    offset: float | None = None  # None: the hyperplane passes through the origin
    radius: float | None = None
    ball: float | None = None  # radius of the smallest ball around the training points
    kernel_range: float | None = None  # sup k − inf k, known before the data
    trace: float | None = None
    rank: int | None = None
    dimension: float | None = None  # math.inf for universal kernels
    spectrum: Floats | None = None
    C: float | None = None
    tube: float | None = None  # epsilon of a support-vector regression
    compression: Compression | None = None
    loo: Mapping[str, float] = field(default_factory=dict)  # "exact", "span", ...
    holdout: HoldOut | None = None
    progressive: Progressive | None = None
    easy_holdouts: EasyHoldOuts | None = None
    easy_pool: EasyPool | None = None
    tubes: MarginTubes | None = None
    pick: Pick | None = None
    pool: Pool | None = None
    posterior: Posterior | None = None
    stages: tuple[Stage, ...] = ()
    vote: Vote | None = None
    mistakes: Mistakes | None = None
    lipschitz: Lipschitz | None = None
    sums: DistanceSums | None = None
    log_class_size: float | None = None  # ln|H| of a finite class fixed before the data
    code_length: float | None = None  # ln(1/P(h)) under a prior fixed before the data
    neighbours: int | None = None
    loss_range: tuple[float, float] | None = None
    gap: float | None = None  # of the solver, in the units of y f(x)
    choices: tuple[Choice, ...] = ()
    machines: tuple[Evidence, ...] = ()
    classes: Mapping[str, Evidence] = field(default_factory=dict)  # the same counts by class
    lost: tuple[str, ...] = ()  # fields that this kind of model has, but this fit turned out not to

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "n", check_count(self.n, "Evidence.n"))
        if self.n < 1:
            raise ValueError("Evidence.n is 0: a certificate needs at least one row")
        if self.task not in ("classification", "regression", "novelty"):
            raise ValueError(f"unknown task {self.task!r}")
        for name in ARRAYS:
            if getattr(self, name) is not None:
                # a margin of +inf marks a row that this binary machine is not asked about
                array = frozen_array(getattr(self, name), name, allow_inf=name == "margins")
                put(self, name, array)
        if self.errors is not None:
            put(self, "errors", check_count(self.errors, "Evidence.errors", self.n))
        if self.loss_range is not None:
            put(self, "loss_range", _check_range(self.loss_range))
        for name in ("stages", "choices", "machines", "lost"):
            put(self, name, tuple(getattr(self, name)))
        _check_whole(self)
        for name in ("norm", "radius", "trace", "C", "gap", "log_class_size", "code_length"):
            value = getattr(self, name)
            if value is not None and not 0.0 <= float(value) < math.inf:
                raise ValueError(f"Evidence.{name} must be finite and >= 0, got {value!r}")

    @property
    def lam(self) -> float:
        """The texts' λ of (1/n)Σ loss + λ‖w‖², from C = 1/(2λn)."""
        price = self.need("C")
        if not price > 0:
            raise NotApplicable("C is zero: nothing was learned from the rows")
        return 1.0 / (2.0 * price * self.n)

    @property
    def repeats_rows(self) -> bool:
        """Whether :meth:`scaled` has to repeat per-row records, which takes memory."""
        pool, part = self.pool, self.holdout
        by_row = pool is not None and (pool.minority is not None or pool.distances is not None)
        return by_row or (part is not None and part.losses is not None)

    def need(self, name: str) -> Any:
        """The field ``name``, or `NotApplicable` with the reason why it is missing."""
        value = getattr(self, name)
        missing = value is None or (isinstance(value, (tuple, Mapping)) and len(value) == 0)
        if missing or (name == "dimension" and math.isinf(value)):
            what = MEANINGS.get(name, name)
            # known only after the data, so a share of δ set aside for it is spent
            known = name not in self.lost
            raise NotApplicable(
                f"needs {what}, which {self.learner} does not have", structural=known
            )
        return value

    def remember(self, what: str, compute: Callable[[], Any]) -> Any:
        """``compute()``, kept with this object: several bounds may need the same search."""
        kept = self.__dict__.setdefault("_remembered", {})
        if what not in kept:
            kept[what] = compute()
        return kept[what]

    def uncovered(self, covers: Iterable[str]) -> tuple[Choice, ...]:
        """Choices made from rows that the bound does not cover and that nobody has paid for."""
        fine = {"none", *covers}
        return tuple(c for c in self.choices if not c.paid and c.rows not in fine)

    def only(self, names: Iterable[str]) -> Evidence:
        """A copy that keeps the scalars and, of the arrays and records, just those named."""
        keep = frozenset(names)
        drop: dict[str, Any] = {k: None for k in (*ARRAYS, *RECORDS) if k not in keep}
        drop |= {} if "stages" in keep else {"stages": ()}
        drop |= {} if "classes" in keep else {"classes": {}}
        drop["machines"] = tuple(m.only(keep) for m in self.machines)
        # everything was checked when this object was made; 45 machines need not be checked again
        less = object.__new__(type(self))
        less.__dict__.update({k: v for k, v in vars(self).items() if k != "_remembered"})
        less.__dict__.update(drop)
        return less

    def scaled(self, factor: float) -> Evidence:
        """The same rates seen on ``factor`` times as many rows.

        λ = 1/(2Cn) is kept, as in the texts' learning curves, so C falls as n grows.
        """
        n = max(1, round(self.n * factor))
        changes: dict[str, Any] = {"n": n}
        if self.C is not None:
            changes["C"] = self.C * self.n / n
        if self.errors is not None:
            changes["errors"] = min(n, math.ceil(self.errors * n / self.n - 1e-9))
        if self.trace is not None:
            changes["trace"] = self.trace * n / self.n
        if self.spectrum is not None:
            changes["spectrum"] = self.spectrum * (n / self.n)
        for name in RECORDS:
            if getattr(self, name) is not None:
                changes[name] = getattr(self, name).scaled(factor)
        changes["stages"] = tuple(s.scaled(factor) for s in self.stages)
        changes["machines"] = tuple(m.scaled(factor) for m in self.machines)
        changes["classes"] = {k: e.scaled(factor) for k, e in self.classes.items()}
        return replace(self, **changes)

    def vary(self, name: str, value: float) -> Evidence:
        """A copy with one number changed, for curves: ``n``, ``margin``, ``lam``, or any field,
        dotted into a record as in ``"compression.size"``.
        """
        if name == "n":
            return self.scaled(value / self.n)
        if name == "lam":
            return replace(self, C=1.0 / (2.0 * value * self.n))
        if name == "margin":
            margins = self.need("margins")
            if margins.min() <= 0:
                raise ValueError("the margin can only be varied when every row has a positive one")
            return replace(self, margins=margins * (value / margins.min()))
        head, _, tail = name.partition(".")
        if head not in {f.name for f in fields(self)}:
            raise ValueError(f"Evidence has no field {head!r}")
        new: Any = value if not tail else replace(self.need(head), **{tail: value})
        return replace(self, **{head: new})

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON types; fields at their defaults are left out."""
        return plain(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Evidence:
        """The inverse of :meth:`to_dict`; unknown fields are an error, not a guess."""
        values = dict(data)
        unknown = sorted(set(values) - {f.name for f in fields(cls)})
        if unknown:
            raise ValueError(f"unknown evidence field {unknown[0]!r}")
        for name, record in RECORDS.items():
            if values.get(name) is not None:
                values[name] = record(**values[name])
        values["stages"] = tuple(Stage(**s) for s in values.get("stages", ()))
        values["choices"] = tuple(Choice(**c) for c in values.get("choices", ()))
        values["lost"] = tuple(values.get("lost", ()))
        values["machines"] = tuple(cls.from_dict(m) for m in values.get("machines", ()))
        table = values.get("classes", {})
        values["classes"] = {k: cls.from_dict(e) for k, e in table.items()}
        if values.get("dimension") is not None:
            values["dimension"] = float(values["dimension"])
        return cls(**values)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Evidence):
            return NotImplemented
        return all(_same(getattr(self, f.name), getattr(other, f.name)) for f in fields(self))

    __hash__ = None  # type: ignore[assignment]


def _check_whole(e: Evidence) -> None:
    """Numbers that cannot be negative, or must be whole."""
    if e.n_classes < 2:
        raise ValueError(f"Evidence.n_classes must be at least 2, got {e.n_classes!r}")
    for name, least in (("rank", 0), ("neighbours", 1)):
        value = getattr(e, name)
        if value is not None and check_count(value, f"Evidence.{name}") < least:
            raise ValueError(f"Evidence.{name} must be at least {least}, got {value!r}")
    size = math.inf if e.dimension is None else float(e.dimension)
    if not size >= 0.0 or (math.isfinite(size) and size != math.floor(size)):
        raise ValueError(
            f"Evidence.dimension must be a whole number >= 0 or infinite, got {e.dimension!r}"
        )
    for name in ("point_norms", "slacks"):
        values = getattr(e, name)
        if values is not None and values.min() < 0:
            raise ValueError(f"Evidence.{name} contains {values.min()}: it cannot be negative")


def _check_range(limits: Any) -> tuple[float, float]:
    low, high = (float(v) for v in limits)
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ValueError(f"loss_range needs two finite numbers low < high, got {limits!r}")
    return low, high


def mean(values: Floats) -> float:
    """The mean as a Python float."""
    return float(np.mean(values))
