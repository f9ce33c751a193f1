"""Learners that maximise the evidence themselves; the search compares their kernels by it."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from mercer.selection._outcome import LATE, Outcome, failed
from mercer.selection._task import SearchTask
from mercer.selection.space import Candidate


class ProcessRoute:
    """One training per kernel.

    Gaussian processes search all parameters of a family by gradient, ARD included; relevance
    vector machines choose prior variances and noise, their bandwidths are searched from outside.
    """

    name = "the learner's own search of the evidence for every kernel"

    def __init__(self, task: SearchTask) -> None:
        self.task = task
        self.X = task.X if sparse.issparse(task.X) else np.asarray(task.X)
        self.n = len(task.y)

    def units(self, candidates: Sequence[Candidate]) -> list[list[Candidate]]:
        """Every kernel by itself."""
        return [[candidate] for candidate in candidates]

    def evaluate(
        self, unit: Sequence[Candidate], bar: float, deadline: float | None
    ) -> list[Outcome]:
        """Fit each and read its evidence."""
        return [self._one(candidate, deadline) for candidate in unit]

    def _one(self, candidate: Candidate, deadline: float | None) -> Outcome:
        start = time.perf_counter()
        if deadline is not None and time.monotonic() > deadline:
            return Outcome(math.nan, LATE)
        try:
            model = self._configured(candidate)
            extra: dict[str, Any] = {}
            if self.task.weight is not None:
                extra["sample_weight"] = self.task.weight
            model.fit(self.task.X, self.task.y, **extra)
            found = float(model.log_marginal_likelihood_value_)
        except Exception as error:
            return failed(error, time.perf_counter() - start)
        value = -found / len(self.task.y)
        return Outcome(
            value,
            score=-value,
            components={"log marginal likelihood": found},
            seconds=time.perf_counter() - start,
        )

    def _configured(self, candidate: Candidate) -> Any:
        changes = dict(candidate.params)
        if candidate.kernel is not None:
            changes["kernel"] = candidate.kernel
        return clone(self.task.final).set_params(**changes)
