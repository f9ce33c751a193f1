"""What a fitted machine looks like from inside: objectives, margins, the state of every point."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mercer._card import card
from mercer.learners.margin.svm.machine import Machine, primal_objective

Floats = NDArray[np.float64]

STATES = {
    "classifier": ("outside", "on the margin", "inside", "misclassified"),
    "regressor": ("inside the tube", "on the edge", "outside the tube"),
    "detector": ("inside", "on the boundary", "outlier"),
}


@dataclass(frozen=True, repr=False)
class Diagnostics:
    """The anatomy of one machine on its training rows.

    Attributes
    ----------
    primal, dual, gap : float
        Objectives in the solver's scale; ``gap = primal - dual >= 0`` bounds how far from the
        optimum the machine is.
    kkt_gap : float
        Largest violation of the optimality conditions, in LIBSVM's units (compare with ``tol``).
    states : array of str
        State of each training row. Classifier: "outside" (y f > 1), "on the margin" (= 1),
        "inside" (0 < y f < 1), "misclassified" (y f <= 0), to within the solver's accuracy.
    functional_margins : array
        y f (classifier), ``|t - f|`` (regressor), f (one-class) at each row.
    geometrical_margins : array
        The same divided by ‖w‖: distances in feature space.
    slacks : array
        By how much each row misses its constraint.
    norm, radius, complexity : float
        ‖w‖, R = max sqrt(k(x, x)), and R²‖w‖².
    n_free, n_bounded : int
        Support vectors strictly inside their box, and at its bound.
    """

    name: str
    kind: str
    rows: NDArray[np.intp]
    primal: float
    dual: float
    gap: float
    kkt_gap: float
    tol: float
    n_iter: int
    stopped: str
    states: NDArray[np.str_] = field(repr=False)
    functional_margins: Floats = field(repr=False)
    geometrical_margins: Floats = field(repr=False)
    slacks: Floats = field(repr=False)
    norm: float
    radius: float
    complexity: float
    n_free: int
    n_bounded: int
    scale: float
    tube: float

    @property
    def n_support(self) -> int:
        """Number of support vectors."""
        return self.n_free + self.n_bounded

    @property
    def relative_gap(self) -> float:
        """The gap as a share of the objective."""
        return self.gap / max(abs(self.primal), abs(self.dual), 1e-300)

    def counts(self) -> dict[str, int]:
        """How many training rows are in each state."""
        return {state: int(np.sum(self.states == state)) for state in STATES[self.kind]}

    def summary(self) -> str:
        """The most useful numbers, readable."""
        title = f"{self.name}: " if self.name else ""
        done = "reached" if self.stopped == "tolerance" else f"stopped by {self.stopped}"
        lines = [
            f"{title}{len(self.rows)} training rows, {self.n_support} support vectors "
            f"({self.n_free} free, {self.n_bounded} at bound)",
            f"  primal {self.primal:.6g}   dual {self.dual:.6g}   gap {self.gap:.2e} "
            f"({100 * self.relative_gap:.2g} %)",
            f"  KKT violation {self.kkt_gap:.2e} after {self.n_iter} iterations "
            f"(tolerance {self.tol:.0e}: {done})",
            f"  |w| = {self.norm:.6g}   R = {self.radius:.6g}   R²|w|² = {self.complexity:.6g}",
            "  " + "   ".join(f"{state}: {count}" for state, count in self.counts().items()),
        ]
        if self.kind == "classifier":
            lines.insert(4, f"  smallest geometrical margin {self.geometrical_margins.min():.6g}")
        return "\n".join(lines)

    __repr__ = summary

    def _repr_html_(self) -> str:
        """A card for notebooks."""
        rows = [("training rows", str(len(self.rows))),
                ("support vectors", f"{self.n_support} ({self.n_bounded} at bound)"),
                ("duality gap", f"{self.gap:.2e} ({100 * self.relative_gap:.2g} %)"),
                ("KKT violation", f"{self.kkt_gap:.2e}, tolerance {self.tol:.0e}"),
                ("norm, radius", f"{self.norm:.6g}, {self.radius:.6g}"),
                *((state, str(count)) for state, count in self.counts().items())]  # fmt: skip
        return card(self.name or "Diagnostics", rows)


class DiagnosticsList(tuple[Diagnostics, ...]):
    """The diagnostics of several binary problems."""

    __slots__ = ()

    def summary(self) -> str:
        """One line per problem."""
        lines = [f"{len(self)} binary problems"]
        lines += [
            f"  {item.name}: gap {item.gap:.2e}, {item.n_support} support vectors, "
            f"|w| = {item.norm:.4g}, {item.counts().get('misclassified', 0)} misclassified"
            for item in self
        ]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return self.summary()


def diagnose(machine: Machine, radius: float, *, kind: str, tol: float, name: str) -> Diagnostics:
    """Compute the diagnostics of one machine."""
    solution = machine.solution
    accuracy = max(tol, solution.gap) / abs(machine.scale)
    margins, excess, wrong = _margins(machine, kind)
    outer, edge, inner, *rest = STATES[kind]
    states = np.where(excess > accuracy, inner, np.where(excess < -accuracy, outer, edge))
    if rest:
        states = np.where(wrong, rest[0], states)
    squared_norm = machine.squared_norm
    norm = float(np.sqrt(max(squared_norm, 0.0)))
    size = np.abs(solution.coef)
    bounded = (size >= machine.problem.upper[: len(size)]) & (size > 0)
    primal = primal_objective(machine.problem, machine.solution)
    return Diagnostics(
        name=name,
        kind=kind,
        rows=machine.rows,
        primal=primal,
        dual=-solution.objective,
        gap=abs(primal + solution.objective),
        kkt_gap=solution.gap,
        tol=tol,
        n_iter=solution.n_iter,
        stopped=solution.stopped,
        states=states,
        functional_margins=margins,
        geometrical_margins=margins / norm if norm > 0 else np.zeros_like(margins),
        slacks=np.maximum(excess, 0.0),
        norm=norm,
        radius=radius,
        complexity=radius**2 * squared_norm,
        n_free=int(np.count_nonzero((size > 0) & ~bounded)),
        n_bounded=int(np.count_nonzero(bounded)),
        scale=machine.scale,
        tube=machine.tube,
    )


def _margins(machine: Machine, kind: str) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Functional margins, how far each constraint is exceeded (negative: met), and errors."""
    if kind == "regressor":
        residual = np.abs(machine.target - machine.output)
        return residual, residual - machine.tube, np.zeros(len(residual), dtype=bool)
    margins = machine.target * machine.output
    needed = 1.0 if kind == "classifier" else 0.0
    return margins, needed - margins, margins <= 0
