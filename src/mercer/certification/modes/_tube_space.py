"""The functions that a learner chooses among, as vectors: all rows, and every model made of some.

A tube needs that the model of all rows and its anchors lie in one space of functions that was
fixed beforehand: planes over fixed columns, or a kernel's own space. Its coordinates were not.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from sklearn.decomposition import PCA
from sklearn.kernel_approximation import RBFSampler
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    PolynomialFeatures,
    RobustScaler,
    StandardScaler,
)

from mercer._types import Samples
from mercer.certification.core.rows import Rows
from mercer.certification.core.task import Index, Refused
from mercer.learners.describe import name_of

Floats = NDArray[np.float64]

LEARN_NOTHING = (FunctionTransformer, Normalizer, PolynomialFeatures)  # the same for any rows
AFFINE = (StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler, PCA)  # planes stay planes
SAME = 1e-6  # of the outputs: how far coordinates may be from what the model answers
FLAT = 1e-10  # of the largest eigenvalue: directions that no row shows
MOST_OF_A_KERNEL = 3000  # rows: the Gram matrix is taken apart

WORDS = (
    "mode='tube' is about planes and kernel machines in a space of functions that was fixed before "
    "the data; {why}. Use mode='easy' or 'auto'."
)


@dataclass(frozen=True)
class FixedSpace:
    """``rows``: coordinates of all rows, the last column 1; f(x_i) = ⟨rows[i], of(model)⟩."""

    rows: Floats
    kernel: str  # "" for planes
    moved: tuple[Floats, Floats]  # mean and scale of the columns that coordinates are counted from

    def of(self, model: Any, rows: Rows, trained: Index) -> Floats:
        """Coordinates of a fitted model; refused if they do not give its answers."""
        outputs = _outputs(model, rows, trained)
        if self.kernel:
            if kernel_of(model) != self.kernel:
                raise refused(f"the kernel of {name_of(model)} depends on the rows it was given")
            shift = float(np.ravel(model.intercept_)[0])
            body = self.rows[:, :-1]
            made = np.append((outputs - shift) @ body / (body**2).sum(axis=0), shift)
        else:
            weights, shift = _plane(model, len(self.moved[0]))
            made = np.append(weights * self.moved[1], shift + weights @ self.moved[0])
        off = np.abs(self.rows @ made - outputs).max(initial=0.0)
        if not off <= SAME * max(np.abs(outputs).max(initial=0.0), np.finfo(float).tiny):
            raise refused(f"the answers of {name_of(model)} are no such functions")
        return made

    def penalty(self, used: Index, weight: Floats) -> Floats:
        """A quadratic form that knows only the rows ``used``: the spread of their columns."""
        part = self.rows[used][:, :-1]
        mean = weight @ part / weight.sum()
        if self.kernel:
            spread = np.full(part.shape[1], np.sqrt(weight @ (part**2).sum(axis=1) / weight.sum()))
            mean = np.zeros_like(mean)
        else:
            spread = np.sqrt(weight @ (part - mean) ** 2 / weight.sum())
            spread = np.maximum(spread, 1e-8 * (1.0 + np.abs(mean)))
        form = np.diag(np.append(spread**2, 0.0))
        centre = np.append(mean, 1.0)
        return form + np.outer(centre, centre)


def refused(why: str) -> Refused:
    """The refusal, with its reason."""
    return Refused(WORDS.format(why=why))


def space_of(model: object, rows: Rows) -> FixedSpace:
    """The space that this model of all rows lies in, or a refusal that says why there is none."""
    _check_steps(model)
    learner = model.steps[-1][1] if isinstance(model, Pipeline) else model
    if not hasattr(model, "decision_function"):
        raise refused(f"{name_of(model)} has no decision_function")
    weights = getattr(learner, "coef_", None)
    if weights is not None and len(np.atleast_2d(weights)) == 1 and not rows.pairwise:
        X = np.asarray(_fixed_part(model, rows.X), dtype=np.float64)
        mean, scale = X.mean(axis=0), X.std(axis=0)
        scale = np.where(scale > 0, scale, 1.0)
        columns = np.column_stack([(X - mean) / scale, np.ones(len(X))])
        return FixedSpace(columns, "", (mean, 1.0 * scale))
    if not kernel_of(model):
        raise refused(f"{name_of(model)} is neither (trees and neighbours have no such space)")
    return _kernel_space(model, rows)


def kernel_of(model: object) -> str:
    """The kernel of a machine with one function, "" for anything else."""
    one = np.size(getattr(model, "intercept_", ())) == 1 and hasattr(model, "dual_coef_")
    return repr(model.kernel_) if one and hasattr(model, "kernel_") else ""


def _kernel_space(model: Any, rows: Rows) -> FixedSpace:
    choices = [c for c in model.evidence_.choices if c.what != "class_weight"]
    if choices:
        raise refused(f"{choices[0].what} of {name_of(model)} was learned from the rows: give a "
                      "number")  # fmt: skip
    if rows.n > MOST_OF_A_KERNEL:
        raise refused(f"{rows.n} rows are more than the {MOST_OF_A_KERNEL} whose kernel matrix is "
                      "taken apart")  # fmt: skip
    gram = np.asarray(rows.X if rows.pairwise else model.kernel_(rows.X), dtype=np.float64)
    values, vectors = eigh(0.5 * (gram + gram.T))
    kept = values > FLAT * values[-1]
    columns = np.column_stack([vectors[:, kept] * np.sqrt(values[kept]), np.ones(rows.n)])
    return FixedSpace(columns, kernel_of(model), (np.empty(0), np.empty(0)))


def _check_steps(model: Any) -> None:
    """Steps of a pipeline may learn nothing, and after that move and turn."""
    affine = False
    for _, step in model.steps[:-1] if isinstance(model, Pipeline) else ():
        if step is None or step == "passthrough":
            continue
        if isinstance(step, AFFINE) and not getattr(step, "clip", False):
            affine = True
        elif affine or not _learns_nothing(step):
            raise refused(f"its step {type(step).__name__} learns from the rows what functions "
                          "there are")  # fmt: skip
    learner = model.steps[-1][1] if affine else None
    if kernel_of(learner) and not hasattr(learner, "coef_"):
        raise refused("what is scaled by the rows and then put into a kernel is another space for "
                      "other rows")  # fmt: skip


def _learns_nothing(step: Any) -> bool:
    if isinstance(step, RBFSampler):
        fixed = not isinstance(step.gamma, str) and isinstance(step.random_state, int)
        return fixed
    return isinstance(step, LEARN_NOTHING)


def _fixed_part(model: object, X: Samples) -> Any:
    """Rows after the steps that learn nothing."""
    for _, step in model.steps[:-1] if isinstance(model, Pipeline) else ():
        if step is None or step == "passthrough" or isinstance(step, AFFINE):
            continue
        X = step.transform(X)
    return X.toarray() if hasattr(X, "toarray") else X


def _plane(model: Any, columns: int) -> tuple[Floats, float]:
    """Weights and offset of a plane behind scalers, from its answers at corners."""
    if not isinstance(model, Pipeline):
        return np.ravel(model.coef_).astype(np.float64), float(np.ravel(model.intercept_)[0])
    weights, shift = _plane(model.steps[-1][1], columns)
    for _, step in reversed(model.steps[:-1]):
        if isinstance(step, AFFINE):
            at = step.transform(np.zeros((1, step.n_features_in_)))[0]
            slopes = step.transform(np.eye(step.n_features_in_)) - at
            shift, weights = shift + float(at @ weights), slopes @ weights
    return weights, shift


def _outputs(model: Any, rows: Rows, trained: Index) -> Floats:
    everyone = np.arange(rows.n)
    found = np.asarray(model.decision_function(rows.take(everyone, trained)), dtype=np.float64)
    if found.shape != (rows.n,):
        raise refused(f"{name_of(model)} answers with {found.shape[-1]} outputs for a row, not one")
    return found


def takes_weights(estimator: Any) -> bool:
    """Whether the learner at the end can be given weights of rows."""
    learner = estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator
    return "sample_weight" in inspect.signature(learner.fit).parameters
