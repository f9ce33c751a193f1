"""Linear machines on sparse indicators, words and letters in a row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.preprocessing import MaxAbsScaler
from sklearn.svm import LinearSVC

from mercer.tables.contest.entrant import Case, Entrant, cutting
from mercer.tables.encoders_sparse import Terms

PRICES = (0.1, 1.0, 10.0)
PENALTIES = (100.0, 10.0, 1.0, 0.1)
MARGINS = (1.0, 0.1)
QUICK = 3e6  # values that are not zero, times classes, up to which probabilities are quick to fit
WIDE = 2000  # coordinates from which on a machine with a margin is quicker and better


class Linear(Entrant):
    """A weight for every level, word and number."""

    name, title, order = "linear", "linear machine", 30

    def suits(self, case: Case) -> bool:
        """Tables, sparse data and strings; a trial does without."""
        return case.kind in ("table", "sparse", "objects")

    def prepared(self, case: Case) -> tuple[Any, Any]:
        """A sparse matrix."""
        if case.kind == "table":
            return case.form("sparse")
        if case.kind == "objects":
            return case.rows_as("terms", Terms())
        return case.rows_as("scaled", MaxAbsScaler())

    def preparing(self, case: Case) -> float:
        """Texts take the time."""
        return cutting(case)

    def obvious(self, case: Case) -> bool:
        """For texts."""
        return case.kind == "table" and "text" in case.kinds()

    def settings(self, case: Case, Z: Any) -> Iterator[tuple[str, Any]]:
        """Prices of errors; the largest margin, in a tenth of the time, of many coordinates."""
        if case.task == "regression":
            for penalty in PENALTIES[1:2] if case.trial else PENALTIES:
                yield f"alpha {penalty:g}", Ridge(alpha=penalty)
            return
        prices: tuple[float, ...] = PRICES[1:2] if case.trial else PRICES
        margins: tuple[float, ...] = ()
        if Z.shape[1] >= WIDE:
            quick = not case.trial and _values(Z) * len(case.y) * case.n_classes <= QUICK
            prices, margins = PRICES[-1:] if quick else (), MARGINS[:1] if case.trial else MARGINS
        for price in margins:
            yield f"largest margin, C {price:g}", LinearSVC(C=price, random_state=case.seed)
        for price in prices:
            yield f"C {price:g}", LogisticRegression(C=price, max_iter=200)

    def seconds(self, case: Case, Z: Any, rows: int) -> float:
        """By the number of values that are not zero."""
        wide = Z.shape[1] >= WIDE and case.task == "classification"
        return (3e-8 if wide else 1.6e-7) * rows * _values(Z) * max(2, case.n_classes)


def _values(Z: Any) -> float:
    """Of a row, those that are not zero."""
    return float(getattr(Z, "nnz", Z.size)) / max(1, Z.shape[0])
