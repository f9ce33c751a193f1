"""Rules that vote, and lose weight when they and the vote were wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class VoteOfRules:
    """Weight and errors of every rule, and the rows on which the vote erred."""

    weights: Floats
    wrong: NDArray[np.intp]
    mistaken_rows: NDArray[np.intp]
    n_restarts: int = 0

    @classmethod
    def of(cls, size: int) -> VoteOfRules:
        """Before the first row: all rules count alike."""
        return cls(np.ones(size), np.zeros(size, dtype=np.intp), np.zeros(0, dtype=np.intp))

    def after(self, answers: Floats, sign: Floats, penalty: float, first: int = 0) -> VoteOfRules:
        """Visit rows in their order; the first of them has the number ``first``."""
        weights, wrong, restarts = self.weights, self.wrong.copy(), self.n_restarts
        mistaken = []
        for row, (answer, label) in enumerate(zip(answers, sign, strict=True)):
            missed = answer != label
            wrong += missed
            if (1.0 if answer @ weights >= 0 else -1.0) == label:
                continue
            mistaken.append(first + row)
            weights = np.where(missed, penalty * weights, weights)
            if not weights.any():
                weights = np.ones_like(weights)
                restarts += 1
            elif weights.max() < 1e-100:
                weights = weights / weights.max()
        rows = np.append(self.mistaken_rows, np.array(mistaken, dtype=np.intp))
        return VoteOfRules(weights, wrong, rows, restarts)

    def errors(self, answers: Floats, sign: Floats) -> int:
        """Errors of the vote as it is now."""
        said = np.where(answers @ self.weights >= 0, 1.0, -1.0)
        return int(np.count_nonzero(said != sign))


def answers_of(rules: Any, X: Floats, classes: NDArray[Any]) -> Floats:
    """Answers −1 or +1 of every rule, shape (n, rules); labels are answers where they are clear."""
    if callable(rules):
        answers = np.asarray(rules(X))
    elif isinstance(rules, str) or not hasattr(rules, "__iter__"):
        raise ValueError(f"rules must be a function or a list of functions, got {rules!r}")
    else:
        answers = np.column_stack([np.asarray(rule(X)) for rule in rules])
    # a sign may be the label of the other class: rows that all get it could mean both
    unclear = bool(classes[0] == 1 or classes[1] == -1)
    if answers.ndim == 2 and len(answers) == len(X):
        if answers.dtype.kind in "if" and np.all(np.abs(answers) == 1):
            return answers.astype(np.float64)
        if not unclear and np.isin(answers, classes).all():
            return np.where(answers == classes[1], 1.0, -1.0)
    labels = classes.tolist()
    words = (
        f" (the labels {labels} would be mistaken for signs)"
        if unclear
        else f", or with the labels {labels}"
    )
    raise ValueError(
        f"the rules must answer -1 or +1{words}, in an array of {len(X)} rows, one column per "
        f"rule; got shape {answers.shape} with {np.unique(answers)[:5].tolist()}."
    )
