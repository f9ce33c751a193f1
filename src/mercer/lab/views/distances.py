"""A matrix of distances: which axiom breaks, at which triple, and what a repair changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer import metrics
from mercer.errors import UserError
from mercer.lab.questions import one_of, rows_of
from mercer.lab.quiet import said
from mercer.lab.view import Answer, Call, View

MOST = 12
REPAIRS: dict[str, Callable[[Any], Any]] = {
    "none": lambda D: None,
    "symmetrise": metrics.symmetrise,
    "shortest paths": metrics.shortest_paths,
    "additive constant": metrics.additive_constant,
    "Lingoes": metrics.lingoes,
    "Cailliez": metrics.cailliez,
}
FIRST = [[0, 2, 9, 4], [2, 0, 3, 5], [9, 3, 0, 4], [4, 5, 4, 0]]


@dataclass(frozen=True)
class Asked:
    """A square matrix and a repair."""

    matrix: Any = rows_of(None, MOST)
    repair: str = one_of(*REPAIRS)


class Distances(View):
    """Axioms by `mercer.metrics.report`, repairs by its neighbours."""

    name, title, group, place = "distances", "Distances", "Simulate", 6
    about = "Write a distance matrix: is it a metric, is it Euclidean, which three objects say no?"

    def calls(self) -> Mapping[str, Call]:
        """One matrix."""
        return {"check": self.check}

    def start(self) -> Answer:
        """Repairs to choose from, and a matrix that needs one."""
        return {"repairs": list(REPAIRS), "first": FIRST, "most": MOST}

    def check(self, asked: Asked) -> Answer:
        """The axioms before and after, and both matrices as points of a plane."""
        if len(asked.matrix) < 3:
            raise UserError("needs three objects or more.")
        report = metrics.report(asked.matrix)
        try:
            repaired = REPAIRS[asked.repair](asked.matrix)
        except ValueError as problem:
            raise UserError(f"{problem}.") from None
        return {
            "kind": report.kind,
            "axioms": _axioms(report),
            "smallest_eigenvalue": report.smallest_eigenvalue,
            "advice": report.advice(),
            "points": _plane(asked.matrix),
            "after": None
            if repaired is None
            else {"matrix": np.round(repaired.matrix, 4), "kind": repaired.after.kind,
                  "words": repaired.explain(), "axioms": _axioms(repaired.after),
                  "points": _plane(repaired.matrix)},
            "python": "import numpy as np\nfrom mercer import metrics\n\n"
            f"D = np.array({asked.matrix.tolist()})\nprint(metrics.report(D).explain())\n"
            + ("" if repaired is None
               else f"print(metrics.{REPAIRS[asked.repair].__name__}(D).explain())\n"),
        }  # fmt: skip


def _axioms(report: Any) -> list[Answer]:
    return [{"code": a.code, "holds": a.holds, "statement": a.statement, "worst": a.worst,
             "place": a.place} for a in report.axioms]  # fmt: skip


def _plane(D: Any) -> Any:
    """Classical scaling of the symmetric part into two dimensions."""
    with said():
        return metrics.classical_mds((D + D.T) / 2.0, 2).points
