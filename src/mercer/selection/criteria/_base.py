"""`Criterion`: a number that is smaller for the better setting."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

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

    A new criterion is a file with a class that states its facts and writes ``score(case)``.

    Facts
    -----
    code, title, reference : what it is called and where it comes from.
    kind : "estimate" of the error, "bound" on it, or "heuristic" (small is good, no scale).
    uses : "fit" (one training on all rows) or "folds" (predictions of rows held out).
    tasks : "classification", "regression".
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

    @abstractmethod
    def score(self, case: Case) -> Score:
        """The value for one trained machine; raises `NotForThis` where it does not apply."""

    def check(self, task: str, learner: str) -> None:
        """Refuse learners that the criterion is not about, before anything is trained."""
        if task not in self.tasks:
            raise NotForThis(
                f"criterion={self.code!r} is for {' and '.join(sorted(self.tasks))}, "
                f"not for {task}; use criterion='cv'."
            )
        if self.learners and learner not in self.learners:
            raise NotForThis(
                f"criterion={self.code!r} is about {', '.join(sorted(self.learners))}; "
                f"the estimator is {learner or 'of another kind'}. Use criterion='cv'."
            )
