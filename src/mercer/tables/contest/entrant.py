"""What enters the contest: a way to prepare the rows, and settings of a learner on them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mercer.tables.preparation import TablePreparation


class Case:
    """The rows and wishes of one fit, as entrants see them."""

    def __init__(self, machine: Any, X: Any, y: NDArray[Any]) -> None:
        self.machine = machine
        self.X, self.y = X, y
        self.task: str = machine.task
        self.kind: str = machine.prepare
        self.trial: bool = machine.effort == "trial"
        self.n_classes = len(np.unique(y)) if self.task == "classification" else 1
        self._prepared: dict[str, tuple[Any, Any]] = {}

    @property
    def seed(self) -> int:
        """Everything random follows from it."""
        return int(self.machine.random_state)

    @cached_property
    def looked_at(self) -> TablePreparation:
        """A table prepared for kernels: what its columns were taken for."""
        return self.form("coordinates")[0]

    def kinds(self) -> list[str]:
        """Treatment of every column that is used; of a table only."""
        return [encoder.kind for encoder in self.looked_at.encoders_]

    def form(self, form: str) -> tuple[Any, Any]:
        """The preparation of a table in one form, fitted, and the rows in it."""
        if form not in self._prepared:
            machine = self.machine
            wishes = machine.names, machine.stored, machine.treat
            fitted = TablePreparation(*wishes, form=form).fit(self.X)
            self._prepared[form] = fitted, fitted.transform(self.X)
        return self._prepared[form]

    def rows_as(self, key: str, prepare: Any) -> tuple[Any, Any]:
        """The rows through another transformer, kept for later entrants."""
        if key not in self._prepared:
            fitted = prepare.fit(self.X)
            self._prepared[key] = fitted, fitted.transform(self.X)
        return self._prepared[key]


class Entrant(ABC):
    """One learner in the contest; its file is found by the folder."""

    name: ClassVar[str]  # what ``learner=`` calls it
    title: ClassVar[str]  # for people
    order: ClassVar[int]  # smaller comes first, and wins ties
    kernel: ClassVar[bool] = False

    @abstractmethod
    def suits(self, case: Case) -> bool:
        """Whether it makes sense for these rows."""

    @abstractmethod
    def prepared(self, case: Case) -> tuple[Any, Any]:
        """The fitted preparation, and all rows through it."""

    @abstractmethod
    def settings(self, case: Case, Z: Any) -> Iterator[tuple[str, Any]]:
        """Words and estimator, not fitted, of every setting to try."""

    def seconds(self, case: Case, Z: Any, rows: int) -> float:
        """One training on so many rows, roughly, on a quiet machine."""
        return 0.0
