"""Errors on rows held out in turn."""

from __future__ import annotations

import numpy as np

from mercer.selection._case import Case
from mercer.selection.criteria._base import Criterion, Score


class KFold(Criterion):
    """The mean loss over the folds of a cross-validation."""

    code = "cv"
    title = "k-fold cross-validation"
    reference = "Stone 1974"
    uses = "folds"
    tasks = frozenset({"classification", "regression"})
    learners = frozenset()

    def _score(self, case: Case) -> Score:
        """Mean over the folds, and every fold."""
        parts = {f"fold {k}": float(v) for k, v in enumerate(case.folds)}
        return Score(float(np.mean(case.folds)), parts)
