"""What the two relevance vector machines share: the basis, its columns, and prediction."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from mercer import _config
from mercer._types import Samples
from mercer.kernels.structured.precomputed import Precomputed
from mercer.kernels.validate import n_rows, take
from mercer.learners._degenerate import warn_of_nothing
from mercer.learners._door import TrainingSample
from mercer.learners._fitted import Fitted, rows_of
from mercer.learners._in_kernel_space import KernelFitted
from mercer.learners._learner import Weighted
from mercer.learners._parameters import Rule, one_of
from mercer.learners._publishes import Publishes
from mercer.learners.bayes._rules import BAYES_RULES
from mercer.learners.bayes._space import BayesSpace, cross
from mercer.learners.bayes.rvm._text import Relevance

Floats = NDArray[np.float64]
TILE = 512  # basis functions evaluated at a time
ALL_PRUNED = 300  # columns: up to here pruning is cheap
NOT_SPARSE = 500  # columns grown: the other way would take as long again, for little
SOME_PRUNED = 100  # columns with which it starts otherwise, where both ways are tried
ROUGHLY = 30  # of its steps are enough then
MORE_ROWS = "No basis function is likelier than none: give more rows."


@dataclass(frozen=True, kw_only=True)
class RelevanceFitted(KernelFitted):
    """The machines, and what evidence knows of them on the training rows.

    ``kernel`` is None where the basis is a function. With ``beta`` the basis functions are divided.
    """

    kernel: Any
    basis: Any
    machines: list[Relevance]
    n_columns: int
    offset: bool
    beta: float = 1.0
    residuals: Floats | None = None
    margins: Floats | None = None
    errors: int | None = None
    geometry: dict[str, Any]

    @property
    def n_basis(self) -> int:
        """Basis functions besides the constant one."""
        return self.n_columns - int(self.offset)

    def per_column(self, which: str) -> Floats:
        """A number of each surviving column, zero for all others; one row per machine."""
        found = np.zeros((len(self.machines), self.n_columns))
        for row, machine in zip(found, self.machines, strict=True):
            row[machine.active] = getattr(machine, which)
        return found


class RelevanceVectorMachine(Weighted, Publishes, BayesSpace):
    """A linear model in basis functions k(x_i, ·), of which few survive.

    The basis functions need not be a Mercer kernel: an indefinite kernel, a function of two
    samples, or any feature map (``basis``) will do.
    """

    lacks: ClassVar[Mapping[str, str]] = {"copies": "a repeated row is a basis function twice"}
    _state_version: ClassVar[int] = 2
    _rules: ClassVar[dict[str, Rule]] = BAYES_RULES | {
        "solver": one_of("auto", "sequential", "text"),
        "basis": (
            lambda v: v is None or callable(v),
            "None or a function from X to a matrix of features",
        ),
    }
    _matrices: ClassVar[float]
    basis: Any
    fit_intercept: bool
    solver: str
    update: str
    max_iter: int
    warm_start: bool
    fitted_: Any

    def _held(self, sample: TrainingSample) -> float:
        return 0.0 if callable(self.basis) else self._matrices  # as many functions as it makes

    def _basis_space(self, sample: TrainingSample) -> dict[str, Any]:
        """Sample, kernel and basis, as arguments of the record."""
        if self.basis is not None:
            nothing = {"kernel": None, "rows": sample.X, "basis": self.basis}
            return rows_of(sample) | nothing
        meant = self._meant(sample)
        rows = sample.X if meant.checked else meant.kernel.validate(sample.X)[0]
        return self._in_space(replace(sample, X=rows), meant) | {"basis": None}

    def _columns(self, space: dict[str, Any], X: Any) -> Floats:
        """The basis at the training rows, and a constant; each column lies together in memory."""
        if space["basis"] is not None:
            return np.asfortranarray(self._with_offset(_function_values(space["basis"], X)))
        n = n_rows(X)
        _config.reserve(
            8 * n * (n + 1),
            f"The basis functions of {n} rows",
            "Use fewer rows, or a basis of fewer functions (basis=...).",
        )
        columns = np.ones((n, n + int(self.fit_intercept)), order="F")
        if isinstance(space["kernel"], Precomputed):
            columns[:, :n] = X
            return columns
        for start in range(0, n, TILE):
            part = np.arange(start, min(n, start + TILE))
            values = cross(space["kernel"], X, take(space["rows"], part))
            columns[:, part[0] : part[-1] + 1] = np.asarray(values, dtype=np.float64)
        return columns

    def _with_offset(self, values: Floats) -> Floats:
        if not self.fit_intercept:
            return values
        return np.hstack([values, np.ones((len(values), 1))])

    def _active_values(self, X: Samples, machine: Relevance) -> Floats:
        """Values of the surviving basis functions at checked rows."""
        fitted: RelevanceFitted = self.fitted_
        own = machine.active[machine.active < fitted.n_basis]
        values = self._values(X, own) if own.size else np.empty((n_rows(X), 0))
        if len(own) < len(machine.active):
            values = np.hstack([values, np.ones((n_rows(X), 1))])
        return values

    def _values(self, X: Samples, columns: NDArray[np.intp]) -> Floats:
        fitted: RelevanceFitted = self.fitted_
        if fitted.basis is not None:
            return _function_values(fitted.basis, X)[:, columns]
        if isinstance(fitted.kernel, Precomputed):
            return np.asarray(cross(fitted.kernel, X, None, fitted.kept))[:, columns]
        trained = take(fitted.rows, columns)
        return np.asarray(cross(fitted.kernel, X, trained), dtype=np.float64)

    def _last(self, targets: int, n_columns: int) -> list[Relevance | None]:
        """The machines to go on from: those of the last fit, if their basis was as large."""
        last = self.__dict__.get("fitted_") if self.warm_start else None
        if last is None or len(last.machines) != targets or last.n_columns != n_columns:
            return [None] * targets
        return list(last.machines)

    def _limit(self, own: int) -> int:
        """Most steps: those asked for, or the solver's own limit."""
        return own if self.max_iter == -1 else int(self.max_iter)

    def _publish(self, fitted: Fitted) -> None:
        """Which basis functions are left; every other weight is exactly zero."""
        super()._publish(fitted)
        assert isinstance(fitted, RelevanceFitted)
        machines = fitted.machines
        self.n_basis_ = fitted.n_basis
        used = sorted({int(j) for m in machines for j in m.active if j < fitted.n_basis})
        self.relevance_ = np.asarray(used, dtype=np.intp)
        if fitted.kernel is not None and not isinstance(fitted.kernel, Precomputed):
            self.relevance_vectors_ = take(fitted.rows, self.relevance_)
        self.weights_ = fitted.per_column("mean")
        self.prior_variances_ = fitted.per_column("theta")
        self.log_marginal_likelihood_value_ = float(
            sum(machine.log_evidence for machine in machines)
        )
        self.log_marginal_likelihood_path_ = [machine.history for machine in machines]
        self.n_iter_ = max(len(machine.history) for machine in machines)

    def _warn_if_unsettled(self, machines: list[Relevance], advice: str = MORE_ROWS) -> None:
        if not all(machine.converged for machine in machines):
            steps = max(len(machine.history) for machine in machines)
            warnings.warn(
                f"{type(self).__name__} stopped after {steps} steps before the evidence had "
                "settled; raise max_iter, or time_limit if there is one",
                ConvergenceWarning,
                stacklevel=6,  # whoever called fit
            )
        elif not any(len(machine.active) for machine in machines):
            warn_of_nothing(self, advice)


