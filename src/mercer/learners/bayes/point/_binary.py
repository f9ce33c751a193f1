"""One two-class Bayes point machine: a start inside version space, its centre, and draws."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from mercer.learners.bayes.point.billiard import Flown, play
from mercer.learners.bayes.point.reflections import flights
from mercer.learners.bayes.point.version_space import VersionSpace, gibbs_samples, perceptron
from mercer.learners.margin import SVC, NotSeparableError
from mercer.solvers.watch import Watch

Floats = NDArray[np.float64]
SOLVERS = ("billiard", "gibbs", "hit-and-run", "perceptrons")


@dataclass
class BinaryPoint:
    """``beta`` are the coefficients of the centre, ``draws`` of members of version space."""

    space: VersionSpace
    y: Floats
    beta: Floats
    draws: Floats
    output: Floats  # of the centre at the training rows, with the plain kernel
    norm: float  # of the centre in plain feature space
    diagonal: Floats
    n_steps: int
    scale: Any = None  # of the coefficients of unit vectors; old files get it when they are read
    flown: Flown | None = None  # of the billiard, if one was played

    def more(self, rng: np.random.Generator, count: int, burn_in: int) -> Floats:
        """Coefficients of members of version space, drawn from the centre on."""
        return flights(self.space, self.beta / self.scale, rng, count, burn_in) * self.scale


def find_point(
    estimator: Any,
    K: Floats,
    y: Floats,
    weight: Floats,
    rng: np.random.Generator,
    watch: Watch | None = None,
    last: BinaryPoint | None = None,
) -> BinaryPoint:
    """The centre of version space by the estimator's solver.

    From the ``last`` centre, if it lies inside; a billiard in the same space goes on.
    """
    noise = estimator.reg_param / weight
    space = VersionSpace.of(K, y, noise)
    diagonal = np.diagonal(K) + noise * float(np.mean(np.diagonal(K)))
    scale = y / np.sqrt(diagonal)
    warm = None if last is None else last.beta / scale
    flown = None
    if warm is not None and space.contains(warm):
        inside = warm
        assert last is not None
        flown = last.flown if np.array_equal(last.space.A, space.A) else None
    else:
        inside = _start(space, estimator.init, rng)
    draws, steps = np.empty((0, space.n)), 0
    if estimator.solver == "perceptrons":
        draws = _perceptrons(space, estimator.n_samples, rng, watch)
        steps = len(draws)
    elif estimator.solver != "billiard" or estimator.strategy != "point":
        kind = "random" if estimator.solver == "hit-and-run" else "rows"
        count = estimator.n_samples
        draws = gibbs_samples(space, inside, rng, count, estimator.burn_in, kind, watch)
        steps = len(draws) + estimator.burn_in
    if estimator.solver == "billiard":
        found = play(
            space, inside, rng, estimator.tol, int(estimator.max_iter), watch=watch, flown=flown
        )
        centre, steps, flown = found.centre, found.n_bounces, found.flown
        if not found.converged:
            warnings.warn(
                f"the billiard did not settle within {steps} bounces; raise max_iter, tol or "
                "time_limit",
                ConvergenceWarning,
                stacklevel=6,
            )
    else:
        centre = draws.mean(axis=0)
        centre = centre / space.norm(centre)
    beta = centre * scale
    output = K @ beta
    norm = float(np.sqrt(max(0.0, beta @ output)))
    return BinaryPoint(
        space,
        y,
        beta,
        draws * scale,
        output,
        norm,
        np.diagonal(K).astype(np.float64),
        steps,
        scale,
        flown,
    )


def _start(space: VersionSpace, start: str, rng: np.random.Generator) -> Floats:
    """A weight vector strictly inside version space, or an error if there is none."""
    if start == "svm":
        found = _largest_ball(space)
        if found is not None and space.contains(found):
            return found
    coef = perceptron(space, rng)
    if coef is None:
        raise NotSeparableError(
            "no hyperplane through the origin of feature space classifies every row correctly (or "
            "the perceptron did not find it in 1000 epochs): version space is empty. Use "
            "reg_param > 0, add a constant to the kernel (kernel + 1), or choose a richer kernel.",
            np.empty(0, dtype=np.intp),
        )
    return coef


def _largest_ball(space: VersionSpace) -> Floats | None:
    """The hard-margin machine: the centre of the largest ball inside version space."""
    half = np.arange(space.n) % 2 * 2.0 - 1.0  # the labels are already in A; any two classes do
    machine = SVC(
        C=np.inf, kernel="precomputed", fit_intercept=False, certify=None, time_limit=60.0
    )
    try:
        machine.fit(space.A * np.outer(half, half), half)
    except (NotSeparableError, ValueError):
        return None
    coef = np.zeros(space.n)
    coef[machine.support_] = np.abs(machine.dual_coef_[0])
    return coef


def _perceptrons(
    space: VersionSpace, count: int, rng: np.random.Generator, watch: Watch | None
) -> Floats:
    """Perceptrons on shuffled rows, each a member of version space, as unit vectors."""
    found = []
    for _ in range(count):
        coef = perceptron(space, rng)
        if coef is not None:
            found.append(coef / space.norm(coef))
        if watch is not None and watch.over(len(found), 1.0 - len(found) / count) and found:
            break
    if not found:
        raise NotSeparableError(
            "no perceptron became consistent in 1000 epochs; use reg_param > 0",
            np.empty(0, dtype=np.intp),
        )
    return np.array(found)
