"""Stress of weighed rows, and its descent by majorisation (SMACOF).

A row of weight w counts as w copies in one place: pairs weigh the product of both weights.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn.isotonic import IsotonicRegression

from mercer._cached import cached_property
from mercer.solvers.watch import Watch

Floats = NDArray[np.float64]
Knots = tuple[Floats, Floats]
_SAME = 1e-7  # of the longest distance: below, rows coincide but for rounding
FORMS = ("metric", "nonmetric", "sammon")


@dataclass(frozen=True)
class StressForm:
    """What is to be minimised: all weights are positive."""

    D: Floats
    weight: Floats
    form: str

    @cached_property
    def least(self) -> float:
        """The shortest distance between rows that do not coincide."""
        apart = self.D[self._rounding < self.D]
        return float(apart.min()) if apart.size else 1.0

    @property
    def _rounding(self) -> float:
        return _SAME * float(self.D.max())

    @cached_property
    def pairs(self) -> Floats:
        """Weights of pairs: 1 or 1/d for each pair of copies.

        Of Sammon's form rows that coincide count as much as the closest that do not.
        """
        both = np.outer(self.weight, self.weight)
        if self.form != "sammon":
            return both
        total = max(float(np.sum(both * self.D)) / 2.0, 1e-300)
        return both / (np.maximum(self.D, self.least) * total)

    def step(self, points: Floats, wanted: Floats, found: Floats) -> Floats:
        """The minimum of the quadratic above the stress that touches it at these points."""
        ratio = np.divide(wanted, found, out=np.zeros_like(wanted), where=found > 1e-12)
        ratio *= self.pairs
        B = -ratio
        B[np.diag_indices_from(B)] += ratio.sum(axis=1)
        if self.form != "sammon":
            return (B @ points) / (self.weight * self.weight.sum())[:, None]
        moved = self._inverse @ (B @ points)
        return np.asarray(moved - self.weight @ moved / self.weight.sum())

    @cached_property
    def _inverse(self) -> Floats:
        """Of the weighted graph's Laplacian, away from constants."""
        off = self.pairs - np.diag(np.diagonal(self.pairs))
        n = len(off)
        scale = float(off.sum(axis=1).mean())
        inverse = np.linalg.inv(np.diag(off.sum(axis=1)) - off + scale / n) - 1.0 / (scale * n)
        return np.asarray(inverse, dtype=np.float64)

    def disparities(self, found: Floats, *, first: bool) -> tuple[Floats, Knots]:
        """The rising function of D closest to what was found, of mean square one over pairs apart.

        Equal distances stay equal.
        """
        upper = np.triu_indices(len(self.D), 1)
        given, mass = self.D[upper], self.pairs[upper]
        target = given if first else found[upper]
        fitted = target
        if not first:
            fitted = IsotonicRegression().fit_transform(given, target, sample_weight=mass)
        size = max(float(mass @ fitted**2), 1e-300)
        scale = np.sqrt(float(mass[given > self._rounding].sum()) / size)
        wanted = np.zeros_like(self.D)
        wanted[upper] = fitted * scale
        places, index = np.unique(given, return_index=True)
        return wanted + wanted.T, (places, fitted[index] * scale)


@dataclass
class StressRun:
    """Where a run has come to."""

    points: Floats
    history: list[float] = field(default_factory=list)
    knots: Knots | None = None


def descend(
    form: StressForm,
    points: Floats,
    *,
    max_iter: int,
    tol: float,
    watch: Watch | None = None,
) -> StressRun:
    """Steps until the stress falls by less than ``tol`` of the squared lengths, or time is over."""
    run, found = StressRun(points), cdist(points, points)
    for step in range(max_iter):
        wanted = form.D
        if form.form == "nonmetric":
            wanted, run.knots = form.disparities(found, first=step == 0)
        run.points = form.step(run.points, wanted, found)
        found = cdist(run.points, run.points)
        run.history.append(float(np.sum(form.pairs * (wanted - found) ** 2)) / 2.0)
        lengths = float(np.sum(form.pairs * found**2)) / 2.0
        fall = run.history[-2] - run.history[-1] if step else np.inf
        relative = fall / max(lengths, 1e-300)
        if relative < tol or (watch is not None and watch.over(step + 1, relative)):
            break
    return run
