"""Errors on a part of the rows held out once."""

from __future__ import annotations

import numpy as np

from mercer.selection._case import Case
from mercer.selection.criteria._base import Criterion, Score


class HoldOutCriterion(Criterion):
    """A fifth of the rows, drawn once, stratified; one training per candidate."""

    code = "holdout"
    title = "one hold-out set"
    reference = "folklore"
    uses = "folds"
    tasks = frozenset({"classification", "regression"})
    learners = frozenset()

    def _score(self, case: Case) -> Score:
        """Mean loss on the held-out rows."""
        return Score(float(np.mean(case.folds)))