def solved(
    solver: str,
    columns: Floats,
    last: Relevance | None,
    grow: Callable[..., Relevance],
    prune: Callable[..., Relevance],
    most: int,
) -> Relevance:
    """The machine by this solver, from nothing or from the last one."""
    if solver == "text" and last is not None:
        theta = np.zeros(columns.shape[1])
        theta[last.active] = last.theta
        return prune(columns, most, theta=theta)
    if solver == "text":
        return prune(columns, most)
    if solver == "sequential" or last is not None:
        return grow(last)
    return better_of_two(columns, grow, prune)


def better_of_two(
    columns: Floats,
    grow: Callable[..., Relevance],
    prune: Callable[..., Relevance],
) -> Relevance:
    """The machine of larger evidence, grown from nothing or from what pruning has left.

    The evidence has many maxima, and neither way leads to the better one always. Of more than a
    few hundred columns pruning starts with those that growing has chosen and with others spread
    over the rest, and takes some steps only: growing goes on from there. It is told what the other
    machine has reached, and may give up below it.
    """
    grown = grow(None)
    n = columns.shape[1]
    if len(grown.active) > NOT_SPARSE:
        return grown
    small = n <= ALL_PRUNED
    spread = np.linspace(0, n - 1, n if small else SOME_PRUNED).astype(np.intp)
    few = np.union1d(grown.active, spread)
    try:
        pruned = prune(np.asfortranarray(columns[:, few]), 500 if small else ROUGHLY)
        start = replace(pruned, active=few[pruned.active])
        other = grow(start, grown.log_evidence)
    except np.linalg.LinAlgError:  # columns that are spanned by others
        return grown
    return max(grown, other, key=lambda machine: machine.log_evidence)


def _function_values(basis: Any, X: Samples) -> Floats:
    values = np.asarray(basis(X), dtype=np.float64)
    if values.ndim != 2 or values.shape[0] != n_rows(X):
        raise ValueError(
            f"basis(X) must return one row of features per row of X; got shape "
            f"{values.shape} for {n_rows(X)} rows"
        )
    return values
