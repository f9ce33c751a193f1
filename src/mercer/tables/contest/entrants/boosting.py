"""Boosted trees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from mercer._types import Samples
from mercer.tables.contest.entrant import Case, Entrant
from mercer.tables.trees import BoostedTrees


class Boosting(Entrant):
    """Sums of small trees, in two sizes."""

    name, title, order = "boosting", "boosted trees", 60
    trees: ClassVar[type[BoostedTrees]] = BoostedTrees

    def suits(self, case: Case) -> bool:
        """Tables; a trial does with a forest."""
        return case.kind == "table" and not case.trial

    def prepared(self, case: Case) -> tuple[Any, Any]:
        """One number per column."""
        return case.form("trees")

    def settings(self, case: Case, Z: Samples) -> Iterator[tuple[str, Any]]:
        """The usual defaults, and smaller trees."""
        plan = case.form("trees")[0]
        named = tuple(block[0] for block, encoder in zip(plan.blocks_, plan.encoders_, strict=True)
                      if encoder.kind == "category")  # fmt: skip
        common: dict[str, Any] = {"categories": named, "random_state": case.seed}
        yield (
            "8 leaves",
            self.trees(
                case.task, max_leaf_nodes=8, learning_rate=0.08, min_samples_leaf=10, **common
            ),
        )
        yield "31 leaves", self.trees(case.task, **common)

    def seconds(self, case: Case, Z: Any, rows: int) -> float:
        """By trees, columns and rows: histograms cost columns times bins even for few rows."""
        trees = 100 * (1 if case.n_classes <= 2 else case.n_classes)
        return trees * (2e-4 + Z.shape[1] * (8e-6 + 5e-9 * rows))
