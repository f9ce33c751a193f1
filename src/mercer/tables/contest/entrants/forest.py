"""Forests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mercer._types import Samples
from mercer.tables.contest.entrant import Case, Entrant
from mercer.tables.trees import Forest


class Forests(Entrant):
    """Means of many deep trees: the random forest, and extremely random trees."""

    name, title, order = "forest", "forest", 50

    def suits(self, case: Case) -> bool:
        """Tables."""
        return case.kind == "table"

    def prepared(self, case: Case) -> tuple[Any, Any]:
        """One number per column."""
        return case.form("trees")

    def settings(self, case: Case, Z: Samples) -> Iterator[tuple[str, Any]]:
        """Few columns at each split for classes, a third of them for numbers."""
        share: Any = "sqrt" if case.task == "classification" else 0.34
        if case.trial:
            yield "", Forest(case.task, n_estimators=50, max_features=share)
            return
        common = {"max_features": share, "random_state": case.seed}
        yield "random", Forest(case.task, **common)
        yield "extremely random", Forest(case.task, extra=True, **common)

    def seconds(self, case: Case, Z: Any, rows: int) -> float:
        """By rows and columns at each split."""
        return 0.04 + 120 * 1e-7 * rows * (8 + Z.shape[1] ** 0.5)
