"""What a way to spend rows states about itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from mercer.certification.core.task import Refused, Result, Task

WORDS = {
    "classification": "classifiers",
    "regression": "regressions",
    "novelty": "outlier detectors",
}
EVERY_TASK = frozenset(WORDS)
CLASSIFIERS = frozenset({"classification"})


@dataclass(frozen=True)
class Option:
    """An argument of one mode: ``rule(value, name)`` checks and converts, ``help`` explains."""

    default: Any
    rule: Callable[[Any, str], Any]
    help: str


class Mode(ABC):
    """One way to train a model and to certify it; a new one is a new file beside this one.

    ``run`` may look at labels only as its theorem allows: what is counted must have had no say in
    the model, in the split or in any constant, unless the bound pays for it.
    """

    name: ClassVar[str]
    title: ClassVar[str]  # what is certified, in a few words
    spends: ClassVar[bool] = True  # keeps rows from the training of the model that is returned
    orders: ClassVar[frozenset[str]] = frozenset({"random"})  # "groups", "time"
    tasks: ClassVar[frozenset[str]] = EVERY_TASK
    why_not: ClassVar[str] = ""  # the others, and what to use for them
    by_class: ClassVar[bool] = True  # can count for error="classes" and "balanced"
    comparable: ClassVar[bool] = True  # speaks about all rows, as the other modes do
    any_metric: ClassVar[bool] = False  # counts rows the returned model never saw, one by one
    needs: ClassVar[frozenset[str]] = frozenset()  # beside labelled rows and an estimator
    fits: ClassVar[int] = 1  # about how often the estimator is trained
    options: ClassVar[Mapping[str, Option]] = {}

    @classmethod
    def keeps_unseen(cls, split: Mapping[str, Any]) -> bool:
        """Whether counted rows outside the training rows had no say in the model that is returned.

        ``split`` is what the record of a fit says about it.
        """
        return cls.any_metric

    @abstractmethod
    def run(self, task: Task) -> Result:
        """Train, count, certify."""

    def check(self, task: Task) -> None:
        """Refuse rows and estimators that the mode's theorem does not speak about."""
        task.only(*self.orders, mode=self.name)
        if task.judge.task not in self.tasks:
            these = " and ".join(WORDS[kind] for kind in sorted(self.tasks))
            raise Refused(f"mode={self.name!r} is for {these}: {self.why_not}")
