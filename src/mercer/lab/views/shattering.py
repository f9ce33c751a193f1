"""Shattering: which labelings of a few points a class of rules can produce."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mercer.errors import UserError
from mercer.lab.questions import one_of, rows_of, whole
from mercer.lab.view import Answer, Call, View
from mercer.theory.growth import log_growth_of
from mercer.theory.shattering import dichotomies, empirical_vc_dimension

CLASSES = {
    "affine": "lines",
    "linear": "lines through the origin",
    "boxes": "boxes",
    "circles": "circles around the origin",
    "signed circles": "circles, either side",
}
GROWTH = {"linear": "homogeneous"}  # the same class under the name of its growth function
MOST = 7


@dataclass(frozen=True)
class Points:
    """A few points of the plane."""

    points: Any = rows_of(2, MOST)
    rules: str = one_of(*CLASSES)


@dataclass(frozen=True)
class Growth:
    """A class, and how far to draw."""

    rules: str = one_of(*CLASSES)
    m: int = whole(2, 60, 20)


class Shattering(View):
    """All 2^m labelings are tried."""

    name, title, group, place = "shattering", "Shattering", "Simulate", 1
    about = "Move a few points: which labelings can lines, boxes or circles produce?"

    def calls(self) -> Mapping[str, Call]:
        """Labelings of points, and how their number grows."""
        return {"label": self.label, "growth": self.growth}

    def start(self) -> Answer:
        """Classes of rules."""
        return {"classes": list(CLASSES.items()), "most": MOST}

    def label(self, asked: Points) -> Answer:
        """Every labeling, and whether it can be produced."""
        if len(asked.points) == 0:
            raise UserError("needs a point or more.")
        found = [(labels, reached) for labels, reached in dichotomies(asked.points, asked.rules)]
        count = sum(reached for _, reached in found)
        return {
            "count": count,
            "all": len(found),
            "shattered": count == len(found),
            "dimension": empirical_vc_dimension(asked.points, asked.rules),
            "labelings": [{"labels": labels, "reached": reached} for labels, reached in found],
            "python": "from mercer.theory.shattering import dichotomies\n\n"
            f"points = {asked.points.round(3).tolist()}\n"
            f"for labels, reached in dichotomies(points, {asked.rules!r}):\n"
            "    print(labels, reached)\n",
        }

    def growth(self, asked: Growth) -> Answer:
        """Most labelings of m points in the plane, as a power of two, beside 2^m."""
        sizes = list(range(1, asked.m + 1))
        name = GROWTH.get(asked.rules, asked.rules)
        bits = [log_growth_of(name, m, 2) / math.log(2.0) for m in sizes]
        return {"m": sizes, "bits": bits}
