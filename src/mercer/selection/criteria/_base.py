"""`Criterion`: a number that is smaller for the better setting."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from mercer._types import Samples

if TYPE_CHECKING:
    from mercer.selection._case import Case

KINDS = ("estimate", "bound", "heuristic")


class NotForThis(ValueError):
    """The criterion says nothing about this learner or this setting; the message says why."""


@dataclass(frozen=True)
class Score:
    """Value of a criterion, smaller is better, and the parts that it is made of."""

    value: float
    components: Mapping[str, float] = field(default_factory=dict)


class Criterion(ABC):
    """Something to choose by.

    A new criterion is a file with a class that states its facts and writes ``_score(case)``.

    Facts
    -----
    code, title, reference : what it is called and where it comes from.
    kind : "estimate" of the error, "bound" on it, or "heuristic" (small is good, no scale).
    uses : "fit" (one training on all rows) or "folds" (predictions of rows held out).
    tasks : "classification", "regression".
    any_machine : whether ``score`` may be asked about fitted machines other than ``learners``.
    sees_cost : whether the price of errors changes it; if not, only kernels are searched.
    learners : "c-svc", "nu-svc", "svr", "nu-svr", "ridge", "gp"; empty for any.
    """

    code: ClassVar[str] = ""
    title: ClassVar[str] = ""
    reference: ClassVar[str] = ""
    kind: ClassVar[str] = "estimate"
    uses: ClassVar[str] = "fit"
    tasks: ClassVar[frozenset[str]] = frozenset({"classification"})
    learners: ClassVar[frozenset[str]] = frozenset({"c-svc"})
    sees_cost: ClassVar[bool] = True

    any_machine: ClassVar[bool] = False

    @abstractmethod
    def _score(self, case: Case) -> Score:
        """The value for one trained machine; raises `NotForThis` where it does not apply."""

    def score(
        self,
        machine: Any,
        X: Samples | None = None,
        y: ArrayLike | None = None,
        *,
        sample_weight: ArrayLike | None = None,
    ) -> Score:
        """The value for a fitted model, or for one machine of it.

        Parameters
        ----------
        machine : fitted estimator or Case
            What was trained; several binary machines count by their numbers of rows.
        X, y, sample_weight : array-like, default=None
            As ``fit`` had them; may be left out right after it, see `mercer.selection.cases_of`.

        Returns
        -------
        Score
            Smaller is better.

        Raises
        ------
        NotForThis
            The criterion says nothing about this machine.
        """
        from mercer.selection.machines import cases_of  # which reads criteria's errors

        cases = cases_of(machine, X, y, sample_weight=sample_weight)
        if self.uses == "folds":
            raise NotForThis(
                f"criterion={self.code!r} trains on parts of the rows; one training says nothing. "
                "Use KernelSearch, or sklearn.model_selection.cross_val_score."
            )
        for case in cases:
            self.check(case.task, None if self.any_machine else case.learner)
        return averaged([self._score(case) for case in cases], [case.n for case in cases])

    def check(self, task: str, learner: str | None) -> None:
        """Refuse learners that the criterion is not about; None for a machine of any kind."""
        if task not in self.tasks:
            raise NotForThis(
                f"criterion={self.code!r} is for {' and '.join(sorted(self.tasks))}, "
                f"not for {task}; use criterion='cv'."
            )
        if learner is not None and self.learners and learner not in self.learners:
            raise NotForThis(
                f"criterion={self.code!r} is about {', '.join(sorted(self.learners))}; "
                f"the estimator is {learner or 'of another kind'}. Use criterion='cv'."
            )


def averaged(scores: list[Score], sizes: list[int]) -> Score:
    """One score of several machines, each by its number of rows."""
    if len(scores) == 1:
        return scores[0]
    weight = np.array(sizes, dtype=np.float64)
    parts = {
        name: float(np.average([score.components[name] for score in scores], weights=weight))
        for name in scores[0].components
    }
    return Score(float(np.average([score.value for score in scores], weights=weight)), parts)
