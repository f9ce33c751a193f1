"""What a criterion sees of one trained machine: arrays, and what can be computed from them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from mercer._cached import cached_property
from mercer.bounds import Compression, Evidence
from mercer.kernels import Kernel

Floats = NDArray[np.float64]


class GramView:
    """A kernel matrix in memory with its spectrum, shared by all machines trained on it."""

    def __init__(self, array: NDArray[Any]) -> None:
        self.array = np.asarray(array, dtype=np.float64)
        self.n = len(self.array)

    @cached_property
    def diagonal(self) -> Floats:
        """k(x, x) of every row."""
        return self.array.diagonal().copy()

    @cached_property
    def spectrum(self) -> tuple[Floats, Floats]:
        """Eigenvalues, descending and not negative, and their vectors as columns."""
        values, vectors = eigh(self.array)
        return np.maximum(values[::-1], 0.0), vectors[:, ::-1]

    @cached_property
    def eigenvalues(self) -> Floats:
        """Eigenvalues, descending and not negative."""
        if "spectrum" in self.__dict__:
            return self.spectrum[0]
        return np.maximum(np.linalg.eigvalsh(self.array)[::-1], 0.0)

    @cached_property
    def centred(self) -> GramView:
        """The matrix of the points moved so that their mean is the origin of feature space."""
        K = self.array
        row = K.mean(axis=0)
        return GramView(K - row[None, :] - row[:, None] + row.mean())

    def subset(self, rows: NDArray[np.intp]) -> GramView:
        """The matrix of some of the rows."""
        return GramView(self.array[np.ix_(rows, rows)])


@dataclass(frozen=True)
class Case:
    """One trained machine f(x) = Σ coef_i k(x_i, x) + intercept over the rows of ``gram``.

    ``target`` holds -1 and +1, or the numbers of a regression; ``upper`` the largest |coef| each
    row may have. ``folds`` are the losses of a cross-validation, empty for the other criteria.
    ``extra`` holds what only some learners have ("ridge", "log_evidence", ...).
    """

    gram: GramView
    target: Floats
    coef: Floats
    output: Floats
    intercept: float = 0.0
    upper: Floats | None = None
    C: float | None = None
    learner: str = "c-svc"
    loss: str = "hinge"
    task: str = "classification"
    offset: bool = True
    tol: float = 1e-3
    delta: float = 0.05
    kernel: Kernel | None = None
    dimension: float | None = None
    folds: tuple[float, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """Number of training rows."""
        return len(self.target)

    @property
    def margins(self) -> Floats:
        """Y f(x) of the training rows."""
        return self.target * self.output

    @cached_property
    def alphas(self) -> Floats:
        """Coefficients without their signs; rounding at the lower end removed."""
        size = np.abs(self.coef)
        return np.where(size > 1e-9 * max(float(size.max(initial=0.0)), 1e-300), size, 0.0)

    @cached_property
    def support(self) -> NDArray[np.intp]:
        """Rows with a coefficient."""
        return np.flatnonzero(self.alphas)

    @cached_property
    def squared_norm(self) -> float:
        """‖w‖² in feature space."""
        return max(float(self.coef @ (self.output - self.intercept)), 0.0)

    @property
    def errors(self) -> int:
        """Training rows on the wrong side."""
        return int(np.count_nonzero(np.where(self.output >= 0, 1.0, -1.0) != self.target))

    @cached_property
    def evidence(self) -> Evidence:
        """The same facts as a learner would publish them: what the bounds read."""
        margins = self.margins
        kept = (margins <= 1.0 + self.tol) | (self.coef != 0)
        kernel = self.kernel
        size = self.dimension
        return Evidence(
            self.n,
            task=self.task,
            learner="this candidate",
            formulation="hard-svc" if self.C is None else self.learner,
            loss=self.loss,
            errors=self.errors,
            margins=margins,
            slacks=np.maximum(1.0 - margins, 0.0),
            alphas=np.abs(self.coef),
            point_norms=np.sqrt(np.maximum(self.gram.diagonal, 0.0)),
            norm=math.sqrt(self.squared_norm),
            offset=self.intercept if self.offset else None,
            radius=None if kernel is None else kernel.known_radius(self.gram.diagonal),
            kernel_range=None if kernel is None else kernel.spread,
            trace=float(self.gram.diagonal.sum()),
            dimension=size,
            rank=None if size is None or math.isinf(size) else int(size),
            C=self.C,
            gap=self.tol,
            compression=Compression(self.n, int(np.count_nonzero(kept))),
        )
