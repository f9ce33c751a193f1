"""What enters the contest: a way to prepare the rows, and settings of a learner on them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from mercer._cached import cached_property
from mercer._types import Samples
from mercer.tables.contest.aims import Aim
from mercer.tables.preparation import TablePreparation, as_table

MANY = 50_000  # rows of a table that are not prepared before they are asked for
GLANCE = 1000  # of those, to see how many values are not zero
CUTTING = 1.3e-6  # seconds to cut a letter of a text into terms


class PreparedLater:
    """Rows of a large table, prepared when they are asked for: a contest needs a few thousand.

    The forms of a table for all entrants would be several times its size. Every row is prepared by
    itself, so this changes no bit.
    """

    def __init__(self, fitted: Any, X: Any, rows: int) -> None:
        self._fitted, self._X = fitted, X
        self.shape = rows, int(fitted.n_features_out_)
        self.size = rows * self.shape[1]

    def __getitem__(self, rows: NDArray[np.intp]) -> Any:
        return self._fitted.transform(_safe_indexing(self._X, rows))

    @property
    def nnz(self) -> float:
        """Values that are not zero, judged by the first rows."""
        few = self[np.arange(min(GLANCE, self.shape[0]))]
        return float(getattr(few, "nnz", few.size)) * self.shape[0] / few.shape[0]

    def all(self) -> Any:
        """Every row."""
        return self._fitted.transform(self._X)


def every_row(Z: Samples) -> Any:
    """Prepared rows, those that were put off included."""
    return Z.all() if isinstance(Z, PreparedLater) else Z


class Case:
    """The rows and wishes of one fit, as entrants see them."""

    def __init__(self, machine: Any, X: Any, y: NDArray[Any]) -> None:
        self.machine = machine
        self.X, self.y = X, y
        self.task: str = machine.task
        self.kind: str = machine.prepare
        self.trial: bool = machine.effort == "trial"
        self.aim = Aim.read(machine.aim if self.task == "classification" else "overall")
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

    @property
    def table(self) -> NDArray[Any]:
        """The raw values; of a table only."""
        by_name = hasattr(self.X, "columns")
        return as_table(self.X[list(self.looked_at.names_)] if by_name else self.X)

    @cached_property
    def letters(self) -> int:
        """Of all texts that are going to be cut into terms."""
        if self.kind == "objects":
            return sum(map(len, self.X))
        if self.kind != "table":
            return 0
        used = [j for j, kind in zip(self.looked_at.used_, self.kinds(), strict=True)
                if kind == "text"]  # fmt: skip
        texts = (text for j in used for text in self.table[:, j].tolist())
        return sum(len(text) for text in texts if isinstance(text, str))

    def is_prepared(self, key: str) -> bool:
        """Whether rows in this form are there already."""
        return key in self._prepared

    def kinds(self) -> list[str]:
        """Treatment of every column that is used; of a table only."""
        return [encoder.kind for encoder in self.looked_at.encoders_]

    def form(self, form: str) -> tuple[Any, Any]:
        """The preparation of a table in one form, fitted, and the rows in it."""
        if form not in self._prepared:
            machine = self.machine
            wishes = machine.names, machine.stored, machine.treat
            fitted = TablePreparation(*wishes, form=form).fit(self.X)
            many = len(self.y) > MANY and not self.trial
            rows = PreparedLater(fitted, self.X, len(self.y)) if many else fitted.transform(self.X)
            self._prepared[form] = fitted, rows
        return self._prepared[form]

    def rows_as(self, key: str, prepare: Any) -> tuple[Any, Any]:
        """The rows through another transformer, kept for later entrants."""
        if key not in self._prepared:
            fitted = prepare.fit(self.X)
            self._prepared[key] = fitted, fitted.transform(self.X)
        return self._prepared[key]


def cutting(case: Case) -> float:
    """Seconds to cut texts into terms; none if that is done."""
    return (
        0.0 if case.is_prepared("sparse") or case.is_prepared("terms") else CUTTING * case.letters
    )


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
    def settings(self, case: Case, Z: Samples) -> Iterator[tuple[str, Any]]:
        """Words and estimator, not fitted, of every setting to try."""

    def preparing(self, case: Case) -> float:
        """Seconds until the rows are prepared, roughly, on a quiet machine."""
        return 0.0

    def obvious(self, case: Case) -> bool:
        """Whether this is what anybody would try first, so that it begins if time is short."""
        return False

    def seconds(self, case: Case, Z: Samples, rows: int) -> float:
        """One training on so many rows, roughly, on a quiet machine."""
        return 0.0
