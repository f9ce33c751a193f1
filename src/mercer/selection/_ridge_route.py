"""Kernel ridge: one eigendecomposition per kernel, every penalty and every fold from it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import column_or_1d

from mercer import _config
from mercer.gram import SharedGrams, build_gram
from mercer.kernels.resolve import meant_by
from mercer.selection._case import Case, GramView
from mercer.selection._losses import HeldOut, fold_score
from mercer.selection._outcome import Outcome, failed
from mercer.selection._ridge_spectrum import RidgeFit, RidgeSpectrum
from mercer.selection._task import SearchTask
from mercer.selection.space import Candidate, by_kernel


class RidgeRoute:
    """Closed forms for everything."""

    name = "one eigendecomposition per kernel, all penalties and folds in closed form"

    def __init__(self, task: SearchTask) -> None:
        self.task = task
        final = clone(task.final)
        sample = final._door.enter(final, task.X, task.y, task.weight)
        if np.any(sample.weight <= 0):
            raise ValueError(
                "rows of weight zero have no residual to compare candidates by; leave them out"
            )
        self.X, self.weight = sample.X, sample.weight
        self.y = column_or_1d(sample.y, warn=True)
        self.n = len(self.y)
        self._shared: SharedGrams | None = None

    def units(self, candidates: Sequence[Candidate]) -> list[list[Candidate]]:
        """Candidates of one kernel share its decomposition."""
        return by_kernel(candidates)

    def evaluate(
        self, unit: Sequence[Candidate], bar: float, deadline: float | None
    ) -> list[Outcome]:
        """Score all penalties of one kernel."""
        start = time.perf_counter()
        _config.reserve(
            4 * 8 * self.n * self.n,
            "The decomposition of the kernel matrix",
            "Use fewer rows, or raise memory_limit.",
            self.task.memory_limit,
        )
        try:
            kernel = unit[0].kernel or meant_by(self.task.final, self.X).kernel
            view = GramView(self._matrix(kernel))
            intercept = bool(self.task.final.fit_intercept)
            spectrum = RidgeSpectrum(view.array, self.y, self.weight, intercept)
        except _config.MemoryLimitError:
            raise
        except Exception as error:
            return [failed(error) for _ in unit]
        found = [self._one(candidate, view, spectrum) for candidate in unit]
        share = (time.perf_counter() - start) / len(unit)
        return [Outcome(**{**outcome.__dict__, "seconds": share}) for outcome in found]

    def _matrix(self, kernel: Any) -> NDArray[Any]:
        if kernel.fused_for(self.X) is None or not hasattr(self.X, "dtype"):
            return build_gram(kernel, self.X, use="rows").dense()
        if self._shared is None:
            self._shared = SharedGrams(self.X, self.task.memory_limit)
        return self._shared.matrix(kernel, np.float64)

    def _one(self, candidate: Candidate, view: GramView, spectrum: RidgeSpectrum) -> Outcome:
        try:
            alpha = candidate.params.get("alpha", getattr(self.task.final, "alpha", 1.0))
            fit = spectrum.at(alpha)
            if self.task.criterion.uses == "folds":
                return self._folds(fit)
            score = self.task.criterion.score(self._case(fit, view, candidate))
        except Exception as error:
            return failed(error)
        return Outcome(score.value, score=-score.value, components=dict(score.components))

    def _folds(self, fit: RidgeFit) -> Outcome:
        scores = []
        for _, test in self.task.folds:
            predicted = fit.held_out(test)
            held = HeldOut(predicted, predicted, None)
            X = None if self.task.scoring is None else _safe_indexing(self.task.X, test)
            scores.append(fold_score(self.task.scoring, held, X, self.y[test], self.weight[test]))
        mean = float(np.mean(scores))
        return Outcome(-mean, score=mean, spread=float(np.std(scores)), folds=tuple(scores))

    def _case(self, fit: RidgeFit, view: GramView, candidate: Candidate) -> Case:
        output = self.y - fit.residuals / fit.spectrum.root
        return Case(
            view,
            self.y,
            fit.residuals * fit.spectrum.root / fit.alpha,
            output,
            learner="ridge",
            loss="squared",
            task="regression",
            offset=fit.spectrum.fit_intercept,
            delta=self.task.delta,
            kernel=candidate.kernel,
            extra={"ridge": fit},
        )


def check_partition(folds: Any, n: int) -> None:
    """The closed form trains on everything outside the fold: refuse other splits."""
    for number, (train, test) in enumerate(folds):
        if len(train) + len(test) != n:
            raise ValueError(
                f"fold {number} leaves rows out of both sides; use KFold-like splits for "
                "KernelRidge"
            )
