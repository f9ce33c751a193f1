"""Compression schemes that verify themselves.

A scheme names rows that suffice (`compress`) and builds a rule from them alone (`reconstruct`). A
guarantee may only be drawn from it if the reconstruction reproduces the model, so that is checked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from mercer._types import Predictor, Samples
from mercer.bounds import Compression


class NotReconstructed(ValueError):
    """The rule rebuilt from the kept rows is not the model."""


class CompressionScheme(Protocol):
    """Any learner as a message: which rows, and how to rebuild the rule."""

    ordered: bool  # the order of the kept rows matters

    def compress(self, X: Samples, y: ArrayLike) -> Any:
        """Indices of the rows to keep."""

    def reconstruct(self, X: Samples, y: ArrayLike) -> Any:
        """A fitted rule from the kept rows alone; must have ``predict``."""


@dataclass(frozen=True)
class RefitScheme:
    """The scheme of an estimator that is trained again on the rows it kept."""

    estimator: Any
    kept: Callable[[Any], Any]  # from the fitted estimator to the indices of the rows it needs
    ordered: bool = False

    def compress(self, X: Samples, y: ArrayLike) -> Any:
        """Train on everything and ask which rows were needed."""
        from sklearn.base import clone

        return np.asarray(self.kept(clone(self.estimator).fit(X, y)))

    def reconstruct(self, X: Samples, y: ArrayLike) -> Any:
        """Train on the kept rows."""
        from sklearn.base import clone

        return clone(self.estimator).fit(X, y)


def verified_compression(
    scheme: CompressionScheme,
    X: Samples,
    y: ArrayLike,
    *,
    model: Predictor | None = None,
    bits: float = 0.0,
) -> tuple[Any, Compression]:
    """The rebuilt rule and what the compression bounds read about it.

    With a ``model``, the rebuilt rule must give the same answer on every row, or
    `NotReconstructed` is raised; the certificate is about the rebuilt rule in any case. Unless the
    scheme is ``ordered``, it gets the rows in the order of the file: a set of d rows is one of
    C(n, d) messages only if no information hides in their order.
    """
    X, y = np.asarray(X), np.asarray(y)
    rows = np.asarray(scheme.compress(X, y), dtype=int)
    if len(np.unique(rows)) != len(rows):
        raise ValueError("a compression set names each row once")
    if not scheme.ordered:
        rows = np.sort(rows)
    rule = scheme.reconstruct(X[rows], y[rows])
    predicted = np.asarray(rule.predict(X))
    if model is not None:
        different = np.flatnonzero(predicted != np.asarray(model.predict(X)))
        if len(different):
            raise NotReconstructed(
                f"the rule rebuilt from {len(rows)} rows differs from the model on "
                f"{len(different)} rows, first row {different[0]}"
            )
    outside = np.ones(len(y), dtype=bool)
    outside[rows] = False
    errors = int(np.sum(predicted[outside] != y[outside]))
    record = Compression(
        len(y), len(rows), errors, ordered=scheme.ordered, preferent=False, bits=bits
    )
    return rule, record
