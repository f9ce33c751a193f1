"""Learners whose sums add up: more rows go on from them, and models of parts are joined."""

from __future__ import annotations

from functools import partial
from typing import Any, Self

import numpy as np

from mercer.learners._door import Kind, TrainingSample
from mercer.learners._passes import RowsInMemory
from mercer.learners.large._moments import moments_of
from mercer.learners.rows_seen import RowsSeen
from mercer.solvers.sums import Moments

NO_SUMS = "conjugate gradients keep no sums that more rows could be added to: take solver='sums'."


class AddsUp:
    """Mixin of learners at landmarks that keep ``moments`` and write ``_rejoined``."""

    fitted_: Any
    _rows_seen: RowsSeen | None

    def _rejoined(self, before: Any, moments: Moments, n: int) -> Any:
        """The record with other sums, of ``n`` rows."""
        raise TypeError(f"{type(self).__name__} does not say what its sums mean")

    def _go_on(self, X: Any, y: Any, weight: Any) -> Self:
        before = self.__dict__.get("fitted_")
        absorb = self._train if before is None else partial(self._absorb, before)  # type: ignore[attr-defined]
        return self._run(absorb, X, y, weight, reset=before is None)  # type: ignore[attr-defined]

    def _absorb(self, before: Any, sample: TrainingSample) -> Any:
        if before.kind is Kind.GRAM:
            raise ValueError(
                "a matrix of kernel values cannot go on: new rows have no values against the old "
                "ones. Give the rows and a kernel."
            )
        if before.moments is None:
            raise ValueError(NO_SUMS)
        moments = before.moments.merge(moments_of(before.landmarks, RowsInMemory(sample)))
        return self._rejoined(before, moments, before.n + sample.n)

    def merge(self, other: Any) -> Self:
        """Become the model of both parts of the rows; ``other`` has the same landmarks.

        Parameters
        ----------
        other : estimator
            Fitted on other rows by ``partial_fit`` of a copy of this model's first fit.

        Returns
        -------
        self : object
            The estimator.
        """
        mine, yours = self.fitted_, other.fitted_
        same = mine.coef.shape == yours.coef.shape and np.array_equal(
            mine.whitening, yours.whitening
        )
        if not same:
            raise ValueError(
                "models with different landmarks have no common sums: start both from one fit, for "
                "instance by copy.deepcopy, and give each its own rows"
            )
        if mine.moments is None:
            raise ValueError(NO_SUMS)
        moments = mine.moments.merge(yours.moments)
        self._settle(self._rejoined(mine, moments, mine.n + yours.n))  # type: ignore[attr-defined]
        self._rows_seen = None  # rows of both are known only as sums
        return self
