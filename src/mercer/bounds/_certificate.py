"""A number with everything needed to believe it, or not."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from mercer.bounds._evidence import Choice, Evidence
from mercer.bounds._ledger import Ledger
from mercer.bounds._not_applicable import NotApplicable
from mercer.bounds.numerics.checks import as_level
from mercer.bounds.numerics.level import Level, read_level
from mercer.bounds.plain_data import plain
from mercer.bounds.words import ABSOLUTE_ERROR, caveats, explain, first_line, html

if TYPE_CHECKING:
    from mercer.bounds._bound import Bound, Outcome

FORMAT = 2
READABLE = (1, 2)  # the first had neither `found` nor `about`
_SMALLEST_LOG = -1e9  # of a failure probability asked for
_LARGEST = 10**12
_LARGEST_REPEATED = 10**6  # scaling repeats recorded losses in memory


@dataclass(frozen=True, eq=False)
class Certificate:
    """What one theorem says about one fitted model.

    ``value`` is clipped to the range of the loss, ``unclipped`` is not. ``kind`` is ``"bound"``
    (holds with probability 1−δ), ``"estimate"`` (no confidence statement), ``"conditional"``
    (holds under a named assumption that cannot be checked) or ``"printed"`` (a text's own formula,
    kept for comparison, that its proof does not support). ``uncovered`` lists choices made from
    the data that the statement does not account for. ``found`` holds, in its own words, what the
    checks of the assumptions found and nobody mended; ``about`` says which model and which rows the
    statement is about, which checks were made, and how often these rows were looked at.
    ``advice`` follows an in-sample bound: the best estimate, and the call that would promise more.
    ``side`` is ``"upper"`` (the quantity is at most the value), ``"interval"`` or ``"lower"`` (at
    least). ``phrase`` says it in words of its own, with ``{who}`` and ``{value}`` in their places.
    """

    code: str
    value: float
    unclipped: float
    kind: str
    side: str
    classifier: str
    quantity: str
    delta: float | None
    n: int
    title: str
    reference: str
    provenance: str
    assumptions: tuple[str, ...]
    vacuous: bool
    learner: str = "the model"
    loss_range: tuple[float, float] = (0.0, 1.0)
    lower: float | None = None
    observed: float | None = None
    counted: str = ""
    spent: str = ""
    uncovered: tuple[Choice, ...] = ()
    ledger: Ledger = field(default_factory=Ledger)
    details: Mapping[str, Any] = field(default_factory=dict)
    params: Mapping[str, Any] = field(default_factory=dict)
    inputs: Evidence | None = None
    found: tuple[str, ...] = ()
    about: Mapping[str, Any] | None = None
    advice: str = ""
    phrase: str = ""

    @classmethod
    def build(
        cls, bound: Bound, evidence: Evidence, delta: float, outcome: Outcome, ledger: Ledger
    ) -> Certificate:
        """Clip, flag and label the outcome of ``bound``."""
        if math.isnan(outcome.value):
            raise ArithmeticError(f"{bound.code} evaluated to NaN; this is a bug in the bound")
        low, high = _range(bound, evidence)
        estimate = bound.kind == "estimate"
        return cls(
            code=bound.code,
            value=min(high, max(low, outcome.value)),
            unclipped=outcome.value,
            kind=bound.statement,
            side=bound.side,
            classifier=bound.classifier,
            quantity=outcome.quantity or bound.quantity,
            delta=None if estimate else as_level(delta),
            n=outcome.n,
            title=bound.title,
            reference=bound.reference,
            provenance=bound.provenance,
            assumptions=bound.assumptions + outcome.assumptions,
            vacuous=not estimate and outcome.value >= high,
            learner=evidence.learner,
            loss_range=(low, high),
            lower=None if outcome.lower is None else min(high, max(low, outcome.lower)),
            observed=outcome.observed,
            counted=outcome.counted,
            spent=outcome.spent,
            uncovered=evidence.uncovered(bound.covered(evidence)),
            ledger=Ledger() if estimate else ledger,
            details=dict(outcome.details),
            params=bound.params,
            inputs=evidence.only((*bound.needs, *bound.reads)),
            phrase=outcome.phrase,
        )

    @property
    def is_bound(self) -> bool:
        """Whether this is a statement with a confidence level and no unverifiable assumption."""
        return self.kind == "bound"

    @property
    def caveats(self) -> tuple[str, ...]:
        """What stands before the number in the first line; empty if nothing speaks against it."""
        return caveats(self.found, (choice.what for choice in self.uncovered))

    def bound(self) -> Bound:
        """The bound that made this certificate, with its parameters."""
        from mercer.bounds._registry import available, get

        if self.code not in available():
            raise ValueError(
                f"{self.code!r} is a guarantee with a count of its own, no bound of evidence: "
                "mercer verify derives a metric again, mercer rows says how many rows one needs."
            )
        return get(self.code)(**self.params)

    def recompute(self) -> Certificate:
        """Derive the certificate again from its own inputs."""
        fresh = self.bound().evaluate(self._inputs(), self.own_delta)
        kept = {name: getattr(self, name) for name in ("quantity", "found", "about", "advice")}
        fresh = replace(fresh, **kept)
        if self.own_delta == self._delta():
            return fresh
        return replace(fresh, delta=self.delta, ledger=self.ledger, details=self.details)

    def sample_size(self, target: float) -> int | None:
        """Fewest rows at which the value would be <= ``target`` if the observed rates stayed.

        None if no number of rows is enough: up to 10^12, or 10^6 where the recorded losses
        themselves have to be repeated. No certificate falls below what was observed.
        """
        target = _number(target)
        bound, inputs = self.bound(), self._inputs()
        if self.observed is not None and self.kind != "estimate" and target < self.observed:
            return None

        def reaches(rows: int) -> bool:
            return self._try(bound, inputs.scaled(rows / self.n), self.own_delta) <= target

        return _smallest(reaches, _LARGEST_REPEATED if inputs.repeats_rows else _LARGEST)

    def delta_for(self, target: float) -> Level | None:
        """The smallest failure probability at which the value is <= ``target``; None if none is.

        Its ``log`` tells it apart from 0 where the float underflows.
        """
        if self.kind == "estimate":
            raise ValueError("an estimate has no failure probability")
        target = _number(target)
        bound, inputs = self.bound(), self._inputs()
        share = self.own_delta.log - self._delta().log

        def short(log_delta: float) -> bool:
            return self._try(bound, inputs, Level.from_log(share + log_delta)) > target

        lo, hi = -1.0, math.log1p(-1e-9)
        if short(hi):
            return None
        while lo > _SMALLEST_LOG and not short(lo):
            lo, hi = 8.0 * lo, lo
        for _ in range(44):
            mid = 0.5 * (lo + hi)
            lo, hi = (mid, hi) if short(mid) else (lo, mid)
        return Level.from_log(hi)

    def first_line(self) -> str:
        """The statement in one line; what speaks against it comes first."""
        return first_line(self)

    def explain(self) -> str:
        """The whole certificate in plain words."""
        return explain(self)

    def __str__(self) -> str:
        return self.first_line()

    def _repr_html_(self) -> str:
        return html(self)

    def to_dict(self, *, inputs: bool = True) -> dict[str, Any]:
        """Plain JSON types. ``inputs=False`` leaves out the evidence (then no inversions later)."""
        data = plain(replace(self, ledger=Ledger(), inputs=None))
        data["ledger"] = self.ledger.to_list()
        if inputs and self.inputs is not None:
            data["inputs"] = self.inputs.to_dict()
        return {"mercer_certificate": FORMAT, **data}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Certificate:
        """The inverse of :meth:`to_dict`; reads the formats of earlier versions too."""
        values = dict(data)
        if values.pop("mercer_certificate", None) not in READABLE:
            raise ValueError("not a Mercer certificate of a format this version reads")
        unknown = sorted(set(values) - {f.name for f in fields(cls)})
        if unknown:
            raise ValueError(f"unknown certificate field {unknown[0]!r}")
        values["delta"] = read_level(values.get("delta"))
        values["ledger"] = Ledger.from_list(values.get("ledger", []))
        values["uncovered"] = tuple(Choice(**c) for c in values.get("uncovered", ()))
        values["assumptions"] = tuple(values.get("assumptions", ()))
        values["found"] = tuple(values.get("found", ()))
        values["loss_range"] = tuple(float(end) for end in values.get("loss_range", (0.0, 1.0)))
        values["unclipped"] = float(values["unclipped"])
        if values.get("inputs") is not None:
            values["inputs"] = Evidence.from_dict(values["inputs"])
        return cls(**values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Certificate) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def _inputs(self) -> Evidence:
        if self.inputs is None:
            raise ValueError("this certificate was stored without its inputs")
        return self.inputs

    def _delta(self) -> Level:
        return as_level(0.05 if self.delta is None else self.delta)

    @property
    def own_delta(self) -> Level:
        """What this bound itself got; less than δ if it won among several declared ones."""
        own = read_level(self.details.get("own_delta"))
        return self._delta() if own is None else own

    @staticmethod
    def _try(bound: Bound, evidence: Evidence, delta: float) -> float:
        try:
            return bound.evaluate(evidence, delta).unclipped
        except NotApplicable:
            return math.inf


def _number(target: Any) -> float:
    """A target to compare with; comparisons with NaN would all fail silently."""
    try:
        value = float(target)
    except (TypeError, ValueError):
        value = math.nan
    if math.isnan(value):
        raise ValueError(f"target must be a number, got {target!r}")
    return value


def _range(bound: Bound, evidence: Evidence) -> tuple[float, float]:
    """Error rates live in [0, 1]; losses in the declared range; distances have no largest one."""
    if bound.quantity == ABSOLUTE_ERROR:
        return 0.0, math.inf
    if bound.quantity == "mean loss" and evidence.loss_range is not None:
        return evidence.loss_range
    return 0.0, 1.0


def _smallest(reaches: Callable[[int], bool], largest: int) -> int | None:
    """Smallest whole number with the property, which is taken to be monotone."""
    high = 1
    while not reaches(high):
        high *= 2
        if high > largest:
            return None
    low = high // 2
    while high - low > 1:
        mid = (low + high) // 2
        low, high = (low, mid) if reaches(mid) else (mid, high)
    return high
