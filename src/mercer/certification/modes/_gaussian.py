"""Gaussian distributions over the weights of kernel machines that share one feature space.

A mean is a combination of fitted machines, so that norms, distances and outputs need nothing but
the machines' own outputs: ⟨w_a, w_b⟩ = Σ_i c_i·w_b(x_i) over the rows x_i that a is expanded in.
The offset is the weight of a constant feature, of the size of the other features.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr
from sklearn.base import clone, is_classifier
from sklearn.pipeline import Pipeline

from mercer._storable import record
from mercer._types import Samples
from mercer.certification.core.task import Index, Refused, Task
from mercer.kernels.structured.from_callable import UserFunction
from mercer.learners.describe import last_step
from mercer.learners.protocols import Quadratic

Floats = NDArray[np.float64]

_NODES = np.linspace(-8.0, 8.0, 81)
_WEIGHTS = np.exp(-0.5 * _NODES**2) / np.exp(-0.5 * _NODES**2).sum()


@dataclass
class Space:
    """The feature space that a first model has fixed: its preprocessing and its kernel."""

    front: Any
    learner: Any  # fitted; its kernel has its final parameters
    constant: float  # the constant feature that carries the offset

    @classmethod
    def of(cls, model: Any, mode: str) -> Space:
        """The space of a fitted model, or a refusal that says what is needed."""
        learner = last_step(model)
        known = isinstance(learner, Quadratic) and is_classifier(learner)
        if not known:
            raise Refused(
                f"mode={mode!r} needs a support vector classifier of Mercer, whose weights live in "
                f"a known feature space; {type(learner).__name__} is none. Use mode='auto'."
            )
        if not learner.fitted_.geometric:
            raise Refused(f"mode={mode!r} needs a positive semi-definite kernel.")
        inner = getattr(model, "best_estimator_", model)
        front = inner[:-1] if isinstance(inner, Pipeline) and len(inner.steps) > 1 else None
        return cls(front, learner, float(np.sqrt(max(np.mean(learner.fitted_.diagonal), 1e-300))))

    @property
    def offset(self) -> bool:
        """Whether the machines have an offset."""
        return bool(self.learner.fit_intercept)

    def transform(self, X: Samples) -> Any:
        """Rows as the machines see them."""
        return X if self.front is None else self.front.transform(X)

    def train(self, X: Samples, y: ArrayLike) -> Any:
        """Another machine in the same space; its labels must be those of the first."""
        machine = clone(self.learner)
        kernel = self.learner.kernel_
        if machine.kernel != "precomputed" and not isinstance(kernel, UserFunction):
            machine.set_params(kernel=kernel)
        machine.fit(X, y)
        if not np.array_equal(machine.classes_, self.learner.classes_):
            raise Refused("some class is missing in the first part of the rows: the models differ")
        return machine

    def own_products(self, X: Any) -> Floats:
        """k(x, x) of new rows."""
        kernel = self.learner.kernel_
        known = self.learner.fitted_.diagonal
        if len(known) == 1:
            return np.full(X.shape[0] if hasattr(X, "shape") else len(X), known[0])
        if isinstance(kernel, UserFunction):
            return np.array([float(np.squeeze(kernel.function(x, x))) for x in _single_rows(X)])
        return np.asarray(kernel.diag(X), dtype=np.float64)


def _single_rows(X: Any) -> list[Any]:
    return [X[i : i + 1] for i in range(X.shape[0] if hasattr(X, "shape") else len(X))]


@record("gaussian-family")
@dataclass
class Family:
    """Machines in one space, trained on leading parts of the rows, and their inner products."""

    space: Space
    task: Task
    machines: list[Any] = field(default_factory=list)
    trained: list[Index] = field(default_factory=list)

    def add(self, index: Index, machine: Any = None) -> Family:
        """One more machine, trained on the rows ``index``."""
        if machine is None:
            labels = self.task.rows.labels(index)
            with self.task.timed("training"):
                machine = self.space.train(self._rows(index, index), labels)
        self.machines.append(machine)
        self.trained.append(index)
        return self

    def _rows(self, index: Index, trained: Index) -> Any:
        return self.space.transform(self.task.rows.take(index, trained))

    def outputs(self, index: Index) -> Floats:
        """Outputs of every binary machine of every member, shape (members, rows, binary)."""
        with self.task.timed("counting"):
            return np.array(
                [
                    machine._values(self._rows(index, trained))
                    for machine, trained in zip(self.machines, self.trained, strict=True)
                ]
            )

    def lengths(self, index: Index) -> Floats:
        """Norms of the rows, the constant feature included."""
        if self.task.rows.pairwise:
            own = np.asarray(self.task.rows.X)[index, index].astype(np.float64)
        else:
            own = self.space.own_products(self._rows(index, index))
        return np.sqrt(np.maximum(own, 0.0) + self.space.offset * self.space.constant**2)

    def products(self) -> Floats:
        """Inner products of all members, all their binary machines taken as one long vector."""
        count = len(self.machines)
        table = np.empty((count, count))
        for a in range(count):
            for b in range(a, count):
                table[a, b] = table[b, a] = self._product(a, b)
        return table

    def _product(self, a: int, b: int) -> float:
        at = self.machines[b]._values(self._rows(self.trained[a], self.trained[b]))
        total = 0.0
        for j, machine in enumerate(self.machines[a].fitted_.machines):
            other = self.machines[b].fitted_.machines[j].intercept
            total += float(machine.coef @ (at[machine.rows, j] - other))
            if self.space.offset:
                total += machine.intercept * other / self.space.constant**2
        return total


def wrong_probability(leads: Floats, codes: NDArray[np.intp], n_classes: int, ovr: bool) -> Floats:
    """Probability that the drawn machines get each row wrong.

    ``leads`` are the means of the outputs in units of their standard deviation. Two classes: the
    error of the drawn classifier. One against the rest: that of the largest drawn output. Pairs:
    that some pair which the true class takes part in is wrong, which every vote needs for an error.
    """
    if n_classes == 2:
        return np.asarray(ndtr(-np.where(codes == 1, 1.0, -1.0) * leads[:, 0]))
    if ovr:
        own = np.take_along_axis(leads, codes[:, None], axis=1)
        ahead = own - leads
        right = np.zeros(len(codes))
        for node, weight in zip(_NODES, _WEIGHTS, strict=True):
            beats = ndtr(node + ahead)
            np.put_along_axis(beats, codes[:, None], 1.0, axis=1)
            right += weight * beats.prod(axis=1)
        return np.clip(1.0 - right, 0.0, 1.0)
    right = np.ones(len(codes))
    for j, (first, second) in enumerate(combinations(range(n_classes), 2)):
        sign = np.where(codes == first, 1.0, np.where(codes == second, -1.0, 0.0))
        right *= np.where(sign == 0.0, 1.0, ndtr(sign * leads[:, j]))
    return np.clip(1.0 - right, 0.0, 1.0)
