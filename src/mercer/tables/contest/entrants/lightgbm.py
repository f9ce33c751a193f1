"""LightGBM, where it is installed."""

from __future__ import annotations

from mercer.tables.contest.entrant import Case
from mercer.tables.contest.entrants.boosting import Boosting
from mercer.tables.trees import LightTrees
from mercer.tables.trees.light import installed


class LightGBM(Boosting):
    """The same two sizes as of scikit-learn's boosted trees."""

    name, title, order = "lightgbm", "LightGBM", 70
    trees = LightTrees

    def suits(self, case: Case) -> bool:
        """Tables, if the package is there or was asked for: then its absence is said."""
        return super().suits(case) and (installed() or case.machine.learner == self.name)
