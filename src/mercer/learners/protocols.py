"""What other folders ask of learners, by name, so that no class has to be looked up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from mercer.bounds import Certificate, Evidence
from mercer.learners.margin.svm._tasks import Ground, Tasks
from mercer.learners.margin.svm.machine import Machine
from mercer.solvers.quadratic import BoxProblem, Solution

Floats = NDArray[np.float64]

__all__ = ["FittedLearner", "Ground", "Quadratic", "Stated", "Tasks"]


class Stated(Protocol):
    """What bounds say of a model, whoever trained it."""

    @property
    def certificate_(self) -> Certificate | None:
        """The statement that was declared in advance."""

    @property
    def certificates_(self) -> Mapping[str, Certificate]:
        """Every bound and estimate that applies, each at its own δ."""

    @property
    def not_applicable_(self) -> Mapping[str, str]:
        """Why the other bounds say nothing."""


@runtime_checkable
class FittedLearner(Stated, Protocol):
    """What ``fit`` leaves in every learner: what it publishes, and what bounds make of that."""

    n_features_in_: int

    @property
    def evidence_(self) -> Evidence:
        """What the model publishes about itself; all that a bound sees."""


@runtime_checkable
class Quadratic(Protocol):
    """A machine that is some quadratic programmes over one kernel matrix.

    The methods read constructor arguments and what they are given, nothing that a fit leaves: a
    search solves the programmes of estimators that were never fitted. With ``warm_start`` the next
    fit goes on from the last solution.
    """

    warm_start: bool

    def _tasks(self, y: NDArray[Any], weight: Floats) -> Tasks: ...

    def _problem(self, rows: Any, target: Any, weight: Any, ground: Ground) -> BoxProblem: ...

    def _read(
        self, problem: BoxProblem, solution: Solution, target: Any, weight: Any, ground: Ground
    ) -> Machine: ...
