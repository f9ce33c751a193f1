"""Margins live: a support vector machine in the plane, fitted again at every touch."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from mercer import SVC, kernels
from mercer.errors import UserError
from mercer.kernels import Kernel
from mercer.lab.plane_of_file import plane_of_file
from mercer.lab.questions import number, one_of, rows_of, whole, word
from mercer.lab.quiet import said
from mercer.lab.samples import MOST, SAMPLES, draw
from mercer.lab.view import Answer, Call, View
from mercer.learners.quantities.loo import exact_leave_one_out

KERNELS: dict[str, tuple[type[Kernel], Callable[[float], dict[str, Any]]]] = {
    "gaussian": (kernels.Gaussian, lambda scale: {"length_scale": scale}),
    "linear": (kernels.Linear, lambda scale: {}),
    "quadratic": (kernels.Polynomial, lambda scale: _polynomial(2, scale)),
    "cubic": (kernels.Polynomial, lambda scale: _polynomial(3, scale)),
    "laplacian": (kernels.Laplacian, lambda scale: {"length_scale": scale}),
    "matern": (kernels.Matern, lambda scale: {"length_scale": scale, "nu": 1.5}),
}
WIDE, HIGH = 72, 54  # nodes of the mesh on which the function is drawn
FINE, COARSE = 1e-5, 1e-3  # tolerance for few and for many points
FEW = 300
PATIENCE = 2.0  # seconds for one training; then the best so far is shown with its gap
MOST_LEFT_OUT, MOST_SECONDS = 300, 10.0


@dataclass(frozen=True)
class Draw:
    """A sample by name."""

    sample: str = one_of(*SAMPLES)
    n: int = whole(4, MOST, 60)
    seed: int = whole(0, 10**6, 1)


@dataclass(frozen=True)
class Own:
    """Rows of a file; without names of columns, the plane in which they spread most."""

    file: str = word(500)
    target: str = word(500)
    across: str = word(500, "")
    up: str = word(500, "")
    n: int = whole(4, MOST, 300)
    seed: int = whole(0, 10**6, 1)


@dataclass(frozen=True)
class Machine:
    """Points and settings of a machine."""

    points: Any = rows_of(3, MOST)  # x, y, sign
    kernel: str = one_of(*KERNELS)
    C: float = number(1e-4, 1e6, 1.0)
    scale: float = number(1e-3, 1e3, 1.0)


@dataclass(frozen=True)
class Picture(Machine):
    """A machine, and the rectangle to draw it on."""

    left: float = number(-1e6, 1e6, -3.0)
    right: float = number(-1e6, 1e6, 3.0)
    bottom: float = number(-1e6, 1e6, -3.0)
    top: float = number(-1e6, 1e6, 3.0)


@dataclass(frozen=True)
class Judged(Machine):
    """A machine, and the name of the law its points were drawn from."""

    sample: str = one_of(*SAMPLES, "")


class Margins(View):
    """Every number comes from one fitted `mercer.SVC`."""

    name, title, group, place = "margins", "Margins live", "See", 0
    about = "Move points and prices; see the line, its margins and the points that hold it."

    def calls(self) -> Mapping[str, Call]:
        """Draw a sample; fit a machine; judge it by leaving rows out and by the law."""
        return {"draw": self.draw, "own": self.own, "fit": self.fit, "judge": self.judge}

    def start(self) -> Answer:
        """Names to choose from."""
        return {"samples": list(SAMPLES), "kernels": list(KERNELS), "most": MOST}

    def draw(self, asked: Draw) -> Answer:
        """Points, signs and the Bayes risk where the law is known."""
        found = draw(asked.sample, asked.n, asked.seed)
        rows = np.column_stack([np.round(found.X, 3), found.signs])
        risk = None if found.law is None else found.law.bayes_risk
        return {"points": rows, "axes": found.axes, "bayes_risk": risk}

    def own(self, asked: Own) -> Answer:
        """Rows of a file that may be read."""
        path = self.room.find(asked.file)
        found = plane_of_file(path, asked.target, asked.across, asked.up, asked.n, asked.seed)
        rows = np.column_stack([np.round(found.X, 3), found.signs])
        return {"points": rows, "axes": found.axes, "bayes_risk": None}

    def fit(self, asked: Picture) -> Answer:
        """The machine: function on a mesh, state and coefficient of every point, objectives."""
        model = _fitted(asked)
        facts: Any = model.diagnostics_
        across = np.linspace(asked.left, asked.right, WIDE)
        up = np.linspace(asked.bottom, asked.top, HIGH)
        mesh = np.column_stack([part.ravel() for part in np.meshgrid(across, up)])
        alphas = np.zeros(len(asked.points))
        alphas[model.support_] = np.abs(np.asarray(model.dual_coef_)[0])
        return {
            "mesh": np.round(model.decision_function(mesh), 4),
            "wide": WIDE,
            "high": HIGH,
            "states": facts.states,
            "alphas": np.round(alphas, 7),
            "counts": facts.counts(),
            "support": [facts.n_free, facts.n_bounded],
            "primal": facts.primal,
            "dual": facts.dual,
            "gap": facts.gap,
            "relative_gap": facts.relative_gap,
            "stopped": facts.stopped,
            "norm": facts.norm,
            "width": 1.0 / facts.norm if facts.norm > 0 else None,
            "span": _span(model),
            "python": _python(asked),
        }

    def judge(self, asked: Judged) -> Answer:
        """Leave-one-out by refits, and the true risk: what takes longer than a touch may."""
        begun = time.perf_counter()
        model, n = _fitted(asked), len(asked.points)
        awaited = (time.perf_counter() - begun) * len(model.support_)  # a refit for each
        left_out, why = None, "" if n <= MOST_LEFT_OUT else f"only up to {MOST_LEFT_OUT} points"
        if not why and awaited > MOST_SECONDS:
            why = f"{len(model.support_)} refits would take too long"
        if not why:
            with said(ConvergenceWarning):
                found = exact_leave_one_out(_machine(asked), *_rows(asked))
            left_out = {"error": found.error, "refits": found.n_refits}
        law = draw(asked.sample, 4, 0).law if asked.sample else None
        truth = None if law is None else law.risk(model.predict, n=20_000)
        return {"leave_one_out": left_out, "why": why, "risk": truth,
                "bayes_risk": None if law is None else law.bayes_risk}  # fmt: skip


def _span(model: SVC) -> float | None:
    return (model.evidence_.loo or {}).get("span")


def _rows(asked: Machine) -> tuple[Any, Any]:
    X, signs = asked.points[:, :2], np.sign(asked.points[:, 2])
    if len(np.unique(signs)) != 2 or np.any(signs == 0):
        raise UserError("a machine needs points of both classes.", "Add one of the other class.")
    return X, signs


def _polynomial(degree: int, scale: float) -> dict[str, Any]:
    return {"degree": degree, "coef0": 1.0, "gamma": float(f"{scale**-2:.4g}")}


def _kernel(asked: Machine) -> tuple[type[Kernel], dict[str, Any]]:
    kind, options = KERNELS[asked.kernel]
    return kind, options(float(f"{asked.scale:.4g}"))


def _machine(asked: Machine) -> SVC:
    kind, options = _kernel(asked)
    tol = FINE if len(asked.points) <= FEW else COARSE
    return SVC(C=asked.C, kernel=kind(**options), tol=tol, time_limit=PATIENCE)


def _fitted(asked: Machine) -> SVC:
    """The machine, or its best so far; a machine that has not begun is no answer."""
    X, signs = _rows(asked)
    with said(ConvergenceWarning):
        model = _machine(asked).fit(X, signs)
    facts: Any = model.diagnostics_
    if facts.stopped == "time_limit" and facts.norm == 0:
        raise UserError("this computer is busy with other things: no step was made within "
                        f"{PATIENCE:g} s.", "Ask again.")  # fmt: skip
    return model


def _python(asked: Machine) -> str:
    """The same machine in Python, for points saved from the page."""
    kind, options = _kernel(asked)
    given = ", ".join(f"{name}={value}" for name, value in options.items())
    kernel = f"kernels.{kind.__name__}({given})"
    return (
        "import numpy as np\nfrom mercer import SVC, kernels\n\n"
        'rows = np.loadtxt("points.csv", delimiter=",", skiprows=1)\n'
        f"model = SVC(C={asked.C:.6g}, kernel={kernel}).fit(rows[:, :2], rows[:, 2])\n"
        "print(model.diagnostics_)\nprint(model.certificate_)\n"
    )
