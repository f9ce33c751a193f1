"""Precision, recall and their relatives: a share of some rows, with the exact binomial limit.

Given which rows are counted (those called positive, those that are positive, ...) the hits among
them are binomial, so Clopper and Pearson's limit is exact whatever that number of rows was.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.bounds.numerics import clopper_lower
from mercer.certification.core.task import Refused
from mercer.certification.guarantees.metrics._metric import CertifiedMetric, Flags, Unseen
from mercer.certification.guarantees.statement import Statement


@dataclass(frozen=True)
class _Share(CertifiedMetric):
    """Hits among some rows; ``average="macro"`` takes every class in turn as the positive one."""

    positive: Any = None
    average: str = "binary"

    title = "exact binomial limit of a share"
    reference = "Clopper and Pearson 1934"

    def __post_init__(self) -> None:
        if self.average not in ("binary", "macro"):
            raise ValueError(f"average must be 'binary' or 'macro', got {self.average!r}")

    @classmethod
    def read(cls, option: str, text: str) -> Any:
        """Labels stay text."""
        return text

    def parts(self, truth: Flags, called: Flags) -> tuple[Flags, Flags]:
        """Hits, and the rows among which they are counted."""
        raise NotImplementedError

    def of_share(self, share: float) -> float:
        """The metric as a rising function of the share."""
        return share

    def state(self, rows: Unseen, delta: float) -> Statement:
        """One class, or the mean over all at δ/K each."""
        if self.average == "macro":
            return self._macro(rows, delta)
        return self._binary(rows, rows.positive(self.positive), delta)

    def _binary(self, rows: Unseen, positive: Any, delta: float) -> Statement:
        hits, among = self.parts(*rows.hits(positive))
        m, k = int(among.sum()), int((hits & among).sum())
        if m == 0:
            raise Refused(
                f"{self.name}: none of the {rows.n} counted rows belongs to its denominator "
                f"(positive class {positive!r}), so nothing can be said about it."
            )
        return Statement(
            value=self.of_share(clopper_lower(k, m, delta)),
            n=rows.n,
            observed=self.of_share(k / m),
            counted=f"{k} of {m} rows, positive class {positive!r}, on {rows.n} unseen rows",
            quantity=f"{self.quantity} for class {positive!r}",
            details={"hits": k, "among": m, "positive": str(positive)},
        )

    def _macro(self, rows: Unseen, delta: float) -> Statement:
        labels = rows.classes or tuple(np.unique(rows.truth).tolist())
        parts = {label: self._binary(rows, label, delta / len(labels)) for label in labels}
        values = {str(label): part.value for label, part in parts.items()}
        return Statement(
            value=float(np.mean(list(values.values()))),
            n=rows.n,
            observed=float(np.mean([part.observed for part in parts.values()])),
            counted="; ".join(part.counted for part in parts.values()),
            quantity=f"macro-averaged {self.quantity}",
            paid={f"class {label}": 1 / len(labels) for label in values},
            details={"classes": values},
        )


class Precision(_Share):
    """Of the rows called positive, the share that is."""

    name, quantity = "precision", "precision"

    def parts(self, truth: Flags, called: Flags) -> tuple[Flags, Flags]:
        """Positive rows among those called so."""
        return truth, called


class Recall(_Share):
    """Of the positive rows, the share that is found."""

    name, quantity = "recall", "recall"

    def parts(self, truth: Flags, called: Flags) -> tuple[Flags, Flags]:
        """Rows called positive among those that are."""
        return called, truth


class Specificity(_Share):
    """Of the negative rows, the share that is called so."""

    name, quantity = "specificity", "specificity"

    def parts(self, truth: Flags, called: Flags) -> tuple[Flags, Flags]:
        """Rows not called positive among those that are not."""
        return ~called, ~truth


class NegativePredictiveValue(_Share):
    """Of the rows called negative, the share that is."""

    name, quantity = "npv", "negative predictive value"

    def parts(self, truth: Flags, called: Flags) -> tuple[Flags, Flags]:
        """Negative rows among those called so."""
        return ~truth, ~called


class Jaccard(_Share):
    """TP/(TP + FP + FN): hits among the rows that are positive or called so."""

    name, quantity = "jaccard", "Jaccard index"

    def parts(self, truth: Flags, called: Flags) -> tuple[Flags, Flags]:
        """Rows that are both among those that are either."""
        return truth & called, truth | called


class F1(Jaccard):
    """2TP/(2TP + FP + FN) = 2s/(1 + s), s the Jaccard index: exact too, since that rises with s."""

    name, quantity = "f1", "F1"
    title = "exact binomial limit of the Jaccard index, turned into F1"

    def of_share(self, share: float) -> float:
        """F1 from the Jaccard index."""
        return 2 * share / (1 + share)
