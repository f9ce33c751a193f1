"""How well the kernel matrix agrees with the labels, before any training."""

from __future__ import annotations

import numpy as np

from mercer.selection._case import Case
from mercer.selection.criteria._base import Criterion, Score


class Alignment(Criterion):
    """1 − ⟨K_c, yy'⟩/(‖K_c‖ ‖y_c y_c'‖): the angle between the centred matrix and the ideal."""

    code = "alignment"
    title = "centred kernel–target alignment"
    reference = "Cristianini et al. 2002; Cortes, Mohri and Rostamizadeh 2012"
    kind = "heuristic"
    learners = frozenset({"c-svc", "nu-svc", "svr", "nu-svr"})
    sees_cost = False
    any_machine = True
    tasks = frozenset({"classification", "regression"})

    def _score(self, case: Case) -> Score:
        """One minus the cosine; the price of errors does not enter."""
        K, y = case.gram.centred.array, case.target - case.target.mean()
        size = float(np.linalg.norm(K)) * float(y @ y)
        aligned = float(y @ K @ y) / size if size > 0 else 0.0
        return Score(1.0 - aligned, {"alignment": aligned})
